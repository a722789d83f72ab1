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
}

/// What is known of a value on the way: which bits are 1 and which are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Bits {
        ones: u64,
        zeros: u64,
    },
    Func(FuncId),
    /// The address of a variable: not null.
    Address,
}

const NOTHING: Known = Known::Bits { ones: 0, zeros: 0 };

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

/// An operand that is still to be followed.
struct Pending {
    operand: Operand,
    steps: Steps,
    /// Where it gets into what was followed before, if it does so at a place that runs show.
    place: Option<Definition>,
}

struct Walk {
    pending: Vec<Pending>,
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

impl Walk {
    fn push(&mut self, operand: Operand, steps: Steps, place: Option<Definition>) {
        self.pending.push(Pending { operand, steps, place });
    }

    /// The operand gets this value, as far as it is known there.
    fn found(&mut self, known: Known, steps: &Steps, place: Definition) {
        let apply = |steps: &Vec<Step>| steps.iter().rev().try_fold(known, |known, step| apply(known, *step));
        let value = steps.as_ref().and_then(apply).and_then(|known| match known {
            Known::Bits { ones, zeros } if ones | zeros == u64::MAX => Some(Value::Int(ones)),
            Known::Func(f) => Some(Value::Func(f)),
            _ => None,
        });
        self.found.insert((value, place));
    }
}

impl Origins<'_> {
    /// See the module.
    pub fn of(&mut self, operand: Operand) -> Vec<(Option<Value>, Definition)> {
        let mut walk = Walk { pending: vec![], seen: HashSet::new(), found: BTreeSet::new() };
        walk.push(operand, Some(vec![]), None);
        for _ in 0..self.settings.steps {
            let Some(next) = walk.pending.pop() else { break };
            self.step(next, &mut walk);
        }
        // Those of known value come last in order, and first here.
        walk.found.into_iter().rev().take(self.settings.definitions).collect()
    }

    fn step(&mut self, next: Pending, walk: &mut Walk) {
        let Pending { operand, steps, place } = next;
        let constant = match operand {
            Operand::Int { value, .. } => Some(Known::Bits { ones: value, zeros: !value }),
            Operand::Null => Some(Known::Bits { ones: 0, zeros: u64::MAX }),
            Operand::Func(f) => Some(Known::Func(f)),
            Operand::Global(_) => Some(Known::Address),
            _ => None,
        };
        if let (Some(constant), Some(place)) = (constant, place) {
            return walk.found(constant, &steps, place);
        }
        match operand {
            Operand::Arg { func, index } if walk.seen.insert(operand) => {
                self.argument((func, index), steps, place, walk);
            }
            Operand::Inst(inst) if walk.seen.insert(operand) => self.result(inst, steps, place, walk),
            _ => {}
        }
    }

    fn argument(
        &self,
        (func, index): (FuncId, u32),
        steps: Steps,
        from: Option<Definition>,
        walk: &mut Walk,
    ) {
        for site in self.calls.callers(func).filter(|site| is_plain_call(self.program, *site, func)) {
            if let Some(given) = self.program.call_arguments(site).get(index as usize) {
                walk.push(*given, steps.clone(), self.place(site, from));
            }
        }
    }

