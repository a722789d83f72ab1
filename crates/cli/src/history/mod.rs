//! `parallax history`: every commit of a range, compared with its parent.
//!
//! In: a repository, a range, and what `parallax diff` is to be told. Out: one table, one document, a result directory for each commit.
//!
//! Each comparison is a process of its own, because that is what keeps the time limit of one from the others. Always holds: a commit that does not build
//! is shown as such and keeps nothing else from being compared; builds come from the cache, so a commit is built once although it is in two comparisons.

mod view;

use crate::diff_args::DiffFormat;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::history_args::HistoryArgs;
use parallax_build::Commit;
use parallax_execute::Interrupt;
use parallax_report::OutDir;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use view::{CommitView, Document};

/// Digits of a hash in names of directories.
const SHORT: usize = 10;

pub fn history(args: &HistoryArgs) -> Result<(String, ExitCode), CliError> {
    let interrupt = Interrupt::on_signals();
    if !args.range.contains("..") {
        return Err(CliError::usage(format!("{}: not a range of commits; write A..B", args.range)));
    }
    let mut commits = parallax_build::commits(&args.repository, &args.range)?;
    if commits.is_empty() {
        return Err(CliError::usage(format!("{}: there is no commit in this range", args.range)));
    }
    let left_out = commits.len().saturating_sub(args.max_commits);
    commits.drain(..left_out);
    let claim = OutDir::claim(&args.out)?;
    let out = claim.begin()?;
    out.write_json("run.json", &Document::new(args, left_out))?;
    let mut document = Document::new(args, left_out);
    for (number, commit) in commits.iter().enumerate() {
        if interrupt.is_set() {
            break;
        }
        eprintln!("parallax: commit {} of {}: {}", number + 1, commits.len(), view::title(commit));
        let name = format!("{:04}-{}", number + 1, commit.hash.get(..SHORT).unwrap_or(&commit.hash));
        document.commits.push(compare(args, commit, &out.path().join(name))?);
        out.write_json("history.json", &document)?;
    }
    document.complete = document.commits.len() == commits.len();
    out.write_json("history.json", &document)?;
    let text = match args.format {
        DiffFormat::Json => serde_json::to_string_pretty(&document)? + "\n",
        DiffFormat::Human => view::human(&document),
    };
    let code = if interrupt.is_set() { ExitCode::Interrupted } else { document.exit_code() };
    Ok((text, code))
}

fn compare(args: &HistoryArgs, commit: &Commit, out: &Path) -> Result<CommitView, CliError> {
    let Some(parent) = &commit.parent else { return Ok(CommitView::without_parent(commit)) };
    let mut command = command(args, parent, &commit.hash, out)?;
    let output = parallax_build::dies_with_us(&mut command).output().map_err(|source| CliError::Read {
        what: "the comparison of a commit",
        path: PathBuf::from("parallax"),
        source,
    })?;
    Ok(CommitView::of(commit, parent, out, &output))
}

/// `parallax diff` of a commit and its parent, with the options that were given.
fn command(args: &HistoryArgs, parent: &str, commit: &str, out: &Path) -> Result<Command, CliError> {
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|source| CliError::Read {
            what: "a path",
            path: path.to_owned(),
            source,
        })
    };
    let program = std::env::current_exe().map_err(|source| CliError::Read {
        what: "the program of Parallax",
        path: PathBuf::from("/proc/self/exe"),
        source,
    })?;
    let mut command = Command::new(program);
    command.arg("diff").arg(format!("git:{parent}")).arg(format!("git:{commit}"));
    command.args(["--format", "json", "--out"]).arg(absolute(out)?);
    command.arg("--time").arg(format!("{}ms", args.time.as_millis()));
    let mut option = |name: &str, value: Option<std::ffi::OsString>| {
        if let Some(value) = value {
            command.arg(name).arg(value);
        }
    };
    option("--build", args.build.clone().map(Into::into));
    option("--program", args.built_program.clone().map(Into::into));
    option("--runs", args.runs.map(|runs| runs.to_string().into()));
    option("--jobs", args.jobs.map(|jobs| jobs.to_string().into()));
    option("--seeds", args.seeds.as_deref().map(absolute).transpose()?.map(Into::into));
    option("--stdin", args.stdin.as_deref().map(absolute).transpose()?.map(Into::into));
    option("--compare", (!args.compare.is_empty()).then(|| args.compare.join(",").into()));
    for pattern in &args.ignore {
        option("--ignore", Some(pattern.into()));
    }
    if args.unconfined {
        command.arg("--unconfined");
    }
    command.arg("--").args(&args.arguments);
    command.current_dir(&args.repository).stdin(Stdio::null());
    Ok(command)
}
