//! `parallax reach`: inputs that execute every changed place. `parallax augment`: inputs that take every branch that no seed takes.
//!
//! In: the command line. Out: every target with what became of it, the tests that reach it, patch coverage before and after.
//!
//! It is a comparison ([`crate::diff`]) whose search ends when every target was executed and not when there are enough differences.
//! Always holds: a test is named for a target only if a run of it executed the target.

pub mod branches;
pub mod confirm;
pub mod why;

use crate::changed::Changed;
use crate::config::Config;
use crate::diff::{self, Finished};
use crate::error::CliError;
use crate::reach_args::{AugmentArgs, Method, Order, ReachArgs, Reuse};
use crate::versions::{self, Wanted};
use parallax_build::{Cache, Extra, Version};
use parallax_execute::Interrupt;
use parallax_search::{Choice, Reached};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Strategies that change test cases without asking the solver.
const WITHOUT_SOLVER: [&str; 7] = ["evolve", "havoc", "structure", "repeat", "cross", "sequences", "words"];

pub fn reach(args: &ReachArgs, config: Option<&Config>) -> Result<Finished, CliError> {
    diff::compare_for(&args.diff, config, Some(&Reaching::new(args.confirm_time)))
}

/// The main loop of Xu, Kim, Kim, Cohen and Rothermel 2010 (algorithm 1) is the search itself: every branch that is not covered is a target, and it goes on until all are
/// or the budget is up. Departs from the paper in working on all branches at once: only `evolve` takes one after the other.
pub fn augment(args: &AugmentArgs, config: Option<&Config>) -> Result<Finished, CliError> {
    let random = (args.order == Order::Random).then_some(args.reach.diff.seed);
    let reaching = Reaching {
        branches: Some(branches::Wanted { changed: args.changed, random }),
        method: args.method,
        reuse: args.reuse == Reuse::Yes,
        ..Reaching::new(args.reach.confirm_time)
    };
    diff::compare_for(&args.reach.diff, config, Some(&reaching))
}

/// What a search that is to execute targets has come to.
pub struct Reaching {
    /// In the order in which they were found.
    found: Mutex<Vec<Reached>>,
    /// Branches, and not changed blocks.
    pub branches: Option<branches::Wanted>,
    method: Method,
    pub reuse: bool,
    /// How long tests may be confirmed when the search is over.
    pub confirm_time: Duration,
    /// The coverage build, or why there is none.
    coverage: OnceLock<Result<Version, String>>,
}

impl Reaching {
    pub fn new(confirm_time: Duration) -> Reaching {
        let (branches, method, reuse) = (None, Method::Both, true);
        Reaching { found: Mutex::default(), branches, method, reuse, confirm_time, coverage: OnceLock::new() }
    }

    /// The strategies of a search, where those are chosen that the command line names.
    pub fn choice(&self, mut chosen: Choice) -> Choice {
        match self.method {
            Method::Both => {}
            Method::Concolic => chosen.without.extend(WITHOUT_SOLVER.map(str::to_owned)),
            Method::Genetic => chosen.only = vec!["evolve".to_owned()],
        }
        chosen
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
            Some(changed) if changed.targets.is_empty() && self.wants_change() => {
                Some("the change has no code that could be executed")
            }
            _ => None,
        }
    }

    /// Is only what the change is or affects to be executed?
    fn wants_change(&self) -> bool {
        self.branches.is_none_or(|wanted| wanted.changed)
    }

    fn list(&self) -> MutexGuard<'_, Vec<Reached>> {
        // Every entry is written at once.
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
