//! Dynamic slices: which executed instructions had an influence on one of them.
//!
//! In: the events of a run, put into a [`History`] one by one, and what is static about the program ([`Static`]: operands of
//! instructions, control dependence; the model has them). Out: the executed instructions ([`Step`]s) that a chosen one
//! depends on: through registers, through memory (who wrote last), through the branches that led there, through
//! arguments and results of calls.
//!
//! Always holds: a history never holds more than its limit of block runs; beyond, it says so and keeps what it has.

use super::decode::{At, Effect, Event, NO_CALL};
use super::memory::Memory;
use std::collections::{BTreeSet, HashMap};

/// One execution of an instruction: the run of its block, and the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    pub run: u32,
    pub at: u32,
    /// Only the fact that the call was made matters, not what it gave back.
    pub site: bool,
}

impl Step {
    fn new(run: u32, at: u32) -> Step {
        Step { run, at, site: false }
    }
}

/// What a value is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The result of an instruction of the same function.
    Value(u32),
    /// A parameter of the function.
    Parameter(u32),
}

/// What does not depend on the run.
pub trait Static {
    fn block_of(&self, at: u32) -> u32;
    /// Operands of an instruction. For a phi, only the one that it takes when `from` ran before its block.
    fn operands(&self, at: u32, from: Option<u32>) -> Vec<Source>;
    fn is_phi(&self, at: u32) -> bool;
    /// Does a call give a value back?
    fn has_result(&self, call: u32) -> bool;
    /// Operands of a call that decide what is called.
    fn callee(&self, call: u32) -> Vec<Source>;
    /// Operands of argument `index` of a call.
    fn argument(&self, call: u32, index: u32) -> Vec<Source>;
    /// The branches that decide whether a block runs.
    fn controllers(&self, block: u32) -> Vec<u32>;
}

/// One run of a block.
#[derive(Clone, Copy, Debug)]
struct Run {
    block: u32,
    activation: u32,
    /// The run before in the same activation.
    previous: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Activation {
    caller: Option<Step>,
    /// Its newest block run.
    current: Option<u32>,
}

/// Default for [`History::new`].
pub const MAX_RUNS: usize = 64 << 20;

/// Everything of a run that slices need.
pub struct History {
    memory: Memory,
    runs: Vec<Run>,
    activations: Vec<Activation>,
    /// Activations of each thread, outermost first.
    threads: HashMap<u32, Vec<u32>>,
    /// By number of the write; none where no instruction of the program did it.
    writes: Vec<Option<Step>>,
    /// Number of a write that a step read from.
    reads: Vec<(Step, u64)>,
    /// Returns of what a call called.
    returns: HashMap<Step, Vec<Step>>,
    /// Runs of a block in an activation, ascending.
    by_block: HashMap<(u32, u32), Vec<u32>>,
    limit: usize,
    pub cut: bool,
}

impl History {
    pub fn new(limit: usize) -> History {
        History {
            memory: Memory::default(),
            runs: Vec::new(),
            activations: Vec::new(),
            threads: HashMap::new(),
            writes: Vec::new(),
            reads: Vec::new(),
            returns: HashMap::new(),
            by_block: HashMap::new(),
            limit,
            cut: false,
        }
    }

    /// Takes note of an event; in order.
    pub fn event(&mut self, at: At, event: &Event) {
        self.cut |= self.runs.len() >= self.limit;
        if self.cut {
            return;
        }
        let mut stack = self.threads.remove(&at.thread).unwrap_or_default();
        self.follow(&mut stack, at, event);
        self.threads.insert(at.thread, stack);
    }

    fn follow(&mut self, stack: &mut Vec<u32>, at: At, event: &Event) {
        match *event {
            Event::Enter { .. } => {
                stack.truncate(at.stack.len().saturating_sub(1));
                self.fill(stack, at.stack.len() - 1);
                let caller = stack.last().and_then(|a| self.activations[*a as usize].current);
                let call = at.stack.len().checked_sub(2).map(|n| at.stack[n].call).filter(|c| *c != NO_CALL);
                let caller = caller.zip(call).map(|(run, at)| Step::new(run, at));
                stack.push(self.activations.len() as u32);
                self.activations.push(Activation { caller, current: None });
            }
            Event::Return { at: inst } => {
                if let Some(activation) = stack.pop().map(|a| self.activations[a as usize]) {
                    if let (Some(caller), Some(run)) = (activation.caller, activation.current) {
                        self.returns.entry(caller).or_default().push(Step::new(run, inst));
                    }
                }
            }
            _ => {
                stack.truncate(at.stack.len());
                self.fill(stack, at.stack.len());
                if let Some(activation) = stack.last().copied() {
                    self.inside(activation, event);
                }
            }
        }
        self.memory.event(at, event);
        // Whatever the event wrote has the newest numbers.
        while (self.writes.len() as u64) < self.memory.writes() {
            let activation = stack.last().map(|a| self.activations[*a as usize]);
            let here = activation.and_then(|a| a.current).zip(event.instruction());
            let step = match event {
                Event::Argument { .. } => activation.and_then(|a| a.caller),
                _ => here.map(|(run, at)| Step::new(run, at)),
            };
            self.writes.push(step);
        }
    }

