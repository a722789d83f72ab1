//! Two programs in, everything that changed out.
//!
//! Always holds: a version compared with itself has no change, and every instruction of it is aligned.

use crate::align::{self, Alignment};
use crate::changes::{self, Change, Kind};
use crate::globals;
use crate::lines;
use crate::norm::Norm;
use crate::pairs::{self, Pairs};
use crate::refine::{Altered, FunctionDiff, Refiner};
use crate::settings::Settings;
use parallax_model::*;
use std::collections::BTreeMap;

/// What changed between two versions.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub pairs: Pairs,
    pub alignment: Alignment,
    /// By new function: pairs whose code differs.
    pub functions: BTreeMap<FuncId, FunctionDiff>,
    pub changes: Vec<Change>,
}

pub fn compare(old: &Program, new: &Program, settings: &Settings) -> Comparison {
    let pairs = pairs::pair(old, new, settings);
    let (names, new_names) = pairs.names(old, new);
    let (a, b) = (Norm::new(old, names), Norm::new(new, new_names));
    let (altered, of_globals) = globals::compare(&a, &b, &pairs);
    let mut comparison = Comparison { alignment: Alignment::new(old, new), pairs, ..Comparison::default() };
    comparison.bodies(&a, &b, &altered, settings);
    comparison.collect(&a, &b);
    comparison.changes.extend(of_globals);
    comparison
}

impl Comparison {
    /// Has nothing changed but names?
    pub fn only_names(&self) -> bool {
        self.changes.iter().all(|change| change.kind == Kind::Renamed)
    }

    fn bodies(&mut self, old: &Norm, new: &Norm, altered: &Altered, settings: &Settings) {
        for g in new.program.defined_functions() {
            let Some(f) = self.pairs.functions_back[g.index()] else { continue };
            let same = settings.same_at_once && align::align_same(&mut self.alignment, old, new, f, g);
            if !same {
                align::align(&mut self.alignment, old, new, f, g);
            }
            if same && altered.new.is_empty() {
                continue;
            }
            let refiner = Refiner { old, new, alignment: &self.alignment, altered };
            let diff = refiner.function(f, g);
            if !diff.is_empty() {
                self.functions.insert(g, diff);
            }
        }
    }

    fn collect(&mut self, old: &Norm, new: &Norm) {
        let mut found = Vec::new();
        for g in new.program.defined_functions() {
            match self.pairs.functions_back[g.index()] {
                None => found.push(self.came(new.program, g)),
                Some(f) => {
                    found.extend(self.heading(old, new, f, g));
                    if let Some(diff) = self.functions.get(&g) {
                        let back = &self.alignment.insts_back;
                        found.extend(changes::of_pair(old.program, new.program, f, g, diff, back));
                    }
                }
            }
        }
        for f in old.program.defined_functions().filter(|f| self.pairs.functions[f.index()].is_none()) {
            found.push(self.went(old.program, f));
        }
        self.changes = found;
    }

    fn came(&self, new: &Program, g: FuncId) -> Change {
        let from = self.pairs.splits.iter().find(|(split, _)| *split == g).map(|(_, from)| *from);
        let kind = if from.is_some() { Kind::Split } else { Kind::Added };
        let mut change = Change::of_function(kind, new.func(g).display_name(), from, Some(g));
        change.new_insts = new.func(g).insts.iter().filter(|i| !crate::refine::is_passive(new, *i)).collect();
        change.new_lines = lines::lines(new, &change.new_insts, g);
        change
    }

    fn went(&self, old: &Program, f: FuncId) -> Change {
        let into = self.pairs.merges.iter().find(|(merged, _)| *merged == f).map(|(_, into)| *into);
        let kind = if into.is_some() { Kind::Merged } else { Kind::Deleted };
        let mut change = Change::of_function(kind, old.func(f).display_name(), Some(f), into);
        change.old_insts = old.func(f).insts.iter().collect();
        change.old_lines = lines::lines(old, &change.old_insts, f);
        change
    }

    /// What changed of a function besides its code.
    fn heading(&self, old: &Norm, new: &Norm, f: FuncId, g: FuncId) -> Vec<Change> {
        let (a, b) = (old.program.func(f), new.program.func(g));
        let mut kinds = Vec::new();
        if a.display_name() != b.display_name() {
            kinds.push(Kind::Renamed);
        }
        if a.file.is_some()
            && b.file.is_some()
            && a.file.and_then(|file| self.pairs.files.to_new(file)) != b.file
        {
            kinds.push(Kind::Moved);
        }
        if old.ty(a.ty) != new.ty(b.ty) {
            kinds.push(Kind::Signature);
        }
        let of = |kind| {
            let mut change = Change::of_function(kind, b.display_name(), Some(f), Some(g));
            change.old_lines = declared(old.program, a);
            change.new_lines = declared(new.program, b);
            change
        };
        kinds.into_iter().map(of).collect()
    }
}

fn declared(program: &Program, function: &Function) -> changes::Lines {
    changes::Lines {
        file: function.file.map(|file| program.file(file).to_owned()),
        lines: if function.line > 0 { vec![function.line] } else { Vec::new() },
    }
}
