//! Queries on values: functions, global variables, constants, instructions.
//!
//! Always holds: each query says in its reason of safety which kind of value the caller must have found before.

use super::{
    chain, text, Bb, Meta, Opcode, RawFloatPredicate, RawIntPredicate, RawLinkage, RawRmw, Ty, Val, ValueKind,
};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMTailCallKind};
use std::ffi::CStr;

impl<'m> Val<'m> {
    pub fn kind(self) -> ValueKind {
        // SAFETY: a live value.
        unsafe { LLVMGetValueKind(self.0) }
    }

    pub fn name(self) -> String {
        // SAFETY: a live value.
        text(|len| unsafe { LLVMGetValueName2(self.0, len) })
    }

    pub fn ty(self) -> Option<Ty<'m>> {
        // SAFETY: a live value.
        Ty::new(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn printed(self) -> String {
        // SAFETY: LLVM returns a string that is ours to give back.
        unsafe {
            let raw = LLVMPrintValueToString(self.0);
            let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            text
        }
    }

    pub fn operands(self) -> impl Iterator<Item = Val<'m>> {
        // SAFETY: the caller passes an instruction or constant, which are users of their operands.
        let count = unsafe { LLVMGetNumOperands(self.0) }.max(0) as u32;
        (0..count).filter_map(move |i| self.operand(i))
    }

    pub fn operand(self, index: u32) -> Option<Val<'m>> {
        // SAFETY: the caller passes a user, and an index below the number of its operands.
        Val::new(unsafe { LLVMGetOperand(self.0, index) })
    }

    // Functions and global variables.

    pub fn blocks(self) -> impl Iterator<Item = Bb<'m>> {
        // SAFETY: the caller passes a function; null ends the walk.
        unsafe { chain(Bb::new(LLVMGetFirstBasicBlock(self.0)), |b| Bb::new(LLVMGetNextBasicBlock(b.0))) }
    }

    pub fn params(self) -> impl Iterator<Item = Val<'m>> {
        // SAFETY: the caller passes a function; null ends the walk.
        unsafe { chain(Val::new(LLVMGetFirstParam(self.0)), |p| Val::new(LLVMGetNextParam(p.0))) }
    }

    /// Type of the function or of what the global variable holds.
    pub fn value_type(self) -> Option<Ty<'m>> {
        // SAFETY: the caller passes a function or global variable.
        Ty::new(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub fn is_intrinsic(self) -> bool {
        // SAFETY: the caller passes a function.
        unsafe { LLVMGetIntrinsicID(self.0) != 0 }
    }

    pub fn linkage(self) -> RawLinkage {
        // SAFETY: the caller passes a function or global variable.
        unsafe { LLVMGetLinkage(self.0) }
    }

    pub fn subprogram(self) -> Option<Meta<'m>> {
        // SAFETY: the caller passes a function.
        Meta::new(unsafe { LLVMGetSubprogram(self.0) })
    }

    pub fn initialiser(self) -> Option<Val<'m>> {
        // SAFETY: the caller passes a global variable.
        Val::new(unsafe { LLVMGetInitializer(self.0) })
    }

    /// Constant, thread-local.
    pub fn global_flags(self) -> (bool, bool) {
        // SAFETY: the caller passes a global variable.
        unsafe { (LLVMIsGlobalConstant(self.0) != 0, LLVMIsThreadLocal(self.0) != 0) }
    }

    pub fn aliasee(self) -> Option<Val<'m>> {
        // SAFETY: the caller passes an alias.
        Val::new(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    // Constants.

    pub fn int_value(self) -> u64 {
        // SAFETY: the caller passes an integer constant of at most 64 bits.
        unsafe { LLVMConstIntGetZExtValue(self.0) }
    }

    /// Nearest double, and whether it is exact.
    pub fn float_value(self) -> (f64, bool) {
        let mut lost = 0;
        // SAFETY: the caller passes a floating-point constant.
        let value = unsafe { LLVMConstRealGetDouble(self.0, &mut lost) };
        (value, lost == 0)
    }

    /// The bytes of an array of bytes.
    pub fn byte_string(self) -> Option<Vec<u8>> {
        // SAFETY: the caller passes a constant array of data; the bytes live as long as the module.
        unsafe {
            if LLVMIsConstantString(self.0) == 0 {
                return None;
            }
            let mut len = 0;
            let start = LLVMGetAsString(self.0, &mut len);
            Some(std::slice::from_raw_parts(start as *const u8, len).to_vec())
        }
    }

    pub fn element(self, index: u32) -> Option<Val<'m>> {
        // SAFETY: the caller passes an aggregate constant; null beyond its end.
        Val::new(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    pub fn expression_opcode(self) -> Opcode {
        // SAFETY: the caller passes a constant expression.
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    pub fn address_of_block(self) -> Option<Bb<'m>> {
        // SAFETY: the caller passes the address of a block.
        Bb::new(unsafe { LLVMGetBlockAddressBasicBlock(self.0) })
    }

    /// Text, constraints, side effects.
    pub fn assembly(self) -> (String, String, bool) {
        // SAFETY: the caller passes inline assembly.
        unsafe {
            let code = text(|len| LLVMGetInlineAsmAsmString(self.0, len));
            let constraints = text(|len| LLVMGetInlineAsmConstraintString(self.0, len));
            (code, constraints, LLVMGetInlineAsmHasSideEffects(self.0) != 0)
        }
    }
}

impl<'m> Bb<'m> {
    pub fn instructions(self) -> impl Iterator<Item = Val<'m>> {
        // SAFETY: a live block; null ends the walk.
        unsafe { chain(Val::new(LLVMGetFirstInstruction(self.0)), |i| Val::new(LLVMGetNextInstruction(i.0))) }
    }
}

