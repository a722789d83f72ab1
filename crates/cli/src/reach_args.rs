//! The command lines of `parallax reach` and `parallax augment` as they were typed: that of `parallax diff`, and what is about coverage.
//!
//! Every option here is in the book (`docs/book/command-line.md`) and can stand in `parallax.toml` under its own name.

use crate::diff_args::DiffArgs;
use crate::units;
use clap::{Args, ValueEnum};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct ReachArgs {
    #[command(flatten)]
    pub diff: DiffArgs,
    /// Time for confirming tests with a coverage build, when the search is over; 0: no coverage build
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration)]
    pub confirm_time: Duration,
}

#[derive(Debug, Args)]
pub struct AugmentArgs {
    #[command(flatten)]
    pub reach: ReachArgs,
    /// Only branches that the change can affect
    #[arg(long)]
    pub changed: bool,
    /// In which order `evolve` takes branches
    #[arg(long, value_enum, default_value_t = Order::Depth)]
    pub order: Order,
    /// Whether tests that were made become what more are made from
    #[arg(long, value_enum, default_value_t = Reuse::Yes)]
    pub reuse: Reuse,
    /// How tests are made
    #[arg(long, value_enum, default_value_t = Method::Both)]
    pub method: Method,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Depth first: what comes earlier in the program comes earlier
    Depth,
    /// As --seed says
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Reuse {
    Yes,
    /// Tests are made from the seeds only
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// With the solver; neither by chance nor bred
    Concolic,
    /// Bred: the strategy `evolve` alone
    Genetic,
    /// All strategies
    Both,
}
