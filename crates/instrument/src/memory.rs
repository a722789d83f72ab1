//! Loads, stores, stack objects and atomics, in both copies.

use crate::cx::Result;
use crate::emit::Emitter;
use crate::fast::result_value;
use crate::{types, wide};
use inkwell::basic_block::BasicBlock;
use inkwell::values::*;
use parallax_trace::format::*;

fn pointer_operand<'c>(i: InstructionValue<'c>, index: u32) -> Result<BasicValueEnum<'c>> {
    i.get_operand(index)
        .and_then(Operand::value)
        .ok_or_else(|| crate::error::Error::Invalid("memory access without address".into()))
}

/// Bytes that a store or atomic writes.
fn written_bytes<'c>(e: &Emitter<'_, 'c>, i: InstructionValue<'c>) -> Result<u64> {
    let value = match i.get_opcode() {
        InstructionOpcode::Store => pointer_operand(i, 0)?,
        _ => pointer_operand(i, 1)?,
    };
    Ok(e.cx.size_of(value.get_type()))
}

/// The fast copy's store: what is there becomes concrete.
pub fn fast_store<'c>(e: &Emitter<'_, 'c>, store: InstructionValue<'c>) -> Result<()> {
    let address = e.cx.as_word(pointer_operand(store, 1)?)?;
    e.cx.clear(address, written_bytes(e, store)?)
}

/// An atomic update: its memory becomes concrete.
pub fn fast_atomic(e: &Emitter<'_, '_>, i: usize) -> Result<()> {
    let (cx, inst) = (e.cx, &e.body.insts[i]);
    let address = cx.as_word(pointer_operand(inst.value, 0)?)?;
    let len = written_bytes(e, inst.value)?;
    let has = cx.has_shadow(address)?;
    cx.when(has, || {
        let (len, reason) = (cx.word(len), cx.label(CONCRETE_ATOMIC.into()));
        let site = cx.label(inst.site);
        cx.call(
            cx.abi.load_opaque,
            &[address.into(), cx.zero().into(), len.into(), reason.into(), site.into()],
        )?;
        cx.call(cx.abi.clear, &[address.into(), len.into()])
    })
}

/// Likewise in the slow copy, where its operands may be symbolic too.
pub fn slow_atomic(e: &mut Emitter<'_, '_>, i: usize) -> Result<()> {
    let cx = e.cx;
    let (inst, site) = (e.body.insts[i].value, e.body.insts[i].site);
    let pointer = e.operand(pointer_operand(inst, 0)?)?;
    let (address, len) = (cx.as_word(pointer.value)?, cx.word(written_bytes(e, inst)?));
    for k in 1..inst.get_num_operands() {
        for label in e.nth(i, k)?.labels {
            e.concretise(label, CONCRETE_ATOMIC, site)?;
        }
    }
    let (laddress, reason) = (pointer.labels[0], cx.label(CONCRETE_ATOMIC.into()));
    let site = cx.label(site);
    cx.call(cx.abi.load_opaque, &[address.into(), laddress.into(), len.into(), reason.into(), site.into()])?;
    cx.call(cx.abi.clear, &[address.into(), len.into()])
}

/// The address of a load.
pub fn loaded_from(i: InstructionValue<'_>) -> Option<BasicValueEnum<'_>> {
    match i.get_opcode() {
        InstructionOpcode::Load => i.get_operand(0).and_then(Operand::value),
        _ => None,
    }
}

/// After a load in the fast copy: is what was read symbolic? Leaves to `leave` if so; goes on at `stay` otherwise.
pub fn fast_look<'c>(
    e: &Emitter<'_, 'c>,
    load: InstructionValue<'c>,
    leave: BasicBlock<'c>,
    stay: BasicBlock<'c>,
) -> Result<()> {
    let cx = e.cx;
    let address = cx.as_word(pointer_operand(load, 0)?)?;
    let value =
        result_value(load).ok_or_else(|| crate::error::Error::Invalid("load without value".into()))?;
    let has = cx.has_shadow(address)?;
    let look = cx.new_block("look");
    cx.branch_unlikely(has, look, stay)?;
    cx.builder.position_at_end(look);
    let found =
        cx.call_label(cx.abi.probe, &[address.into(), cx.word(cx.size_of(value.get_type())).into()])?;
    let found = cx.is_set(found)?;
    cx.branch_unlikely(found, leave, stay)
}

/// Labels of what a load of the fast copy has read.
pub fn found_labels<'c>(
    e: &Emitter<'_, 'c>,
    i: usize,
    pointer: BasicValueEnum<'c>,
    value: BasicValueEnum<'c>,
) -> Result<Vec<IntValue<'c>>> {
    let (cx, inst) = (e.cx, &e.body.insts[i]);
    let address = cx.as_word(pointer)?;
    if types::wide_width(value.get_type()).is_some() {
        return wide::load(e, address, cx.zero(), value, inst.site);
    }
    if inst.leaves.len() != 1 || !inst.leaves[0].path.is_empty() {
        opaque_load(e, address, cx.zero(), value, inst.site)?;
        return Ok(vec![cx.zero(); inst.leaves.len()]);
    }
    let label = scalar_load(e, address, cx.zero(), value, inst.leaves[0].width, inst.site)?;
    Ok(vec![label])
}

