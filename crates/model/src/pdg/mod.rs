//! The program dependence graph: who depends on whom, through registers, memory, control, calls and returns.
//!
//! In: a program and its analyses. Out: a graph whose edges lead from what is depended on to what depends on it, each with its kind.
//! Nodes are instructions; and, for each call, the fact that it is made ([`Node::Site`]); for each block and each function, the fact
//! that it is entered; and parameters. Where an instruction reads what too many others can have written ([`crate::reaching::Limits::direct`]), memory itself stands between them
//! ([`Node::Place`]): who writes there, and who reads there, not who reads what from whom; so the graph stays linear in the program.
//!
//! Always holds: the result of a call of a function with a body depends on an argument only if the parameter can flow to the function's result (a
//! summary edge, after Horwitz, Reps and Binkley), or through memory; calls of other functions depend on all their
//! arguments. A phi depends on the blocks that its values come from, because which of them was left decides its value.

mod storage;

use crate::calls::{ends_program, CallGraph, Returns};
use crate::cfg::Flow;
use crate::ir::*;
use crate::memory::Memory;
use crate::mod_ref::Edges;
use crate::points_to::{CellId, ObjectId, ObjectKind, SparseSet};
use crate::reaching::Reaching;
use serde::{Deserialize, Serialize};
use storage::{Adjacency, Layout};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// An instruction, and its result.
    Inst(InstId),
    /// That a call is made.
    Site(InstId),
    /// That a block is executed.
    Block(BlockId),
    /// That a function is called.
    Entry(FuncId),
    Param(FuncId, u32),
    /// Content of objects that are not told apart; the number is that of one of them.
    Place(u32),
}

/// How one thing depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// An operand.
    Register,
    /// Memory of this activation of the function.
    Local,
    /// Any other memory.
    Memory,
    Control,
    /// An argument, to the parameter it becomes.
    Argument,
    /// A call, to the function it enters.
    Enter,
    /// A returned value, to the call that gives it.
    Return,
    /// An argument, to the call whose result it flows to.
    Summary,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdg {
    layout: Layout,
    forward: Adjacency,
    backward: Adjacency,
}

impl Pdg {
    pub fn new(memory: &Memory, edges: &Edges, reaching: &mut Reaching) -> Pdg {
        let program = memory.program;
        let calls = CallGraph::new(program, |site| memory.points_to.targets(site).collect());
        let returns = Returns::new(program, &calls);
        let objects = memory.points_to.objects.len();
        let layout = Layout::new(program, objects as u32);
        let mut builder = Builder { memory, layout, list: Vec::new(), places: Places::new(objects) };
        for func in program.defined_functions() {
            builder.control(&Flow::new(program, &calls, &returns, func), func);
            for id in program.func(func).insts.iter() {
                builder.instruction(id);
                builder.memory(id, reaching);
            }
        }
        builder.exits(&calls);
        builder.places();
        builder.summaries(edges);
        builder.list.sort_unstable();
        builder.list.dedup();
        let nodes = builder.layout.len();
        let forward = Adjacency::new(nodes, &builder.list, true);
        let backward = Adjacency::new(nodes, &builder.list, false);
        Pdg { layout: builder.layout, forward, backward }
    }

    /// What a node depends on.
    pub fn dependencies(&self, node: Node) -> impl Iterator<Item = (Node, Kind)> + '_ {
        self.backward.of(self.layout.number(node)).iter().map(|(n, k)| (self.layout.node(*n), *k))
    }

    /// What depends on a node.
    pub fn dependents(&self, node: Node) -> impl Iterator<Item = (Node, Kind)> + '_ {
        self.forward.of(self.layout.number(node)).iter().map(|(n, k)| (self.layout.node(*n), *k))
    }

    pub fn node_count(&self) -> usize {
        self.layout.len()
    }

    pub fn edge_count(&self) -> usize {
        self.forward.edges.len()
    }

    /// Dense numbers for nodes, below [`Pdg::node_count`].
    pub fn number(&self, node: Node) -> u32 {
        self.layout.number(node)
    }

    pub fn node(&self, number: u32) -> Node {
        self.layout.node(number)
    }

    pub(crate) fn edges_of(&self, number: u32, forward: bool) -> &[(u32, Kind)] {
        if forward {
            self.forward.of(number)
        } else {
            self.backward.of(number)
        }
    }
}

struct Builder<'a> {
    memory: &'a Memory<'a>,
    layout: Layout,
    list: Vec<(u32, u32, Kind)>,
    places: Places,
}

/// Objects that some instruction reads that has too many possible writers.
struct Places {
    /// Objects that are read together stand for each other.
    parent: Vec<u32>,
    /// Readers, each with one of its objects.
    readers: Vec<(InstId, u32)>,
}

impl Places {
    fn new(objects: usize) -> Places {
        Places { parent: (0..objects as u32).collect(), readers: Vec::new() }
    }

