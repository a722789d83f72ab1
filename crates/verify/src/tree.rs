//! The decision tree over the conditions of both versions.
//!
//! In: the conditions of runs of both versions on the same input, those of the old version first. Out: which sides nobody has gone to yet.
//!
//! A node stands for all inputs on which the conditions on the way to it hold; its edges are what a run was seen to do next. What the first
//! version does is a function of the input, and what comes after it is, too, so that every input is in exactly one leaf or in the rest of
//! exactly one node (Böhme 2014, chapter 2: the intersections of the behaviour partitions of both versions). The paper negates every
//! condition of a path, its prefix kept; here a node remembers all its edges, so that a switch with many cases and a value that was made
//! concrete have one rest, too, and nothing is asked for twice.
//!
//! Always holds: the edges of a node exclude one another; a run that contradicts the tree is refused and changes nothing.

use crate::trail::Step;
use parallax_search::Side;
use parallax_solve::ExprId;
use parallax_trace::path::Expect;

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(usize);

#[derive(Clone, Debug, Default)]
struct Node {
    /// Where it hangs, and by which edge; `None` for the root.
    above: Option<(NodeId, usize)>,
    /// Which condition comes next here.
    next: Option<(Side, u32, ExprId)>,
    edges: Vec<(Step, NodeId)>,
    is_leaf: bool,
}

/// What came of a run that was put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grown {
    /// A new leaf, and the nodes whose rest has to be asked for (again).
    Leaf { leaf: NodeId, open: Vec<NodeId> },
    /// A leaf that was there: the input was in a partition that is known.
    Known(NodeId),
    /// The conditions on the way were the same and what came next was not: they are not the whole reason for what the versions do.
    Contradiction(NodeId),
}

