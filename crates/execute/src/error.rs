//! Everything that can keep a run from happening. How a run *ended* is never an error.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{program}: no such program")]
    NoProgram { program: PathBuf },

    #[error("{program}: not an executable file")]
    NotExecutable { program: PathBuf },

    #[error("{program} could not be started: {source}")]
    NotStarted { program: PathBuf, source: io::Error },

    #[error("{program} does not answer as an instrumented program{}; build it with `parallax-cc` and instrument it", said(.detail))]
    DoesNotServe { program: PathBuf, detail: String },

    #[error(
        "this kernel cannot confine runs ({missing}), and generated command lines are dangerous; \
         use a kernel with Landlock (5.13 or newer) and user namespaces, or pass --unconfined \
         where nothing of value can be harmed"
    )]
    NoConfinement { missing: String },

    #[error("the runner {runner} failed: {detail}")]
    Runner { runner: PathBuf, detail: String },

    #[error("test case: {reason}")]
    TestCase { reason: String },

    #[error("cannot {action} {path} in the scratch directory: {source}{}", advice(.source))]
    Scratch { action: &'static str, path: PathBuf, source: io::Error },

    #[error("cannot set up {what}: {source}")]
    Setup { what: &'static str, source: io::Error },

    #[error("interrupted")]
    Interrupted,
}

fn said(detail: &str) -> String {
    if detail.is_empty() {
        String::new()
    } else {
        format!(" ({detail})")
    }
}

fn advice(source: &io::Error) -> &'static str {
    match source.raw_os_error() {
        Some(libc::ENOSPC) => "; the test case is larger than the scratch space, or the disk is full",
        _ => "",
    }
}
