//! The interprocedural control-flow graph with short-cut calls (KATCH, section 3.2).
//!
//! In: a program, its call graph, which calls return. Out: [`Icfg`]: blocks cut into segments behind their calls, and edges between them.
//!
//! Always holds: a call has an edge into every function that it may call and, if it can return, a short-cut edge of weight 0 to the segment behind it. An edge weighs 1 if
//! it leaves a branch, 0 otherwise. Behind the end of a function there are edges to the segments behind its calls; they are kept apart, because a way
//! that has entered a function leaves it by the short cut.

use crate::calls::{ends_program, is_long_jump, CallGraph, Returns};
use crate::ir::*;

/// A node of the graph.
pub(crate) type Node = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// From the end of a block to its successor of this number.
    Flow { block: BlockId, successor: u32 },
    /// Over a call.
    Skip,
    /// Into a function.
    Call { site: InstId, callee: FuncId },
    /// Into one of many functions, for calls with many possible callees; or onwards from there.
    Hub,
    /// From a call of `longjmp` to behind a call of `setjmp`.
    Jump,
    /// Out of a function, to behind a call of it.
    Return,
}

#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: Node,
    pub to: Node,
    pub weight: u32,
    pub kind: EdgeKind,
}

/// Sets of callees that are larger get a node of their own, so that edges do not multiply.
const LARGE_SET: usize = 8;

#[derive(Clone, Debug)]
pub struct Icfg {
    /// First segment of every block; one more for the end.
    first: Vec<Node>,
    /// The call that a segment lies behind.
    after: Vec<Option<InstId>>,
    nodes: usize,
    edges: Vec<Edge>,
    /// Numbers of edges by where they lead to.
    incoming: crate::graph::Csr,
}

impl Icfg {
    pub fn new(program: &Program, calls: &CallGraph, returns: &Returns) -> Self {
        let mut builder = Builder::new(program, calls, returns);
        for f in program.defined_functions() {
            for block in program.func(f).blocks.iter() {
                builder.block(block);
            }
        }
        builder.hubs();
        builder.long_jumps();
        builder.finish()
    }

    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// All blocks of the program.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = BlockId> {
        (0..self.first.len() as u32 - 1).map(BlockId)
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub(crate) fn incoming(&self, node: Node) -> impl Iterator<Item = &Edge> {
        self.incoming.of(node as usize).iter().map(|e| &self.edges[*e as usize])
    }

    /// The segments of a block.
    pub(crate) fn segments(&self, block: BlockId) -> std::ops::Range<Node> {
        self.first[block.index()]..self.first[block.index() + 1]
    }

    /// The segment behind a call.
    pub(crate) fn behind(&self, program: &Program, call: InstId) -> Option<Node> {
        self.segments(program.inst(call).block).find(|s| self.after[*s as usize] == Some(call))
    }
}

