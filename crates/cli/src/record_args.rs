//! The command line of `parallax record` as it was typed.
//!
//! Every option here is in the book (`docs/book/command-line.md`).

use crate::diff_args::DiffFormat;
use crate::units;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct RecordArgs {
    /// The command that runs the suite
    #[arg(last = true, value_name = "COMMAND", required = true)]
    pub command: Vec<OsString>,
    /// A program to record: its path, or the name of a file in the tree; may be given several times [default: all of the tree]
    #[arg(long = "program", value_name = "PATH")]
    pub programs: Vec<PathBuf>,
    /// The directory that the suite works in, which stays as it is [default: the git repository, or the lowest directory that holds the current one and the programs]
    #[arg(long, value_name = "DIR")]
    pub tree: Option<PathBuf>,
    /// Run the suite in the tree itself, not in a private copy: what it writes there stays
    #[arg(long)]
    pub in_place: bool,
    /// Build command of the tree, for a coverage build: of tests that execute the same, one is kept
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,
    /// Keep every distinct invocation, whatever it executes
    #[arg(long)]
    pub keep_all: bool,
    /// Where results go; a previous result becomes DIR.old
    #[arg(long, value_name = "DIR", default_value = "parallax-out")]
    pub out: PathBuf,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
    /// Show what the suite and the build print
    #[arg(long)]
    pub verbose: bool,
    #[command(flatten)]
    pub limits: RecordLimits,
}

/// How much is recorded.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct RecordLimits {
    /// End the suite after this time [default: none]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub time: Option<Duration>,
    /// Time of one run when it is tried whether a test replays
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::duration)]
    pub run_time: Duration,
    /// Most distinct invocations
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_tests: u64,
    /// Bytes of one input (standard input, or a file), and of what an invocation prints
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = units::size)]
    pub max_seed_size: u64,
    /// Bytes of all files in the private copy of the tree
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = units::size)]
    pub max_tree_size: u64,
    /// Files and directories in the private copy of the tree
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_tree_files: usize,
    /// Try tests without confinement: only where nothing of value can be harmed
    #[arg(long)]
    pub unconfined: bool,
}
