//! Instances: two that correspond, or one alone.
//!
//! In: events. Out: nodes, marks. See [`crate::consume`] for memory.

use crate::cursor::Item;
use crate::graph::{Kind, NodeId, NONE};
use crate::matcher::Matcher;
use crate::{NEW, OLD};
use parallax_model::*;
use parallax_trace::dependence::Event;

type Insts = [Option<InstId>; 2];

impl Matcher<'_, '_> {
    /// Two instances that correspond.
    pub fn matched(&mut self, old: Item, new: Item) {
        // Only called with events of instructions.
        let (Some(i), Some(j)) = (old.event.instruction(), new.event.instruction()) else { return };
        let insts = [InstId(i), InstId(j)];
        self.matched += 1;
        self.leave(OLD, &old);
        self.leave(NEW, &new);
        for side in [OLD, NEW] {
            let changes = self.pairing.changes_of(side, insts[side]);
            self.tracks.executed(changes);
        }
        match (old.event, new.event) {
            (Event::Value { value: a, .. }, Event::Value { value: b, .. }) => self.values(insts, [a, b]),
            (Event::Store { address: a, bytes, .. }, Event::Store { address: b, .. }) => {
                self.stores(insts, [a, b], bytes)
            }
            (Event::Copy { to: a, bytes: m, .. }, Event::Copy { to: b, bytes: n, .. })
            | (Event::Fill { address: a, bytes: m, .. }, Event::Fill { address: b, bytes: n, .. }) => {
                self.ranges(insts, [a, b], [m, n])
            }
            (Event::Call { .. }, Event::Call { .. }) => self.calls(insts),
            _ => self.returns(insts, new.depth),
        }
        // Past the phis of the block where they met, the versions are together again.
        if self.is_copy(insts[NEW]) {
            return;
        }
        if let Some(pair) = self.pairs.last_mut() {
            pair.control = NONE;
        }
    }

    /// Activations that an event shows to be over.
    pub(crate) fn leave(&mut self, side: usize, item: &Item) {
        self.sides.0[side].leave(item.depth as usize);
    }

    fn take_both(&mut self) {
        for side in [OLD, NEW] {
            if let Some(item) = self.cursors[side].take() {
                self.sides.0[side].take(&item);
            }
        }
    }

    fn values(&mut self, insts: [InstId; 2], values: [u64; 2]) {
        let used = self.used(insts);
        self.take_both();
        let ops = insts.map(Operand::Inst);
        let pointer = self.sides.0[OLD].is_pointer(ops[OLD]) && self.sides.0[NEW].is_pointer(ops[NEW]);
        let same = self.sides.same(self.pairing, values.map(Some), pointer)
            || (pointer && self.pairing.is_layout(insts[NEW]));
        let loads = [OLD, NEW].map(|side| {
            let load = self.sides.0[side].frame().map(|frame| frame.load);
            load.filter(|load| load.0 == insts[side].0).map(|(_, address, bytes)| (address, bytes))
        });
        if same {
            for side in [OLD, NEW] {
                if let (Some((address, bytes)), true) = (loads[side], used.is_empty()) {
                    self.sides.0[side].memory.clean(address, bytes);
                }
            }
            return self.masked(&used, insts);
        }
        // What a call was given has nodes of its own.
        let is_call = self.pairing.programs[NEW].inst(insts[NEW]).op.call().is_some();
        let mut parents = if is_call { Vec::new() } else { used };
        let mut own = Vec::new();
        for side in [OLD, NEW] {
            own.extend_from_slice(self.pairing.changes_of(side, insts[side]));
            if let Some((address, bytes)) = loads[side] {
                parents.extend(self.sides.0[side].memory.nodes(address, bytes));
            }
            if let Some(frame) = self.sides.0[side].frame().filter(|f| f.call == Some(insts[side])) {
                parents.push(frame.outcome());
            }
        }
        let at = insts.map(Some);
        let apart = self.came_apart(insts);
        parents.extend(apart.then(|| self.control()));
        parents.retain(|parent| *parent != NONE);
        if parents.is_empty() && own.is_empty() {
            own = self.data_changes(loads);
        }
        let own = self.graph.sets.make(own);
        let node = self.graph.add(Kind::Value, at, values.map(Some), &parents, own);
        for side in [OLD, NEW] {
            if let Some(register) = self.sides.0[side].register_mut(insts[side]) {
                register.node = node;
            }
        }
        parents.iter().for_each(|parent| self.use_of(*parent, at));
        // Of different computations that are aligned, one may be the variable and the other a part of it.
        let named = (0..2).all(|side| self.pairing.programs[side].variable_of(insts[side]).is_some());
        if named {
            self.tracks.named(&self.graph, self.pairing, node, at, self.is_copy(insts[NEW]) && !apart);
        }
    }

