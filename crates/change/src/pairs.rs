//! Which function and which global of the old version is which of the new one.
//!
//! In: both programs. Out: [`Pairs`]. Functions are matched by name (static ones by name and file), then by name alone where
//! that is enough, then by who refers to them, then by what their code looks like.
//!
//! Always holds: a pair is one to one; a function with a body is never matched with one without.

use crate::align;
use crate::files::Files;
use crate::norm::{hash, is_anonymous, Names, Norm};
use crate::settings::Settings;
use crate::similar;
use crate::unify::{self, Thing};
use parallax_model::*;
use std::collections::HashMap;

/// The matching of two programs.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// By old function.
    pub functions: Vec<Option<FuncId>>,
    /// By new function.
    pub functions_back: Vec<Option<FuncId>>,
    /// By old global.
    pub globals: Vec<Option<GlobalId>>,
    pub globals_back: Vec<Option<GlobalId>>,
    pub files: Files,
    /// New functions without an old one that were cut out of one: (new, old it was cut out of).
    pub splits: Vec<(FuncId, FuncId)>,
    /// Old functions without a new one that were put into one: (old, new it went into).
    pub merges: Vec<(FuncId, FuncId)>,
}

pub fn pair(old: &Program, new: &Program, settings: &Settings) -> Pairs {
    let mut pairs = Pairs {
        functions: vec![None; old.functions.len()],
        functions_back: vec![None; new.functions.len()],
        globals: vec![None; old.globals.len()],
        globals_back: vec![None; new.globals.len()],
        files: Files::new(old, new),
        ..Pairs::default()
    };
    pairs.functions_by_name(old, new);
    pairs.globals_by_name(old, new);
    pairs.by_reference(old, new);
    let (a, b) = (Norm::new(old, Names::by_name(old)), Norm::new(new, Names::by_name(new)));
    pairs.renamed_globals(&a, &b);
    // What calls a renamed function looks more like itself once that one has been found.
    for _ in 0..settings.rounds {
        let (names, new_names) = pairs.names(old, new);
        let (a, b) = (Norm::new(old, names), Norm::new(new, new_names));
        if similar::functions(&mut pairs, &a, &b, settings) == 0 {
            similar::splits_and_merges(&mut pairs, &a, &b, settings);
            break;
        }
    }
    pairs
}

/// Links two of one kind, and unlinks what they were linked with; true if that was something.
fn relink<I: Copy>(
    to: &mut [Option<I>],
    back: &mut [Option<I>],
    a: I,
    b: I,
    index: impl Fn(I) -> usize,
) -> bool {
    let (of_a, of_b) = (to[index(a)].replace(b), back[index(b)].replace(a));
    let unlinked = of_a.is_some() || of_b.is_some();
    of_a.into_iter().filter(|other| index(*other) != index(b)).for_each(|other| back[index(other)] = None);
    of_b.into_iter().filter(|other| index(*other) != index(a)).for_each(|other| to[index(other)] = None);
    unlinked
}

impl Pairs {
    pub fn link(&mut self, old: FuncId, new: FuncId) {
        self.functions[old.index()] = Some(new);
        self.functions_back[new.index()] = Some(old);
    }

    /// Links two things, whatever they were linked with before; true if they were linked with something.
    pub fn link_anew(&mut self, old: Thing, new: Thing) -> bool {
        match (old, new) {
            (Thing::Function(a), Thing::Function(b)) => {
                relink(&mut self.functions, &mut self.functions_back, a, b, |f| f.index())
            }
            (Thing::Variable(a), Thing::Variable(b)) => {
                relink(&mut self.globals, &mut self.globals_back, a, b, |g| g.index())
            }
            _ => false,
        }
    }

    /// What has another name by who refers to it; where names went from one thing to another, only if less is changed that way.
    fn by_reference(&mut self, old: &Program, new: &Program) {
        let mut found = self.clone();
        if unify::by_reference(&mut found, old, new) {
            found.functions_by_name(old, new);
            found.globals_by_name(old, new);
            if found.changed(old, new) >= self.changed(old, new) {
                return;
            }
        }
        *self = found;
    }

    /// How many functions and variables of both versions are not the same in the other one.
    fn changed(&self, old: &Program, new: &Program) -> usize {
        let (names, new_names) = self.names(old, new);
        let (a, b) = (Norm::new(old, names), Norm::new(new, new_names));
        let same_function = |f: &FuncId| {
            self.functions[f.index()].is_some_and(|g| align::same(&a, &b, old.func(*f), new.func(g)))
        };
        let same_global =
            |g: &GlobalId| self.globals[g.index()].is_some_and(|other| a.content(*g) == b.content(other));
        old.defined_functions().filter(|f| !same_function(f)).count()
            + old.global_ids().filter(|g| !is_anonymous(old, *g) && !same_global(g)).count()
    }

    fn functions_by_name(&mut self, old: &Program, new: &Program) {
        let key = |function: &Function, file: Option<FileId>| {
            let file = file.filter(|_| function.linkage == Linkage::Internal);
            (function.is_defined(), function.display_name().to_owned(), file)
        };
        let files = self.files.clone();
        let mapped = |f: FuncId| key(old.func(f), old.func(f).file.and_then(|file| files.to_new(file)));
        self.by_key(old, new, &mapped, &|f| key(new.func(f), new.func(f).file));
        self.by_key(old, new, &|f| key(old.func(f), None), &|f| key(new.func(f), None));
    }