struct Builder<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    returns: &'a Returns,
    first: Vec<Node>,
    after: Vec<Option<InstId>>,
    edges: Vec<Edge>,
    /// Nodes behind the segments: the end of each defined function, then two for each set of callees (into, out of).
    ends: Node,
    sets: Node,
    set_used: Vec<bool>,
    jumps: Vec<Node>,
    landings: Vec<Node>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, calls: &'a CallGraph, returns: &'a Returns) -> Self {
        let (mut first, mut after) = (Vec::new(), Vec::new());
        for block in program.block_ids() {
            first.push(after.len() as Node);
            after.push(None);
            let sites = program.block(block).insts.iter().filter(|i| splits(program, calls, *i));
            after.extend(sites.map(Some));
        }
        first.push(after.len() as Node);
        let ends = after.len() as Node;
        let sets = ends + program.defined;
        let set_used = vec![false; calls.callee_sets().len()];
        Builder {
            program,
            calls,
            returns,
            first,
            after,
            edges: Vec::new(),
            ends,
            sets,
            set_used,
            jumps: Vec::new(),
            landings: Vec::new(),
        }
    }

    fn edge(&mut self, from: Node, to: Node, weight: u32, kind: EdgeKind) {
        self.edges.push(Edge { from, to, weight, kind });
    }

    fn block(&mut self, block: BlockId) {
        let program = self.program;
        let mut segment = self.first[block.index()];
        for inst in program.block(block).insts.iter() {
            if splits(program, self.calls, inst) {
                self.call(inst, segment);
                segment += 1;
            }
            if !self.returns.goes_on(program, self.calls, inst) {
                return;
            }
        }
        let successors = program.successors(block);
        let branches = successors.iter().any(|s| *s != successors[0]);
        for (i, to) in successors.iter().enumerate() {
            let kind = EdgeKind::Flow { block, successor: i as u32 };
            self.edge(segment, self.first[to.index()], u32::from(branches), kind);
        }
        if program.inst(program.terminator(block)).op == Op::Ret {
            self.edge(segment, self.ends + program.block(block).func.0, 0, EdgeKind::Return);
        }
        if ends_program(program, block) {
            let handlers = self.calls.at_exit().iter().filter_map(|f| program.func(*f).entry());
            for entry in handlers.collect::<Vec<_>>() {
                self.edge(segment, self.first[entry.index()], 0, EdgeKind::Hub);
            }
        }
    }

    fn call(&mut self, site: InstId, before: Node) {
        let behind = before + 1;
        let comes_back = self.returns.goes_on(self.program, self.calls, site);
        if comes_back {
            self.edge(before, behind, 0, EdgeKind::Skip);
        }
        let calls = self.calls;
        for f in calls.callees(site) {
            if is_long_jump(self.program, *f) {
                self.jumps.push(before);
            }
            if self.program.func(*f).attributes.returns_twice {
                self.landings.push(behind);
            }
        }
        let Some(set) = calls.callee_set(site) else { return };
        if calls.callees(site).len() > LARGE_SET {
            self.set_used[set as usize] = true;
            self.edge(before, self.sets + 2 * set, 0, EdgeKind::Hub);
            if comes_back {
                self.edge(self.sets + 2 * set + 1, behind, 0, EdgeKind::Return);
            }
            return;
        }
        for &callee in calls.callees(site) {
            let Some(entry) = self.program.func(callee).entry() else { continue };
            self.edge(before, self.first[entry.index()], 0, EdgeKind::Call { site, callee });
            if comes_back {
                self.edge(self.ends + callee.0, behind, 0, EdgeKind::Return);
            }
        }
    }

    fn hubs(&mut self) {
        for (set, callees) in self.calls.callee_sets().iter().enumerate() {
            if !self.set_used[set] {
                continue;
            }
            let into = self.sets + 2 * set as Node;
            for callee in callees {
                let Some(entry) = self.program.func(*callee).entry() else { continue };
                self.edge(into, self.first[entry.index()], 0, EdgeKind::Hub);
                self.edge(self.ends + callee.0, into + 1, 0, EdgeKind::Return);
            }
        }
    }

    fn long_jumps(&mut self) {
        for from in std::mem::take(&mut self.jumps) {
            for i in 0..self.landings.len() {
                self.edge(from, self.landings[i], 0, EdgeKind::Jump);
            }
        }
    }

    fn finish(self) -> Icfg {
        let nodes = self.sets as usize + 2 * self.set_used.len();
        let pairs = self.edges.iter().zip(0u32..).map(|(e, i)| (e.to, i));
        let incoming = crate::graph::Csr::new(nodes, pairs);
        Icfg { first: self.first, after: self.after, nodes, edges: self.edges, incoming }
    }
}

/// Does a new segment begin behind this instruction?
fn splits(program: &Program, calls: &CallGraph, inst: InstId) -> bool {
    let into_program = |f: &FuncId| {
        let f = program.func(*f);
        f.is_defined() || f.attributes.returns_twice
    };
    calls.callees(inst).iter().any(|f| into_program(f) || is_long_jump(program, *f))
}
