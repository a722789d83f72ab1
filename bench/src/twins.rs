//! A program under measurement, native and symbolic.
//!
//! In: a program built with `parallax-cc`, or a C file. Out: executors of both builds with the same
//! name, directory and environment, and the trace of a symbolic run.
//!
//! Always holds: both builds come from the same sources; what is built is in the cache.

use crate::subject;
use parallax_build::Cache;
use parallax_execute::{Executor, Kind, Limits, Options, Run, TestCase};
use parallax_instrument::{instrument, Mode, ProgramMap, Watch};
use parallax_trace::request::{self, Input};
use parallax_trace::Trace;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// Time limit of a native run; a symbolic one gets [`SYMBOLIC_FACTOR`] times as much.
const NATIVE_TIME: Duration = Duration::from_secs(5);
const SYMBOLIC_FACTOR: u32 = 12;

#[derive(Debug, Error)]
pub enum SubjectError {
    #[error("no program {name} below {directory}; build it with parallax-cc first (scripts/build-debian-packages.sh)")]
    NotFound { name: String, directory: PathBuf },
    #[error(transparent)]
    Build(#[from] parallax_build::BuildError),
    #[error("clang-19 failed: {0}")]
    Compile(String),
    #[error(transparent)]
    Instrument(#[from] parallax_instrument::Error),
    #[error(transparent)]
    Execute(#[from] parallax_execute::Error),
    #[error(transparent)]
    Decode(#[from] parallax_trace::DecodeError),
    #[error("the run wrote over its own request")]
    Overwritten,
}

/// What an instrumented program is made from.
struct Build {
    bitcode: PathBuf,
    link_arguments: Vec<String>,
    cxx: bool,
    cache: PathBuf,
}

/// One program, ready to run.
pub struct Subject {
    pub name: String,
    pub native: Executor,
    pub symbolic: Executor,
    pub map: ProgramMap,
}

impl Subject {
    /// A program that was built with `parallax-cc`.
    pub fn built(name: &str, program: &Path, runner: Option<Vec<OsString>>) -> Result<Subject, SubjectError> {
        let cache = Cache::from_environment();
        let version = parallax_build::collect(program, &cache)?;
        let build = Build {
            link_arguments: version.link.arguments(),
            cxx: version.link.cxx,
            bitcode: version.bitcode,
            cache: cache.root().to_path_buf(),
        };
        Subject::of(name, &version.native, build, runner)
    }

    /// One C file.
    pub fn file(path: &Path, runner: Option<Vec<OsString>>) -> Result<Subject, SubjectError> {
        let cache = subject::cache().join("exact");
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (native, bitcode) =
            subject::compile(path, &name, &cache).map_err(|e| SubjectError::Compile(e.to_string()))?;
        Subject::of(&name, &native, Build { bitcode, link_arguments: vec![], cxx: false, cache }, runner)
    }

    fn of(
        name: &str,
        native: &Path,
        build: Build,
        runner: Option<Vec<OsString>>,
    ) -> Result<Subject, SubjectError> {
        let made = instrument(&parallax_instrument::Options {
            bitcode: build.bitcode,
            link_arguments: build.link_arguments,
            cxx: build.cxx,
            mode: Mode::Symbolic,
            watch: Watch::default(),
            cache: build.cache,
        })?;
        let options = Options { argv0: Some(name.into()), runner, ..Options::default() };
        Ok(Subject {
            name: name.to_owned(),
            native: Executor::new(native, Kind::Native, options.clone())?,
            symbolic: Executor::new(&made.program, Kind::Instrumented, options)?,
            map: made.map,
        })
    }

    pub fn run_native(&mut self, test: &TestCase) -> Result<Run, SubjectError> {
        let limits = Limits { time: NATIVE_TIME, ..Limits::default() };
        Ok(self.native.run(test, &limits)?)
    }

    /// A symbolic run; what it recorded is there until the next one.
    pub fn run_symbolic(&mut self, test: &TestCase) -> Result<(Run, Inputs), SubjectError> {
        let limits = Limits { time: NATIVE_TIME * SYMBOLIC_FACTOR, ..Limits::default() };
        let run = self.symbolic.run(test, &limits)?;
        let arena = self.symbolic.arena();
        let header = arena.header();
        let (from, len) = (header.request_offset as usize, header.request_len as usize);
        let bytes = arena.bytes().get(from..).and_then(|rest| rest.get(..len));
        let request = bytes.and_then(request::Request::decode).ok_or(SubjectError::Overwritten)?;
        Ok((run, request.inputs))
    }

    /// The trace of the last symbolic run.
    pub fn trace<'s>(&'s self, inputs: &'s [Input]) -> Result<Trace<'s>, SubjectError> {
        Ok(Trace::decode(self.symbolic.arena().bytes(), inputs)?)
    }
}

/// The inputs of a run as its trace numbers them.
pub type Inputs = Vec<Input>;

/// The program of this name below a directory of built packages: `NAME` itself, `PACKAGE/src/NAME`,
/// `PACKAGE/NAME/NAME` or `PACKAGE/NAME`.
pub fn find(directory: &Path, package: &str, name: &str) -> Result<PathBuf, SubjectError> {
    let package = directory.join(package);
    let places = [
        package.join("src").join(name),
        package.join(name).join(name),
        package.join(name),
        directory.join(name),
    ];
    let found = places.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| SubjectError::NotFound { name: name.to_owned(), directory: directory.to_path_buf() })
}
