//! `parallax reach`: inputs that execute every changed place.
//!
//! In: the command line. Out: every target with what became of it, the tests that reach it, patch coverage before and after.
//!
//! It is a comparison ([`crate::diff`]) whose search ends when every target was executed and not when there are enough differences.
//! Always holds: a test is named for a target only if a run of it executed the target.

pub mod why;

use crate::changed::Changed;
use crate::config::Config;
use crate::diff::{self, Finished};
use crate::error::CliError;
use crate::reach_args::ReachArgs;
use parallax_search::Reached;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub fn reach(args: &ReachArgs, config: Option<&Config>) -> Result<Finished, CliError> {
    diff::compare_for(&args.diff, config, Some(&Reaching::default()))
}

/// What a search that is to execute targets has come to.
#[derive(Default)]
pub struct Reaching {
    /// In the order in which they were found.
    found: Mutex<Vec<Reached>>,
}

impl Reaching {
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
