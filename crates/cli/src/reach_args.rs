//! The command line of `parallax reach` as it was typed: that of `parallax diff`, and what is about coverage.
//!
//! Every option here is in the book (`docs/book/command-line.md`) and can stand in `parallax.toml` under its own name.

use crate::diff_args::DiffArgs;
use crate::units;
use clap::Args;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct ReachArgs {
    #[command(flatten)]
    pub diff: DiffArgs,
    /// Time for confirming tests with a coverage build, when the search is over; 0: no coverage build
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration)]
    pub confirm_time: Duration,
}
