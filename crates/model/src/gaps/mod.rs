//! LLVM's C interface as far as the loader needs it: handles that cannot outlive their module, and plain queries on them.
//!
//! The only `unsafe` code of this crate is in this directory (docs/decisions/0009-unsafe-in-model.md).
//!
//! Always holds: a handle is not null and belongs to the module of its lifetime, which is not changed while handles exist. Queries that
//! make sense only for one kind of value are called after its kind, opcode or tag has been looked at; the names say which.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
pub use inkwell::llvm_sys::{
    debuginfo::LLVMMetadataKind as MetaKind, LLVMAtomicRMWBinOp as RawRmw,
    LLVMIntPredicate as RawIntPredicate, LLVMLinkage as RawLinkage, LLVMOpcode as Opcode,
    LLVMRealPredicate as RawFloatPredicate, LLVMTypeKind as RawTypeKind, LLVMValueKind as ValueKind,
};
use inkwell::module::Module;
use std::collections::{HashMap, HashSet};
use std::ffi::c_char;
use std::marker::PhantomData;

mod types;
mod value;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident($raw:ty)),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name<'m>($raw, PhantomData<&'m ()>);

        impl $name<'_> {
            fn new(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then_some($name(raw, PhantomData))
            }
        }
    )*};
}

handles! {
    /// A value: function, global, argument, instruction, constant.
    Val(LLVMValueRef),
    Ty(LLVMTypeRef),
    Bb(LLVMBasicBlockRef),
    /// A node or string of metadata.
    Meta(LLVMMetadataRef)
}

/// The module, with debug records turned into intrinsics, which the interface can walk.
pub struct Ir<'m> {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    layout: LLVMTargetDataRef,
    kinds: Kinds,
    /// Nodes that debug intrinsics refer to, as LLVM prints them.
    printed: HashMap<Meta<'m>, String>,
}

struct Kinds {
    noreturn: u32,
    returns_twice: u32,
    byval: u32,
    dbg: u32,
}

