//! Builds that are made beside the native one, with the user's command and flags and something more compiled in: clang's source coverage, or sanitizers.
//!
//! In: what is to be added. Out: flags that the wrapper adds to every call that compiles or links.
//!
//! Always holds: such a build has a cache entry of its own, and nothing of it is compared with anything: it confirms what the native
//! build did, or complains about it. It is made by clang, whatever makes the native one.

use crate::tools::{self, Language};
use std::process::Command;

/// Tells the wrapper which flags to add: words separated by white space.
pub(crate) const ENV_EXTRA: &str = "PARALLAX_EXTRA_FLAGS";

/// What is added to a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extra {
    /// clang's source coverage, in counters that are on disk at every moment: a run that crashes has them too.
    Coverage,
    /// Sanitizers, by their names in `-fsanitize=`.
    Sanitizers(Vec<String>),
}

impl Extra {
    /// The flags, as one text.
    pub(crate) fn flags(&self) -> String {
        // Flags that say something to the linker only, or to the compiler only, are no reason to warn.
        const QUIET: &str = "-Wno-unused-command-line-argument";
        match self {
            Extra::Coverage => format!(
                "-fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation {QUIET}"
            ),
            Extra::Sanitizers(names) => format!(
                "-fsanitize={} -fno-sanitize-recover=all -fno-omit-frame-pointer -g {QUIET}",
                names.join(",")
            ),
        }
    }

    /// The compiler of such a build, as `--native-cc` would name it: that of the native build if it is a clang.
    pub(crate) fn compiler(native: Option<&str>) -> String {
        let named = std::env::var(tools::ENV_NATIVE_CC).ok();
        let native = native.map(str::to_owned).or(named).filter(|name| name.contains("clang"));
        native.unwrap_or_else(|| tools::clang(Language::C).display().to_string())
    }
}

/// Adds to a compiler's command what this build is made with.
pub(crate) fn add_to(command: &mut Command) {
    if let Ok(flags) = std::env::var(ENV_EXTRA) {
        command.args(flags.split_whitespace());
    }
}
