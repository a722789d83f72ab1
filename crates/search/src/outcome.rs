//! What a search tells: progress while it runs, and its outcome.

use crate::Side;
use parallax_execute::TestCase;
use std::time::Duration;

/// Told to whoever watches, while the search runs.
#[derive(Clone, Debug)]
pub enum Progress {
    Difference(Found),
    /// Another test case with a known signature.
    Again {
        signature: String,
    },
    /// A test case is the first to execute some targets.
    Reached(Reached),
    /// Now and then.
    Status(Snapshot),
}

/// A test case on which the versions differ, at the moment it was found.
#[derive(Clone, Debug)]
pub struct Found {
    pub test: TestCase,
    pub signature: String,
    pub after: Duration,
    pub runs: u64,
    /// The strategies that led to it from a seed, step by step; empty for a seed.
    pub strategies: Vec<&'static str>,
}

/// A test case that is the first to execute some of [`crate::Settings::targets`].
#[derive(Clone, Debug)]
pub struct Reached {
    pub test: TestCase,
    /// By number.
    pub targets: Vec<usize>,
    pub is_seed: bool,
    pub after: Duration,
    /// Test cases that were taken in until then.
    pub runs: u64,
    /// The strategies that led to it from a seed, step by step; empty for a seed.
    pub strategies: Vec<&'static str>,
}

/// How far a search is. Whoever cannot wait for its end has this.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub stats: Stats,
    /// As they would be reported if the search ended now.
    pub unflipped: Vec<Unflipped>,
}

/// Counters of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Test cases judged natively.
    pub runs: u64,
    /// Runs of symbolic builds.
    pub traces: u64,
    pub queries: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Of the unknown ones, those that the clock ended: the last resort.
    pub late_queries: u64,
    /// What the solver did, in its steps.
    pub solver_steps: u64,
    /// Runs of symbolic builds that were ended because they did far more than what runs of this program usually do, and those that
    /// the clock ended: the last resort.
    pub cut_runs: u64,
    pub late_runs: u64,
    /// Bounds on what the search keeps that struck: paths that were forgotten.
    pub forgotten_paths: u64,
    /// Runs that did not go where the solver said they would.
    pub divergences: u64,
    pub escapes: u64,
    pub concretisations: u64,
    /// Branch sites of either version that depended on the input, and those seen both ways.
    pub symbolic_sites: u64,
    pub flipped_sites: u64,
    pub edges_old: u64,
    pub edges_new: u64,
    pub seconds: f64,
    /// How often all paths were forgotten, because they took too much memory.
    pub fresh_starts: u64,
    /// Goals that the frontier had no room for.
    pub dropped_goals: u64,
    /// Targets, and those that were executed.
    pub targets: u64,
    pub reached_targets: u64,
    /// By name, in the order of the portfolio.
    pub strategies: Vec<(&'static str, StrategyStats)>,
}

/// Counters of a strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrategyStats {
    pub proposals: u64,
    /// Its test cases that were traced, and those of which only the coverage was looked at.
    pub traced: u64,
    pub glimpsed: u64,
    pub queries: u64,
    /// In nodes of formulas that were solved; runs are counted as so many of them.
    pub effort: u64,
    /// Its traced test cases that executed code of the program for the first time.
    pub new_edges: u64,
    pub differences: u64,
}

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing was left to try.
    Exhausted,
    Time,
    Runs,
    Enough,
    /// Every target was executed, and nothing else was wanted.
    Reached,
    /// Of Parallax itself, although everything that can be was forgotten.
    Memory,
    Interrupted,
    /// The harness gave up.
    Harness,
}

/// A branch that was never seen going the other way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unflipped {
    pub side: Side,
    pub site: u32,
    pub reason: &'static str,
}

/// All that a search found out.
#[derive(Debug)]
pub struct Outcome {
    pub stats: Stats,
    pub ended: Ended,
    /// Why, if `ended` is [`Ended::Harness`].
    pub trouble: Option<String>,
    pub unflipped: Vec<Unflipped>,
    /// Names of functions in which symbolic data was lost, with counts.
    pub escapes: Vec<(String, u64)>,
    /// Test cases worth keeping: each added coverage or a path.
    pub corpus: Vec<TestCase>,
}

impl Outcome {
    /// Of a search that was not waited for when its time was up.
    pub fn unfinished(Snapshot { stats, unflipped }: Snapshot) -> Outcome {
        Outcome { stats, ended: Ended::Time, trouble: None, unflipped, escapes: vec![], corpus: vec![] }
    }
}
