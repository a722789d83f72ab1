//! A program whose model is checked: its dependence build, its model, its runs.

use super::{with_checker, Checker, Tally};
use crate::lines::parse;
use crate::seeds::{source, OWN};
use crate::subject;
use parallax_build::Cache;
use parallax_execute::{ArenaSizes, Executor, Kind, Limits, Options, TestCase};
use parallax_instrument::{clean_up, instrument, Mode, Watch};
use parallax_model::calls::CallGraph;
use parallax_model::Program;
use parallax_trace::dependence::{chunks, ChunkError, Decoder, DependenceMap};
use parallax_trace::format::{Header, FLAG_EVENTS_FULL};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most of a trace that is kept.
const TRACE_BYTES: u64 = 1 << 30;
/// Time limit of a recorded run.
const TIME: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub enum CheckedError {
    #[error(transparent)]
    Build(#[from] parallax_build::BuildError),
    #[error("{0}")]
    Compile(String),
    #[error(transparent)]
    Instrument(#[from] parallax_instrument::Error),
    #[error(transparent)]
    Model(#[from] parallax_model::LoadError),
    #[error(transparent)]
    Execute(#[from] parallax_execute::Error),
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    #[error(
        "`{command}` never ran the program (is it a test command of the package?); it said last:\n{said}"
    )]
    NoRuns { command: String, said: String },
    #[error("{path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
}

pub struct Checked {
    pub name: String,
    pub model: Program,
    pub map: DependenceMap,
    pub program: PathBuf,
    executor: Executor,
}

impl Checked {
    /// A program that was built with `parallax-cc`.
    pub fn built(name: &str, program: &Path, runner: Option<Vec<OsString>>) -> Result<Checked, CheckedError> {
        let cache = Cache::from_environment();
        let version = parallax_build::collect(program, &cache)?;
        let options = parallax_instrument::Options {
            link_arguments: version.link.arguments(),
            cxx: version.link.cxx,
            bitcode: version.bitcode,
            mode: Mode::Dependence,
            watch: Watch::default(),
            cache: cache.root().to_path_buf(),
        };
        Checked::of(name, &options, runner)
    }

    /// One C file.
    pub fn file(path: &Path, runner: Option<Vec<OsString>>) -> Result<Checked, CheckedError> {
        let cache = subject::cache().join("check");
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (_, bitcode) =
            subject::compile(path, &name, &cache).map_err(|e| CheckedError::Compile(e.to_string()))?;
        let options = parallax_instrument::Options {
            bitcode,
            link_arguments: vec![],
            cxx: false,
            mode: Mode::Dependence,
            watch: Watch::default(),
            cache,
        };
        Checked::of(&name, &options, runner)
    }

    fn of(
        name: &str,
        options: &parallax_instrument::Options,
        runner: Option<Vec<OsString>>,
    ) -> Result<Checked, CheckedError> {
        let made = instrument(options)?;
        let path = clean_up(&options.bitcode, &options.cache)?;
        let bytes = std::fs::read(&path).map_err(|source| CheckedError::Read { path, source })?;
        let arena = Some(ArenaSizes { events: TRACE_BYTES, nodes: 0, tables: 0, ..ArenaSizes::default() });
        let running = Options { argv0: Some(name.into()), runner, arena, ..Options::default() };
        Ok(Checked {
            name: name.to_owned(),
            model: parallax_model::load(&bytes)?,
            map: made.map.dependence.unwrap_or_default(),
            executor: Executor::new(&made.program, Kind::Instrumented, running)?,
            program: made.program,
        })
    }

    /// Runs all tests and checks everything that they do.
    pub fn check(&mut self, tests: impl IntoIterator<Item = TestCase>) -> Result<Tally, CheckedError> {
        self.check_with(None, tests)
    }

    /// The same with another call graph than the model's.
    pub fn check_with(
        &mut self,
        graph: Option<CallGraph>,
        tests: impl IntoIterator<Item = TestCase>,
    ) -> Result<Tally, CheckedError> {
        let Checked { model, map, executor, .. } = self;
        let limits = Limits { time: TIME, ..Limits::default() };
        with_checker(model, map, graph, |checker| {
            for test in tests {
                executor.run(&test, &limits)?;
                let arena = executor.arena();
                check_trace(arena.bytes(), &arena.header(), map, checker)?;
            }
            Ok(std::mem::take(&mut checker.tally))
        })
    }
}

/// Checks everything in one trace.
pub(super) fn check_trace(
    arena: &[u8],
    header: &Header,
    map: &DependenceMap,
    checker: &mut Checker,
) -> Result<(), CheckedError> {
    checker.begin();
    checker.tally.cut += u64::from(header.flags & FLAG_EVENTS_FULL != 0);
    let mut decoder = Decoder::new(map);
    for chunk in chunks(arena, header)? {
        decoder.decode(&chunk, |at, event| checker.event(at, &event))?;
    }
    checker.end();
    Ok(())
}

/// The programs of `bench/subjects`, with tests for each.
pub fn own_programs() -> Vec<(PathBuf, Vec<TestCase>)> {
    let mut all: Vec<(PathBuf, Vec<TestCase>)> =
        OWN.iter().map(|(name, seeds)| (source(name), seeds.iter().map(|s| parse(s)).collect())).collect();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let input = |rounds: &str, stdin: Vec<u8>| TestCase { stdin, ..TestCase::with_args([rounds]) };
    let script = b"i = 0; sum = 0; while i < 50 { sum = (sum * 31 + i) % 65537; i = i + 1; }\n".to_vec();
    for (name, test) in [
        ("compress", input("1", crate::prose(20_000))),
        ("sha256", input("1", crate::prose(2_000))),
        ("interpreter", input("2", script)),
    ] {
        all.push((directory.join(name).with_extension("c"), vec![test]));
    }
    all
}
