//! The few calls of LLVM's C interface that inkwell does not offer.
//!
//! This is the only `unsafe` code outside `runtime`, `trace` and `execute`
//! (docs/decisions/0002-unsafe-in-instrument.md). Each function is a plain query on a live value, or gives one another name.

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::core::{
    LLVMGetCalledValue, LLVMGetConstOpcode, LLVMGetFirstGlobalAlias, LLVMGetFirstGlobalIFunc,
    LLVMGetFirstUse, LLVMGetNextGlobalAlias, LLVMGetNextGlobalIFunc, LLVMGetNextUse, LLVMGetOperand,
    LLVMGetUser, LLVMGetValueName2, LLVMIsACallInst, LLVMIsAConstantExpr, LLVMIsAFunction,
    LLVMIsAGetElementPtrInst, LLVMIsAGlobalVariable, LLVMIsAInlineAsm, LLVMIsGlobalConstant,
    LLVMSetValueName2,
};
use inkwell::llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMDISubprogramGetLine,
    LLVMGetSubprogram,
};
use inkwell::llvm_sys::prelude::LLVMMetadataRef;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, BasicValueEnum, FunctionValue, InstructionValue, PointerValue};

fn text(get: impl Fn(&mut u32) -> *const std::ffi::c_char) -> String {
    let mut len = 0;
    let start = get(&mut len);
    if start.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns a pointer to `len` bytes that live as long as the metadata.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, len as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// `directory/name`, or the name alone where it is absolute.
fn file_of_scope(scope: LLVMMetadataRef) -> Option<String> {
    // SAFETY: `scope` is a live DIScope; null results are handled.
    unsafe {
        let file = LLVMDIScopeGetFile(scope);
        if file.is_null() {
            return None;
        }
        let name = text(|len| LLVMDIFileGetFilename(file, len));
        let directory = text(|len| LLVMDIFileGetDirectory(file, len));
        if name.starts_with('/') || directory.is_empty() {
            return Some(name);
        }
        Some(format!("{directory}/{name}"))
    }
}

/// Source file and line of a function.
pub fn function_place(function: FunctionValue) -> Option<(String, u32)> {
    // SAFETY: a live function; a null subprogram means no debug info.
    unsafe {
        let subprogram = LLVMGetSubprogram(function.as_value_ref());
        if subprogram.is_null() {
            return None;
        }
        Some((file_of_scope(subprogram)?, LLVMDISubprogramGetLine(subprogram)))
    }
}

/// Gives other names, where `rename` says one, to second names of functions and to functions that are chosen when the program is loaded.
pub fn rename_aliases(module: &Module, rename: impl Fn(&str) -> Option<String>) {
    // SAFETY: lists of a live module; names are copied before they are changed.
    unsafe {
        let mut aliases = Vec::new();
        let mut alias = LLVMGetFirstGlobalAlias(module.as_mut_ptr());
        while !alias.is_null() {
            aliases.push(alias);
            alias = LLVMGetNextGlobalAlias(alias);
        }
        let mut chosen = LLVMGetFirstGlobalIFunc(module.as_mut_ptr());
        while !chosen.is_null() {
            aliases.push(chosen);
            chosen = LLVMGetNextGlobalIFunc(chosen);
        }
        for alias in aliases {
            let mut len = 0;
            let start = LLVMGetValueName2(alias, &mut len);
            let name = String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), len)).into_owned();
            if let Some(name) = rename(&name) {
                LLVMSetValueName2(alias, name.as_ptr().cast(), name.len());
            }
        }
    }
}

/// What a call instruction calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Called<'c> {
    Function(FunctionValue<'c>),
    Assembler,
    Pointer,
}

