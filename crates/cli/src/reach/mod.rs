//! `parallax reach`: inputs that execute every changed place.
//!
//! In: the command line. Out: every target with what became of it, the tests that reach it, patch coverage before and after.
//!
//! It is a comparison ([`crate::diff`]) whose search ends when every target was executed and not when there are enough differences.
//! Always holds: a test is named for a target only if a run of it executed the target.

pub mod confirm;
pub mod why;

use crate::changed::Changed;
use crate::config::Config;
use crate::diff::{self, Finished};
use crate::error::CliError;
use crate::reach_args::ReachArgs;
use crate::versions::{self, Wanted};
use parallax_build::{Cache, Extra, Version};
use parallax_execute::Interrupt;
use parallax_search::Reached;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

pub fn reach(args: &ReachArgs, config: Option<&Config>) -> Result<Finished, CliError> {
    diff::compare_for(&args.diff, config, Some(&Reaching::new(args.confirm_time)))
}

/// What a search that is to execute targets has come to.
pub struct Reaching {
    /// In the order in which they were found.
    found: Mutex<Vec<Reached>>,
    /// How long tests may be confirmed when the search is over.
    pub confirm_time: Duration,
    /// The coverage build, or why there is none.
    coverage: OnceLock<Result<Version, String>>,
}

impl Reaching {
    pub fn new(confirm_time: Duration) -> Reaching {
        Reaching { found: Mutex::default(), confirm_time, coverage: OnceLock::new() }
    }

    /// Makes the coverage build of the new version. Whatever goes wrong there costs the confirmation, not the result.
    pub fn build(&self, wanted: &Wanted, interrupt: &Interrupt, cache: &Cache) {
        if self.confirm_time.is_zero() {
            return;
        }
        let built = versions::beside(wanted, "coverage build of the new", Extra::Coverage, interrupt, cache);
        let built = built.map_err(|error| match error.to_string().lines().next() {
            Some(first) => format!("{first}; nothing is confirmed by a coverage build"),
            None => "the coverage build failed".to_owned(),
        });
        self.coverage.get_or_init(|| built);
    }

    /// The coverage build, or why there is none.
    pub fn coverage(&self) -> Result<&Version, String> {
        match self.coverage.get() {
            Some(built) => built.as_ref().map_err(String::clone),
            None => Err("--confirm-time 0: nothing is confirmed by a coverage build".to_owned()),
        }
    }

    /// A test case is the first to execute some targets. Gives what is to be said about it.
    pub fn take(&self, reached: Reached) -> Option<String> {
        let line = (!reached.is_seed).then(|| {
            let targets = parallax_report::text::count(reached.targets.len() as u64, "target", "targets");
            format!("{targets} reached after {:.1} s, {} inputs", reached.after.as_secs_f64(), reached.runs)
        });
        self.list().push(reached);
        line
    }

    /// The test cases that were the first to execute some targets.
    pub fn found(&self) -> Vec<Reached> {
        self.list().clone()
    }

    /// Why there is nothing to be executed, if that is so.
    pub fn nothing(&self, changed: Option<&Changed>) -> Option<&'static str> {
        match changed {
            Some(changed) if changed.targets.is_empty() => {
                Some("the change has no code that could be executed")
            }
            _ => None,
        }
    }

    fn list(&self) -> MutexGuard<'_, Vec<Reached>> {
        // Every entry is written at once.
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
