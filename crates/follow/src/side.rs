//! One version as its run goes on: activations with their registers, and memory.
//!
//! In: events. Out: what an operand is worth now, where an address points.
//!
//! Always holds: a register has the value of the newest execution of its instruction in its activation; what the recorder does not tell (values of more
//! than a word) has none.

use crate::cursor::Item;
use crate::graph::{NodeId, NONE};
use crate::memory::{Memory, ObjectId, What};
use parallax_model::*;
use parallax_trace::dependence::{Effect, Event};

#[derive(Clone, Copy, Default)]
pub struct Register {
    pub value: u64,
    pub known: bool,
    /// Not [`NONE`]: it may differ from the other version's.
    pub node: NodeId,
}

/// An activation.
#[derive(Default)]
pub struct Frame {
    first: u32,
    registers: Vec<Register>,
    pub parameters: Vec<Register>,
    pub block: Option<BlockId>,
    pub previous: Option<BlockId>,
    /// The newest read: instruction, address, bytes.
    pub load: (u32, u64, u64),
    /// The newest call; what differs of what it was given; and what the called function gave back.
    pub call: Option<InstId>,
    pub given: NodeId,
    pub returned: NodeId,
    /// Number of the match that the call is part of (0: of none), and how many objects it has made.
    pub matched: u64,
    pub made: u32,
    objects: Vec<ObjectId>,
}

/// What an event made that has to be matched with what the other version made.
#[derive(Clone, Copy)]
pub enum Made {
    Nothing,
    Stack(InstId, ObjectId),
    Heap(ObjectId),
    Given(ObjectId),
    Global(GlobalId, ObjectId),
    /// Code without instrumentation wrote, or read.
    Wrote(u64, u64),
    Read(u64, u64),
    /// … copied: what was known of the bytes is known of the copy.
    Copied(u64, u64),
}

impl Frame {
    /// What the result of the newest call comes from: what the called function gave back, or what code without instrumentation was given.
    pub fn outcome(&self) -> NodeId {
        if self.returned != NONE {
            self.returned
        } else {
            self.given
        }
    }
}

pub struct Side<'p> {
    pub program: &'p Program,
    pub frames: Vec<Frame>,
    pub memory: Memory,
    /// The newest instance.
    pub last: Option<InstId>,
    spare: Vec<Frame>,
}

