//! Bounds of expressions, to leave out comparisons that have only one outcome (`getchar() != EOF` on
//! a byte, an index into a table of 256 entries by a byte).
//!
//! Always holds: the value of an expression on *every* input lies within its bounds.

use crate::nodes::{is_const, op_of, width};
use crate::state::state;
use parallax_trace::format::{mask, sign_extend, Node, Op};

/// How deep into an expression the bounds look.
const DEPTH: u32 = 6;

/// Smallest and largest value, unsigned.
fn bounds(label: u32, depth: u32) -> (u64, u64) {
    let n = state().node(label);
    match depth {
        0 => (0, mask(n.width)),
        _ => unsigned(&n, |l| bounds(l, depth - 1)),
    }
}

/// Smallest and largest value of a node, unsigned, from those of its operands.
fn unsigned(n: &Node, of: impl Fn(u32) -> (u64, u64)) -> (u64, u64) {
    let all = (0, mask(n.width));
    let found = match op_of(n) {
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

/// What every value of an expression lies between, as an unsigned and as a signed number.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub unsigned: (u64, u64),
    pub signed: (i64, i64),
}

/// The bounds of a label, however deep its expression is: those of all older nodes are kept.
pub fn known(label: u32) -> Bounds {
    let s = state();
    s.enter();
    let found = match s.bounds.try_borrow_mut() {
        Ok(mut bounds) => up_to(label, &mut bounds),
        // A fault has interrupted this very function.
        Err(_) => Bounds::any(),
    };
    s.leave();
    found
}

/// The bounds of a label, after those of all older ones.
fn up_to(label: u32, all: &mut Vec<Bounds>) -> Bounds {
    if all.is_empty() {
        // Label 0 has no node, but a place.
        all.push(Bounds::constant(64, 0));
    }
    while all.len() <= label as usize {
        let bounds = Bounds::of(&state().node(all.len() as u32), all);
        all.push(bounds);
    }
    all[label as usize]
}

impl Bounds {
    /// Those of a value of which nothing is known.
    fn any() -> Bounds {
        Bounds { unsigned: (0, u64::MAX), signed: (i64::MIN, i64::MAX) }
    }

    pub fn constant(w: u8, value: u64) -> Bounds {
        let signed = sign_extend(value, w);
        Bounds { unsigned: (value, value), signed: (signed, signed) }
    }

    fn of(n: &Node, older: &[Bounds]) -> Bounds {
        let at = |l: u32| older[l as usize];
        let unsigned = unsigned(n, |l| at(l).unsigned);
        let found = signed_result(n, at).or(signed(unsigned, n.width));
        let highest = (mask(n.width) >> 1) as i64;
        let signed = found.filter(|(low, high)| *low >= -highest - 1 && *high <= highest);
        let signed = signed.unwrap_or((-highest - 1, highest));
        // Neither is worth less than what the other says.
        let positive = (signed.0 as u64, signed.1 as u64);
        let tighter = signed.0 >= 0 && positive.1 - positive.0 < unsigned.1 - unsigned.0;
        Bounds { unsigned: if tighter { positive } else { unsigned }, signed }
    }
}

/// Smallest and largest signed value of a node from those of its operands, as if its width had no end.
fn signed_result(n: &Node, of: impl Fn(u32) -> Bounds) -> Option<(i64, i64)> {
    let (a, b) = (|| of(n.a).signed, || of(n.b).signed);
    match op_of(n) {
        Op::ZExt => {
            let (low, high) = of(n.a).unsigned;
            Some((i64::try_from(low).ok()?, i64::try_from(high).ok()?))
        }
        Op::SExt => Some(a()),
        Op::Add => Some((a().0.checked_add(b().0)?, a().1.checked_add(b().1)?)),
        Op::Sub => Some((a().0.checked_sub(b().1)?, a().1.checked_sub(b().0)?)),
        Op::Mul => signed_product(a(), b()),
        Op::AShr => is_const(n.b).map(|k| (a().0 >> k.min(63), a().1 >> k.min(63))),
        Op::SDiv if b().0 > 0 => {
            let ends = [a().0 / b().0, a().0 / b().1, a().1 / b().0, a().1 / b().1];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        // No farther from 0 than the dividend; by a known number other than 0, nearer to 0 than that.
        Op::SRem => {
            let (low, high) = (a().0.min(0), a().1.max(0));
            match is_const(n.b).map(|k| sign_extend(k, n.width).unsigned_abs()) {
                Some(k @ 1..=0x7fff_ffff_ffff_ffff) => Some((low.max(1 - k as i64), high.min(k as i64 - 1))),
                _ => Some((low, high)),
            }
        }
        Op::Ite => Some((b().0.min(of(n.c).signed.0), b().1.max(of(n.c).signed.1))),
        _ => None,
    }
}

/// Bounds of a product, if it cannot overflow.
pub fn signed_product(a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    let ends = [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
    Some((*ends.iter().min()?, *ends.iter().max()?))
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
