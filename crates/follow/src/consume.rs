//! What one step of the walk does: instances compared, instances of one version only, memory, the places where the versions part.
//!
//! In: events of one version or a pair of them. Out: nodes of the graph, marks of the changes.
//!
//! Always holds: a register or byte without a node is the same in both versions as far as the recorder knows; memory that one version wrote alone is
//! compared byte by byte at the next block, call or end of the activation that both come to.

use crate::cursor::Item;
use crate::graph::{Kind, NodeId, NONE};
use crate::matcher::Matcher;
use crate::memory::ObjectId;
use crate::side::Made;
use crate::{NEW, OLD};
use parallax_model::*;
use parallax_trace::dependence::Event;

/// Objects made by one call that are matched with the other version's.
const MADE: u32 = 1 << 30;
/// Ranges that one version has written alone; of more, the bytes are taken to differ.
const PENDING: usize = 1 << 12;
/// Bytes of such a range that are compared.
const COMPARED: u64 = 1 << 16;
/// Objects that wait for their counterpart.
const WAITING: usize = 1 << 16;

impl<'p> Matcher<'_, 'p> {
    /// Takes all events up to the next one that may correspond to one of the other version.
    pub fn absorb(&mut self, side: usize) {
        while let Some(item) = self.cursors[side].peek() {
            if is_instance(&item.event) {
                return;
            }
            let Some(item) = self.cursors[side].take() else { return };
            let made = self.sides.0[side].take(&item);
            self.made(side, &item, made);
        }
    }

    fn made(&mut self, side: usize, item: &Item, made: Made) {
        match made {
            Made::Nothing => {}
            Made::Stack(inst, object) => {
                let Some(pair) = self.pairs.last().filter(|pair| pair.depth[side] == item.depth) else {
                    return;
                };
                let key = if side == NEW { Some(inst) } else { self.pairing.partner(OLD, inst) };
                if let Some(key) = key {
                    self.meet((pair.id, key.0), side, object);
                }
            }
            Made::Heap(object) => {
                let Some(frame) = self.sides.0[side].frame_mut().filter(|frame| frame.matched != 0) else {
                    return;
                };
                frame.made += 1;
                let key = (frame.matched, MADE | frame.made);
                self.meet(key, side, object);
            }
            Made::Given(object) => {
                self.given[side] += 1;
                self.meet((0, self.given[side]), side, object);
            }
            Made::Global(global, object) => self.met_global(side, global, object),
            Made::Wrote(address, bytes) => self.wrote_outside(side, address, bytes),
            Made::Copied(address, bytes) => self.copied_outside(side, address, bytes),
            Made::Read(address, bytes) => self.read_outside(side, address, bytes),
        }
    }

    fn meet(&mut self, key: (u64, u32), side: usize, object: ObjectId) {
        match self.waiting.get(&key) {
            Some((other, partner)) if *other != side => {
                let partner = *partner;
                self.waiting.remove(&key);
                let [old, new] = if side == OLD { [object, partner] } else { [partner, object] };
                self.sides.link(old, new);
            }
            _ => {
                if self.waiting.len() >= WAITING {
                    self.waiting.clear();
                }
                self.waiting.insert(key, (side, object));
            }
        }
    }

    fn met_global(&mut self, side: usize, global: GlobalId, object: ObjectId) {
        let partner = match side {
            OLD => self.pairing.global_partner(global),
            _ => self.pairing.comparison.pairs.globals_back.get(global.index()).copied().flatten(),
        };
        let partner = partner.and_then(|partner| self.sides.0[1 - side].memory.global_object(partner));
        if let Some(partner) = partner {
            let [old, new] = if side == OLD { [object, partner] } else { [partner, object] };
            self.sides.link(old, new);
        }
    }

    fn wrote_outside(&mut self, side: usize, address: u64, bytes: u64) {
        let Some((given, matched)) = self.sides.0[side].frame().map(|f| (f.given, f.matched)) else { return };
        self.sides.0[side].memory.taint(address, bytes, given);
        if matched == 0 {
            self.wait(side, address, bytes, given);
        }
    }

    /// Only if the call itself differs, more than the bytes can.
    fn copied_outside(&mut self, side: usize, address: u64, bytes: u64) {
        let Some((given, matched)) = self.sides.0[side].frame().map(|f| (f.given, f.matched)) else { return };
        if given != NONE {
            self.sides.0[side].memory.taint(address, bytes, given);
        }
        if given != NONE || matched == 0 {
            self.wait(side, address, bytes, given);
        }
    }

    fn read_outside(&mut self, side: usize, address: u64, bytes: u64) {
        let mut parents = self.sides.0[side].memory.nodes(address, bytes);
        if parents.is_empty() {
            return;
        }
        let Some((given, call)) = self.sides.0[side].frame().map(|f| (f.given, f.call)) else { return };
        if given != NONE {
            parents.push(given);
        }
        let mut at = [None; 2];
        at[side] = call;
        if let Some(frame) = self.sides.0[side].frame().filter(|frame| frame.matched != 0) {
            let partner = frame.call.and_then(|call| self.pairing.partner(side, call));
            at[1 - side] = partner;
        }
        let node = self.graph.add(Kind::Argument, at, [None; 2], &parents, 0);
        if let Some(frame) = self.sides.0[side].frame_mut() {
            frame.given = node;
        }
        for parent in parents {
            self.use_of(parent, at);
        }
        if call.is_some_and(|call| self.pairing.is_output(side, call)) {
            self.tracks.leaves(&mut self.graph, self.pairing, node, at);
        }
    }

    pub(crate) fn wait(&mut self, side: usize, address: u64, bytes: u64, node: NodeId) {
        if self.pending.len() < PENDING {
            self.pending.push((side, address, bytes, node));
        }
    }

    /// Compares what one version wrote alone with what the other has there.
    pub fn settle(&mut self) {
        for (side, address, bytes, node) in std::mem::take(&mut self.pending) {
            let Some(other) = self.sides.counterpart(side, address) else { continue };
            let mut differs = None;
            for k in 0..bytes.min(COMPARED) {
                let at = if side == OLD { [address + k, other + k] } else { [other + k, address + k] };
                let same = self.sides.same_byte(self.pairing.programs, at);
                let to = if same { NONE } else { node };
                [OLD, NEW].into_iter().for_each(|s| self.sides.0[s].memory.taint(at[s], 1, to));
                if !same {
                    differs.get_or_insert(at);
                }
            }
            if let Some(at) = differs.filter(|_| node != NONE) {
                self.left_in_memory(node, at, bytes);
            }
        }
    }

    /// Memory is not the same where one version wrote alone.
    fn left_in_memory(&mut self, node: NodeId, at: [u64; 2], bytes: u64) {
        let word = |matcher: &mut Self, side: usize| {
            let mut value = 0;
            for k in (0..bytes.min(8)).rev() {
                let program = matcher.pairing.programs[side];
                value = value << 8 | u64::from(matcher.sides.0[side].memory.byte(program, at[side] + k)?);
            }
            Some(value)
        };
        let values = [word(self, OLD), word(self, NEW)];
        let Some(known) = self.graph.node_mut(node) else { return };
        if matches!(known.kind, Kind::Only(_)) && bytes <= 8 {
            known.values = values;
        }
        let insts = known.insts;
        self.tracks.lasts(&self.graph, self.pairing, node, insts);
    }

    /// Both versions enter blocks that correspond.
    pub fn matched_blocks(&mut self, old: BlockId, new: BlockId) {
        let next = [self.cursors[OLD].take(), self.cursors[NEW].take()];
        for (side, item) in next.iter().enumerate() {
            item.iter().for_each(|item| self.leave(side, item));
        }
        // A choice among many that was made by a number that differs, and is the same all the same.
        let ends = [OLD, NEW].map(|side| {
            let block = self.sides.0[side].frame().and_then(|frame| frame.block)?;
            Some(self.pairing.programs[side].terminator(block))
        });
        if let [Some(i), Some(j)] = ends {
            if self.pairing.partner(OLD, i) == Some(j) {
                let used = self.used([i, j]);
                self.masked(&used, [i, j]);
            }
        }
        for (side, item) in next.into_iter().enumerate() {
            if let Some(item) = item {
                self.sides.0[side].take(&item);
            }
        }
        self.settle();
        if let Some(pair) = self.pairs.last_mut() {
            pair.last = [Some(old), Some(new)];
            pair.since.iter_mut().for_each(Vec::clear);
        }
    }

    /// Nodes of operands that are not the same in both versions.
    pub(crate) fn used(&mut self, insts: [InstId; 2]) -> Vec<NodeId> {
        let operands = [self.operands(OLD, insts[OLD]), self.operands(NEW, insts[NEW])];
        let node = |matcher: &Self, side: usize, operand: Operand| {
            matcher.sides.0[side].register(operand).map_or(NONE, |register| register.node)
        };
        let any = (0..2).any(|side| operands[side].iter().any(|o| node(self, side, *o) != NONE));
        if !any {
            return Vec::new();
        }
        let mut found = Vec::new();
        let pairwise = operands[OLD].len() == operands[NEW].len();
        for k in 0..operands[OLD].len().max(operands[NEW].len()) {
            let pair = [operands[OLD].get(k).copied(), operands[NEW].get(k).copied()];
            let nodes = [OLD, NEW].map(|side| pair[side].map_or(NONE, |o| node(self, side, o)));
            if nodes == [NONE; 2] {
                continue;
            }
            if let ([Some(a), Some(b)], true) = (pair, pairwise) {
                if self.sides.same_operand(self.pairing, a, b) {
                    continue;
                }
            }
            found.extend(nodes.into_iter().filter(|n| *n != NONE));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Operands that count now: of a phi, the one that was taken.
    pub(crate) fn operands(&self, side: usize, inst: InstId) -> &'p [Operand] {
        let program = self.pairing.programs[side];
        let operands = program.operands(inst);
        let blocks = program.phi_blocks(inst);
        if blocks.is_empty() {
            return operands;
        }
        let from = self.sides.0[side].frame().and_then(|frame| frame.previous);
        let taken = blocks.iter().position(|block| Some(*block) == from);
        taken.and_then(|k| operands.get(k..=k)).unwrap_or(&[])
    }
}

/// May it correspond to one of the other version?
fn is_instance(event: &Event) -> bool {
    matches!(
        event,
        Event::Enter { .. }
            | Event::Block { .. }
            | Event::Value { .. }
            | Event::Store { .. }
            | Event::Copy { .. }
            | Event::Fill { .. }
            | Event::Call { .. }
            | Event::Return { .. }
    )
}
