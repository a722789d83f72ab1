//! Blocks that are to be executed, and how it is seen that they were.
//!
//! Always holds: a block counts as executed when an edge was taken that leads to it over jumps alone; where only the way out of a block is changed, when that
//! way is taken.

use crate::distances::Distance;
use crate::numbers::Numbers;
use parallax_change::Target;
use parallax_model::{BlockId, Program};
use parallax_trace::sites::ProgramMap;
use std::collections::{BTreeMap, BTreeSet};

/// A block to be executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// None for a block that is not instrumented.
    pub block: Option<u32>,
    /// Edges whose being taken means that it is executed.
    pub edges: Vec<u32>,
    /// By block: how far it is. Empty: see [`crate::VersionPlan::places`].
    pub distances: Vec<Distance>,
    /// By block: steps of control dependence. Empty: see [`crate::VersionPlan::control`].
    pub control: Vec<Option<u32>>,
}

impl Destination {
    /// How far a block is from it.
    pub fn distance(&self, block: u32) -> Distance {
        self.distances.get(block as usize).copied().unwrap_or(Distance::Unknown)
    }

    pub fn is_executed(&self, taken: impl Fn(u32) -> bool) -> bool {
        self.edges.iter().any(|edge| taken(*edge))
    }
}

/// Which edges lead to which block of a program.
pub struct Entries {
    into: BTreeMap<BlockId, Vec<(u32, BlockId)>>,
    /// By block: the blocks that do nothing at their end but jump to it.
    before: BTreeMap<BlockId, Vec<BlockId>>,
}

impl Entries {
    pub fn new(program: &Program, numbers: &Numbers, map: &ProgramMap) -> Entries {
        let mut into: BTreeMap<BlockId, Vec<(u32, BlockId)>> = BTreeMap::new();
        for (number, edge) in (0..).zip(&map.edges) {
            if let (Some(from), Some(to)) = (numbers.block(edge.from), numbers.block(edge.to)) {
                into.entry(to).or_default().push((number, from));
            }
        }
        let mut before: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
        for block in program.block_ids() {
            if let [to] = program.successors(block) {
                before.entry(*to).or_default().push(block);
            }
        }
        Entries { into, before }
    }

    /// Edges whose being taken means that a block is executed.
    pub fn of(&self, block: BlockId) -> Vec<u32> {
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        let mut pending = vec![block];
        while let Some(block) = pending.pop() {
            if seen.insert(block) {
                found.extend(self.edges(block).map(|(number, _)| *number));
                pending.extend(self.before.get(&block).into_iter().flatten());
            }
        }
        found
    }

    /// The same for a target.
    pub fn of_target(&self, target: &Target) -> Vec<u32> {
        if target.edges.is_empty() {
            return self.of(target.block);
        }
        let leaving = target.edges.iter().flat_map(|to| self.edges(*to));
        leaving.filter(|(_, from)| *from == target.block).map(|(number, _)| *number).collect()
    }

    fn edges(&self, block: BlockId) -> impl Iterator<Item = &(u32, BlockId)> {
        self.into.get(&block).into_iter().flatten()
    }
}
