//! What depends on what in the new version, for `parallax inspect`.
//!
//! In: a program. Out: forward slices, direct dependences between instructions.

use parallax_model::memory::Memory;
use parallax_model::mod_ref::Edges;
use parallax_model::pdg::{Kind, Node, Pdg};
use parallax_model::points_to::PointsTo;
use parallax_model::reaching::{Limits, Reaching};
use parallax_model::slice::{Direction, Slice};
use parallax_model::{InstId, Program};
use std::collections::BTreeSet;

pub struct Dependence {
    pdg: Pdg,
}

impl Dependence {
    pub fn new(program: &Program, points_to: &PointsTo) -> Dependence {
        let memory = Memory::new(program, points_to);
        let edges = Edges::new(program, points_to);
        let mut reaching = Reaching::new(&memory, &edges, Limits::default());
        Dependence { pdg: Pdg::new(&memory, &edges, &mut reaching) }
    }

    /// Everything that some instructions can have an effect on, these included.
    pub fn forward(&self, insts: &[InstId]) -> BTreeSet<InstId> {
        Slice::new(&self.pdg, insts.iter().copied(), Direction::Forward).insts
    }

    /// Instructions that an instruction depends on directly, and whether through control: what stands between them (blocks, parameters, calls)
    /// is passed over.
    pub fn depends_on(&self, inst: InstId) -> Vec<(InstId, bool)> {
        let mut found = BTreeSet::new();
        let mut seen: BTreeSet<Node> = BTreeSet::new();
        let mut pending: Vec<(Node, bool)> = vec![(Node::Inst(inst), false), (Node::Site(inst), false)];
        while let Some((node, control)) = pending.pop() {
            if !seen.insert(node) {
                continue;
            }
            for (on, kind) in self.pdg.dependencies(node) {
                let control = control || kind == Kind::Control;
                match on {
                    Node::Inst(other) => {
                        found.insert((other, control));
                    }
                    between => pending.push((between, control)),
                }
            }
        }
        found.into_iter().collect()
    }
}
