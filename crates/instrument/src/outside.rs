//! libc functions in the dependence mode: replaced by ones that record what they read, wrote, handed out or took back.

use crate::abi::MODEL_PREFIX;
use inkwell::module::Module;

/// Functions with a `__plx_dep_NAME` in `runtime/src/dependence_libc.c` or `dependence_format.c`.
const RECORDED: &[&str] = &[
    "__isoc99_fscanf",
    "__isoc99_scanf",
    "__isoc99_sscanf",
    "aligned_alloc",
    "asprintf",
    "atoi",
    "atol",
    "bcopy",
    "bzero",
    "calloc",
    "dprintf",
    "fgets",
    "fgets_unlocked",
    "fprintf",
    "fputs",
    "fputs_unlocked",
    "fread",
    "fread_unlocked",
    "free",
    "fscanf",
    "fstat",
    "fwrite",
    "fwrite_unlocked",
    "getcwd",
    "getdelim",
    "getline",
    "index",
    "lstat",
    "malloc",
    "memalign",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "mempcpy",
    "memrchr",
    "memset",
    "posix_memalign",
    "pread",
    "printf",
    "puts",
    "pwrite",
    "qsort",
    "rawmemchr",
    "read",
    "readlink",
    "realloc",
    "reallocarray",
    "rindex",
    "scanf",
    "snprintf",
    "sprintf",
    "sscanf",
    "stat",
    "stpcpy",
    "stpncpy",
    "strcasecmp",
    "strcasestr",
    "strcat",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcoll",
    "strcpy",
    "strcspn",
    "strdup",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strndup",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "vasprintf",
    "vdprintf",
    "vfprintf",
    "vprintf",
    "vsnprintf",
    "vsprintf",
    "write",
];

/// Functions that the runtime has to know of in every mode: handlers of signals, and the end of the run.
const SHARED: &[&str] = &["sigaction", "signal", "_exit", "_Exit"];

/// All uses of these functions become uses of the recording ones, unless the program defines them itself.
pub fn redirect(module: &Module) {
    let declared: Vec<_> = module.get_functions().filter(|f| f.count_basic_blocks() == 0).collect();
    for f in declared {
        let name = f.get_name().to_string_lossy().into_owned();
        let target = if RECORDED.contains(&name.as_str()) {
            format!("__plx_dep_{name}")
        } else if SHARED.contains(&name.as_str()) {
            format!("{MODEL_PREFIX}{name}")
        } else {
            continue;
        };
        let new =
            module.get_function(&target).unwrap_or_else(|| module.add_function(&target, f.get_type(), None));
        f.replace_all_uses_with(new);
    }
}
