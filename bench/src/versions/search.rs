//! `parallax diff` on two versions, as a user calls it.
//!
//! In: two C files, a seed, a strategy, a limit. Out: the verdict and when the first difference was found.
//!
//! Always holds: builds are cached before anything is measured; nothing but the seed is handed over.

use crate::Result;
use parallax_execute::TestCase;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Names a `parallax` to measure instead of the one that is built from this tree.
const PROGRAM_VARIABLE: &str = "PARALLAX";

/// What one search came to.
#[derive(Clone, Debug)]
pub struct Searched {
    pub verdict: String,
    /// From the start of the search; `None`: no difference.
    pub found_after: Option<Duration>,
    /// Of the whole command, with builds from the cache.
    pub wall: Duration,
    pub runs: u64,
    pub queries: u64,
    /// Counted, of all strategies.
    pub effort: u64,
}

#[derive(Deserialize)]
struct Report {
    verdict: String,
    differences: Vec<Difference>,
    stats: Stats,
}

#[derive(Deserialize)]
struct Difference {
    found_after_s: f64,
}

#[derive(Deserialize)]
struct Stats {
    runs: u64,
    queries: u64,
    /// Of states before there were strategies: none.
    #[serde(default)]
    strategies: BTreeMap<String, Strategy>,
}

#[derive(Deserialize)]
struct Strategy {
    effort: u64,
}

/// A `parallax` and what it is called with.
#[derive(Clone)]
pub struct Search {
    pub program: PathBuf,
    pub strategy: &'static str,
    pub limit: Duration,
}

/// The `parallax` next to this program, brought up to date by cargo in the same profile.
pub fn program() -> Result<PathBuf> {
    if let Some(program) = std::env::var_os(PROGRAM_VARIABLE) {
        return Ok(program.into());
    }
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let built = Command::new(cargo).args(["build", "-p", "parallax-cli", "--profile", profile]).status()?;
    if !built.success() {
        return Err(format!("cargo build -p parallax-cli failed; or set {PROGRAM_VARIABLE}").into());
    }
    Ok(std::env::current_exe()?.with_file_name("parallax"))
}

impl Search {
    /// Builds both versions, so that later calls find them in the cache.
    pub fn warm_up(&self, old: &Path, new: &Path, seed: &TestCase) -> Result<()> {
        self.call(old, new, seed, &["--runs", "1"]).map(|_| ())
    }

    /// Searches until the first difference or the limit.
    pub fn run(&self, old: &Path, new: &Path, seed: &TestCase) -> Result<Searched> {
        self.run_with(old, new, seed, &[])
    }

    /// The same with more options.
    pub fn run_with(&self, old: &Path, new: &Path, seed: &TestCase, more: &[&str]) -> Result<Searched> {
        self.call(old, new, seed, more)
    }

    fn call(&self, old: &Path, new: &Path, seed: &TestCase, more: &[&str]) -> Result<Searched> {
        let directory = tempfile::tempdir()?;
        for (name, content) in &seed.files {
            std::fs::write(directory.path().join(name), content)?;
        }
        // Below a directory of its own: a file of that name could be an input.
        let stdin = tempfile::NamedTempFile::new()?;
        std::fs::write(stdin.path(), &seed.stdin)?;
        let mut command = Command::new(&self.program);
        command.current_dir(directory.path()).args(["diff", "--format", "json", "--max-differences", "1"]);
        command.args(["--strategy", self.strategy, "--time", &format!("{}ms", self.limit.as_millis())]);
        command.args(more).arg("--stdin").arg(stdin.path()).args([old, new]).arg("--");
        command.args(seed.argv.iter().map(|a| OsString::from(OsStr::from_bytes(a))));
        let start = Instant::now();
        let output = command.output()?;
        let wall = start.elapsed();
        let report: Report = serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("{command:?}: {e}\n{}", String::from_utf8_lossy(&output.stderr)))?;
        let found = report.differences.iter().map(|d| d.found_after_s).min_by(f64::total_cmp);
        Ok(Searched {
            verdict: report.verdict,
            found_after: found.map(Duration::from_secs_f64),
            wall,
            runs: report.stats.runs,
            queries: report.stats.queries,
            effort: report.stats.strategies.values().map(|strategy| strategy.effort).sum(),
        })
    }
}
