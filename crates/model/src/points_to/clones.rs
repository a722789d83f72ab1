//! Memory under two names: what an allocation wrapper fills, and what its callers get.
//!
//! In: for each call of a wrapper, the object that the wrapper sees and the one that the call gets, which are told apart so that the
//! memory of different calls is. Out: sets in which whoever has a pointer to the first has one to the second, too.
//!
//! Always holds: a write inside a wrapper is a write to the memory of every caller; callers do not see each other's memory.

use super::cells::{Cell, CellId, Cells, ObjectId};
use super::copies::copied_to;
use super::generate::Generator;
use super::set::SparseSet;
use super::solver::Solver;
use rustc_hash::FxHashMap;

pub(super) struct Clones {
    /// By what a wrapper sees: the starts of what its callers get.
    of: FxHashMap<ObjectId, Vec<CellId>>,
}

impl Clones {
    pub fn new(solver: &Solver, generator: &Generator) -> Clones {
        let mut of: FxHashMap<ObjectId, Vec<CellId>> = FxHashMap::default();
        for &(seen, got) in &generator.clones {
            if seen != got {
                of.entry(solver.cells.get(seen).object).or_default().push(got);
            }
        }
        of.values_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        Clones { of }
    }

    /// Adds the same places in the callers' memory. Wrappers may call each other, so this goes on from what is added.
    pub fn add(&self, cells: &mut Cells, set: &mut SparseSet) {
        let mut pending: Vec<u32> = set.iter().collect();
        while let Some(cell) = pending.pop() {
            let inside = cells.get(CellId(cell));
            for &got in self.of.get(&inside.object).into_iter().flatten() {
                let start = Cell::plain(inside.object, 0);
                for same in copied_to(cells, &start, &inside, got, None) {
                    if set.insert(same.0) {
                        pending.push(same.0);
                    }
                }
            }
        }
    }
}
