//! What instrumented code calls and reads in the runtime. The other side is `stubs.c`, `abi.rs`,
//! `intrinsics.rs` and `tls.c` in the crate `runtime`; the numbers and layouts here and there must agree.

use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, StructType};
use inkwell::values::{FunctionValue, GlobalValue};
use inkwell::{AddressSpace, GlobalVisibility};
use parallax_trace::format::HEADER_BYTES;

/// Address of the shadow page table (`runtime::shadow::TABLE`).
pub const SHADOW_TABLE: u64 = 0x1000_0000_0000;
pub const PAGE_BITS: u64 = 12;
/// Addresses that a program of this machine can have: the table covers these.
pub const USER_ADDRESSES: u64 = (1 << 47) - 1;

/// Entries of the runtime's table of stack objects, a power of two.
pub const STACK_OBJECTS: u64 = 1024;
/// Largest object that becomes a table (`runtime::objects::MAX_TABLE`).
pub const MAX_TABLE: u64 = 4096;

/// Fields of the thread-local block.
pub const TLS_ARGS: u32 = 0;
pub const TLS_RET: u32 = 1;
pub const TLS_CONTEXT: u32 = 2;
pub const TLS_VA: u32 = 4;
pub const TLS_ARG_LABEL: u32 = 6;
pub const TLS_RET_LABEL: u32 = TLS_ARG_LABEL + MAX_ARGS;
pub const TLS_VA_GP: u32 = TLS_RET_LABEL + MAX_RET;
pub const TLS_VA_FP: u32 = TLS_VA_GP + 6;
pub const TLS_VA_OVERFLOW: u32 = TLS_VA_FP + 8;
pub const TLS_BYVAL: u32 = TLS_VA_OVERFLOW + MAX_VA_OVERFLOW;
pub const MAX_ARGS: u32 = 64;
pub const MAX_RET: u32 = 16;
pub const MAX_VA_OVERFLOW: u32 = 64;
pub const MAX_BYVAL: u32 = 16;
/// 64-bit words of `runtime::abi::VaLabels`.
pub const VA_BLOCK_WORDS: u32 = (6 + 8 + MAX_VA_OVERFLOW + 2) / 2 + 1;

/// libc functions that the runtime implements in Rust, as `__plx_libc_NAME`.
pub const NATIVE_MODELS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "memmove",
    "memcpy",
    "__memcpy_chk",
    "__memmove_chk",
    "mempcpy",
    "bcopy",
    "memset",
    "__memset_chk",
    "bzero",
    "explicit_bzero",
    "pthread_create",
    "fork",
    "vfork",
    "exit",
    "_exit",
    "_Exit",
    "sigaction",
    "signal",
];

/// Of those, the ones that C models may call by their plain names, too.
pub const NATIVE_IN_MODELS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "memmove",
    "memcpy",
    "mempcpy",
    "memset",
    "exit",
    "_exit",
];

/// LLVM's encoding of `memory(inaccessiblemem: readwrite)`: to the program, counting work has no effects.
const ONLY_OWN_MEMORY: u64 = 3 << 2;
/// LLVM's number of the calling convention of the stubs.
pub const PRESERVE_MOST: u32 = 14;
pub const MODEL_PREFIX: &str = "__plx_libc_";
pub const RUNTIME_PREFIX: &str = "__plx_";
/// Functions of the runtime that models call and whose results have labels.
pub const OPERATION_PREFIX: &str = "__plx_op_";

/// Declarations in the module being instrumented.
pub struct Abi<'c> {
    /// Start and length of stack objects, by address.
    pub stack_objects: GlobalValue<'c>,
    pub tls: GlobalValue<'c>,
    pub tls_type: StructType<'c>,
    pub binary: FunctionValue<'c>,
    pub cast: FunctionValue<'c>,
    pub select: FunctionValue<'c>,
    pub offset: FunctionValue<'c>,
    pub probe: FunctionValue<'c>,
    pub load: FunctionValue<'c>,
    pub load_opaque: FunctionValue<'c>,
    pub store: FunctionValue<'c>,
    pub clear: FunctionValue<'c>,
    pub concretise: FunctionValue<'c>,
    pub branch: FunctionValue<'c>,
    pub switch: FunctionValue<'c>,
    pub watch: FunctionValue<'c>,
    pub escape_argument: FunctionValue<'c>,
    pub escape_pointee: FunctionValue<'c>,
    pub va_start: FunctionValue<'c>,
    pub va_end: FunctionValue<'c>,
    pub va_enter: FunctionValue<'c>,
    pub byval: FunctionValue<'c>,
    pub copy: FunctionValue<'c>,
    pub fill: FunctionValue<'c>,
    pub argument: FunctionValue<'c>,
    pub result: FunctionValue<'c>,
    pub intrinsic: FunctionValue<'c>,
    pub float: FunctionValue<'c>,
    pub math: FunctionValue<'c>,
    pub fcmp: FunctionValue<'c>,
    pub fma: FunctionValue<'c>,
    pub wide_binary: FunctionValue<'c>,
    pub wide_overflow: FunctionValue<'c>,
    pub wide_cast: FunctionValue<'c>,
    pub wide_select: FunctionValue<'c>,
    pub wide_load: FunctionValue<'c>,
    pub wide_store: FunctionValue<'c>,
    /// The page over which the arena's header is mapped, and what is called when no work is left.
    pub header: GlobalValue<'c>,
    pub work_done: FunctionValue<'c>,
}

