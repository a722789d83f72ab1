//! Variables that are not what they were.
//!
//! In: matched globals. Out: [`Altered`], which code that uses them is changed by, and the changes of the variables themselves.
//!
//! Always holds: a variable whose first value leads to an altered one is altered too.

use crate::changes::{Change, Kind, Lines};
use crate::layout;
use crate::norm::{is_anonymous, Norm};
use crate::pairs::Pairs;
use crate::refine::{Altered, Reason};
use parallax_model::*;
use std::collections::BTreeMap;

pub fn compare(old: &Norm, new: &Norm, pairs: &Pairs) -> (Altered, Vec<Change>) {
    let mut altered = BTreeMap::new();
    let mut changes = Vec::new();
    for g in new.program.global_ids().filter(|g| is_variable(new.program, *g)) {
        match pairs.globals_back[g.index()] {
            None => changes.push(whole(Kind::Added, None, Some((new.program, g)))),
            Some(before) => {
                if let Some(reason) = differs(old, before, new, g) {
                    altered.insert(g, reason);
                    let kind = if reason == Reason::Layout { Kind::Layout } else { Kind::Initialiser };
                    changes.push(whole(kind, Some((old.program, before)), Some((new.program, g))));
                }
                if name(old.program, before) != name(new.program, g) {
                    changes.push(whole(Kind::Renamed, Some((old.program, before)), Some((new.program, g))));
                }
            }
        }
    }
    for g in old.program.global_ids().filter(|g| is_variable(old.program, *g)) {
        if pairs.globals[g.index()].is_none() {
            changes.push(whole(Kind::Deleted, Some((old.program, g)), None));
        }
    }
    spread(new.program, &mut altered);
    (Altered { new: altered }, changes)
}

/// Not LLVM's own, not a literal, not defined elsewhere.
fn is_variable(program: &Program, g: GlobalId) -> bool {
    let global = program.global(g);
    !global.external() && !is_anonymous(program, g) && !global.name.starts_with("llvm.")
}

fn differs(old: &Norm, before: GlobalId, new: &Norm, g: GlobalId) -> Option<Reason> {
    if old.content(before) == new.content(g) {
        return None;
    }
    let (a, b) = (old.program.global(before), new.program.global(g));
    let moved = old.ty(a.ty) != new.ty(b.ty) && layout::same_structure(old.program, a.ty, new.program, b.ty);
    Some(if moved && is_zero(old.program, a) && is_zero(new.program, b) {
        Reason::Layout
    } else {
        Reason::Initialiser
    })
}

fn is_zero(program: &Program, global: &Global) -> bool {
    match global.initialiser {
        Some(Operand::Const(c)) => matches!(program.constant(c).kind, ConstKind::Zero),
        _ => false,
    }
}

/// Through first values that are addresses of altered variables.
fn spread(program: &Program, altered: &mut BTreeMap<GlobalId, Reason>) {
    let mut users: BTreeMap<GlobalId, Vec<GlobalId>> = BTreeMap::new();
    for g in program.global_ids() {
        let mut used = Vec::new();
        program.global(g).initialiser.into_iter().for_each(|i| mentioned(program, i, 0, &mut used));
        used.into_iter().for_each(|u| users.entry(u).or_default().push(g));
    }
    let mut pending: Vec<GlobalId> = altered.keys().copied().collect();
    while let Some(g) = pending.pop() {
        let reason = altered[&g];
        for user in users.get(&g).into_iter().flatten() {
            if !altered.contains_key(user) {
                altered.insert(*user, reason);
                pending.push(*user);
            }
        }
    }
}

fn mentioned(program: &Program, operand: Operand, depth: u32, found: &mut Vec<GlobalId>) {
    match operand {
        Operand::Global(g) => found.push(g),
        Operand::Const(c) if depth < 64 => match &program.constant(c).kind {
            ConstKind::Aggregate(all) | ConstKind::Gep { operands: all, .. } | ConstKind::Other(all) => {
                all.iter().for_each(|o| mentioned(program, *o, depth + 1, found));
            }
            ConstKind::Cast { operand, .. } => mentioned(program, *operand, depth + 1, found),
            ConstKind::Binary { operands, .. } => {
                operands.iter().for_each(|o| mentioned(program, *o, depth + 1, found));
            }
            _ => {}
        },
        _ => {}
    }
}

fn name(program: &Program, g: GlobalId) -> &str {
    let global = program.global(g);
    global.source_name.as_deref().unwrap_or(&global.name)
}

fn whole(kind: Kind, old: Option<(&Program, GlobalId)>, new: Option<(&Program, GlobalId)>) -> Change {
    let label = new.or(old).map_or("", |(p, g)| name(p, g));
    let mut change = Change::of_global(kind, label, old.map(|o| o.1), new.map(|n| n.1));
    let line = |side: Option<(&Program, GlobalId)>| {
        let Some((program, g)) = side else { return Lines::default() };
        let global = program.global(g);
        let lines = if global.line > 0 { vec![global.line] } else { Vec::new() };
        Lines { file: global.file.map(|f| program.file(f).to_owned()), lines }
    };
    change.old_lines = line(old);
    change.new_lines = line(new);
    change
}
