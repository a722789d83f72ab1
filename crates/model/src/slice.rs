//! Static slices, forward and backward, through the whole program.
//!
//! In: the dependence graph and a set of instructions. Out: the instructions that they depend on, or that depend on them, the criterion included.
//!
//! Always holds: dependence through registers follows calls and returns that match (two phases over summary edges, after Horwitz, Reps and
//! Binkley); dependence through memory of other activations is not matched with calls: behind such an edge any caller is possible.

use crate::ir::*;
use crate::pdg::{Kind, Node, Pdg};
use std::collections::BTreeSet;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// What the criterion depends on.
    Backward,
    /// What depends on the criterion.
    Forward,
}

/// The instructions of a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Ascending.
    pub insts: BTreeSet<InstId>,
}

/// Free: the slice has not gone into a call here, so it may leave the function for any caller. Inside: it may not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Free,
    Inside,
}

impl Slice {
    pub fn new(pdg: &Pdg, criterion: impl IntoIterator<Item = InstId>, direction: Direction) -> Slice {
        let forward = direction == Direction::Forward;
        let mut seen = [vec![false; pdg.node_count()], vec![false; pdg.node_count()]];
        let mut pending: Vec<(u32, Phase)> = Vec::new();
        for inst in criterion {
            pending.push((pdg.number(Node::Inst(inst)), Phase::Free));
            // A call in the criterion means that it is made, not only its result.
            pending.push((pdg.number(Node::Site(inst)), Phase::Free));
        }
        let mut slice = Slice::default();
        while let Some((number, phase)) = pending.pop() {
            // What has been seen free has been seen with all that can be reached from inside.
            let known = seen[0][number as usize] || phase == Phase::Inside && seen[1][number as usize];
            if known {
                continue;
            }
            seen[phase as usize][number as usize] = true;
            if let Node::Inst(inst) | Node::Site(inst) = pdg.node(number) {
                slice.insts.insert(inst);
            }
            for &(next, kind) in pdg.edges_of(number, forward) {
                pending.extend(step(kind, phase, forward).map(|phase| (next, phase)));
            }
        }
        slice
    }

    pub fn contains(&self, inst: InstId) -> bool {
        self.insts.contains(&inst)
    }

    /// The source lines of the slice.
    pub fn lines(&self, program: &Program) -> BTreeSet<(FileId, u32)> {
        let locs = self.insts.iter().filter_map(|i| program.loc(*i));
        locs.filter(|l| l.line > 0).map(|l| (l.file, l.line)).collect()
    }
}

/// In which phase an edge is followed, if it is.
fn step(kind: Kind, phase: Phase, forward: bool) -> Option<Phase> {
    let goes_in = match kind {
        Kind::Memory => return Some(Phase::Free),
        Kind::Argument | Kind::Enter => forward,
        Kind::Return => !forward,
        _ => return Some(phase),
    };
    match (goes_in, phase) {
        (true, _) => Some(Phase::Inside),
        (false, Phase::Free) => Some(Phase::Free),
        (false, Phase::Inside) => None,
    }
}
