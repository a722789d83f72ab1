//! Reaching definitions for memory: which stores a load can see.
//!
//! In: memory accesses and call edges. Out: for an instruction that reads memory, the instructions that can have written what it
//! reads (stores, and calls of external functions or intrinsics that write), and whether the initial content can still be there.
//!
//! Each abstract place (cell) is a problem of its own, solved when it is first asked for: functions are summarised from callees to callers (what
//! their writes leave behind, and whether they let through what was there), then values are handed from callers to callees; so only paths that
//! return where they were called from count. A store to exactly one place of an object of which there is only one at a time overwrites it; other stores add.
//! Places of other objects are solved likewise, without overwriting, if the functions concerned have at most [`Limits::blocks`] blocks. Elsewhere, where too many
//! instructions touch a place, and when all places together have cost [`Limits::effort`], every write that can touch the place (at the
//! end: its object) counts.
//!
//! Always holds: nothing that a run shows is missing, as far as the points-to analysis misses nothing. Code that runs at any time (handlers of signals,
//! threads, at the end of the program) is taken to have written always, and to see all writes; so does a return of `setjmp`.

mod problem;

use crate::ir::*;
use crate::memory::{Memory, TO_END};
use crate::mod_ref::Edges;
use crate::points_to::{CellId, ObjectId, ObjectKind, SparseSet};
use problem::Problem;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Where precision gives way to bounded effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Blocks of the functions through which one place that is never overwritten is followed.
    pub blocks: usize,
    /// Instructions that touch a place that is followed.
    pub touching: usize,
    /// Blocks of the functions through which places are followed, over all places; with many writers a block counts for more.
    pub effort: usize,
    /// Writers of places that are not followed that have edges of their own in the dependence graph, for one reader.
    pub direct: usize,
}

/// Accesses that are looked at in about the time that a block takes.
const LOOKED_AT_AT_ONCE: usize = 16;
/// Writers that a set holds in about the room of one.
const WRITERS_AT_ONCE: usize = 32;

