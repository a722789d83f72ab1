//! From a change to what is seen of it, as a short chain of source lines.
//!
//! In: a graph and the node at the end. Out: [`Step`]s, the change first, each with what both versions have there.
//!
//! Always holds: one step a line; the shortest way from the change to the end; of a longer chain than wanted, the middle is left out and said.

use crate::graph::{Graph, NodeId};
use crate::pairing::Pairing;
use crate::words::{place, what, Place};
use std::collections::VecDeque;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub place: Place,
    pub what: String,
    /// Steps that were left out before this one.
    pub left_out: usize,
}

/// The chain from a change to a node, of at most `most` steps; empty if the node does not come from it.
pub fn chain(graph: &Graph, pairing: &Pairing, change: u32, end: NodeId, most: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for id in way(graph, pairing, change, end) {
        let Some(node) = graph.node(id) else { continue };
        let Some(place) = place(pairing, node.insts) else { continue };
        let step = Step { place, what: what(pairing, node), left_out: 0 };
        match steps.last_mut() {
            // The last thing on a line is what the line is for.
            Some(last) if last.place == step.place => *last = step,
            _ => steps.push(step),
        }
    }
    let most = most.max(2);
    if steps.len() > most {
        let (front, back) = (most / 2, most - most / 2);
        let left_out = steps.len() - most;
        steps.drain(front..front + left_out);
        let behind = steps.len() - back;
        steps[behind].left_out = left_out;
    }
    steps
}

/// Nodes from one that is part of the change to the end.
fn way(graph: &Graph, pairing: &Pairing, change: u32, end: NodeId) -> Vec<NodeId> {
    let is_own = |id: NodeId| {
        let node = graph.node(id);
        node.is_some_and(|node| {
            node.insts
                .iter()
                .enumerate()
                .any(|(side, inst)| inst.is_some_and(|inst| pairing.changes_of(side, inst).contains(&change)))
        })
    };
    let mut next: rustc_hash::FxHashMap<NodeId, NodeId> = Default::default();
    let mut pending = VecDeque::from([end]);
    let mut last = None;
    while let Some(id) = pending.pop_front() {
        if !graph.origins(id).contains(&change) {
            continue;
        }
        last = Some(id);
        if is_own(id) {
            break;
        }
        for parent in graph.node(id).map_or(&[][..], |node| &node.parents) {
            if *parent != end && !next.contains_key(parent) && graph.origins(*parent).contains(&change) {
                next.insert(*parent, id);
                pending.push_back(*parent);
            }
        }
    }
    let mut found = Vec::new();
    while let Some(id) = last {
        found.push(id);
        last = next.get(&id).copied();
    }
    found
}