    fn result(&mut self, inst: InstId, steps: Steps, place: Option<Definition>, walk: &mut Walk) {
        let program = self.program;
        let operands = program.operands(inst);
        let bits = operands.first().and_then(|o| program.operand_bits(*o));
        let then = |step: Step| steps.clone().map(|steps| [&steps[..], &[step]].concat());
        match program.inst(inst).op {
            Op::ICmp(predicate) => match (bits, constant(operands, 0), constant(operands, 1)) {
                (Some(bits), None, Some(with)) => {
                    walk.push(operands[0], then(Step::Compare { predicate, bits, with }), place);
                }
                (Some(bits), Some(with), None) => {
                    let step = Step::Compare { predicate: predicate.swapped(), bits, with };
                    walk.push(operands[1], then(step), place);
                }
                _ => operands.iter().for_each(|o| walk.push(*o, None, place)),
            },
            Op::Binary(op) => {
                let (one, step) = match (bits, constant(operands, 1)) {
                    (Some(bits), Some(with)) => (&operands[..1], then(Step::Binary { op, bits, with })),
                    _ => (operands, None),
                };
                // A flag among others is known whatever those are; of a counter, how often this is executed decides.
                if let Some(here) = self.place(inst, place) {
                    walk.found(NOTHING, &step, here);
                }
                one.iter().for_each(|o| walk.push(*o, step.clone(), place));
            }
            Op::Cast(op) => {
                let to = program.operand_bits(Operand::Inst(inst));
                let step = bits.zip(to).map(|(from, to)| match op {
                    CastOp::Trunc => Step::Cut { bits: to },
                    _ => Step::Extend { signed: op == CastOp::SExt, from, to },
                });
                walk.push(operands[0], step.and_then(then), place);
            }
            Op::Freeze => walk.push(operands[0], steps, place),
            Op::Select => {
                let here = self.place(inst, place);
                operands[1..].iter().for_each(|o| walk.push(*o, steps.clone(), here));
                walk.push(operands[0], None, here);
            }
            Op::Phi { .. } => self.phi(inst, steps, place, walk),
            Op::Load { .. } => self.load(inst, steps, place, walk),
            op if op.call().is_some() => self.call(inst, steps, place, walk),
            _ => {}
        }
    }

    fn phi(&self, inst: InstId, steps: Steps, place: Option<Definition>, walk: &mut Walk) {
        let (program, to) = (self.program, self.program.inst(inst).block);
        for (value, from) in program.operands(inst).iter().zip(program.phi_blocks(inst)) {
            let edge = program.successors(*from).iter().position(|s| *s == to);
            let edge = edge.filter(|_| program.successors(*from).len() > 1);
            let edge = edge.and_then(|successor| self.numbers.edge(*from, successor as u32));
            let store = place.and_then(|place| place.store);
            let here = self.numbers.of(*from).map(|block| Definition { block, edge, store });
            walk.push(*value, steps.clone(), here);
        }
    }

    fn load(&mut self, inst: InstId, steps: Steps, place: Option<Definition>, walk: &mut Walk) {
        let program = self.program;
        let Some(reaching) = &mut self.reaching else { return };
        let bits = program.operand_bits(Operand::Inst(inst));
        let writers = reaching.definitions(inst).writers;
        // A table that nobody writes: what it is read at decides.
        if let (true, Some(Operand::Inst(address))) = (writers.is_empty(), program.operands(inst).first()) {
            let indices = program.operands(*address).iter().skip(1);
            indices.for_each(|index| walk.push(*index, None, place));
        }
        for writer in writers.into_iter().take(self.settings.steps) {
            let operands = program.operands(writer);
            let Some(mut here) = self.place(writer, place) else { continue };
            match program.inst(writer).op {
                Op::Store { .. } if program.operand_bits(operands[0]) == bits => {
                    // What stands nearest to the decision is kept.
                    here.store = here.store.or(Some(here.block));
                    walk.push(operands[0], steps.clone(), Some(here));
                }
                _ => walk.found(NOTHING, &None, here),
            }
        }
    }

    fn call(&self, inst: InstId, steps: Steps, place: Option<Definition>, walk: &mut Walk) {
        let program = self.program;
        let plain = self.calls.callees(inst).iter().filter(|f| is_plain_call(program, inst, **f));
        for f in plain.filter(|f| program.func(**f).is_defined()) {
            for block in program.func(*f).blocks.iter() {
                let end = program.terminator(block);
                if let (Op::Ret, Some(value)) = (program.inst(end).op, program.operands(end).first()) {
                    walk.push(*value, steps.clone(), self.place(end, place));
                }
            }
        }
    }

    /// The block of an instruction; on the way from a decision to `from`.
    fn place(&self, inst: InstId, from: Option<Definition>) -> Option<Definition> {
        let block = self.numbers.of(self.program.inst(inst).block)?;
        Some(Definition { block, edge: None, store: from.and_then(|from| from.store) })
    }
}

