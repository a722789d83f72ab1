//! The golden version: one that is known to be right.
//!
//! In: what `--golden` names. Out: for every difference, what the golden version did and what that makes of the difference.
//!
//! Always holds: nothing of it is instrumented; it runs as the other two do. Its runs end shortly after the search at the latest.

use crate::args::BuildArgs;
use crate::engine;
use crate::error::CliError;
use crate::native::Native;
use crate::natives::{run_until, Setting};
use crate::pulse::Pulse;
use crate::resolve::{self, Target};
use parallax_build::Cache;
use parallax_execute::{Executor, Interrupt, Limits, Run};
use parallax_oracle::{classify, Case, Class, Rules};
use std::ffi::OsStr;
use std::time::{Duration, Instant};

/// What a difference that is found at the last moment may still take.
const GRACE: Duration = Duration::from_millis(400);

/// Any program, or a version that is built as the others are, without the patch.
pub fn build(
    name: &OsStr,
    build: &BuildArgs,
    interrupt: &Interrupt,
    cache: &Cache,
) -> Result<Native, CliError> {
    let build = BuildArgs { patch: None, ..build.clone() };
    native("golden", name, &build, interrupt, cache)
}

/// The native binary of a version: nothing is instrumented, so any program will do.
pub fn native(
    which: &'static str,
    name: &OsStr,
    build: &BuildArgs,
    interrupt: &Interrupt,
    cache: &Cache,
) -> Result<Native, CliError> {
    of_target(which, &resolve::target(name)?, build, interrupt, cache)
}

/// The same for what a name stands for.
pub fn of_target(
    which: &'static str,
    target: &Target,
    build: &BuildArgs,
    interrupt: &Interrupt,
    cache: &Cache,
) -> Result<Native, CliError> {
    if let Target::Program(path) = target {
        return Ok(Native::any(path)?);
    }
    let pulse = Pulse::new(build.verbose);
    let beat = pulse.begin(format!("building the {which} version"));
    let version = engine::version(target, build, interrupt, cache, &beat);
    let version = version.map_err(|error| error.of_version(which, &engine::name(target)))?;
    Ok(Native::of(&version))
}

/// Any number will do.
const DISTURBANCE: u64 = 1;

/// Ready to run.
pub struct Golden {
    executor: Executor,
    /// With other addresses, and other things in memory that the program has not written.
    disturbed: Executor,
    limits: Limits,
    deadline: Instant,
}

impl Golden {
    pub fn new(
        program: &std::path::Path,
        limits: Limits,
        deadline: Instant,
        setting: &Setting,
    ) -> Result<Golden, CliError> {
        let disturbed = setting.disturbed(program, Some(DISTURBANCE))?;
        Ok(Golden { executor: setting.native(program)?, disturbed, limits, deadline: deadline + GRACE })
    }

    /// What the golden version does on the test case of a difference, and which version is right.
    pub fn classify(&mut self, rules: &Rules, case: &Case) -> Option<(Class, Run)> {
        let (limits, deadline) = (&self.limits, Some(self.deadline));
        let run = |executor| run_until(executor, &case.test, limits, deadline).ok();
        let (first, second) = (run(&mut self.executor)?, run(&mut self.disturbed)?);
        Some((classify(rules, case, [&first, &second]), first))
    }
}
