//! The command line of `parallax blame` as it was typed.
//!
//! Every option here is in the book (`docs/book/command-line.md`).

use crate::args::{BuildArgs, LimitArgs};
use crate::diff_args::{DiffFormat, OracleArgs};
use crate::units;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct BlameArgs {
    /// A kept test
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// The old version: a C file, a directory or git:REV [default: that of the result the test is in]
    #[arg(long, value_name = "VERSION")]
    pub old: Option<OsString>,
    /// The new version
    #[arg(long, value_name = "VERSION")]
    pub new: Option<OsString>,
    /// Build at most so many subsets of the change
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub builds: usize,
    /// Time for all builds and runs together
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
