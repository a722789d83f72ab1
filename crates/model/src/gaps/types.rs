//! Queries on types and on nodes of debug information.
//!
//! Always holds: each query says in its reason of safety which kind of type or node the caller must have found before.

use super::{text, Meta, MetaKind, RawTypeKind, Ty};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use std::ffi::CStr;

impl<'m> Ty<'m> {
    pub fn kind(self) -> RawTypeKind {
        // SAFETY: a live type.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    pub fn int_bits(self) -> u32 {
        // SAFETY: the caller passes an integer type.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Fields of a structure.
    pub fn fields(self) -> Vec<Ty<'m>> {
        // SAFETY: the caller passes a structure; the buffer has room for its fields.
        unsafe {
            let mut fields = vec![std::ptr::null_mut(); LLVMCountStructElementTypes(self.0) as usize];
            LLVMGetStructElementTypes(self.0, fields.as_mut_ptr());
            fields.into_iter().filter_map(Ty::new).collect()
        }
    }

    /// Name, packed, opaque.
    pub fn structure(self) -> (Option<String>, bool, bool) {
        // SAFETY: the caller passes a structure; a literal one has no name, which is null.
        unsafe {
            let name = LLVMGetStructName(self.0);
            let name = (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned());
            (name, LLVMIsPackedStruct(self.0) != 0, LLVMIsOpaqueStruct(self.0) != 0)
        }
    }

    pub fn element(self) -> Option<Ty<'m>> {
        // SAFETY: the caller passes an array or vector.
        Ty::new(unsafe { LLVMGetElementType(self.0) })
    }

    pub fn array_len(self) -> u64 {
        // SAFETY: the caller passes an array.
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    pub fn vector_len(self) -> u32 {
        // SAFETY: the caller passes a vector.
        unsafe { LLVMGetVectorSize(self.0) }
    }

    /// Result, parameters, variadic.
    pub fn signature(self) -> Option<(Ty<'m>, Vec<Ty<'m>>, bool)> {
        // SAFETY: the caller passes the type of a function; the buffer has room for its parameters.
        unsafe {
            let mut params = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, params.as_mut_ptr());
            let params = params.into_iter().filter_map(Ty::new).collect();
            Some((Ty::new(LLVMGetReturnType(self.0))?, params, LLVMIsFunctionVarArg(self.0) != 0))
        }
    }
}

fn short_text(get: impl FnOnce(&mut u32) -> *const std::ffi::c_char) -> String {
    text(|len| {
        let mut short = 0;
        let start = get(&mut short);
        *len = short as usize;
        start
    })
}

impl<'m> Meta<'m> {
    pub fn kind(self) -> MetaKind {
        // SAFETY: a live node.
        unsafe { LLVMGetMetadataKind(self.0) }
    }

    /// Tag of DWARF.
    pub fn tag(self) -> u16 {
        // SAFETY: the caller passes a node of debug information.
        unsafe { LLVMGetDINodeTag(self.0) }
    }

    /// Line, column, scope, place of inlining.
    pub fn location(self) -> (u32, u32, Option<Meta<'m>>, Option<Meta<'m>>) {
        // SAFETY: the caller passes a location.
        unsafe {
            let (line, column) = (LLVMDILocationGetLine(self.0), LLVMDILocationGetColumn(self.0));
            let scope = Meta::new(LLVMDILocationGetScope(self.0));
            (line, column, scope, Meta::new(LLVMDILocationGetInlinedAt(self.0)))
        }
    }

    pub fn file_of_scope(self) -> Option<Meta<'m>> {
        // SAFETY: the caller passes a scope.
        Meta::new(unsafe { LLVMDIScopeGetFile(self.0) })
    }

    pub fn file_of_variable(self) -> Option<Meta<'m>> {
        // SAFETY: the caller passes a variable.
        Meta::new(unsafe { LLVMDIVariableGetFile(self.0) })
    }

    pub fn line_of_variable(self) -> u32 {
        // SAFETY: the caller passes a variable.
        unsafe { LLVMDIVariableGetLine(self.0) }
    }

    pub fn line_of_subprogram(self) -> u32 {
        // SAFETY: the caller passes a subprogram.
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }

    /// Directory and name of a file.
    pub fn file(self) -> (String, String) {
        // SAFETY: the caller passes a file.
        unsafe {
            let directory = short_text(|len| LLVMDIFileGetDirectory(self.0, len));
            (directory, short_text(|len| LLVMDIFileGetFilename(self.0, len)))
        }
    }

    pub fn type_name(self) -> Option<String> {
        // SAFETY: the caller passes a type.
        let name = text(|len| unsafe { LLVMDITypeGetName(self.0, len) });
        (!name.is_empty()).then_some(name)
    }

    /// Size and offset of a type or member, in bits.
    pub fn type_extent(self) -> (u64, u64) {
        // SAFETY: the caller passes a type.
        unsafe { (LLVMDITypeGetSizeInBits(self.0), LLVMDITypeGetOffsetInBits(self.0)) }
    }
}
