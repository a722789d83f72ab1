//! Everything that can go wrong, and with which exit status.
//!
//! Always holds: a message says what went wrong, where, and what to do.

use crate::exit_code::ExitCode;
use parallax_build::BuildError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error("{0}\n  `parallax help` shows how it is used")]
    Usage(String),
    #[error("{what}: cannot read {path}: {source}", path = .path.display())]
    Read { what: &'static str, path: PathBuf, source: io::Error },
    #[error("{} missing; install what is marked above, then run `parallax doctor` again", missing(.0))]
    Machine(usize),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("the {which} version ({name}): {source}")]
    Version { which: &'static str, name: String, source: Box<CliError> },
    #[error("{0}\n\n{1}")]
    Both(Box<CliError>, Box<CliError>),
    #[error("both versions ({} and {}): {source}", .names[0], .names[1])]
    Alike { names: [String; 2], source: Box<CliError> },
    #[error(
        "{0}: what would be compared is not what was built. Link the program so that it finds its own libraries (without -rpath to another place, or \
         with -Wl,-rpath,'$ORIGIN'), or link them statically"
    )]
    Stranger(String),
    #[error("{0}")]
    Function(#[from] parallax_driver::Error),
    #[error(transparent)]
    Instrument(#[from] parallax_instrument::Error),
    #[error(transparent)]
    Model(#[from] parallax_model::LoadError),
    #[error(transparent)]
    Execute(#[from] parallax_execute::Error),
    #[error("{0}")]
    Trace(#[from] parallax_trace::DecodeError),
    #[error("{0}")]
    Chunk(#[from] parallax_trace::dependence::ChunkError),
    #[error("the program wrote over the memory that holds its trace; nothing can be shown")]
    Overwritten,
    #[error(transparent)]
    OutDir(#[from] parallax_report::outdir::OutDirError),
    #[error(transparent)]
    Kept(#[from] parallax_report::kept::KeptError),
    #[error(transparent)]
    Stats(#[from] parallax_report::stats_file::StatsError),
    #[error(transparent)]
    Record(#[from] parallax_record::Error),
    #[error(transparent)]
    Copy(#[from] parallax_record::CopyError),
    #[error("--ignore: {0}")]
    Rules(#[from] parallax_oracle::RulesError),
    #[error("the versions are unstable: run twice on the same input, {0}; nothing is left to compare (take what changes out with --ignore)")]
    Unstable(String),
    #[error("the {version} version does not start on any seed: {message}\n  nothing was compared; see that its build finds its libraries (rpath, or libraries beside the program), then try again")]
    DoesNotStart { version: &'static str, message: String },
    #[error("the search had to stop: {0}")]
    Search(String),
    #[error("cannot write the result: {0}")]
    Write(io::Error),
    #[error("cannot write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl CliError {
    pub fn usage(message: impl Into<String>) -> CliError {
        CliError::Usage(message.into())
    }

    /// Says which version it is about.
    pub fn of_version(self, which: &'static str, name: &str) -> CliError {
        CliError::Version { which, name: name.to_owned(), source: Box::new(self) }
    }

    /// What is wrong with both versions, said once if it is the same.
    pub fn of_both(old: CliError, new: CliError) -> CliError {
        match (old, new) {
            (CliError::Version { name: a, source, .. }, CliError::Version { name: b, source: other, .. })
                if source.to_string() == other.to_string() =>
            {
                CliError::Alike { names: [a, b], source }
            }
            (old, new) => CliError::Both(Box::new(old), Box::new(new)),
        }
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            CliError::Usage(_)
            | CliError::Function(_)
            | CliError::Read { .. }
            | CliError::Machine(_)
            | CliError::Write(_)
            | CliError::OutDir(_)
            | CliError::Stats(_)
            | CliError::Kept(_)
            | CliError::Record(_)
            | CliError::Copy(_)
            | CliError::Rules(_) => ExitCode::Usage,
            CliError::Unstable(_) => ExitCode::Unstable,
            CliError::Search(_) => ExitCode::Internal,
            CliError::Build(error) => build_code(error),
            CliError::Version { source, .. } | CliError::Both(source, _) | CliError::Alike { source, .. } => {
                source.exit_code()
            }
            CliError::Stranger(_) => ExitCode::Build,
            CliError::DoesNotStart { .. } => ExitCode::Build,
            CliError::Instrument(parallax_instrument::Error::Cache(error)) => build_code(error),
            CliError::Instrument(parallax_instrument::Error::Io { .. }) => ExitCode::Usage,
            CliError::Instrument(_) | CliError::Model(_) => ExitCode::Build,
            CliError::Execute(error) => execute_code(error),
            CliError::Trace(_) | CliError::Chunk(_) | CliError::Overwritten | CliError::Json(_) => {
                ExitCode::Internal
            }
        }
    }
}

/// What the user named wrongly is usage; what does not build is the version's fault.
fn build_code(error: &BuildError) -> ExitCode {
    match error {
        BuildError::File { .. }
        | BuildError::Tool { .. }
        | BuildError::NoSuchFile(_)
        | BuildError::NoBuildCommand { .. }
        | BuildError::WhichProgram { .. }
        | BuildError::NotARepository { .. }
        | BuildError::NoSuchRevision { .. }
        | BuildError::Shallow { .. }
        | BuildError::NoDefaultBranch { .. }
        | BuildError::NoMergeBase { .. }
        | BuildError::Patch { .. }
        | BuildError::NoRoom { .. }
        | BuildError::NoWrapper => ExitCode::Usage,
        BuildError::Stopped => ExitCode::Interrupted,
        _ => ExitCode::Build,
    }
}

fn execute_code(error: &parallax_execute::Error) -> ExitCode {
    use parallax_execute::Error;
    match error {
        Error::Interrupted => ExitCode::Interrupted,
        Error::DoesNotServe { .. }
        | Error::NoProgram { .. }
        | Error::NotExecutable { .. }
        | Error::NotStarted { .. } => ExitCode::Build,
        Error::NoConfinement { .. } | Error::TestCase { .. } | Error::Scratch { .. } => ExitCode::Usage,
        _ => ExitCode::Internal,
    }
}

fn missing(n: &usize) -> String {
    match n {
        1 => "one thing is".to_owned(),
        n => format!("{n} things are"),
    }
}