fn constant(operands: &[Operand], n: usize) -> Option<u64> {
    match operands.get(n) {
        Some(Operand::Int { value, .. }) => Some(*value),
        Some(Operand::Null) => Some(0),
        _ => None,
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// `None`: nothing can be told any more.
fn apply(known: Known, step: Step) -> Option<Known> {
    let (ones, zeros) = match (known, step) {
        (Known::Bits { ones, zeros }, _) => (ones, zeros),
        // An address is only ever compared with null here.
        (_, Step::Compare { predicate: IntPredicate::Eq, with: 0, .. }) => return Some(exactly(0)),
        (_, Step::Compare { predicate: IntPredicate::Ne, with: 0, .. }) => return Some(exactly(1)),
        (Known::Func(_), Step::Extend { .. }) => return Some(known),
        _ => return None,
    };
    let full = |bits: u32| ((ones | zeros) & mask(bits) == mask(bits)).then_some(ones & mask(bits));
    match step {
        Step::Compare { predicate, bits, with } => match (full(bits), predicate) {
            (Some(value), _) => Some(exactly(predicate.holds(bits, value, with).into())),
            (None, IntPredicate::Eq | IntPredicate::Ne) => {
                let differs = (ones & !with | zeros & with) & mask(bits) != 0;
                differs.then(|| exactly((predicate == IntPredicate::Ne).into()))
            }
            _ => None,
        },
        Step::Cut { bits } | Step::Extend { signed: false, from: bits, .. } => {
            Some(Known::Bits { ones: ones & mask(bits), zeros: zeros | !mask(bits) })
        }
        Step::Extend { signed: true, from, to } => {
            let unused = 64 - from.clamp(1, 64);
            full(from).map(|value| exactly((((value << unused) as i64) >> unused) as u64 & mask(to)))
        }
        Step::Binary { op, bits, with } => binary(op, (ones, zeros), full(bits), with, bits),
    }
}

fn exactly(value: u64) -> Known {
    Known::Bits { ones: value, zeros: !value }
}

fn binary(
    op: BinaryOp,
    (ones, zeros): (u64, u64),
    value: Option<u64>,
    with: u64,
    bits: u32,
) -> Option<Known> {
    Some(match op {
        BinaryOp::And => Known::Bits { ones: ones & with, zeros: zeros | !with },
        BinaryOp::Or => Known::Bits { ones: ones | with, zeros: zeros & !with },
        BinaryOp::LShr if with < 64 => {
            Known::Bits { ones: ones >> with, zeros: zeros >> with | !(u64::MAX >> with) }
        }
        BinaryOp::Add => exactly(value?.wrapping_add(with) & mask(bits)),
        BinaryOp::Sub => exactly(value?.wrapping_sub(with) & mask(bits)),
        BinaryOp::Mul => exactly(value?.wrapping_mul(with) & mask(bits)),
        BinaryOp::Xor => exactly((value? ^ with) & mask(bits)),
        BinaryOp::Shl => exactly(value?.checked_shl(with.try_into().ok()?)? & mask(bits)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OR_4: Step = Step::Binary { op: BinaryOp::Or, bits: 32, with: 4 };

    fn with_mask(with: u64) -> Step {
        Step::Binary { op: BinaryOp::And, bits: 32, with }
    }

    #[test]
    fn a_flag_is_known_though_the_others_are_not() {
        let is_set = Step::Compare { predicate: IntPredicate::Ne, bits: 32, with: 0 };
        let all = |steps: &[Step]| steps.iter().try_fold(NOTHING, |known, step| apply(known, *step));
        assert_eq!(all(&[OR_4, with_mask(4), is_set]), Some(exactly(1)));
        assert_eq!(all(&[OR_4, with_mask(2), is_set]), None, "that flag may be set or not");
        assert_eq!(all(&[with_mask(!4), with_mask(4), is_set]), Some(exactly(0)));
    }

    #[test]
    fn numbers_are_as_wide_as_they_are() {
        let extend = |signed| Step::Extend { signed, from: 8, to: 32 };
        assert_eq!(apply(exactly(0xff), extend(true)), Some(exactly(0xffff_ffff)));
        assert_eq!(apply(exactly(0xff), extend(false)), Some(exactly(0xff)));
        let add = Step::Binary { op: BinaryOp::Add, bits: 8, with: 2 };
        assert_eq!(apply(exactly(0xff), add), Some(exactly(1)));
        let below = Step::Compare { predicate: IntPredicate::Slt, bits: 8, with: 0 };
        assert_eq!(apply(exactly(0xff), below), Some(exactly(1)));
    }
}
