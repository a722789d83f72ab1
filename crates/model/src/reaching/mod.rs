//! Reaching definitions for memory: which stores a load can see.
//!
//! In: memory accesses and call edges. Out: for an instruction that reads memory, the instructions that can have written what it
//! reads (stores, and calls of external functions or intrinsics that write), and whether the initial content can still be there.
//!
//! Each abstract place (cell) is a problem of its own, solved when it is first asked for: functions are summarised from callees to callers (what
//! their writes leave behind, and whether they let through what was there), then values are handed from callers to callees; so only paths that
//! return where they were called from count. A store to exactly one place of an object of which there is only one at a time overwrites it; other stores add.
//! Places of other objects are solved likewise, without overwriting, if the functions concerned have at most [`Limits::blocks`] blocks. Elsewhere, where too many
//! instructions touch a place, and when all places together have cost [`Limits::effort`], every write that can touch the place counts.
//!
//! Always holds: nothing that a run shows is missing, as far as the points-to analysis misses nothing. Code that runs at any time (handlers of signals,
//! threads, at the end of the program) is taken to have written always, and to see all writes; so does a return of `setjmp`.

mod problem;

use crate::ir::*;
use crate::memory::{Memory, TO_END};
use crate::mod_ref::Edges;
use crate::points_to::{CellId, ObjectKind, SparseSet};
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
    /// Places that one instruction can read; where there are more, none of them is followed for it.
    pub places: usize,
    /// Writers of places that are not followed that have edges of their own in the dependence graph, for one reader.
    pub direct: usize,
}

/// Accesses that are looked at in about the time that a block takes.
const LOOKED_AT_AT_ONCE: usize = 16;
/// Writers that a set holds in about the room of one.
const WRITERS_AT_ONCE: usize = 32;

impl Default for Limits {
    fn default() -> Self {
        Limits { blocks: 4000, touching: 2000, effort: 3_000_000, places: 400, direct: 64 }
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
    /// All that can touch it.
    All,
}

/// What can have written some places, before it is spelt out.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Of places that were followed.
    pub writers: SparseSet,
    /// The other places: whatever can touch them ([`Reaching::all_writers`]).
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
        Reaching { memory, edges, limits, calls, twice, any_time, solved: FxHashMap::default(), spent: 0 }
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
        if let Some(others) = self.all_writers(&found.not_followed, usize::MAX) {
            found.writers.union(&others);
        }
        Definitions { writers: found.writers.iter().map(InstId).collect(), initial: found.initial }
    }

    /// Whatever can touch some places; nothing if these are more than `most` instructions.
    pub fn all_writers(&self, cells: &[CellId], most: usize) -> Option<SparseSet> {
        let (mut groups, mut writers) = (FxHashSet::default(), FxHashSet::default());
        for touched in cells.iter().flat_map(|c| self.memory.writers_of(*c)) {
            for group in touched.groups.iter().filter(|g| groups.insert(**g)) {
                writers.extend(self.memory.write_group(*group).insts.iter().map(|w| w.0));
                if writers.len() > most {
                    return None;
                }
            }
        }
        let mut writers: Vec<u32> = writers.into_iter().collect();
        writers.sort_unstable();
        Some(writers.into_iter().collect())
    }

    /// As [`Reaching::definitions_at`], where writes that cannot be told apart are not spelt out.
    pub fn sources(&mut self, reader: InstId, cells: impl Iterator<Item = CellId>) -> Sources {
        let mut sources = Sources::default();
        let cells: Vec<CellId> = cells.collect();
        if cells.len() > self.limits.places {
            return Sources { not_followed: cells, initial: true, ..sources };
        }
        for cell in cells {
            match self.answer(cell) {
                Answer::Followed(solution) => {
                    let Some(found) = solution.get(&reader) else { continue };
                    sources.initial |= found.initial;
                    found.writers.iter().for_each(|w| {
                        sources.writers.insert(w.0);
                    });
                }
                Answer::All => {
                    sources.initial = true;
                    sources.not_followed.push(cell);
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
            return Answer::All;
        }
        let Some((hits, readers)) = self.touching(cell) else { return Answer::All };
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
            return Answer::All;
        }
        self.spent += cost;
        Answer::Followed(Rc::new(Problem::new(self, funcs, writers, readers, home).solve()))
    }

    /// Groups of writes that can touch a place, each with where it writes, and instructions that read there; nothing if they are too many.
    fn touching(&self, cell: CellId) -> Option<(Vec<(u32, CellId)>, Vec<InstId>)> {
        let memory = self.memory;
        let mut room = self.limits.touching;
        let mut readers: Vec<InstId> = Vec::new();
        let here = memory.readers(memory.points_to.cell(cell).object).iter().filter(|t| t.cell == cell);
        for group in here.flat_map(|t| &t.groups) {
            let insts = &memory.read_group(*group).insts;
            room = room.checked_sub(insts.len())?;
            readers.extend(insts);
        }
        readers.sort_unstable();
        readers.dedup();
        let (mut hits, mut seen) = (Vec::new(), FxHashSet::default());
        for touched in memory.writers_of(cell) {
            for group in &touched.groups {
                if seen.insert(*group) {
                    room = room.checked_sub(memory.write_group(*group).insts.len())?;
                }
                hits.push((*group, touched.cell));
            }
        }
        Some((hits, readers))
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
