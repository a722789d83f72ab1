//! From bitcode to [`Program`].
//!
//! In: bytes of bitcode. Out: the program as own data. One pass numbers functions and blocks, one converts instructions, the rest follows.
//!
//! Always holds: ids follow the rule of docs/internals.md, "Numbers"; damaged bitcode is an error value.

mod consts;
mod debug;
mod debug_types;
mod finish;
mod insts;
mod types;

use crate::gaps::{Bb, Ir, Meta, RawLinkage, Ty, Val};
use crate::ir::*;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use std::collections::HashMap;

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the bitcode cannot be read ({0}): build the program again with this Parallax")]
    Bitcode(String),
    #[error("the bitcode is not well formed ({0}): build the program again with this Parallax")]
    Invalid(String),
}

/// The model of the program in `bitcode`, which has been cleaned up (`parallax_instrument::clean_up`).
pub fn load(bitcode: &[u8]) -> Result<Program, LoadError> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "program");
    let module = Module::parse_bitcode_from_buffer(&buffer, &context)
        .map_err(|e| LoadError::Bitcode(e.to_string()))?;
    // Verified now, so that no query meets a value of a kind that its place does not allow.
    module.verify().map_err(|e| LoadError::Invalid(e.to_string()))?;
    let ir = Ir::new(&module);
    let mut loader = Loader::new(&ir);
    loader.number();
    loader.globals();
    loader.functions();
    loader.debug_info();
    Ok(loader.finish())
}

/// What is known while loading: the program so far, and which id each thing of LLVM has.
struct Loader<'a, 'm> {
    ir: &'a Ir<'m>,
    program: Program,
    functions: HashMap<Val<'m>, FuncId>,
    /// Functions in the order of their ids.
    order: Vec<Val<'m>>,
    globals: HashMap<Val<'m>, GlobalId>,
    blocks: HashMap<Bb<'m>, BlockId>,
    /// Instructions and arguments of the function at hand.
    locals: HashMap<Val<'m>, Operand>,
    types: HashMap<Ty<'m>, TypeId>,
    consts: HashMap<Val<'m>, ConstId>,
    asms: HashMap<Val<'m>, AsmId>,
    files: HashMap<String, FileId>,
    file_nodes: HashMap<Meta<'m>, FileId>,
    locs: HashMap<Loc, LocId>,
    loc_nodes: HashMap<Meta<'m>, LocId>,
    variables: HashMap<(Meta<'m>, FuncId), VarId>,
    debug_types: HashMap<Meta<'m>, DebugTypeId>,
    /// Types that have an id but are not converted yet.
    pending_types: Vec<(Meta<'m>, DebugTypeId)>,
    /// Is the expression of a binding empty?
    plain_expressions: HashMap<Meta<'m>, bool>,
}

impl<'a, 'm> Loader<'a, 'm> {
    fn new(ir: &'a Ir<'m>) -> Self {
        Loader {
            ir,
            program: Program::default(),
            functions: HashMap::new(),
            order: Vec::new(),
            globals: HashMap::new(),
            blocks: HashMap::new(),
            locals: HashMap::new(),
            types: HashMap::new(),
            consts: HashMap::new(),
            asms: HashMap::new(),
            files: HashMap::new(),
            file_nodes: HashMap::new(),
            locs: HashMap::new(),
            loc_nodes: HashMap::new(),
            variables: HashMap::new(),
            debug_types: HashMap::new(),
            pending_types: Vec::new(),
            plain_expressions: HashMap::new(),
        }
    }

    /// Functions with a body, then the others; all blocks; all globals.
    fn number(&mut self) {
        let (defined, declared): (Vec<_>, Vec<_>) =
            self.ir.functions().partition(|f| f.blocks().next().is_some());
        self.program.defined = defined.len() as u32;
        self.order = defined.into_iter().chain(declared).collect();
        for (i, f) in self.order.iter().enumerate() {
            self.functions.insert(*f, FuncId::from_index(i));
            for block in f.blocks() {
                let id = BlockId::from_index(self.blocks.len());
                self.blocks.insert(block, id);
            }
        }
        for (i, global) in self.ir.globals().enumerate() {
            self.globals.insert(global, GlobalId::from_index(i));
        }
    }

    fn globals(&mut self) {
        for global in self.ir.globals() {
            let variable = self.ir.global_variable(global);
            let name = global.name();
            let source_name = variable.and_then(|v| self.node_string(v, debug::VARIABLE_NAME));
            let (constant, thread_local) = global.global_flags();
            let entry = Global {
                source_name: source_name.filter(|n| *n != name),
                name,
                ty: self.optional_type(global.value_type()),
                initialiser: global.initialiser().map(|i| self.operand(i)),
                linkage: linkage(global.linkage()),
                constant,
                thread_local,
                file: variable.and_then(|v| v.file_of_variable()).map(|f| self.file(f)),
                line: variable.map_or(0, |v| v.line_of_variable()),
                debug: variable.and_then(|v| self.node_type(v, debug::VARIABLE_TYPE)),
            };
            self.program.globals.push(entry);
        }
    }

    fn functions(&mut self) {
        for i in 0..self.order.len() {
            let f = self.order[i];
            let function = self.declaration(f);
            self.program.functions.push(function);
            if i < self.program.defined as usize {
                self.body(f, FuncId::from_index(i));
            }
        }
    }

    fn declaration(&mut self, f: Val<'m>) -> Function {
        let name = f.name();
        let subprogram = f.subprogram();
        let source_name = subprogram.and_then(|s| self.node_string(s, debug::SUBPROGRAM_NAME));
        let (noreturn, returns_twice) = self.ir.function_flags(f);
        let ty = self.optional_type(f.value_type());
        let variadic = self.program.signature(ty).is_some_and(|s| s.2);
        let mut params = Vec::new();
        for (i, p) in f.params().enumerate() {
            let byval = self.ir.byval(f, i as u32).map(|t| self.ty(t));
            params.push(Param { name: None, ty: self.optional_type(p.ty()), byval, debug: None });
        }
        Function {
            source_name: source_name.filter(|n| *n != name),
            name,
            blocks: IdRange::default(),
            insts: IdRange::default(),
            ty,
            params,
            linkage: linkage(f.linkage()),
            attributes: Attributes { noreturn, returns_twice, variadic },
            address_taken: false,
            intrinsic: f.is_intrinsic(),
            file: subprogram.and_then(|s| s.file_of_scope()).map(|f| self.file(f)),
            line: subprogram.map_or(0, |s| s.line_of_subprogram()),
            end_line: 0,
            debug: subprogram.and_then(|s| self.node_type(s, debug::SUBPROGRAM_TYPE)),
        }
    }
}

fn linkage(raw: RawLinkage) -> Linkage {
    match raw {
        RawLinkage::LLVMInternalLinkage | RawLinkage::LLVMPrivateLinkage => Linkage::Internal,
        RawLinkage::LLVMLinkOnceAnyLinkage
        | RawLinkage::LLVMLinkOnceODRLinkage
        | RawLinkage::LLVMWeakAnyLinkage
        | RawLinkage::LLVMWeakODRLinkage
        | RawLinkage::LLVMExternalWeakLinkage => Linkage::Weak,
        RawLinkage::LLVMCommonLinkage => Linkage::Common,
        RawLinkage::LLVMAppendingLinkage => Linkage::Appending,
        _ => Linkage::External,
    }
}
