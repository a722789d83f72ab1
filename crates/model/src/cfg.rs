//! The control-flow graph of one function, and what follows from it.
//!
//! In: a function, and which calls come back. Out: [`Cfg`] with a virtual exit; [`Flow`] with dominators, post-dominators, control dependence and
//! loops.
//!
//! Always holds: node i is the i-th block of the function, the last node is the virtual exit, and every node reaches it: blocks that return, end the
//! program or jump out of the function lead there, and so does the first block of every loop without an end. The first successors of a node are those of the block, in
//! order.

use crate::calls::{CallGraph, Returns};
use crate::graph::{components, ControlDependence, Controller, DomTree, Graph, Loops};
use crate::ir::*;

#[derive(Clone, Debug)]
pub struct Cfg {
    blocks: IdRange<BlockId>,
    pub graph: Graph,
    /// Nodes that have an edge to the exit only because they head a loop without an end.
    pub endless: Vec<u32>,
}

impl Cfg {
    /// Of a function with a body.
    pub fn new(program: &Program, calls: &CallGraph, returns: &Returns, f: FuncId) -> Self {
        let blocks = program.func(f).blocks;
        let exit = blocks.len() as u32;
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for block in blocks.iter() {
            let from = block.0 - blocks.start;
            let successors = program.successors(block);
            if successors.is_empty() || returns.end_of(program, calls, block).is_some() {
                edges.push((from, exit));
            } else {
                edges.extend(successors.iter().map(|s| (from, s.0 - blocks.start)));
            }
        }
        let graph = Graph::new(blocks.len() + 1, &edges);
        let endless = endless_loops(&graph, exit);
        if endless.is_empty() {
            return Cfg { blocks, graph, endless };
        }
        edges.extend(endless.iter().map(|n| (*n, exit)));
        Cfg { blocks, graph: Graph::new(blocks.len() + 1, &edges), endless }
    }

    pub fn exit(&self) -> u32 {
        self.blocks.len() as u32
    }

    pub fn node(&self, block: BlockId) -> u32 {
        block.0 - self.blocks.start
    }

    /// None for the exit.
    pub fn block(&self, node: u32) -> Option<BlockId> {
        (node < self.exit()).then(|| BlockId(self.blocks.start + node))
    }

    /// Blocks that control can come from.
    pub fn predecessors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.graph.predecessors(self.node(block)).iter().filter_map(|n| self.block(*n))
    }

    /// Blocks that control can go to; none behind a call that does not return.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.graph.successors(self.node(block)).iter().filter_map(|n| self.block(*n))
    }
}

/// The first block of every set of blocks that lead to each other and nowhere else.
fn endless_loops(graph: &Graph, exit: u32) -> Vec<u32> {
    let ends = graph.reversed().reachable([exit]);
    if ends.iter().all(|e| *e) {
        return Vec::new();
    }
    let (component, count) = components(graph);
    let mut first = vec![None; count];
    let mut leaves = vec![false; count];
    for node in (0..graph.len() as u32).rev() {
        let own = component[node as usize];
        first[own as usize] = Some(node);
        leaves[own as usize] |= graph.successors(node).iter().any(|s| component[*s as usize] != own);
    }
    let sinks = first.into_iter().zip(leaves).filter(|(_, leaves)| !leaves).filter_map(|(first, _)| first);
    sinks.filter(|node| !ends[*node as usize]).collect()
}

/// A function's control flow, analysed.
#[derive(Clone, Debug)]
pub struct Flow {
    pub cfg: Cfg,
    pub dom: DomTree,
    /// Root: the virtual exit.
    pub post: DomTree,
    pub control: ControlDependence,
    pub loops: Loops,
}

impl Flow {
    pub fn new(program: &Program, calls: &CallGraph, returns: &Returns, f: FuncId) -> Self {
        let cfg = Cfg::new(program, calls, returns, f);
        let dom = DomTree::new(&cfg.graph, 0);
        let post = DomTree::new(&cfg.graph.reversed(), cfg.exit());
        let control = ControlDependence::new(&cfg.graph, &post);
        let loops = Loops::new(&cfg.graph, 0);
        Flow { cfg, dom, post, control, loops }
    }

    /// The branches (block, number of the successor) that decide whether a block is executed.
    pub fn controllers(&self, block: BlockId) -> Vec<(BlockId, u32)> {
        let mut found: Vec<(BlockId, u32)> = Vec::new();
        for node in self.hanging_on(block) {
            found.extend(
                self.control.controllers(&self.post, node).into_iter().filter_map(|c| self.branch(c, node)),
            );
        }
        found.sort();
        found.dedup();
        found
    }

    /// The block's node and, inside endless loops that always execute it, their heads: whatever decides over the loop decides over the block.
    fn hanging_on(&self, block: BlockId) -> Vec<u32> {
        let mut nodes = vec![self.cfg.node(block)];
        let mut next = 0;
        while next < nodes.len() && !self.cfg.endless.is_empty() {
            for c in self.control.controllers(&self.post, nodes[next]) {
                if self.branch(c, nodes[next]).is_none() && !nodes.contains(&c.node) {
                    nodes.push(c.node);
                }
            }
            next += 1;
        }
        nodes
    }

    /// The branch that a controller of `node` is. None if all its successors lead to the node: then it only heads an endless loop, which is
    /// taken to end there.
    fn branch(&self, controller: Controller, node: u32) -> Option<(BlockId, u32)> {
        let block = self.cfg.block(controller.node).map(|b| (b, controller.successor));
        if !self.cfg.endless.contains(&controller.node) {
            return block;
        }
        let successors = self.cfg.graph.successors(controller.node);
        let mut real = successors.iter().filter(|s| **s != self.cfg.exit());
        let all = real.all(|s| self.post.dominates(node, *s));
        block.filter(|_| !all)
    }

    /// Is the block executed whenever the function is entered and left, or entered and never left?
    pub fn always_executed(&self, block: BlockId) -> bool {
        self.hanging_on(block).into_iter().any(|node| self.post.dominates(node, 0))
    }

    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.dom.dominates(self.cfg.node(a), self.cfg.node(b))
    }

    pub fn post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.post.dominates(self.cfg.node(a), self.cfg.node(b))
    }
}