/// See the module.
#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub fn new() -> Tree {
        Tree { nodes: vec![Node::default()] }
    }

    pub const ROOT: NodeId = NodeId(0);

    fn is_empty(&self) -> bool {
        !self.nodes[0].is_leaf && self.nodes[0].edges.is_empty()
    }

    pub fn insert(&mut self, steps: &[(Side, &Step)]) -> Grown {
        let mut at = Tree::ROOT;
        let mut done = 0;
        let mut is_new = self.is_empty();
        while !is_new && done < steps.len() {
            let (side, step) = steps[done];
            let node = &self.nodes[at.0];
            if node.is_leaf || node.next != Some((side, step.site, step.value)) {
                return Grown::Contradiction(at);
            }
            match node.edges.iter().find(|(known, _)| known.holds == step.holds) {
                Some((_, below)) => (at, done) = (*below, done + 1),
                None if node.edges.iter().all(|(known, _)| known.excludes(step)) => is_new = true,
                None => return Grown::Contradiction(at),
            }
        }
        if !is_new {
            let node = &self.nodes[at.0];
            return if node.is_leaf { Grown::Known(at) } else { Grown::Contradiction(at) };
        }
        let mut open = Vec::new();
        for (side, step) in &steps[done..] {
            let below = NodeId(self.nodes.len());
            let node = &mut self.nodes[at.0];
            node.next = Some((*side, step.site, step.value));
            let above = Some((at, node.edges.len()));
            node.edges.push(((*step).clone(), below));
            self.nodes.push(Node { above, ..Node::default() });
            if !self.is_full(at) {
                open.push(at);
            }
            at = below;
        }
        self.nodes[at.0].is_leaf = true;
        Grown::Leaf { leaf: at, open }
    }

    /// Do the edges of a node cover everything, as far as is seen without a solver?
    pub fn is_full(&self, node: NodeId) -> bool {
        let edges = &self.nodes[node.0].edges;
        let rest = |(step, _): &(Step, NodeId)| match &step.expect {
            Expect::NoneOf(cases) => Some(cases.clone()),
            Expect::Equals(_) => None,
        };
        let taken = |value: &u64| edges.iter().any(|(step, _)| step.expect == Expect::Equals(*value));
        match edges.iter().find_map(rest) {
            Some(cases) => cases.iter().all(taken),
            None => edges.len() == 2 && edges.iter().all(|(step, _)| step.is_bit),
        }
    }

    /// The conditions on the way to a node.
    pub fn prefix(&self, node: NodeId) -> Vec<ExprId> {
        let mut list = Vec::new();
        let mut at = node;
        while let Some((above, edge)) = self.nodes[at.0].above {
            list.push(self.nodes[above.0].edges[edge].0.holds);
            at = above;
        }
        list.reverse();
        list
    }

    /// What holds for the inputs of a node on which none of its edges was taken: the negations.
    pub fn taken(&self, node: NodeId) -> Vec<ExprId> {
        self.nodes[node.0].edges.iter().map(|(step, _)| step.holds).collect()
    }

    /// The numbers of the edges on the way to a node: the same in every exploration that puts the same runs in.
    pub fn way(&self, node: NodeId) -> Vec<usize> {
        let mut list = Vec::new();
        let mut at = node;
        while let Some((above, edge)) = self.nodes[at.0].above {
            list.push(edge);
            at = above;
        }
        list.reverse();
        list
    }

    /// How many ways out of a node are known.
    pub fn edges(&self, node: NodeId) -> usize {
        self.nodes[node.0].edges.len()
    }

    /// Does a node lie at or below another?
    pub fn is_below(&self, node: NodeId, top: NodeId) -> bool {
        let mut at = node;
        while at != top {
            let Some((above, _)) = self.nodes[at.0].above else { return false };
            at = above;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_solve::{Pool, Var};

    fn step(pool: &mut Pool, offset: u32, value: u64) -> Step {
        let byte = pool.byte(Var { input: 0, offset });
        let bit = pool.extract(byte, 0, 1);
        let holds = pool.eq_const(bit, value);
        Step { holds, value: bit, expect: Expect::Equals(value), site: offset, is_bit: true, is_pin: false }
    }

    #[test]
    fn every_side_that_was_not_gone_to_is_open_once() {
        let (mut pool, mut tree) = (Pool::new(), Tree::new());
        let [a, b, not_b] = [(0, 1), (1, 1), (1, 0)].map(|(offset, value)| step(&mut pool, offset, value));
        let Grown::Leaf { leaf, open } = tree.insert(&[(Side::Old, &a), (Side::New, &b)]) else { panic!() };
        assert_eq!((open.len(), tree.prefix(leaf)), (2, vec![a.holds, b.holds]));
        assert_eq!((tree.prefix(open[1]), tree.taken(open[1])), (vec![a.holds], vec![b.holds]));
        let Grown::Leaf { open, .. } = tree.insert(&[(Side::Old, &a), (Side::New, &not_b)]) else { panic!() };
        assert_eq!(open, [], "both sides of the branch are known now");
        assert_eq!(tree.insert(&[(Side::Old, &a), (Side::New, &b)]), Grown::Known(leaf));
    }

    #[test]
    fn two_values_of_a_switch_are_not_all() {
        let (mut pool, mut tree) = (Pool::new(), Tree::new());
        let value = pool.byte(Var { input: 0, offset: 0 });
        let mut case = |expect: Expect, number: u64| {
            let holds = pool.eq_const(value, number);
            Step { holds, value, expect, site: 0, is_bit: false, is_pin: false }
        };
        let [zero, one] = [0, 1].map(|n| case(Expect::Equals(n), n));
        let default = case(Expect::NoneOf(vec![0, 1]), 9);
        let open = |grown| match grown {
            Grown::Leaf { open, .. } => open.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!(open(tree.insert(&[(Side::Old, &zero)])), 1);
        assert_eq!(open(tree.insert(&[(Side::Old, &one)])), 1, "the default is left");
        assert_eq!(open(tree.insert(&[(Side::Old, &default)])), 0);
    }

    #[test]
    fn a_run_that_contradicts_the_tree_is_refused() {
        let (mut pool, mut tree) = (Pool::new(), Tree::new());
        let [a, b] = [0, 1].map(|offset| step(&mut pool, offset, 1));
        tree.insert(&[(Side::Old, &a)]);
        assert!(matches!(tree.insert(&[(Side::Old, &b)]), Grown::Contradiction(_)), "another condition");
        assert!(matches!(tree.insert(&[]), Grown::Contradiction(_)), "none at all");
        assert!(matches!(tree.insert(&[(Side::Old, &a), (Side::Old, &b)]), Grown::Contradiction(_)));
    }
}
