//! The native binaries of both versions, ready to run.
//!
//! In: two programs and limits. Out: runs, for the oracle.
//!
//! Always holds: a run that was cut short because the time of the whole search was up is not taken for one that hangs.

use crate::error::CliError;
use parallax_execute::{Executor, Interrupt, Kind, Limits, Options, Outcome, Run, TestCase};
use parallax_oracle::{Runner, Which};
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
    pub unconfined: bool,
    pub interrupt: Interrupt,
}

impl Setting {
    pub fn options(&self) -> Options {
        Options {
            argv0: Some(self.argv0.clone()),
            unconfined: self.unconfined,
            interrupt: self.interrupt.clone(),
            ..Options::default()
        }
    }
}

impl Natives {
    pub fn new(programs: [&Path; 2], limits: Limits, setting: &Setting) -> Result<Natives, CliError> {
        let start = |program: &Path| Executor::new(program, Kind::Native, setting.options());
        Ok(Natives { executors: [start(programs[0])?, start(programs[1])?], limits, deadline: None })
    }
}

impl Runner for Natives {
    type Error = NoRun;

    fn run(&mut self, which: Which, test: &TestCase) -> Result<Run, NoRun> {
        let (limits, cut) = limited(&self.limits, self.deadline)?;
        let run = self.executors[which as usize].run(test, &limits)?;
        match run.outcome {
            Outcome::TimedOut if cut => Err(NoRun::OutOfTime),
            _ => Ok(run),
        }
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