fn scalar_load<'c>(
    e: &Emitter<'_, 'c>,
    address: IntValue<'c>,
    laddress: IntValue<'c>,
    value: BasicValueEnum<'c>,
    width: u32,
    site: u32,
) -> Result<IntValue<'c>> {
    let cx = e.cx;
    let word = cx.as_word(value)?;
    cx.call_label(
        cx.abi.load,
        &[address.into(), laddress.into(), cx.label(width).into(), word.into(), cx.label(site).into()],
    )
}

fn opaque_load<'c>(
    e: &Emitter<'_, 'c>,
    address: IntValue<'c>,
    laddress: IntValue<'c>,
    value: BasicValueEnum<'c>,
    site: u32,
) -> Result<()> {
    let cx = e.cx;
    let reason = match value {
        BasicValueEnum::FloatValue(_) => CONCRETE_FLOAT,
        BasicValueEnum::VectorValue(_) | BasicValueEnum::ScalableVectorValue(_) => CONCRETE_VECTOR,
        _ => CONCRETE_WIDE,
    };
    let len = cx.word(cx.size_of(value.get_type()));
    let reason = cx.label(reason as u32);
    cx.call(
        cx.abi.load_opaque,
        &[address.into(), laddress.into(), len.into(), reason.into(), cx.label(site).into()],
    )
}

/// A load of a value without labels, in the fast copy.
pub fn fast_opaque_load(e: &mut Emitter<'_, '_>, i: usize) -> Result<()> {
    let (load, site) = (e.body.insts[i].value, e.body.insts[i].site);
    let cx = e.cx;
    let address = cx.as_word(pointer_operand(load, 0)?)?;
    let Some(value) = result_value(load) else { return Ok(()) };
    let has = cx.has_shadow(address)?;
    cx.when(has, || opaque_load(e, address, cx.zero(), value, site))
}

/// The slow copy's load: labels of the value just read.
pub fn slow_load<'c>(
    e: &mut Emitter<'_, 'c>,
    i: usize,
    value: BasicValueEnum<'c>,
) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let (load, site, leaves) = (e.body.insts[i].value, e.body.insts[i].site, e.body.insts[i].leaves.clone());
    let pointer = e.operand(pointer_operand(load, 0)?)?;
    let address = cx.as_word(pointer.value)?;
    let laddress = pointer.labels[0];
    if leaves.len() == 1 && leaves[0].path.is_empty() {
        return Ok(vec![scalar_load(e, address, laddress, value, leaves[0].width, site)?]);
    }
    if types::wide_width(value.get_type()).is_some() {
        return wide::load(e, address, laddress, value, site);
    }
    opaque_load(e, address, laddress, value, site)?;
    Ok(vec![cx.zero(); leaves.len()])
}

/// The slow copy's store.
pub fn slow_store(e: &mut Emitter<'_, '_>, i: usize) -> Result<()> {
    let cx = e.cx;
    let (inst, site) = (e.body.insts[i].value, e.body.insts[i].site);
    let pointer = e.operand(pointer_operand(inst, 1)?)?;
    let len = written_bytes(e, inst)?;
    let stored = e.operand(pointer_operand(inst, 0)?)?;
    if types::wide_width(stored.value.get_type()).is_some() {
        return wide::store(e, &pointer, &stored.labels, len, site);
    }
    let scalar = stored.labels.len() == 1 && len <= 8;
    let label = if scalar { stored.labels[0] } else { cx.zero() };
    if !scalar {
        for lost in &stored.labels {
            e.concretise(*lost, CONCRETE_WIDE, site)?;
        }
    }
    let address = cx.as_word(pointer.value)?;
    let (laddress, len) = (pointer.labels[0], cx.word(len));
    cx.call(cx.abi.store, &[address.into(), laddress.into(), len.into(), label.into(), cx.label(site).into()])
}

/// A variable-length array or `alloca` has been made.
pub fn new_stack_object<'c>(e: &Emitter<'_, 'c>, alloca: InstructionValue<'c>) -> Result<()> {
    let cx = e.cx;
    let Ok(ty) = alloca.get_allocated_type() else { return Ok(()) };
    let Some(pointer) = result_value(alloca) else { return Ok(()) };
    let count = match alloca.get_operand(0) {
        Some(Operand::Value(v)) => cx.as_word(v)?,
        _ => cx.word(1),
    };
    let len = cx.builder.build_int_mul(count, cx.word(cx.layout.get_abi_size(&ty)), "bytes")?;
    let address = cx.as_word(pointer)?;
    cx.call(cx.abi.clear, &[address.into(), len.into()])
}