/// Queries on instructions.
impl<'m> Val<'m> {
    pub fn opcode(self) -> Opcode {
        // SAFETY: the caller passes an instruction.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub fn is_debug_intrinsic(self) -> bool {
        // SAFETY: a live value.
        unsafe { !LLVMIsADbgInfoIntrinsic(self.0).is_null() }
    }

    /// Does this intrinsic say where a variable is, and if so, is it its address?
    pub fn debug_variable(self) -> Option<bool> {
        // SAFETY: a live value.
        unsafe {
            let about_variable = !LLVMIsADbgVariableIntrinsic(self.0).is_null();
            about_variable.then(|| !LLVMIsADbgDeclareInst(self.0).is_null())
        }
    }

    /// The value inside a metadata operand.
    pub fn value_in_metadata(self) -> Option<Val<'m>> {
        // SAFETY: metadata that wraps a value has that as its only operand.
        unsafe { (!LLVMIsAValueAsMetadata(self.0).is_null()).then(|| Val::new(LLVMGetOperand(self.0, 0)))? }
    }

    /// The node or string that a metadata operand is.
    pub fn as_meta(self) -> Option<Meta<'m>> {
        let is_metadata = self.kind() == ValueKind::LLVMMetadataAsValueValueKind;
        // SAFETY: a metadata operand.
        is_metadata.then(|| Meta::new(unsafe { LLVMValueAsMetadata(self.0) }))?
    }

    pub fn metadata_string(self) -> Option<String> {
        // SAFETY: null for what is no string.
        let string = text(|len| unsafe {
            let mut short = 0;
            let start = LLVMGetMDString(self.0, &mut short);
            *len = short as usize;
            start
        });
        (!string.is_empty()).then_some(string)
    }

    pub fn debug_location(self) -> Option<Meta<'m>> {
        // SAFETY: the caller passes an instruction.
        Meta::new(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }

    pub fn int_predicate(self) -> RawIntPredicate {
        // SAFETY: the caller passes an `icmp`.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    pub fn float_predicate(self) -> RawFloatPredicate {
        // SAFETY: the caller passes an `fcmp`.
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    pub fn allocated_type(self) -> Option<Ty<'m>> {
        // SAFETY: the caller passes an `alloca`.
        Ty::new(unsafe { LLVMGetAllocatedType(self.0) })
    }

    pub fn is_volatile(self) -> bool {
        // SAFETY: the caller passes a memory access.
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    pub fn is_atomic(self) -> bool {
        // SAFETY: the caller passes a load or store.
        unsafe { LLVMGetOrdering(self.0) != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic }
    }

    pub fn rmw(self) -> RawRmw {
        // SAFETY: the caller passes an `atomicrmw`.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// Source element type and `inbounds` of an address computation, instruction or constant.
    pub fn gep(self) -> (Option<Ty<'m>>, bool) {
        // SAFETY: the caller passes an address computation.
        unsafe { (Ty::new(LLVMGetGEPSourceElementType(self.0)), LLVMIsInBounds(self.0) != 0) }
    }

    pub fn incoming(self) -> impl Iterator<Item = (Val<'m>, Bb<'m>)> {
        // SAFETY: the caller passes a phi; indices are below the count.
        let count = unsafe { LLVMCountIncoming(self.0) };
        (0..count).filter_map(move |i| unsafe {
            Some((Val::new(LLVMGetIncomingValue(self.0, i))?, Bb::new(LLVMGetIncomingBlock(self.0, i))?))
        })
    }

    pub fn successors(self) -> impl Iterator<Item = Bb<'m>> {
        // SAFETY: the caller passes a terminator; indices are below the count.
        let count = unsafe { LLVMGetNumSuccessors(self.0) };
        (0..count).filter_map(move |i| unsafe { Bb::new(LLVMGetSuccessor(self.0, i)) })
    }

    pub fn indices(self) -> Vec<u32> {
        // SAFETY: the caller passes `extractvalue` or `insertvalue`; LLVM gives as many as it counts.
        unsafe {
            std::slice::from_raw_parts(LLVMGetIndices(self.0), LLVMGetNumIndices(self.0) as usize).to_vec()
        }
    }

    /// Lanes of a shuffle; negative: undefined.
    pub fn lanes(self) -> Vec<i32> {
        // SAFETY: the caller passes a shuffle; indices are below the count.
        unsafe { (0..LLVMGetNumMaskElements(self.0)).map(|i| LLVMGetMaskValue(self.0, i)).collect() }
    }

    /// What is called, and the type that the call gives it.
    pub fn called(self) -> (Option<Val<'m>>, Option<Ty<'m>>) {
        // SAFETY: the caller passes a call of any kind.
        unsafe { (Val::new(LLVMGetCalledValue(self.0)), Ty::new(LLVMGetCalledFunctionType(self.0))) }
    }

    pub fn argument_count(self) -> u32 {
        // SAFETY: the caller passes a call of any kind.
        unsafe { LLVMGetNumArgOperands(self.0) }
    }

    pub fn is_must_tail(self) -> bool {
        // SAFETY: the caller passes a plain call.
        unsafe { LLVMGetTailCallKind(self.0) == LLVMTailCallKind::LLVMTailCallKindMustTail }
    }
}
