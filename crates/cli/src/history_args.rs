//! The command line of `parallax history` as it was typed.
//!
//! Every option here is in the book (`docs/book/command-line.md`). What is not here can stand in the `parallax.toml` of the repository.

use crate::diff_args::DiffFormat;
use crate::units;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// A directory of a git repository
    #[arg(value_name = "REPO")]
    pub repository: PathBuf,
    /// The commits: all that B has and A has not, each compared with its first parent
    #[arg(value_name = "A..B")]
    pub range: String,
    /// Arguments of the program; files are looked for in REPO
    #[arg(last = true, value_name = "ARG")]
    pub arguments: Vec<OsString>,
    /// Build command, run in a private copy of each commit with CC and CXX set
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,
    /// The program that the build makes, relative to REPO
    #[arg(long = "program", value_name = "PATH")]
    pub built_program: Option<PathBuf>,
    /// How long to search for each commit; building does not count
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    pub time: Duration,
    /// Try at most so many inputs for each commit
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// Compare at most so many commits, the newest of the range
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_commits: usize,
    /// Seeds: kept tests, or plain files to be used as standard input
    #[arg(long, value_name = "DIR")]
    pub seeds: Option<PathBuf>,
    /// Standard input of the program [default: empty]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Leave out of every line what matches
    #[arg(long, value_name = "REGEX")]
    pub ignore: Vec<String>,
    /// What is compared: signal, timeout, limit, exit, stdout, stderr, files [default: all]
    #[arg(long, value_name = "ASPECT", value_delimiter = ',')]
    pub compare: Vec<String>,
    /// Workers [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Where results go, a directory for each commit in it; a previous result becomes DIR.old
    #[arg(long, value_name = "DIR", default_value = "parallax-out")]
    pub out: PathBuf,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
    /// Run without confinement: only where nothing of value can be harmed
    #[arg(long)]
    pub unconfined: bool,
}
