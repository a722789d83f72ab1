//! The simplifier: named rules, tried in order on every expression before it is made.
//!
//! In: a node whose operands are already simple. Out: an expression that means the same, or `None` if no
//! rule matches.
//!
//! Always holds: a rule never changes the meaning (`tests.rs` runs each on random instances that
//! match it); every rule makes the expression smaller or moves it toward the normal form, so
//! that rules end. The normal form: constants on the right, comparisons only `=`, unsigned `<` and
//! signed `<`, negation of a bit as `xor 1`, constant shifts as extractions.

mod arithmetic;
mod bits;
mod choice;
mod compare;
mod float;
mod slices;
#[cfg(test)]
mod tests;

use crate::expr::{is_commutative, operate, read_table, ExprId, Node, TableId};
use crate::pool::Pool;
use parallax_trace::format::Op;
use std::sync::LazyLock;

/// One rule: each has a comment of two lines, what it matches and what comes of it.
pub struct Rule {
    pub name: &'static str,
    /// The operators it is tried on; empty for all.
    pub ops: &'static [Op],
    pub apply: fn(&mut Pool, &Node) -> Option<ExprId>,
}

const GENERAL: &[Rule] = &[
    // match:  op(c1, c2, …), all constant
    // result: its value
    Rule { name: "fold_constants", ops: &[], apply: fold_constants },
    // match:  op(c, x) or op(y, x) with x older than y, op commutative
    // result: op(x, c), op(x, y)
    Rule { name: "order_operands", ops: &[], apply: order_operands },
];

/// All rules, in the order in which they are tried.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [GENERAL, arithmetic::RULES, bits::RULES, slices::RULES, compare::RULES, choice::RULES, float::RULES]
        .into_iter()
        .flatten()
}

/// The rules for each operator, by its number.
static BY_OPERATOR: LazyLock<Vec<Vec<&'static Rule>>> = LazyLock::new(|| {
    let of = |op: Option<Op>| {
        all().filter(|r| op.is_some_and(|op| r.ops.is_empty() || r.ops.contains(&op))).collect()
    };
    (0..=u8::MAX).map(|number| of(Op::from_u8(number))).collect()
});

/// The first rule that matches, applied.
pub fn apply(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    if matches!(node.op, Op::Const | Op::Input) {
        return None;
    }
    BY_OPERATOR[node.op as usize].iter().find_map(|rule| (rule.apply)(pool, node))
}

fn fold_constants(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (mut widths, mut values) = ([0; 3], [0; 3]);
    for (i, arg) in node.operands().iter().enumerate() {
        widths[i] = pool.width(*arg);
        values[i] = pool.as_const(*arg)?;
    }
    let value = match node.op {
        Op::Read => read_table(pool.table(TableId(node.num as u32)), values[0], node.width),
        _ => operate(node, widths, values),
    };
    Some(pool.constant(node.width, value))
}

fn order_operands(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let rank = |id: ExprId| (pool.as_const(id).is_some(), id);
    (is_commutative(node.op) && rank(a) > rank(b)).then(|| pool.binary(node.op, b, a))
}

/// `b` of `op(a, b)` is a constant: `a` and its value.
fn with_constant(pool: &Pool, node: &Node) -> Option<(ExprId, u64)> {
    Some((node.args[0], pool.as_const(node.args[1])?))
}

/// The node of an expression, if it has this operator.
fn as_op(pool: &Pool, id: ExprId, op: Op) -> Option<Node> {
    Some(*pool.node(id)).filter(|node| node.op == op)
}

/// An expression of the form `op(x, constant)`.
fn as_op_constant(pool: &Pool, id: ExprId, op: Op) -> Option<(ExprId, u64)> {
    with_constant(pool, &as_op(pool, id, op)?)
}
