//! Test selection: which seeds can be affected by the change at all.
//!
//! In: a comparison, and which blocks a seed executed, in either version. Out: yes or no.
//!
//! Always holds: a seed that is not selected runs through no changed code in either version, so that both versions do the same on it, as far as the
//! program is deterministic and changed first values are counted where they are used.

use crate::compare::Comparison;
use crate::targets::Target;
use parallax_model::*;
use std::collections::BTreeSet;

/// Blocks whose execution makes a difference possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Of the old version: changed, or from where changed code is entered in the new one.
    pub old: BTreeSet<BlockId>,
    pub new: BTreeSet<BlockId>,
}

impl Selection {
    pub fn new(old: &Program, new: &Program, comparison: &Comparison, targets: &[Target]) -> Selection {
        let mut selection = Selection::default();
        selection.new.extend(targets.iter().map(|t| t.block));
        for change in &comparison.changes {
            selection.old.extend(change.old_insts.iter().map(|i| old.inst(*i).block));
        }
        let before = predecessors(new);
        let mut seen = BTreeSet::new();
        let mut pending: Vec<BlockId> = selection.new.iter().copied().collect();
        while let Some(block) = pending.pop() {
            if !seen.insert(block) {
                continue;
            }
            let known =
                new.block(block).insts.iter().find_map(|j| comparison.alignment.insts_back[j.index()]);
            match known {
                Some(i) => {
                    selection.old.insert(old.inst(i).block);
                }
                // All new: whoever leads here.
                None => pending.extend(&before[block.index()]),
            }
        }
        selection
    }

    pub fn affected_by_old(&self, mut executed: impl Iterator<Item = BlockId>) -> bool {
        executed.any(|block| self.old.contains(&block))
    }

    pub fn affected_by_new(&self, mut executed: impl Iterator<Item = BlockId>) -> bool {
        executed.any(|block| self.new.contains(&block))
    }
}

fn predecessors(program: &Program) -> Vec<Vec<BlockId>> {
    let mut before = vec![Vec::new(); program.blocks.len()];
    for block in program.block_ids() {
        program.successors(block).iter().for_each(|s| before[s.index()].push(block));
    }
    before
}
