//! Comparisons.
//!
//! In and out: see [`super`].

use super::{as_op, as_op_constant, with_constant, Rule};
use crate::expr::{ExprId, Node};
use crate::pool::Pool;
use parallax_trace::format::{mask, sign_extend, Op};

pub(super) const RULES: &[Rule] = &[
    // match:  x ≠ y
    // result: !(x = y)
    Rule { name: "ne", ops: &[Op::Ne], apply: ne },
    // match:  x ≤ y, unsigned or signed
    // result: !(y < x)
    Rule { name: "le", ops: &[Op::Ule, Op::Sle], apply: le },
    // match:  x = x, x < x
    // result: true, false
    Rule { name: "compare_self", ops: &[Op::Eq, Op::Ult, Op::Slt], apply: compare_self },
    // match:  x = 1, x = 0, one bit
    // result: x, !x
    Rule { name: "eq_bit", ops: &[Op::Eq], apply: eq_bit },
    // match:  x < 0, ones < x, unsigned
    // result: false
    Rule { name: "ult_never", ops: &[Op::Ult], apply: ult_never },
    // match:  x < 1, 0 < x, x < ones, ones - 1 < x, unsigned
    // result: x = 0, !(x = 0), !(x = ones), x = ones
    Rule { name: "ult_border", ops: &[Op::Ult], apply: ult_border },
    // match:  zext(x) = c, zext(x) < c, c < zext(x)
    // result: the same of x, or what is known because c is too large or negative
    Rule { name: "compare_zext_constant", ops: &[Op::Eq, Op::Ult, Op::Slt], apply: zext_constant },
    // match:  sext(x) = c, sext(x) < c, c < sext(x), signed
    // result: the same of x, or what is known because c does not fit
    Rule { name: "compare_sext_constant", ops: &[Op::Eq, Op::Slt], apply: sext_constant },
    // match:  zext(x) compared with zext(y), both from one width
    // result: x = y, x < y, unsigned
    Rule { name: "compare_zexts", ops: &[Op::Eq, Op::Ult, Op::Slt], apply: zexts },
    // match:  sext(x) compared with sext(y), both from one width
    // result: the same of x and y
    Rule { name: "compare_sexts", ops: &[Op::Eq, Op::Ult, Op::Slt], apply: sexts },
    // match:  x srem y < 0, 0 < x srem y, signed
    // result: x < 0 or 0 < x, and the remainder is not 0
    Rule { name: "sign_of_remainder", ops: &[Op::Slt], apply: sign_of_remainder },
    // match:  x ^ y < 0, signed
    // result: (x < 0) ^ (y < 0)
    Rule { name: "sign_of_xor", ops: &[Op::Slt], apply: sign_of_xor },
    // match:  x + c1 = c2, x ^ c1 = c2
    // result: x = c2 - c1, x = c2 ^ c1
    Rule { name: "eq_sum_constant", ops: &[Op::Eq], apply: eq_sum_constant },
    // match:  upper half of x * y, unsigned, = 0
    // result: x * y does not overflow
    Rule { name: "eq_mul_high_zero", ops: &[Op::Eq], apply: eq_mul_high_zero },
    // match:  x - y = 0, x ^ y = 0
    // result: x = y
    Rule { name: "eq_difference_zero", ops: &[Op::Eq], apply: eq_difference_zero },
    // match:  x + c = y + c
    // result: x = y
    Rule { name: "eq_sums", ops: &[Op::Eq], apply: eq_sums },
    // match:  concat(x, y) = c
    // result: x = high bits of c and y = low bits of c
    Rule { name: "eq_concat_constant", ops: &[Op::Eq], apply: eq_concat_constant },
    // match:  concat(x, y) = concat(z, w), parts of equal widths
    // result: x = z and y = w
    Rule { name: "eq_concats", ops: &[Op::Eq], apply: eq_concats },
    // match:  (if c then c1 else c2) compared with c3
    // result: c, !c, or what both say
    Rule { name: "compare_choice", ops: &[Op::Eq, Op::Ult, Op::Slt], apply: compare_choice },
];

fn sign_of_remainder(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let negative = pool.as_const(b) == Some(0);
    if !negative && pool.as_const(a) != Some(0) {
        return None;
    }
    let (rest, zero) = if negative { (a, b) } else { (b, a) };
    let dividend = as_op(pool, rest, Op::SRem)?.args[0];
    let sign = match negative {
        true => pool.binary(Op::Slt, dividend, zero),
        false => pool.binary(Op::Slt, zero, dividend),
    };
    let none = pool.eq(rest, zero);
    let some = pool.not(none);
    Some(pool.binary(Op::And, sign, some))
}

fn sign_of_xor(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (xor, zero) = (as_op(pool, node.args[0], Op::Xor)?, node.args[1]);
    if pool.as_const(zero) != Some(0) {
        return None;
    }
    let (x, y) = (pool.binary(Op::Slt, xor.args[0], zero), pool.binary(Op::Slt, xor.args[1], zero));
    Some(pool.binary(Op::Xor, x, y))
}

fn eq_mul_high_zero(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (product, c) = with_constant(pool, node)?;
    let product = as_op(pool, product, Op::UMulHigh).filter(|_| c == 0)?;
    let overflow = pool.binary(Op::UMulOverflow, product.args[0], product.args[1]);
    Some(pool.not(overflow))
}

fn ne(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let equal = pool.eq(node.args[0], node.args[1]);
    Some(pool.not(equal))
}

fn le(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let op = if node.op == Op::Ule { Op::Ult } else { Op::Slt };
    let greater = pool.binary(op, node.args[1], node.args[0]);
    Some(pool.not(greater))
}

