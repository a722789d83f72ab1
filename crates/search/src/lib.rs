//! Proposes test cases on which two versions may differ, and learns from what became of them.
//!
//! In: seeds, the maps of both instrumented programs, and a [`Lab`] for every worker, through which the search has
//! test cases run and judged. Out: the test cases on which the native versions differed, and why the rest
//! of the frontier was left.
//!
//! Always holds: the search itself starts no process; with the same seeds and settings it proposes the same
//! test cases in the same order, whatever the number of workers, until a limit ends it.

use parallax_execute::{Interrupt, TestCase};
use parallax_trace::reader::Trace;
use parallax_trace::request::Input;
use parallax_trace::sites::ProgramMap;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod ask;
mod collection;
mod engine;
mod guide;
mod havoc;
mod inputs;
mod joint;
mod known;
mod lane;
mod loops;
mod mutate;
mod numbers;
mod path;
mod queue;
mod sequences;
mod tree;
mod words;
mod workers;

pub use guide::{Chart, Distance, Distances, Place};
pub use known::Varied;
pub use path::is_condition;

/// Which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Old,
    New,
}

/// A run of a symbolic build.
pub struct Traced {
    pub trace: Trace<'static>,
    /// What the inputs of the trace are, in the order of their numbers.
    pub inputs: Vec<Input>,
    /// A hash of everything the oracle would look at, so that equal behaviour of the symbolic builds need not be judged.
    pub digest: u64,
}

/// A run of a symbolic build of which only this is wanted.
pub struct Glimpse {
    /// The edges of the map that were taken, and how often each, up to 255.
    pub taken: Vec<(u32, u8)>,
    /// See [`Traced::digest`].
    pub digest: u64,
}

/// What the native versions did on a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    /// Different in the way that `signature` describes: two test cases with the same signature are
    /// different in the same way, as far as can be seen from outside.
    Different {
        signature: String,
    },
    /// Not repeatable, or the run could not be made.
    Unusable {
        reason: String,
    },
}

/// A laboratory: what a worker needs to have test cases run. One for each worker; used from one thread at a time.
pub trait Lab: Send {
    /// Run the symbolic build of a version. `Err` only if nothing can be run any more.
    fn trace(&mut self, side: Side, test: &TestCase) -> Result<Traced, LabError>;
    /// The same, without conditions and much faster.
    fn glimpse(&mut self, side: Side, test: &TestCase) -> Result<Glimpse, LabError>;
    /// Run the native builds of both versions and compare.
    fn judge(&mut self, test: &TestCase) -> Result<Verdict, LabError>;
}

/// The laboratory is out of order (interrupt, disk full, server lost for good).
#[derive(Debug, Clone)]
pub struct LabError(pub String);

/// When to stop.
#[derive(Clone, Debug)]
pub struct Budget {
    /// When everything has to be over. Every long step looks at it.
    pub deadline: Instant,
    /// Test cases proposed at most; `None` for no limit.
    pub runs: Option<u64>,
    pub interrupt: Interrupt,
    pub memory: Memory,
}

/// What the process that searches may use of the machine's memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Bytes.
    pub most: u64,
    /// Bytes in use.
    pub used: fn() -> u64,
    /// Gives back to the machine what was freed.
    pub trim: fn(),
}

impl Memory {
    fn is_used_up(&self) -> bool {
        (self.used)() > self.most
    }
}

impl Budget {
    pub fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub fn is_over(&self) -> bool {
        self.left().is_zero() || self.interrupt.is_set()
    }
}

/// Settings, all with defaults.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Seed of all random choices.
    pub seed: u64,
    /// Ask the joint question (path of old, path of new, something differs).
    pub joint: bool,
    /// Put numbers in the place of their digits, so that an answer may have more or fewer of them.
    pub numbers: bool,
    /// Time for one query.
    pub query_time: Duration,
    /// Whoever watches sets it when no more differences are wanted.
    pub enough: Arc<AtomicBool>,
    /// Longest input that growing makes.
    pub max_input: usize,
    /// Which kinds of inputs may differ from those of the seeds.
    pub varied: Varied,
    /// Where to write every query as SMT-LIB.
    pub record: Option<std::path::PathBuf>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seed: 1,
            joint: true,
            numbers: true,
            query_time: Duration::from_millis(500),
            enough: Arc::default(),
            max_input: 4096,
            varied: Varied::default(),
            record: None,
        }
    }
}

/// Told to whoever watches, while the search runs.
#[derive(Clone, Debug)]
pub enum Progress {
    /// A test case on which the versions differ, at the moment it was found.
    Difference { test: TestCase, signature: String, after: Duration, runs: u64 },
    /// Another test case with a known signature.
    Again { signature: String },
    /// Now and then.
    Status(Snapshot),
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
}

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing was left to try.
    Exhausted,
    Time,
    Runs,
    Enough,
    /// Of Parallax itself, although everything that can be was forgotten.
    Memory,
    Interrupted,
    /// The laboratory gave up.
    Lab,
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
    /// Why, if `ended` is [`Ended::Lab`].
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

/// Look for differences. `labs`: one for each worker, at least one. `maps`: of the old and the new symbolic build.
/// `chart`: where the change is, for the blocks of these maps.
pub fn search(
    seeds: Vec<TestCase>,
    labs: Vec<Box<dyn Lab>>,
    maps: [&ProgramMap; 2],
    chart: &Chart,
    settings: &Settings,
    budget: &Budget,
    watch: &mut dyn FnMut(Progress),
) -> Outcome {
    engine::Engine::new(maps, chart, settings, budget, watch).run(seeds, labs)
}

fn hash_of(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    value.hash(&mut hasher);
    std::hash::Hasher::finish(&hasher)
}
