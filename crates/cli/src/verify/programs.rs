//! What the programs can learn of their input beside its bytes.
//!
//! In: the maps of both instrumented programs, their models. Out: whether the length of an input is only seen by reading to its end, whether everything
//! outside the input is out of their reach, and whether `main` takes arguments.
//!
//! Always holds: a function that is not known here is taken to tell everything.

use crate::changed::Changed;
use parallax_trace::sites::{ProgramMap, SiteKind};
use std::collections::BTreeSet;

/// What a program calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Nothing that it calls says how long an input is, but reading does.
    pub lengths_are_read: bool,
    /// Nothing that it calls can see anything but standard input and the arguments.
    pub is_closed: bool,
}

/// Functions that see no more than what they are given, or than standard input.
const CLOSED: &[&str] = &[
    "getchar",
    "getchar_unlocked",
    "getc",
    "fgetc",
    "getc_unlocked",
    "_IO_getc",
    "ungetc",
    "fgets",
    "read",
    "fread",
    "getline",
    "feof",
    "ferror",
    "clearerr",
    "gets",
    "putchar",
    "putchar_unlocked",
    "putc",
    "fputc",
    "_IO_putc",
    "puts",
    "fputs",
    "fwrite",
    "write",
    "printf",
    "fprintf",
    "dprintf",
    "vprintf",
    "vfprintf",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "fflush",
    "perror",
    "exit",
    "_exit",
    "abort",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcpy",
    "strncpy",
    "stpcpy",
    "strcat",
    "strncat",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "strtok",
    "strtok_r",
    "strdup",
    "strndup",
    "strcasecmp",
    "strncasecmp",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "memrchr",
    "bcmp",
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "isxdigit",
    "ispunct",
    "isprint",
    "iscntrl",
    "isgraph",
    "isblank",
    "toupper",
    "tolower",
    "__ctype_b_loc",
    "__ctype_toupper_loc",
    "__ctype_tolower_loc",
    "abs",
    "labs",
    "llabs",
    "qsort",
    "bsearch",
    "__assert_fail",
    "__errno_location",
    "scanf",
    "sscanf",
    "__isoc99_scanf",
    "__isoc99_sscanf",
    "__isoc23_scanf",
    "__isoc23_sscanf",
    "__isoc23_strtol",
    "__isoc23_strtoul",
    "__isoc23_strtoll",
    "__isoc23_strtoull",
    "strerror",
];
/// Those that look outside and say nothing about lengths that are not read.
const OUTSIDE: &[&str] = &[
    "fopen",
    "fclose",
    "open",
    "close",
    "getenv",
    "time",
    "remove",
    "unlink",
    "rename",
    "setlocale",
    "getopt",
    "getopt_long",
];

impl Calls {
    pub fn of(maps: [&ProgramMap; 2]) -> Calls {
        let mut calls = Calls { lengths_are_read: true, is_closed: true };
        for map in maps {
            let defined: BTreeSet<&str> = map.functions.iter().map(|function| &*function.name).collect();
            for site in map.sites.iter().filter(|site| site.kind == SiteKind::Call) {
                let function = map.blocks.get(site.block as usize).map(|block| block.function as usize);
                // What a model of a libc function calls is the model's affair.
                if function.and_then(|f| map.functions.get(f)).is_some_and(|function| function.model) {
                    continue;
                }
                // A call through a pointer goes to a function of the program, or to one whose address it takes: not known.
                let Some(callee) = site.callee.as_deref() else {
                    calls = Calls { lengths_are_read: false, is_closed: false };
                    continue;
                };
                let plain = callee.trim_start_matches("__plx_").trim_end_matches("_unlocked");
                let is_own = defined.contains(callee) || callee.starts_with("llvm.");
                let is_closed = is_own || CLOSED.contains(&callee) || CLOSED.contains(&plain);
                calls.is_closed &= is_closed;
                calls.lengths_are_read &= is_closed || OUTSIDE.contains(&callee) || OUTSIDE.contains(&plain);
            }
        }
        calls
    }
}

/// Does `main` take no arguments, in both versions?
pub fn takes_no_arguments(changed: &Changed) -> bool {
    [&changed.old.program, &changed.new.program].into_iter().all(|program| {
        let main = program.functions.iter().find(|function| function.name == "main");
        main.is_some_and(|main| main.params.is_empty())
    })
}
