//! Functions that are left as they are: those with constructs that cannot be copied. What they compute
//! is concrete; the map of the program lists them with the reason.

use crate::abi::*;
use crate::cx::{Cx, Result};
use crate::gaps::{called, Called};
use inkwell::types::AnyTypeEnum;
use inkwell::values::{
    BasicValueEnum, FunctionValue, InstructionOpcode as Op, InstructionValue, IntValue, Operand,
};
use parallax_trace::format::CONCRETE_OPAQUE;

/// Why a function cannot be instrumented, if so.
pub fn reason(function: FunctionValue) -> Option<&'static str> {
    for block in function.get_basic_block_iter() {
        for i in block.get_instructions() {
            match i.get_opcode() {
                Op::IndirectBr => return Some("computed goto"),
                Op::CallBr => return Some("asm goto"),
                Op::Invoke
                | Op::LandingPad
                | Op::Resume
                | Op::CatchPad
                | Op::CatchSwitch
                | Op::CleanupPad => return Some("C++ exceptions"),
                Op::VAArg => return Some("va_arg instruction"),
                _ => {}
            }
            if matches!(
                i.get_tail_call_kind(),
                Ok(inkwell::values::LLVMTailCallKind::LLVMTailCallKindMustTail)
            ) {
                return Some("guaranteed tail call");
            }
        }
    }
    None
}

/// Labels around such a function: what it reads is made concrete, what it writes has no labels, and it
/// leaves no results of its callees for somebody else.
pub fn isolate<'c>(cx: &Cx<'_, 'c>, function: FunctionValue<'c>) -> Result<()> {
    let instructions: Vec<InstructionValue<'c>> =
        function.get_basic_block_iter().flat_map(|b| b.get_instructions()).collect();
    for i in instructions {
        match i.get_opcode() {
            Op::Load => lose(cx, i, 0, i.get_type())?,
            Op::Store => forget(cx, i, 1, 0)?,
            Op::AtomicRMW | Op::AtomicCmpXchg => forget(cx, i, 0, 1)?,
            Op::Call => isolate_call(cx, i)?,
            Op::Return => {
                cx.builder.position_before(&i);
                cx.tls_store(TLS_RET, cx.zero())?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn operand<'c>(i: InstructionValue<'c>, k: u32) -> Result<BasicValueEnum<'c>> {
    let value = i.get_operand(k).and_then(Operand::value);
    value.ok_or_else(|| crate::error::Error::Invalid("memory access without operand".into()))
}

/// What is about to be read becomes concrete, and the trace says so.
fn lose<'c>(cx: &Cx<'_, 'c>, i: InstructionValue<'c>, address: u32, ty: AnyTypeEnum<'c>) -> Result<()> {
    let Some(ty) = crate::types::basic(ty) else { return Ok(()) };
    cx.builder.position_before(&i);
    let address = cx.as_word(operand(i, address)?)?;
    lose_bytes(cx, address, cx.word(cx.size_of(ty)))
}

fn lose_bytes<'c>(cx: &Cx<'_, 'c>, address: IntValue<'c>, len: IntValue<'c>) -> Result<()> {
    let (reason, site) = (cx.label(CONCRETE_OPAQUE.into()), cx.label(u32::MAX));
    let arguments = [address.into(), cx.zero().into(), len.into(), reason.into(), site.into()];
    cx.call(cx.abi.load_opaque, &arguments)
}

/// What is about to be written loses its labels.
fn forget<'c>(cx: &Cx<'_, 'c>, i: InstructionValue<'c>, address: u32, value: u32) -> Result<()> {
    cx.builder.position_before(&i);
    let address = cx.as_word(operand(i, address)?)?;
    let len = cx.word(cx.size_of(operand(i, value)?.get_type()));
    cx.call(cx.abi.clear, &[address.into(), len.into()])
}

fn isolate_call<'c>(cx: &Cx<'_, 'c>, i: InstructionValue<'c>) -> Result<()> {
    let Called::Function(f) = called(i) else { return Ok(()) };
    let name = f.get_name().to_string_lossy().into_owned();
    let starts = |prefix: &str| name.starts_with(prefix);
    if !(starts("llvm.memcpy") || starts("llvm.memmove") || starts("llvm.memset")) {
        return Ok(());
    }
    cx.builder.position_before(&i);
    let (to, len) = (cx.as_word(operand(i, 0)?)?, cx.as_word(operand(i, 2)?)?);
    match starts("llvm.memset") {
        true => cx.call(cx.abi.clear, &[to.into(), len.into()]),
        // A copy is exact.
        false => cx.call(cx.abi.copy, &[to.into(), cx.as_word(operand(i, 1)?)?.into(), len.into()]),
    }
}
