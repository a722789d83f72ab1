//! Recorded queries, replayed with one solver after the other.
//!
//! In: directories of SMT-LIB files as `--record-queries` writes them, one directory for each search. Out: what every
//! solver solved, and the processor time it took.
//!
//! Always holds: every solver sees the queries of a search in the order in which the search asked them, and remembers
//! what it would have remembered in the search; answers that contradict one another are told, never averaged.

use crate::versions::Pair;
use crate::Result;
use nix::time::ClockId;
use parallax_solve::layers::*;
use parallax_solve::smtlib_reader::{read, Recorded};
use parallax_solve::*;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Has `program` search one pair for all of `time`, and leaves its queries in `directory`.
pub fn record(program: &Path, pair: &Pair, directory: &Path, time: Duration) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    for (name, content) in &pair.seed.files {
        std::fs::write(scratch.path().join(name), content)?;
    }
    // Below a directory of its own: a file of that name could be an input.
    let stdin = tempfile::NamedTempFile::new()?;
    std::fs::write(stdin.path(), &pair.seed.stdin)?;
    let mut command = Command::new(program);
    command.current_dir(scratch.path()).arg("diff").args([&pair.old, &pair.new]);
    command.args(["--max-differences", "1000000", "--time", &format!("{}ms", time.as_millis())]);
    command.arg("--record-queries").arg(std::path::absolute(directory)?).arg("--stdin").arg(stdin.path());
    command.arg("--").args(pair.seed.argv.iter().map(|a| OsString::from(OsStr::from_bytes(a))));
    let output = command.output()?;
    // 1: differences were found.
    if matches!(output.status.code(), Some(0 | 1)) {
        return Ok(());
    }
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into())
}

/// How one solver did on all queries.
#[derive(Default)]
pub struct Results {
    pub sat: usize,
    pub unsat: usize,
    pub unknown: usize,
    pub wrong_models: u64,
    times: Vec<Duration>,
}

impl Results {
    fn add(&mut self, answer: &Answer, time: Duration) {
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat(_) => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
        self.times.push(time);
    }

    /// The time that this part of the queries took at most.
    pub fn percentile(&mut self, part: f64) -> Duration {
        self.times.sort_unstable();
        let index = ((self.times.len() as f64 - 1.0) * part).round().max(0.0) as usize;
        self.times.get(index).copied().unwrap_or_default()
    }

    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }
}

/// A solver as it is compared: a name, and how it is made for one search.
pub struct Contender {
    pub name: &'static str,
    make: Box<dyn Fn() -> Stack>,
    pub results: Results,
    /// The layers of the last stack of this kind, and what they did in all searches.
    pub layers: Vec<(&'static str, LayerStatistics)>,
}

fn contender(name: &'static str, make: impl Fn() -> Stack + 'static) -> Contender {
    Contender { name, make: Box::new(make), results: Results::default(), layers: Vec::new() }
}

fn z3(share: f64, kind: Z3Kind) -> Box<dyn Layer> {
    Box::new(Z3::new(share, kind))
}

fn blaster(share: f64) -> Box<dyn Layer> {
    let settings = Settings::default();
    Box::new(BitBlast::new(settings.gates, share, 0))
}

/// Solvers by themselves get conjunctions taken apart and groups without common bytes asked one by one, as any client
/// of a solver would do, and nothing else.
fn alone(layers: Vec<Box<dyn Layer>>) -> Stack {
    let first: Vec<Box<dyn Layer>> = vec![Box::new(Split), Box::new(Independence)];
    Stack::new(first.into_iter().chain(layers).collect())
}

/// The solvers that are compared.
pub fn contenders() -> Vec<Contender> {
    vec![
        contender("Z3, QF_BV", || alone(vec![z3(1.0, Z3Kind::Logic)])),
        contender("Z3, general", || alone(vec![z3(1.0, Z3Kind::General)])),
        contender("Z3, tactics", || alone(vec![z3(1.0, Z3Kind::Tactics)])),
        contender("bit-blaster", || alone(vec![blaster(1.0)])),
        contender("Z3, then bit-blaster", || alone(vec![z3(0.5, Z3Kind::Logic), blaster(1.0)])),
        contender("bit-blaster, then Z3", || alone(vec![blaster(0.8), z3(1.0, Z3Kind::General)])),
        contender("standard stack", || standard_stack(&Settings::default())),
    ]
}

/// All directories below one that hold queries, in order.
pub fn searches(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !files(directory)?.is_empty() {
        found.push(directory.to_owned());
    }
    let mut inner: Vec<PathBuf> =
        std::fs::read_dir(directory)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    inner.sort();
    for path in inner.iter().filter(|p| p.is_dir()) {
        found.extend(searches(path)?);
    }
    Ok(found)
}

/// The queries of one search, in the order in which they were asked.
pub fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory)?;
    let mut files: Vec<PathBuf> = entries.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|e| e == "smt2"));
    files.sort();
    Ok(files)
}

/// Replays one search, at most `at_most` of its queries. Gives how many, and the queries with contradicting answers.
pub fn replay(
    directory: &Path,
    at_most: usize,
    limit: &Limit,
    contenders: &mut [Contender],
) -> Result<(usize, Vec<PathBuf>)> {
    // One pool for all, as in a search; the layers that remember then have something to remember.
    let mut pool = Pool::new();
    let mut stacks: Vec<Stack> = contenders.iter().map(|c| (c.make)()).collect();
    let mut contradictions = Vec::new();
    let mut count = 0;
    for path in files(directory)?.into_iter().take(at_most) {
        let text = std::fs::read_to_string(&path)?;
        let recorded = read(&mut pool, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        if !ask(&recorded, &pool, limit, contenders, &mut stacks)? {
            contradictions.push(path);
        }
        count += 1;
    }
    for (contender, stack) in contenders.iter_mut().zip(&stacks) {
        contender.results.wrong_models += stack.wrong_models();
        contender.add_layers(stack);
    }
    Ok((count, contradictions))
}

/// Asks every solver; says if no two answers contradict one another.
fn ask(
    recorded: &Recorded,
    pool: &Pool,
    limit: &Limit,
    contenders: &mut [Contender],
    stacks: &mut [Stack],
) -> Result<bool> {
    let seed = |var: Var| recorded.seed.get(&var).copied();
    let query = Query::new(pool, &recorded.constraints, &seed);
    let mut verdicts = Vec::new();
    for (contender, stack) in contenders.iter_mut().zip(stacks) {
        let start = processor_time()?;
        let answer = stack.check(&query, limit);
        contender.results.add(&answer, processor_time()?.saturating_sub(start));
        if !matches!(answer, Answer::Unknown(_)) {
            verdicts.push(matches!(answer, Answer::Sat(_)));
        }
    }
    Ok(verdicts.windows(2).all(|pair| pair[0] == pair[1]))
}

/// Of this thread: what else the machine does hardly counts.
fn processor_time() -> Result<Duration> {
    Ok(ClockId::CLOCK_THREAD_CPUTIME_ID.now()?.into())
}

impl Contender {
    fn add_layers(&mut self, stack: &Stack) {
        let new: Vec<(&'static str, LayerStatistics)> = stack.statistics().map(|(n, s)| (n, *s)).collect();
        if self.layers.is_empty() {
            self.layers = new;
            return;
        }
        for ((_, sum), (_, more)) in self.layers.iter_mut().zip(new) {
            sum.queries += more.queries;
            sum.sat += more.sat;
            sum.unsat += more.unsat;
            sum.unknown += more.unknown;
            sum.passed += more.passed;
            sum.time += more.time;
        }
    }
}
