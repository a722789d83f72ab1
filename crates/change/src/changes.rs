//! Changes, as a reader of the source would count them.
//!
//! In: the differences of each pair of functions, what came and went. Out: [`Change`]s: changed instructions that stand together, with
//! the source lines of both sides.
//!
//! Always holds: every changed instruction is in exactly one change; changes stand in the order of the new program, what is only in the old
//! one comes last.

use crate::lines;
use crate::refine::{FunctionDiff, Reason};
use parallax_model::*;
use std::collections::BTreeSet;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Modified,
    Added,
    Deleted,
    /// A function or variable of another name.
    Renamed,
    /// A function of another file, or code in another order.
    Moved,
    /// A function whose parameters or result have other types.
    Signature,
    /// A variable's first value, and code that uses the variable.
    Initialiser,
    /// A structure's members lie elsewhere, and code that uses them.
    Layout,
    /// A function cut out of another.
    Split,
    /// A function that went into another.
    Merged,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Modified => "modified",
            Kind::Added => "added",
            Kind::Deleted => "deleted",
            Kind::Renamed => "renamed",
            Kind::Moved => "moved",
            Kind::Signature => "signature",
            Kind::Initialiser => "initialiser",
            Kind::Layout => "layout",
            Kind::Split => "split",
            Kind::Merged => "merged",
        }
    }
}

/// Lines of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    pub file: Option<String>,
    /// In order, each once.
    pub lines: Vec<u32>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub kind: Kind,
    /// What it is a change of, as the source names it: a function, or a variable.
    pub name: String,
    pub old_func: Option<FuncId>,
    pub new_func: Option<FuncId>,
    pub old_global: Option<GlobalId>,
    pub new_global: Option<GlobalId>,
    /// Changed instructions of the old version: deleted, or changed to one of `new_insts`.
    pub old_insts: Vec<InstId>,
    pub new_insts: Vec<InstId>,
    /// Instructions of the new version that stand where deleted ones were.
    pub places: Vec<InstId>,
    pub old_lines: Lines,
    pub new_lines: Lines,
}

impl Change {
    pub fn of_function(kind: Kind, name: &str, old: Option<FuncId>, new: Option<FuncId>) -> Change {
        Change {
            kind,
            name: name.to_owned(),
            old_func: old,
            new_func: new,
            old_global: None,
            new_global: None,
            old_insts: Vec::new(),
            new_insts: Vec::new(),
            places: Vec::new(),
            old_lines: Lines::default(),
            new_lines: Lines::default(),
        }
    }

    pub fn of_global(kind: Kind, name: &str, old: Option<GlobalId>, new: Option<GlobalId>) -> Change {
        Change { old_global: old, new_global: new, ..Change::of_function(kind, name, None, None) }
    }

    /// Does it touch code that can be executed in the new version?
    pub fn is_executable(&self) -> bool {
        !self.new_insts.is_empty() || !self.places.is_empty()
    }
}

/// One step of the new function's code, with the deleted code where it was.
#[derive(Clone, Copy)]
enum Item {
    Same,
    New(InstId, Reason),
    Old(InstId, InstId),
}

/// The changes of a pair of functions.
pub fn of_pair(
    old: &Program,
    new: &Program,
    f: FuncId,
    g: FuncId,
    diff: &FunctionDiff,
    back: &[Option<InstId>],
) -> Vec<Change> {
    let mut groups: Vec<Vec<Item>> = Vec::new();
    let mut open = false;
    for item in items(new, g, diff) {
        match item {
            Item::Same => open = false,
            item if open => groups.last_mut().into_iter().for_each(|g| g.push(item)),
            item => {
                groups.push(vec![item]);
                open = true;
            }
        }
    }
    let mut changes: Vec<Change> = Vec::new();
    for group in groups {
        let change = from_items(old, new, f, g, &group, back);
        match changes.last_mut() {
            Some(last) if shares_line(last, &change) => absorb(last, change),
            _ => changes.push(change),
        }
    }
    changes
}

fn items(new: &Program, g: FuncId, diff: &FunctionDiff) -> Vec<Item> {
    let mut at: std::collections::BTreeMap<InstId, Vec<InstId>> = Default::default();
    for (i, place) in &diff.deleted {
        at.entry(*place).or_default().push(*i);
    }
    let mut items = Vec::new();
    for j in new.func(g).insts.iter() {
        items.extend(at.remove(&j).into_iter().flatten().map(|i| Item::Old(i, j)));
        match diff.changed.get(&j) {
            Some(reason) => items.push(Item::New(j, *reason)),
            // What does nothing by itself stands between nothing.
            None if crate::refine::is_passive(new, j) => {}
            None => items.push(Item::Same),
        }
    }
    items
}

fn from_items(
    old: &Program,
    new: &Program,
    f: FuncId,
    g: FuncId,
    items: &[Item],
    back: &[Option<InstId>],
) -> Change {
    let mut change = Change::of_function(Kind::Modified, new.func(g).display_name(), Some(f), Some(g));
    let mut reasons = BTreeSet::new();
    let mut deleted = false;
    for item in items {
        match item {
            Item::New(j, reason) => {
                reasons.insert(*reason);
                change.new_insts.push(*j);
                change.old_insts.extend(back[j.index()]);
            }
            Item::Old(i, place) => {
                deleted = true;
                change.old_insts.push(*i);
                change.places.push(*place);
            }
            Item::Same => {}
        }
    }
    change.old_insts.sort_unstable();
    change.places.dedup();
    change.kind = kind(&reasons, deleted);
    change.old_lines = lines::lines(old, &change.old_insts, f);
    change.new_lines = lines::lines(new, &change.new_insts, g);
    change
}

fn kind(reasons: &BTreeSet<Reason>, deleted: bool) -> Kind {
    match (reasons.first(), reasons.len(), deleted) {
        (None, _, _) => Kind::Deleted,
        (Some(Reason::Added), 1, false) => Kind::Added,
        (Some(Reason::Moved), 1, false) => Kind::Moved,
        (Some(Reason::Initialiser), 1, false) => Kind::Initialiser,
        (Some(Reason::Layout), 1, false) => Kind::Layout,
        _ => Kind::Modified,
    }
}

fn shares_line(a: &Change, b: &Change) -> bool {
    let common = |x: &Lines, y: &Lines| x.file == y.file && x.lines.iter().any(|line| y.lines.contains(line));
    common(&a.new_lines, &b.new_lines) || common(&a.old_lines, &b.old_lines)
}

fn absorb(into: &mut Change, other: Change) {
    if into.kind != other.kind {
        into.kind = Kind::Modified;
    }
    into.old_insts.extend(other.old_insts);
    into.old_insts.sort_unstable();
    into.new_insts.extend(other.new_insts);
    into.places.extend(other.places);
    for (mine, theirs) in [(&mut into.old_lines, other.old_lines), (&mut into.new_lines, other.new_lines)] {
        mine.file = mine.file.take().or(theirs.file);
        mine.lines.extend(theirs.lines);
        mine.lines.sort_unstable();
        mine.lines.dedup();
    }
}
