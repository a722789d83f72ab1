//! The models of libc functions: calls in the program are redirected to them, then they are linked in.
//!
//! In: the program's module, the models' bitcode. Out: one module in which `NAME` has become
//! `__plx_libc_NAME` wherever the program does not define NAME itself.

use crate::abi::{MODEL_PREFIX, NATIVE_IN_MODELS, NATIVE_MODELS};
use crate::cx::Result;
use crate::error::Error;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;

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

/// Redirect and link.
pub fn link<'c>(context: &'c Context, module: &Module<'c>, bitcode: &[u8]) -> Result<()> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "models");
    let models = Module::parse_bitcode_from_buffer(&buffer, context)
        .map_err(|e| Error::Invalid(format!("the models' bitcode: {e}")))?;
    let mut known: Vec<String> = NATIVE_MODELS.iter().map(|s| s.to_string()).collect();
    for f in models.get_functions().filter(defined) {
        let name = f.get_name().to_string_lossy().into_owned();
        match name.strip_prefix(MODEL_PREFIX) {
            Some(modelled) => known.push(modelled.to_string()),
            None if f.get_linkage() == Linkage::Internal => {
                f.as_global_value().set_name(&format!("{HELPER_PREFIX}{name}"));
            }
            None => {}
        }
    }
    for (f, name) in declarations(&models) {
        if NATIVE_IN_MODELS.contains(&name.as_str()) {
            redirect(&models, f, &name);
        }
    }
    for (f, name) in declarations(module) {
        if known.contains(&name) {
            redirect(module, f, &name);
        }
    }
    let ours: Vec<String> =
        models.get_functions().filter(defined).map(|f| f.get_name().to_string_lossy().into_owned()).collect();
    module.link_in_module(models).map_err(|e| Error::Invalid(format!("linking the models: {e}")))?;
    // Nothing outside this module calls the models, so unused ones can go.
    for name in ours {
        if let Some(f) = module.get_function(&name).filter(|_| name != REPORT_STREAMS) {
            f.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

/// Called by the runtime at the end of the program.
const REPORT_STREAMS: &str = "__plx_report_streams";
