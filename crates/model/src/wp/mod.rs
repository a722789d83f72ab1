//! Weakest preconditions backwards from targets (seed 003, section 3.2): for every block a condition that must hold at its beginning for a target to be reached.
//!
//! ```text
//! out(b) = ⋁ over successors s of (cond(b → s) ∧ in(s))        in(b) = wp(b, out(b))        in(target) = true
//! ```
//!
//! In: a program, its call graph, targets, knowledge about writes. Out: [`Hopeless`]: blocks and edges from which no target can be reached, calls that cannot reach
//! one inside their callee.
//!
//! Where seed 003 gives up, this goes on: a disjunction keeps, for each variable that both sides speak of, the union of its values; assignments go through casts, sums with constants, comparisons, choices, constant
//! tables, fields of structures at constant offsets, arguments and results of functions. Conditions only ever get weaker by what is left out.
//!
//! Always holds: what is hopeless stays so whatever is run. As for distances, a way leaves functions first and enters functions then, so there are two passes: ways that do not leave the function of
//! their block, and all ways.

mod cond;
mod memory;
mod pointed;
mod ranges;
mod require;
mod results;
mod step;

pub use cond::{Cell, Cond, Term, MAX_TERMS};
pub use memory::{resolve, Memory, PlainMemory, Write};
pub use pointed::PointedMemory;
pub use ranges::{Ranges, MAX_RANGES};

use crate::calls::{ends_program, is_long_jump, CallGraph, Returns};
use crate::distance::Hopeless;
use crate::graph::Csr;
use crate::ir::*;
use results::Results;
use std::collections::{BTreeMap, VecDeque};
use step::Stepper;

/// How often a block's condition may change before sets that still grow are given up.
const MAX_CHANGES: u32 = 6;

/// Everything that the analysis looks at.
pub struct Context<'a> {
    pub program: &'a Program,
    pub calls: &'a CallGraph,
    pub returns: &'a Returns,
    pub memory: &'a dyn Memory,
    predecessors: Csr,
    /// Blocks with a return, by function.
    ends: Vec<Vec<BlockId>>,
    results: Results,
    /// Blocks with which the program ends, and blocks that jump far.
    program_ends: Vec<BlockId>,
    jumps: Vec<BlockId>,
}

impl<'a> Context<'a> {
    pub fn new(
        program: &'a Program,
        calls: &'a CallGraph,
        returns: &'a Returns,
        memory: &'a dyn Memory,
    ) -> Self {
        let edges = program.block_ids().flat_map(|b| program.successors(b).iter().map(move |s| (s.0, b.0)));
        let edges: Vec<(u32, u32)> = edges.collect();
        let predecessors = Csr::new(program.blocks.len(), edges.into_iter());
        let mut ends = vec![Vec::new(); program.defined as usize];
        for block in program.block_ids() {
            if program.inst(program.terminator(block)).op == Op::Ret {
                ends[program.block(block).func.index()].push(block);
            }
        }
        let jumping = |site: &&InstId| calls.callees(**site).iter().any(|f| is_long_jump(program, *f));
        Context {
            program,
            calls,
            returns,
            memory,
            predecessors,
            ends,
            results: Results::new(program),
            program_ends: program.block_ids().filter(|b| ends_program(program, *b)).collect(),
            jumps: calls.sites().iter().filter(jumping).map(|site| program.inst(*site).block).collect(),
        }
    }
}

/// The solution of the equations.
pub struct Preconditions {
    /// For every block, ways that do not leave its function.
    inside: Vec<Option<Cond>>,
    /// For every block, all ways.
    all: Vec<Option<Cond>>,
    is_target: Vec<bool>,
}

impl Preconditions {
    pub fn new(context: &Context, targets: &[BlockId]) -> Self {
        let mut pass = Pass::new(context, targets, None);
        for target in targets {
            pass.wake_before(*target);
        }
        context.jumps.iter().for_each(|b| pass.wake(*b));
        pass.run();
        let inside = pass.state;
        let mut pass = Pass::new(context, targets, Some(&inside));
        let known = |b: &BlockId| inside[b.index()].is_some();
        pass.queue.extend(context.program.block_ids().filter(known));
        pass.queue.iter().for_each(|b| pass.queued[b.index()] = true);
        pass.run();
        let Pass { state: all, is_target, .. } = pass;
        Preconditions { inside, all, is_target }
    }

    /// What must hold at the beginning of a block for a target to be reached; none if it cannot be.
    pub fn block(&self, block: BlockId) -> Option<&Cond> {
        self.all[block.index()].as_ref()
    }