impl<'p> Side<'p> {
    pub fn new(program: &'p Program) -> Side<'p> {
        Side { program, frames: Vec::new(), memory: Memory::default(), last: None, spare: Vec::new() }
    }

    pub fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    pub fn frame_mut(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Activations that were left are gone.
    pub fn leave(&mut self, depth: usize) {
        while self.frames.len() > depth {
            let Some(mut frame) = self.frames.pop() else { return };
            for object in frame.objects.drain(..) {
                self.memory.end(object);
            }
            self.spare.push(frame);
        }
    }

    fn enter(&mut self, depth: usize, function: u32) {
        self.leave(depth.saturating_sub(1));
        while self.frames.len() < depth {
            let mut frame = self.spare.pop().unwrap_or_default();
            let last = self.frames.len() + 1 == depth;
            let function = self.program.functions.get(function as usize).filter(|_| last);
            let insts = function.map_or(0..0, |f| f.insts.indices());
            let parameters = function.map_or(0, |f| f.params.len());
            frame.registers.clear();
            frame.registers.resize(insts.len(), Register::default());
            frame.parameters.clear();
            frame.parameters.resize(parameters, Register::default());
            frame.first = insts.start as u32;
            (frame.block, frame.previous, frame.call) = (None, None, None);
            (frame.given, frame.returned, frame.load) = (NONE, NONE, (u32::MAX, 0, 0));
            (frame.matched, frame.made) = (0, 0);
            self.frames.push(frame);
        }
    }

    /// Takes note of an event; its instruction's register, if it has one, differs from nothing.
    pub fn take(&mut self, item: &Item) -> Made {
        let depth = item.depth as usize;
        if let Event::Enter { function } = item.event {
            self.enter(depth, function);
            return Made::Nothing;
        }
        self.leave(depth);
        self.last = item.event.instruction().map(InstId).or(self.last);
        match item.event {
            Event::Block { block } => {
                if let Some(frame) = self.frame_mut() {
                    frame.previous = frame.block.replace(BlockId(block));
                }
            }
            Event::Value { at, value } => self.set(at, value),
            Event::Parameter { parameter, value, .. } => {
                let place = self.frame_mut().and_then(|f| f.parameters.get_mut(parameter as usize));
                if let Some(place) = place {
                    (place.value, place.known) = (value, true);
                }
            }
            Event::Load { at, address, bytes } => {
                if let Some(frame) = self.frame_mut() {
                    frame.load = (at, address, bytes);
                }
            }
            Event::Call { at, .. } => {
                if let Some(frame) = self.frame_mut() {
                    (frame.call, frame.given, frame.returned) = (Some(InstId(at)), NONE, NONE);
                    (frame.matched, frame.made) = (0, 0);
                }
            }
            Event::Stack { at, address, bytes } => {
                self.set(at, address);
                let object = self.local(What::Stack(InstId(at)), address, bytes);
                return Made::Stack(InstId(at), object);
            }
            Event::Argument { address, bytes, .. } => drop(self.local(What::Argument, address, bytes)),
            Event::Return { .. } => {}
            _ => return self.take_memory(item),
        }
        Made::Nothing
    }

    fn take_memory(&mut self, item: &Item) -> Made {
        match item.event {
            Event::Store { at, address, bytes } => {
                let value = self.stored(InstId(at)).and_then(|value| self.value(value));
                self.memory.store(address, bytes, value);
            }
            Event::Copy { to, from, bytes, .. } => self.memory.copy(self.program, to, from, bytes),
            Event::Fill { at, address, bytes } => {
                let value = self.program.operands(InstId(at)).get(1).and_then(|value| self.value(*value));
                self.memory.fill(address, bytes, value);
            }
            Event::Global { global, address, bytes } => {
                let global = GlobalId(global);
                return Made::Global(global, self.memory.begin(What::Global(global), address, bytes));
            }
            Event::Given { address, bytes } => {
                return Made::Given(self.memory.begin(What::Given, address, bytes))
            }
            Event::Outside { effect, .. } => return self.outside(effect),
            _ => {}
        }
        Made::Nothing
    }

    fn outside(&mut self, effect: Effect) -> Made {
        match effect {
            Effect::Reads { address, bytes } => return Made::Read(address, bytes),
            Effect::Writes { address, bytes } => {
                self.memory.fill(address, bytes, None);
                return Made::Wrote(address, bytes);
            }
            Effect::Copies { to, from, bytes } => {
                self.memory.copy(self.program, to, from, bytes);
                return Made::Copied(to, bytes);
            }
            Effect::Allocates { address, bytes } => {
                let call = self.frame().and_then(|frame| frame.call);
                return Made::Heap(self.memory.begin(What::Heap(call), address, bytes));
            }
            Effect::Frees { address } => self.memory.freed(address),
        }
        Made::Nothing
    }

    fn local(&mut self, what: What, address: u64, bytes: u64) -> ObjectId {
        let object = self.memory.begin(what, address, bytes);
        if let Some(frame) = self.frame_mut() {
            frame.objects.push(object);
        }
        object
    }

    fn set(&mut self, at: u32, value: u64) {
        if let Some(register) = self.register_mut(InstId(at)) {
            *register = Register { value, known: true, node: NONE };
        }
    }

    pub fn register_mut(&mut self, inst: InstId) -> Option<&mut Register> {
        let frame = self.frames.last_mut()?;
        frame.registers.get_mut(inst.0.wrapping_sub(frame.first) as usize)
    }

    /// What a store writes.
    pub fn stored(&self, store: InstId) -> Option<Operand> {
        match self.program.inst(store).op {
            Op::Store { .. } => self.program.operands(store).first().copied(),
            _ => None,
        }
    }

    pub fn register(&self, operand: Operand) -> Option<Register> {
        let frame = self.frames.last()?;
        match operand {
            Operand::Inst(i) => frame.registers.get(i.0.wrapping_sub(frame.first) as usize).copied(),
            Operand::Arg { index, .. } => frame.parameters.get(index as usize).copied(),
            _ => None,
        }
    }

    /// The operand in the newest activation, if it is known.
    pub fn value(&self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Inst(_) | Operand::Arg { .. } => {
                self.register(operand).filter(|r| r.known).map(|r| r.value)
            }
            Operand::Int { value, .. } => Some(value),
            Operand::Null => Some(0),
            Operand::Global(global) => self.memory.global(global),
            Operand::Const(constant) => self.constant(constant),
            _ => None,
        }
    }

    fn constant(&self, constant: ConstId) -> Option<u64> {
        match &self.program.constant(constant).kind {
            ConstKind::Float { kind: FloatKind::Double, bits, .. } => Some(*bits),
            ConstKind::Float { kind: FloatKind::Float, bits, .. } => {
                Some(u64::from((f64::from_bits(*bits) as f32).to_bits()))
            }
            ConstKind::Gep { gep, operands } => {
                let gep = self.program.gep(*gep);
                let base = operands.first().copied().filter(|_| gep.terms.is_empty())?;
                Some(self.value(base)?.wrapping_add_signed(gep.offset))
            }
            ConstKind::Cast { op: CastOp::PtrToInt | CastOp::IntToPtr | CastOp::BitCast, operand } => {
                self.value(*operand)
            }
            _ => None,
        }
    }

    pub fn is_pointer(&self, operand: Operand) -> bool {
        let ty = match operand {
            Operand::Inst(i) => self.program.inst(i).ty,
            Operand::Arg { func, index } => match self.program.func(func).params.get(index as usize) {
                Some(parameter) => parameter.ty,
                None => return false,
            },
            Operand::Null | Operand::Global(_) | Operand::Func(_) => return true,
            Operand::Const(c) => self.program.constant(c).ty,
            _ => return false,
        };
        matches!(self.program.ty(ty).kind, TypeKind::Ptr)
    }
}
