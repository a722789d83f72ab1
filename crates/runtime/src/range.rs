//! Bounds of expressions, to leave out comparisons that have only one outcome (`getchar() != EOF` on
//! a byte, an index into a table of 256 entries by a byte).
//!
//! Always holds: the value of an expression on *every* input lies within its bounds.

use crate::nodes::{is_const, op_of, width};
use crate::state::state;
use parallax_trace::format::{mask, sign_extend, Op};

/// How deep into an expression the bounds look.
const DEPTH: u32 = 6;

/// Smallest and largest value, unsigned.
fn bounds(label: u32, depth: u32) -> (u64, u64) {
    let n = state().node(label);
    let all = (0, mask(n.width));
    if depth == 0 {
        return all;
    }
    let of = |l: u32| bounds(l, depth - 1);
    let found = match op_of(&n) {
        Op::Const => Some((n.value, n.value)),
        Op::ZExt => Some(of(n.a)),
        Op::Add => sum(of(n.a), of(n.b)),
        Op::Mul => product(of(n.a), of(n.b)),
        Op::Shl => is_const(n.b).filter(|k| *k < 64).and_then(|k| product(of(n.a), (1 << k, 1 << k))),
        Op::LShr => is_const(n.b).filter(|k| *k < 64).map(|k| (of(n.a).0 >> k, of(n.a).1 >> k)),
        Op::And => Some((0, of(n.a).1.min(of(n.b).1))),
        Op::URem => Some((0, of(n.a).1.min(of(n.b).1.max(1) - 1))).filter(|_| of(n.b).0 > 0),
        Op::UDiv => is_const(n.b).filter(|k| *k > 0).map(|k| (of(n.a).0 / k, of(n.a).1 / k)),
        Op::Ite => Some((of(n.b).0.min(of(n.c).0), of(n.b).1.max(of(n.c).1))),
        // A value that is never negative is extended by zeros.
        Op::SExt => Some(of(n.a)).filter(|(_, high)| *high <= mask(width(n.a)) >> 1),
        _ => None,
    };
    // A result that does not fit has wrapped around.
    found.filter(|(_, high)| *high <= all.1).unwrap_or(all)
}

fn sum(a: (u64, u64), b: (u64, u64)) -> Option<(u64, u64)> {
    Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
}

fn product(a: (u64, u64), b: (u64, u64)) -> Option<(u64, u64)> {
    Some((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?))
}

/// The same as signed numbers of `w` bits, if the bounds do not straddle the change of sign.
fn signed((low, high): (u64, u64), w: u8) -> Option<(i64, i64)> {
    let (a, b) = (sign_extend(low, w), sign_extend(high, w));
    (a <= b && (a < 0) == (b < 0)).then_some((a, b))
}

/// Does this comparison of `w`-bit operands have the same outcome on every input?
pub fn decided(op: Op, w: u8, a: u32, b: u32) -> bool {
    if !matches!(op, Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle) {
        return false;
    }
    let (x, y) = (bounds(a, DEPTH), bounds(b, DEPTH));
    match op {
        Op::Eq | Op::Ne => x.1 < y.0 || y.1 < x.0,
        Op::Ult => x.1 < y.0 || x.0 >= y.1,
        Op::Ule => x.1 <= y.0 || x.0 > y.1,
        _ => match (signed(x, w), signed(y, w)) {
            (Some(x), Some(y)) if op == Op::Slt => x.1 < y.0 || x.0 >= y.1,
            (Some(x), Some(y)) => x.1 <= y.0 || x.0 > y.1,
            _ => false,
        },
    }
}
