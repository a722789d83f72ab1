//! Proposes test cases on which two versions may differ, and learns from what became of them.
//!
//! In: seeds, the maps of both instrumented programs, and a [`Harness`] for every worker, through which the search has
//! test cases run and judged. Out: the test cases on which the native versions differed, and why the rest
//! of the frontier was left.
//!
//! Strategies ([`strategies`]) propose goals, the [`frontier`] keeps them, the [`scheduler`] divides effort between strategies, the [`engine`] has
//! questions answered and test cases run, and writes down what came of it ([`knowledge`]).
//!
//! Always holds: the search itself starts no process; with the same seeds and settings it proposes the same
//! test cases in the same order, whatever the number of workers and however busy the machine, until a limit ends it. Where the clock has to
//! step in all the same (a query or a run that takes far longer than what is counted of it), that is counted.

use parallax_execute::{Interrupt, TestCase};
use parallax_plan::Plan;
use parallax_trace::reader::Trace;
use parallax_trace::request::Input;
use parallax_trace::sites::ProgramMap;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod corpus;
mod coverage;
mod engine;
mod expressions;
mod frontier;
mod goal;
mod guide;
mod havoc;
mod inputs;
mod intermediate;
mod joint;
mod knowledge;
mod known;
mod loops;
mod mutate;
mod numbers;
mod outcome;
mod parts;
mod path;
mod permits;
mod question;
mod scheduler;
mod solvers;
mod strategies;
mod vocabulary;
mod words;
mod workers;

pub use engine::RunWork;
pub use known::Varied;
pub use outcome::*;
pub use parallax_plan::{Pair, Side};
pub use path::is_condition;
pub use strategies::{About, Choice, UnknownStrategy, BASELINES};

/// A run of a symbolic build.
pub struct Traced {
    pub trace: Trace<'static>,
    /// What the inputs of the trace are, in the order of their numbers.
    pub inputs: Vec<Input>,
    /// A hash of everything the oracle would look at, so that equal behaviour of the symbolic builds need not be judged.
    pub digest: u64,
    pub cost: Cost,
}

/// What a run of a symbolic build cost, counted in the program itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Edges that it took, and what it recorded; see [`parallax_trace::format::EDGE_WORK`].
    pub work: u64,
    pub cut: CutShort,
}

/// Was a run ended before its end?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutShort {
    #[default]
    No,
    /// After as much work as it may do.
    Work,
    /// By the clock: the last resort.
    Clock,
}

/// A run of a symbolic build of which only this is wanted.
pub struct Glimpse {
    /// The edges of the map that were taken, and how often each; 255 is that often or more.
    pub taken: Vec<(u32, u8)>,
    /// See [`Traced::digest`].
    pub digest: u64,
    pub cost: Cost,
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

/// What a worker needs to have test cases run. One for each worker; used from one thread at a time.
pub trait Harness: Send {
    /// Run the symbolic build of a version, which may do so much counted work (0: any). `Err` only if nothing can be run any more.
    fn trace(&mut self, side: Side, test: &TestCase, work: u64) -> Result<Traced, HarnessError>;
    /// The same, without conditions and much faster.
    fn glimpse(&mut self, side: Side, test: &TestCase, work: u64) -> Result<Glimpse, HarnessError>;
    /// Run the native builds of both versions and compare.
    fn judge(&mut self, test: &TestCase) -> Result<Verdict, HarnessError>;
}

/// The harness is out of order (interrupt, disk full, server lost for good).
#[derive(Debug, Clone)]
pub struct HarnessError(pub String);

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
    /// From which all random choices follow.
    pub random_seed: u64,
    /// Which strategies are switched on.
    pub strategies: Choice,
    /// Counted work of the solver for one query; see [`parallax_solve::Limit`].
    pub query_steps: u64,
    /// The last resort behind it: wall-clock time for one query.
    pub query_time: Duration,
    /// What a run may do before it is cut.
    pub run_work: RunWork,
    /// Bytes of paths and expressions that are kept, counted.
    pub search_memory: u64,
    /// Whoever watches sets it when no more differences are wanted.
    pub enough: Arc<AtomicBool>,
    /// For each target: the edges of the new version's map of which one is taken whenever it is executed.
    pub targets: Vec<Vec<u32>>,
    /// End as soon as every target was executed.
    pub until_reached: bool,
    /// May what is made become what more is made from?
    pub reuse: bool,
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
            random_seed: 1,
            strategies: Choice::default(),
            query_steps: 50_000_000,
            query_time: Duration::from_secs(10),
            run_work: RunWork::default(),
            search_memory: 2 << 30,
            enough: Arc::default(),
            targets: vec![],
            until_reached: false,
            reuse: true,
            max_input: 4096,
            varied: Varied::default(),
            record: None,
        }
    }
}

/// All strategies that there are.
pub fn all_strategies() -> Vec<About> {
    let all = strategies::standard_portfolio(&Choice::default());
    all.map_or_else(|_| vec![], |all| all.entries.iter().map(|entry| entry.strategy.about()).collect())
}

/// Is this choice of strategies one that a search can be made with?
pub fn check_choice(choice: &Choice) -> Result<(), UnknownStrategy> {
    strategies::standard_portfolio(choice).map(drop)
}

/// Look for differences. `harnesses`: one for each worker, at least one. `maps`: of the old and the new instrumented build.
/// `plan`: what is known about the change, for the blocks of these maps. `Err`: the settings' choice of strategies is none.
pub fn search(
    seeds: Vec<TestCase>,
    harnesses: Vec<Box<dyn Harness>>,
    (maps, plan): (Pair<&ProgramMap>, &Plan),
    settings: &Settings,
    budget: &Budget,
    watch: &mut dyn FnMut(Progress),
) -> Result<Outcome, UnknownStrategy> {
    let mut portfolio = strategies::standard_portfolio(&settings.strategies)?;
    if !settings.until_reached {
        // It would have nothing to do, and a share.
        portfolio.leave_out("evolve");
    }
    Ok(engine::Engine::new(maps, plan, portfolio, (settings, budget), watch).run(seeds, harnesses))
}

fn hash_of(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    value.hash(&mut hasher);
    std::hash::Hasher::finish(&hasher)
}
