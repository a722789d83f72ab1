//! The two runs, walked side by side.
//!
//! In: a [`Cursor`] for each version. Out: [`Followed`].
//!
//! The walk holds a stack of pairs of activations that correspond. In the newest pair the next instance of each version is looked at: if they correspond,
//! they are compared ([`crate::consume`]); one without a partner is taken alone; if both have other partners, the versions have parted, and each goes on
//! alone to the block where they meet again, or to the end of the activation. What is called from code that is taken alone is taken alone.

use crate::compare::Sides;
use crate::cursor::{Cursor, Item};
use crate::graph::{Graph, NodeId, NONE};
use crate::marks::{Track, Tracks};
use crate::memory::ObjectId;
use crate::pairing::Pairing;
use crate::side::Side;
use crate::{NEW, OLD};
use parallax_model::{BlockId, FuncId, InstId};
use parallax_trace::dependence::Event;
use rustc_hash::FxHashMap;

/// How much is followed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Events of both runs together.
    pub instances: u64,
    /// Nodes of the graph.
    pub nodes: usize,
    /// Instances of one instruction that are told apart.
    pub per_instruction: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { instances: 50_000_000, nodes: 1 << 18, per_instruction: 32 }
    }
}

/// Why not everything was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// More than [`Limits::instances`].
    Length,
    /// The caller had enough.
    Stopped,
}

/// What there is to say about two runs.
pub struct Followed {
    pub graph: Graph,
    /// By change of the comparison.
    pub tracks: Vec<Track>,
    /// Changes in the order in which the runs met them: the sequence of seed 004 (chapter 4), as far as it was followed.
    pub met: Vec<u32>,
    pub cut: Option<Cut>,
    /// Events of each version.
    pub instances: [u64; 2],
    /// Pairs of instances that were compared.
    pub matched: u64,
    /// How often the versions parted.
    pub parted: u64,
    /// Events of other threads than the first, which are not followed.
    pub elsewhere: u64,
}

/// Two activations that correspond.
pub struct Pair {
    pub depth: [u32; 2],
    pub id: u64,
    /// Where the activations parted last.
    pub control: NodeId,
    /// The blocks of the newest match, and those that each version has entered alone since.
    pub last: [Option<BlockId>; 2],
    pub since: [Vec<BlockId>; 2],
}

pub struct Matcher<'r, 'p> {
    pub pairing: &'r Pairing<'p>,
    pub sides: Sides<'p>,
    pub cursors: [Cursor<'r>; 2],
    pub graph: Graph,
    pub tracks: Tracks,
    pub pairs: Vec<Pair>,
    /// Numbers of pairs and of calls that correspond.
    pub next: u64,
    /// Objects whose counterpart has not come up yet.
    pub waiting: FxHashMap<(u64, u32), (usize, ObjectId)>,
    /// How many of the objects that a program finds at its start each version has told of.
    pub given: [u32; 2],
    /// Memory that one version has written alone.
    pub pending: Vec<(usize, u64, u64, NodeId)>,
    /// What differs of the arguments of the newest call.
    pub passing: Vec<NodeId>,
    pub matched: u64,
    pub parted: u64,
    limits: Limits,
}

/// Follows two runs. `stop` is asked now and then.
pub fn follow<'r>(
    pairing: &'r Pairing,
    cursors: [Cursor<'r>; 2],
    limits: Limits,
    stop: &dyn Fn() -> bool,
) -> Followed {
    let base = Pair { depth: [0; 2], id: 1, control: NONE, last: [None; 2], since: [Vec::new(), Vec::new()] };
    let mut matcher = Matcher {
        pairing,
        sides: Sides(pairing.programs.map(Side::new)),
        cursors,
        graph: Graph::new(limits.per_instruction, limits.nodes),
        tracks: Tracks::new(pairing.comparison.changes.len()),
        pairs: vec![base],
        next: 2,
        waiting: FxHashMap::default(),
        given: [0; 2],
        pending: Vec::new(),
        passing: Vec::new(),
        matched: 0,
        parted: 0,
        limits,
    };
    let cut = matcher.walk(stop);
    let instances = [OLD, NEW].map(|side| matcher.cursors[side].count);
    let elsewhere = matcher.cursors[OLD].elsewhere + matcher.cursors[NEW].elsewhere;
    Followed {
        graph: matcher.graph,
        tracks: matcher.tracks.all,
        met: matcher.tracks.met,
        cut,
        instances,
        matched: matcher.matched,
        parted: matcher.parted,
        elsewhere,
    }
}

/// Events between two questions whether to stop.
const ASKED: u32 = 1 << 12;

impl Matcher<'_, '_> {
    fn walk(&mut self, stop: &dyn Fn() -> bool) -> Option<Cut> {
        let mut asked = 0;
        loop {
            asked += 1;
            if asked % ASKED == 0 && stop() {
                return Some(Cut::Stopped);
            }
            if self.cursors[OLD].count + self.cursors[NEW].count > self.limits.instances {
                return Some(Cut::Length);
            }
            self.absorb(OLD);
            self.absorb(NEW);
            let next = [self.cursors[OLD].peek().copied(), self.cursors[NEW].peek().copied()];
            if next.iter().all(Option::is_none) {
                return None;
            }
            if let Some(side) = (0..2).find(|side| next[*side].is_none()) {
                // The other one goes on: a crash, or an end in another place.
                self.ended(side);
                self.pairs.truncate(1);
                self.skip(1 - side, None, stop);
                continue;
            }
            self.step(next, stop);
        }
    }

