//! The command line as it was typed. [`crate::resolve`] makes sense of it.
//!
//! Every option here is in the book (`docs/book/command-line.md`), and a test keeps it so.

use crate::blame_args::BlameArgs;
use crate::diff_args::{DiffArgs, DiffFormat, ReplayArgs, StrategiesArgs};
use crate::history_args::HistoryArgs;
use crate::inspect_args::InspectArgs;
use crate::reach_args::{AugmentArgs, ReachArgs};
use crate::reading::ReadLimits;
use crate::record_args::RecordArgs;
use crate::units;
use crate::verify_args::{CheckArgs, VerifyArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Shows what a C program's input does to it.
#[derive(Debug, Parser)]
#[command(name = "parallax", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program once and show how its branches and outputs depend on its input
    Trace(Box<TraceArgs>),
    /// Find inputs on which two versions differ
    Diff(Box<DiffArgs>),
    /// Divide the inputs into partitions, and show for each whether two versions do the same
    Verify(Box<VerifyArgs>),
    /// Check the certificates of a verification again
    Check(CheckArgs),
    /// Generate inputs that execute every changed place; patch coverage before and after
    Reach(Box<ReachArgs>),
    /// Generate inputs that take every branch of the new version that the seeds do not; branch coverage before and after
    Augment(Box<AugmentArgs>),
    /// Show what changed between two versions: changes, targets, complexity, graphs
    Inspect(Box<InspectArgs>),
    /// Run a test suite and keep every invocation of a program in it as a test
    Record(Box<RecordArgs>),
    /// Run kept tests on both versions
    Replay(Box<ReplayArgs>),
    /// Which pieces of the change a kept difference needs
    Blame(Box<BlameArgs>),
    /// Compare every commit of a range with its parent
    History(Box<HistoryArgs>),
    /// Make the HTML page of a result directory again
    Report(ReportArgs),
    /// Show what is in the cache, clean it, or limit its size
    Cache(CacheArgs),
    /// What the search can do: every strategy, a sentence and a paper each
    Strategies(StrategiesArgs),
    /// Is everything here that is needed? What is missing, and how to get it
    Doctor,
}

/// What one run is given.
#[derive(Clone, Debug, Args)]
pub struct InputArgs {
    /// Arguments of the program; one that names an existing file makes that file an input
    #[arg(last = true, value_name = "ARG")]
    pub arguments: Vec<OsString>,
    /// Standard input of the program [default: empty]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// A file for the program: NAME in its directory, with the content of PATH
    #[arg(long = "file", value_name = "NAME=PATH")]
    pub files: Vec<OsString>,
    /// An environment variable for the program
    #[arg(long = "env", value_name = "NAME=VALUE")]
    pub env: Vec<OsString>,
    #[command(flatten)]
    pub read: ReadLimits,
}

#[derive(Debug, Args)]
pub struct TraceArgs {
    /// A C file, a program built with CC=parallax-cc, a directory or git:REV (with --build)
    #[arg(value_name = "PROGRAM|FILE.c|DIR|git:REV")]
    pub program: OsString,
    #[command(flatten)]
    pub inputs: InputArgs,
    /// Which inputs are symbolic [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub symbolic: Option<Vec<InputKind>>,
    /// How the run is shown
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// What the instrumented program records
    #[arg(long, value_enum, default_value_t = ModeArg::Symbolic)]
    pub mode: ModeArg,
    /// Most lines of what happened, for --format human
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub show: usize,
    /// Wall-clock time of the run
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::duration)]
    pub time: Duration,
    #[command(flatten)]
    pub build: BuildArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// What `parallax diff --out` made
    #[arg(value_name = "DIR", default_value = "parallax-out")]
    pub directory: PathBuf,
    /// Where the page goes [default: report.html in DIR]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CacheArgs {
    #[command(subcommand)]
    pub action: Option<CacheAction>,
    /// From now on the cache holds at most so much; what was used longest ago goes first
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub limit: Option<u64>,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum CacheAction {
    /// Remove everything that no running Parallax uses
    Clean,
}

/// How the program is built.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Build")]
pub struct BuildArgs {
    /// Build command for a directory or git:REV, run in a private copy with CC and CXX set
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,
    /// The program that the build makes, relative to the directory
    #[arg(long = "program", value_name = "PATH")]
    pub built_program: Option<PathBuf>,
    /// A patch to apply before the build
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// Show what the build command prints
    #[arg(long)]
    pub verbose: bool,
    /// Build again, even if the cache has the build
    #[arg(long)]
    pub rebuild: bool,
    /// Functions are wanted, not a program.
    #[arg(skip)]
    pub library: bool,
}

/// What a run may use.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits of the run")]
pub struct LimitArgs {
    /// Private memory of each process
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = units::size)]
    pub memory: u64,
    /// Bytes kept of standard output and of standard error
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = units::size)]
    pub max_output: u64,
    /// Bytes in any one file
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = units::size)]
    pub max_file_size: u64,
    /// Processes alive at once
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub max_processes: u32,
    /// Files created, changed or deleted by a run that are compared
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_changed_files: usize,
    /// Bytes of these files, together
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = units::size)]
    pub max_changed_size: u64,
    /// Expressions in the trace
    #[arg(long, value_name = "N", default_value = "16M", value_parser = units::size)]
    pub trace_nodes: u64,
    /// Bytes of events in the trace
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = units::size)]
    pub trace_events: u64,
    /// Bytes of table snapshots in the trace
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = units::size)]
    pub trace_tables: u64,
    /// Run without confinement: only where nothing of value can be harmed
    #[arg(long)]
    pub unconfined: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputKind {
    Argv,
    Stdin,
    Files,
    Env,
    /// No input at all
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for a person
    Human,
    /// One JSON document
    Json,
    /// The path condition as an SMT-LIB 2 script
    Smtlib,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Branches, expressions, outputs, and edges
    Symbolic,
    /// Edges only
    Coverage,
    /// Every block, memory access, call and return; a summary is shown
    Dependence,
}
