//! Computed gotos (`goto *table[opcode]`) as switches, so that interpreter loops are instrumented like any other code.
//!
//! In: a module as clang makes it. Out: the same program, in which the address of a label is its number within the function, from 1, and `goto *p` is a
//! `switch` over the numbers. LLVM's own `indirectbr-expand` does the same for targets without indirect branches; here it happens before blocks are numbered, so that
//! every mode and the program model see the switch.
//!
//! Always holds: differences of labels (`&&a - &&b`, kept as offsets by position-independent tables) still lead where they led. A function whose labels are operands of inline
//! assembly stays as it is, because the assembler needs the real addresses.

use crate::cx::Result;
use crate::gaps;
use inkwell::basic_block::BasicBlock;
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionOpcode as Op, InstructionValue, Operand};
use inkwell::AddressSpace;

/// Lowers the computed gotos of all functions that allow it; says whether there were any.
pub fn lower<'c>(context: &'c Context, module: &Module<'c>) -> Result<bool> {
    let mut any = false;
    for function in module.get_functions() {
        let jumps = jumps(function);
        let labels = labels(&jumps);
        if !jumps.is_empty() && can_be_lowered(&jumps, &labels) {
            number_labels(context, &labels);
            let nowhere = nowhere(context, module, function)?;
            for jump in jumps {
                switch(context, jump, &labels, nowhere)?;
            }
            any = true;
        }
    }
    Ok(any)
}

fn jumps(function: FunctionValue<'_>) -> Vec<InstructionValue<'_>> {
    let terminators = function.get_basic_block_iter().filter_map(|block| block.get_terminator());
    terminators.filter(|t| t.get_opcode() == Op::IndirectBr).collect()
}

fn targets<'c>(jump: InstructionValue<'c>) -> Vec<BasicBlock<'c>> {
    jump.get_operands().flatten().filter_map(Operand::block).collect()
}

/// Every label that one of the jumps may lead to, once.
fn labels<'c>(jumps: &[InstructionValue<'c>]) -> Vec<BasicBlock<'c>> {
    let mut labels = Vec::new();
    for target in jumps.iter().flat_map(|jump| targets(*jump)) {
        if !labels.contains(&target) {
            labels.push(target);
        }
    }
    labels
}

fn can_be_lowered(jumps: &[InstructionValue], labels: &[BasicBlock]) -> bool {
    let assembled = labels.iter().filter_map(|l| gaps::block_address(*l)).any(gaps::is_assembler_operand);
    // A phi has an entry for each time a jump names its block, and a switch names it once.
    let named_once = |jump: &InstructionValue| {
        let targets = targets(*jump);
        (1..targets.len()).all(|i| !targets[..i].contains(&targets[i]))
    };
    let has_phi = |l: &BasicBlock| l.get_first_instruction().is_some_and(|i| i.get_opcode() == Op::Phi);
    !assembled && (jumps.iter().all(named_once) || !labels.iter().any(has_phi))
}

fn number_labels<'c>(context: &'c Context, labels: &[BasicBlock<'c>]) {
    let pointer = context.ptr_type(AddressSpace::default());
    for (label, number) in labels.iter().zip(1..) {
        if let Some(address) = gaps::block_address(*label) {
            address
                .replace_all_uses_with(context.i64_type().const_int(number, false).const_to_pointer(pointer));
        }
    }
}

/// Where a jump to anything but a label leads: the program ends there, as it most likely would natively.
fn nowhere<'c>(
    context: &'c Context,
    module: &Module<'c>,
    function: FunctionValue<'c>,
) -> Result<BasicBlock<'c>> {
    let block = context.append_basic_block(function, "goto.nowhere");
    let builder = context.create_builder();
    builder.position_at_end(block);
    if let Some(trap) = Intrinsic::find("llvm.trap").and_then(|t| t.get_declaration(module, &[])) {
        builder.build_call(trap, &[], "")?;
    }
    builder.build_unreachable()?;
    Ok(block)
}

fn switch<'c>(
    context: &'c Context,
    jump: InstructionValue<'c>,
    labels: &[BasicBlock<'c>],
    nowhere: BasicBlock<'c>,
) -> Result<()> {
    let builder = context.create_builder();
    builder.position_before(&jump);
    let address = jump.get_operand(0).and_then(Operand::value);
    let address =
        address.ok_or_else(|| crate::error::Error::Invalid("computed goto without address".into()))?;
    let word = context.i64_type();
    let number = builder.build_ptr_to_int(address.into_pointer_value(), word, "label")?;
    let named = targets(jump);
    let cases: Vec<_> = (1..)
        .zip(labels)
        .filter(|(_, label)| named.contains(label))
        .map(|(number, label)| (word.const_int(number, false), *label))
        .collect();
    builder.build_switch(number, nowhere, &cases)?;
    jump.erase_from_basic_block();
    Ok(())
}