    fn find(&mut self, mut object: u32) -> u32 {
        while self.parent[object as usize] != object {
            let up = self.parent[object as usize];
            self.parent[object as usize] = self.parent[up as usize];
            object = up;
        }
        object
    }

    fn read(&mut self, reader: InstId, objects: impl Iterator<Item = u32>) {
        let mut first = None;
        for object in objects {
            let (root, one) = (self.find(object), self.find(*first.get_or_insert(object)));
            self.parent[root.max(one) as usize] = root.min(one);
        }
        self.readers.extend(first.map(|object| (reader, object)));
    }
}

impl Builder<'_> {
    fn edge(&mut self, from: Node, to: Node, kind: Kind) {
        self.list.push((self.layout.number(from), self.layout.number(to), kind));
    }

    fn operand(&mut self, operand: Operand, to: Node, kind: Kind) {
        if let Some(from) = source(operand) {
            self.edge(from, to, kind);
        }
    }

    fn control(&mut self, flow: &Flow, func: FuncId) {
        let program = self.memory.program;
        for block in program.func(func).blocks.iter() {
            let controllers = flow.controllers(block);
            for (controller, _) in &controllers {
                self.edge(Node::Inst(program.terminator(*controller)), Node::Block(block), Kind::Control);
            }
            // The head of a loop may be controlled by the loop alone, and yet be reached by entering the function.
            if controllers.is_empty() || flow.always_executed(block) {
                self.edge(Node::Entry(func), Node::Block(block), Kind::Control);
            }
            for id in program.block(block).insts.iter() {
                self.edge(Node::Block(block), Node::Inst(id), Kind::Control);
            }
        }
    }

    fn instruction(&mut self, id: InstId) {
        let program = self.memory.program;
        if program.inst(id).op.call().is_some() {
            return self.call(id);
        }
        for operand in program.operands(id) {
            self.operand(*operand, Node::Inst(id), Kind::Register);
        }
        for block in program.phi_blocks(id) {
            self.edge(Node::Block(*block), Node::Inst(id), Kind::Control);
            let last = program.terminator(*block);
            if program.successors(*block).len() > 1 {
                self.edge(Node::Inst(last), Node::Inst(id), Kind::Control);
            }
        }
    }

    fn call(&mut self, id: InstId) {
        let program = self.memory.program;
        self.edge(Node::Block(program.inst(id).block), Node::Site(id), Kind::Control);
        self.edge(Node::Site(id), Node::Inst(id), Kind::Control);
        if let Some(pointer) = program.called_pointer(id) {
            self.operand(pointer, Node::Site(id), Kind::Register);
        }
        let targets = self.memory.points_to.call_targets(id);
        let outside = targets.iter().any(|t| !program.func(t.1).is_defined());
        if outside || targets.is_empty() {
            for argument in program.call_arguments(id) {
                self.operand(*argument, Node::Inst(id), Kind::Register);
            }
        }
        for &(_, func, callback) in targets.iter().filter(|t| program.func(t.1).is_defined()) {
            self.edge(Node::Site(id), Node::Entry(func), Kind::Enter);
            self.bind(id, func, callback);
        }
    }

    /// Arguments to parameters, results to the call. What a callback is given comes from any argument of the call.
    fn bind(&mut self, id: InstId, func: FuncId, callback: bool) {
        let program = self.memory.program;
        let arguments = program.call_arguments(id);
        for index in 0..program.func(func).params.len() as u32 {
            let given = match arguments.get(index as usize) {
                _ if callback => arguments,
                Some(one) => std::slice::from_ref(one),
                None => &[],
            };
            for argument in given {
                self.operand(*argument, Node::Param(func, index), Kind::Argument);
            }
        }
        for block in program.func(func).blocks.iter() {
            let last = program.terminator(block);
            if matches!(program.inst(last).op, Op::Ret) && !program.operands(last).is_empty() {
                self.edge(Node::Inst(last), Node::Inst(id), Kind::Return);
            }
        }
    }

    fn memory(&mut self, id: InstId, reaching: &mut Reaching) {
        let memory = self.memory;
        let func = memory.program.func_of(id);
        let mut cells = SparseSet::default();
        memory.reads(id).iter().for_each(|access| {
            cells.union(&access.cells);
        });
        let is_local = |c: &CellId| matches!(memory.points_to.kind_of(*c), ObjectKind::Stack(a) if memory.program.func_of(a) == func);
        let (local, other): (Vec<CellId>, Vec<CellId>) = cells.iter().map(CellId).partition(is_local);
        let mut not_followed = Vec::new();
        for (cells, local) in [(local, true), (other, false)] {
            let sources = reaching.sources(id, cells.into_iter());
            for writer in sources.writers.iter().map(InstId) {
                let here = local && memory.program.func_of(writer) == func;
                let kind = if here { Kind::Local } else { Kind::Memory };
                self.edge(Node::Inst(writer), Node::Inst(id), kind);
            }
            not_followed.extend(sources.not_followed);
        }
        match reaching.all_writers(&not_followed, reaching.limits().direct) {
            Some(writers) => {
                for writer in writers.iter().map(InstId) {
                    self.edge(Node::Inst(writer), Node::Inst(id), Kind::Memory);
                }
            }
            None => {
                let objects = not_followed.into_iter().map(|c| memory.points_to.cell(c).object.0);
                self.places.read(id, objects);
            }
        }
    }

    /// What runs at the end of the program runs because `exit` is called, or because `main` returns.
    fn exits(&mut self, calls: &CallGraph) {
        let program = self.memory.program;
        for handler in calls.at_exit().iter().filter(|f| program.func(**f).is_defined()) {
            for site in calls.callers(*handler) {
                self.edge(Node::Site(site), Node::Entry(*handler), Kind::Enter);
            }
            for block in program.block_ids().filter(|b| ends_program(program, *b)) {
                self.edge(Node::Block(block), Node::Entry(*handler), Kind::Enter);
            }
        }
    }

    /// Memory that stands between its writers and its readers.
    fn places(&mut self) {
        let mut used = rustc_hash::FxHashSet::default();
        for (reader, object) in std::mem::take(&mut self.places.readers) {
            let place = self.places.find(object);
            used.insert(place);
            self.edge(Node::Place(place), Node::Inst(reader), Kind::Memory);
        }
        let mut written = rustc_hash::FxHashSet::default();
        for object in 0..self.layout.objects {
            let place = self.places.find(object);
            let writers = if used.contains(&place) { self.memory.writers(ObjectId(object)) } else { &[] };
            for group in writers.iter().flat_map(|t| &t.groups) {
                if written.insert((place, *group)) {
                    for writer in &self.memory.write_group(*group).insts {
                        self.edge(Node::Inst(*writer), Node::Place(place), Kind::Memory);
                    }
                }
            }
        }
    }

    /// Edges from arguments to the calls whose results they flow to, until there are no more.
    fn summaries(&mut self, edges: &Edges) {
        let program = self.memory.program;
        let within = |e: &&(u32, u32, Kind)| matches!(e.2, Kind::Register | Kind::Local | Kind::Control);
        let inside: Vec<_> = self.list.iter().filter(within).copied().collect();
        let graph = Adjacency::new(self.layout.len(), &inside, false);
        let mut flows: Vec<Vec<bool>> =
            program.defined_functions().map(|f| vec![false; program.func(f).params.len()]).collect();
        loop {
            let mut changed = false;
            for func in &edges.order {
                let found = self.flows_to_result(*func, &graph, &flows);
                changed |= found != flows[func.index()];
                flows[func.index()] = found;
            }
            if !changed {
                break;
            }
        }
        for &(call, func, callback) in self.memory.points_to.all_targets() {
            if !callback && program.func(func).is_defined() {
                for operand in given_back(program, call, &flows[func.index()]) {
                    self.operand(operand, Node::Inst(call), Kind::Summary);
                }
            }
        }
    }

    /// Which parameters can flow to a function's result inside it.
    fn flows_to_result(&self, func: FuncId, graph: &Adjacency, flows: &[Vec<bool>]) -> Vec<bool> {
        let program = self.memory.program;
        let mut found = vec![false; program.func(func).params.len()];
        let mut seen = rustc_hash::FxHashSet::default();
        let ends = program.func(func).blocks.iter().map(|b| program.terminator(b));
        let returns = ends.filter(|i| matches!(program.inst(*i).op, Op::Ret));
        let mut pending: Vec<u32> = returns.map(|i| self.layout.number(Node::Inst(i))).collect();
        while let Some(number) = pending.pop() {
            if !seen.insert(number) {
                continue;
            }
            pending.extend(graph.of(number).iter().map(|e| e.0));
            match self.layout.node(number) {
                Node::Param(f, index) if f == func => found[index as usize] = true,
                Node::Inst(call) if program.inst(call).op.call().is_some() => {
                    for (_, callee, callback) in self.memory.points_to.call_targets(call) {
                        if !callback && program.func(*callee).is_defined() {
                            let given = given_back(program, call, &flows[callee.index()]);
                            pending
                                .extend(given.into_iter().filter_map(source).map(|n| self.layout.number(n)));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
}

fn source(operand: Operand) -> Option<Node> {
    match operand {
        Operand::Inst(id) => Some(Node::Inst(id)),
        Operand::Arg { func, index } => Some(Node::Param(func, index)),
        _ => None,
    }
}

/// The arguments of a call whose parameters flow to the result. Arguments beyond the parameters always may.
fn given_back(program: &Program, call: InstId, flows: &[bool]) -> Vec<Operand> {
    let arguments = program.call_arguments(call).iter().enumerate();
    arguments.filter(|(i, _)| flows.get(*i).copied().unwrap_or(true)).map(|(_, a)| *a).collect()
}
