//! The second compilation of a source: to bitcode, with the user's flags as far as they bear on
//! what the program means.
//!
//! In: an [`Invocation`] and one of its sources. Out: bitcode in the store, or the reason why there
//! is none.
//! What always holds: macros, include paths, language standard and code model are those of the
//! native compilation; warnings, sanitizers, profiling, hardening, link-time optimisation and
//! dependency files are not. Calls of libc functions stay calls.
//!
//! `-fno-builtin` is deliberately absent: clang would no longer know that `setjmp` returns twice.
//! Without passes, the front end turns only memory copies and fills into intrinsics.

use std::path::Path;
use std::process::Command;

use crate::args::{Argument, Invocation, Role};
use crate::cache::{Cache, Kind, Stored};
use crate::record::find;
use crate::tools::{self, Language};

/// Directory of the tree that is being built. Debug information and `__FILE__` are written relative to it, so that two
/// copies of a tree give the same bitcode.
pub const ENV_SOURCE_ROOT: &str = "PARALLAX_SOURCE_ROOT";

/// How many flags that clang does not know are dropped, one by one, before giving up.
const UNKNOWN_FLAG_RETRIES: usize = 24;

/// Flags of one word that do not go into the bitcode compilation.
const DROPPED: &[&str] = &[
    "-pg",
    "-p",
    "--coverage",
    "-coverage",
    "-ftest-coverage",
    "-pipe",
    "-w",
    "-v",
    "-MD",
    "-MMD",
    "-MG",
    "-MP",
    "-MV",
    "-pedantic",
    "-pedantic-errors",
    "--pedantic",
    "-Wall",
    "-time",
    "-Q",
];

/// The same by their beginning: warnings, debug levels, sanitizers, profiles, hardening, gcc-only.
const DROPPED_PREFIXES: &[&str] = &[
    "-W",
    "-g",
    "-flto",
    "-fno-lto",
    "-ffat-lto",
    "-fno-fat-lto",
    "-fuse-linker-plugin",
    "-fno-use-linker-plugin",
    "-fsanitize",
    "-fno-sanitize",
    "-fprofile",
    "-fno-profile",
    "-fstack-protector",
    "-fno-stack-protector",
    "-fstack-clash",
    "-fcf-protection",
    "-save-temps",
    "--save-temps",
    "-fplugin",
    "-fdiagnostics",
    "-fno-diagnostics",
    "-fcolor-diagnostics",
    "-fdebug-",
    "-fvar-tracking",
    "-fno-var-tracking",
    "-fdump-",
    "-fanalyzer",
    "-fauto-profile",
    "-fbranch-probabilities",
    "-fwhole-program",
    "-fharden",
    "-fzero-call-used-regs",
    "-ftrivial-auto-var-init",
    "-mindirect-branch",
    "-mfunction-return",
    "-fpatchable-function-entry",
    "-finstrument-functions",
    "-fxray",
    "-fcoverage",
    "-fmax-errors",
    "-fmessage-length",
    "-fopt-info",
    "-D_FORTIFY_SOURCE",
    "-U_FORTIFY_SOURCE",
    "-fcrash-diagnostics",
    "-ftime-trace",
    "-ftime-report",
    "-fsave-optimization-record",
];

/// The same with a separate value.
const DROPPED_WITH_VALUE: &[&str] = &[
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xassembler",
    "-aux-info",
    "--param",
    "-wrapper",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
];

/// Bitcode of one source, or the reason why there is none.
pub fn compile(
    invocation: &Invocation,
    source: &Argument,
    driver: Language,
    cache: &Cache,
) -> Result<Stored, String> {
    let first = attempt(invocation, source, driver, cache, &[])?;
    // A source that switches fortification on by itself wins over the command line; the C library's headers then insist on optimisation.
    if calls_fortified(first.path()) {
        if let Ok(second) = attempt(invocation, source, driver, cache, &["-U__OPTIMIZE__"]) {
            return cache.store_file(Kind::Bitcode, second).map_err(|e| e.to_string());
        }
    }
    cache.store_file(Kind::Bitcode, first).map_err(|e| e.to_string())
}