impl<'c> Abi<'c> {
    pub fn declare(context: &'c Context, module: &Module<'c>) -> Abi<'c> {
        let w: BasicMetadataTypeEnum = context.i32_type().into();
        let l: BasicMetadataTypeEnum = context.i64_type().into();
        let p: BasicMetadataTypeEnum = context.ptr_type(AddressSpace::default()).into();
        let declared = |f: FunctionValue<'c>| {
            f.set_call_conventions(PRESERVE_MOST);
            let kind = inkwell::attributes::Attribute::get_named_enum_kind_id("nounwind");
            f.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
            f
        };
        let label = |name: &str, args: &[BasicMetadataTypeEnum<'c>]| {
            declared(module.add_function(name, context.i32_type().fn_type(args, false), None))
        };
        let labels = |name: &str, args: &[BasicMetadataTypeEnum<'c>]| {
            declared(module.add_function(name, context.i64_type().fn_type(args, false), None))
        };
        let nothing = |name: &str, args: &[BasicMetadataTypeEnum<'c>]| {
            declared(module.add_function(name, context.void_type().fn_type(args, false), None))
        };
        let (tls, tls_type) = declare_tls(context, module);
        let word = context.i64_type();
        let objects =
            module.add_global(word.array_type(2 * STACK_OBJECTS as u32), None, "__plx_stack_objects");
        let header =
            module.add_global(context.i8_type().array_type(HEADER_BYTES as u32), None, "__plx_header");
        // Of the executable itself.
        header.set_visibility(GlobalVisibility::Hidden);
        let work_done = module.add_function("__plx_work_done", context.i64_type().fn_type(&[], false), None);
        for (name, value) in [("nounwind", 0), ("cold", 0), ("memory", ONLY_OWN_MEMORY)] {
            let kind = inkwell::attributes::Attribute::get_named_enum_kind_id(name);
            work_done.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, value));
        }
        Abi {
            header,
            work_done,
            stack_objects: objects,
            tls,
            tls_type,
            binary: label("__plx_binary", &[w, w, w, l, l, w]),
            cast: label("__plx_cast", &[w, w]),
            select: label("__plx_select", &[w, w, w, w, l, l, w, w]),
            offset: label("__plx_offset", &[w, l, w, l, l]),
            probe: label("__plx_probe", &[l, l]),
            load: label("__plx_load", &[l, w, w, l, w]),
            load_opaque: nothing("__plx_load_opaque", &[l, w, l, w, w]),
            store: nothing("__plx_store", &[l, w, l, w, w]),
            clear: nothing("__plx_clear", &[l, l]),
            concretise: nothing("__plx_concretise", &[w, w, w]),
            branch: nothing("__plx_branch", &[w, w, w]),
            switch: nothing("__plx_switch", &[w, w, w, l]),
            watch: nothing("__plx_watch", &[w, w, l]),
            escape_argument: nothing("__plx_escape_argument", &[p, w, w]),
            escape_pointee: nothing("__plx_escape_pointee", &[p, l, w]),
            va_start: nothing("__plx_va_start", &[p, p]),
            va_end: nothing("__plx_va_end", &[p]),
            va_enter: nothing("__plx_va_enter", &[p]),
            byval: nothing("__plx_byval", &[l, l, w]),
            copy: nothing("__plx_copy", &[l, l, l]),
            fill: nothing("__plx_fill", &[l, w, l]),
            argument: label("__plx_argument", &[w, w]),
            result: label("__plx_result", &[w, w]),
            intrinsic: label("__plx_intrinsic", &[w, w, w, w, l, l, l]),
            float: label("__plx_float", &[w, w, w, l, l, l, w]),
            math: label("__plx_math", &[w, w, w, l, l, l, w]),
            fcmp: label("__plx_fcmp", &[w, w, w, l, l, l, w]),
            fma: label("__plx_fma", &[w, w, w, w, l, l, l, l, w]),
            wide_binary: labels("__plx_wide_binary", &[w, l, l, l, l, l, l, w]),
            wide_overflow: labels("__plx_wide_overflow", &[w, l, l, l, l, l, l, w]),
            wide_cast: labels("__plx_wide_cast", &[w, l, l, l]),
            wide_select: labels("__plx_wide_select", &[w, w, l, l, l, l, l, l, w]),
            wide_load: labels("__plx_wide_load", &[l, w, w, l, l, w]),
            wide_store: nothing("__plx_wide_store", &[l, w, l, l, w]),
        }
    }
}

fn declare_tls<'c>(context: &'c Context, module: &Module<'c>) -> (GlobalValue<'c>, StructType<'c>) {
    let word: inkwell::types::BasicTypeEnum = context.i64_type().into();
    let mut fields: Vec<inkwell::types::BasicTypeEnum> = vec![context.i32_type().into(); TLS_BYVAL as usize];
    fields.extend([word; MAX_BYVAL as usize]);
    let ty = context.struct_type(&fields, false);
    let tls = module.add_global(ty, None, "__plx_tls");
    // The runtime is linked into the executable itself, never into a shared library.
    tls.set_thread_local_mode(Some(inkwell::ThreadLocalMode::LocalExecTLSModel));
    (tls, ty)
}