    /// A phi takes a value that was computed before: that is no propagation, unless the ways there differ.
    fn is_copy(&self, inst: InstId) -> bool {
        matches!(self.pairing.programs[NEW].inst(inst).op, Op::Phi { .. })
    }

    /// Did the versions come to a phi along different ways?
    fn came_apart(&self, insts: [InstId; 2]) -> bool {
        if !self.is_copy(insts[NEW]) {
            return false;
        }
        let from = [OLD, NEW].map(|side| self.sides.0[side].frame().and_then(|frame| frame.previous));
        match from {
            [Some(a), Some(b)] => self.pairing.block_partner(OLD, a) != Some(b),
            _ => false,
        }
    }

    /// Where the activation parted last.
    fn control(&self) -> NodeId {
        self.pairs.last().map_or(NONE, |pair| pair.control)
    }

    /// Changes of the first value of a variable that was read.
    fn data_changes(&mut self, loads: [Option<(u64, u64)>; 2]) -> Vec<u32> {
        let mut found = Vec::new();
        for side in [OLD, NEW] {
            let Some((address, _)) = loads[side] else { continue };
            let memory = &mut self.sides.0[side].memory;
            let object = memory.object(address).and_then(|(id, _)| memory.get(id)).map(|o| o.what);
            if let Some(crate::memory::What::Global(global)) = object {
                found.extend_from_slice(self.pairing.changes_of_global(side, global));
            }
        }
        self.tracks.executed(&found);
        found
    }

    fn stores(&mut self, insts: [InstId; 2], addresses: [u64; 2], bytes: u64) {
        let stored = [OLD, NEW].map(|side| self.sides.0[side].stored(insts[side]));
        let same_value = match stored {
            [Some(a), Some(b)] => self.sides.same_operand(self.pairing, a, b),
            _ => true,
        };
        let values = [OLD, NEW].map(|side| stored[side].and_then(|value| self.sides.0[side].value(value)));
        let same_place =
            self.sides.same(self.pairing, addresses.map(Some), true) || self.pairing.is_layout(insts[NEW]);
        let used = self.used(insts);
        self.take_both();
        if same_value && same_place {
            self.overwritten(insts, addresses, bytes);
            return self.masked(&used, insts);
        }
        let values = if same_value { [None; 2] } else { values };
        let node = self.written(insts, values, &used);
        for side in [OLD, NEW] {
            self.sides.0[side].memory.taint(addresses[side], bytes, node);
            if !same_place {
                self.wait(side, addresses[side], bytes, node);
            }
        }
    }

    /// A node for memory that was written with something else, or in another place.
    fn written(&mut self, insts: [InstId; 2], values: [Option<u64>; 2], used: &[NodeId]) -> NodeId {
        let own = self.own(insts);
        let at = insts.map(Some);
        let node = self.graph.add(Kind::Memory, at, values, used, own);
        used.iter().for_each(|parent| self.use_of(*parent, at));
        self.tracks.lasts(&self.graph, self.pairing, node, at);
        node
    }

    fn own(&mut self, insts: [InstId; 2]) -> u32 {
        let mut own = self.pairing.changes_of(OLD, insts[OLD]).to_vec();
        own.extend_from_slice(self.pairing.changes_of(NEW, insts[NEW]));
        self.graph.sets.make(own)
    }