fn attempt(
    invocation: &Invocation,
    source: &Argument,
    driver: Language,
    cache: &Cache,
    extra: &[&str],
) -> Result<tempfile::NamedTempFile, String> {
    let output = cache.temporary(".bc").map_err(|e| e.to_string())?;
    let mut flags = flags(invocation, source);
    for _ in 0..=UNKNOWN_FLAG_RETRIES {
        let mut command = Command::new(tools::clang(invocation.language_of(source.head(), driver)));
        command.args(&flags).args(extra).arg("-o").arg(output.path());
        let result = tools::run(&mut command).map_err(|e| e.to_string())?;
        if result.status.success() {
            return Ok(output);
        }
        let message = String::from_utf8_lossy(&result.stderr);
        let before = flags.len();
        let unknown = rejected_flags(&message);
        flags.retain(|flag| !unknown.contains(flag));
        if flags.len() == before {
            return Err(format!("clang: {}", first_error(&message)));
        }
    }
    Err(format!("more than {UNKNOWN_FLAG_RETRIES} flags are unknown to clang"))
}

/// The command line of the bitcode compilation, up to `-o`.
fn flags(invocation: &Invocation, source: &Argument) -> Vec<String> {
    let mut flags = Vec::new();
    for argument in &invocation.arguments {
        match argument.role {
            // Only this source, but at its place: `-x` holds for what follows it.
            Role::Source if std::ptr::eq(argument, source) => {
                flags.extend(REQUIRED.iter().map(|s| s.to_string()));
                flags.extend(root_map());
                flags.push(source.head().to_string());
            }
            Role::LanguageFlag => flags.extend(argument.words.clone()),
            Role::Flag => flags.extend(kept(argument)),
            _ => {}
        }
    }
    flags
}

/// What every bitcode compilation has, after the user's flags up to the source.
const REQUIRED: &[&str] = &[
    "-c",
    "-emit-llvm",
    "-g",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-O0-optnone",
    "-fno-stack-protector",
    "-fno-lto",
    "-U_FORTIFY_SOURCE",
    "-D_FORTIFY_SOURCE=0",
    // Unlike -w, this also covers what clang takes for an error and gcc does not, such as implicit declarations.
    "-Wno-everything",
    "-Qunused-arguments",
];

/// Names the private copy of a tree as `.`; the native compilation gets the `__FILE__` part too.
pub fn macro_root_map() -> Option<String> {
    let root = std::env::var(ENV_SOURCE_ROOT).ok().filter(|root| !root.is_empty())?;
    Some(format!("-fmacro-prefix-map={root}=."))
}

fn root_map() -> Vec<String> {
    let debug = macro_root_map().map(|map| map.replacen("-fmacro", "-fdebug", 1));
    macro_root_map().into_iter().chain(debug).collect()
}

/// What remains of a flag, which may be nothing.
fn kept(argument: &Argument) -> Vec<String> {
    let head = argument.head();
    if let Some(list) = head.strip_prefix("-Wp,") {
        return preprocessor_list(list);
    }
    let value_is_fortify = argument.words.len() == 2 && argument.words[1].starts_with("_FORTIFY_SOURCE");
    let dropped = DROPPED.contains(&head)
        || DROPPED_WITH_VALUE.contains(&head)
        || (matches!(head, "-D" | "-U") && value_is_fortify)
        || DROPPED_PREFIXES.iter().any(|prefix| head.starts_with(prefix));
    if dropped {
        Vec::new()
    } else {
        argument.words.clone()
    }
}

/// `-Wp,-DX,-MD,file`: macros and include paths stay, dependency outputs go.
fn preprocessor_list(list: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut items = list.split(',');
    while let Some(item) = items.next() {
        match item {
            "-MD" | "-MMD" | "-MF" | "-MT" | "-MQ" => {
                items.next();
            }
            _ if item.starts_with("-M") || item.contains("_FORTIFY_SOURCE") => {}
            _ if ["-D", "-U", "-I"].iter().any(|p| item.starts_with(p)) => kept.push(item.to_string()),
            _ => {}
        }
    }
    kept
}

