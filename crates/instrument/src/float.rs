//! Labels of `float` and `double`: which instructions and intrinsics have expressions, and what the runtime is told of them.
//!
//! The runtime (`runtime::float`) gets the result as well: it makes an expression only if the engine would compute the same bits. `long double`,
//! half precision and vectors carry no labels: what goes into them is made concrete.

use crate::cx::Result;
use crate::emit::{Emitter, Labelled};
use crate::fast::result_value;
use crate::types::scalar_width;
use inkwell::attributes::AttributeLoc;
use inkwell::values::{InstructionOpcode as Op, *};
use inkwell::FloatPredicate;
use parallax_trace::float::{Math1, Math2};
use parallax_trace::format as f;

/// Instructions that compute with floating point.
pub fn is_float(op: Op) -> bool {
    operator(op).is_some() || matches!(op, Op::FNeg | Op::FCmp)
}

fn operator(op: Op) -> Option<f::Op> {
    Some(match op {
        Op::FAdd => f::Op::FAdd,
        Op::FSub => f::Op::FSub,
        Op::FMul => f::Op::FMul,
        Op::FDiv => f::Op::FDiv,
        Op::FRem => f::Op::FRem,
        Op::FPExt | Op::FPTrunc => f::Op::FConvert,
        Op::SIToFP => f::Op::FFromS,
        Op::UIToFP => f::Op::FFromU,
        Op::FPToSI => f::Op::FToS,
        Op::FPToUI => f::Op::FToU,
        _ => return None,
    })
}

/// Is this a single `float`, `double` or integer with a label?
fn is_scalar(value: &Labelled) -> bool {
    value.labels.len() == 1 && scalar_width(value.value.get_type()).is_some()
}

fn width(value: &Labelled) -> u32 {
    scalar_width(value.value.get_type()).unwrap_or(64)
}

/// Labels of a floating-point instruction, whose clone has been inserted; `None` for all others, and for what has no expression.
pub fn expression<'c>(
    e: &mut Emitter<'_, 'c>,
    i: usize,
    clone: InstructionValue<'c>,
) -> Result<Option<Vec<IntValue<'c>>>> {
    let (op, cx) = (e.body.insts[i].op, e.cx);
    if !is_float(op) || e.body.insts[i].leaves.len() != 1 {
        return Ok(None);
    }
    let operands = clone.get_num_operands();
    let first = e.nth(i, 0)?;
    let second = if operands > 1 { e.nth(i, 1)? } else { first.clone() };
    let Some(result) = result_value(clone).filter(|_| is_scalar(&first) && is_scalar(&second)) else {
        return Ok(None);
    };
    let label = match operator(op) {
        _ if op == Op::FNeg => flip_sign(e, i, &first)?,
        Some(op) => {
            let what = op as u32 | width(&first) << 8 | e.body.insts[i].leaves[0].width << 16;
            let second = if operands > 1 { Some(&second) } else { None };
            ask(e, i, cx.abi.float, what, &first, second, result)?
        }
        None => {
            let holds = predicate(clone.get_fcmp_predicate());
            ask(e, i, cx.abi.fcmp, holds | width(&first) << 8, &first, Some(&second), result)?
        }
    };
    Ok(Some(vec![label]))
}

/// For which of less (1), equal (2), greater (4) and unordered (8) a comparison holds.
fn predicate(predicate: Option<FloatPredicate>) -> u32 {
    use FloatPredicate::*;
    match predicate.unwrap_or(PredicateFalse) {
        PredicateFalse => 0,
        OLT => 1,
        OEQ => 2,
        OLE => 3,
        OGT => 4,
        ONE => 5,
        OGE => 6,
        ORD => 7,
        UNO => 8,
        ULT => 9,
        UEQ => 10,
        ULE => 11,
        UGT => 12,
        UNE => 13,
        UGE => 14,
        PredicateTrue => 15,
    }
}

/// `function(what, labels, values, result, site)`.
fn ask<'c>(
    e: &Emitter<'_, 'c>,
    i: usize,
    function: FunctionValue<'c>,
    what: u32,
    a: &Labelled<'c>,
    b: Option<&Labelled<'c>>,
    result: BasicValueEnum<'c>,
) -> Result<IntValue<'c>> {
    let cx = e.cx;
    let la = a.labels[0];
    let lb = b.map_or(cx.zero(), |b| b.labels[0]);
    cx.label_of(&[la, lb], function, || {
        let x = cx.as_word(a.value)?;
        let y = b.map_or(Ok(cx.word(0)), |b| cx.as_word(b.value))?;
        let result = cx.as_word(result)?;
        let site = cx.label(e.body.insts[i].site);
        Ok(vec![cx.label(what).into(), la.into(), lb.into(), x.into(), y.into(), result.into(), site.into()])
    })
}

