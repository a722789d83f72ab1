//! Choices and table reads.
//!
//! In and out: see [`super`].

use super::{as_op, as_op_constant, Rule};
use crate::expr::{read_table, ExprId, Node, TableId};
use crate::pool::Pool;
use parallax_trace::format::Op;

/// A read whose index has at most this many bits becomes a choice between its values.
const FEW_BITS: u8 = 2;

pub(super) const RULES: &[Rule] = &[
    // match:  if true then x else y, if false then x else y
    // result: x, y
    Rule { name: "choice_decided", ops: &[Op::Ite], apply: choice_decided },
    // match:  if c then x else x
    // result: x
    Rule { name: "choice_of_equals", ops: &[Op::Ite], apply: choice_of_equals },
    // match:  if !c then x else y
    // result: if c then y else x
    Rule { name: "choice_negated", ops: &[Op::Ite], apply: choice_negated },
    // match:  if c then 1 else 0, if c then 0 else 1, one bit
    // result: c, !c
    Rule { name: "choice_of_bits", ops: &[Op::Ite], apply: choice_of_bits },
    // match:  if c then (if c then x else y) else z, or in the other branch
    // result: if c then x else z
    Rule { name: "choice_repeated", ops: &[Op::Ite], apply: choice_repeated },
    // match:  table[zext(x)], x of few bits
    // result: a choice of the table's values by the bits of x
    Rule { name: "read_few", ops: &[Op::Read], apply: read_few },
];

fn choice_decided(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [c, then, otherwise] = node.args;
    Some(if pool.as_const(c)? == 1 { then } else { otherwise })
}

fn choice_of_equals(_: &mut Pool, node: &Node) -> Option<ExprId> {
    (node.args[1] == node.args[2]).then_some(node.args[1])
}

fn choice_negated(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (c, _) = as_op_constant(pool, node.args[0], Op::Xor)?;
    Some(pool.ite(c, node.args[2], node.args[1]))
}

fn choice_of_bits(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [c, then, otherwise] = node.args;
    match (node.width, pool.as_const(then)?, pool.as_const(otherwise)?) {
        (1, 1, 0) => Some(c),
        (1, 0, 1) => Some(pool.not(c)),
        _ => None,
    }
}

fn choice_repeated(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [c, then, otherwise] = node.args;
    let same = |id| as_op(pool, id, Op::Ite).filter(|inner| inner.args[0] == c);
    match (same(then), same(otherwise)) {
        (Some(inner), _) => Some(pool.ite(c, inner.args[1], otherwise)),
        (None, Some(inner)) => Some(pool.ite(c, then, inner.args[2])),
        (None, None) => None,
    }
}

fn read_few(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let x = as_op(pool, node.args[0], Op::ZExt)?.args[0];
    let bits = pool.width(x);
    if bits > FEW_BITS {
        return None;
    }
    let table = pool.table(TableId(node.num as u32)).clone();
    let mut values: Vec<ExprId> =
        (0..1u64 << bits).map(|i| pool.constant(node.width, read_table(&table, i, node.width))).collect();
    for bit in 0..bits {
        let chosen = pool.extract(x, bit, 1);
        values = values.chunks_exact(2).map(|pair| pool.ite(chosen, pair[1], pair[0])).collect();
    }
    values.pop()
}
