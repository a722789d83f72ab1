//! Bitwise operators and shifts.
//!
//! In and out: see [`super`].

use super::{as_op, as_op_constant, with_constant, Rule};
use crate::expr::{ExprId, Node};
use crate::pool::Pool;
use parallax_trace::format::{mask, Op};

const BITWISE: &[Op] = &[Op::And, Op::Or, Op::Xor];

pub(super) const RULES: &[Rule] = &[
    // match:  x & 0, x & ones, x | 0, x | ones, x ^ 0
    // result: 0, x, x, ones, x
    Rule { name: "bitwise_neutral", ops: BITWISE, apply: bitwise_neutral },
    // match:  x & x, x | x, x ^ x
    // result: x, x, 0
    Rule { name: "bitwise_self", ops: BITWISE, apply: bitwise_self },
    // match:  (x op c1) op c2, op one of & | ^
    // result: x op (c1 op c2)
    Rule { name: "bitwise_constants", ops: BITWISE, apply: bitwise_constants },
    // match:  x & 0…01…1 (k ones)
    // result: zext(extract(x, 0, k))
    Rule { name: "and_low_mask", ops: &[Op::And], apply: and_low_mask },
    // match:  zext(x) & c
    // result: zext(x & low bits of c)
    Rule { name: "and_zext_constant", ops: &[Op::And], apply: and_zext_constant },
    // match:  zext(x) op zext(y), x and y of one width, op one of & | ^
    // result: zext(x op y)
    Rule { name: "bitwise_zext", ops: BITWISE, apply: bitwise_zext },
    // match:  concat(x, 0) op zext(y), y no wider than the zero, op one of | ^; or with zext(concat(x, 0))
    // result: concat(x, zext y), or zext of it
    Rule { name: "or_disjoint", ops: &[Op::Or, Op::Xor], apply: join_disjoint },
    // match:  x & !x, x | !x, one bit
    // result: false, true
    Rule { name: "bit_and_its_negation", ops: &[Op::And, Op::Or], apply: bit_and_its_negation },
    // match:  x << c
    // result: concat(low bits of x, 0)
    Rule { name: "shl_constant", ops: &[Op::Shl], apply: shl_constant },
    // match:  x >> c, unsigned
    // result: zext(high bits of x)
    Rule { name: "lshr_constant", ops: &[Op::LShr], apply: lshr_constant },
    // match:  x >> c, signed
    // result: sext(high bits of x)
    Rule { name: "ashr_constant", ops: &[Op::AShr], apply: ashr_constant },
    // match:  0 << x, 0 >> x
    // result: 0
    Rule { name: "shift_of_zero", ops: &[Op::Shl, Op::LShr, Op::AShr], apply: shift_of_zero },
];

fn bitwise_neutral(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let ones = mask(node.width);
    match node.op {
        Op::And if c == 0 => Some(node.args[1]),
        Op::And if c == ones => Some(x),
        Op::Or if c == ones => Some(node.args[1]),
        Op::Or | Op::Xor if c == 0 => Some(x),
        _ => None,
    }
}

fn bitwise_self(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    match (node.args[0] == node.args[1], node.op) {
        (true, Op::Xor) => Some(pool.constant(node.width, 0)),
        (true, _) => Some(node.args[0]),
        _ => None,
    }
}

fn bitwise_constants(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (inner, _) = with_constant(pool, node)?;
    let (x, _) = as_op_constant(pool, inner, node.op)?;
    let c1 = pool.node(inner).args[1];
    let c = pool.binary(node.op, c1, node.args[1]);
    Some(pool.binary(node.op, x, c))
}

fn and_low_mask(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let ones = c.trailing_ones() as u8;
    if ones == 0 || ones >= node.width || c != mask(ones) {
        return None;
    }
    let low = pool.extract(x, 0, ones);
    Some(pool.zext(low, node.width))
}

fn and_zext_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let narrow = as_op(pool, x, Op::ZExt)?.args[0];
    let low = pool.constant(pool.width(narrow), c);
    let low = pool.binary(Op::And, narrow, low);
    Some(pool.zext(low, node.width))
}

fn bitwise_zext(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let x = as_op(pool, node.args[0], Op::ZExt)?.args[0];
    let y = as_op(pool, node.args[1], Op::ZExt)?.args[0];
    if pool.width(x) != pool.width(y) {
        return None;
    }
    let narrow = pool.binary(node.op, x, y);
    Some(pool.zext(narrow, node.width))
}

/// For `+`, `|` and `^` alike: no bit is set on both sides.
pub(super) fn join_disjoint(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    joined(pool, a, b).or_else(|| joined(pool, b, a))
}

fn joined(pool: &mut Pool, high: ExprId, low: ExprId) -> Option<ExprId> {
    let width = pool.width(high);
    let shifted = as_op(pool, high, Op::ZExt).map_or(high, |zext| zext.args[0]);
    let (top, _) = as_op_constant(pool, shifted, Op::Concat).filter(|(_, zero)| *zero == 0)?;
    let room = pool.width(shifted) - pool.width(top);
    let low = as_op(pool, low, Op::ZExt)?.args[0];
    if pool.width(low) > room {
        return None;
    }
    let low = pool.zext(low, room);
    let whole = pool.concat(top, low);
    Some(pool.zext(whole, width))
}

fn bit_and_its_negation(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let negates = |x: ExprId, y: ExprId| as_op_constant(pool, x, Op::Xor) == Some((y, 1));
    (node.width == 1 && (negates(a, b) || negates(b, a))).then(|| pool.truth(node.op == Op::Or))
}

fn shl_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let width = node.width;
    match u8::try_from(c).ok().filter(|c| *c < width) {
        None => Some(pool.constant(width, 0)),
        Some(0) => Some(x),
        Some(c) => {
            let high = pool.extract(x, 0, width - c);
            let zero = pool.constant(c, 0);
            Some(pool.concat(high, zero))
        }
    }
}

fn lshr_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let width = node.width;
    match u8::try_from(c).ok().filter(|c| *c < width) {
        None => Some(pool.constant(width, 0)),
        Some(c) => {
            let high = pool.extract(x, c, width - c);
            Some(pool.zext(high, width))
        }
    }
}

fn ashr_constant(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (x, c) = with_constant(pool, node)?;
    let c = c.min(u64::from(node.width) - 1) as u8;
    let high = pool.extract(x, c, node.width - c);
    Some(pool.sext(high, node.width))
}

fn shift_of_zero(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    (pool.as_const(node.args[0])? == 0).then_some(node.args[0])
}
