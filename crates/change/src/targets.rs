//! Targets: what of the new version must be executed to execute the change.
//!
//! In: a comparison. Out: one [`Target`] for each block of the new version that holds changed code, or the place of deleted
//! code.
//!
//! Always holds: each block once, in program order. A comparison without executable changes has no target.

use crate::changes::{Change, Kind};
use crate::compare::Comparison;
use crate::lines;
use parallax_model::*;
use std::collections::BTreeMap;

/// A changed block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub block: BlockId,
    pub func: FuncId,
    pub file: Option<String>,
    /// The first changed line of the block, or that of what is executed before it; 0 if there is none.
    pub line: u32,
    /// Changed instructions, and those that stand where deleted ones were.
    pub insts: Vec<InstId>,
    /// Which changes (by index) it belongs to.
    pub changes: Vec<usize>,
    /// If not empty: the change is executed only when control leaves the block to one of these.
    pub edges: Vec<BlockId>,
    /// Nothing changed here but where members of structures lie.
    pub layout_only: bool,
}

pub fn targets(new: &Program, comparison: &Comparison) -> Vec<Target> {
    let mut found: BTreeMap<BlockId, Target> = BTreeMap::new();
    for (number, change) in comparison.changes.iter().enumerate() {
        for inst in change.new_insts.iter().chain(&change.places) {
            let block = new.inst(*inst).block;
            let target = found.entry(block).or_insert_with(|| empty(new, block));
            target.insts.push(*inst);
            if target.changes.last() != Some(&number) {
                target.changes.push(number);
            }
            target.layout_only &= change.kind == Kind::Layout;
        }
    }
    let mut targets: Vec<Target> = found.into_values().collect();
    for target in &mut targets {
        target.insts.sort_unstable();
        target.insts.dedup();
        let own = target.insts.iter().filter_map(|i| new.loc(*i)).map(|loc| loc.line).filter(|l| *l > 0);
        target.edges = edges(new, comparison, target);
        target.line = own.min().unwrap_or(new.block(target.block).line);
        if target.line == 0 {
            let near = target.insts.iter().find_map(|inst| lines::before(new, *inst));
            target.line = near.map_or(0, |loc| loc.line);
        }
    }
    targets
}

/// Where only the end of the block is changed, and only for the sake of edges that leave it.
fn edges(new: &Program, comparison: &Comparison, target: &Target) -> Vec<BlockId> {
    let Some(diff) = comparison.functions.get(&target.func) else { return Vec::new() };
    if target.insts != [new.terminator(target.block)] {
        return Vec::new();
    }
    diff.edges.iter().filter(|(from, _)| *from == target.block).map(|(_, to)| *to).collect()
}

fn empty(new: &Program, block: BlockId) -> Target {
    let func = new.block(block).func;
    Target {
        block,
        func,
        file: new.func(func).file.map(|f| new.file(f).to_owned()),
        line: 0,
        insts: Vec::new(),
        changes: Vec::new(),
        edges: Vec::new(),
        layout_only: true,
    }
}

/// Executable source lines that changed: of the new version; and of the old one, where code only went.
pub fn changed_lines(changes: &[Change]) -> usize {
    let mut lines = std::collections::BTreeSet::new();
    for change in changes.iter().filter(|c| c.old_global.is_none() && c.new_global.is_none()) {
        if !change.new_insts.is_empty() {
            lines.extend(change.new_lines.lines.iter().map(|line| (false, &change.new_lines.file, *line)));
        } else if !change.old_insts.is_empty() {
            lines.extend(change.old_lines.lines.iter().map(|line| (true, &change.old_lines.file, *line)));
        }
    }
    lines.len()
}
