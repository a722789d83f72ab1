//! `parallax diff` on two trees, as a user calls it.
//!
//! In: a subject, its trees, a limit. Out: when the first difference was found that is not about help or version.
//!
//! Always holds: nothing but the seed is handed over; a search is ended as a user would end it, by an interrupt, once
//! there is such a difference.

use super::Subject;
use crate::Result;
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use parallax_execute::TestCase;
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How often the results of a running search are looked at.
const LOOK: Duration = Duration::from_millis(200);
/// More than there will be: differences about help and version must not end a search.
const MAX_DIFFERENCES: &str = "1000";

/// What one search came to.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    pub first: Option<Difference>,
    /// Differences about help and version before it.
    pub trivial: usize,
    pub stats: Stats,
    /// Of the whole command.
    pub seconds: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Difference {
    pub kind: String,
    pub signature: String,
    pub found_after_s: f64,
    pub runs_before: u64,
    pub test: String,
    arguments: Vec<serde_json::Value>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Stats {
    pub runs: u64,
    pub queries: u64,
    pub unknown: u64,
    pub divergences: u64,
}

#[derive(Deserialize)]
struct Report {
    differences: Vec<Difference>,
    stats: Stats,
}

/// A `parallax` and how long it may search.
pub struct Search {
    pub program: PathBuf,
    pub limit: Duration,
    /// Where results and logs go, one directory for each subject.
    pub results: PathBuf,
    /// Where queries go, likewise.
    pub record: Option<PathBuf>,
}

impl Search {
    /// Searches until a difference that counts, or the limit.
    pub fn run(&self, subject: &Subject, trees: &[PathBuf; 2]) -> Result<Searched> {
        let directory = std::path::absolute(self.results.join(&subject.name))?;
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory)?;
        let mut command = self.command(subject, trees, &directory)?;
        let start = std::time::Instant::now();
        let mut child = command.spawn().map_err(|e| format!("{command:?}: {e}"))?;
        let out = directory.join("out/verdicts.json");
        let status = wait(&mut child, || found(subject, &out).is_some())?;
        let seconds = start.elapsed().as_secs_f64();
        let report = report(&out).ok_or_else(|| {
            let log = std::fs::read_to_string(directory.join("log")).unwrap_or_default();
            format!("{}: parallax ended with {status}:\n{log}", subject.name)
        })?;
        let first = found(subject, &out);
        let before = |d: &&Difference| first.as_ref().is_none_or(|f| d.found_after_s < f.found_after_s);
        let trivial = report.differences.iter().filter(before).count();
        Ok(Searched { trivial, stats: report.stats, seconds, first })
    }

    fn command(&self, subject: &Subject, trees: &[PathBuf; 2], directory: &Path) -> Result<Command> {
        let seed = &subject.seed;
        let stdin = write_seed(seed, directory)?;
        let mut command = Command::new(&self.program);
        command.current_dir(directory).arg("diff").args(trees).args(["--build", &subject.build]);
        command.args(["--program", &subject.program, "--out", "out", "--format", "json"]);
        command.args(["--max-differences", MAX_DIFFERENCES, "--time", &format!("{}s", self.limit.as_secs())]);
        for pattern in &subject.ignore {
            command.args(["--ignore", pattern]);
        }
        if let Some(aspects) = &subject.compare {
            command.args(["--compare", aspects]);
        }
        if let Some(record) = &self.record {
            command.arg("--record-queries").arg(std::path::absolute(record.join(&subject.name))?);
        }
        command.arg("--stdin").arg(stdin).arg("--");
        command.args(seed.argv.iter().map(|a| OsString::from(OsStr::from_bytes(a))));
        let log = std::fs::File::create(directory.join("log"))?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        // coreutils and others refuse to be configured by root otherwise.
        command.env("FORCE_UNSAFE_CONFIGURE", "1");
        Ok(command)
    }
}

/// Puts the files of a seed where `parallax` will be started. Gives the file with standard input, beside them.
fn write_seed(seed: &TestCase, directory: &Path) -> Result<PathBuf> {
    for (name, content) in &seed.files {
        std::fs::write(directory.join(name), content)?;
    }
    let stdin = directory.join("standard-input");
    std::fs::write(&stdin, &seed.stdin)?;
    Ok(stdin)
}

/// Waits for the end; when it is enough, the search is told to end.
fn wait(child: &mut Child, enough: impl Fn() -> bool) -> Result<std::process::ExitStatus> {
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if !told && enough() {
            kill(Pid::from_raw(child.id() as i32), Signal::SIGINT)?;
            told = true;
        }
        std::thread::sleep(LOOK);
    }
}

fn report(path: &Path) -> Option<Report> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// The first difference that counts.
fn found(subject: &Subject, path: &Path) -> Option<Difference> {
    let counts = |d: &Difference| !subject.is_trivial(d.arguments.iter().filter_map(|a| a.as_str()));
    report(path)?.differences.into_iter().find(counts)
}
