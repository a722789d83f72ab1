//! "This operand must have one of these values", taken apart into conditions on what it was computed from.
//!
//! Always holds: what is added follows from the demand, so the condition stays a necessary one. Taking apart at once, not where the instruction stands, is right in
//! SSA form: wherever a result is known, its operands still have the values that it was computed from.

use super::cond::{Cond, Term};
use super::memory::resolve;
use super::ranges::Ranges;
use crate::ir::*;

/// How deep computations are taken apart.
const MAX_DEPTH: u32 = 10;

/// False if the demand cannot be met together with the condition.
pub fn require(program: &Program, cond: &mut Cond, operand: Operand, set: &Ranges) -> bool {
    demand(program, cond, operand, set, MAX_DEPTH)
}

fn demand(program: &Program, cond: &mut Cond, operand: Operand, set: &Ranges, depth: u32) -> bool {
    if set.is_empty() {
        return false;
    }
    match operand {
        Operand::Int { bits, value } => bits != set.bits() || set.contains(value),
        Operand::Null => set.contains(0),
        Operand::Global(_) | Operand::Func(_) => set.only() != Some(0),
        Operand::Arg { .. } => cond.insert(Term::Register(operand), set),
        Operand::Inst(inst) if depth > 0 && program.operand_bits(operand) == Some(set.bits()) => {
            computed(program, cond, inst, set, depth - 1)
        }
        _ => true,
    }
}

/// Only 1, only 0, or either.
fn truth(set: &Ranges) -> Option<bool> {
    match (set.contains(1), set.contains(0)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

fn computed(program: &Program, cond: &mut Cond, inst: InstId, set: &Ranges, depth: u32) -> bool {
    let operands = program.operands(inst);
    let keep = |cond: &mut Cond| cond.insert(Term::Register(Operand::Inst(inst)), set);
    match program.inst(inst).op {
        Op::ICmp(predicate) => match truth(set) {
            Some(wanted) => {
                let predicate = if wanted { predicate } else { predicate.negated() };
                compared(program, cond, predicate, [operands[0], operands[1]], depth) && keep(cond)
            }
            None => true,
        },
        Op::Cast(cast) => match (cast, program.operand_bits(operands[0])) {
            (CastOp::ZExt, Some(bits)) => demand(program, cond, operands[0], &set.before_zext(bits), depth),
            (CastOp::SExt, Some(bits)) => demand(program, cond, operands[0], &set.before_sext(bits), depth),
            (CastOp::PtrToInt | CastOp::IntToPtr, Some(bits)) if bits == set.bits() => {
                demand(program, cond, operands[0], set, depth)
            }
            _ => keep(cond),
        },
        Op::Freeze => demand(program, cond, operands[0], set, depth),
        Op::Binary(op) => binary(program, cond, op, [operands[0], operands[1]], set, depth) && keep(cond),
        Op::Select => {
            select(program, cond, [operands[0], operands[1], operands[2]], set, depth) && keep(cond)
        }
        Op::Load { .. } => match constant_at(program, operands[0], set.bits()) {
            Some(value) => set.contains(value),
            None => keep(cond),
        },
        Op::Alloca { .. } => set.only() != Some(0),
        _ => keep(cond),
    }
}

fn number(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Int { value, .. } => Some(value),
        Operand::Null => Some(0),
        _ => None,
    }
}

fn compared(
    program: &Program,
    cond: &mut Cond,
    predicate: IntPredicate,
    operands: [Operand; 2],
    depth: u32,
) -> bool {
    let [a, b] = operands;
    let Some(bits) = program.operand_bits(a) else { return true };
    match (number(a), number(b)) {
        (_, Some(value)) => demand(program, cond, a, &Ranges::satisfying(bits, predicate, value), depth),
        (Some(value), _) => {
            demand(program, cond, b, &Ranges::satisfying(bits, predicate.swapped(), value), depth)
        }
        _ => true,
    }
}

fn binary(
    program: &Program,
    cond: &mut Cond,
    op: BinaryOp,
    operands: [Operand; 2],
    set: &Ranges,
    depth: u32,
) -> bool {
    let [a, b] = operands;
    let boolean = set.bits() == 1;
    match (op, number(b)) {
        (BinaryOp::Add, Some(k)) => demand(program, cond, a, &set.shifted(k.wrapping_neg()), depth),
        (BinaryOp::Sub, Some(k)) => demand(program, cond, a, &set.shifted(k), depth),
        (BinaryOp::Xor, Some(k)) if k == u64::MAX >> (64 - set.bits()) => {
            demand(program, cond, a, &set.inverted(), depth)
        }
        // No bit outside the mask; at least the bits that are set.
        (BinaryOp::And, Some(mask)) => !set.intersect(&Ranges::of(set.bits(), vec![(0, mask)])).is_empty(),
        (BinaryOp::Or, Some(mask)) => {
            let possible = Ranges::satisfying(set.bits(), IntPredicate::Uge, mask);
            !set.intersect(&possible).is_empty()
        }
        (BinaryOp::And, None) if boolean && truth(set) == Some(true) => {
            demand(program, cond, a, set, depth) && demand(program, cond, b, set, depth)
        }
        (BinaryOp::Or, None) if boolean && truth(set) == Some(false) => {
            demand(program, cond, a, set, depth) && demand(program, cond, b, set, depth)
        }
        _ => true,
    }
}

fn select(program: &Program, cond: &mut Cond, operands: [Operand; 3], set: &Ranges, depth: u32) -> bool {
    let [choice, yes, no] = operands;
    let possible = |cond: &Cond, value, chosen| {
        let mut alone = cond.clone();
        demand(program, &mut alone, value, set, depth)
            && demand(program, &mut alone, choice, &Ranges::single(1, chosen), depth)
    };
    let (first, second) = (possible(cond, yes, 1), possible(cond, no, 0));
    match (first, second) {
        (true, true) => true,
        (false, false) => false,
        (true, false) => {
            demand(program, cond, choice, &Ranges::single(1, 1), depth)
                && demand(program, cond, yes, set, depth)
        }
        (false, true) => {
            demand(program, cond, choice, &Ranges::single(1, 0), depth)
                && demand(program, cond, no, set, depth)
        }
    }
}

/// What a constant variable of the program holds at an address.
fn constant_at(program: &Program, address: Operand, bits: u32) -> Option<u64> {
    let (Operand::Global(g), Some(mut offset)) = resolve(program, address) else { return None };
    let global = program.global(g);
    let mut value = global.initialiser.filter(|_| global.constant && offset >= 0)?;
    // Each step goes into a smaller constant.
    while let Operand::Const(c) = value {
        let constant = program.constant(c);
        match (&constant.kind, &program.ty(constant.ty).kind) {
            (ConstKind::Zero, _) => return Some(0),
            (ConstKind::Bytes(bytes), _) if bits == 8 => {
                return bytes.get(offset as usize).map(|b| u64::from(*b))
            }
            (ConstKind::Aggregate(elements), TypeKind::Struct(s)) => {
                let field = s.fields.iter().rposition(|f| f.offset as i64 <= offset)?;
                offset -= s.fields[field].offset as i64;
                value = *elements.get(field)?;
            }
            (ConstKind::Aggregate(elements), TypeKind::Array { element, .. }) => {
                let size = program.ty(*element).size.max(1) as i64;
                value = *elements.get((offset / size) as usize)?;
                offset %= size;
            }
            _ => return None,
        }
    }
    match value {
        Operand::Int { bits: width, value } if offset == 0 && width == bits => Some(value),
        Operand::Null if offset == 0 && bits == u64::BITS => Some(0),
        _ => None,
    }
}
