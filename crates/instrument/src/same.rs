//! Are two whole-program modules the same code?
//!
//! In: two files of bitcode. Out: yes only if everything that decides what the program does is the same, in the same order: functions,
//! instructions, constants, variables, first values, types, attributes.
//!
//! Always holds: debug information, names of locals and the names of the source files are not looked at; everything else is, as LLVM itself
//! writes it out. `__LINE__`, `__FILE__` and what `assert` prints are constants of the code, and count.

use crate::clean;
use crate::cx::Result;
use inkwell::context::Context;
use inkwell::module::Module;
use std::path::Path;

/// Do two modules hold the same code?
pub fn same_code(old: &Path, new: &Path) -> Result<bool> {
    Ok(text(old)? == text(new)?)
}

/// The module without what means nothing, written out.
fn text(bitcode: &Path) -> Result<String> {
    let context = Context::create();
    let module = clean::read(&context, bitcode)?;
    module.strip_debug_info();
    module.set_source_file_name("");
    module.set_name("");
    nameless(&module);
    Ok(module.print_to_string().to_string())
}

/// Takes the names from parameters, blocks and results.
fn nameless(module: &Module) {
    for function in module.get_functions() {
        function.get_param_iter().for_each(|parameter| parameter.set_name(""));
        for block in function.get_basic_block_iter() {
            block.set_name("");
            // What has no result has no name.
            block.get_instructions().for_each(|inst| drop(inst.set_name("")));
        }
    }
}
