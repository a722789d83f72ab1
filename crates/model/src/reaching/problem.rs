//! One place, followed through the functions that matter to it.
//!
//! In: who writes the place and who reads it, and the calls between their functions. Out: for each reader, who can have written what it
//! reads. Effects of functions go from callees to callers until they do not change, then contents go from callers to callees.
//!
//! Always holds: only paths count that return where they were called from.

use super::{Reaching, Solution};
use crate::ir::*;
use crate::points_to::SparseSet;
use rustc_hash::FxHashMap;

/// What happens to the place at an instruction.
#[derive(Clone, Debug)]
enum Event {
    Write {
        number: u32,
        kills: bool,
    },
    Call(Vec<usize>),
    /// A return of `setjmp`.
    Again,
    Read,
}

/// What a function does to the place.
#[derive(Clone, Debug, Default, PartialEq)]
struct Effect {
    /// Writers whose values are there at the end.
    leaves: SparseSet,
    /// What was there at the start may still be there at the end.
    through: bool,
}

/// In sets of writers: what was there when the function was entered; elsewhere: the initial content.
const ENTRY: u32 = 0;

/// One place, in the functions that matter.
pub(super) struct Problem<'r, 'a> {
    reaching: &'r Reaching<'a>,
    funcs: Vec<FuncId>,
    place: FxHashMap<FuncId, usize>,
    writers: Vec<(InstId, bool)>,
    /// By function, by block: events in order.
    events: Vec<Vec<Vec<(InstId, Event)>>>,
    effects: Vec<Effect>,
    home: Option<FuncId>,
}

impl<'r, 'a> Problem<'r, 'a> {
    pub fn new(
        reaching: &'r Reaching<'a>,
        funcs: Vec<FuncId>,
        writers: Vec<(InstId, bool)>,
        readers: Vec<InstId>,
        home: Option<FuncId>,
    ) -> Self {
        let program = reaching.memory.program;
        let place: FxHashMap<FuncId, usize> = funcs.iter().enumerate().map(|(i, f)| (*f, i)).collect();
        let events = funcs.iter().map(|f| vec![Vec::new(); program.func(*f).blocks.len()]).collect();
        let effects = vec![Effect::default(); funcs.len()];
        let mut problem = Problem { reaching, funcs, place, writers, events, effects, home };
        // Reads come first: an instruction that does both reads what was there before.
        readers.iter().for_each(|r| problem.add(*r, Event::Read));
        for i in 0..problem.writers.len() {
            let (inst, kills) = problem.writers[i];
            problem.add(inst, Event::Write { number: i as u32 + 1, kills });
        }
        for &inst in &reaching.twice {
            problem.add(inst, Event::Again);
        }
        problem.add_calls();
        for blocks in problem.events.iter_mut().flatten() {
            blocks.sort_by_key(|e| e.0);
        }
        problem
    }

    fn add(&mut self, inst: InstId, event: Event) {
        let program = self.reaching.memory.program;
        let block = program.inst(inst).block;
        let func = program.block(block).func;
        if let Some(&at) = self.place.get(&func) {
            let first = program.func(func).blocks.start;
            self.events[at][(block.0 - first) as usize].push((inst, event));
        }
    }

    fn add_calls(&mut self) {
        for at in 0..self.funcs.len() {
            let calls = &self.reaching.calls[self.funcs[at].index()];
            let mut i = 0;
            while i < calls.len() {
                let call = calls[i].0;
                let group = calls[i..].iter().take_while(|c| c.0 == call);
                let targets: Vec<usize> =
                    group.clone().filter_map(|c| self.place.get(&c.1).copied()).collect();
                let count = group.count();
                i += count;
                if !targets.is_empty() {
                    let all = self.reaching.memory.points_to.targets(call).count() == targets.len();
                    // A target outside the problem leaves the place as it is.
                    let targets =
                        if all { targets } else { targets.into_iter().chain([usize::MAX]).collect() };
                    self.add(call, Event::Call(targets));
                }
            }
        }
    }

    pub fn solve(mut self) -> Solution {
        let order = self.callees_first();
        loop {
            let mut changed = false;
            for &at in &order {
                let effect = self.effect(at);
                changed |= effect != self.effects[at];
                self.effects[at] = effect;
            }
            if !changed {
                break;
            }
        }
        let inside: Vec<Vec<(InstId, SparseSet)>> =
            (0..self.funcs.len()).map(|at| self.at_events(at)).collect();
        let entries = self.entries(&inside);
        self.read_off(&inside, &entries)
    }

    fn callees_first(&self) -> Vec<usize> {
        self.reaching.edges.order.iter().filter_map(|f| self.place.get(f).copied()).collect()
    }

