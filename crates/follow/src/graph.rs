//! What differs between the two runs, and what it comes from.
//!
//! In: one instance after the other that is not the same in both versions, with the earlier ones that it was made from. Out: a graph: the change effect
//! propagation tree of seed 000 (3.2) with shared nodes.
//!
//! Always holds: parents come before their children. Of one instruction only so many instances are told apart, later ones are counted with the last, so
//! that the graph is bounded by the program and not by the run.

use crate::sets::{SetId, Sets};
use parallax_model::InstId;
use rustc_hash::FxHashMap;

pub type NodeId = u32;
/// No node: nothing differs.
pub const NONE: NodeId = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The result of an instruction.
    Value,
    /// What was written to memory, or where.
    Memory,
    /// An argument of a call.
    Argument,
    /// What a function gave back.
    Return,
    /// The way that control took.
    Branch,
    /// Executed in one version only.
    Only(usize),
}

/// Something that is not the same in both versions.
#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    pub insts: [Option<InstId>; 2],
    /// As the recorder has them; none where the value is not known, or there is none.
    pub values: [Option<u64>; 2],
    pub parents: Vec<NodeId>,
    pub(crate) origins: SetId,
    /// Instances that it stands for.
    pub count: u64,
    /// How often code that corresponds used it.
    pub uses: u64,
    /// Where it was last used with the same result in both versions.
    pub masked: Option<InstId>,
    /// Where memory was last given the same content again.
    pub overwritten: Option<InstId>,
    /// Where it left the program.
    pub output: Option<InstId>,
}

#[derive(Default)]
pub struct Graph {
    nodes: Vec<Node>,
    pub(crate) sets: Sets,
    /// Of an instruction: how many nodes, and the newest.
    by_inst: FxHashMap<(Kind, [Option<InstId>; 2]), (u32, NodeId)>,
    per_instruction: u32,
    most: usize,
    /// Instances that are counted with others.
    pub merged: u64,
}

/// Parents that are kept of one node.
const PARENTS: usize = 6;

impl Graph {
    pub(crate) fn new(per_instruction: u32, most: usize) -> Graph {
        Graph { per_instruction: per_instruction.max(1), most: most.max(1), ..Graph::default() }
    }

    /// Of a number that the graph gave; there is none for [`NONE`].
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get((id as usize).checked_sub(1)?)
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut((id as usize).checked_sub(1)?)
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The changes that it comes from.
    pub fn origins(&self, id: NodeId) -> &[u32] {
        self.node(id).map_or(&[], |node| self.sets.of(node.origins))
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        1..=self.nodes.len() as NodeId
    }

    pub(crate) fn add(
        &mut self,
        kind: Kind,
        insts: [Option<InstId>; 2],
        values: [Option<u64>; 2],
        parents: &[NodeId],
        own: SetId,
    ) -> NodeId {
        let mut origins = own;
        for parent in parents {
            let of_parent = self.node(*parent).map_or(0, |node| node.origins);
            origins = self.sets.union(origins, of_parent);
        }
        let full = self.nodes.len() >= self.most;
        let next = self.nodes.len() as NodeId + 1;
        let (count, newest) = self.by_inst.entry((kind, insts)).or_insert((0, NONE));
        if *newest != NONE && (full || *count >= self.per_instruction) {
            let newest = *newest;
            self.merge(newest, parents, origins);
            return newest;
        }
        if full {
            // The last one stands for all that there is no room for.
            return self.nodes.len() as NodeId;
        }
        (*count, *newest) = (*count + 1, next);
        let mut parents: Vec<NodeId> = parents.iter().copied().filter(|p| *p != NONE).collect();
        parents.sort_unstable();
        parents.dedup();
        parents.truncate(PARENTS);
        self.nodes.push(Node {
            kind,
            insts,
            values,
            parents,
            origins,
            count: 1,
            uses: 0,
            masked: None,
            overwritten: None,
            output: None,
        });
        next
    }

    /// One more instance of a node; parents that came later are not parents.
    fn merge(&mut self, id: NodeId, parents: &[NodeId], origins: SetId) {
        self.merged += 1;
        let known = self.node(id).map_or(0, |node| node.origins);
        let union = self.sets.union(known, origins);
        let Some(node) = self.node_mut(id) else { return };
        node.count += 1;
        node.origins = union;
        for parent in parents.iter().filter(|p| **p != NONE && **p < id) {
            if node.parents.len() < PARENTS && !node.parents.contains(parent) {
                node.parents.push(*parent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_of_one_instruction_share_a_node_beyond_the_limit_and_keep_their_origins() {
        let mut graph = Graph::new(2, 100);
        let first = graph.sets.make(vec![7]);
        let second = graph.sets.make(vec![8]);
        let at = [None, Some(InstId(3))];
        let a = graph.add(Kind::Value, at, [None; 2], &[], first);
        let b = graph.add(Kind::Value, at, [None; 2], &[a], 0);
        let c = graph.add(Kind::Value, at, [None; 2], &[b], second);
        assert_eq!((b, c, graph.len(), graph.merged), (2, 2, 2, 1));
        assert_eq!(graph.origins(c), [7, 8]);
        assert_eq!(graph.node(c).unwrap().count, 2);
        // A parent comes before its child, so the merged one is not its own.
        assert_eq!(graph.node(c).unwrap().parents, [a]);
    }

    #[test]
    fn a_full_graph_grows_no_more() {
        let mut graph = Graph::new(9, 3);
        for n in 0..10 {
            graph.add(Kind::Value, [None, Some(InstId(n))], [None; 2], &[], 0);
        }
        assert_eq!(graph.len(), 3);
    }
}
