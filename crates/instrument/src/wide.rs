//! Labels of integers of 65 to 128 bits: two, of the lower word and of the rest. The runtime does the arithmetic
//! (`runtime::wide`); here values are cut into words, and pairs of labels put into one word and taken out again.
//!
//! Always holds: the labels of such a value are the lower word's and the upper word's, in this order.

use crate::cx::{Cx, Result};
use crate::emit::{Emitter, Labelled};
use crate::slow::binary_op;
use crate::types::wide_width;
use inkwell::values::{InstructionOpcode as Op, *};
use parallax_trace::format as f;

/// Labels of an instruction with a wide operand or result, if there is an expression for it.
pub fn expression<'c>(e: &mut Emitter<'_, 'c>, i: usize) -> Result<Option<Vec<IntValue<'c>>>> {
    let inst = e.body.insts[i].value;
    let is_wide = |v: Option<BasicValueEnum>| v.is_some_and(|v| wide_width(v.get_type()).is_some());
    let operand = |k: u32| is_wide(inst.get_operand(k).and_then(Operand::value));
    let result = e.type_of(i).and_then(wide_width).is_some();
    let labels = match e.body.insts[i].op {
        op @ (Op::Add
        | Op::Sub
        | Op::Mul
        | Op::UDiv
        | Op::SDiv
        | Op::URem
        | Op::SRem
        | Op::Shl
        | Op::LShr
        | Op::AShr
        | Op::And
        | Op::Or
        | Op::Xor)
            if result =>
        {
            let (a, b) = (e.nth(i, 0)?, e.nth(i, 1)?);
            let packed = binary(e, i, binary_op(op) as u32, &a, &b, e.cx.abi.wide_binary)?;
            unpack(e.cx, packed)?
        }
        Op::ICmp if operand(0) => {
            let (op, swapped) = e.comparison_op(i);
            let (a, b) = (e.nth(i, swapped.into())?, e.nth(i, (!swapped).into())?);
            let packed = binary(e, i, op as u32, &a, &b, e.cx.abi.wide_binary)?;
            vec![e.cx.builder.build_int_truncate(packed, e.cx.i32(), "l")?]
        }
        Op::ZExt | Op::SExt | Op::Trunc | Op::PtrToInt | Op::IntToPtr if result || operand(0) => cast(e, i)?,
        Op::Freeze if result => e.nth(i, 0)?.labels,
        Op::Select if result => select(e, i)?,
        _ => return Ok(None),
    };
    Ok(Some(labels))
}

/// Lower and upper word.
fn words<'c>(cx: &Cx<'_, 'c>, value: IntValue<'c>) -> Result<[IntValue<'c>; 2]> {
    let upper = cx.builder.build_right_shift(value, value.get_type().const_int(64, false), false, "hi")?;
    Ok([cx.as_word(value.into())?, cx.as_word(upper.into())?])
}

/// Two labels in one word.
fn pack<'c>(cx: &Cx<'_, 'c>, labels: &[IntValue<'c>]) -> Result<IntValue<'c>> {
    let lower = cx.builder.build_int_z_extend(labels[0], cx.i64(), "ls")?;
    let Some(upper) = labels.get(1) else { return Ok(lower) };
    let upper = cx.builder.build_int_z_extend(*upper, cx.i64(), "ls")?;
    let upper = cx.builder.build_left_shift(upper, cx.word(32), "ls")?;
    Ok(cx.builder.build_or(lower, upper, "ls")?)
}

fn unpack<'c>(cx: &Cx<'_, 'c>, packed: IntValue<'c>) -> Result<Vec<IntValue<'c>>> {
    if packed.is_const() {
        return Ok(vec![cx.zero(); 2]);
    }
    let upper = cx.builder.build_right_shift(packed, cx.word(32), false, "l")?;
    let label = |word| cx.builder.build_int_truncate(word, cx.i32(), "l");
    Ok(vec![label(packed)?, label(upper)?])
}

fn concrete(labels: &[IntValue]) -> bool {
    labels.iter().all(|l| l.is_const())
}

fn width<'c>(value: BasicValueEnum<'c>) -> u32 {
    let scalar = crate::types::scalar_width(value.get_type());
    // Only integers and pointers come here.
    scalar.or(wide_width(value.get_type())).unwrap_or(64)
}