/// Flags that clang says it does not know or cannot honour.
fn rejected_flags(message: &str) -> Vec<String> {
    let complaints = [
        "unknown argument",
        "unsupported option",
        "unsupported argument",
        "unknown target CPU",
        "invalid value",
    ];
    let mut flags = Vec::new();
    for line in message.lines().filter(|line| line.contains("error:")) {
        if !complaints.iter().any(|complaint| line.contains(complaint)) {
            continue;
        }
        let quoted: Vec<_> = line.split('\'').skip(1).step_by(2).collect();
        flags.extend(quoted.iter().map(|flag| flag.to_string()));
        // "unsupported argument 'x' to option '-m='", "invalid value 'x' in '-m=x'"
        if let [value, option] = quoted[..] {
            flags.push(format!("{option}{value}"));
        }
    }
    flags
}

/// First error of a compiler's output.
fn first_error(message: &str) -> String {
    let error = message.lines().find(|line| line.contains("error:")).or_else(|| message.lines().next());
    error.unwrap_or("failed without a message").trim().to_string()
}

/// Whether bitcode names functions such as `__memcpy_chk`. Its symbol names are stored as plain bytes.
fn calls_fortified(path: &Path) -> bool {
    let Ok(content) = std::fs::read(path) else { return false };
    find(&content, b"_chk").is_some()
        && FORTIFIED.iter().any(|name| find(&content, name.as_bytes()).is_some())
}

/// The common functions of a fortified libc.
const FORTIFIED: &[&str] = &[
    "__printf_chk",
    "__fprintf_chk",
    "__sprintf_chk",
    "__snprintf_chk",
    "__vsnprintf_chk",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "__strcpy_chk",
    "__strncpy_chk",
    "__strcat_chk",
    "__read_chk",
    "__fgets_chk",
    "__fread_chk",
    "__fdelt_chk",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn bitcode_flags(line: &str) -> String {
        let argv: Vec<_> = line.split_whitespace().map(str::to_string).collect();
        let invocation = Invocation::parse(&argv);
        let source = invocation.sources().next().unwrap();
        let flags = flags(&invocation, source).join(" ");
        flags.replace(&REQUIRED.join(" "), "REQUIRED")
    }

    #[test]
    fn what_changes_meaning_is_kept_and_the_rest_dropped() {
        assert_eq!(
            bitcode_flags("-O2 -Wall -Werror -std=gnu99 -DX=1 -I inc -flto -fsanitize=address -g3 -MD -MF d -fPIC a.c -c -o a.o"),
            "-O2 -std=gnu99 -DX=1 -I inc -fPIC REQUIRED a.c"
        );
    }

    #[test]
    fn fortification_is_off_however_it_was_switched_on() {
        for on in [
            "-D_FORTIFY_SOURCE=2",
            "-D _FORTIFY_SOURCE=3",
            "-Wp,-D_FORTIFY_SOURCE=2",
            "-Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=2",
        ] {
            assert_eq!(bitcode_flags(&format!("-O2 {on} -c a.c")), "-O2 REQUIRED a.c", "{on}");
        }
    }

    #[test]
    fn dependency_output_through_the_preprocessor_is_dropped() {
        assert_eq!(bitcode_flags("-Wp,-MD,deps/.a.d,-DY -c a.c"), "-DY REQUIRED a.c");
    }

    #[test]
    fn only_the_source_in_question_is_compiled() {
        assert_eq!(bitcode_flags("-x c a.in b.in -o prog -lm"), "-x c REQUIRED a.in");
    }

    #[test]
    fn rejected_flags_are_read_from_clangs_message() {
        let message = "clang: error: unknown argument: '-fno-such'\nclang: error: unsupported argument 'x' to option '-mtune='";
        let rejected = rejected_flags(message);
        for flag in ["-fno-such", "-mtune=x"] {
            assert!(rejected.iter().any(|r| r == flag), "{flag}");
        }
    }
}
