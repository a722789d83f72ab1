//! The command lines of `parallax verify` and `parallax check` as they were typed.
//!
//! Every option here is in the book (`docs/book/command-line.md`); those that `parallax diff` has, too, can stand in `parallax.toml`.

use crate::args::{BuildArgs, Cli, Command, InputArgs, InputKind, LimitArgs};
use crate::diff_args::{DiffArgs, DiffFormat, OracleArgs};
use crate::error::CliError;
use crate::units;
use clap::{Args, Parser, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The old version, as for `parallax diff`
    #[arg(value_name = "OLD")]
    pub old: Option<OsString>,
    /// The new version
    #[arg(value_name = "NEW")]
    pub new: Option<OsString>,
    #[command(flatten)]
    pub inputs: InputArgs,
    /// Which inputs vary; the others stay as given [default: argv and stdin; with files, stdin and files]
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub symbolic: Option<Vec<InputKind>>,
    /// How the inputs are divided
    #[arg(long, value_enum, default_value_t = Partitioning::Slices)]
    pub partitions: Partitioning,
    /// Largest inputs: bytes of everything that varies, and one for each argument
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub max_input: usize,
    /// Smallest inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub min_input: usize,
    /// Shapes (lengths of all inputs) of one size at most
    #[arg(long, value_name = "N", default_value_t = 4096)]
    pub max_shapes: usize,
    /// Go on where an earlier run into the same --out stopped
    #[arg(long)]
    pub resume: bool,
    /// Write what a third party needs to check the result: see `parallax check`
    #[arg(long)]
    pub certificates: bool,
    /// Members of each equal partition that are run natively, beside its witness
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub samples: usize,
    /// Largest formula that is asked about, in nodes
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub max_formula: usize,
    /// How long to verify; building does not count
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    pub time: Duration,
    /// Distinct differences that are kept as tests
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub max_differences: usize,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where results go; a previous result becomes DIR.old
    #[arg(long, value_name = "DIR", default_value = "parallax-out")]
    pub out: PathBuf,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
    #[command(flatten)]
    pub oracle: OracleArgs,
    /// Work of a solver for one query, in steps of about 10 ns
    #[arg(long, value_name = "N", default_value_t = 500_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub query_steps: u64,
    /// Wall-clock time for one query: the last resort
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration)]
    pub query_time: Duration,
    /// Memory of Parallax itself
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = units::size)]
    pub own_memory: u64,
    #[command(flatten)]
    pub build: BuildArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// What a partition is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Partitioning {
    /// What executes the same changes and does the same, or differs in the same way
    Slices,
    /// Whole path conditions of both versions
    Paths,
}

impl Partitioning {
    pub fn name(self) -> &'static str {
        match self {
            Partitioning::Slices => "slices",
            Partitioning::Paths => "paths",
        }
    }
}

/// The certificates of a verification, checked again.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// What `parallax verify --certificates` made
    #[arg(value_name = "DIR", default_value = "parallax-out")]
    pub directory: PathBuf,
    /// Work of a solver for one certificate
    #[arg(long, value_name = "N", default_value_t = 2_000_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub query_steps: u64,
    /// Wall-clock time for one certificate
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = units::duration)]
    pub query_time: Duration,
    /// How the result is shown
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
}

impl VerifyArgs {
    /// Which inputs vary.
    pub fn kinds(&self) -> Vec<InputKind> {
        let has_files =
            !self.inputs.files.is_empty() || self.inputs.arguments.iter().any(|a| PathBuf::from(a).is_file());
        match (&self.symbolic, has_files) {
            (Some(kinds), _) => kinds.clone(),
            (None, false) => vec![InputKind::Argv, InputKind::Stdin],
            (None, true) => vec![InputKind::Stdin, InputKind::Files],
        }
    }

    /// The comparison that a verification is made with: `parallax diff` of the same versions, with no seed but the one that is given.
    pub fn comparison(&self) -> Result<DiffArgs, CliError> {
        let parsed = Cli::try_parse_from(["parallax", "diff"]).map(|cli| cli.command);
        let Ok(Command::Diff(defaults)) = parsed else {
            return Err(CliError::Search("the defaults of a comparison are not there".to_owned()));
        };
        Ok(DiffArgs {
            old: self.old.clone(),
            new: self.new.clone(),
            inputs: self.inputs.clone(),
            symbolic: Some(self.kinds()),
            time: self.time,
            max_differences: self.max_differences,
            seed: self.seed,
            out: self.out.clone(),
            format: self.format,
            oracle: self.oracle.clone(),
            query_steps: self.query_steps,
            query_time: self.query_time,
            own_memory: self.own_memory,
            build: self.build.clone(),
            limits: self.limits.clone(),
            ..*defaults
        })
    }
}