    /// Contents at the start of each block.
    fn flow(&self, at: usize) -> Vec<SparseSet> {
        let program = self.reaching.memory.program;
        let blocks = program.func(self.funcs[at]).blocks;
        let mut starts = vec![SparseSet::default(); blocks.len()];
        starts[0].insert(ENTRY);
        let mut seen = vec![false; blocks.len()];
        let mut pending = std::collections::BTreeSet::from([0usize]);
        while let Some(node) = pending.pop_first() {
            seen[node] = true;
            let mut content = starts[node].clone();
            for (_, event) in &self.events[at][node] {
                self.pass(event, &mut content);
            }
            for successor in program.successors(BlockId(blocks.start + node as u32)) {
                let next = (successor.0 - blocks.start) as usize;
                if starts[next].union(&content) || !seen[next] {
                    pending.insert(next);
                }
            }
        }
        starts
    }

    fn pass(&self, event: &Event, content: &mut SparseSet) {
        match event {
            Event::Read => {}
            Event::Write { number, kills } => {
                if *kills {
                    content.clear();
                }
                content.insert(*number);
            }
            Event::Again => (0..=self.writers.len() as u32).for_each(|n| {
                content.insert(n);
            }),
            Event::Call(targets) => {
                let effect = |t: &usize| self.effects.get(*t);
                let through = targets.iter().any(|t| effect(t).is_none_or(|e| e.through));
                if !through {
                    content.clear();
                }
                for known in targets.iter().filter_map(effect) {
                    content.union(&known.leaves);
                }
            }
        }
    }

    fn effect(&self, at: usize) -> Effect {
        let program = self.reaching.memory.program;
        let blocks = program.func(self.funcs[at]).blocks;
        let mut end = SparseSet::default();
        for (node, start) in self.flow(at).into_iter().enumerate() {
            let last = program.terminator(BlockId(blocks.start + node as u32));
            if matches!(program.inst(last).op, Op::Ret) {
                let mut content = start;
                self.events[at][node].iter().for_each(|(_, e)| self.pass(e, &mut content));
                end.union(&content);
            }
        }
        let through = end.contains(ENTRY);
        Effect { leaves: end.without(&SparseSet::from_iter([ENTRY])), through }
    }

    /// Contents before every read and call.
    fn at_events(&self, at: usize) -> Vec<(InstId, SparseSet)> {
        let mut found = Vec::new();
        for (node, start) in self.flow(at).into_iter().enumerate() {
            let mut content = start;
            for (inst, event) in &self.events[at][node] {
                if matches!(event, Event::Read | Event::Call(_)) {
                    found.push((*inst, content.clone()));
                }
                self.pass(event, &mut content);
            }
        }
        found
    }

    /// What can be there when each function is entered.
    fn entries(&self, inside: &[Vec<(InstId, SparseSet)>]) -> Vec<SparseSet> {
        let mut entries = vec![SparseSet::default(); self.funcs.len()];
        let mut pending = Vec::new();
        for (at, func) in self.funcs.iter().enumerate() {
            let started = self.reaching.memory.program.func(*func).name == "main"
                || self.reaching.edges.callers[func.index()].is_empty()
                || self.home == Some(*func);
            if started {
                entries[at].insert(ENTRY);
            }
            if self.reaching.any_time.contains(func) {
                entries[at] = (0..=self.writers.len() as u32).collect();
            }
            pending.push(at);
        }
        while let Some(at) = pending.pop() {
            let program = self.reaching.memory.program;
            for (inst, content) in &inside[at] {
                let node = (program.inst(*inst).block.0 - program.func(self.funcs[at]).blocks.start) as usize;
                let given = resolve(content, &entries[at]);
                for (call, event) in &self.events[at][node] {
                    let Event::Call(targets) = event else { continue };
                    if call != inst {
                        continue;
                    }
                    for &target in targets.iter().filter(|t| **t != usize::MAX) {
                        let fresh = self.home == Some(self.funcs[target]);
                        if !fresh && entries[target].union(&given) {
                            pending.push(target);
                        }
                    }
                }
            }
        }
        entries
    }

    fn read_off(&self, inside: &[Vec<(InstId, SparseSet)>], entries: &[SparseSet]) -> Solution {
        let program = self.reaching.memory.program;
        let any_time: SparseSet = self
            .writers
            .iter()
            .zip(1u32..)
            .filter(|(w, _)| self.reaching.any_time.contains(&program.func_of(w.0)))
            .map(|(_, n)| n)
            .collect();
        let mut solution = Solution::default();
        for (at, events) in inside.iter().enumerate() {
            for (inst, content) in events {
                let mut all = resolve(content, &entries[at]);
                all.union(&any_time);
                let found = solution.entry(*inst).or_default();
                found.initial |= all.contains(ENTRY);
                found
                    .writers
                    .extend(all.iter().filter(|n| *n != ENTRY).map(|n| self.writers[n as usize - 1].0));
                found.writers.sort_unstable();
                found.writers.dedup();
            }
        }
        solution
    }
}

/// Puts what was there at the entry in its place.
fn resolve(content: &SparseSet, entry: &SparseSet) -> SparseSet {
    if !content.contains(ENTRY) {
        return content.clone();
    }
    let mut all = content.without(&SparseSet::from_iter([ENTRY]));
    all.union(entry);
    all
}
