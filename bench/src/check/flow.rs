//! Control flow, dominance and calls that do not return, against the blocks that ran.

use super::calls::place;
use super::tally::{Claim, Tally};
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::cfg::Flow;
use parallax_model::{BlockId, FuncId, InstId, Program};
use parallax_trace::dependence::{At, Event};
use std::collections::HashMap;

/// Dominance is checked on the first activations of each function, and then on every so many.
const FIRST: u64 = 500;
const EVERY: u64 = 64;
/// Blocks of an activation that are remembered.
const MAX_BLOCKS: usize = 100_000;

pub struct Flows<'p> {
    program: &'p Program,
    graph: CallGraph,
    returns: Returns,
    flows: Vec<Option<Flow>>,
    entered: Vec<u64>,
    /// Activations of each thread.
    threads: HashMap<u32, Vec<Activation>>,
}

struct Activation {
    function: FuncId,
    current: Option<BlockId>,
    /// The newest call, if nothing has happened since, and whether the model says that it can return.
    called: Option<(InstId, bool)>,
    /// When each block ran last, where dominance is checked.
    ran: Option<HashMap<BlockId, u64>>,
    clock: u64,
}

impl<'p> Flows<'p> {
    pub fn new(program: &'p Program, graph: CallGraph) -> Flows<'p> {
        let returns = Returns::new(program, &graph);
        let functions = program.functions.len();
        Flows {
            program,
            graph,
            returns,
            flows: (0..functions).map(|_| None).collect(),
            entered: vec![0; functions],
            threads: HashMap::new(),
        }
    }

    pub fn begin(&mut self) {
        self.threads.clear();
    }

    pub fn event(&mut self, at: At, event: &Event, tally: &mut Tally) {
        let mut stack = self.threads.remove(&at.thread).unwrap_or_default();
        match *event {
            Event::Enter { function } => {
                stack.truncate(at.stack.len().saturating_sub(1));
                stack.push(self.activate(FuncId(function)));
            }
            Event::Return { at: inst } => {
                if let Some(mut activation) = stack.pop() {
                    self.moves(&mut activation, InstId(inst), tally);
                    self.returns(activation, tally);
                }
            }
            Event::Block { block } => {
                self.here(&mut stack, at);
                if let Some(activation) = stack.last_mut() {
                    self.block(activation, BlockId(block), tally);
                }
            }
            Event::Load { at: inst, .. }
            | Event::Store { at: inst, .. }
            | Event::Call { at: inst, .. }
            | Event::Again { at: inst } => {
                self.here(&mut stack, at);
                if let Some(activation) = stack.last_mut() {
                    if matches!(event, Event::Again { .. }) {
                        activation.called = None;
                    }
                    self.moves(activation, InstId(inst), tally);
                    self.inside(activation, InstId(inst), event);
                }
            }
            _ => {}
        }
        self.threads.insert(at.thread, stack);
    }

    fn activate(&mut self, function: FuncId) -> Activation {
        let count = &mut self.entered[function.index()];
        *count += 1;
        let sampled = *count <= FIRST || *count % EVERY == 0;
        Activation { function, current: None, called: None, ran: sampled.then(HashMap::new), clock: 0 }
    }

    /// The activations that the decoder knows of are the ones here; one that was not entered (the trace
    /// begins inside it) is not checked.
    fn here(&self, stack: &mut Vec<Activation>, at: At) {
        stack.truncate(at.stack.len());
        while let Some(frame) = at.stack.get(stack.len()) {
            let function = FuncId(frame.function);
            stack.push(Activation { function, current: None, called: None, ran: None, clock: 0 });
        }
    }

    fn flow(&mut self, f: FuncId) -> &Flow {
        let slot = &mut self.flows[f.index()];
        slot.get_or_insert_with(|| Flow::new(self.program, &self.graph, &self.returns, f))
    }

    fn block(&mut self, activation: &mut Activation, block: BlockId, tally: &mut Tally) {
        let program = self.program;
        if let Some(from) = activation.current {
            let known = program.successors(from).contains(&block);
            tally.check(Claim::Edge, known, || {
                format!("{}: {from:?} → {block:?}", program.func(activation.function).name)
            });
        }
        if let Some((call, returns)) = activation.called.take() {
            tally.check(Claim::NoReturn, returns, || format!("{} returned", place(program, call)));
        }
        activation.current = Some(block);
        activation.clock += 1;
        let clock = activation.clock;
        let Some(ran) = &mut activation.ran else { return };
        if ran.insert(block, clock).is_none() && ran.len() <= MAX_BLOCKS {
            let flow = self.flow(activation.function);
            let dominator = flow.dom.idom(flow.cfg.node(block)).and_then(|n| flow.cfg.block(n));
            if let (Some(dominator), Some(ran)) = (dominator, &activation.ran) {
                tally.check(Claim::Dominator, ran.contains_key(&dominator), || {
                    format!(
                        "{block:?} ran without {dominator:?} in {}",
                        program.func(activation.function).name
                    )
                });
            }
        }
    }

    /// Something happens in an activation: the call before has returned, unless this is another block.
    fn moves(&self, activation: &mut Activation, inst: InstId, tally: &mut Tally) {
        let same = activation.current == Some(self.program.inst(inst).block);
        if let (Some((call, returns)), true) = (activation.called.take(), same) {
            tally.check(Claim::NoReturn, returns, || format!("{} returned", place(self.program, call)));
        }
    }

    fn inside(&mut self, activation: &mut Activation, inst: InstId, event: &Event) {
        let block = self.program.inst(inst).block;
        if activation.current != Some(block) {
            // A jump back to where `setjmp` was called; what ran before it says nothing about what runs now.
            activation.current = Some(block);
            activation.ran = None;
        }
        if matches!(event, Event::Call { .. }) {
            activation.called = Some((inst, self.returns.goes_on(self.program, &self.graph, inst)));
        }
    }

    fn returns(&mut self, activation: Activation, tally: &mut Tally) {
        let Some(ran) = activation.ran.filter(|ran| ran.len() <= MAX_BLOCKS) else { return };
        let program = self.program;
        let flow = self.flow(activation.function);
        for (block, when) in &ran {
            let post = flow.post.idom(flow.cfg.node(*block)).and_then(|n| flow.cfg.block(n));
            if let Some(post) = post {
                let after = ran.get(&post).is_some_and(|then| then >= when);
                tally.check(Claim::PostDominator, after, || {
                    format!(
                        "{post:?} did not run after {block:?} in {}",
                        program.func(activation.function).name
                    )
                });
            }
        }
    }
}
