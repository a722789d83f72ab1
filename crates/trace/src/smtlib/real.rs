//! Floating-point operators in SMT-LIB.
//!
//! In: an operator and the names of its operands. Out: an application of a declared function (`fadd.64.64.0`), the function's declaration, and, where
//! the theory of floating-point numbers can say what it means, an axiom about this application.
//!
//! Always holds: what is said is what [`crate::float::apply`] computes, NaNs bit for bit; of functions without an axiom (of `math.h`, of
//! decimal numbers with many digits, of texts) nothing is said but that equal operands give equal results. So what is
//! unsatisfiable is so, and a model may need to be evaluated.

use crate::float::{self, Math1, Math2};
use crate::format::Op;

/// The function's name: operator, width of the first operand, width of the result, number.
pub fn symbol(op: Op, width: u8, operand_width: u8, num: u64) -> String {
    format!("{}.{operand_width}.{width}.{num}", float::name(op))
}

/// The operator, width of the result and number that a name stands for.
pub fn from_symbol(text: &str) -> Option<(Op, u8, u64)> {
    let mut parts = text.split('.');
    let op = float::from_name(parts.next()?)?;
    let _operand_width: u8 = parts.next()?.parse().ok()?;
    let width = parts.next()?.parse().ok().filter(|width| (1..=64).contains(width))?;
    let num = parts.next()?.parse().ok()?;
    parts.next().is_none().then_some((op, width, num))
}

/// The declaration of the function.
pub fn declaration(op: Op, width: u8, operand_width: u8, num: u64) -> String {
    let mut operands = vec![operand_width; op.arity()];
    let is_scale = op == Op::FMath2 && Math2::from_number(num) == Some(Math2::Scale);
    if let (true, Some(second)) = (is_scale || op == Op::FDecimal, operands.get_mut(1)) {
        *second = 32;
    }
    let operands: Vec<String> = operands.iter().map(|width| format!("(_ BitVec {width})")).collect();
    let symbol = symbol(op, width, operand_width, num);
    format!("(declare-fun {symbol} ({}) (_ BitVec {width}))", operands.join(" "))
}

/// The function applied.
pub fn application(op: Op, width: u8, operand_width: u8, num: u64, args: [&str; 3]) -> String {
    format!("({} {})", symbol(op, width, operand_width, num), args[..op.arity()].join(" "))
}

/// A floating-point format as SMT-LIB names it.
fn format_of(width: u8) -> &'static str {
    if width == 32 {
        "8 24"
    } else {
        "11 53"
    }
}

/// Bits as a number.
fn number(bits: &str, width: u8) -> String {
    format!("((_ to_fp {}) {bits})", format_of(width))
}

fn constant(value: f64) -> String {
    number(&bits(value.to_bits(), 64), 64)
}

fn bits(value: u64, width: u8) -> String {
    super::literal(value, width)
}

/// What is known of `result`, which names the application. `second`: the value of the second operand, if it is a constant.
pub fn axiom(
    op: Op,
    width: u8,
    operand_width: u8,
    num: u64,
    result: &str,
    args: [&str; 3],
    second: Option<u64>,
) -> Option<String> {
    let [a, b, _] = args;
    let real = |arg: &str| number(arg, operand_width);
    let (x, y) = (real(a), real(b));
    let rounded = |mode: &str| format!("(fp.roundToIntegral {mode} {x})");
    let truth = |term: String| Some(format!("(= {result} (ite {term} (_ bv1 1) (_ bv0 1)))"));
    let same = |term: String| Some(format!("(= {} {term})", number(result, width)));
    let value = match op {
        Op::FEq => return truth(format!("(fp.eq {x} {y})")),
        Op::FLt => return truth(format!("(fp.lt {x} {y})")),
        Op::FLe => return truth(format!("(fp.leq {x} {y})")),
        Op::FFromS => return same(format!("((_ to_fp {}) RNE {a})", format_of(width))),
        Op::FFromU => return same(format!("((_ to_fp_unsigned {}) RNE {a})", format_of(width))),
        Op::FToS | Op::FToU => {
            return Some(format!("(= {result} {})", integer(op, width, &wide(a, operand_width))))
        }
        Op::FConvert => return Some(converted(width, operand_width, result, a)),
        Op::FDecimal => return decimal(width, result, a, second? as u32 as i32),
        Op::FAdd => format!("(fp.add RNE {x} {y})"),
        Op::FSub => format!("(fp.sub RNE {x} {y})"),
        Op::FMul => format!("(fp.mul RNE {x} {y})"),
        Op::FDiv => format!("(fp.div RNE {x} {y})"),
        Op::FFma => format!("(fp.fma RNE {x} {y} {})", real(args[2])),
        Op::FMath1 => match Math1::from_number(num)? {
            Math1::Sqrt => format!("(fp.sqrt RNE {x})"),
            Math1::Floor => rounded("RTN"),
            Math1::Ceil => rounded("RTP"),
            Math1::Trunc => rounded("RTZ"),
            Math1::Round => rounded("RNA"),
            Math1::RoundEven => rounded("RNE"),
            _ => return None,
        },
        _ => return None,
    };
    Some(with_nan(op, width, result, &value, &args[..op.arity()]))
}

