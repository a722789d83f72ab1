//! Where a value comes from: backwards through registers, memory, arguments and results, to the places where a constant enters.
//!
//! In: an operand. Out: places, each with the value that the operand has if it comes from there, if that can be told.
//!
//! Always holds: bounded effort, so that places may be missing; a value is said only if every step between the constant and the operand is an operation
//! on it and constants.

use crate::decisions::Definition;
use crate::numbers::Numbers;
use crate::settings::Settings;
use parallax_model::calls::{is_plain_call, CallGraph};
use parallax_model::reaching::Reaching;
use parallax_model::*;
use std::collections::{BTreeSet, HashSet};

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Int(u64),
    Func(FuncId),
    /// The address of a variable: not null.
    Address,
}

/// An operation with constants, on a value of so many bits.
#[derive(Clone, Copy, Debug)]
enum Step {
    Compare { predicate: IntPredicate, bits: u32, with: u64 },
    Binary { op: BinaryOp, bits: u32, with: u64 },
    Extend { signed: bool, from: u32, to: u32 },
    Cut { bits: u32 },
}

/// A value on the way back, and what is done with it from there on, the last step first. `None`: that cannot be told.
type Steps = Option<Vec<Step>>;

struct Walk {
    pending: Vec<(Operand, Steps, Option<Definition>)>,
    seen: HashSet<Operand>,
    found: BTreeSet<(Option<Value>, Definition)>,
}

pub struct Origins<'a> {
    pub program: &'a Program,
    pub calls: &'a CallGraph,
    pub numbers: &'a Numbers,
    pub reaching: Option<Reaching<'a>>,
    pub settings: Settings,
}

