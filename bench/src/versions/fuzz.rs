//! AFL++ on a product of two versions.
//!
//! In: a product, the native builds, a limit. Out: when the first crash was saved that is a difference of the native
//! builds, and the test case.
//!
//! Always holds: as many fuzzers as cores, all with comparison logging, none is left behind.

use super::native::Natives;
use super::product::Product;
use crate::Result;
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use parallax_execute::TestCase;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often the directories of crashes are looked at.
const LOOK: Duration = Duration::from_millis(10);
/// How long after its limit a fuzzer ends by itself.
const GRACE: Duration = Duration::from_secs(30);
/// Time for one run of both versions, in milliseconds.
const RUN_TIME: &str = "500";

/// A difference, and what it took.
#[derive(Clone, Debug)]
pub struct Fuzzed {
    /// From the start of the fuzzers until the crash was on disk; `None`: not within the limit.
    pub found_after: Option<Duration>,
    pub test: Option<TestCase>,
    /// Crashes that the native builds do not show.
    pub unconfirmed: usize,
}

/// The fuzzers of one measurement; ended when dropped.
struct Fuzzers {
    children: Vec<Child>,
    crashes: Vec<PathBuf>,
}

impl Fuzzers {
    fn start(product: &Product, directory: &Path, random_seed: u64, limit: Duration) -> Result<Fuzzers> {
        let input = directory.join("in");
        std::fs::create_dir_all(&input)?;
        std::fs::write(input.join("seed"), product.layout.encode())?;
        let output = directory.join(format!("out{random_seed}"));
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut fuzzers = Fuzzers { children: vec![], crashes: vec![] };
        for core in 0..cores {
            let name = format!("fuzzer{core}");
            let mut command = Command::new("afl-fuzz");
            command.arg("-i").arg(&input).arg("-o").arg(&output).args(["-S", &name, "-t", RUN_TIME]);
            // Should nobody be left to end it.
            command.args(["-V", &(limit + GRACE).as_secs().to_string()]);
            command.args(["-s", &(random_seed * 100 + core as u64).to_string()]);
            command.arg("-c").arg(&product.logging).arg("--").arg(&product.target);
            // Governor and core dumps of the machine are not ours to change; the screen is not wanted.
            for variable in ["SKIP_CPUFREQ", "I_DONT_CARE_ABOUT_MISSING_CRASHES", "NO_UI", "TRY_AFFINITY"] {
                command.env(format!("AFL_{variable}"), "1");
            }
            let log = std::fs::File::create(directory.join(format!("{name}.log")))?;
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
            let child = command
                .spawn()
                .map_err(|e| format!("afl-fuzz: {e}; scripts/setup.sh --bench installs it"))?;
            fuzzers.children.push(child);
            fuzzers.crashes.push(output.join(&name).join("crashes"));
        }
        Ok(fuzzers)
    }

    /// Crashes on disk, complete or still being written.
    fn saved(&self) -> Vec<PathBuf> {
        let entries = self.crashes.iter().filter_map(|d| std::fs::read_dir(d).ok()).flatten().flatten();
        let named = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("id:"));
        entries.map(|e| e.path()).filter(named).collect()
    }

    fn ended(&mut self) -> Result<bool> {
        for child in &mut self.children {
            if child.try_wait()?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Drop for Fuzzers {
    fn drop(&mut self) {
        // Told to end, a fuzzer ends its target too.
        for child in &self.children {
            kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).ok();
        }
        for child in &mut self.children {
            child.wait().ok();
        }
    }
}

/// Fuzzes until a difference or the limit.
pub fn fuzz(
    product: &Product,
    natives: &mut Natives,
    directory: &Path,
    random_seed: u64,
    limit: Duration,
) -> Result<Fuzzed> {
    let start = Instant::now();
    let mut fuzzers = Fuzzers::start(product, directory, random_seed, limit)?;
    let mut seen = BTreeSet::new();
    while start.elapsed() < limit {
        std::thread::sleep(LOOK);
        let found_after = start.elapsed();
        for path in fuzzers.saved() {
            // A file that is still being written comes again when it has grown.
            let bytes = std::fs::read(&path)?;
            if !seen.insert((path, bytes.len())) {
                continue;
            }
            let test = product.layout.decode(&bytes);
            if natives.difference(&test)?.is_some() {
                let unconfirmed = seen.len() - 1;
                return Ok(Fuzzed { found_after: Some(found_after), test: Some(test), unconfirmed });
            }
        }
        if fuzzers.ended()? {
            return Err(format!("afl-fuzz ended by itself; see {}/fuzzer*.log", directory.display()).into());
        }
    }
    Ok(Fuzzed { found_after: None, test: None, unconfirmed: seen.len() })
}
