//! LLVM intrinsics, in both copies. The numbers are those of `runtime::intrinsics`.

use crate::cx::Result;
use crate::emit::Emitter;
use crate::types;
use inkwell::values::*;
use parallax_trace::format::*;

/// Intrinsics whose result has an expression: name prefix, runtime's number, operands.
const EXPRESSIONS: &[(&str, u32, u32)] = &[
    ("llvm.bswap.", 1, 1),
    ("llvm.ctpop.", 2, 1),
    ("llvm.ctlz.", 3, 1),
    ("llvm.cttz.", 4, 1),
    ("llvm.abs.", 5, 1),
    ("llvm.smax.", 6, 2),
    ("llvm.smin.", 7, 2),
    ("llvm.umax.", 8, 2),
    ("llvm.umin.", 9, 2),
    ("llvm.fshl.", 10, 3),
    ("llvm.fshr.", 11, 3),
    ("llvm.bitreverse.", 18, 1),
];

/// `{result, overflow flag}`: name prefix, number of the flag, operator of the result.
const OVERFLOWS: &[(&str, u32, Op)] = &[
    ("llvm.sadd.with.overflow.", 12, Op::Add),
    ("llvm.uadd.with.overflow.", 13, Op::Add),
    ("llvm.ssub.with.overflow.", 14, Op::Sub),
    ("llvm.usub.with.overflow.", 15, Op::Sub),
    ("llvm.smul.with.overflow.", 16, Op::Mul),
    ("llvm.umul.with.overflow.", 17, Op::Mul),
];

/// Hand their first operand through.
const TRANSPARENT: &[&str] =
    &["llvm.expect.", "llvm.launder.", "llvm.strip.", "llvm.ssa.copy", "llvm.ptr.annotation"];

/// Neither use nor make data.
const SILENT: &[&str] = &[
    "llvm.lifetime.",
    "llvm.dbg.",
    "llvm.assume",
    "llvm.prefetch",
    "llvm.stack",
    "llvm.donothing",
    "llvm.trap",
    "llvm.debugtrap",
    "llvm.ubsantrap",
    "llvm.va_end",
    "llvm.objectsize",
    "llvm.is.constant",
    "llvm.invariant.",
    "llvm.experimental.noalias",
    "llvm.frameaddress",
    "llvm.returnaddress",
    "llvm.sideeffect",
    "llvm.annotation",
    "llvm.threadlocal.address",
    "llvm.eh.",
    "llvm.pseudoprobe",
];

fn starts(name: &str, list: &[&str]) -> bool {
    list.iter().any(|p| name.starts_with(p))
}

fn value_at<'c>(call: InstructionValue<'c>, k: u32) -> Result<BasicValueEnum<'c>> {
    call.get_operand(k)
        .and_then(Operand::value)
        .ok_or_else(|| crate::error::Error::Invalid("intrinsic without operand".into()))
}

/// An intrinsic in the fast copy.
pub fn fast<'c>(e: &mut Emitter<'_, 'c>, i: usize, f: FunctionValue<'c>) -> Result<()> {
    let call = e.body.insts[i].value;
    let name = f.get_name().to_string_lossy().into_owned();
    if is_block(&name) {
        let operands = [value_at(call, 0)?, value_at(call, 1)?, value_at(call, 2)?];
        block_labels(e, &name, operands, e.cx.zero())?;
    }
    e.cx.builder.insert_instruction(&call, None);
    after(e, &name, value_at(call, 0).ok())
}

/// What has to happen after the intrinsic, in either copy.
fn after<'c>(e: &Emitter<'_, 'c>, name: &str, first: Option<BasicValueEnum<'c>>) -> Result<()> {
    let (cx, Some(list)) = (e.cx, first) else { return Ok(()) };
    if name.starts_with("llvm.va_start") {
        if let Some(labels) = e.va_labels {
            let pointer = list.into_pointer_value();
            let address = cx.as_word(list)?;
            cx.clear(address, 24)?;
            return cx.call(cx.abi.va_start, &[pointer.into(), labels.into()]);
        }
    }
    if name.starts_with("llvm.va_copy") {
        let address = cx.as_word(list)?;
        return cx.clear(address, 24);
    }
    Ok(())
}

fn is_block(name: &str) -> bool {
    starts(name, &["llvm.memcpy", "llvm.memmove", "llvm.memset"])
}

/// Longest block whose shadow is looked at inline.
const INLINE_BLOCK: u64 = 4096;

/// The labels' part of memcpy, memmove, memset.
fn block_labels<'c>(
    e: &Emitter<'_, 'c>,
    name: &str,
    operands: [BasicValueEnum<'c>; 3],
    fill: IntValue<'c>,
) -> Result<()> {
    let cx = e.cx;
    let (to, len) = (cx.as_word(operands[0])?, cx.as_word(operands[2])?);
    let set = name.starts_with("llvm.memset");
    let act = || match set {
        true => cx.call(cx.abi.fill, &[to.into(), fill.into(), len.into()]),
        false => {
            let from = cx.as_word(operands[1])?;
            cx.call(cx.abi.copy, &[to.into(), from.into(), len.into()])
        }
    };
    let constant = len.get_zero_extended_constant().filter(|n| (1..=INLINE_BLOCK).contains(n));
    let (Some(n), true) = (constant, fill.is_const()) else { return act() };
    let mut places = vec![to];
    if !set {
        places.push(cx.as_word(operands[1])?);
    }
    let mut any = cx.context.bool_type().const_zero();
    for place in places {
        let end = cx.builder.build_int_add(place, cx.word(n - 1), "end")?;
        for at in [place, end] {
            let has = cx.has_shadow(at)?;
            any = cx.builder.build_or(any, has, "any")?;
        }
    }
    cx.when(any, act)
}

