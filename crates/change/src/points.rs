//! The new program's control flow between marked places (changed blocks, interaction locations), as one graph (seed 004, definition 14).
//!
//! In: the program, its call graph, marked instructions. Out: for every place and for the start of the
//! program, which places, or the end of the program, control can reach without passing through another one.
//!
//! Always holds: only functions that hold a place or lead to one by calls are looked at; nothing recurses. A call is passed
//! only if its callee can return without passing a place. A call of `longjmp` leads behind every call of `setjmp`; where there is none, it is an end.

use crate::reach::World;
use parallax_model::graph::{components, Graph};
use parallax_model::*;
use std::collections::{BTreeSet, HashMap};

/// A place in the control flow: instructions of one block.
pub struct Place {
    pub block: BlockId,
    /// In order.
    pub insts: Vec<InstId>,
}

/// Where control can come to next, by number of the place; the last number is the end of the program.
pub struct Next {
    /// By place.
    pub after: Vec<BTreeSet<usize>>,
    pub after_start: BTreeSet<usize>,
}

/// A part of a block: what is executed in one go.
#[derive(Clone, Copy)]
enum Item {
    /// A marked place begins.
    Mark(usize),
    Call(InstId),
}

struct Points<'w> {
    world: &'w World<'w>,
    starts: Vec<FuncId>,
    places: &'w [Place],
    relevant: Vec<bool>,
    /// With the instruction at which each begins.
    items: HashMap<BlockId, Vec<(InstId, Item)>>,
    /// Calls behind which a far jump lands.
    landings: Vec<InstId>,
    /// Functions that can return without passing a marked place.
    clear: Vec<bool>,
    /// Place in `points` of (block, item, may leave the function).
    known: HashMap<(BlockId, usize, bool), u32>,
    points: Vec<(BlockId, usize, bool)>,
    edges: Vec<(u32, u32)>,
    /// Points at which a marked place, or the end of the program (the last number), begins.
    arrivals: Vec<(u32, usize)>,
}

pub fn next(world: &World, places: &[Place]) -> Next {
    let mut points = Points::new(world, places);
    let starts: Vec<Vec<u32>> = (0..places.len()).map(|n| points.behind(n)).collect();
    let first: Vec<u32> = world
        .starts()
        .into_iter()
        .filter_map(|f| world.program.func(f).entry())
        .map(|entry| points.point(entry, 0, true))
        .collect();
    points.grow();
    points.solve(&starts, &first)
}