    /// What differed there does not any more.
    fn overwritten(&mut self, insts: [InstId; 2], addresses: [u64; 2], bytes: u64) {
        for side in [OLD, NEW] {
            for node in self.sides.0[side].memory.nodes(addresses[side], bytes) {
                if let Some(node) = self.graph.node_mut(node) {
                    node.overwritten = Some(insts[NEW]);
                }
            }
            self.sides.0[side].memory.clean(addresses[side], bytes);
        }
    }

    fn ranges(&mut self, insts: [InstId; 2], to: [u64; 2], bytes: [u64; 2]) {
        let used = self.used(insts);
        let same = bytes[OLD] == bytes[NEW]
            && self.same_operands(insts)
            && self.sides.same(self.pairing, to.map(Some), true)
            && used.is_empty();
        self.take_both();
        let mut inside = Vec::new();
        for side in [OLD, NEW] {
            inside.extend(self.sides.0[side].memory.nodes(to[side], bytes[side]));
        }
        if same && inside.is_empty() {
            return;
        }
        let parents: Vec<NodeId> = used.into_iter().chain(inside).collect();
        let node = self.written(insts, [None; 2], &parents);
        for side in [OLD, NEW] {
            self.sides.0[side].memory.taint(to[side], bytes[side], node);
            self.wait(side, to[side], bytes[side], node);
        }
    }

    /// Of an instruction that changed, constants may differ, too.
    fn same_operands(&mut self, insts: [InstId; 2]) -> bool {
        if (0..2).all(|side| self.pairing.changes_of(side, insts[side]).is_empty()) {
            return true;
        }
        let [old, new] = [OLD, NEW].map(|side| self.operands(side, insts[side]));
        old.iter().zip(new).all(|(a, b)| self.sides.same_operand(self.pairing, *a, *b))
    }

    fn calls(&mut self, insts: [InstId; 2]) {
        let programs = self.pairing.programs;
        let arguments = [programs[OLD].call_arguments(insts[OLD]), programs[NEW].call_arguments(insts[NEW])];
        let changed = (0..2).any(|side| !self.pairing.changes_of(side, insts[side]).is_empty());
        let mut passing = Vec::new();
        let mut values = [None; 2];
        let used = self.used(insts);
        if changed || !used.is_empty() {
            for k in 0..arguments[OLD].len().max(arguments[NEW].len()) {
                let pair = [arguments[OLD].get(k).copied(), arguments[NEW].get(k).copied()];
                let differs = match pair {
                    [Some(a), Some(b)] => !self.sides.same_operand(self.pairing, a, b),
                    _ => true,
                };
                if differs && values == [None; 2] {
                    values = [OLD, NEW].map(|s| pair[s].and_then(|o| self.sides.0[s].value(o)));
                }
                passing.push(differs);
            }
        }
        self.take_both();
        self.settle();
        self.next += 1;
        let number = self.next;
        let at = insts.map(Some);
        let mut node = NONE;
        if passing.contains(&true) {
            let own = self.own(insts);
            node = self.graph.add(Kind::Argument, at, values, &used, own);
            used.iter().for_each(|parent| self.use_of(*parent, at));
            self.tracks.lasts(&self.graph, self.pairing, node, at);
            if self.pairing.is_output(NEW, insts[NEW]) || self.pairing.is_output(OLD, insts[OLD]) {
                self.tracks.leaves(&mut self.graph, self.pairing, node, at);
            }
        }
        for side in [OLD, NEW] {
            if let Some(frame) = self.sides.0[side].frame_mut() {
                (frame.given, frame.matched) = (node, number);
            }
        }
        self.passing = passing.into_iter().map(|differs| if differs { node } else { NONE }).collect();
    }

