//! The command line of `parallax inspect` as it was typed.
//!
//! Every option here is in the book (`docs/book/command-line.md`).

use crate::args::BuildArgs;
use clap::{Args, ValueEnum};
use std::ffi::OsString;

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The old version: a C file, a program built with CC=parallax-cc, a directory or git:REV (with --build)
    #[arg(value_name = "OLD")]
    pub old: Option<OsString>,
    /// The new version. Both may be left out in a repository: the merge base, and the working tree; NEW, if there is a --patch
    #[arg(value_name = "NEW")]
    pub new: Option<OsString>,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t = InspectFormat::Human)]
    pub format: InspectFormat,
    /// Print a graph of the new version instead, as SVG (or DOT, with --format dot)
    #[arg(long, value_enum, value_name = "KIND")]
    pub graph: Option<GraphKind>,
    /// Which function --graph cfg, cdg and pdg show [default: the first that is changed]
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Most nodes of a graph; a larger one is cut around the change
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub max_nodes: usize,
    /// Work out what depends on what (interaction locations, interference, who sees the change) in programs of up to N instructions
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    pub max_dependence: usize,
    /// Work out effects and preconditions change by change for up to N changes
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub max_slices: usize,
    #[command(flatten)]
    pub build: BuildArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InspectFormat {
    /// Text for a person
    Human,
    /// One JSON document
    Json,
    /// A graph as SVG
    Svg,
    /// A graph for Graphviz
    Dot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphKind {
    /// Control flow of a function
    Cfg,
    /// Control dependence in a function
    Cdg,
    /// Data and control dependence in a function
    Pdg,
    /// Change sequences
    Csg,
    /// Who calls whom
    Calls,
}
