//! A slow and simple machine that executes models of small C programs: what it sees checks what the analyses say.
//!
//! Always holds: integers and pointers only; every object has four gigabytes of its own, so that no access hits another one.

use parallax_model::*;
use std::collections::HashMap;

pub struct Machine<'a> {
    pub p: &'a Program,
    pub memory: HashMap<u64, u8>,
    next_object: u64,
    steps: usize,
}

/// Registers of one activation of a function.
pub struct Frame {
    /// The block that control comes from.
    pub from: Option<BlockId>,
    pub registers: HashMap<InstId, u64>,
    pub arguments: Vec<u64>,
}

/// The program did more than it should.
#[derive(Debug)]
pub struct TooLong;

const MAX_STEPS: usize = 20_000;
const OBJECT: u64 = 1 << 32;

fn cut(bits: u32, value: u64) -> u64 {
    value & (u64::MAX >> (64 - bits))
}

fn signed(bits: u32, value: u64) -> i64 {
    ((value << (64 - bits)) as i64) >> (64 - bits)
}

impl<'a> Machine<'a> {
    pub fn new(p: &'a Program) -> Self {
        let next_object = (p.globals.len() as u64 + 1) * OBJECT;
        let mut machine = Machine { p, memory: HashMap::new(), next_object, steps: 0 };
        for g in p.global_ids() {
            if let Some(value) = p.global(g).initialiser {
                machine.initialise((g.0 as u64 + 1) * OBJECT, value);
            }
        }
        machine
    }

    fn initialise(&mut self, at: u64, value: Operand) {
        let Operand::Const(c) = value else {
            let bits = self.p.operand_bits(value).unwrap();
            let frame = Frame { from: None, registers: HashMap::new(), arguments: vec![] };
            let number = self.value(&frame, value);
            return self.store(at, bits, number);
        };
        let constant = self.p.constant(c);
        match (&constant.kind, &self.p.ty(constant.ty).kind) {
            (ConstKind::Aggregate(elements), TypeKind::Struct(s)) => {
                s.fields.iter().zip(elements).for_each(|(f, e)| self.initialise(at + f.offset, *e));
            }
            (ConstKind::Aggregate(elements), TypeKind::Array { element, .. }) => {
                let size = self.p.ty(*element).size;
                (0..).zip(elements).for_each(|(i, e)| self.initialise(at + i * size, *e));
            }
            (ConstKind::Bytes(bytes), _) => {
                (at..).zip(bytes).for_each(|(at, b)| self.store(at, 8, u64::from(*b)));
            }
            (ConstKind::Zero, _) => {}
            other => panic!("{other:?}"),
        }
    }

    pub fn load(&self, at: u64, bits: u32) -> u64 {
        (0..u64::from(bits.div_ceil(8)))
            .rev()
            .fold(0, |v, i| v << 8 | u64::from(*self.memory.get(&(at + i)).unwrap_or(&0)))
    }

    fn store(&mut self, at: u64, bits: u32, value: u64) {
        for i in 0..u64::from(bits.div_ceil(8)) {
            self.memory.insert(at + i, (value >> (8 * i)) as u8);
        }
    }