    fn returns(&mut self, insts: [InstId; 2], depth: u32) {
        let operands =
            [OLD, NEW].map(|side| self.pairing.programs[side].operands(insts[side]).first().copied());
        let used = self.used(insts);
        let (mut node, at) = (NONE, insts.map(Some));
        if let [Some(a), Some(b)] = operands {
            if !self.sides.same_operand(self.pairing, a, b) {
                let values = [self.sides.0[OLD].value(a), self.sides.0[NEW].value(b)];
                let own = self.own(insts);
                node = self.graph.add(Kind::Return, at, values, &used, own);
                used.iter().for_each(|parent| self.use_of(*parent, at));
                self.tracks.lasts(&self.graph, self.pairing, node, at);
                if depth == 1 {
                    self.tracks.leaves(&mut self.graph, self.pairing, node, at);
                }
            }
        }
        self.settle();
        self.take_both();
        for side in [OLD, NEW] {
            self.return_to_caller(side, node);
        }
        self.pop();
    }

    fn return_to_caller(&mut self, side: usize, node: NodeId) {
        let depth = self.sides.0[side].frames.len().saturating_sub(1);
        self.sides.0[side].leave(depth);
        if let Some(frame) = self.sides.0[side].frame_mut() {
            frame.returned = node;
        }
    }

    /// The next instance of one version, for which the other has none.
    pub fn alone(&mut self, side: usize) {
        let Some(item) = self.cursors[side].peek().copied() else { return };
        if !matches!(item.event, Event::Enter { .. }) {
            self.leave(side, &item);
        }
        let inst = item.event.instruction().map(InstId);
        let node = inst.map_or(NONE, |inst| self.only(side, inst, &item.event));
        if let Event::Enter { .. } = item.event {
            return self.enter_alone(side, &item);
        }
        if let Event::Block { block } = item.event {
            if let Some(pair) = self.pairs.last_mut().filter(|pair| pair.depth[side] == item.depth) {
                pair.since[side].push(BlockId(block));
            }
        }
        self.cursors[side].take();
        self.sides.0[side].take(&item);
        let Some(inst) = inst else { return };
        match item.event {
            Event::Value { .. } => {
                if let Some(register) = self.sides.0[side].register_mut(inst) {
                    register.node = node;
                }
            }
            Event::Store { address, bytes, .. }
            | Event::Fill { address, bytes, .. }
            | Event::Copy { to: address, bytes, .. } => {
                self.sides.0[side].memory.taint(address, bytes, node);
                self.wait(side, address, bytes, node);
            }
            Event::Call { .. } => {
                if let Some(frame) = self.sides.0[side].frame_mut() {
                    frame.given = node;
                }
                let mut at = [None; 2];
                at[side] = Some(inst);
                if self.pairing.is_output(side, inst) {
                    self.tracks.leaves(&mut self.graph, self.pairing, node, at);
                }
            }
            Event::Return { .. } => self.return_to_caller(side, node),
            _ => {}
        }
    }

    /// The node of an instance that only one version has.
    fn only(&mut self, side: usize, inst: InstId, event: &Event) -> NodeId {
        let changes = self.pairing.changes_of(side, inst);
        self.tracks.executed(changes);
        let own = self.graph.sets.make(changes.to_vec());
        let mut parents: Vec<NodeId> = Vec::new();
        let is_result = self.sides.0[side].frame().is_some_and(|frame| frame.call == Some(inst))
            && matches!(event, Event::Value { .. });
        for operand in self.operands(side, inst).iter().filter(|_| !is_result) {
            parents.extend(self.sides.0[side].register(*operand).map(|register| register.node));
        }
        let frame = self.sides.0[side].frame().map(|frame| (frame.load, frame.outcome()));
        if let (Some(((at, address, bytes), outcome)), Event::Value { .. }) = (frame, event) {
            if at == inst.0 {
                parents.extend(self.sides.0[side].memory.nodes(address, bytes));
            }
            parents.extend(is_result.then_some(outcome));
        }
        parents.push(self.control());
        parents.retain(|parent| *parent != NONE);
        let (mut at, mut values) = ([None; 2], [None; 2]);
        at[side] = Some(inst);
        if let Event::Value { value, .. } = event {
            values[side] = Some(*value);
        }
        self.graph.add(Kind::Only(side), at, values, &parents, own)
    }

