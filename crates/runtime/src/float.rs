//! Labels of floating-point operations, and of what libc computes from and to floating point.
//!
//! In: an operator, operands with their labels, and the result that the program computed. Out: the label of the result.
//!
//! Always holds: a node has the bits that the hardware computed in this run. Where [`parallax_trace::float`] says otherwise (another rounding mode, flushed
//! subnormal numbers, operations that the compiler has reordered or fused), the operands are made concrete and an event says so. Neither
//! the exception flags of the program nor its `errno` change.

use crate::state::state;
use crate::tls::{take_args, tls};
use crate::{events, nodes};
use parallax_trace::float::{self, Math1, Math2};
use parallax_trace::format::*;
use std::arch::asm;

fn tracing() -> bool {
    state().is_on() && tls().off == 0
}

/// Rounding to the nearest, subnormal numbers as they are: bits 13, 14, 15 and 6 of the control register.
const OTHER_ROUNDING: u32 = 0xe040;

fn control() -> u32 {
    let mut register = 0u32;
    // SAFETY: stores the control register of SSE to a local variable.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut register, options(nostack, preserves_flags)) };
    register
}

/// The value of an operator as the engine will compute it; `None` while the program rounds in another way.
fn computed(op: Op, width: u8, operand_width: u8, operands: [u64; 3]) -> Option<u64> {
    let before = control();
    if before & OTHER_ROUNDING != 0 {
        return None;
    }
    // SAFETY: the address of this thread's `errno`, which lives as long as the thread.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let saved = unsafe { *errno };
    let value = float::apply(op, width, operand_width, operands) & mask(width);
    // SAFETY: as above; the control register gets the value that it had.
    unsafe {
        *errno = saved;
        asm!("ldmxcsr [{}]", in(reg) &before, options(nostack, preserves_flags, readonly));
    }
    Some(value)
}

/// An operand: its label and value. `width` 0: a number that is no label.
#[derive(Clone, Copy)]
struct Operand {
    label: u32,
    width: u8,
    value: u64,
}

impl Operand {
    fn number(value: u32) -> Operand {
        Operand { label: 0, width: 0, value: value.into() }
    }

    fn node(self) -> u32 {
        match self.width {
            0 => self.value as u32,
            width => nodes::operand(self.label, width, self.value),
        }
    }
}

/// The label of an operation whose result in the program was `result`; 0 with an event if the engine would not compute that.
fn operation(op: Op, width: u8, operands: [Operand; 3], result: u64, site: u32) -> u32 {
    if operands.iter().all(|o| o.label == 0) {
        return 0;
    }
    // A label of another width comes from a caller that disagrees about the type.
    let fits = |o: &Operand| o.label == 0 || nodes::width(o.label) == o.width;
    let values = operands.map(|o| o.value);
    let is_same = computed(op, width, operands[0].width, values) == Some(result & mask(width));
    if !is_same || !operands.iter().all(fits) {
        operands.iter().for_each(|o| events::concrete(CONCRETE_FLOAT, site, o.label));
        return 0;
    }
    let [a, b, c] = operands.map(Operand::node);
    nodes::float(op, width, [a, b, c], result & mask(width))
}

const NONE: Operand = Operand { label: 0, width: 0, value: 0 };

/// Arithmetic and conversions. `what`: operator, width of the operands, width of the result.
#[no_mangle]
pub extern "C" fn __plx_rt_float(what: u32, la: u32, lb: u32, a: u64, b: u64, result: u64, site: u32) -> u32 {
    if !tracing() {
        return 0;
    }
    let (op, from, to) = (crate::abi::op(what), (what >> 8) as u8, (what >> 16) as u8);
    let first = Operand { label: la, width: from, value: a };
    let second = match op.arity() {
        2 => Operand { label: lb, width: from, value: b },
        _ => NONE,
    };
    operation(op, to, [first, second, NONE], result, site)
}

/// A function of `math.h` that is an intrinsic. `what`: its number, the width, and 1 above if it has two operands.
#[no_mangle]
pub extern "C" fn __plx_rt_math(what: u32, la: u32, lb: u32, a: u64, b: u64, result: u64, site: u32) -> u32 {
    if !tracing() {
        return 0;
    }
    let (function, width) = (what & 0xff, (what >> 8) as u8);
    let first = Operand { label: la, width, value: a };
    match what >> 16 {
        0 => operation(Op::FMath1, width, [first, Operand::number(function), NONE], result, site),
        _ => {
            let is_scale = function == Math2::Scale as u32;
            let second = Operand { label: lb, width: if is_scale { 32 } else { width }, value: b };
            operation(Op::FMath2, width, [first, second, Operand::number(function)], result, site)
        }
    }
}

/// `a * b + c`, rounded once.
#[no_mangle]
pub extern "C" fn __plx_rt_fma(
    width: u32,
    la: u32,
    lb: u32,
    lc: u32,
    a: u64,
    b: u64,
    c: u64,
    result: u64,
    site: u32,
) -> u32 {
    if !tracing() {
        return 0;
    }
    let width = width as u8;
    let operand = |label, value| Operand { label, width, value };
    operation(Op::FFma, width, [operand(la, a), operand(lb, b), operand(lc, c)], result, site)
}

