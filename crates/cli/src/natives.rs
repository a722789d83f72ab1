//! The native binaries of both versions, ready to run.
//!
//! In: two programs and limits. Out: runs, for the oracle.
//!
//! Always holds: a run that was cut short because the time of the whole search was up is not taken for one that hangs. A run
//! that confirms a difference is made in another server than the first one, with other addresses and other things in memory that
//! the program has not written.

use crate::error::CliError;
use crate::sanitizer;
use parallax_execute::{Executor, Home, Interrupt, Kind, Limits, Options, Outcome, Run, TestCase};
use parallax_oracle::{Room, Runner, Trial, Which};
use parallax_report::kept::Launch;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The least time that a run gets.
const LEAST: Duration = Duration::from_millis(5);
/// So many pairs of servers for confirmations stay for the next test case. Most of what is chance shows in the first of them;
/// what does not is worth new servers.
const STANDING: usize = 3;
/// Pairs of servers in which a difference is seen before any of them is used again.
const PAIRS: usize = 9;
/// How much more time, memory and processes [`Room::Ample`] gives.
const AMPLE_TIME: u32 = 4;
const AMPLE_SPACE: u32 = 2;

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

/// An executor of each version, made when it is needed.
#[derive(Default)]
struct Servers([Option<Executor>; 2]);

/// Executors of both versions.
pub struct Natives {
    programs: [PathBuf; 2],
    executors: Servers,
    /// For the first rounds of confirmations.
    standing: [Servers; STANDING],
    /// For one of the others: which, and its servers.
    fresh: (usize, Servers),
    setting: Setting,
    /// Servers for confirmations so far.
    started: u64,
    limits: Limits,
    /// When the search ends.
    pub deadline: Option<Instant>,
    /// What each version did last on a test case that was judged, confirmations excepted.
    pub last: [Option<Run>; 2],
}

/// What the executors of all versions have in common.
#[derive(Clone, Debug)]
pub struct Setting {
    pub argv0: Vec<u8>,
    /// Where the native binaries are at home.
    pub homes: Vec<Home>,
    pub unconfined: bool,
    pub interrupt: Interrupt,
}

impl Setting {
    /// A fresh executor of a native binary.
    pub fn native(&self, program: &Path) -> Result<Executor, CliError> {
        Ok(self.disturbed(program, None)?)
    }

    /// One in whose runs memory that the program has not written looks as the number says.
    pub fn disturbed(
        &self,
        program: &Path,
        disturbance: Option<u64>,
    ) -> Result<Executor, parallax_execute::Error> {
        let tree = parallax_build::tree_of(program);
        let moving_addresses = disturbance.is_some();
        // A program that cannot be read cannot be run either, and that is said then.
        let sanitized = std::fs::read(program).is_ok_and(|content| sanitizer::of(&content).is_some());
        let mut options =
            Options { tree, disturbance, moving_addresses, reserves_much: sanitized, ..self.options() };
        if sanitized {
            options.env.extend(sanitizer::environment());
        }
        Executor::new(program, Kind::Native, options)
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
            interrupt: self.interrupt.clone(),
            ..Options::default()
        }
    }
}

impl Natives {
    pub fn new(programs: [&Path; 2], limits: Limits, setting: &Setting) -> Result<Natives, CliError> {
        let executors = [setting.native(programs[0])?, setting.native(programs[1])?];
        let later = Natives::later(programs, limits, setting);
        Ok(Natives { executors: Servers(executors.map(Some)), ..later })
    }

    /// The same of programs that were run before: servers are started when they are needed.
    pub fn later(programs: [&Path; 2], limits: Limits, setting: &Setting) -> Natives {
        Natives {
            programs: programs.map(Path::to_owned),
            executors: Servers::default(),
            standing: Default::default(),
            fresh: (0, Servers::default()),
            setting: setting.clone(),
            started: 0,
            limits,
            deadline: None,
            last: [None, None],
        }
    }

    /// The executor of a version for this round of a confirmation.
    fn confirming(&mut self, which: Which, round: u32) -> Result<&mut Executor, NoRun> {
        let round = round as usize;
        let pair = if round < PAIRS { round } else { round % STANDING };
        if pair >= STANDING && self.fresh.0 != pair {
            self.fresh = (pair, Servers::default());
        }
        let servers = self.standing.get_mut(pair).unwrap_or(&mut self.fresh.1);
        let place = &mut servers.0[which as usize];
        let executor = match place.take() {
            Some(executor) => executor,
            None => {
                self.started += 1;
                self.setting.disturbed(&self.programs[which as usize], Some(self.started))?
            }
        };
        Ok(place.insert(executor))
    }
}

impl Runner for Natives {
    type Error = NoRun;

    fn run(&mut self, which: Which, test: &TestCase) -> Result<Run, NoRun> {
        self.last[which as usize] = None;
        let place = &mut self.executors.0[which as usize];
        let executor = match place.take() {
            Some(executor) => executor,
            None => self.setting.disturbed(&self.programs[which as usize], None)?,
        };
        let executor = place.insert(executor);
        let run = run_until(executor, test, &self.limits, self.deadline)?;
        self.last[which as usize] = Some(run.clone());
        Ok(run)
    }

    fn again(&mut self, which: Which, test: &TestCase, trial: Trial) -> Result<Run, NoRun> {
        let (limits, deadline) = (within(&self.limits, trial.room), self.deadline);
        run_until(self.confirming(which, trial.round)?, test, &limits, deadline)
    }
}

/// Limits with this much room.
fn within(limits: &Limits, room: Room) -> Limits {
    match room {
        Room::Usual => *limits,
        Room::Short(time) => Limits { time: limits.time.min(time), ..*limits },
        Room::Ample => Limits {
            time: limits.time.saturating_mul(AMPLE_TIME),
            memory: limits.memory.saturating_mul(AMPLE_SPACE.into()),
            processes: limits.processes.saturating_mul(AMPLE_SPACE),
            ..*limits
        },
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
