//! Sums, products, divisions and overflow.
//!
//! In and out: see [`super`]. `x * 10 + d` and its like are left alone: solvers know them.

use super::{as_op, as_op_constant, with_constant, Rule};
use crate::expr::{ExprId, Node};
use crate::pool::Pool;
use parallax_trace::format::{mask, sign_extend, Op};

pub(super) const RULES: &[Rule] = &[
    // match:  x + 0, x - 0
    // result: x
    Rule { name: "add_zero", ops: &[Op::Add, Op::Sub], apply: add_zero },
    // match:  x - c
    // result: x + (-c)
    Rule { name: "sub_constant", ops: &[Op::Sub], apply: sub_constant },
    // match:  (x + c1) + c2
    // result: x + (c1 + c2)
    Rule { name: "add_constants", ops: &[Op::Add], apply: add_constants },
    // match:  x - x
    // result: 0
    Rule { name: "sub_self", ops: &[Op::Sub], apply: sub_self },
    // match:  (x + c1) - x
    // result: c1
    Rule { name: "sub_of_sum", ops: &[Op::Sub], apply: sub_of_sum },
    // match:  concat(x, 0) + zext(y), y no wider than the zero; or with zext(concat(x, 0))
    // result: concat(x, zext y), or zext of it
    Rule { name: "add_disjoint", ops: &[Op::Add], apply: super::bits::join_disjoint },
    // match:  x * 0
    // result: 0
    Rule { name: "mul_zero", ops: &[Op::Mul], apply: mul_zero },
    // match:  x * 1
    // result: x
    Rule { name: "mul_one", ops: &[Op::Mul], apply: mul_one },
    // match:  x udiv 1, x sdiv 1 (wider than a bit)
    // result: x
    Rule { name: "div_one", ops: &[Op::UDiv, Op::SDiv], apply: div_one },
    // match:  x udiv 2^k
    // result: x >> k
    Rule { name: "udiv_power", ops: &[Op::UDiv], apply: udiv_power },
    // match:  x urem 2^k
    // result: x & (2^k - 1)
    Rule { name: "urem_power", ops: &[Op::URem], apply: urem_power },
    // match:  x sdiv y, x srem y, both zero-extended
    // result: x udiv y, x urem y
    Rule { name: "signed_division_of_positive", ops: &[Op::SDiv, Op::SRem], apply: unsigned_division },
    // match:  x * c overflows, unsigned, c > 0
    // result: max / c < x
    Rule { name: "umul_overflow_constant", ops: &[Op::UMulOverflow], apply: umul_overflow_constant },
    // match:  zext x * zext y overflows, unsigned or signed, with room for the product
    // result: false
    Rule { name: "mul_overflow_room", ops: &[Op::UMulOverflow, Op::SMulOverflow], apply: overflow_room },
    // match:  x * 0 or x * 1 overflows, signed (wider than a bit)
    // result: false
    Rule { name: "smul_overflow_small", ops: &[Op::SMulOverflow], apply: smul_overflow_small },
    // match:  x * c overflows, signed, c > 1 or c < -1
    // result: x beyond max / c or min / c
    Rule { name: "smul_overflow_constant", ops: &[Op::SMulOverflow], apply: smul_overflow_constant },
    // match:  upper half of x * 0
    // result: 0
    Rule { name: "mul_high_zero", ops: &[Op::UMulHigh, Op::SMulHigh], apply: mul_zero },
    // match:  upper half of x * 2^k, unsigned, or signed with 2^k positive
    // result: x >> (width - k), shifted like that
    Rule { name: "mul_high_power", ops: &[Op::UMulHigh, Op::SMulHigh], apply: mul_high_power },
    // match:  upper half of zext x * zext y, with room for the product
    // result: 0
    Rule { name: "mul_high_room", ops: &[Op::UMulHigh, Op::SMulHigh], apply: mul_high_room },
    // match:  upper half of sext x * sext y, signed, with room for the product
    // result: (sext x * sext y) >>s (width - 1)
    Rule { name: "smul_high_room", ops: &[Op::SMulHigh], apply: smul_high_room },
    // match:  upper half of zext x * zext y, signed
    // result: the same, unsigned
    Rule { name: "smul_high_of_positive", ops: &[Op::SMulHigh], apply: smul_high_of_positive },
];

fn add_zero(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    (c == 0).then_some(x)
}

fn sub_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let negated = pool.constant(node.width, c.wrapping_neg());
    Some(pool.binary(Op::Add, x, negated))
}

fn add_constants(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (sum, c2) = with_constant(pool, node)?;
    let (x, c1) = as_op_constant(pool, sum, Op::Add)?;
    let c = pool.constant(node.width, c1.wrapping_add(c2));
    Some(pool.binary(Op::Add, x, c))
}

fn sub_self(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    (node.args[0] == node.args[1]).then(|| pool.constant(node.width, 0))
}

