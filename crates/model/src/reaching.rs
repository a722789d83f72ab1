//! Reaching definitions for memory: which stores a load can see.
//!
//! In: memory accesses and call edges. Out: for an instruction that reads memory, the instructions that can have written what it
//! reads (stores, and calls of external functions or intrinsics that write), and whether the initial content can still be there.
//!
//! Each abstract place (cell) is a problem of its own, solved when it is first asked for: functions are summarised from callees to callers (what
//! their writes leave behind, and whether they let through what was there), then values are handed from callers to callees; so only paths that
//! return where they were called from count. A store to exactly one place of an object of which there is only one at a time overwrites it; other stores add.
//! Places of other objects are solved likewise, without overwriting, if the functions concerned have at most [`Limits::blocks`] blocks, and else
//! every write that can touch the place counts.
//!
//! Always holds: nothing that a run shows is missing, as far as the points-to analysis misses nothing. Code that runs at any time (handlers of signals,
//! threads, at the end of the program) is taken to have written always, and to see all writes; so does a return of `setjmp`.

use crate::ir::*;
use crate::memory::{Hit, Memory, TO_END};
use crate::mod_ref::Edges;
use crate::points_to::{CellId, ObjectKind, SparseSet};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Where precision gives way to bounded effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Blocks of the functions through which one place that is never overwritten is followed.
    pub blocks: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { blocks: 4000 }
    }
}

/// What can have written what an instruction reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// Ascending.
    pub writers: Vec<InstId>,
    /// The content may be from before: an initialiser, nothing, or the world outside.
    pub initial: bool,
}

/// By reader. Readers of a place that is not followed share what they see.
type Solution = FxHashMap<InstId, Rc<Definitions>>;

pub struct Reaching<'a> {
    memory: &'a Memory<'a>,
    edges: &'a Edges,
    limits: Limits,
    /// Calls of functions with a body, by calling function.
    calls: Vec<Vec<(InstId, FuncId)>>,
    /// Calls that return twice.
    twice: Vec<InstId>,
    /// Functions that may run at any time.
    any_time: FxHashSet<FuncId>,
    solved: FxHashMap<CellId, Rc<Solution>>,
    /// Sets of writers of places that are not followed.
    shared: FxHashMap<Vec<InstId>, Rc<Definitions>>,
}

/// External functions whose callbacks run at any time, as those of unknown functions do.
const REGISTRARS: [&str; 8] = [
    "signal",
    "sigaction",
    "pthread_create",
    "bsd_signal",
    "sysv_signal",
    "atexit",
    "on_exit",
    "__cxa_atexit",
];

impl<'a> Reaching<'a> {
    pub fn new(memory: &'a Memory<'a>, edges: &'a Edges, limits: Limits) -> Self {
        let program = memory.program;
        let mut calls = vec![Vec::new(); program.defined as usize];
        let mut roots = Vec::new();
        for &(call, func, callback) in memory.points_to.all_targets() {
            if !program.func(func).is_defined() {
                continue;
            }
            calls[program.func_of(call).index()].push((call, func));
            let registers = |f: FuncId| {
                REGISTRARS.contains(&program.func(f).name.as_str())
                    || memory.points_to.unknown_functions.binary_search(&f).is_ok()
            };
            if callback && memory.points_to.targets(call).any(registers) {
                roots.push(func);
            }
        }
        let mut any_time = FxHashSet::default();
        while let Some(func) = roots.pop() {
            if any_time.insert(func) {
                roots.extend(&edges.callees[func.index()]);
            }
        }
        let returns_twice = |i: &InstId| program.inst(*i).op.call().is_some_and(|c| c.2.returns_twice);
        let twice = program.inst_ids().filter(returns_twice).collect();
        Reaching {
            memory,
            edges,
            limits,
            calls,
            twice,
            any_time,
            solved: FxHashMap::default(),
            shared: FxHashMap::default(),
        }
    }