/// A comparison. `what`: which of less (1), equal (2), greater (4) and unordered (8) it holds for, and the width of the operands.
#[no_mangle]
pub extern "C" fn __plx_rt_fcmp(what: u32, la: u32, lb: u32, a: u64, b: u64, result: u64, site: u32) -> u32 {
    if !tracing() {
        return 0;
    }
    let (holds, w) = (what & 0xf, (what >> 8) as u8);
    // What holds for unordered numbers is the opposite of what does not.
    let (negated, holds) = (holds & 8 != 0, if holds & 8 != 0 { !holds & 7 } else { holds });
    let (x, y) = (nodes::operand(la, w, a), nodes::operand(lb, w, b));
    let less = |op, x, y| nodes::float_of(op, 1, w, [x, y, 0]);
    let or = |x, y| nodes::binary(Op::Or, 1, x, y);
    let label = match holds {
        0 | 8 => 0,
        1 => less(Op::FLt, x, y),
        2 => less(Op::FEq, x, y),
        3 => less(Op::FLe, x, y),
        4 => less(Op::FLt, y, x),
        5 => or(less(Op::FLt, x, y), less(Op::FLt, y, x)),
        6 => less(Op::FLe, y, x),
        _ => or(less(Op::FLe, x, y), less(Op::FLe, y, x)),
    };
    let label = if negated { nodes::binary(Op::Xor, 1, label, nodes::constant(1, 1)) } else { label };
    if control() & OTHER_ROUNDING != 0 || (label != 0 && nodes::value(label) != result & 1) {
        events::concrete(CONCRETE_FLOAT, site, la);
        events::concrete(CONCRETE_FLOAT, site, lb);
        return 0;
    }
    label
}

/// A hook gives its result back with this label.
fn give(label: u32) {
    if label != 0 {
        let t = tls();
        t.ret_label[0] = label;
        t.ret = 1;
    }
}

/// Labels of the arguments of a hook, if there is anything to be done.
fn labels() -> Option<[u32; 8]> {
    take_args().filter(|_| tracing())
}

/// A hook for `operation`: `result` was computed by the real function.
fn hook(op: Op, width: u8, operands: [Operand; 3], result: u64) {
    give(operation(op, width, operands, result, u32::MAX));
}

macro_rules! hooks {
    ($float:ident, $width:expr, $decimal:ident, $math1:ident, $math2:ident, $scale:ident, $exponent:ident) => {
        /// `value` was read from a decimal number.
        #[no_mangle]
        pub extern "C" fn $decimal(value: $float, digits: u64, exponent: i32) -> $float {
            if let Some(l) = labels() {
                let digits = Operand { label: l[1], width: 64, value: digits };
                let exponent = Operand { label: l[2], width: 32, value: exponent as u32 as u64 };
                hook(Op::FDecimal, $width, [digits, exponent, NONE], value.to_bits().into());
            }
            value
        }

        /// `value` is a function of `x`.
        #[no_mangle]
        pub extern "C" fn $math1(value: $float, x: $float, function: u32) -> $float {
            if let Some(l) = labels() {
                let x = Operand { label: l[1], width: $width, value: x.to_bits().into() };
                hook(Op::FMath1, $width, [x, Operand::number(function), NONE], value.to_bits().into());
            }
            value
        }

        /// `value` is a function of `x` and `y`.
        #[no_mangle]
        pub extern "C" fn $math2(value: $float, x: $float, y: $float, function: u32) -> $float {
            if let Some(l) = labels() {
                let [x, y] = [(l[1], x), (l[2], y)].map(|(label, v)| Operand {
                    label,
                    width: $width,
                    value: v.to_bits().into(),
                });
                hook(Op::FMath2, $width, [x, y, Operand::number(function)], value.to_bits().into());
            }
            value
        }

        /// `value` is `x` times two to the power of `n`.
        #[no_mangle]
        pub extern "C" fn $scale(value: $float, x: $float, n: i32) -> $float {
            if let Some(l) = labels() {
                let x = Operand { label: l[1], width: $width, value: x.to_bits().into() };
                let n = Operand { label: l[2], width: 32, value: n as u32 as u64 };
                let function = Operand::number(Math2::Scale as u32);
                hook(Op::FMath2, $width, [x, n, function], value.to_bits().into());
            }
            value
        }

        /// `value` is what `frexp` says the exponent of `x` is.
        #[no_mangle]
        pub extern "C" fn $exponent(value: i32, x: $float) -> i32 {
            if let Some(l) = labels() {
                let x = Operand { label: l[1], width: $width, value: x.to_bits().into() };
                let function = Operand::number(Math1::FrexpExponent as u32);
                hook(Op::FMath1, 32, [x, function, NONE], value as u32 as u64);
            }
            value
        }
    };
}
hooks!(f64, 64, __plx_op_decimal, __plx_op_math1, __plx_op_math2, __plx_op_scale, __plx_op_exponent);
hooks!(f32, 32, __plx_op_decimalf, __plx_op_math1f, __plx_op_math2f, __plx_op_scalef, __plx_op_exponentf);

/// `value` is byte `at` of what `printf` makes of `x`.
#[no_mangle]
pub extern "C" fn __plx_op_text(value: u8, x: f64, spec: u32, at: u32) -> u8 {
    if let Some(l) = labels() {
        let x = Operand { label: l[1], width: 64, value: x.to_bits() };
        hook(Op::FText, 8, [x, Operand::number(spec), Operand::number(at)], value.into());
    }
    value
}

/// `value` is how long that text is.
#[no_mangle]
pub extern "C" fn __plx_op_text_length(value: u32, x: f64, spec: u32) -> u32 {
    if let Some(l) = labels() {
        let x = Operand { label: l[1], width: 64, value: x.to_bits() };
        hook(Op::FTextLen, 32, [x, Operand::number(spec), NONE], value.into());
    }
    value
}
