//! Loops, reducible or not, nested as Havlak finds them.
//!
//! Always holds: the loop of a header is what, among the nodes found below the header by depth-first search, reaches it without leaving them. A
//! loop that is entered elsewhere than at its header, too, is irreducible. Natural loops of reducible graphs come out as they are.

use super::digraph::{Dfs, Graph};

#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    pub header: u32,
    /// The loop around it.
    pub parent: Option<u32>,
    pub irreducible: bool,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// The loops of a graph, inner ones after the ones around them.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    pub loops: Vec<Loop>,
    /// The innermost loop around a node.
    innermost: Vec<Option<u32>>,
}

const NONE: u32 = u32::MAX;

impl Loops {
    pub fn new(graph: &Graph, root: u32) -> Self {
        let dfs = Dfs::new(graph, root);
        let mut search = Search::new(graph, &dfs);
        for w in (0..dfs.preorder.len() as u32).rev() {
            search.collapse(w);
        }
        search.finish(graph.len())
    }

    pub fn innermost(&self, node: u32) -> Option<u32> {
        self.innermost[node as usize]
    }

    /// The loops around a node, innermost first.
    pub fn around(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.innermost(node), |l| self.loops[*l as usize].parent)
    }

    pub fn depth(&self, node: u32) -> u32 {
        self.innermost(node).map_or(0, |l| self.loops[l as usize].depth)
    }

    pub fn contains(&self, a_loop: u32, node: u32) -> bool {
        self.around(node).any(|l| l == a_loop)
    }
}

/// Everything is in depth-first numbers.
struct Search<'a> {
    dfs: &'a Dfs,
    back: Vec<Vec<u32>>,
    other: Vec<Vec<u32>>,
    /// Union-find: the header that a node has been collapsed into.
    into: Vec<u32>,
    /// Header of the innermost loop that a node is in (for a header: of the loop around its own).
    header: Vec<u32>,
    is_header: Vec<bool>,
    irreducible: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(graph: &Graph, dfs: &'a Dfs) -> Self {
        let n = dfs.preorder.len();
        let (mut back, mut other) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for (w, node) in dfs.preorder.iter().enumerate() {
            for &p in graph.predecessors(*node) {
                let v = dfs.number[p as usize];
                if v == Dfs::UNREACHED {
                    continue;
                }
                let descends = (w as u32..=dfs.last[w]).contains(&v);
                if descends { &mut back[w] } else { &mut other[w] }.push(v);
            }
        }
        Search {
            dfs,
            back,
            other,
            into: (0..n as u32).collect(),
            header: vec![NONE; n],
            is_header: vec![false; n],
            irreducible: vec![false; n],
        }
    }

    fn find(&mut self, mut v: u32) -> u32 {
        while self.into[v as usize] != v {
            let above = self.into[self.into[v as usize] as usize];
            self.into[v as usize] = above;
            v = above;
        }
        v
    }

    /// Find the loop with header `w` and make one node of it.
    fn collapse(&mut self, w: u32) {
        let mut body: Vec<u32> = Vec::new();
        let mut inside = std::collections::HashSet::new();
        for v in std::mem::take(&mut self.back[w as usize]) {
            self.is_header[w as usize] = true;
            let v = self.find(v);
            if v != w && inside.insert(v) {
                body.push(v);
            }
        }
        let mut next = 0;
        while next < body.len() {
            let x = body[next];
            next += 1;
            for y in std::mem::take(&mut self.other[x as usize]) {
                let y = self.find(y);
                if !(w..=self.dfs.last[w as usize]).contains(&y) {
                    self.irreducible[w as usize] = true;
                    self.other[w as usize].push(y);
                } else if y != w && inside.insert(y) {
                    body.push(y);
                }
            }
        }
        for x in body {
            self.header[x as usize] = w;
            self.into[x as usize] = w;
        }
    }

    fn finish(self, nodes: usize) -> Loops {
        let mut result = Loops { loops: Vec::new(), innermost: vec![None; nodes] };
        let mut number = vec![NONE; self.dfs.preorder.len()];
        // Headers come before what is in their loops.
        for w in 0..self.dfs.preorder.len() {
            let outer = self.header[w];
            let parent = (outer != NONE).then(|| number[outer as usize]);
            let mut around = parent;
            if self.is_header[w] {
                number[w] = result.loops.len() as u32;
                around = Some(number[w]);
                let depth = parent.map_or(0, |p| result.loops[p as usize].depth) + 1;
                let header = self.dfs.preorder[w];
                result.loops.push(Loop { header, parent, irreducible: self.irreducible[w], depth });
            }
            result.innermost[self.dfs.preorder[w] as usize] = around;
        }
        result
    }
}