    /// Activations that were not entered before our eyes.
    fn fill(&mut self, stack: &mut Vec<u32>, depth: usize) {
        while stack.len() < depth {
            stack.push(self.activations.len() as u32);
            self.activations.push(Activation { caller: None, current: None });
        }
    }

    fn inside(&mut self, activation: u32, event: &Event) {
        if let Event::Block { block } = *event {
            let run = self.runs.len() as u32;
            let previous = self.activations[activation as usize].current.replace(run);
            self.runs.push(Run { block, activation, previous });
            self.by_block.entry((activation, block)).or_default().push(run);
            return;
        }
        let Some(run) = self.activations[activation as usize].current else { return };
        let Some((at, address, bytes)) = read_by(event) else { return };
        let mut numbers = Vec::new();
        self.memory.writers(address, bytes, |write, _| numbers.push(write.number));
        numbers.retain(|n| *n != 0);
        numbers.dedup();
        self.reads.extend(numbers.into_iter().map(|n| (Step::new(run, at), n)));
    }

    /// Ready for slices.
    pub fn finish(mut self) -> Slicer {
        self.reads.sort_unstable();
        self.reads.dedup();
        Slicer { history: self }
    }
}

/// Instruction and range that an event reads.
fn read_by(event: &Event) -> Option<(u32, u64, u64)> {
    match *event {
        Event::Load { at, address, bytes } | Event::Copy { at, from: address, bytes, .. } => {
            Some((at, address, bytes))
        }
        Event::Outside { at, effect: Effect::Reads { address, bytes } } => Some((at, address, bytes)),
        Event::Outside { at, effect: Effect::Copies { from, bytes, .. } } => Some((at, from, bytes)),
        _ => None,
    }
}

/// A finished history.
pub struct Slicer {
    history: History,
}

impl Slicer {
    /// All executions of an instruction, in order.
    pub fn steps_of<'a>(&'a self, program: &'a impl Static, at: u32) -> impl Iterator<Item = Step> + 'a {
        let block = program.block_of(at);
        let runs = self.history.runs.iter().zip(0u32..);
        runs.filter(move |(r, _)| r.block == block).map(move |(_, run)| Step::new(run, at))
    }

    /// Was the slice's history cut?
    pub fn is_cut(&self) -> bool {
        self.history.cut
    }

    /// Everything that `criterion` depends on, itself included.
    pub fn backward(&self, program: &impl Static, criterion: Step) -> BTreeSet<Step> {
        let mut slice = BTreeSet::from([criterion]);
        let mut pending = vec![criterion];
        while let Some(step) = pending.pop() {
            for found in self.dependences(program, step) {
                if slice.insert(found) {
                    pending.push(found);
                }
            }
        }
        slice
    }

    /// What a step depends on directly.
    pub fn dependences(&self, program: &impl Static, step: Step) -> Vec<Step> {
        let mut found = Vec::new();
        let Some(run) = self.history.runs.get(step.run as usize).copied() else { return found };
        found.extend(self.controller(program, step.run, run));
        if step.site {
            for source in program.callee(step.at) {
                self.source(program, step, source, false, &mut found);
            }
            return found;
        }
        for source in program.operands(step.at, run.previous.map(|r| self.history.runs[r as usize].block)) {
            self.source(program, step, source, program.is_phi(step.at), &mut found);
        }
        let from = self.history.reads.partition_point(|(s, _)| *s < step);
        let reads = self.history.reads[from..].iter().take_while(|(s, _)| *s == step);
        found.extend(reads.filter_map(|(_, n)| self.history.writes[*n as usize - 1]));
        if program.has_result(step.at) {
            found.extend(self.history.returns.get(&step).into_iter().flatten());
        }
        found
    }

