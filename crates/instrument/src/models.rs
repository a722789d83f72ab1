//! The models of libc functions: instrumented once as a module of their own; calls in a program are
//! redirected to them.
//!
//! In: the models' bitcode, or the program's module and the models' map. Out: a module in which `NAME`
//! has become `__plx_libc_NAME` wherever the program does not define NAME itself.

use crate::abi::{MODEL_PREFIX, NATIVE_IN_MODELS, NATIVE_MODELS};
use crate::cx::Result;
use crate::error::Error;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;
use parallax_trace::sites::ProgramMap;
use std::collections::HashSet;

/// Prefix of the models' own helper functions once they are in the program.
const HELPER_PREFIX: &str = "__plx_m_";

/// Is this the name of a function that came with Parallax?
pub fn is_model(name: &str) -> bool {
    name.starts_with("__plx_") && name != "__plx_main"
}

fn defined(f: &FunctionValue) -> bool {
    f.count_basic_blocks() > 0
}

/// All uses of the declaration `name` become uses of its model.
fn redirect<'c>(module: &Module<'c>, declaration: FunctionValue<'c>, name: &str) {
    let target = format!("{MODEL_PREFIX}{name}");
    let model = module
        .get_function(&target)
        .unwrap_or_else(|| module.add_function(&target, declaration.get_type(), None));
    declaration.replace_all_uses_with(model);
}

fn declarations<'c>(module: &Module<'c>) -> Vec<(FunctionValue<'c>, String)> {
    module
        .get_functions()
        .filter(|f| !defined(f))
        .map(|f| (f, f.get_name().to_string_lossy().into_owned()))
        .collect()
}

/// The models as a module of their own: instrumented once, linked to every program.
pub fn module<'c>(context: &'c Context, bitcode: &[u8]) -> Result<Module<'c>> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "models");
    let models = Module::parse_bitcode_from_buffer(&buffer, context)
        .map_err(|e| Error::Invalid(format!("the models' bitcode: {e}")))?;
    for f in models.get_functions().filter(defined) {
        if f.get_linkage() == Linkage::Internal {
            let name = f.get_name().to_string_lossy().into_owned();
            f.as_global_value().set_name(&format!("{HELPER_PREFIX}{name}"));
        }
    }
    for (f, name) in declarations(&models) {
        if NATIVE_IN_MODELS.contains(&name.as_str()) {
            redirect(&models, f, &name);
        }
    }
    Ok(models)
}

/// Calls of modelled functions in the program go to the models. `models`: their map.
pub fn redirect_all(module: &Module, models: &ProgramMap) {
    let modelled = models.functions.iter().filter_map(|f| f.name.strip_prefix(MODEL_PREFIX));
    let known: HashSet<&str> = modelled.chain(NATIVE_MODELS.iter().copied()).collect();
    for (f, name) in declarations(module) {
        if known.contains(name.as_str()) {
            redirect(module, f, &name);
        }
    }
}

/// Is this function, defined elsewhere, one of the instrumented models?
pub fn is_instrumented_model(name: &str) -> bool {
    name.strip_prefix(MODEL_PREFIX).is_some_and(|n| !NATIVE_MODELS.contains(&n))
}
