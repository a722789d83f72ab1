//! Functions that are left as they are: those with constructs that cannot be copied. What they compute
//! is concrete; the map of the program lists them with the reason.

use crate::abi::*;
use crate::cx::{Cx, Result};
use inkwell::values::{FunctionValue, InstructionOpcode as Op};

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

/// Such a function must not leave results of its callees for somebody else.
pub fn isolate(cx: &Cx, function: FunctionValue) -> Result<()> {
    for block in function.get_basic_block_iter() {
        for i in block.get_instructions() {
            if i.is_terminator() && i.get_opcode() == Op::Return {
                cx.builder.position_before(&i);
                cx.tls_store(TLS_RET, cx.zero())?;
            }
        }
    }
    Ok(())
}
