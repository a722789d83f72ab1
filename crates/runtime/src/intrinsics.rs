//! Expressions for LLVM intrinsics that have no operator of their own.
//!
//! In: which intrinsic, the width, operand labels and values. Out: the label of the result, written
//! with the plain operators so that no later stage has to know intrinsics.

use crate::nodes::{self, binary, constant, extract, ite};
use crate::state::state;
use crate::tls::tls;
use parallax_trace::format::{apply, mask, Op};

/// Numbers shared with the instrumenter's `intrinsics.rs`.
pub const BSWAP: u32 = 1;
pub const CTPOP: u32 = 2;
pub const CTLZ: u32 = 3;
pub const CTTZ: u32 = 4;
pub const ABS: u32 = 5;
pub const SMAX: u32 = 6;
pub const SMIN: u32 = 7;
pub const UMAX: u32 = 8;
pub const UMIN: u32 = 9;
pub const FSHL: u32 = 10;
pub const FSHR: u32 = 11;
pub const SADD_OVERFLOW: u32 = 12;
pub const UADD_OVERFLOW: u32 = 13;
pub const SSUB_OVERFLOW: u32 = 14;
pub const USUB_OVERFLOW: u32 = 15;
pub const SMUL_OVERFLOW: u32 = 16;
pub const UMUL_OVERFLOW: u32 = 17;
pub const BITREVERSE: u32 = 18;

/// Label of the result of an intrinsic (for `*_OVERFLOW`: of the overflow flag).
#[no_mangle]
pub extern "C" fn __plx_rt_intrinsic(what: u32, la: u32, lb: u32, lc: u32, a: u64, b: u64, c: u64) -> u32 {
    if !state().is_on() || tls().off != 0 {
        return 0;
    }
    let w = (what >> 8) as u8;
    let x = nodes::operand(la, w, a);
    let one = |what| one_operand(what, w, x);
    match what & 0xff {
        k @ (BSWAP | CTPOP | CTLZ | CTTZ | ABS | BITREVERSE) => one(k),
        k @ (FSHL | FSHR) if lc == 0 => funnel(k, w, x, nodes::operand(lb, w, b), c),
        FSHL | FSHR => 0,
        k => two_operands(k, w, x, nodes::operand(lb, w, b)),
    }
}

fn one_operand(what: u32, w: u8, x: u32) -> u32 {
    match what {
        BSWAP => pieces((0..w as u32 / 8).map(|i| piece(x, 8 * i, 8)).collect()),
        BITREVERSE => pieces((0..w as u32).map(|i| piece(x, i, 1)).collect()),
        CTPOP => (0..w as u32)
            .fold(constant(w, 0), |sum, i| add(w, sum, nodes::extend(Op::ZExt, piece(x, i, 1), w))),
        ABS => {
            let zero = constant(w, 0);
            choose(Op::Slt, w, (x, zero), binary(Op::Sub, w, zero, x), x)
        }
        // The first set bit from the right (CTTZ) or left (CTLZ): the outermost test is the nearest bit.
        _ => (0..w as u32).fold(constant(w, w as u64), |rest, i| {
            let at = if what == CTTZ { w as u32 - 1 - i } else { i };
            let count = if what == CTTZ { at } else { w as u32 - 1 - at };
            ite(piece(x, at, 1), constant(w, count as u64), rest)
        }),
    }
}

fn add(w: u8, a: u32, b: u32) -> u32 {
    if a == b {
        return binary(Op::Shl, w, a, constant(w, 1));
    }
    binary(Op::Add, w, a, b)
}

/// A piece that may be concrete: then a constant node of what it is.
fn piece(x: u32, low: u32, w: u8) -> u32 {
    let label = extract(x, low, w);
    nodes::operand(label, w, (nodes::value(x) >> low) & mask(w))
}

/// Pieces, most significant first.
fn pieces(parts: Vec<u32>) -> u32 {
    parts.into_iter().reduce(nodes::concat).unwrap_or(0)
}

fn funnel(what: u32, w: u8, high: u32, low: u32, amount: u64) -> u32 {
    let k = amount % w as u64;
    let (left, right) = if what == FSHL { (k, w as u64 - k) } else { (w as u64 - k, k) };
    match (k, what) {
        (0, FSHL) => symbolic(high),
        (0, _) => symbolic(low),
        _ => {
            let a = nodes::operand(binary(Op::Shl, w, high, constant(w, left)), w, 0);
            let b = nodes::operand(binary(Op::LShr, w, low, constant(w, right)), w, 0);
            binary(Op::Or, w, a, b)
        }
    }
}

/// A constant node is not a symbolic value.
fn symbolic(label: u32) -> u32 {
    if state().node(label).op == Op::Const as u8 {
        0
    } else {
        label
    }
}

fn two_operands(what: u32, w: u8, x: u32, y: u32) -> u32 {
    let sign = |v: u32| binary(Op::Slt, w, v, constant(w, 0));
    match what {
        SMAX => choose(Op::Slt, w, (x, y), y, x),
        SMIN => choose(Op::Slt, w, (x, y), x, y),
        UMAX => choose(Op::Ult, w, (x, y), y, x),
        UMIN => choose(Op::Ult, w, (x, y), x, y),
        UADD_OVERFLOW => {
            let sum = binary(Op::Add, w, x, y);
            if sum == 0 {
                0
            } else {
                binary(Op::Ult, w, sum, x)
            }
        }
        USUB_OVERFLOW => binary(Op::Ult, w, x, y),
        SADD_OVERFLOW => {
            let sum =
                nodes::operand(binary(Op::Add, w, x, y), w, nodes::value(x).wrapping_add(nodes::value(y)));
            let (p, q) = (either(Op::Xor, w, x, sum), either(Op::Xor, w, y, sum));
            sign(either(Op::And, w, p, q))
        }
        SSUB_OVERFLOW => {
            let diff =
                nodes::operand(binary(Op::Sub, w, x, y), w, nodes::value(x).wrapping_sub(nodes::value(y)));
            let (p, q) = (either(Op::Xor, w, x, y), either(Op::Xor, w, x, diff));
            sign(either(Op::And, w, p, q))
        }
        SMUL_OVERFLOW => binary(Op::SMulOverflow, w, x, y),
        UMUL_OVERFLOW => binary(Op::UMulOverflow, w, x, y),
        _ => std::process::abort(),
    }
}

/// `x op y ? a : b`; the comparison may have only one outcome, which then is this run's.
fn choose(op: Op, w: u8, (x, y): (u32, u32), a: u32, b: u32) -> u32 {
    let condition = binary(op, w, x, y);
    if condition != 0 {
        return ite(condition, a, b);
    }
    let held = apply(op, 1, w, nodes::value(x), nodes::value(y), 0) == Some(1);
    symbolic(if held { a } else { b })
}

/// A binary operation whose result may turn out constant: then a constant node.
fn either(op: Op, w: u8, x: u32, y: u32) -> u32 {
    let value = match op {
        Op::Xor => nodes::value(x) ^ nodes::value(y),
        _ => nodes::value(x) & nodes::value(y),
    };
    nodes::operand(binary(op, w, x, y), w, value)
}
