//! What the floating-point operators of [`crate::format::Op`] mean.
//!
//! In: bit patterns of `float` (32 bits) and `double` (64 bits). Out: the bit pattern that x86-64 with SSE and glibc computes, rounded to the
//! nearest, ties to even.
//!
//! Always holds: bits are the hardware's also where the standard leaves them open: the NaN of an operation is its first operand's, made
//! quiet, else the second's, else the negative quiet one; a conversion to an integer that does not fit gives the "integer
//! indefinite" that `cvttsd2si` gives. Functions whose last bit a library may choose (`sin`, `pow`) are those of the library
//! that this code is linked with. Nothing here allocates: the runtime calls it inside the program under test.

mod functions;
mod text;

pub use functions::{Math1, Math2};
pub use text::{text, Spec, TEXT_BYTES};

use crate::format::{sign_extend, Op};
use std::fmt::Write;

/// One of the two formats.
pub(crate) trait Real: Copy + PartialOrd {
    const QUIET: u64;
    const DEFAULT_NAN: u64;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn wide(self) -> f64;
    fn narrowed(value: f64) -> Self;
    fn arithmetic(op: Op, a: Self, b: Self) -> Self;
    fn fused(a: Self, b: Self, c: Self) -> Self;
    fn math1(function: Math1, a: Self) -> Self;
    fn math2(function: Math2, a: Self, b: Self) -> Self;
    fn from_signed(value: i64) -> Self;
    fn from_unsigned(value: u64) -> Self;
    fn parsed(text: &str) -> Self;
    fn is_nan(self) -> bool;
}