/// An intrinsic in the slow copy; `clone` is not inserted yet.
pub fn slow<'c>(
    e: &mut Emitter<'_, 'c>,
    i: usize,
    f: FunctionValue<'c>,
    clone: InstructionValue<'c>,
) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let name = f.get_name().to_string_lossy().into_owned();
    let leaves = e.body.insts[i].leaves.clone();
    if is_block(&name) {
        slow_block(e, i, &name)?;
    }
    cx.builder.insert_instruction(&clone, None);
    after(e, &name, value_at(clone, 0).ok())?;
    if is_block(&name) || starts(&name, SILENT) || name.starts_with("llvm.va_") {
        return Ok(vec![cx.zero(); leaves.len()]);
    }
    if starts(&name, TRANSPARENT) {
        return Ok(e.nth(i, 0)?.labels);
    }
    if name.starts_with("llvm.ptrmask.") {
        return Ok(vec![e.binary(i, Op::And, false)?]);
    }
    if let Some(labels) = crate::float::intrinsic(e, i, &name, clone)? {
        return Ok(labels);
    }
    if let Some((_, number, operands)) = EXPRESSIONS.iter().find(|x| name.starts_with(x.0)) {
        if leaves.len() == 1 {
            return Ok(vec![expression(e, i, *number, *operands)?]);
        }
    }
    if let Some((_, number, op)) = OVERFLOWS.iter().find(|x| name.starts_with(x.0)) {
        match leaves.len() {
            2 => return with_overflow(e, i, *number, *op),
            3 => return crate::wide::with_overflow(e, i, *number, *op),
            _ => {}
        }
    }
    lose_all(e, i)?;
    Ok(vec![cx.zero(); leaves.len()])
}

/// An intrinsic without an expression: what goes in is made concrete.
fn lose_all(e: &mut Emitter<'_, '_>, i: usize) -> Result<()> {
    let (call, site) = (e.body.insts[i].value, e.body.insts[i].site);
    let count = CallSiteValue::try_from(call).map_or(0, |c| c.count_arguments());
    for k in 0..count {
        if call.get_operand(k).is_some_and(Operand::is_value) {
            for label in e.nth(i, k)?.labels {
                e.concretise(label, CONCRETE_INTRINSIC, site)?;
            }
        }
    }
    Ok(())
}

fn slow_block(e: &mut Emitter<'_, '_>, i: usize, name: &str) -> Result<()> {
    let site = e.body.insts[i].site;
    let (to, from, len) = (e.nth(i, 0)?, e.nth(i, 1)?, e.nth(i, 2)?);
    e.concretise(to.labels[0], CONCRETE_STORE_ADDRESS, site)?;
    e.concretise(len.labels[0], CONCRETE_SIZE, site)?;
    let mut fill = e.cx.zero();
    if name.starts_with("llvm.memset") {
        fill = from.labels[0];
    } else {
        e.concretise(from.labels[0], CONCRETE_LOAD_ADDRESS, site)?;
    }
    block_labels(e, name, [to.value, from.value, len.value], fill)
}

fn expression<'c>(e: &mut Emitter<'_, 'c>, i: usize, number: u32, operands: u32) -> Result<IntValue<'c>> {
    let cx = e.cx;
    let site = e.body.insts[i].site;
    let mut labels = [cx.zero(); 3];
    let mut values = [cx.word(0); 3];
    let mut width = 64;
    for k in 0..operands {
        let operand = e.nth(i, k)?;
        if k == 0 {
            width = types::scalar_width(operand.value.get_type()).unwrap_or(64);
        }
        labels[k as usize] = operand.labels.first().copied().unwrap_or(cx.zero());
        values[k as usize] = cx.as_word(operand.value)?;
    }
    // A symbolic rotation amount has no expression of its own.
    e.concretise(labels[2], CONCRETE_INTRINSIC, site)?;
    cx.label_of(&labels[..2], cx.abi.intrinsic, || {
        Ok(vec![
            cx.label(number | width << 8).into(),
            labels[0].into(),
            labels[1].into(),
            cx.zero().into(),
            values[0].into(),
            values[1].into(),
            values[2].into(),
        ])
    })
}

fn with_overflow<'c>(e: &mut Emitter<'_, 'c>, i: usize, number: u32, op: Op) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let (a, b) = (e.nth(i, 0)?, e.nth(i, 1)?);
    let width = types::scalar_width(a.value.get_type()).unwrap_or(64);
    let flag = expression(e, i, number, 2)?;
    let (la, lb) = (a.labels[0], b.labels[0]);
    let result = cx.label_of(&[la, lb], cx.abi.binary, || {
        let (x, y) = (cx.as_word(a.value)?, cx.as_word(b.value)?);
        let what = cx.label(op as u32 | width << 8);
        let site = cx.label(e.body.insts[i].site);
        Ok(vec![what.into(), la.into(), lb.into(), x.into(), y.into(), site.into()])
    })?;
    Ok(vec![result, flag])
}
