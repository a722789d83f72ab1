//! Branches that need not be taken (seed 001, section 4.2).
//!
//! In: the new program, its targets. Out: the branches from which no changed code can be executed any more (no execution, no
//! infection), and those of them that no changed code can be executed before either (no propagation).
//!
//! Always holds: `propagate` is a part of `execute`. A branch is an edge that leaves a block with more than one successor.

use crate::reach::World;
use parallax_model::distance::{Distances, Hopeless};
use parallax_model::icfg::Icfg;
use parallax_model::*;
use std::collections::BTreeSet;

/// An edge: a block, and the number of its successor.
pub type Branch = (BlockId, u32);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Irrelevant {
    /// Once taken, no change is executed any more.
    pub execute: Vec<Branch>,
    /// And none has been executed before.
    pub propagate: Vec<Branch>,
}

pub fn irrelevant(world: &World, icfg: &Icfg, targets: &[BlockId], hopeless: &Hopeless) -> Irrelevant {
    let program = world.program;
    let distances = Distances::new(icfg, program, targets, hopeless);
    let after = world.after(targets);
    let changed: BTreeSet<BlockId> = targets.iter().copied().collect();
    let mut found = Irrelevant::default();
    for block in program.block_ids().filter(|b| program.successors(*b).len() > 1) {
        // A target block itself is executed before its branch.
        let infected = after[block.index()] || changed.contains(&block);
        for successor in 0..program.successors(block).len() as u32 {
            if distances.edge(program, block, successor).is_none() {
                found.execute.push((block, successor));
                if !infected {
                    found.propagate.push((block, successor));
                }
            }
        }
    }
    found
}