    fn source(&self, program: &impl Static, user: Step, source: Source, phi: bool, found: &mut Vec<Step>) {
        let run = self.history.runs[user.run as usize];
        match source {
            Source::Value(at) => {
                let block = program.block_of(at);
                let here = block == run.block && at < user.at && !phi;
                let end = if here { user.run + 1 } else { user.run };
                found.extend(self.latest(run.activation, block, end).map(|run| Step::new(run, at)));
            }
            Source::Parameter(index) => {
                let Some(call) = self.history.activations[run.activation as usize].caller else { return };
                for outer in program.argument(call.at, index) {
                    self.source(program, call, outer, false, found);
                }
            }
        }
    }

    /// The latest run of a block in an activation before `end`.
    fn latest(&self, activation: u32, block: u32, end: u32) -> Option<u32> {
        let runs = self.history.by_block.get(&(activation, block))?;
        runs[..runs.partition_point(|r| *r < end)].last().copied()
    }

    /// The branch that led to a run, or the call that led to its function.
    fn controller(&self, program: &impl Static, number: u32, run: Run) -> Option<Step> {
        let branches = program.controllers(run.block).into_iter();
        let taken = branches.filter_map(|at| {
            self.latest(run.activation, program.block_of(at), number).map(|run| Step::new(run, at))
        });
        let call = || self.history.activations[run.activation as usize].caller;
        taken.max().or_else(|| call().map(|c| Step { site: true, ..c }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::Frame;
    use super::*;

    /// main (blocks 0, 1, 2): 0 `store a`; 1 `store b`; 2 `load a`; 3 branch on 2; 4 (block 1) call f(load a); 5
    /// (block 2) `load c`, on which nothing depends but what follows. f (block 3): 6 `store c, parameter`; 7 return.
    struct Example;

    impl Static for Example {
        fn block_of(&self, at: u32) -> u32 {
            [0, 0, 0, 0, 1, 2, 3, 3][at as usize]
        }
        fn operands(&self, at: u32, _: Option<u32>) -> Vec<Source> {
            match at {
                3 => vec![Source::Value(2)],
                6 => vec![Source::Parameter(0)],
                _ => vec![],
            }
        }
        fn is_phi(&self, _: u32) -> bool {
            false
        }
        fn has_result(&self, _: u32) -> bool {
            false
        }
        fn callee(&self, _: u32) -> Vec<Source> {
            vec![]
        }
        fn argument(&self, call: u32, index: u32) -> Vec<Source> {
            assert_eq!((call, index), (4, 0));
            vec![Source::Value(2)]
        }
        fn controllers(&self, block: u32) -> Vec<u32> {
            if block == 1 {
                vec![3]
            } else {
                vec![]
            }
        }
    }

    const A: u64 = 0x1000;
    const B: u64 = 0x2000;
    const C: u64 = 0x3000;

    #[test]
    fn a_slice_follows_memory_parameters_and_branches_and_nothing_else() {
        let mut history = History::new(MAX_RUNS);
        let main = Frame { function: 0, call: NO_CALL };
        let calling = Frame { function: 0, call: 4 };
        let f = Frame { function: 1, call: NO_CALL };
        let store = |at, address| Event::Store { at, address, bytes: 4 };
        let load = |at, address| Event::Load { at, address, bytes: 4 };
        let events: [(&[Frame], Event); 13] = [
            (&[main], Event::Enter { function: 0 }),
            (&[main], Event::Block { block: 0 }),
            (&[main], store(0, A)),
            (&[main], store(1, B)),
            (&[main], load(2, A)),
            (&[main], Event::Block { block: 1 }),
            (&[calling], Event::Call { at: 4, callee: Some(1), address: 0 }),
            (&[calling, f], Event::Enter { function: 1 }),
            (&[calling, f], Event::Block { block: 3 }),
            (&[calling, f], store(6, C)),
            (&[calling], Event::Return { at: 7 }),
            (&[calling], Event::Block { block: 2 }),
            (&[calling], load(5, C)),
        ];
        for (stack, event) in &events {
            history.event(At { thread: 0, stack }, event);
        }
        let slicer = history.finish();
        let criterion = slicer.steps_of(&Example, 5).next().unwrap();
        let slice: Vec<u32> = slicer.backward(&Example, criterion).into_iter().map(|s| s.at).collect();
        // By run: main's first block, the call, f, the load. Not the store to B, nor f's return.
        assert_eq!(slice, [0, 2, 3, 4, 6, 5]);
        assert!(!slicer.is_cut());
    }

    #[test]
    fn a_history_keeps_to_its_limit() {
        let mut history = History::new(3);
        let stack = [Frame { function: 0, call: NO_CALL }];
        for _ in 0..10 {
            history.event(At { thread: 0, stack: &stack }, &Event::Block { block: 0 });
        }
        let slicer = history.finish();
        assert!(slicer.is_cut());
        assert_eq!(slicer.steps_of(&Example, 0).count(), 3);
    }
}