/// `f(what, labels, values, site)` on two wide operands; 0 if both are concrete.
fn binary<'c>(
    e: &Emitter<'_, 'c>,
    i: usize,
    what: u32,
    a: &Labelled<'c>,
    b: &Labelled<'c>,
    f: FunctionValue<'c>,
) -> Result<IntValue<'c>> {
    let cx = e.cx;
    if concrete(&a.labels) && concrete(&b.labels) {
        return Ok(cx.word(0));
    }
    let [alo, ahi] = words(cx, a.value.into_int_value())?;
    let [blo, bhi] = words(cx, b.value.into_int_value())?;
    let (la, lb) = (pack(cx, &a.labels)?, pack(cx, &b.labels)?);
    let (what, site) = (cx.label(what | width(a.value) << 8), cx.label(e.body.insts[i].site));
    let arguments = [what, la, lb, alo, ahi, blo, bhi, site].map(BasicMetadataValueEnum::from);
    cx.call_label(f, &arguments)
}

fn cast<'c>(e: &mut Emitter<'_, 'c>, i: usize) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let from = e.nth(i, 0)?;
    let leaves = &e.body.insts[i].leaves;
    if concrete(&from.labels) {
        return Ok(vec![cx.zero(); leaves.len()]);
    }
    let (have, want) = (width(from.value), leaves.iter().map(|l| l.width).sum::<u32>());
    let op = match e.body.insts[i].op {
        Op::SExt => f::Op::SExt,
        _ if want < have => f::Op::Extract,
        _ => f::Op::ZExt,
    };
    let [lo, hi] = match wide_width(from.value.get_type()) {
        Some(_) => words(cx, from.value.into_int_value())?,
        None => [cx.as_word(from.value)?, cx.word(0)],
    };
    let what = cx.label(op as u32 | have << 8 | want << 16);
    let arguments = [what, pack(cx, &from.labels)?, lo, hi].map(BasicMetadataValueEnum::from);
    let packed = cx.call_label(cx.abi.wide_cast, &arguments)?;
    let mut labels = unpack(cx, packed)?;
    labels.truncate(leaves.len());
    Ok(labels)
}

fn select<'c>(e: &mut Emitter<'_, 'c>, i: usize) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let (c, a, b) = (e.nth(i, 0)?, e.nth(i, 1)?, e.nth(i, 2)?);
    if concrete(&c.labels) && concrete(&a.labels) && concrete(&b.labels) {
        return Ok(vec![cx.zero(); 2]);
    }
    // A wide integer is chosen by one condition, not by a vector of them.
    let chosen = cx.builder.build_int_z_extend(c.value.into_int_value(), cx.i32(), "c")?;
    let chosen = cx.builder.build_left_shift(chosen, cx.label(8), "c")?;
    let what = cx.builder.build_or(chosen, cx.label(width(a.value)), "what")?;
    let [alo, ahi] = words(cx, a.value.into_int_value())?;
    let [blo, bhi] = words(cx, b.value.into_int_value())?;
    let (la, lb) = (pack(cx, &a.labels)?, pack(cx, &b.labels)?);
    let site = cx.label(e.body.insts[i].site);
    let arguments = [what, c.labels[0], la, lb, alo, ahi, blo, bhi, site].map(BasicMetadataValueEnum::from);
    unpack(cx, cx.call_label(cx.abi.wide_select, &arguments)?)
}

/// Labels of a value that has been read at `address`.
pub fn load<'c>(
    e: &Emitter<'_, 'c>,
    address: IntValue<'c>,
    laddress: IntValue<'c>,
    value: BasicValueEnum<'c>,
    site: u32,
) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let [lo, hi] = words(cx, value.into_int_value())?;
    let arguments = [address, laddress, cx.label(width(value)), lo, hi, cx.label(site)];
    unpack(cx, cx.call_label(cx.abi.wide_load, &arguments.map(BasicMetadataValueEnum::from))?)
}

/// The labels' part of a store of `len` bytes.
pub fn store<'c>(
    e: &Emitter<'_, 'c>,
    pointer: &Labelled<'c>,
    labels: &[IntValue<'c>],
    len: u64,
    site: u32,
) -> Result<()> {
    let cx = e.cx;
    let (address, packed) = (cx.as_word(pointer.value)?, pack(cx, labels)?);
    let arguments = [address, pointer.labels[0], cx.word(len), packed, cx.label(site)];
    cx.call(cx.abi.wide_store, &arguments.map(BasicMetadataValueEnum::from))
}

/// Labels of `{result, overflow flag}`; `number`: the flag's among the runtime's intrinsics.
pub fn with_overflow<'c>(
    e: &mut Emitter<'_, 'c>,
    i: usize,
    number: u32,
    op: f::Op,
) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let (a, b) = (e.nth(i, 0)?, e.nth(i, 1)?);
    let mut labels = unpack(cx, binary(e, i, op as u32, &a, &b, cx.abi.wide_binary)?)?;
    let flag = binary(e, i, number, &a, &b, cx.abi.wide_overflow)?;
    labels.push(cx.builder.build_int_truncate(flag, cx.i32(), "l")?);
    Ok(labels)
}