    /// What can have written what `reader` (a load, or a call that reads memory itself) reads.
    pub fn definitions(&mut self, reader: InstId) -> Definitions {
        let memory = self.memory;
        let mut cells = SparseSet::default();
        memory.reads(reader).iter().for_each(|access| {
            cells.union(&access.cells);
        });
        self.definitions_at(reader, cells.iter().map(CellId))
    }

    /// As [`Reaching::definitions`], of some of the places that it reads.
    pub fn definitions_at(&mut self, reader: InstId, cells: impl Iterator<Item = CellId>) -> Definitions {
        let mut seen = FxHashSet::default();
        let mut writers = SparseSet::default();
        let mut initial = false;
        for cell in cells {
            let solution = self.solution(cell);
            let Some(found) = solution.get(&reader) else { continue };
            initial |= found.initial;
            // Many places have the same writers, and say so by being the same value.
            if seen.insert(Rc::as_ptr(found)) {
                found.writers.iter().for_each(|w| {
                    writers.insert(w.0);
                });
            }
        }
        Definitions { writers: writers.iter().map(InstId).collect(), initial }
    }

    /// For one place: every instruction that reads it, with what can have written it.
    pub fn solution(&mut self, cell: CellId) -> Rc<Solution> {
        if let Some(known) = self.solved.get(&cell) {
            return known.clone();
        }
        let solution = Rc::new(self.solve(cell));
        self.solved.insert(cell, solution.clone());
        solution
    }

    fn solve(&mut self, cell: CellId) -> Solution {
        let program = self.memory.program;
        let single = self.memory.is_single(cell, |f| self.edges.is_recursive(f));
        let strong = single && self.memory.points_to.cell(cell).is_exact();
        let mut writers: Vec<(InstId, bool)> = Vec::new();
        for hit in self.memory.writers(cell).iter().filter(|h| self.memory.affects(h, cell)) {
            let kills = strong && self.overwrites(hit, cell);
            match writers.last_mut() {
                Some(last) if last.0 == hit.inst => last.1 |= kills,
                _ => writers.push((hit.inst, kills)),
            }
        }
        let mut readers: Vec<InstId> =
            self.memory.readers(cell).iter().filter(|h| h.cell == cell).map(|h| h.inst).collect();
        readers.dedup();
        let home = match self.memory.points_to.kind_of(cell) {
            ObjectKind::Stack(alloca) if single => Some(program.func_of(alloca)),
            _ => None,
        };
        let touching = writers.iter().map(|w| w.0).chain(readers.iter().copied());
        let funcs = self.edges.with_callers(touching.map(|i| program.func_of(i)), |f| Some(f) == home);
        let blocks: usize = funcs.iter().map(|f| program.func(*f).blocks.len()).sum();
        if !strong && blocks > self.limits.blocks {
            let writers: Vec<InstId> = writers.iter().map(|w| w.0).collect();
            let fresh = || Rc::new(Definitions { writers: writers.clone(), initial: true });
            let all = self.shared.entry(writers.clone()).or_insert_with(fresh).clone();
            return readers.into_iter().map(|r| (r, all.clone())).collect();
        }
        Problem::new(self, funcs, writers, readers, home).solve()
    }

    /// Does a write set every byte of the place, whenever it is executed?
    fn overwrites(&self, hit: &Hit, cell: CellId) -> bool {
        let (written, place) = (self.memory.points_to.cell(hit.cell), self.memory.points_to.cell(cell));
        let sets_all = !matches!(self.memory.program.inst(hit.inst).op, Op::CmpXchg { .. });
        let one = self.memory.writes(hit.inst).iter().map(|a| a.cells.len()).sum::<usize>() == 1;
        let end = |offset: i32, size: u32| i64::from(offset) + i64::from(size);
        sets_all
            && one
            && hit.size < TO_END
            && written.is_exact()
            && written.offset <= place.offset
            && end(written.offset, hit.size) >= end(place.offset, self.memory.widest(cell))
    }
}

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
struct Problem<'r, 'a> {
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
    fn new(
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

    fn solve(mut self) -> Solution {
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
        let mut solution: FxHashMap<InstId, Definitions> = FxHashMap::default();
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
        solution.into_iter().map(|(reader, found)| (reader, Rc::new(found))).collect()
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