impl<'w> Points<'w> {
    fn new(world: &'w World<'w>, places: &'w [Place]) -> Points<'w> {
        let program = world.program;
        let mut relevant = vec![false; program.functions.len()];
        let mut pending: Vec<FuncId> = places.iter().map(|p| program.block(p.block).func).collect();
        pending.extend(world.starts());
        let landings = world.landings();
        // Far jumps are ways between functions that have nothing else to do with the places.
        if !landings.is_empty() {
            let jumps = world.calls.sites().iter().filter(|site| world.jumps_far(**site));
            pending.extend(jumps.chain(&landings).map(|site| program.func_of(*site)));
        }
        while let Some(f) = pending.pop() {
            if !std::mem::replace(&mut relevant[f.index()], true) {
                pending.extend(world.calls.callers(f).map(|site| program.func_of(site)));
            }
        }
        let mut marks: HashMap<InstId, usize> = HashMap::new();
        for (n, place) in places.iter().enumerate() {
            marks.extend(place.insts.iter().map(|inst| (*inst, n)));
        }
        let mut points = Points {
            world,
            starts: world.starts(),
            places,
            relevant,
            items: HashMap::new(),
            landings,
            clear: Vec::new(),
            known: HashMap::new(),
            points: Vec::new(),
            edges: Vec::new(),
            arrivals: Vec::new(),
        };
        for block in program.block_ids().filter(|b| points.relevant[program.block(*b).func.index()]) {
            let items = points.cut(block, &marks);
            if !items.is_empty() {
                points.items.insert(block, items);
            }
        }
        points.clear = points.clear_functions();
        points
    }

    /// Marked places and calls of relevant functions, in order; a place begins once, unless another comes between.
    fn cut(&self, block: BlockId, marks: &HashMap<InstId, usize>) -> Vec<(InstId, Item)> {
        let program = self.world.program;
        let end = self.world.returns.end_of(program, self.world.calls, block);
        let mut items = Vec::new();
        let mut last = None;
        for inst in program.block(block).insts.iter() {
            let mark = marks.get(&inst).copied();
            if mark.is_some() && mark != last {
                items.extend(mark.map(|n| (inst, Item::Mark(n))));
                last = mark;
            }
            let callees = self.world.calls.callees(inst);
            if callees.iter().any(|f| self.relevant[f.index()]) || Some(inst) == end {
                items.push((inst, Item::Call(inst)));
            }
            if Some(inst) == end {
                break;
            }
        }
        items
    }

    fn items_of(&self, block: BlockId) -> &[(InstId, Item)] {
        self.items.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The first item behind an instruction.
    fn item_behind(&self, inst: InstId) -> (BlockId, usize) {
        let block = self.world.program.inst(inst).block;
        (block, self.items_of(block).partition_point(|(at, _)| *at <= inst))
    }

    /// Can control pass a call without passing a marked place?
    fn passes(&self, site: InstId, clear: &[bool]) -> bool {
        let goes_on = self.world.returns.goes_on(self.world.program, self.world.calls, site);
        let free = |f: &FuncId| !self.relevant[f.index()] || clear[f.index()];
        let callees = self.world.calls.callees(site);
        goes_on && (callees.is_empty() || callees.iter().any(free))
    }

    /// The least solution, from functions without calls upwards.
    fn clear_functions(&self) -> Vec<bool> {
        let program = self.world.program;
        let mut clear = vec![false; program.functions.len()];
        let mut pending: Vec<FuncId> =
            program.defined_functions().rev().filter(|f| self.relevant[f.index()]).collect();
        while let Some(f) = pending.pop() {
            if !clear[f.index()] && self.returns_clear(f, &clear) {
                clear[f.index()] = true;
                pending.extend(self.world.calls.callers(f).map(|site| program.func_of(site)));
            }
        }
        clear
    }

    fn returns_clear(&self, f: FuncId, clear: &[bool]) -> bool {
        let program = self.world.program;
        let mut seen = BTreeSet::new();
        let mut pending: Vec<BlockId> = program.func(f).entry().into_iter().collect();
        while let Some(block) = pending.pop() {
            let passable = |(_, item): &(InstId, Item)| match item {
                Item::Mark(_) => false,
                Item::Call(site) => self.passes(*site, clear),
            };
            if !seen.insert(block) || !self.items_of(block).iter().all(passable) {
                continue;
            }
            if matches!(program.inst(program.terminator(block)).op, Op::Ret) {
                return true;
            }
            pending.extend(program.successors(block));
        }
        false
    }

    fn point(&mut self, block: BlockId, item: usize, rising: bool) -> u32 {
        let next = self.points.len() as u32;
        let number = *self.known.entry((block, item, rising)).or_insert(next);
        if number == next {
            self.points.push((block, item, rising));
        }
        number
    }

    /// The points behind a place.
    fn behind(&mut self, number: usize) -> Vec<u32> {
        let block = self.places[number].block;
        let items = self.items_of(block);
        let own = |item: &Item| matches!(item, Item::Mark(n) if *n == number);
        let at: Vec<usize> = (0..items.len()).filter(|n| own(&items[*n].1)).collect();
        at.into_iter().map(|n| self.point(block, n + 1, true)).collect()
    }

    /// Into the relevant functions that a call may call.
    fn entries(&mut self, site: InstId) -> Vec<u32> {
        let callees = self.world.calls.callees(site).iter().filter(|f| self.relevant[f.index()]);
        let blocks: Vec<BlockId> = callees.filter_map(|f| self.world.program.func(*f).entry()).collect();
        blocks.into_iter().map(|entry| self.point(entry, 0, false)).collect()
    }

    /// Adds what can be reached, point by point.
    fn grow(&mut self) {
        let mut at = 0;
        while at < self.points.len() {
            let (block, item, rising) = self.points[at];
            self.follow(at as u32, block, item, rising);
            at += 1;
        }
    }

    fn follow(&mut self, from: u32, block: BlockId, item: usize, rising: bool) {
        let program = self.world.program;
        match self.items_of(block).get(item).copied() {
            Some((_, Item::Mark(number))) => self.arrivals.push((from, number)),
            Some((_, Item::Call(site))) => self.call(from, block, item, site, rising),
            None => {
                for s in program.successors(block) {
                    let to = self.point(*s, 0, rising);
                    self.edges.push((from, to));
                }
                if program.successors(block).is_empty() {
                    self.leave(from, program.block(block).func, rising);
                }
            }
        }
    }

    fn call(&mut self, from: u32, block: BlockId, item: usize, site: InstId, rising: bool) {
        for to in self.entries(site) {
            self.edges.push((from, to));
        }
        if self.world.jumps_far(site) && !self.landings.is_empty() {
            for landing in self.landings.clone() {
                let (block, item) = self.item_behind(landing);
                let to = self.point(block, item, true);
                self.edges.push((from, to));
            }
            return;
        }
        let callees = self.world.calls.callees(site);
        let outside = callees.is_empty() || callees.iter().any(|f| !self.relevant[f.index()]);
        if self.passes(site, &self.clear) {
            let to = self.point(block, item + 1, rising);
            self.edges.push((from, to));
        } else if !self.world.returns.goes_on(self.world.program, self.world.calls, site) && outside {
            self.arrivals.push((from, self.places.len()));
        }
    }

    /// Out of a function: back to whoever called it, or out of the program.
    fn leave(&mut self, from: u32, f: FuncId, rising: bool) {
        let program = self.world.program;
        if !rising {
            return;
        }
        if self.starts.contains(&f) {
            self.arrivals.push((from, self.places.len()));
        }
        for site in self.world.calls.callers(f).collect::<Vec<_>>() {
            let block = program.inst(site).block;
            let here = |item: &Item| matches!(item, Item::Call(call) if *call == site);
            let Some(at) = self.items_of(block).iter().position(|(_, item)| here(item)) else { continue };
            let to = self.point(block, at + 1, true);
            self.edges.push((from, to));
        }
    }

    /// Sets of arrivals by component, from the ends backwards.
    fn solve(&self, starts: &[Vec<u32>], first: &[u32]) -> Next {
        let graph = Graph::new(self.points.len(), &self.edges);
        let (component, count) = components(&graph);
        let words = (self.places.len() + 1).div_ceil(64);
        let mut reached = vec![vec![0u64; words]; count];
        for (point, number) in &self.arrivals {
            reached[component[*point as usize] as usize][number / 64] |= 1 << (number % 64);
        }
        let mut between: Vec<(u32, u32)> = self
            .edges
            .iter()
            .map(|(a, b)| (component[*a as usize], component[*b as usize]))
            .filter(|(a, b)| a != b)
            .collect();
        between.sort_unstable();
        between.dedup();
        // Edges lead to smaller numbers.
        for c in 0..count as u32 {
            let from = between.partition_point(|(a, _)| *a < c);
            for (_, to) in between[from..].iter().take_while(|(a, _)| *a == c) {
                let add = reached[*to as usize].clone();
                reached[c as usize].iter_mut().zip(add).for_each(|(word, more)| *word |= more);
            }
        }
        let numbers = |points: &[u32]| -> BTreeSet<usize> {
            let sets = points.iter().map(|p| &reached[component[*p as usize] as usize]);
            let member = |n: &usize| sets.clone().any(|set| set[n / 64] >> (n % 64) & 1 == 1);
            (0..=self.places.len()).filter(member).collect()
        };
        Next { after: starts.iter().map(|s| numbers(s)).collect(), after_start: numbers(first) }
    }
}