fn compare_self(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    (node.args[0] == node.args[1]).then(|| pool.truth(node.op == Op::Eq))
}

fn eq_bit(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    match (pool.width(x), c) {
        (1, 1) => Some(x),
        (1, _) => Some(pool.not(x)),
        _ => None,
    }
}

fn ult_never(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let never = pool.as_const(b) == Some(0) || pool.as_const(a) == Some(mask(pool.width(a)));
    never.then(|| pool.truth(false))
}

fn ult_border(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let ones = mask(pool.width(a));
    let (x, value, holds) = match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(1)) => (a, 0, true),
        (Some(0), None) => (b, 0, false),
        (None, Some(c)) if c == ones => (a, ones, false),
        (Some(c), None) if c == ones - 1 => (b, ones, true),
        _ => return None,
    };
    let equal = pool.eq_const(x, value);
    Some(if holds { equal } else { pool.not(equal) })
}

/// The extended operand, the constant, and whether the constant is on the left.
fn extended_and_constant(pool: &Pool, node: &Node, op: Op) -> Option<(ExprId, u64, bool)> {
    let [a, b, _] = node.args;
    match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(c)) => Some((as_op(pool, a, op)?.args[0], c, false)),
        (Some(c), None) => Some((as_op(pool, b, op)?.args[0], c, true)),
        _ => None,
    }
}

/// `x op c`, or `c op x`.
fn compared(pool: &mut Pool, op: Op, x: ExprId, c: u64, left: bool) -> ExprId {
    let c = pool.constant(pool.width(x), c);
    if left {
        pool.binary(op, c, x)
    } else {
        pool.binary(op, x, c)
    }
}

fn zext_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c, left) = extended_and_constant(pool, node, Op::ZExt)?;
    let negative = node.op == Op::Slt && sign_extend(c, pool.width(node.args[0])) < 0;
    // A value that is never negative.
    if negative {
        return Some(pool.truth(left));
    }
    if c <= mask(pool.width(x)) {
        let op = if node.op == Op::Eq { Op::Eq } else { Op::Ult };
        return Some(compared(pool, op, x, c, left));
    }
    Some(pool.truth(node.op != Op::Eq && !left))
}

fn sext_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c, left) = extended_and_constant(pool, node, Op::SExt)?;
    let (wide, narrow) = (sign_extend(c, pool.width(node.args[0])), pool.width(x));
    if sign_extend(c & mask(narrow), narrow) == wide {
        return Some(compared(pool, node.op, x, c, left));
    }
    // Too large or too small for any x.
    let x_is_less = wide > 0;
    Some(pool.truth(node.op == Op::Slt && x_is_less != left))
}

fn both_extended(pool: &Pool, node: &Node, op: Op) -> Option<(ExprId, ExprId)> {
    let x = as_op(pool, node.args[0], op)?.args[0];
    let y = as_op(pool, node.args[1], op)?.args[0];
    (pool.width(x) == pool.width(y)).then_some((x, y))
}

fn zexts(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, y) = both_extended(pool, node, Op::ZExt)?;
    let op = if node.op == Op::Eq { Op::Eq } else { Op::Ult };
    Some(pool.binary(op, x, y))
}

fn sexts(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, y) = both_extended(pool, node, Op::SExt)?;
    Some(pool.binary(node.op, x, y))
}

fn eq_sum_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (sum, c2) = with_constant(pool, node)?;
    if let Some((x, c1)) = as_op_constant(pool, sum, Op::Add) {
        return Some(pool.eq_const(x, c2.wrapping_sub(c1)));
    }
    let (x, c1) = as_op_constant(pool, sum, Op::Xor)?;
    Some(pool.eq_const(x, c2 ^ c1))
}

fn eq_difference_zero(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, _) = with_constant(pool, node).filter(|(_, c)| *c == 0)?;
    let inner = as_op(pool, x, Op::Sub).or_else(|| as_op(pool, x, Op::Xor))?;
    Some(pool.eq(inner.args[0], inner.args[1]))
}

fn eq_sums(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c1) = as_op_constant(pool, node.args[0], Op::Add)?;
    let (y, c2) = as_op_constant(pool, node.args[1], Op::Add)?;
    (c1 == c2).then(|| pool.eq(x, y))
}

fn eq_concat_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let [high, low, _] = as_op(pool, x, Op::Concat)?.args;
    let border = pool.width(low);
    let high = pool.eq_const(high, c >> border);
    let low = pool.eq_const(low, c);
    Some(pool.binary(Op::And, high, low))
}

fn eq_concats(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [x, y, _] = as_op(pool, node.args[0], Op::Concat)?.args;
    let [z, w, _] = as_op(pool, node.args[1], Op::Concat)?.args;
    if pool.width(y) != pool.width(w) {
        return None;
    }
    let high = pool.eq(x, z);
    let low = pool.eq(y, w);
    Some(pool.binary(Op::And, high, low))
}

fn compare_choice(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let (choice, left) = match (as_op(pool, a, Op::Ite), as_op(pool, b, Op::Ite)) {
        (Some(choice), None) => (choice, false),
        (None, Some(choice)) => (choice, true),
        _ => return None,
    };
    let [c, then, otherwise] = choice.args;
    let other = if left { a } else { b };
    pool.as_const(then).and(pool.as_const(otherwise)).and(pool.as_const(other))?;
    let order = |x: ExprId| if left { (other, x) } else { (x, other) };
    let ((t1, t2), (o1, o2)) = (order(then), order(otherwise));
    let then = pool.binary(node.op, t1, t2);
    let otherwise = pool.binary(node.op, o1, o2);
    Some(pool.ite(c, then, otherwise))
}