/// The result is this number, and, if it is none, the first NaN among the operands made quiet, or the negative one.
fn with_nan(op: Op, width: u8, result: &str, value: &str, args: &[&str]) -> String {
    let (quiet, default) = match width {
        32 => (1 << 22, 0xffc0_0000),
        _ => (1 << 51, 0xfff8_0000_0000_0000),
    };
    debug_assert!(op.is_float());
    let nan = args.iter().rev().fold(bits(default, width), |rest, arg| {
        format!("(ite (fp.isNaN {}) (bvor {arg} {}) {rest})", number(arg, width), bits(quiet, width))
    });
    let number = number(result, width);
    format!("(and (= {number} {value}) (=> (fp.isNaN {number}) (= {result} {nan})))")
}

/// An operand of either format as a double: exact.
fn wide(a: &str, width: u8) -> String {
    match width {
        32 => format!("((_ to_fp 11 53) RNE {})", number(a, 32)),
        _ => number(a, 64),
    }
}

/// What `cvttsd2si`, and LLVM's sequence for unsigned types, make of a double.
fn integer(op: Op, width: u8, x: &str) -> String {
    let limit = constant(9223372036854775808.0);
    let least = constant(-9223372036854775808.0);
    let inside = format!("(and (fp.leq {least} {x}) (fp.lt {x} {limit}))");
    let word = format!("((_ fp.to_sbv 64) RTZ {x})");
    let indefinite = bits(1 << 63, 64);
    let half = format!("((_ extract 31 0) {word})");
    let low = |term: String| format!("((_ extract {} 0) {term})", width - 1);
    match (op, width) {
        (Op::FToU, 32) => format!("((_ extract 31 0) (ite {inside} {word} {indefinite}))"),
        (_, 0..=32) => {
            let fits = format!("(and {inside} (= ((_ sign_extend 32) {half}) {word}))");
            low(format!("(ite {fits} {half} {})", bits(1 << 31, 32)))
        }
        (Op::FToU, _) => {
            let above =
                format!("(and (fp.leq {limit} {x}) (fp.lt {x} {}))", constant(18446744073709551616.0));
            low(format!("(ite {inside} {word} (ite {above} ((_ fp.to_ubv 64) RTZ {x}) {indefinite}))"))
        }
        _ => low(format!("(ite {inside} {word} {indefinite})")),
    }
}

/// From one format to another; a NaN keeps its sign and the upper part of its payload.
fn converted(width: u8, from: u8, result: &str, a: &str) -> String {
    if width == from {
        return format!("(= {result} {a})");
    }
    let (x, r) = (number(a, from), number(result, width));
    let nan = match width {
        64 => format!(
            "(concat (concat ((_ extract 31 31) {a}) (_ bv4095 12)) (concat ((_ extract 21 0) {a}) (_ bv0 29)))"
        ),
        _ => format!("(concat (concat ((_ extract 63 63) {a}) (_ bv511 9)) ((_ extract 50 29) {a}))"),
    };
    let value = format!("((_ to_fp {}) RNE {x})", format_of(width));
    format!("(and (= {r} {value}) (=> (fp.isNaN {x}) (= {result} {nan})))")
}

/// A decimal number of few digits: a quotient or product of exact numbers, rounded once (Clinger 1990).
fn decimal(width: u8, result: &str, digits: &str, exponent: i32) -> Option<String> {
    let (most, powers) = if width == 32 { (1u64 << 24, 10) } else { (1u64 << 53, 22) };
    let op = if exponent < 0 { "fp.div" } else { "fp.mul" };
    let power = 10f64.powi(exponent.checked_abs().filter(|power| *power <= powers)?);
    let power = match width {
        32 => number(&bits(u64::from((power as f32).to_bits()), 32), 32),
        _ => constant(power),
    };
    let format = format_of(width);
    let value = format!("({op} RNE ((_ to_fp_unsigned {format}) RNE {digits}) {power})");
    Some(format!("(=> (bvult {digits} {}) (= {} {value}))", bits(most, 64), number(result, width)))
}
