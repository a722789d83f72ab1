//! What depends on what in the new version, for `parallax inspect`.
//!
//! In: its dependence graph. Out: forward slices, direct dependences between instructions.

use parallax_model::pdg::{Kind, Node, Pdg};
use parallax_model::slice::{Direction, Slice};
use parallax_model::InstId;
use std::collections::BTreeSet;

pub struct Dependence {
    pub pdg: Pdg,
}

impl Dependence {
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

    /// Lines that an instruction depends on, and whether through control; instructions without a line, such as those that choose between values, are passed over.
    pub fn lines_before<L>(
        &self,
        inst: InstId,
        line_of: impl Fn(InstId) -> Option<L>,
        within: impl Fn(InstId) -> bool,
    ) -> Vec<(L, bool)> {
        let mut found = Vec::new();
        let mut seen: BTreeSet<(InstId, bool)> = BTreeSet::new();
        let mut pending = vec![(inst, false)];
        while let Some((inst, before)) = pending.pop() {
            for (on, control) in self.depends_on(inst).into_iter().filter(|(on, _)| within(*on)) {
                let control = control || before;
                match line_of(on) {
                    Some(line) => found.push((line, control)),
                    None if seen.insert((on, control)) => pending.push((on, control)),
                    None => {}
                }
            }
        }
        found
    }
}
