//! Control dependence (Ferrante, Ottenstein, Warren): node x depends on the edge a → b if x post-dominates b and does not strictly
//! post-dominate a.
//!
//! An edge makes a path of the post-dominator tree depend on its source: from b up to, but without, the immediate post-dominator of a. There can be quadratically many pairs,
//! so the paths are stored, not the pairs: those through x begin in x's subtree and end above x, which a tree of minima reports one by one.

use super::digraph::Graph;
use super::dom::DomTree;
use super::min_tree::MinTree;

/// Control dependence of a graph with one exit.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    paths: Vec<Path>,
    /// Paths ordered by where they begin in the tree's preorder; for each place of the preorder the first path.
    first: Vec<u32>,
    ends: MinTree,
}

#[derive(Clone, Copy, Debug)]
struct Path {
    controller: Controller,
    /// Lower end, included.
    from: u32,
    /// Upper end, excluded.
    until: u32,
}

/// The edge that something depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Controller {
    pub node: u32,
    /// Which of its successors.
    pub successor: u32,
}

impl ControlDependence {
    /// `post`: the post-dominator tree, that is, the dominator tree of the reversed graph from its exit.
    pub fn new(graph: &Graph, post: &DomTree) -> Self {
        let mut paths = Vec::new();
        for node in 0..graph.len() as u32 {
            let Some(until) = post.idom(node) else { continue };
            for (i, &from) in graph.successors(node).iter().enumerate() {
                if from != until && post.contains(from) {
                    let controller = Controller { node, successor: i as u32 };
                    paths.push(Path { controller, from, until });
                }
            }
        }
        paths.sort_by_key(|p| post.subtree(p.from).start);
        let mut first = vec![0u32; post.preorder().len() + 1];
        for p in &paths {
            first[post.subtree(p.from).start + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let ends: Vec<u32> = paths.iter().map(|p| post.depth(p.until)).collect();
        ControlDependence { paths, first, ends: MinTree::new(&ends) }
    }

    fn through(&self, post: &DomTree, node: u32) -> Vec<usize> {
        let subtree = post.subtree(node);
        let range = self.first[subtree.start] as usize..self.first[subtree.end] as usize;
        self.ends.below(range, post.depth(node))
    }

    /// The edges that `node` depends on.
    pub fn controllers(&self, post: &DomTree, node: u32) -> Vec<Controller> {
        let mut found: Vec<Controller> =
            self.through(post, node).into_iter().map(|p| self.paths[p].controller).collect();
        found.sort();
        found
    }

    /// The controllers of `node` that have not been taken before: each is given once in all, to whoever asks first.
    pub fn take_controllers(&mut self, post: &DomTree, node: u32) -> Vec<Controller> {
        let found = self.through(post, node);
        for &p in &found {
            self.ends.remove(p);
        }
        found.into_iter().map(|p| self.paths[p].controller).collect()
    }

    /// All pairs (node, the edge that it depends on), by walking each path.
    pub fn pairs<'a>(&'a self, post: &'a DomTree) -> impl Iterator<Item = (u32, Controller)> + 'a {
        self.paths.iter().flat_map(move |p| {
            let up = std::iter::successors(Some(p.from), move |n| post.idom(*n));
            up.take_while(move |n| *n != p.until).map(move |n| (n, p.controller))
        })
    }
}
