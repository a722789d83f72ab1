//! Dominators, by Lengauer and Tarjan (the simple version, O(m log n)), with a tree that answers "does a dominate b" in constant time.
//!
//! Always holds: only nodes that the root reaches are in the tree.

use super::digraph::{Csr, Dfs, Graph};

/// The dominator tree of a graph.
#[derive(Clone, Debug)]
pub struct DomTree {
    root: u32,
    /// Immediate dominators; the root and unreached nodes have themselves.
    idom: Vec<u32>,
    children: Csr,
    /// Nodes of the tree in preorder; subtrees are ranges of it.
    order: Vec<u32>,
    enter: Vec<u32>,
    leave: Vec<u32>,
    depth: Vec<u32>,
}

const OUTSIDE: u32 = u32::MAX;

impl DomTree {
    pub fn new(graph: &Graph, root: u32) -> Self {
        let dfs = Dfs::new(graph, root);
        let idom_by_number = Forest::new(graph, &dfs).run();
        let mut idom: Vec<u32> = (0..graph.len() as u32).collect();
        for (number, dominator) in idom_by_number.into_iter().enumerate() {
            idom[dfs.preorder[number] as usize] = dfs.preorder[dominator as usize];
        }
        Self::from_idom(idom, root, &dfs)
    }

    fn from_idom(idom: Vec<u32>, root: u32, dfs: &Dfs) -> Self {
        let below = dfs.preorder.iter().filter(|n| **n != root);
        let children = Csr::new(idom.len(), below.map(|n| (idom[*n as usize], *n)));
        let n = idom.len();
        let mut tree = DomTree {
            root,
            idom,
            children,
            order: Vec::with_capacity(dfs.preorder.len()),
            enter: vec![OUTSIDE; n],
            leave: vec![0; n],
            depth: vec![0; n],
        };
        let mut pending = vec![(root, false)];
        while let Some((node, done)) = pending.pop() {
            if done {
                tree.leave[node as usize] = tree.order.len() as u32;
                continue;
            }
            tree.enter[node as usize] = tree.order.len() as u32;
            tree.order.push(node);
            pending.push((node, true));
            for &child in tree.children.of(node as usize).iter().rev() {
                tree.depth[child as usize] = tree.depth[node as usize] + 1;
                pending.push((child, false));
            }
        }
        tree
    }

    pub fn root(&self) -> u32 {
        self.root
    }

    pub fn contains(&self, node: u32) -> bool {
        self.enter[node as usize] != OUTSIDE
    }

    /// None for the root and for nodes that it does not reach.
    pub fn idom(&self, node: u32) -> Option<u32> {
        let dominator = self.idom[node as usize];
        (dominator != node).then_some(dominator)
    }

    pub fn children(&self, node: u32) -> &[u32] {
        self.children.of(node as usize)
    }

    /// Every node dominates itself. False where one of them is not in the tree.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let inside = |n: u32| self.enter[n as usize];
        inside(a) != OUTSIDE && inside(b) != OUTSIDE && self.subtree(a).contains(&(inside(b) as usize))
    }

    /// Distance from the root.
    pub fn depth(&self, node: u32) -> u32 {
        self.depth[node as usize]
    }

    /// All nodes in preorder.
    pub fn preorder(&self) -> &[u32] {
        &self.order
    }

    /// The range of [`DomTree::preorder`] that a node and what it dominates take.
    pub fn subtree(&self, node: u32) -> std::ops::Range<usize> {
        match self.enter[node as usize] {
            OUTSIDE => 0..0,
            start => start as usize..self.leave[node as usize] as usize,
        }
    }
}

/// The forest of Lengauer and Tarjan; everything is in depth-first numbers.
struct Forest<'a> {
    graph: &'a Graph,
    dfs: &'a Dfs,
    semi: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
    bucket_head: Vec<u32>,
    bucket_next: Vec<u32>,
}

impl<'a> Forest<'a> {
    fn new(graph: &'a Graph, dfs: &'a Dfs) -> Self {
        let n = dfs.preorder.len();
        let own: Vec<u32> = (0..n as u32).collect();
        Forest {
            graph,
            dfs,
            semi: own.clone(),
            ancestor: vec![OUTSIDE; n],
            label: own,
            bucket_head: vec![OUTSIDE; n],
            bucket_next: vec![OUTSIDE; n],
        }
    }

    fn run(mut self) -> Vec<u32> {
        let n = self.dfs.preorder.len();
        let mut idom = vec![0; n];
        for w in (1..n as u32).rev() {
            for &p in self.graph.predecessors(self.dfs.preorder[w as usize]) {
                let v = self.dfs.number[p as usize];
                if v != Dfs::UNREACHED {
                    let u = self.eval(v);
                    self.semi[w as usize] = self.semi[w as usize].min(self.semi[u as usize]);
                }
            }
            let semi = self.semi[w as usize] as usize;
            self.bucket_next[w as usize] = std::mem::replace(&mut self.bucket_head[semi], w);
            let parent = self.dfs.parent[w as usize];
            self.ancestor[w as usize] = parent;
            let mut v = std::mem::replace(&mut self.bucket_head[parent as usize], OUTSIDE);
            while v != OUTSIDE {
                let u = self.eval(v);
                let nearer = self.semi[u as usize] < self.semi[v as usize];
                idom[v as usize] = if nearer { u } else { parent };
                v = self.bucket_next[v as usize];
            }
        }
        for w in 1..n {
            if idom[w] != self.semi[w] {
                idom[w] = idom[idom[w] as usize];
            }
        }
        idom
    }

    /// The node with the least semidominator on the way from `v` up to its root in the forest, which is excluded.
    fn eval(&mut self, v: u32) -> u32 {
        let mut path = Vec::new();
        let mut at = v;
        while self.ancestor[at as usize] != OUTSIDE
            && self.ancestor[self.ancestor[at as usize] as usize] != OUTSIDE
        {
            path.push(at);
            at = self.ancestor[at as usize];
        }
        // Compress from the top down.
        for &node in path.iter().rev() {
            let above = self.ancestor[node as usize];
            let (mine, theirs) = (self.label[node as usize], self.label[above as usize]);
            if self.semi[theirs as usize] < self.semi[mine as usize] {
                self.label[node as usize] = theirs;
            }
            self.ancestor[node as usize] = self.ancestor[above as usize];
        }
        self.label[v as usize]
    }
}