    /// Links what has the same key: the k-th of one side with the k-th of the other.
    fn by_key<K: std::hash::Hash + Eq>(
        &mut self,
        old: &Program,
        new: &Program,
        old_key: &dyn Fn(FuncId) -> K,
        new_key: &dyn Fn(FuncId) -> K,
    ) {
        let mut waiting: HashMap<K, Vec<FuncId>> = HashMap::new();
        for f in new.func_ids().rev().filter(|f| self.functions_back[f.index()].is_none()) {
            waiting.entry(new_key(f)).or_default().push(f);
        }
        for f in old.func_ids().filter(|f| self.functions[f.index()].is_none()).collect::<Vec<_>>() {
            if let Some(other) = waiting.get_mut(&old_key(f)).and_then(Vec::pop) {
                self.link(f, other);
            }
        }
    }

    fn globals_by_name(&mut self, old: &Program, new: &Program) {
        let mut waiting: HashMap<(String, Option<FileId>), Vec<GlobalId>> = HashMap::new();
        let free = |g: &GlobalId| self.globals_back[g.index()].is_none() && !is_anonymous(new, *g);
        for g in new.global_ids().rev().filter(free) {
            waiting.entry(global_key(new, g, &|file| Some(file))).or_default().push(g);
        }
        let files = self.files.clone();
        for g in old.global_ids().filter(|g| !is_anonymous(old, *g)) {
            if self.globals[g.index()].is_some() {
                continue;
            }
            let key = global_key(old, g, &|file| files.to_new(file));
            if let Some(other) = waiting.get_mut(&key).and_then(Vec::pop) {
                self.link_global(g, other);
            }
        }
    }

    fn link_global(&mut self, old: GlobalId, new: GlobalId) {
        self.globals[old.index()] = Some(new);
        self.globals_back[new.index()] = Some(old);
    }

    /// What is left and is the only one on each side with its content and visibility has another name now.
    fn renamed_globals(&mut self, old: &Norm, new: &Norm) {
        let key = |norm: &Norm, g: GlobalId| {
            let global = norm.program.global(g);
            hash(&(norm.content(g), global.linkage as u8, global.external()))
        };
        let mut waiting: HashMap<u64, Vec<GlobalId>> = HashMap::new();
        for g in new.program.global_ids() {
            if self.globals_back[g.index()].is_none() && !is_anonymous(new.program, g) {
                waiting.entry(key(new, g)).or_default().push(g);
            }
        }
        let mut mine: HashMap<u64, Vec<GlobalId>> = HashMap::new();
        for g in old.program.global_ids() {
            let defined = !old.program.global(g).external();
            if defined && self.globals[g.index()].is_none() && !is_anonymous(old.program, g) {
                mine.entry(key(old, g)).or_default().push(g);
            }
        }
        let mut found: Vec<_> = Vec::new();
        for (key, olds) in mine {
            let Some(news) = waiting.get(&key) else { continue };
            // Variables of the same content are told apart by their order, which a renaming keeps.
            if news.len() == olds.len() {
                found.extend(olds.into_iter().zip(news.iter().copied()));
            }
        }
        found.into_iter().for_each(|(a, b)| self.link_global(a, b));
    }

    /// Names under which matched things are the same on both sides.
    pub fn names(&self, old: &Program, new: &Program) -> (Names, Names) {
        let mut names = (Names::by_name(old), Names::by_name(new));
        let name = |known: u64, pair: Option<usize>, kind: &str, side: &str| match pair {
            Some(place) => hash(&(kind, place)),
            None => hash(&(side, known)),
        };
        for (f, other) in self.functions.iter().enumerate() {
            names.0.functions[f] = name(names.0.functions[f], other.map(|o| o.index()), "pair", "old");
        }
        for (f, other) in self.functions_back.iter().enumerate() {
            names.1.functions[f] = name(names.1.functions[f], other.map(|_| f), "pair", "new");
        }
        for (g, other) in self.globals.iter().enumerate() {
            names.0.globals[g] = name(names.0.globals[g], other.map(|o| o.index()), "global pair", "old");
        }
        for (g, other) in self.globals_back.iter().enumerate() {
            names.1.globals[g] = name(names.1.globals[g], other.map(|_| g), "global pair", "new");
        }
        names
    }
}

/// Static variables are known by their file too; those inside functions, by the linker's name, which has the function's.
fn global_key(
    program: &Program,
    g: GlobalId,
    file: &dyn Fn(FileId) -> Option<FileId>,
) -> (String, Option<FileId>) {
    let global = program.global(g);
    let file = global.file.filter(|_| global.linkage == Linkage::Internal).and_then(file);
    let name = match &global.source_name {
        // `function.variable`; a number behind it is the linker's.
        Some(source) if global.name.contains('.') => {
            let function = global.name.split('.').next().unwrap_or_default();
            if function == source {
                source.clone()
            } else {
                format!("{function}.{source}")
            }
        }
        Some(source) => source.clone(),
        None => global.name.clone(),
    };
    (name, file)
}