    fn step(&mut self, next: [Option<Item>; 2], stop: &dyn Fn() -> bool) {
        // There is always the pair that stands for the whole program.
        let Some(pair) = self.pairs.last() else { return };
        let depth = pair.depth;
        let over = [OLD, NEW].map(|side| next[side].is_none_or(|item| item.depth < depth[side]));
        if over == [true, true] {
            return self.pop();
        }
        if let Some(side) = (0..2).find(|side| over[*side]) {
            self.part();
            return self.skip(1 - side, None, stop);
        }
        let (Some(old), Some(new)) = (next[OLD], next[NEW]) else { return };
        let deeper = [old.depth > depth[OLD], new.depth > depth[NEW]];
        match deeper {
            [true, true] => self.enter(old, new, stop),
            [true, false] => self.alone_below(OLD, stop),
            [false, true] => self.alone_below(NEW, stop),
            [false, false] => self.instances(old, new, stop),
        }
    }

    /// Both versions are in a function that was called from the pair.
    fn enter(&mut self, old: Item, new: Item, stop: &dyn Fn() -> bool) {
        let (Event::Enter { function: f }, Event::Enter { function: g }) = (old.event, new.event) else {
            // Not from the beginning: a handler of a signal came in between.
            self.alone_below(OLD, stop);
            return self.alone_below(NEW, stop);
        };
        let partner = self.pairing.function_partner(OLD, FuncId(f));
        if partner == Some(FuncId(g)) {
            return self.push(old, new);
        }
        let unpaired = self.pairing.function_partner(NEW, FuncId(g)).is_none();
        match (partner, unpaired) {
            (None, false) => self.alone_below(OLD, stop),
            (Some(_), true) => self.alone_below(NEW, stop),
            _ => {
                self.alone_below(OLD, stop);
                self.alone_below(NEW, stop);
            }
        }
    }

    fn push(&mut self, old: Item, new: Item) {
        for side in [OLD, NEW] {
            if let Some(item) = self.cursors[side].take() {
                self.sides.0[side].take(&item);
            }
            if let Some(frame) = self.sides.0[side].frame_mut() {
                for (parameter, node) in frame.parameters.iter_mut().zip(&self.passing) {
                    parameter.node = *node;
                }
            }
        }
        self.passing.clear();
        self.next += 1;
        self.pairs.push(Pair {
            depth: [old.depth, new.depth],
            id: self.next,
            control: NONE,
            last: [None; 2],
            since: [Vec::new(), Vec::new()],
        });
    }

