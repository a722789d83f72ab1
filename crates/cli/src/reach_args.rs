//! The command line of `parallax reach` as it was typed: that of `parallax diff`, and what is about coverage.
//!
//! Every option here is in the book (`docs/book/command-line.md`) and can stand in `parallax.toml` under its own name.

use crate::diff_args::DiffArgs;
use clap::Args;

#[derive(Debug, Args)]
pub struct ReachArgs {
    #[command(flatten)]
    pub diff: DiffArgs,
}