fn sub_of_sum(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = as_op_constant(pool, node.args[0], Op::Add)?;
    (x == node.args[1]).then(|| pool.constant(node.width, c))
}

fn mul_zero(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (_, c) = with_constant(pool, node)?;
    (c == 0).then_some(node.args[1])
}

fn mul_one(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    (c == 1).then_some(x)
}

fn div_one(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    // The only constant of one bit that is not 0 is -1 when signed.
    (c == 1 && (node.width > 1 || node.op == Op::UDiv)).then_some(x)
}

fn udiv_power(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    if !c.is_power_of_two() {
        return None;
    }
    let shift = pool.constant(node.width, c.trailing_zeros().into());
    // Of one bit there is only `x udiv 1`, which another rule takes.
    (node.width > 1).then(|| pool.binary(Op::LShr, x, shift))
}

fn urem_power(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    if !c.is_power_of_two() {
        return None;
    }
    let low = pool.constant(node.width, c - 1);
    Some(pool.binary(Op::And, x, low))
}

/// The narrow operand of a zero extension that leaves at least the top bit zero, or the width that a
/// constant needs.
fn unsigned_width(pool: &Pool, id: ExprId) -> Option<u8> {
    match (as_op(pool, id, Op::ZExt), pool.as_const(id)) {
        (Some(zext), _) => Some(pool.width(zext.args[0])),
        (_, Some(c)) => Some(64 - c.leading_zeros() as u8),
        _ => None,
    }
}

fn unsigned_division(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let positive = |id| unsigned_width(pool, id).is_some_and(|w| w < node.width);
    if !positive(a) || !positive(b) {
        return None;
    }
    let op = if node.op == Op::SDiv { Op::UDiv } else { Op::URem };
    Some(pool.binary(op, a, b))
}

fn umul_overflow_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let largest = mask(pool.width(x)).checked_div(c)?;
    let largest = pool.constant(pool.width(x), largest);
    Some(pool.binary(Op::Ult, largest, x))
}

fn overflow_room(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let sign = u8::from(node.op == Op::SMulOverflow);
    let room = unsigned_width(pool, a)? + unsigned_width(pool, b)? + sign <= pool.width(a);
    room.then(|| pool.truth(false))
}

fn smul_overflow_small(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    (c <= 1 && pool.width(x) > 1).then(|| pool.truth(false))
}

fn smul_overflow_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let width = pool.width(x);
    let c = sign_extend(c, width);
    if (-1..=1).contains(&c) {
        return None;
    }
    let (highest, lowest) = ((mask(width) >> 1) as i64, sign_extend(1 << (width - 1), width));
    let (high, low) = if c > 0 { (highest / c, lowest / c) } else { (lowest / c, highest / c) };
    let (high, low) = (pool.constant(width, high as u64), pool.constant(width, low as u64));
    let (above, below) = (pool.binary(Op::Slt, high, x), pool.binary(Op::Slt, x, low));
    Some(pool.binary(Op::Or, above, below))
}

fn mul_high_power(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let (signed, width) = (node.op == Op::SMulHigh, u32::from(node.width));
    // The highest bit alone is a negative number when signed.
    if !c.is_power_of_two() || (signed && c.trailing_zeros() + 1 == width) {
        return None;
    }
    // A shift by the width itself is 0, or the sign.
    let amount = pool.constant(node.width, u64::from(width - c.trailing_zeros()).min(mask(node.width)));
    let shift = if signed { Op::AShr } else { Op::LShr };
    (width > 1).then(|| pool.binary(shift, x, amount))
}

fn mul_high_room(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let (x, y) = (unsigned_width(pool, a)?, unsigned_width(pool, b)?);
    let positive = node.op == Op::UMulHigh || x.max(y) < node.width;
    (positive && x + y <= node.width).then(|| pool.constant(node.width, 0))
}

/// Bits that hold the value with its sign: of an extension those of its operand, of a constant as many as it needs.
fn signed_width(pool: &Pool, id: ExprId) -> Option<u8> {
    let sext = as_op(pool, id, Op::SExt).map(|sext| pool.width(sext.args[0]));
    let constant = || {
        let value = sign_extend(pool.as_const(id)?, pool.width(id));
        Some(65 - value.unsigned_abs().leading_zeros() as u8)
    };
    sext.or_else(constant).or_else(|| unsigned_width(pool, id).map(|w| w + 1))
}

fn smul_high_room(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    if signed_width(pool, a)? + signed_width(pool, b)? > node.width {
        return None;
    }
    let product = pool.binary(Op::Mul, a, b);
    let amount = pool.constant(node.width, u64::from(node.width) - 1);
    Some(pool.binary(Op::AShr, product, amount))
}

fn smul_high_of_positive(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let positive = |id| unsigned_width(pool, id).is_some_and(|w| w < node.width);
    (positive(a) && positive(b)).then(|| pool.binary(Op::UMulHigh, a, b))
}
