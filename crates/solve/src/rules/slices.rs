//! Extraction, concatenation, extension.
//!
//! In and out: see [`super`]. Extractions move toward the leaves, where most of them end at whole bytes.

use super::{as_op, Rule};
use crate::expr::{ExprId, Node};
use crate::pool::Pool;
use parallax_trace::format::Op;

pub(super) const RULES: &[Rule] = &[
    // match:  zext(zext(x)), sext(sext(x)), sext(zext(x))
    // result: zext(x), sext(x), zext(x)
    Rule { name: "extend_twice", ops: &[Op::ZExt, Op::SExt], apply: extend_twice },
    // match:  all bits of x
    // result: x
    Rule { name: "extract_all", ops: &[Op::Extract], apply: extract_all },
    // match:  extract(extract(x))
    // result: extract(x)
    Rule { name: "extract_twice", ops: &[Op::Extract], apply: extract_twice },
    // match:  extract(zext(x))
    // result: extract(x), 0, or zext(extract(x))
    Rule { name: "extract_zext", ops: &[Op::Extract], apply: extract_zext },
    // match:  extract(sext(x)) within x, or from within x upward
    // result: extract(x), sext(extract(x))
    Rule { name: "extract_sext", ops: &[Op::Extract], apply: extract_sext },
    // match:  extract(concat(x, y))
    // result: extract(x), extract(y), or concat(extract(x), extract(y))
    Rule { name: "extract_concat", ops: &[Op::Extract], apply: extract_concat },
    // match:  extract(x op y), op one of & | ^
    // result: extract(x) op extract(y)
    Rule { name: "extract_bitwise", ops: &[Op::Extract], apply: extract_bitwise },
    // match:  lowest bits of x op y, op one of + - *
    // result: lowest bits of x op lowest bits of y
    Rule { name: "extract_low_arithmetic", ops: &[Op::Extract], apply: extract_low_arithmetic },
    // match:  extract(if c then c1 else c2)
    // result: if c then extract(c1) else extract(c2)
    Rule { name: "extract_choice", ops: &[Op::Extract], apply: extract_choice },
    // match:  concat(0, x)
    // result: zext(x)
    Rule { name: "concat_zero", ops: &[Op::Concat], apply: concat_zero },
    // match:  concat(extract(x, j…), extract(x, …j))
    // result: extract(x)
    Rule { name: "concat_neighbours", ops: &[Op::Concat], apply: concat_neighbours },
    // match:  concat(concat(x, y), z), y and z constant or neighbours
    // result: concat(x, concat(y, z))
    Rule { name: "concat_right", ops: &[Op::Concat], apply: concat_right },
    // match:  concat(zext(x), y)
    // result: zext(concat(x, y))
    Rule { name: "concat_zext", ops: &[Op::Concat], apply: concat_zext },
];

fn low(node: &Node) -> u8 {
    // At most 63: an extraction lies inside its operand.
    node.num as u8
}

fn extend_twice(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let inner = *pool.node(node.args[0]);
    match (node.op, inner.op) {
        (_, Op::ZExt) => Some(pool.zext(inner.args[0], node.width)),
        (Op::SExt, Op::SExt) => Some(pool.sext(inner.args[0], node.width)),
        _ => None,
    }
}

fn extract_all(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    (pool.width(node.args[0]) == node.width).then_some(node.args[0])
}

fn extract_twice(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let inner = as_op(pool, node.args[0], Op::Extract)?;
    Some(pool.extract(inner.args[0], low(node) + low(&inner), node.width))
}

fn extract_zext(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let x = as_op(pool, node.args[0], Op::ZExt)?.args[0];
    let (low, inside) = (low(node), pool.width(x));
    Some(match () {
        () if low >= inside => pool.constant(node.width, 0),
        () if low + node.width <= inside => pool.extract(x, low, node.width),
        () => {
            let part = pool.extract(x, low, inside - low);
            pool.zext(part, node.width)
        }
    })
}

fn extract_sext(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let x = as_op(pool, node.args[0], Op::SExt)?.args[0];
    let (low, inside) = (low(node), pool.width(x));
    match () {
        () if low >= inside => None,
        () if low + node.width <= inside => Some(pool.extract(x, low, node.width)),
        () => {
            let part = pool.extract(x, low, inside - low);
            Some(pool.sext(part, node.width))
        }
    }
}

fn extract_concat(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [x, y, _] = as_op(pool, node.args[0], Op::Concat)?.args;
    let (low, border) = (low(node), pool.width(y));
    Some(match () {
        () if low >= border => pool.extract(x, low - border, node.width),
        () if low + node.width <= border => pool.extract(y, low, node.width),
        () => {
            let high = pool.extract(x, 0, low + node.width - border);
            let low = pool.extract(y, low, border - low);
            pool.concat(high, low)
        }
    })
}

fn extract_bitwise(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let inner = *pool.node(node.args[0]);
    if !matches!(inner.op, Op::And | Op::Or | Op::Xor) {
        return None;
    }
    let x = pool.extract(inner.args[0], low(node), node.width);
    let y = pool.extract(inner.args[1], low(node), node.width);
    Some(pool.binary(inner.op, x, y))
}

fn extract_low_arithmetic(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let inner = *pool.node(node.args[0]);
    if low(node) != 0 || !matches!(inner.op, Op::Add | Op::Sub | Op::Mul) {
        return None;
    }
    let x = pool.extract(inner.args[0], 0, node.width);
    let y = pool.extract(inner.args[1], 0, node.width);
    Some(pool.binary(inner.op, x, y))
}

fn extract_choice(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [c, then, otherwise] = as_op(pool, node.args[0], Op::Ite)?.args;
    pool.as_const(then).and(pool.as_const(otherwise))?;
    let then = pool.extract(then, low(node), node.width);
    let otherwise = pool.extract(otherwise, low(node), node.width);
    Some(pool.ite(c, then, otherwise))
}

fn concat_zero(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    (pool.as_const(node.args[0])? == 0).then(|| pool.zext(node.args[1], node.width))
}

/// One expression for two that lie side by side, if there is one that is simpler.
fn neighbours(pool: &mut Pool, high: ExprId, low_part: ExprId) -> Option<ExprId> {
    let width = pool.width(high) + pool.width(low_part);
    if let (Some(a), Some(b)) = (pool.as_const(high), pool.as_const(low_part)) {
        return Some(pool.constant(width, a << pool.width(low_part) | b));
    }
    let upper = as_op(pool, high, Op::Extract)?;
    // The lowest bits of an expression may be the expression itself only if it is an extraction, too.
    let lower = as_op(pool, low_part, Op::Extract)?;
    let adjacent = upper.args[0] == lower.args[0] && low(&upper) == low(&lower) + lower.width;
    adjacent.then(|| pool.extract(lower.args[0], low(&lower), width))
}

fn concat_neighbours(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    neighbours(pool, node.args[0], node.args[1])
}

fn concat_right(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [x, y, _] = as_op(pool, node.args[0], Op::Concat)?.args;
    let right = neighbours(pool, y, node.args[1])?;
    Some(pool.concat(x, right))
}

fn concat_zext(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let x = as_op(pool, node.args[0], Op::ZExt)?.args[0];
    let joined = pool.concat(x, node.args[1]);
    Some(pool.zext(joined, node.width))
}
