//! Confirms with a build of its own that a test executes what it is said to execute.
//!
//! In: the coverage build of the new version (the user's flags and clang's source coverage), test cases. Out: the lines and branches that they execute.
//!
//! Departs from nothing: this build knows nothing of Parallax's own instrumentation, so that an error there does not confirm itself. Always holds: runs are confined as all others.

use crate::error::CliError;
use crate::native::{self, Native};
use crate::natives::Setting;
use parallax_build::coverage::{self, Coverage};
use parallax_build::Version;
use parallax_execute::{default_environment, Content, Executor, FileChange, Kind, Limits, Options, TestCase};
use std::path::PathBuf;
use std::time::Instant;

/// The coverage build, ready to run.
pub struct Confirmation {
    executor: Executor,
    program: PathBuf,
    limits: Limits,
    scratch: tempfile::TempDir,
    /// When it has to be over.
    until: Instant,
}

impl Confirmation {
    pub fn new(
        version: &Version,
        setting: &Setting,
        limits: Limits,
        until: Instant,
    ) -> Result<Confirmation, CliError> {
        let scratch = tempfile::tempdir().map_err(CliError::Write)?;
        let mut env = default_environment();
        env.push((coverage::PROFILE_VARIABLE.into(), coverage::PROFILE_PATTERN.into()));
        let options = Options {
            env,
            homes: native::homes(&[&Native::of(version)]),
            tree: parallax_build::tree_of(&version.native),
            ..setting.options()
        };
        let executor = Executor::new(&version.native, Kind::Native, options)?;
        // A profile is larger than what programs usually write.
        let limits = Limits { output: limits.output.max(limits.file_size), ..limits };
        Ok(Confirmation { executor, program: version.native.clone(), limits, scratch, until })
    }

    /// What these test cases execute together, and how many of them were run in time. `None`: no run left a profile.
    pub fn of<'t>(
        &mut self,
        tests: impl IntoIterator<Item = &'t TestCase>,
    ) -> Result<(Option<Coverage>, usize), CliError> {
        let (mut profiles, mut runs) = (Vec::new(), 0);
        for test in tests {
            if Instant::now() >= self.until {
                break;
            }
            let run = self.executor.run(test, &self.limits)?;
            runs += 1;
            for change in &run.files {
                let (FileChange::Created { content: Content::File(file), .. }, true) =
                    (change, coverage::is_profile(change.path()))
                else {
                    continue;
                };
                let path = self.scratch.path().join(format!("{}.profraw", profiles.len()));
                std::fs::write(&path, &file.bytes).map_err(CliError::Write)?;
                profiles.push(path);
            }
        }
        let covered = match profiles.is_empty() {
            true => None,
            false => Some(coverage::read(&self.program, &profiles, self.scratch.path())?),
        };
        Ok((covered, runs))
    }
}