impl Default for Limits {
    fn default() -> Self {
        Limits { blocks: 4000, touching: 2000, effort: 3_000_000, direct: 64 }
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

/// By reader.
type Solution = FxHashMap<InstId, Definitions>;

/// What is known about one place.
#[derive(Clone)]
enum Answer {
    Followed(Rc<Solution>),
    /// All groups of writes ([`Memory::write_group`]) that can touch it.
    All(Rc<Vec<u32>>),
}

/// What can have written some places, before it is spelt out.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Of places that were followed.
    pub writers: SparseSet,
    /// Groups of writes of the other places.
    pub groups: SparseSet,
    /// These places.
    pub not_followed: Vec<CellId>,
    pub initial: bool,
}

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
    solved: FxHashMap<CellId, Answer>,
    /// See [`Reaching::all_writers`].
    by_object: FxHashMap<ObjectId, Rc<Vec<u32>>>,
    spent: usize,
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
            by_object: FxHashMap::default(),
            spent: 0,
        }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
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
        let mut found = self.sources(reader, cells);
        for group in found.groups.iter() {
            self.memory.write_group(group).insts.iter().for_each(|w| {
                found.writers.insert(w.0);
            });
        }
        Definitions { writers: found.writers.iter().map(InstId).collect(), initial: found.initial }
    }

    /// As [`Reaching::definitions_at`], where writes that cannot be told apart are not spelt out.
    pub fn sources(&mut self, reader: InstId, cells: impl Iterator<Item = CellId>) -> Sources {
        let mut sources = Sources::default();
        for cell in cells {
            match self.answer(cell) {
                Answer::Followed(solution) => {
                    let Some(found) = solution.get(&reader) else { continue };
                    sources.initial |= found.initial;
                    found.writers.iter().for_each(|w| {
                        sources.writers.insert(w.0);
                    });
                }
                Answer::All(groups) => {
                    sources.initial = true;
                    sources.not_followed.push(cell);
                    groups.iter().for_each(|g| {
                        sources.groups.insert(*g);
                    });
                }
            }
        }
        sources
    }

    fn answer(&mut self, cell: CellId) -> Answer {
        if let Some(known) = self.solved.get(&cell) {
            return known.clone();
        }
        let answer = self.solve(cell);
        self.solved.insert(cell, answer.clone());
        answer
    }

    fn solve(&mut self, cell: CellId) -> Answer {
        let (memory, program) = (self.memory, self.memory.program);
        let object = memory.points_to.cell(cell).object;
        // Looking for who touches a place costs as well.
        self.spent += memory.writers(object).len() / LOOKED_AT_AT_ONCE;
        if self.spent >= self.limits.effort {
            return Answer::All(self.all_writers(object));
        }
        let touches = |hit: &&(u32, CellId)| {
            let size = memory.write_group(hit.0).access.size;
            memory.affects(hit.1, size, cell)
        };
        let hits: Vec<(u32, CellId)> = memory.writers(object).iter().filter(touches).copied().collect();
        let mut groups: Vec<u32> = hits.iter().map(|h| h.0).collect();
        groups.dedup();
        let mut reading: Vec<u32> =
            memory.readers(object).iter().filter(|h| h.1 == cell).map(|h| h.0).collect();
        reading.dedup();
        let count = groups.iter().map(|g| memory.write_group(*g).insts.len()).sum::<usize>()
            + reading.iter().map(|g| memory.read_group(*g).insts.len()).sum::<usize>();
        if count > self.limits.touching {
            return Answer::All(Rc::new(groups));
        }
        let mut readers: Vec<InstId> =
            reading.iter().flat_map(|g| memory.read_group(*g).insts.iter().copied()).collect();
        readers.sort_unstable();
        readers.dedup();
        let single = memory.is_single(cell, |f| self.edges.is_recursive(f));
        let strong = single && memory.points_to.cell(cell).is_exact();
        let writers = self.writers(&hits, cell, strong);
        let home = match memory.points_to.kind_of(cell) {
            ObjectKind::Stack(alloca) if single => Some(program.func_of(alloca)),
            _ => None,
        };
        let touching = writers.iter().map(|w| w.0).chain(readers.iter().copied());
        let funcs = self.edges.with_callers(touching.map(|i| program.func_of(i)), |f| Some(f) == home);
        self.spent += funcs.len();
        let blocks: usize = funcs.iter().map(|f| program.func(*f).blocks.len()).sum();
        // Sets of writers are passed on from block to block.
        let cost = blocks * (1 + writers.len() / WRITERS_AT_ONCE);
        if !strong && blocks > self.limits.blocks || self.spent + cost > self.limits.effort {
            return Answer::All(Rc::new(groups));
        }
        self.spent += cost;
        Answer::Followed(Rc::new(Problem::new(self, funcs, writers, readers, home).solve()))
    }

    /// Whatever writes any place of an object.
    fn all_writers(&mut self, object: ObjectId) -> Rc<Vec<u32>> {
        let memory = self.memory;
        let groups = self.by_object.entry(object).or_insert_with(|| {
            let mut groups: Vec<u32> = memory.writers(object).iter().map(|h| h.0).collect();
            groups.sort_unstable();
            groups.dedup();
            Rc::new(groups)
        });
        groups.clone()
    }

    /// Who writes the place, each once, and whether what was there before is gone then.
    fn writers(&self, hits: &[(u32, CellId)], cell: CellId, strong: bool) -> Vec<(InstId, bool)> {
        let mut writers: Vec<(InstId, bool)> = Vec::new();
        for (group, written) in hits {
            let size = self.memory.write_group(*group).access.size;
            for inst in &self.memory.write_group(*group).insts {
                writers.push((*inst, strong && self.overwrites(*inst, *written, size, cell)));
            }
        }
        // Of two entries of one instruction, the one that overwrites is kept.
        writers.sort_unstable_by_key(|w| (w.0, !w.1));
        writers.dedup_by_key(|w| w.0);
        writers
    }

    /// Does a write set every byte of the place, whenever it is executed?
    fn overwrites(&self, inst: InstId, written: CellId, size: u32, cell: CellId) -> bool {
        let (written, place) = (self.memory.points_to.cell(written), self.memory.points_to.cell(cell));
        let sets_all = !matches!(self.memory.program.inst(inst).op, Op::CmpXchg { .. });
        let one = self.memory.writes(inst).iter().map(|a| a.cells.len()).sum::<usize>() == 1;
        let end = |offset: i32, size: u32| i64::from(offset) + i64::from(size);
        sets_all
            && one
            && size < TO_END
            && written.is_exact()
            && written.offset <= place.offset
            && end(written.offset, size) >= end(place.offset, self.memory.widest(cell))
    }
}