impl Origins<'_> {
    /// See the module.
    pub fn of(&mut self, operand: Operand) -> Vec<(Option<Value>, Definition)> {
        let mut walk = Walk { pending: vec![], seen: HashSet::new(), found: BTreeSet::new() };
        walk.pending.push((operand, Some(vec![]), None));
        for _ in 0..self.settings.steps {
            let Some((operand, steps, place)) = walk.pending.pop() else { break };
            self.step(operand, steps, place, &mut walk);
        }
        walk.found.into_iter().take(self.settings.definitions).collect()
    }

    fn step(&mut self, operand: Operand, steps: Steps, place: Option<Definition>, walk: &mut Walk) {
        let constant = match operand {
            Operand::Int { value, .. } => Some(Value::Int(value)),
            Operand::Null => Some(Value::Int(0)),
            Operand::Func(f) => Some(Value::Func(f)),
            Operand::Global(_) => Some(Value::Address),
            _ => None,
        };
        if let (Some(constant), Some(place)) = (constant, place) {
            let value = steps
                .and_then(|steps| steps.iter().rev().try_fold(constant, |value, step| apply(value, *step)));
            walk.found.insert((value, place));
            return;
        }
        match operand {
            Operand::Arg { func, index } if walk.seen.insert(operand) => {
                self.argument(func, index, steps, walk)
            }
            Operand::Inst(inst) if walk.seen.insert(operand) => self.result(inst, steps, place, walk),
            _ => {}
        }
    }

    fn argument(&self, func: FuncId, index: u32, steps: Steps, walk: &mut Walk) {
        for site in self.calls.callers(func).filter(|site| is_plain_call(self.program, *site, func)) {
            if let Some(given) = self.program.call_arguments(site).get(index as usize) {
                walk.pending.push((*given, steps.clone(), self.place(site)));
            }
        }
    }

    fn result(&mut self, inst: InstId, steps: Steps, place: Option<Definition>, walk: &mut Walk) {
        let program = self.program;
        let operands = program.operands(inst);
        let bits = operands.first().and_then(|o| program.operand_bits(*o));
        let constant = |n: usize| match operands.get(n) {
            Some(Operand::Int { value, .. }) => Some(*value),
            Some(Operand::Null) => Some(0),
            _ => None,
        };
        let then = |step: Step| steps.clone().map(|steps| [&steps[..], &[step]].concat());
        match program.inst(inst).op {
            Op::ICmp(predicate) => match (bits, constant(0), constant(1)) {
                (Some(bits), None, Some(with)) => {
                    walk.pending.push((operands[0], then(Step::Compare { predicate, bits, with }), place));
                }
                (Some(bits), Some(with), None) => {
                    let step = Step::Compare { predicate: predicate.swapped(), bits, with };
                    walk.pending.push((operands[1], then(step), place));
                }
                _ => walk.pending.extend(operands.iter().map(|o| (*o, None, place))),
            },
            Op::Binary(op) => {
                // A counter: how often it is executed decides.
                walk.found.extend(self.place(inst).map(|here| (None, here)));
                match (bits, constant(1)) {
                    (Some(bits), Some(with)) => {
                        walk.pending.push((operands[0], then(Step::Binary { op, bits, with }), place));
                    }
                    _ => walk.pending.extend(operands.iter().map(|o| (*o, None, place))),
                }
            }
            Op::Cast(op) => {
                let to = program.operand_bits(Operand::Inst(inst));
                let step = bits.zip(to).map(|(from, to)| match op {
                    CastOp::Trunc => Step::Cut { bits: to },
                    _ => Step::Extend { signed: op == CastOp::SExt, from, to },
                });
                walk.pending.push((operands[0], step.and_then(then), place));
            }
            Op::Freeze => walk.pending.push((operands[0], steps, place)),
            Op::Select => {
                let here = self.place(inst);
                walk.pending.extend(operands[1..].iter().map(|o| (*o, steps.clone(), here)));
            }
            Op::Phi { .. } => self.phi(inst, steps, walk),
            Op::Load { .. } => self.load(inst, steps, walk),
            op if op.call().is_some() => self.call(inst, steps, walk),
            _ => {}
        }
    }

    fn phi(&self, inst: InstId, steps: Steps, walk: &mut Walk) {
        let (program, to) = (self.program, self.program.inst(inst).block);
        for (value, from) in program.operands(inst).iter().zip(program.phi_blocks(inst)) {
            let edge = program.successors(*from).iter().position(|s| *s == to);
            let edge = edge.filter(|_| program.successors(*from).len() > 1);
            let edge = edge.and_then(|successor| self.numbers.edge(*from, successor as u32));
            let place = self.numbers.of(*from).map(|block| Definition { block, edge });
            walk.pending.push((*value, steps.clone(), place));
        }
    }

    fn load(&mut self, inst: InstId, steps: Steps, walk: &mut Walk) {
        let program = self.program;
        let Some(reaching) = &mut self.reaching else { return };
        let bits = program.operand_bits(Operand::Inst(inst));
        for writer in reaching.definitions(inst).writers.into_iter().take(self.settings.steps) {
            let place =
                self.numbers.of(program.inst(writer).block).map(|block| Definition { block, edge: None });
            let operands = program.operands(writer);
            match program.inst(writer).op {
                Op::Store { .. } if program.operand_bits(operands[0]) == bits => {
                    walk.pending.push((operands[0], steps.clone(), place));
                }
                _ => walk.found.extend(place.map(|place| (None, place))),
            }
        }
    }

    fn call(&self, inst: InstId, steps: Steps, walk: &mut Walk) {
        let program = self.program;
        let plain = self.calls.callees(inst).iter().filter(|f| is_plain_call(program, inst, **f));
        for f in plain.filter(|f| program.func(**f).is_defined()) {
            for block in program.func(*f).blocks.iter() {
                let end = program.terminator(block);
                if let (Op::Ret, Some(value)) = (program.inst(end).op, program.operands(end).first()) {
                    walk.pending.push((*value, steps.clone(), self.place(end)));
                }
            }
        }
    }

    fn place(&self, inst: InstId) -> Option<Definition> {
        let block = self.numbers.of(self.program.inst(inst).block)?;
        Some(Definition { block, edge: None })
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

fn apply(value: Value, step: Step) -> Option<Value> {
    let value = match (value, step) {
        (Value::Int(value), _) => value,
        // An address is only ever compared with null here.
        (_, Step::Compare { predicate: IntPredicate::Eq, with: 0, .. }) => return Some(Value::Int(0)),
        (_, Step::Compare { predicate: IntPredicate::Ne, with: 0, .. }) => return Some(Value::Int(1)),
        _ => return None,
    };
    Some(Value::Int(match step {
        Step::Compare { predicate, bits, with } => u64::from(predicate.holds(bits, value, with)),
        Step::Cut { bits } => value & mask(bits),
        Step::Extend { signed: false, from, .. } => value & mask(from),
        Step::Extend { signed: true, from, to } => {
            let unused = 64 - from.clamp(1, 64);
            (((value << unused) as i64) >> unused) as u64 & mask(to)
        }
        Step::Binary { op, bits, with } => binary(op, value, with)? & mask(bits),
    }))
}

fn binary(op: BinaryOp, value: u64, with: u64) -> Option<u64> {
    Some(match op {
        BinaryOp::Add => value.wrapping_add(with),
        BinaryOp::Sub => value.wrapping_sub(with),
        BinaryOp::Mul => value.wrapping_mul(with),
        BinaryOp::And => value & with,
        BinaryOp::Or => value | with,
        BinaryOp::Xor => value ^ with,
        BinaryOp::Shl => value.checked_shl(with.try_into().ok()?)?,
        BinaryOp::LShr => value.checked_shr(with.try_into().ok()?)?,
        _ => return None,
    })
}
