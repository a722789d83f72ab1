//! Names that the runtime needs for itself.
//!
//! In: a program that may define functions under the names of libc functions (an interpreter with a `raise` or `send` of its own), that names
//! things of the runtime, or that has code run before constructors. Out: the same program, with other names for its own.
//!
//! Always holds: the runtime, which is linked into the program, calls libc where it means libc, and no function of the program is called
//! before the fork server serves. Allocation is left alone: whoever replaces `malloc` replaces it for all.
//! Code without bitcode that means the program's function under such a name finds libc's.

use crate::abi::RUNTIME_PREFIX;
use crate::gaps;
use inkwell::module::{Linkage, Module};

/// What the runtime needs of libc, one name in a line (made by build.rs).
const NEEDED: &str = include_str!(concat!(env!("OUT_DIR"), "/needed"));
/// Before a name that is the program's own.
const OWN_PREFIX: &str = "own.";
/// Functions that run before all constructors, and where they run as the first of them.
const BEFORE_CONSTRUCTORS: &str = ".preinit_array";
const FIRST_CONSTRUCTORS: &str = ".init_array.00001";

/// First of all: what the program calls as the runtime calls its own is another thing.
pub fn free_runtime_names(module: &Module) {
    let functions = module.get_functions().map(|f| f.as_global_value());
    for global in functions.chain(module.get_globals()) {
        let name = global.get_name().to_string_lossy();
        if name.starts_with(RUNTIME_PREFIX) {
            global.set_name(&format!("{OWN_PREFIX}{name}"));
        }
    }
}

/// Last of all, because maps and analyses know functions by their names.
pub fn free_libc_names(module: &Module) {
    let is_needed = |name: &str| NEEDED.lines().any(|needed| needed == name);
    for function in module.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        let name = function.get_name().to_string_lossy().into_owned();
        if function.get_linkage() != Linkage::Internal && is_needed(&name) {
            function.as_global_value().set_name(&format!("{OWN_PREFIX}{name}"));
        }
    }
    gaps::rename_aliases(module, |name| is_needed(name).then(|| format!("{OWN_PREFIX}{name}")));
    for global in module.get_globals() {
        let section = global.get_section().map(|s| s.to_string_lossy().into_owned());
        if section.is_some_and(|section| section.starts_with(BEFORE_CONSTRUCTORS)) {
            global.set_section(Some(FIRST_CONSTRUCTORS));
        }
    }
}
