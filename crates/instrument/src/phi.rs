//! Reading phi instructions.

use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValue, BasicValueEnum, InstructionValue, PhiValue};

/// Values that flow into a phi with the block each comes from; `None` for constants and arguments.
pub fn incoming(phi: InstructionValue) -> Vec<(Option<InstructionValue>, BasicBlock)> {
    incoming_values(phi).into_iter().map(|(v, b)| (v.as_instruction_value(), b)).collect()
}

/// Likewise, with the values themselves.
pub fn incoming_values(phi: InstructionValue) -> Vec<(BasicValueEnum, BasicBlock)> {
    match PhiValue::try_from(phi) {
        Ok(phi) => phi.get_incomings().collect(),
        Err(()) => Vec::new(),
    }
}