    pub fn value(&self, frame: &Frame, operand: Operand) -> u64 {
        match operand {
            Operand::Inst(i) => frame.registers[&i],
            Operand::Arg { index, .. } => frame.arguments[index as usize],
            Operand::Int { value, .. } => value,
            Operand::Null | Operand::Undef(_) => 0,
            Operand::Global(g) => (g.0 as u64 + 1) * OBJECT,
            Operand::Const(c) => match &self.p.constant(c).kind {
                ConstKind::Gep { gep, operands } => self.address(frame, *gep, operands),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    fn address(&self, frame: &Frame, gep: GepId, operands: &[Operand]) -> u64 {
        let gep = self.p.gep(gep);
        let mut at = self.value(frame, operands[0]).wrapping_add(gep.offset as u64);
        for term in &gep.terms {
            let operand = operands[term.operand as usize];
            let index = signed(self.p.operand_bits(operand).unwrap(), self.value(frame, operand));
            at = at.wrapping_add((index as u64).wrapping_mul(term.scale));
        }
        at
    }

    /// Executes a function; `enter` is told of every block before it is executed.
    pub fn call(
        &mut self,
        f: FuncId,
        arguments: Vec<u64>,
        enter: &mut dyn FnMut(&Machine, &Frame, BlockId),
    ) -> Result<u64, TooLong> {
        let mut frame = Frame { from: None, registers: HashMap::new(), arguments };
        let mut block = self.p.func(f).entry().unwrap();
        loop {
            enter(self, &frame, block);
            self.phis(&mut frame, block);
            let mut taken = None;
            for inst in self.p.block(block).insts.iter() {
                self.steps += 1;
                if self.steps > MAX_STEPS {
                    return Err(TooLong);
                }
                match self.p.inst(inst).op {
                    Op::Phi { .. } => {}
                    Op::Ret => {
                        return Ok(self.p.operands(inst).first().map_or(0, |o| self.value(&frame, *o)));
                    }
                    op if op.is_terminator() => taken = Some(self.branch(&frame, inst)),
                    op => self.execute(&mut frame, inst, op, enter)?,
                }
            }
            frame.from = Some(block);
            block = self.p.successors(block)[taken.unwrap()];
        }
    }

    fn phis(&self, frame: &mut Frame, block: BlockId) {
        let phis = self.p.block(block).insts.iter().filter(|i| matches!(self.p.inst(*i).op, Op::Phi { .. }));
        let values: Vec<(InstId, u64)> = phis
            .map(|i| {
                let place = self.p.phi_blocks(i).iter().position(|b| Some(*b) == frame.from).unwrap();
                (i, self.value(frame, self.p.operands(i)[place]))
            })
            .collect();
        frame.registers.extend(values);
    }

    fn branch(&self, frame: &Frame, inst: InstId) -> usize {
        let operands = self.p.operands(inst);
        match self.p.inst(inst).op {
            Op::Br => 0,
            Op::CondBr => usize::from(self.value(frame, operands[0]) == 0),
            Op::Switch => {
                let value = self.value(frame, operands[0]);
                let case = operands[1..].iter().position(|c| self.value(frame, *c) == value);
                case.map_or(0, |c| c + 1)
            }
            other => panic!("{other:?}"),
        }
    }

    fn execute(
        &mut self,
        frame: &mut Frame,
        inst: InstId,
        op: Op,
        enter: &mut dyn FnMut(&Machine, &Frame, BlockId),
    ) -> Result<(), TooLong> {
        let p = self.p;
        let operands = p.operands(inst);
        let bits = p.operand_bits(Operand::Inst(inst));
        let value = |i: usize| self.value(frame, operands[i]);
        let of = |i: usize| p.operand_bits(operands[i]).unwrap();
        let result = match op {
            Op::Binary(op) => binary(op, bits.unwrap(), value(0), value(1)),
            Op::ICmp(predicate) => u64::from(predicate.holds(of(0), value(0), value(1))),
            Op::Cast(CastOp::SExt) => signed(of(0), value(0)) as u64,
            Op::Cast(_) | Op::Freeze => value(0),
            Op::Select => value(if value(0) == 1 { 1 } else { 2 }),
            Op::Gep(gep) => self.address(frame, gep, operands),
            Op::Load { .. } => self.load(value(0), bits.unwrap()),
            Op::Alloca { .. } => {
                self.next_object += OBJECT;
                self.next_object
            }
            Op::Store { .. } => {
                let (at, number, bits) = (value(1), value(0), of(0));
                self.store(at, bits, number);
                return Ok(());
            }
            Op::Call { callee: Callee::Direct(f), .. } if p.func(f).is_defined() => {
                let arguments = (0..operands.len()).map(value).collect();
                self.call(f, arguments, enter)?
            }
            // The rest of the library does nothing here.
            Op::Call { .. } => 0,
            other => panic!("{other:?}"),
        };
        frame.registers.insert(inst, bits.map_or(result, |b| cut(b, result)));
        Ok(())
    }
}

fn binary(op: BinaryOp, bits: u32, a: u64, b: u64) -> u64 {
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << (b % u64::from(bits)),
        BinaryOp::LShr => a >> (b % u64::from(bits)),
        BinaryOp::AShr => (signed(bits, a) >> (b % u64::from(bits))) as u64,
        other => panic!("{other:?}"),
    }
}