    /// What has been proven.
    pub fn hopeless(&self, context: &Context) -> Hopeless {
        let program = context.program;
        let mut hopeless =
            Hopeless { blocks: self.all.iter().map(Option::is_none).collect(), ..Hopeless::default() };
        let stepper = Stepper::new(context, &self.inside);
        for block in program.block_ids().filter(|b| !self.is_target[b.index()]) {
            for (i, s) in program.successors(block).iter().enumerate() {
                let Some(next) = &self.all[s.index()] else { continue };
                if stepper.edge(block, i as u32, next).is_none() {
                    hopeless.edges.insert((block, i as u32));
                }
            }
        }
        for site in context.calls.sites() {
            for (callee, plain) in memory::plain_callees(program, context.calls, *site) {
                let entered = program.func(callee).entry().and_then(|e| self.inside[e.index()].as_ref());
                if entered.is_some_and(|e| stepper.entered(*site, e, plain).is_none()) {
                    hopeless.calls.insert((*site, callee));
                }
            }
        }
        hopeless
    }
}

/// One of the two passes: a work list over blocks.
struct Pass<'a, 'c> {
    context: &'c Context<'a>,
    is_target: Vec<bool>,
    state: Vec<Option<Cond>>,
    changes: Vec<u32>,
    queue: VecDeque<BlockId>,
    queued: Vec<bool>,
    /// In the second pass: the solution of the first one.
    inside: Option<&'c [Option<Cond>]>,
    /// In the second pass: conditions behind calls.
    behind: BTreeMap<InstId, Cond>,
}

impl<'a, 'c> Pass<'a, 'c> {
    fn new(context: &'c Context<'a>, targets: &[BlockId], inside: Option<&'c [Option<Cond>]>) -> Self {
        let n = context.program.blocks.len();
        let (mut state, mut is_target) = (vec![None; n], vec![false; n]);
        for target in targets {
            state[target.index()] = Some(Cond::default());
            is_target[target.index()] = true;
        }
        Pass {
            context,
            is_target,
            state,
            changes: vec![0; n],
            queue: VecDeque::new(),
            queued: vec![false; n],
            inside,
            behind: BTreeMap::new(),
        }
    }

    fn wake(&mut self, block: BlockId) {
        if !std::mem::replace(&mut self.queued[block.index()], true) {
            self.queue.push_back(block);
        }
    }

    /// The condition of `block` has changed: whoever looks at it must look again.
    fn wake_before(&mut self, block: BlockId) {
        let context = self.context;
        for p in context.predecessors.of(block.index()) {
            self.wake(BlockId(*p));
        }
        let function = context.program.func(context.program.block(block).func);
        if self.inside.is_none() && function.entry() == Some(block) {
            let f = context.program.block(block).func;
            for site in context.calls.callers(f) {
                self.wake(context.program.inst(site).block);
            }
            if context.calls.at_exit().contains(&f) {
                context.program_ends.iter().for_each(|b| self.wake(*b));
            }
        }
    }

    fn run(&mut self) {
        while let Some(block) = self.queue.pop_front() {
            self.queued[block.index()] = false;
            let Some(new) = self.before(block) else { continue };
            if self.is_target[block.index()] {
                continue;
            }
            let coarse = self.changes[block.index()] >= MAX_CHANGES;
            let changed = match &mut self.state[block.index()] {
                Some(old) => old.or(&new, coarse),
                unknown => {
                    *unknown = Some(new);
                    true
                }
            };
            if changed {
                self.changes[block.index()] += 1;
                self.wake_before(block);
            }
        }
    }

    /// in(b), from what is known of its successors, callees and, in the second pass, callers.
    fn before(&mut self, block: BlockId) -> Option<Cond> {
        let context = self.context;
        let program = context.program;
        let stepper = Stepper::new(context, self.inside.unwrap_or(&self.state));
        let mut at_end = None;
        for (i, s) in program.successors(block).iter().enumerate() {
            if let Some(next) = &self.state[s.index()] {
                at_end = cond::either(at_end, stepper.edge(block, i as u32, next));
            }
        }
        let terminator = program.terminator(block);
        if self.inside.is_some() && program.inst(terminator).op == Op::Ret {
            let result = program.operands(terminator).first().copied();
            for site in context.calls.callers(program.block(block).func) {
                if let Some(behind) = self.behind.get(&site) {
                    at_end = cond::either(at_end, stepper.returned(site, behind, result));
                }
            }
        }
        if ends_program(program, block) {
            at_end = cond::either(at_end, stepper.at_exit());
        }
        let mut behind = Vec::new();
        let before = stepper.block(block, at_end, &mut behind);
        if self.inside.is_some() {
            behind.into_iter().for_each(|(site, cond)| self.note_behind(site, cond));
        }
        before
    }

    fn note_behind(&mut self, site: InstId, cond: Cond) {
        let changed = match self.behind.get_mut(&site) {
            // Behind a call there is no counter of its own: sets that grow are given up at once.
            Some(old) => old.or(&cond, true),
            None => {
                self.behind.insert(site, cond);
                true
            }
        };
        if changed {
            let context = self.context;
            for callee in
                context.calls.callees(site).iter().filter(|f| context.program.func(**f).is_defined())
            {
                for end in &context.ends[callee.index()] {
                    self.wake(*end);
                }
            }
        }
    }
}
