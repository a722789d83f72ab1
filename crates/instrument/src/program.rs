//! What the runtime expects the module to define: the renamed `main`, the table of global objects, the
//! edge counters.

use crate::abi::RUNTIME_PREFIX;
use crate::cx::Result;
use crate::error::Error;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetData;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
use inkwell::values::{CallSiteValue, GlobalValue, StructValue};

const PAGE: u32 = 4096;

/// The runtime brings its own `main` and calls the program's by this name.
pub fn rename_main(module: &Module) -> Result<()> {
    let main = module.get_function("main").filter(|f| f.count_basic_blocks() > 0).ok_or(Error::NoMain)?;
    main.as_global_value().set_name("__plx_main");
    main.set_linkage(Linkage::External);
    Ok(())
}

/// Inline definitions that headers bring (`atoi`, `getchar`, …) are hints for the optimiser, which would
/// otherwise fall back to the real function: keep them as functions of the program.
pub fn adopt_inline_definitions(module: &Module) {
    for f in module.get_functions() {
        if f.get_linkage() == Linkage::AvailableExternally {
            f.set_linkage(Linkage::Internal);
        }
    }
}

/// Functions declared pure (`strcmp` and its like) do more once they are instrumented: they leave labels, count
/// edges, record branches. The optimiser must not take their old promises for true.
pub fn forget_memory_effects(module: &Module) {
    let kind = Attribute::get_named_enum_kind_id("memory");
    for f in module.get_functions().filter(|f| !f.get_name().to_bytes().starts_with(b"llvm.")) {
        f.remove_enum_attribute(AttributeLoc::Function, kind);
        for instruction in f.get_basic_block_iter().flat_map(|b| b.get_instructions()) {
            if let Ok(call) = CallSiteValue::try_from(instruction) {
                call.remove_enum_attribute(AttributeLoc::Function, kind);
            }
        }
    }
}

/// A page-aligned, page-sized array that the runtime maps onto the arena's coverage region.
pub fn counters<'c>(context: &'c Context, module: &Module<'c>, edges: usize) -> GlobalValue<'c> {
    let len = (edges as u32).max(1).next_multiple_of(PAGE);
    let ty = context.i8_type().array_type(len);
    let counters = module.add_global(ty, None, "__plx_counters");
    counters.set_initializer(&ty.const_zero());
    counters.set_alignment(PAGE);
    let size = module.add_global(context.i64_type(), None, "__plx_counters_len");
    size.set_initializer(&context.i64_type().const_int(len as u64, false));
    counters
}

/// Functions of libc with effects that putting back a process's memory does not undo: processes and threads, handlers of signals,
/// rights and limits, code that comes later.
const LASTING: &[&str] = &[
    "alarm",
    "chroot",
    "clone",
    "clone3",
    "daemon",
    "dlopen",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fexecve",
    "fork",
    "forkpty",
    "mlock",
    "mlockall",
    "mprotect",
    "nice",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "prctl",
    "pthread_create",
    "quick_exit",
    "setegid",
    "seteuid",
    "setgid",
    "setgroups",
    "setitimer",
    "setpgid",
    "setpriority",
    "setregid",
    "setreuid",
    "setrlimit",
    "setrlimit64",
    "setsid",
    "setuid",
    "shmat",
    "sigaction",
    "sigaltstack",
    "signal",
    "sigset",
    "syscall",
    "system",
    "thrd_create",
    "timer_create",
    "vfork",
    "wordexp",
];

/// `__plx_stays`: whether the program calls nothing of [`LASTING`] and has no destructors, which run after a stage's run has ended.
pub fn staying<'c>(context: &'c Context, module: &Module<'c>) {
    let has_destructors = module.get_global("llvm.global_dtors").is_some();
    let lasts = module.get_functions().any(|f| {
        let name = f.get_name().to_string_lossy();
        let plain = name.strip_prefix("__plx_libc_").unwrap_or(&name);
        f.count_basic_blocks() == 0 && LASTING.contains(&plain)
    });
    let stays = !lasts && !has_destructors;
    let global = module.add_global(context.i8_type(), None, "__plx_stays");
    global.set_initializer(&context.i8_type().const_int(stays as u64, false));
}

/// `__plx_globals`: start and length of every global variable of the program.
pub fn global_table<'c>(context: &'c Context, module: &Module<'c>, layout: &TargetData) {
    let word = context.i64_type();
    let pointer = context.ptr_type(inkwell::AddressSpace::default());
    let entry = context.struct_type(&[pointer.into(), word.into()], false);
    let entries: Vec<StructValue> = module
        .get_globals()
        .filter(|g| listed(g))
        .filter_map(|g| {
            let size = layout.get_abi_size(&size_type(g.get_value_type())?);
            let fields = [g.as_pointer_value().into(), word.const_int(size, false).into()];
            (size > 0).then(|| context.const_struct(&fields, false))
        })
        .collect();
    let table = module.add_global(entry.array_type(entries.len() as u32), None, "__plx_globals");
    table.set_initializer(&entry.const_array(&entries));
    let len = module.add_global(word, None, "__plx_globals_len");
    len.set_initializer(&word.const_int(entries.len() as u64, false));
}

fn size_type(ty: AnyTypeEnum) -> Option<BasicTypeEnum> {
    BasicTypeEnum::try_from(ty).ok()
}

fn listed(g: &GlobalValue) -> bool {
    let name = g.get_name().to_bytes();
    !g.is_declaration()
        && !g.is_thread_local()
        && !name.starts_with(RUNTIME_PREFIX.as_bytes())
        && !name.starts_with(b"llvm.")
        && !name.starts_with(b"plx.")
}
