//! Types of the IR.
//!
//! Always holds: equal types of the module have one id. Pointers are opaque, so the types inside a type are smaller and recursion ends.

use super::Loader;
use crate::gaps::{RawTypeKind, Ty};
use crate::ir::*;

impl<'m> Loader<'_, 'm> {
    /// `Other` where LLVM gives none.
    pub(super) fn optional_type(&mut self, ty: Option<Ty<'m>>) -> TypeId {
        match ty {
            Some(ty) => self.ty(ty),
            None => self.add_type(Type { kind: TypeKind::Other, size: 0, align: 1 }),
        }
    }

    fn add_type(&mut self, ty: Type) -> TypeId {
        let id = TypeId::from_index(self.program.types.len());
        self.program.types.push(ty);
        id
    }

    pub(super) fn ty(&mut self, ty: Ty<'m>) -> TypeId {
        if let Some(id) = self.types.get(&ty) {
            return *id;
        }
        let kind = self.type_kind(ty);
        let (size, align) = match kind {
            TypeKind::Func { .. } | TypeKind::Void => (0, 1),
            _ => self.ir.size(ty).unwrap_or((0, 1)),
        };
        let id = self.add_type(Type { kind, size, align });
        self.types.insert(ty, id);
        id
    }

    fn type_kind(&mut self, ty: Ty<'m>) -> TypeKind {
        match ty.kind() {
            RawTypeKind::LLVMVoidTypeKind => TypeKind::Void,
            RawTypeKind::LLVMIntegerTypeKind => TypeKind::Int { bits: ty.int_bits() },
            RawTypeKind::LLVMPointerTypeKind => TypeKind::Ptr,
            RawTypeKind::LLVMStructTypeKind => TypeKind::Struct(self.struct_type(ty)),
            RawTypeKind::LLVMArrayTypeKind => {
                TypeKind::Array { element: self.optional_type(ty.element()), len: ty.array_len() }
            }
            RawTypeKind::LLVMVectorTypeKind => self.vector_type(ty, false),
            RawTypeKind::LLVMScalableVectorTypeKind => self.vector_type(ty, true),
            RawTypeKind::LLVMFunctionTypeKind => self.function_type(ty),
            RawTypeKind::LLVMLabelTypeKind => TypeKind::Label,
            RawTypeKind::LLVMTokenTypeKind => TypeKind::Token,
            RawTypeKind::LLVMMetadataTypeKind => TypeKind::Metadata,
            RawTypeKind::LLVMHalfTypeKind => TypeKind::Float(FloatKind::Half),
            RawTypeKind::LLVMBFloatTypeKind => TypeKind::Float(FloatKind::BFloat),
            RawTypeKind::LLVMFloatTypeKind => TypeKind::Float(FloatKind::Float),
            RawTypeKind::LLVMDoubleTypeKind => TypeKind::Float(FloatKind::Double),
            RawTypeKind::LLVMX86_FP80TypeKind => TypeKind::Float(FloatKind::X86Fp80),
            RawTypeKind::LLVMFP128TypeKind => TypeKind::Float(FloatKind::Fp128),
            RawTypeKind::LLVMPPC_FP128TypeKind => TypeKind::Float(FloatKind::PpcFp128),
            _ => TypeKind::Other,
        }
    }

    fn struct_type(&mut self, ty: Ty<'m>) -> StructType {
        let (name, packed, opaque) = ty.structure();
        let sized = self.ir.size(ty).is_some();
        let mut fields = Vec::new();
        for (i, field) in ty.fields().into_iter().enumerate() {
            let offset = if sized { self.ir.field_offset(ty, i as u32) } else { 0 };
            fields.push(Field { ty: self.ty(field), offset });
        }
        StructType { name, fields, packed, opaque, debug: None }
    }

    fn vector_type(&mut self, ty: Ty<'m>, scalable: bool) -> TypeKind {
        TypeKind::Vector { element: self.optional_type(ty.element()), len: ty.vector_len(), scalable }
    }

    fn function_type(&mut self, ty: Ty<'m>) -> TypeKind {
        let Some((result, params, variadic)) = ty.signature() else { return TypeKind::Other };
        let params = params.into_iter().map(|p| self.ty(p)).collect();
        TypeKind::Func { result: self.ty(result), params, variadic }
    }
}