/// The callee of a call instruction, seen through nothing: a cast or alias is a pointer.
pub fn called(call: InstructionValue<'_>) -> Called<'_> {
    // SAFETY: the caller passes a call instruction; queries on its live operand.
    unsafe {
        let value = LLVMGetCalledValue(call.as_value_ref());
        if !LLVMIsAInlineAsm(value).is_null() {
            return Called::Assembler;
        }
        if LLVMIsAFunction(value).is_null() {
            return Called::Pointer;
        }
        FunctionValue::new(value).map_or(Called::Pointer, Called::Function)
    }
}

/// The value that a call instruction calls.
pub fn called_value(call: InstructionValue<'_>) -> BasicValueEnum<'_> {
    // SAFETY: the caller passes a call instruction; its callee is a live value of pointer type.
    unsafe { BasicValueEnum::new(LLVMGetCalledValue(call.as_value_ref())) }
}

/// Does anything in the module use this value?
pub fn is_used(value: inkwell::values::PointerValue) -> bool {
    // SAFETY: a query on a live value.
    unsafe { !LLVMGetFirstUse(value.as_value_ref()).is_null() }
}

/// Is the function used other than by being called?
pub fn is_address_taken(function: FunctionValue) -> bool {
    let value = function.as_value_ref();
    // SAFETY: walks the list of uses of a live value; users are live too.
    unsafe {
        let mut at = LLVMGetFirstUse(value);
        while !at.is_null() {
            let user = LLVMGetUser(at);
            if LLVMIsACallInst(user).is_null() || LLVMGetCalledValue(user) != value {
                return true;
            }
            at = LLVMGetNextUse(at);
        }
        false
    }
}

/// Constant address of an element of a global array.
pub fn array_element<'c>(
    ty: inkwell::types::ArrayType<'c>,
    base: inkwell::values::PointerValue<'c>,
    index: u64,
    context: &'c inkwell::context::Context,
) -> inkwell::values::PointerValue<'c> {
    let zero = context.i64_type().const_zero();
    // SAFETY: the index is below the length: the array is made with one element for each edge.
    unsafe { base.const_in_bounds_gep(ty, &[zero, context.i64_type().const_int(index, false)]) }
}

/// Address `offset` bytes beyond `base`.
pub fn byte_offset<'c>(
    builder: &inkwell::builder::Builder<'c>,
    base: inkwell::values::PointerValue<'c>,
    offset: u64,
    context: &'c inkwell::context::Context,
) -> Result<inkwell::values::PointerValue<'c>, inkwell::builder::BuilderError> {
    let offset = context.i64_type().const_int(offset, false);
    // SAFETY: callers stay inside the block of memory that `base` points to.
    unsafe { builder.build_in_bounds_gep(context.i8_type(), base, &[offset], "at") }
}

/// Does this pointer lead into a constant global, whatever the indices?
pub fn points_to_constant(pointer: BasicValueEnum) -> bool {
    // SAFETY: queries on live values; operand 0 of an address computation is its base.
    unsafe {
        let mut value = pointer.as_value_ref();
        loop {
            let constant = !LLVMIsAConstantExpr(value).is_null();
            let offset = !LLVMIsAGetElementPtrInst(value).is_null()
                || (constant && LLVMGetConstOpcode(value) == LLVMOpcode::LLVMGetElementPtr);
            if !offset {
                break;
            }
            value = LLVMGetOperand(value, 0);
        }
        !LLVMIsAGlobalVariable(value).is_null() && LLVMIsGlobalConstant(value) == 1
    }
}

/// The constant that stands for the address of a block; the entry of a function has none.
pub fn block_address(block: BasicBlock<'_>) -> Option<PointerValue<'_>> {
    // SAFETY: the block is live and in a function.
    unsafe { block.get_address() }
}

/// Is the value handed to inline assembly somewhere?
pub fn is_assembler_operand(value: PointerValue) -> bool {
    // SAFETY: walks the list of uses of a live value; users are live too.
    unsafe {
        let mut at = LLVMGetFirstUse(value.as_value_ref());
        while !at.is_null() {
            let user = LLVMGetUser(at);
            if !LLVMIsACallInst(user).is_null() && !LLVMIsAInlineAsm(LLVMGetCalledValue(user)).is_null() {
                return true;
            }
            at = LLVMGetNextUse(at);
        }
        false
    }
}