macro_rules! real {
    ($float:ident, $bits:ident, $quiet:expr, $nan:expr) => {
        impl Real for $float {
            const QUIET: u64 = $quiet;
            const DEFAULT_NAN: u64 = $nan;
            fn of(bits: u64) -> $float {
                $float::from_bits(bits as $bits)
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn wide(self) -> f64 {
                self.into()
            }
            fn narrowed(value: f64) -> $float {
                value as $float
            }
            fn arithmetic(op: Op, a: $float, b: $float) -> $float {
                match op {
                    Op::FAdd => a + b,
                    Op::FSub => a - b,
                    Op::FMul => a * b,
                    Op::FDiv => a / b,
                    _ => a % b,
                }
            }
            fn fused(a: $float, b: $float, c: $float) -> $float {
                a.mul_add(b, c)
            }
            fn math1(function: Math1, a: $float) -> $float {
                match function {
                    Math1::Sqrt => a.sqrt(),
                    Math1::Floor => a.floor(),
                    Math1::Ceil => a.ceil(),
                    Math1::Trunc => a.trunc(),
                    Math1::Round => a.round(),
                    Math1::RoundEven => a.round_ties_even(),
                    Math1::Sin => a.sin(),
                    Math1::Cos => a.cos(),
                    Math1::Tan => a.tan(),
                    Math1::Asin => a.asin(),
                    Math1::Acos => a.acos(),
                    Math1::Atan => a.atan(),
                    Math1::Sinh => a.sinh(),
                    Math1::Cosh => a.cosh(),
                    Math1::Tanh => a.tanh(),
                    Math1::Exp => a.exp(),
                    Math1::Exp2 => a.exp2(),
                    Math1::Expm1 => a.exp_m1(),
                    Math1::Log => a.ln(),
                    Math1::Log2 => a.log2(),
                    Math1::Log10 => a.log10(),
                    Math1::Log1p => a.ln_1p(),
                    Math1::Cbrt => a.cbrt(),
                    Math1::FrexpMantissa | Math1::FrexpExponent => {
                        $float::narrowed(functions::frexp(a.into()).0)
                    }
                    // A difference of neighbours is exact.
                    Math1::ModfFraction if a.is_infinite() => (0.0 as $float).copysign(a),
                    Math1::ModfFraction => (a - a.trunc()).copysign(a),
                }
            }
            fn math2(function: Math2, a: $float, b: $float) -> $float {
                match function {
                    Math2::Pow => a.powf(b),
                    Math2::Atan2 => a.atan2(b),
                    Math2::Hypot => a.hypot(b),
                    Math2::Remainder => $float::narrowed(functions::remainder(a.into(), b.into())),
                    // `minsd` and `maxsd` give their second operand where neither is less.
                    Math2::Min if b.is_nan() || a < b => a,
                    Math2::Max if b.is_nan() || a > b => a,
                    Math2::Min | Math2::Max => b,
                    Math2::Fmod => a % b,
                    // Its second operand is an integer: not here.
                    Math2::Scale => a,
                }
            }
            fn from_signed(value: i64) -> $float {
                value as $float
            }
            fn from_unsigned(value: u64) -> $float {
                value as $float
            }
            fn parsed(text: &str) -> $float {
                text.parse().unwrap_or(0.0)
            }
            fn is_nan(self) -> bool {
                self.is_nan()
            }
        }
    };
}
real!(f32, u32, 1 << 22, 0xffc0_0000);
real!(f64, u64, 1 << 51, 0xfff8_0000_0000_0000);

/// The value of a floating-point operator. Numbers that are no labels (of a function, of a text) are among the operands, in their places.
pub fn apply(op: Op, width: u8, operand_width: u8, operands: [u64; 3]) -> u64 {
    let [a, b, c] = operands;
    match op {
        Op::FFromS if width == 32 => f32::from_signed(sign_extend(a, operand_width)).bits(),
        Op::FFromS => f64::from_signed(sign_extend(a, operand_width)).bits(),
        Op::FFromU if width == 32 => f32::from_unsigned(a).bits(),
        Op::FFromU => f64::from_unsigned(a).bits(),
        Op::FDecimal if width == 32 => decimal::<f32>(a, b as u32 as i32),
        Op::FDecimal => decimal::<f64>(a, b as u32 as i32),
        Op::FConvert => convert(a, operand_width, width),
        Op::FText => text(f64::of(a), Spec(b as u32)).get(c as usize).into(),
        Op::FTextLen => text(f64::of(a), Spec(b as u32)).len() as u64,
        _ if operand_width == 32 => of::<f32>(op, width, [a, b, c]),
        _ => of::<f64>(op, width, [a, b, c]),
    }
}

/// Operators whose operands have this format.
fn of<R: Real>(op: Op, width: u8, [a, b, c]: [u64; 3]) -> u64 {
    let (x, y) = (R::of(a), R::of(b));
    let arithmetic = |operands: &[R], result: &dyn Fn() -> R| match operands.iter().find(|o| o.is_nan()) {
        Some(nan) => nan.bits() | R::QUIET,
        None => Some(result()).filter(|r| !r.is_nan()).map_or(R::DEFAULT_NAN, R::bits),
    };
    match op {
        Op::FEq => (x == y).into(),
        Op::FLt => (x < y).into(),
        Op::FLe => (x <= y).into(),
        Op::FToS => to_signed(x.wide(), width),
        Op::FToU => to_unsigned(x.wide(), width),
        Op::FFma => arithmetic(&[x, y, R::of(c)], &|| R::fused(x, y, R::of(c))),
        Op::FMath1 => match Math1::from_number(b) {
            Some(Math1::FrexpExponent) => functions::frexp(x.wide()).1 as u32 as u64,
            Some(function) if function.is_exact() => arithmetic(&[x], &|| R::math1(function, x)),
            Some(function) => R::math1(function, x).bits(),
            None => 0,
        },
        Op::FMath2 => match Math2::from_number(c) {
            Some(Math2::Scale) => arithmetic(&[x], &|| {
                R::narrowed(functions::scale(x.wide(), b as u32 as i32, R::QUIET == 1 << 22))
            }),
            Some(function @ (Math2::Remainder | Math2::Fmod)) => {
                arithmetic(&[x, y], &|| R::math2(function, x, y))
            }
            Some(function) => R::math2(function, x, y).bits(),
            None => 0,
        },
        _ => arithmetic(&[x, y], &|| R::arithmetic(op, x, y)),
    }
}

/// `cvtss2sd` and `cvtsd2ss`.
fn convert(bits: u64, from: u8, to: u8) -> u64 {
    // Bits of the mantissa that only a double has.
    const MORE: u32 = 29;
    match (from, to) {
        (32, 64) if f32::of(bits).is_nan() => {
            (bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (bits & 0x3f_ffff) << MORE
        }
        (32, 64) => f32::of(bits).wide().bits(),
        (64, 32) if f64::of(bits).is_nan() => {
            bits >> 32 & 0x8000_0000 | 0x7fc0_0000 | bits >> MORE & 0x3f_ffff
        }
        (64, 32) => f32::narrowed(f64::of(bits)).bits(),
        _ => bits,
    }
}

const TWO_TO_31: f64 = 2147483648.0;
const TWO_TO_63: f64 = 9223372036854775808.0;

/// `cvttsd2si` into 32 bits (of which narrower types keep the lowest) or 64.
fn to_signed(x: f64, width: u8) -> u64 {
    match width {
        0..=32 if x > -TWO_TO_31 - 1.0 && x < TWO_TO_31 => x as i32 as u64,
        0..=32 => 1 << 31,
        _ if (-TWO_TO_63..TWO_TO_63).contains(&x) => x as i64 as u64,
        _ => 1 << 63,
    }
}

/// What LLVM makes of `cvttsd2si` for unsigned types.
fn to_unsigned(x: f64, width: u8) -> u64 {
    match width {
        0..=31 => to_signed(x, 32),
        32 => to_signed(x, 64),
        _ => {
            let (low, high) = (to_signed(x, 64), to_signed(x - TWO_TO_63, 64));
            low | high & ((low as i64) >> 63) as u64
        }
    }
}

/// The number nearest to `digits` times ten to the power of `exponent`.
fn decimal<R: Real>(digits: u64, exponent: i32) -> u64 {
    let mut buffer = text::Buffer::default();
    // 20 digits, a letter and an exponent fit.
    let _ = write!(buffer, "{digits}e{exponent}");
    R::parsed(buffer.as_str()).bits()
}

/// Do the widths of operands, and the numbers among them, fit the operator? `widths`: 0 for numbers.
pub fn fits(op: Op, width: u8, widths: [u8; 3], operands: [u32; 3]) -> bool {
    let is_real = |width: u8| width == 32 || width == 64;
    let [a, b, c] = widths;
    match op {
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem => is_real(width) && a == width && b == width,
        Op::FEq | Op::FLt | Op::FLe => width == 1 && is_real(a) && a == b,
        Op::FConvert => is_real(width) && is_real(a),
        Op::FFromS | Op::FFromU => is_real(width),
        Op::FToS | Op::FToU => is_real(a),
        Op::FMath1 => match Math1::from_number(operands[1].into()) {
            Some(Math1::FrexpExponent) => width == 32 && is_real(a),
            Some(_) => is_real(width) && a == width,
            None => false,
        },
        Op::FMath2 => match Math2::from_number(operands[2].into()) {
            Some(Math2::Scale) => is_real(width) && a == width && b == 32,
            Some(_) => is_real(width) && a == width && b == width,
            None => false,
        },
        Op::FFma => is_real(width) && [a, b, c] == [width; 3],
        Op::FDecimal => is_real(width) && a == 64 && b == 32,
        Op::FText => width == 8 && a == 64,
        Op::FTextLen => width == 32 && a == 64,
        _ => false,
    }
}

/// The place of a number among all that are not NaN, from the least to the greatest; both zeros have the same. Neighbours differ by 1.
pub fn order(bits: u64, width: u8) -> i64 {
    let value = sign_extend(bits, width);
    let magnitude = if width == 32 { 0x7fff_ffff } else { i64::MAX };
    if value < 0 {
        -(value & magnitude)
    } else {
        value
    }
}

/// The number at a place of [`order`]; zero is positive.
pub fn at_order(place: i64, width: u8) -> u64 {
    let sign = 1 << (width - 1);
    if place < 0 {
        place.unsigned_abs() | sign
    } else {
        place as u64
    }
}

/// The place of infinity.
pub const fn infinity(width: u8) -> i64 {
    if width == 32 {
        0x7f80_0000
    } else {
        0x7ff0_0000_0000_0000
    }
}

/// The name of an operator in formulas and scripts.
pub fn name(op: Op) -> &'static str {
    match op {
        Op::FAdd => "fadd",
        Op::FSub => "fsub",
        Op::FMul => "fmul",
        Op::FDiv => "fdiv",
        Op::FRem => "fmod",
        Op::FEq => "feq",
        Op::FLt => "flt",
        Op::FLe => "fle",
        Op::FConvert => "fconvert",
        Op::FFromS => "ffroms",
        Op::FFromU => "ffromu",
        Op::FToS => "ftos",
        Op::FToU => "ftou",
        Op::FMath1 => "fmath1",
        Op::FMath2 => "fmath2",
        Op::FFma => "fma",
        Op::FDecimal => "fdecimal",
        Op::FText => "ftext",
        Op::FTextLen => "ftextlen",
        _ => "?",
    }
}

/// The operator that has this name.
pub fn from_name(text: &str) -> Option<Op> {
    (Op::FAdd as u8..=u8::MAX).map_while(Op::from_u8).find(|op| name(*op) == text)
}
