//! The command lines of `parallax diff` and `parallax replay` as they were typed.
//!
//! Every option here is in the book (`docs/book/command-line.md`) and can stand in `parallax.toml` under its own name.

use crate::args::{BuildArgs, InputArgs, InputKind, LimitArgs};
use crate::function_args::FunctionArgs;
use crate::seeds::SeedLimits;
use crate::units;
use clap::{Args, ValueEnum};
use parallax_oracle::Aspect;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The old version: a C file, a program built with CC=parallax-cc, a directory or git:REV (with --build)
    #[arg(value_name = "OLD")]
    pub old: Option<OsString>,
    /// The new version. Both may be left out in a repository with a parallax.toml; NEW, if there is a --patch
    #[arg(value_name = "NEW")]
    pub new: Option<OsString>,
    #[command(flatten)]
    pub inputs: InputArgs,
    /// Which inputs are symbolic and may vary; the others stay as in the seeds [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub symbolic: Option<Vec<InputKind>>,
    /// More seeds: kept tests, or plain files to be used as standard input
    #[arg(long, value_name = "DIR")]
    pub seeds: Option<PathBuf>,
    #[command(flatten)]
    pub seed_limits: SeedLimits,
    /// How long to search; building does not count
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    pub time: Duration,
    /// Try at most so many inputs
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// Stop after so many distinct differences
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub max_differences: usize,
    #[command(flatten)]
    pub search: StrategyArgs,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Workers [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Where results go; a previous result becomes DIR.old
    #[arg(long, value_name = "DIR", default_value = "parallax-out")]
    pub out: PathBuf,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
    /// A version that is known to be right
    #[arg(long, value_name = "VERSION")]
    pub golden: Option<OsString>,
    /// Build both versions once more with these sanitizers, and run that on every input that is traced
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub sanitize: Vec<Sanitizer>,
    #[command(flatten)]
    pub function: FunctionArgs,
    #[command(flatten)]
    pub oracle: OracleArgs,
    /// Work of the solver for one query, in steps of about 10 ns
    #[arg(long, value_name = "N", default_value_t = 50_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub query_steps: u64,
    /// Wall-clock time for one query: the last resort, should its steps take far longer
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::duration)]
    pub query_time: Duration,
    /// Work of one run of a symbolic build, as a multiple of what runs usually do; it grows when lighter inputs have nothing left
    #[arg(long, value_name = "FACTOR", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    pub run_work: u64,
    /// Write every query as SMT-LIB to this directory
    #[arg(long, value_name = "DIR")]
    pub record_queries: Option<PathBuf>,
    /// Memory of Parallax itself: where it is used up, the search forgets its paths and learns them again
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = units::size)]
    pub own_memory: u64,
    /// Memory of paths and expressions, as the search counts it: the paths of least worth are forgotten first
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = units::size)]
    pub search_memory: u64,
    /// Longest input that is made by growing
    #[arg(long, value_name = "SIZE", default_value = "4K", value_parser = units::size)]
    pub max_input: u64,
    /// Time for writing corpus/ when the search is over; more than the default may make it end later than --time says
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = units::duration)]
    pub corpus_time: Duration,
    /// Time for following both versions on what was found, to tell how far each change got; a tenth of --time at most
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = units::duration)]
    pub follow_time: Duration,
    /// Inputs that are followed besides those that show a difference
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub follow_inputs: u32,
    /// Events of both versions that are followed of one input; 0 to follow nothing
    #[arg(long, value_name = "N", default_value_t = 50_000_000)]
    pub follow_events: u64,
    /// Time for making one test smaller
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = units::duration)]
    pub minimise_time: Duration,
    /// Runs for making one test smaller; 0 keeps tests as they were found
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub minimise_runs: u32,
    #[command(flatten)]
    pub build: BuildArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Sanitizers of clang.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sanitizer {
    /// Accesses outside of objects and after their end
    Address,
    /// Undefined behaviour
    Undefined,
}

impl Sanitizer {
    /// As `-fsanitize=` has it.
    pub fn name(self) -> &'static str {
        match self {
            Sanitizer::Address => "address",
            Sanitizer::Undefined => "undefined",
        }
    }
}

/// What counts as a difference.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Comparison")]
pub struct OracleArgs {
    /// Leave out of every line what matches
    #[arg(long, value_name = "REGEX")]
    pub ignore: Vec<String>,
    /// What is compared: signal, timeout, limit, exit, stdout, stderr, files [default: all]
    #[arg(long, value_name = "ASPECT", value_delimiter = ',')]
    pub compare: Option<Vec<Aspect>>,
    /// Wall-clock time of one run
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = units::duration)]
    pub run_time: Duration,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Kept tests, or directories with kept tests below them
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
    /// The old version: any program, or a version as for `diff` [default: that of the result the tests are in]
    #[arg(long, value_name = "VERSION")]
    pub old: Option<OsString>,
    /// The new version
    #[arg(long, value_name = "VERSION")]
    pub new: Option<OsString>,
    /// Time for all tests together; those that it does not suffice for are `unusable`
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = units::duration)]
    pub time: Duration,
    /// Bytes of one input of a test: standard input, or a file
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = units::size)]
    pub max_seed_size: u64,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
    #[command(flatten)]
    pub oracle: OracleArgs,
    #[command(flatten)]
    pub build: BuildArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// Text for a person
    Human,
    /// One JSON document
    Json,
}

/// How to search.
#[derive(Clone, Debug, Args)]
pub struct StrategyArgs {
    /// A set of strategies: all of them, or a baseline of the papers
    #[arg(long, value_enum, default_value_t = Strategy::All)]
    pub strategy: Strategy,
    /// Only these strategies; `parallax strategies` lists them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// All but these strategies
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub without: Vec<String>,
}

/// The list of strategies.
#[derive(Clone, Debug, Args)]
pub struct StrategiesArgs {
    /// How the list is shown
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Everything there is
    #[value(alias = "concolic")]
    All,
    /// Generational search alone (Godefroid, Levin and Molnar 2008)
    Generational,
    /// Generational search that prefers what can lead to the change (Taneja et al. 2011)
    Express,
    /// All without questions over both versions
    NoJoint,
    /// All, but numbers in the input are only bytes
    NoNumbers,
}