/// An operation on the bits of a number: with a constant, or with another number's bits.
fn on_bits<'c>(
    e: &Emitter<'_, 'c>,
    i: usize,
    op: f::Op,
    width: u32,
    a: (IntValue<'c>, IntValue<'c>),
    b: (IntValue<'c>, IntValue<'c>),
) -> Result<IntValue<'c>> {
    let cx = e.cx;
    cx.label_of(&[a.0, b.0], cx.abi.binary, || {
        let (what, site) = (cx.label(op as u32 | width << 8), cx.label(e.body.insts[i].site));
        Ok(vec![what.into(), a.0.into(), b.0.into(), a.1.into(), b.1.into(), site.into()])
    })
}

fn flip_sign<'c>(e: &Emitter<'_, 'c>, i: usize, a: &Labelled<'c>) -> Result<IntValue<'c>> {
    let (cx, width) = (e.cx, width(a));
    let bits = cx.as_word(a.value)?;
    on_bits(e, i, f::Op::Xor, width, (a.labels[0], bits), (cx.zero(), cx.word(1 << (width - 1))))
}

/// `fabs` and `copysign`.
fn with_sign<'c>(
    e: &Emitter<'_, 'c>,
    i: usize,
    a: &Labelled<'c>,
    sign: Option<&Labelled<'c>>,
) -> Result<IntValue<'c>> {
    let (cx, b, width) = (e.cx, e.cx.builder, width(a));
    let (sign_bit, rest) = (1u64 << (width - 1), (1u64 << (width - 1)) - 1);
    let keep = |number: &Labelled<'c>, mask: u64| {
        let (bits, mask) = (cx.as_word(number.value)?, cx.word(mask));
        let label = on_bits(e, i, f::Op::And, width, (number.labels[0], bits), (cx.zero(), mask))?;
        Ok::<_, crate::error::Error>((label, b.build_and(bits, mask, "bits")?))
    };
    let magnitude = keep(a, rest)?;
    match sign {
        None => Ok(magnitude.0),
        Some(sign) => on_bits(e, i, f::Op::Or, width, magnitude, keep(sign, sign_bit)?),
    }
}

/// Intrinsics that are functions of `math.h`: name prefix, function.
const MATH1: &[(&str, Math1)] = &[
    ("llvm.sqrt.", Math1::Sqrt),
    ("llvm.floor.", Math1::Floor),
    ("llvm.ceil.", Math1::Ceil),
    ("llvm.trunc.", Math1::Trunc),
    ("llvm.round.", Math1::Round),
    ("llvm.roundeven.", Math1::RoundEven),
    ("llvm.rint.", Math1::RoundEven),
    ("llvm.nearbyint.", Math1::RoundEven),
    ("llvm.sin.", Math1::Sin),
    ("llvm.cos.", Math1::Cos),
    ("llvm.tan.", Math1::Tan),
    ("llvm.exp.", Math1::Exp),
    ("llvm.exp2.", Math1::Exp2),
    ("llvm.log.", Math1::Log),
    ("llvm.log2.", Math1::Log2),
    ("llvm.log10.", Math1::Log10),
];
const MATH2: &[(&str, Math2)] = &[
    ("llvm.pow.", Math2::Pow),
    ("llvm.minnum.", Math2::Min),
    ("llvm.maxnum.", Math2::Max),
    ("llvm.ldexp.", Math2::Scale),
];

/// Labels of an intrinsic on floating point, which has been inserted; `None` for all others.
pub fn intrinsic<'c>(
    e: &mut Emitter<'_, 'c>,
    i: usize,
    name: &str,
    clone: InstructionValue<'c>,
) -> Result<Option<Vec<IntValue<'c>>>> {
    let cx = e.cx;
    let Some(result) = result_value(clone).filter(|_| e.body.insts[i].leaves.len() == 1) else {
        return Ok(None);
    };
    let Some(BasicValueEnum::FloatValue(_)) = clone.get_operand(0).and_then(Operand::value) else {
        return Ok(None);
    };
    let first = e.nth(i, 0)?;
    if !is_scalar(&first) {
        return Ok(None);
    }
    let bits = width(&first) << 8;
    let label = if let Some((_, function)) = MATH1.iter().find(|m| name.starts_with(m.0)) {
        ask(e, i, cx.abi.math, *function as u32 | bits, &first, None, result)?
    } else if let Some((_, function)) = MATH2.iter().find(|m| name.starts_with(m.0)) {
        let second = e.nth(i, 1)?;
        ask(e, i, cx.abi.math, *function as u32 | bits | 1 << 16, &first, Some(&second), result)?
    } else if name.starts_with("llvm.fabs.") {
        with_sign(e, i, &first, None)?
    } else if name.starts_with("llvm.copysign.") {
        let second = e.nth(i, 1)?;
        with_sign(e, i, &first, Some(&second))?
    } else if name.starts_with("llvm.fma.") || name.starts_with("llvm.fmuladd.") {
        multiply_add(e, i, name.starts_with("llvm.fma."), result)?
    } else if name.starts_with("llvm.is.fpclass.") {
        let Some(label) = class_test(e, i, &first)? else { return Ok(None) };
        label
    } else {
        return Ok(None);
    };
    Ok(Some(vec![label]))
}