fn text(get: impl FnOnce(&mut usize) -> *const c_char) -> String {
    let mut len = 0;
    let start = get(&mut len);
    if start.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns a pointer to `len` bytes that live as long as the module.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, len) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn attribute_kind(name: &str) -> u32 {
    // SAFETY: pointer and length of one string.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// A chain of values or blocks: the first, and how to get from one to the next.
fn chain<T: Copy>(first: Option<T>, next: impl Fn(T) -> Option<T>) -> impl Iterator<Item = T> {
    std::iter::successors(first, move |v| next(*v))
}

impl<'m> Ir<'m> {
    pub fn new(module: &'m Module) -> Self {
        let raw = module.as_mut_ptr();
        // SAFETY: a live module; handles into it are made only behind the last change of its form.
        unsafe {
            let context = LLVMGetModuleContext(raw);
            let kinds = Kinds {
                noreturn: attribute_kind("noreturn"),
                returns_twice: attribute_kind("returns_twice"),
                byval: attribute_kind("byval"),
                dbg: LLVMGetMDKindIDInContext(context, c"dbg".as_ptr(), 3),
            };
            let layout = LLVMGetModuleDataLayout(raw);
            let mut ir = Ir { module: raw, context, layout, kinds, printed: HashMap::new() };
            LLVMSetIsNewDbgInfoFormat(raw, 0);
            let nodes = ir.nodes_of_variables();
            // To print a node that an instruction uses, LLVM numbers the whole module each time: not so for one that a record uses.
            LLVMSetIsNewDbgInfoFormat(raw, 1);
            let print = |n: Meta<'m>| {
                (n, Val::new(LLVMMetadataAsValue(context, n.0)).map_or(String::new(), Val::printed))
            };
            ir.printed = nodes.into_iter().map(print).collect();
            LLVMSetIsNewDbgInfoFormat(raw, 0);
            ir
        }
    }

    /// Variables and expressions of debug intrinsics.
    fn nodes_of_variables(&self) -> HashSet<Meta<'m>> {
        let all = self.functions().flat_map(Val::blocks).flat_map(Bb::instructions);
        let about = all.filter(|i| i.debug_variable().is_some());
        about.flat_map(|i| [i.operand(1), i.operand(2)]).flatten().filter_map(Val::as_meta).collect()
    }

    pub fn functions(&self) -> impl Iterator<Item = Val<'m>> {
        // SAFETY: walks the functions of a live module; null ends the walk.
        unsafe { chain(Val::new(LLVMGetFirstFunction(self.module)), |f| Val::new(LLVMGetNextFunction(f.0))) }
    }

    pub fn globals(&self) -> impl Iterator<Item = Val<'m>> {
        // SAFETY: walks the global variables of a live module; null ends the walk.
        unsafe { chain(Val::new(LLVMGetFirstGlobal(self.module)), |g| Val::new(LLVMGetNextGlobal(g.0))) }
    }

    /// Nodes of the compilation units.
    pub fn compile_units(&self) -> Vec<Meta<'m>> {
        let name = c"llvm.dbg.cu".as_ptr();
        // SAFETY: the buffer has room for as many operands as LLVM says there are.
        let nodes: Vec<LLVMValueRef> = unsafe {
            let mut nodes =
                vec![std::ptr::null_mut(); LLVMGetNamedMetadataNumOperands(self.module, name) as usize];
            LLVMGetNamedMetadataOperands(self.module, name, nodes.as_mut_ptr());
            nodes
        };
        nodes.into_iter().filter_map(Val::new).filter_map(Val::as_meta).collect()
    }

    /// Size in an array and alignment; none for what has no size.
    pub fn size(&self, ty: Ty<'m>) -> Option<(u64, u32)> {
        // SAFETY: asked only for types that have a size.
        unsafe {
            let sized = LLVMTypeIsSized(ty.0) != 0;
            sized.then(|| (LLVMABISizeOfType(self.layout, ty.0), LLVMABIAlignmentOfType(self.layout, ty.0)))
        }
    }

    pub fn field_offset(&self, structure: Ty<'m>, field: u32) -> u64 {
        // SAFETY: the caller passes a field of a structure that has a size.
        unsafe { LLVMOffsetOfElement(self.layout, structure.0, field) }
    }

    fn function_attribute(&self, f: Val<'m>, kind: u32) -> bool {
        // SAFETY: the caller passes a function.
        unsafe { !LLVMGetEnumAttributeAtIndex(f.0, LLVMAttributeFunctionIndex, kind).is_null() }
    }

    /// `noreturn` and `returns_twice` of a function.
    pub fn function_flags(&self, f: Val<'m>) -> (bool, bool) {
        (
            self.function_attribute(f, self.kinds.noreturn),
            self.function_attribute(f, self.kinds.returns_twice),
        )
    }

    /// The same, said at a call.
    pub fn call_flags(&self, call: Val<'m>) -> (bool, bool) {
        // SAFETY: the caller passes a call of any kind.
        let has = |kind| unsafe {
            !LLVMGetCallSiteEnumAttribute(call.0, LLVMAttributeFunctionIndex, kind).is_null()
        };
        (has(self.kinds.noreturn), has(self.kinds.returns_twice))
    }

    /// What a parameter that is passed as a copy in memory points to.
    pub fn byval(&self, f: Val<'m>, param: u32) -> Option<Ty<'m>> {
        // SAFETY: the caller passes a function and one of its parameters; attributes of parameters begin at 1.
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(f.0, param + 1, self.kinds.byval);
            (!attribute.is_null()).then(|| Ty::new(LLVMGetTypeAttributeValue(attribute)))?
        }
    }

    /// The source variable of a global.
    pub fn global_variable(&self, global: Val<'m>) -> Option<Meta<'m>> {
        // SAFETY: the entries are read before they are given back; the expression node is of the kind that it is asked as.
        unsafe {
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(global.0, &mut count);
            let mut found = None;
            for i in 0..count as u32 {
                if LLVMValueMetadataEntriesGetKind(entries, i) == self.kinds.dbg {
                    let node = LLVMValueMetadataEntriesGetMetadata(entries, i);
                    found = found.or(Meta::new(LLVMDIGlobalVariableExpressionGetVariable(node)));
                }
            }
            LLVMDisposeValueMetadataEntries(entries);
            found
        }
    }

    /// Operands of a node of metadata; none for missing ones.
    pub fn node_operands(&self, node: Meta<'m>) -> Vec<Option<Val<'m>>> {
        // SAFETY: the caller passes a node; the buffer has room for its operands.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, node.0);
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            operands.into_iter().map(Val::new).collect()
        }
    }

    /// A node as LLVM prints it, for the few fields that no query gives.
    pub fn printed(&self, node: Meta<'m>) -> String {
        if let Some(text) = self.printed.get(&node) {
            return text.clone();
        }
        // SAFETY: a live node.
        unsafe { Val::new(LLVMMetadataAsValue(self.context, node.0)) }.map_or(String::new(), Val::printed)
    }
}
