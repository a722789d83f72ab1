//! What an expression is: typed dense ids and the node they stand for.
//!
//! In: nothing. Out: plain data types.
//!
//! Always holds: operators mean what [`parallax_trace::format::apply`] says; an operand has a smaller id than
//! its node, so a forward pass over sorted ids meets operands first.

use parallax_trace::format::{apply, Op};

/// An expression of a [`crate::Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(crate) u32);

/// An input byte of a [`crate::Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub(crate) u32);

/// A constant table of a [`crate::Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub(crate) u32);

/// An input byte. Both versions' traces use the same numbers for the same inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var {
    pub input: u32,
    pub offset: u32,
}

/// One operator applied to older expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    pub op: Op,
    /// Width of the result in bits, 1 to 64.
    pub width: u8,
    /// As many as [`arity`] says; the rest is [`UNUSED`].
    pub args: [ExprId; 3],
    /// The constant, the number of the variable, the low bit of an extraction, the number of the
    /// table or of a function, a conversion and above it (32 bits) the place of a byte in its text; 0 for all other operators.
    pub num: u64,
}

/// Where the place of a byte stands in [`Node::num`] of [`Op::FText`].
pub(crate) const TEXT_PLACE: u32 = 32;

/// Fills operand places that an operator does not have.
pub(crate) const UNUSED: ExprId = ExprId(u32::MAX);

/// Number of operands.
pub const fn arity(op: Op) -> usize {
    op.arity()
}

/// Has the operator a result of one bit whatever the width of its operands?
pub const fn is_predicate(op: Op) -> bool {
    use Op::*;
    matches!(op, Eq | Ne | Ult | Ule | Slt | Sle | UMulOverflow | SMulOverflow | FEq | FLt | FLe)
}

/// Can the operands be exchanged?
pub const fn is_commutative(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Mul | And | Or | Xor | Eq | Ne | UMulOverflow | SMulOverflow | UMulHigh | SMulHigh | FEq
    )
}

impl Node {
    pub fn operands(&self) -> &[ExprId] {
        &self.args[..arity(self.op)]
    }
}

/// The value of a node that is neither a leaf nor a table read, from the values and widths of its
/// operands (0 where it has none).
pub fn operate(node: &Node, widths: [u8; 3], values: [u64; 3]) -> u64 {
    let [a, b, c] = values;
    let result = match node.op {
        Op::Extract => apply(node.op, node.width, widths[0], a, node.num, 0),
        Op::FMath1 | Op::FTextLen => apply(node.op, node.width, widths[0], a, node.num, 0),
        Op::FMath2 => apply(node.op, node.width, widths[0], a, b, node.num),
        Op::FText => {
            let (spec, at) = (node.num & u64::from(u32::MAX), node.num >> TEXT_PLACE);
            apply(node.op, node.width, widths[0], a, spec, at)
        }
        Op::Concat => apply(node.op, node.width, widths[0], a, b, widths[1].into()),
        _ => apply(node.op, node.width, widths[0], a, b, c),
    };
    // `apply` knows every operator but leaves and reads, which no caller passes.
    result.unwrap_or(0)
}

/// Little-endian read of `width / 8` bytes; bytes outside the table are 0.
pub fn read_table(table: &[u8], offset: u64, width: u8) -> u64 {
    (0..u64::from(width / 8)).fold(0, |value, i| {
        let at = usize::try_from(offset.wrapping_add(i)).ok();
        let byte = at.and_then(|at| table.get(at)).copied().unwrap_or(0);
        value | u64::from(byte) << (8 * i)
    })
}