/// Does the processor that the function is compiled for multiply and add at once?
fn has_fma(function: FunctionValue) -> bool {
    let features = function.get_string_attribute(AttributeLoc::Function, "target-features");
    features.is_some_and(|f| f.get_string_value().to_string_lossy().split(',').any(|f| f == "+fma"))
}

fn multiply_add<'c>(
    e: &mut Emitter<'_, 'c>,
    i: usize,
    fused: bool,
    result: BasicValueEnum<'c>,
) -> Result<IntValue<'c>> {
    let cx = e.cx;
    let (a, b, c) = (e.nth(i, 0)?, e.nth(i, 1)?, e.nth(i, 2)?);
    let (la, lb, lc) = (a.labels[0], b.labels[0], c.labels[0]);
    if fused || has_fma(e.function) {
        return cx.label_of(&[la, lb, lc], cx.abi.fma, || {
            let [x, y, z] = [cx.as_word(a.value)?, cx.as_word(b.value)?, cx.as_word(c.value)?];
            let (w, site, result) =
                (cx.label(width(&a)), cx.label(e.body.insts[i].site), cx.as_word(result)?);
            let labels = [w.into(), la.into(), lb.into(), lc.into()];
            Ok([&labels[..], &[x.into(), y.into(), z.into(), result.into(), site.into()]].concat())
        });
    }
    if [la, lb, lc].iter().all(|l| l.is_const()) {
        return Ok(cx.zero());
    }
    let product = cx.builder.build_float_mul(a.value.into_float_value(), b.value.into_float_value(), "p")?;
    let (w, product) = (width(&a), BasicValueEnum::from(product));
    let lp = ask(e, i, cx.abi.float, f::Op::FMul as u32 | w << 8 | w << 16, &a, Some(&b), product)?;
    let product = Labelled { value: product, labels: vec![lp] };
    ask(e, i, cx.abi.float, f::Op::FAdd as u32 | w << 8 | w << 16, &product, Some(&c), result)
}

/// `isnan`, `isinf`, `isfinite` and others, as comparisons of bits: a list of ranges of the magnitude for each sign.
fn class_test<'c>(e: &mut Emitter<'_, 'c>, i: usize, a: &Labelled<'c>) -> Result<Option<IntValue<'c>>> {
    let cx = e.cx;
    let mask = e.nth(i, 1)?.value.into_int_value().get_zero_extended_constant();
    let w = width(a);
    let (infinity, quiet, least) = match w {
        32 => (0x7f80_0000u64, 0x7fc0_0000u64, 0x80_0000u64),
        _ => (0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000, 1 << 52),
    };
    let ones = (1u64 << (w - 1)) - 1;
    // First and last magnitude of each class, from zero on.
    let magnitudes = [(0, 0), (1, least - 1), (least, infinity - 1), (infinity, infinity)];
    let Some(mask) = mask else { return Ok(None) };
    let classes = [(6, 5), (7, 4), (8, 3), (9, 2)].iter().zip(magnitudes);
    let mut ranges = Vec::new();
    for ((positive, negative), (low, high)) in classes {
        for (bit, sign) in [(positive, 0), (negative, ones + 1)] {
            if mask >> bit & 1 == 1 {
                ranges.push((low | sign, high | sign));
            }
        }
    }
    for (bit, low, high) in [(0, infinity + 1, quiet - 1), (1, quiet, ones)] {
        if mask >> bit & 1 == 1 {
            ranges.extend([(low, high), (low | (ones + 1), high | (ones + 1))]);
        }
    }
    let bits = cx.as_word(a.value)?;
    let mut result = (cx.zero(), cx.word(0));
    for (low, high) in ranges {
        let offset = cx.builder.build_int_sub(bits, cx.word(low), "c")?;
        let offset = cx.builder.build_and(offset, cx.word(ones << 1 | 1), "c")?;
        let from = on_bits(e, i, f::Op::Sub, w, (a.labels[0], bits), (cx.zero(), cx.word(low)))?;
        let length = cx.word(high - low);
        let within = on_bits(e, i, f::Op::Ule, w, (from, offset), (cx.zero(), length))?;
        let holds = cx.builder.build_int_compare(inkwell::IntPredicate::ULE, offset, length, "c")?;
        let holds = cx.as_word(holds.into())?;
        let label = on_bits(e, i, f::Op::Or, 1, result, (within, holds))?;
        result = (label, cx.builder.build_or(result.1, holds, "c")?);
    }
    Ok(Some(result.0))
}
