//! The native binaries of both versions, ready to run.
//!
//! In: two programs and limits. Out: runs, for the oracle.
//!
//! Always holds: a run that was cut short because the time of the whole search was up is not taken for one that hangs.

use crate::error::CliError;
use crate::sanitizer;
use parallax_execute::{Executor, Home, Interrupt, Kind, Limits, Options, Outcome, Run, TestCase};
use parallax_oracle::{Runner, Which};
use parallax_report::kept::Launch;
use std::path::Path;
use std::time::{Duration, Instant};

/// The least time that a run gets.
const LEAST: Duration = Duration::from_millis(5);

/// Why there is no run.
#[derive(Debug)]
pub enum NoRun {
    /// The time of the search is up.
    OutOfTime,
    /// This test case cannot be run: an argument with a NUL byte, a file outside its directory.
    Impossible(String),
    /// Nothing can be run any more.
    Broken(parallax_execute::Error),
}

impl From<parallax_execute::Error> for NoRun {
    fn from(error: parallax_execute::Error) -> NoRun {
        match error {
            parallax_execute::Error::TestCase { .. } | parallax_execute::Error::Scratch { .. } => {
                NoRun::Impossible(error.to_string())
            }
            error => NoRun::Broken(error),
        }
    }
}

/// Two executors.
pub struct Natives {
    executors: [Executor; 2],
    limits: Limits,
    /// When the search ends.
    pub deadline: Option<Instant>,
}

/// What the executors of all versions have in common.
#[derive(Clone, Debug)]
pub struct Setting {
    pub argv0: Vec<u8>,
    /// Where the native binaries are at home.
    pub homes: Vec<Home>,
    pub unconfined: bool,
    /// Native binaries get other addresses in every run.
    pub moving_addresses: bool,
    pub interrupt: Interrupt,
}

impl Setting {
    /// A fresh executor of a native binary.
    pub fn native(&self, program: &Path) -> Result<Executor, CliError> {
        // A program that cannot be read cannot be run either, and that is said then.
        let sanitized = std::fs::read(program).is_ok_and(|content| sanitizer::of(&content).is_some());
        let mut options = Options { reserves_much: sanitized, ..self.options() };
        if sanitized {
            options.env.extend(sanitizer::environment());
        }
        Ok(Executor::new(program, Kind::Native, options)?)
    }

    /// How the shell starts what is run here.
    pub fn launch(&self) -> Launch {
        Launch { argv0: self.argv0.clone(), homes: self.homes.clone() }
    }

    pub fn options(&self) -> Options {
        Options {
            argv0: Some(self.argv0.clone()),
            homes: self.homes.clone(),
            unconfined: self.unconfined,
            moving_addresses: self.moving_addresses,
            interrupt: self.interrupt.clone(),
            ..Options::default()
        }
    }
}

impl Natives {
    pub fn new(programs: [&Path; 2], limits: Limits, setting: &Setting) -> Result<Natives, CliError> {
        let executors = [setting.native(programs[0])?, setting.native(programs[1])?];
        Ok(Natives { executors, limits, deadline: None })
    }
}

impl Runner for Natives {
    type Error = NoRun;

    fn run(&mut self, which: Which, test: &TestCase) -> Result<Run, NoRun> {
        run_until(&mut self.executors[which as usize], test, &self.limits, self.deadline)
    }
}

/// One run that is over at the deadline.
pub fn run_until(
    executor: &mut Executor,
    test: &TestCase,
    limits: &Limits,
    deadline: Option<Instant>,
) -> Result<Run, NoRun> {
    let (limits, cut) = limited(limits, deadline)?;
    let run = executor.run(test, &limits)?;
    match run.outcome {
        Outcome::TimedOut if cut => Err(NoRun::OutOfTime),
        _ => Ok(run),
    }
}

/// Limits of a run that must be over at the deadline, and whether that makes its time shorter.
pub fn limited(limits: &Limits, deadline: Option<Instant>) -> Result<(Limits, bool), NoRun> {
    let Some(deadline) = deadline else { return Ok((*limits, false)) };
    let left = deadline.saturating_duration_since(Instant::now());
    if left < LEAST {
        return Err(NoRun::OutOfTime);
    }
    if limits.time <= left {
        return Ok((*limits, false));
    }
    Ok((Limits { time: left, ..*limits }, true))
}