    pub(crate) fn pop(&mut self) {
        self.settle();
        if self.pairs.len() > 1 {
            self.pairs.pop();
        }
    }

    /// Two instances of the pair's own code.
    fn instances(&mut self, old: Item, new: Item, stop: &dyn Fn() -> bool) {
        if let (Event::Block { block: a }, Event::Block { block: b }) = (old.event, new.event) {
            let (a, b) = (BlockId(a), BlockId(b));
            let partner = self.pairing.block_partner(OLD, a);
            return if partner == Some(b) {
                self.matched_blocks(a, b)
            } else if partner.is_none() {
                self.alone(OLD)
            } else if self.pairing.block_partner(NEW, b).is_none() {
                self.alone(NEW)
            } else {
                self.diverge(stop)
            };
        }
        if matches!(old.event, Event::Block { .. }) {
            return self.alone(OLD);
        }
        if matches!(new.event, Event::Block { .. }) {
            return self.alone(NEW);
        }
        let (Some(i), Some(j)) = (old.event.instruction(), new.event.instruction()) else {
            self.alone(OLD);
            return self.alone(NEW);
        };
        let partner = self.pairing.partner(OLD, InstId(i));
        if partner == Some(InstId(j)) && same_kind(&old.event, &new.event) {
            self.matched(old, new);
        } else if partner.is_none() {
            self.alone(OLD);
        } else if self.pairing.partner(NEW, InstId(j)).is_none() {
            self.alone(NEW);
        } else {
            self.diverge(stop);
        }
    }

    /// The versions have parted: each goes on alone to where they meet again.
    fn diverge(&mut self, stop: &dyn Fn() -> bool) {
        self.part();
        let before = [self.cursors[OLD].count, self.cursors[NEW].count];
        let Some(pair) = self.pairs.last() else { return };
        let meeting = match pair.last {
            [Some(a), Some(b)] => self.pairing.meeting([a, b]),
            _ => None,
        };
        for side in [OLD, NEW] {
            let there = meeting.map(|blocks| blocks[side]);
            let Some(pair) = self.pairs.last() else { return };
            if there.is_none_or(|block| !pair.since[side].contains(&block)) {
                self.skip(side, there, stop);
            }
        }
        self.settle();
        if before == [self.cursors[OLD].count, self.cursors[NEW].count] {
            // Both were there already, and still have nothing in common.
            self.alone(OLD);
            self.alone(NEW);
        }
    }

    /// One version goes on alone until it enters a block of the pair's activation, or leaves that.
    fn skip(&mut self, side: usize, until: Option<BlockId>, stop: &dyn Fn() -> bool) {
        let Some(depth) = self.pairs.last().map(|pair| pair.depth[side]) else { return };
        let mut asked = 0;
        while self.goes_on(&mut asked, stop) {
            self.absorb(side);
            let Some(item) = self.cursors[side].peek().copied() else { return };
            let there = matches!(item.event, Event::Block { block } if until == Some(BlockId(block)));
            if item.depth < depth || (item.depth == depth && there) {
                return;
            }
            self.alone(side);
        }
    }

    /// One version goes on alone until it is back in the pair's activation.
    fn alone_below(&mut self, side: usize, stop: &dyn Fn() -> bool) {
        let Some(depth) = self.pairs.last().map(|pair| pair.depth[side]) else { return };
        let mut asked = 0;
        while self.goes_on(&mut asked, stop) {
            self.absorb(side);
            match self.cursors[side].peek() {
                Some(item) if item.depth > depth => self.alone(side),
                _ => return,
            }
        }
    }

    fn goes_on(&self, asked: &mut u32, stop: &dyn Fn() -> bool) -> bool {
        *asked += 1;
        let within = self.cursors[OLD].count + self.cursors[NEW].count <= self.limits.instances;
        within && (*asked % ASKED != 0 || !stop())
    }
}

fn same_kind(old: &Event, new: &Event) -> bool {
    std::mem::discriminant(old) == std::mem::discriminant(new)
}
