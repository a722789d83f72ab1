//! How far each change got on one test case.
//!
//! In: nodes as they come up, and where. Out: a [`Track`] for each change.
//!
//! A change has infected the state if something differs that lasts beyond its own source lines: a variable's value, memory, a decision, an argument, a
//! result, or an operand of code on another line. It has propagated if code on other lines made something of that: a variable, memory, a
//! decision, an argument or a result that differs. What an expression computes in between is neither.

use crate::graph::{Graph, Kind, NodeId};
use crate::pairing::Pairing;
use parallax_model::InstId;

/// Something that was seen of a change's effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub node: NodeId,
    /// The instruction of each version where it was seen.
    pub at: [Option<InstId>; 2],
}

/// One change on one test case.
#[derive(Clone, Debug, Default)]
pub struct Track {
    pub executed: bool,
    pub infected: Option<Mark>,
    pub propagated: Option<Mark>,
    /// It reached something that leaves the program.
    pub output: Option<Mark>,
}

/// Which of the three.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Infected,
    Propagated,
    Output,
}

pub struct Tracks {
    pub all: Vec<Track>,
    /// Changes in the order in which the runs met them, repeats in a row once.
    pub met: Vec<u32>,
}

/// Changes of a sequence that are kept.
const MET: usize = 256;

impl Tracks {
    pub fn new(changes: usize) -> Tracks {
        Tracks { all: vec![Track::default(); changes], met: Vec::new() }
    }

    pub fn executed(&mut self, changes: &[u32]) {
        for change in changes {
            self.all[*change as usize].executed = true;
            if self.met.len() < MET && self.met.last() != Some(change) {
                self.met.push(*change);
            }
        }
    }

    /// Something of this node lasts: at `at`.
    pub fn lasts(&mut self, graph: &Graph, pairing: &Pairing, node: NodeId, at: [Option<InstId>; 2]) {
        for change in graph.origins(node).iter().copied() {
            let mark = Mark { node, at };
            self.note(graph, pairing, change, mark, Reach::Infected);
            if pairing.has_line(at) && !pairing.is_own(change, at) {
                self.note(graph, pairing, change, mark, Reach::Propagated);
            }
        }
    }

    /// A variable has another value; `copy`: one that was there before.
    pub fn named(
        &mut self,
        graph: &Graph,
        pairing: &Pairing,
        node: NodeId,
        at: [Option<InstId>; 2],
        copy: bool,
    ) {
        if !copy {
            return self.lasts(graph, pairing, node, at);
        }
        for change in graph.origins(node).iter().copied() {
            self.note(graph, pairing, change, Mark { node, at }, Reach::Infected);
        }
    }

    /// Code used it at `at`: beyond its own lines, it lasts.
    pub fn used(&mut self, graph: &Graph, pairing: &Pairing, node: NodeId, at: [Option<InstId>; 2]) {
        if !pairing.has_line(at) {
            return;
        }
        for change in graph.origins(node).iter().copied() {
            if !pairing.is_own(change, at) {
                let own = graph.node(node).map_or(at, |n| n.insts);
                self.note(graph, pairing, change, Mark { node, at: own }, Reach::Infected);
            }
        }
    }

    /// It leaves the program at `at`.
    pub fn leaves(&mut self, graph: &mut Graph, pairing: &Pairing, node: NodeId, at: [Option<InstId>; 2]) {
        for change in graph.origins(node).to_vec() {
            let mark = Mark { node, at };
            for reach in [Reach::Infected, Reach::Propagated, Reach::Output] {
                self.note(graph, pairing, change, mark, reach);
            }
        }
        if let Some(node) = graph.node_mut(node) {
            node.output = at[crate::NEW].or(at[crate::OLD]);
        }
    }

    fn note(&mut self, graph: &Graph, pairing: &Pairing, change: u32, mark: Mark, reach: Reach) {
        let Some(track) = self.all.get_mut(change as usize) else { return };
        let place = match reach {
            Reach::Infected => &mut track.infected,
            Reach::Propagated => &mut track.propagated,
            Reach::Output => &mut track.output,
        };
        let better = |known: &Mark| {
            reach == Reach::Infected && rank(graph, pairing, mark.node) < rank(graph, pairing, known.node)
        };
        if place.as_ref().is_none_or(better) {
            *place = Some(mark);
        }
    }
}

/// What tells a reader most comes first: a variable or memory with both values.
fn rank(graph: &Graph, pairing: &Pairing, node: NodeId) -> u8 {
    let Some(node) = graph.node(node) else { return u8::MAX };
    let both = node.values.iter().all(Option::is_some);
    let named =
        (0..2).any(|side| node.insts[side].is_some_and(|i| pairing.programs[side].variable_of(i).is_some()));
    match node.kind {
        Kind::Value if named && both => 0,
        Kind::Memory if both => 0,
        Kind::Branch => 1,
        Kind::Only(_) => 3,
        _ => 2,
    }
}