    fn enter_alone(&mut self, side: usize, item: &Item) {
        let call = self.sides.0[side].frame().and_then(|frame| frame.call);
        let mut nodes = Vec::new();
        for argument in call.map_or(&[][..], |call| self.pairing.programs[side].call_arguments(call)) {
            nodes.push(self.sides.0[side].register(*argument).map_or(NONE, |register| register.node));
        }
        self.cursors[side].take();
        self.sides.0[side].take(item);
        if let Some(frame) = self.sides.0[side].frame_mut() {
            for (parameter, node) in frame.parameters.iter_mut().zip(nodes) {
                parameter.node = node;
            }
        }
    }

    /// The versions go different ways from here: a node for the decision.
    pub fn part(&mut self) {
        let Some(pair) = self.pairs.last() else { return };
        self.parted += 1;
        let (mut parents, mut own, mut at): (Vec<NodeId>, Vec<u32>, Insts) = (vec![], vec![], [None; 2]);
        let mut values = [None; 2];
        for side in [OLD, NEW] {
            let program = self.pairing.programs[side];
            for block in pair.last[side].iter().chain(&pair.since[side]) {
                let end = program.terminator(*block);
                if program.successors(*block).len() < 2 {
                    // Code that came or went decides by being there.
                    own.extend_from_slice(self.pairing.changes_of(side, end));
                    continue;
                }
                own.extend_from_slice(self.pairing.changes_of(side, end));
                let condition = program.operands(end).first().copied();
                let register = condition.and_then(|o| self.sides.0[side].register(o));
                parents.extend(register.map(|r| r.node).filter(|node| *node != NONE));
                if at[side].is_none() || !self.pairing.changes_of(side, end).is_empty() {
                    (at[side], values[side]) = (Some(end), register.filter(|r| r.known).map(|r| r.value));
                }
            }
        }
        if parents.is_empty() && own.is_empty() {
            // Nothing that differs decided it: what is executed next is there in one version only.
            own.extend(self.changes_ahead());
        }
        let own = self.graph.sets.make(own);
        let node = self.graph.add(Kind::Branch, at, values, &parents, own);
        parents.iter().for_each(|parent| self.use_of(*parent, at));
        self.tracks.lasts(&self.graph, self.pairing, node, at);
        if let Some(pair) = self.pairs.last_mut() {
            pair.control = node;
        }
    }

    /// Changes of the blocks in which the versions are.
    fn changes_ahead(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for side in [OLD, NEW] {
            let Some(block) = self.sides.0[side].frame().and_then(|frame| frame.block) else { continue };
            for inst in self.pairing.programs[side].block(block).insts.iter() {
                found.extend_from_slice(self.pairing.changes_of(side, inst));
            }
        }
        found
    }

    /// One run is over while the other goes on: what it was doing last leaves the program.
    pub fn ended(&mut self, side: usize) {
        let returned = self.sides.0[side].frames.is_empty();
        if returned || self.pairs.len() == 1 {
            return;
        }
        let mut parents = vec![self.control()];
        let inst = self.sides.0[side].last;
        if let Some(inst) = inst {
            for operand in self.operands(side, inst) {
                parents.extend(self.sides.0[side].register(*operand).map(|register| register.node));
            }
        }
        let mut at = [None; 2];
        at[side] = inst;
        let node = self.graph.add(Kind::Only(side), at, [None; 2], &parents, 0);
        self.tracks.leaves(&mut self.graph, self.pairing, node, at);
    }

    pub(crate) fn masked(&mut self, used: &[NodeId], insts: [InstId; 2]) {
        for node in used {
            self.use_of(*node, insts.map(Some));
            if let Some(node) = self.graph.node_mut(*node) {
                node.masked = Some(insts[NEW]);
            }
        }
    }

    pub(crate) fn use_of(&mut self, node: NodeId, at: Insts) {
        self.tracks.used(&self.graph, self.pairing, node, at);
        if let Some(node) = self.graph.node_mut(node) {
            node.uses += 1;
        }
    }
}
