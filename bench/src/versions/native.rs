//! The two versions as their users run them.
//!
//! In: C files and test cases. Out: whether the versions do the same.
//!
//! Always holds: both run confined, under the same name, each with its own copy of the files.

use crate::{compare, subject, Result};
use parallax_execute::{Executor, Kind, Limits, Options, TestCase, RUNNER_SUBCOMMAND};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMITS: Limits = Limits {
    time: Duration::from_secs(2),
    memory: 1 << 30,
    output: 1 << 20,
    file_size: 16 << 20,
    processes: 8,
    work: 0,
    changed_files: 10_000,
    changed_bytes: 64 << 20,
};

/// Native builds of both versions.
pub struct Natives {
    old: Executor,
    new: Executor,
}

impl Natives {
    /// Compiles both below `directory`. `runner`: a program that becomes the runner if asked, where this one does not.
    pub fn build(old: &Path, new: &Path, directory: &Path, runner: Option<PathBuf>) -> Result<Natives> {
        let runner = runner.map(|program| vec![OsString::from(program), RUNNER_SUBCOMMAND.into()]);
        let version = |source: &Path, name: &str| -> Result<Executor> {
            let program = subject::native(source, name, directory)?;
            let options =
                Options { argv0: Some("program".into()), runner: runner.clone(), ..Options::default() };
            Ok(Executor::new(&program, Kind::Native, options)?)
        };
        Ok(Natives { old: version(old, "old")?, new: version(new, "new")? })
    }

    /// Whether the compiler made the same of both.
    pub fn identical(&self) -> Result<bool> {
        Ok(std::fs::read(self.old.program())? == std::fs::read(self.new.program())?)
    }

    /// What differs, in words.
    pub fn difference(&mut self, test: &TestCase) -> Result<Option<String>> {
        let (old, new) = (self.old.run(test, &LIMITS)?, self.new.run(test, &LIMITS)?);
        Ok(compare::difference(&old, &new))
    }
}
