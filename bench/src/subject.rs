//! One C program, built natively, with the coverage and with the symbolic instrumentation.

use crate::Result;
use parallax_execute::{Arena, ArenaSizes, Executor, Kind, Limits, Options, Run, Symbolic, TestCase};
use parallax_instrument::{instrument, Instrumented, Mode, Watch};
use parallax_trace::request::{Input, Request};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// As `parallax-cc` compiles bitcode.
const BITCODE: &[&str] = &[
    "-O1",
    "-c",
    "-emit-llvm",
    "-g",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
    "-D_FORTIFY_SOURCE=0",
];
const NATIVE: &[&str] = &["-O1"];

/// The three builds of a subject.
pub struct Subject {
    pub native: PathBuf,
    pub coverage: PathBuf,
    pub symbolic: PathBuf,
}

pub const LIMITS: Limits = Limits {
    time: Duration::from_secs(60),
    memory: 4 << 30,
    output: 16 << 20,
    file_size: 16 << 20,
    processes: 64,
    work: 0,
    changed_files: 10_000,
    changed_bytes: 64 << 20,
};

pub const NOTHING_SYMBOLIC: Symbolic = Symbolic { arguments: false, stdin: false, files: false, env: false };
pub const STDIN_SYMBOLIC: Symbolic = Symbolic { stdin: true, ..NOTHING_SYMBOLIC };

/// Where builds of single files are kept.
pub fn cache() -> PathBuf {
    std::env::temp_dir().join("parallax-bench")
}

fn clang(flags: &[&str], source: &Path, out: &Path) -> Result<()> {
    // Another thread or process may be about to run what is there: the new one takes its place at once.
    let new = out.with_extension(format!("{}-{:?}.new", std::process::id(), std::thread::current().id()));
    let output = Command::new("clang-19").args(flags).arg(source).arg("-o").arg(&new).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(std::fs::rename(new, out)?)
}

/// Native program of one file, in `directory`.
pub fn native(source: &Path, name: &str, directory: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(directory)?;
    let native = directory.join(name);
    clang(NATIVE, source, &native)?;
    Ok(native)
}

/// Native program and bitcode of one file, below `cache`.
pub fn compile(source: &Path, name: &str, cache: &Path) -> Result<(PathBuf, PathBuf)> {
    let (native, bitcode) = (native(source, name, cache)?, cache.join(format!("{name}.bc")));
    clang(BITCODE, source, &bitcode)?;
    Ok((native, bitcode))
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects").join(name).with_extension("c")
}

/// Bitcode of `bench/subjects/NAME.c`.
pub fn bitcode(name: &str) -> Result<PathBuf> {
    Ok(compile(&source(name), name, &cache())?.1)
}

impl Subject {
    /// Builds `bench/subjects/NAME.c`.
    pub fn build(name: &str) -> Result<Subject> {
        let cache = cache();
        let (native, bitcode) = compile(&source(name), name, &cache)?;
        let with = |mode| instrumented(&bitcode, mode).map(|i| i.program);
        Ok(Subject { coverage: with(Mode::Coverage)?, symbolic: with(Mode::Symbolic)?, native })
    }
}

/// Bitcode of a single file, instrumented.
pub fn instrumented(bitcode: &Path, mode: Mode) -> Result<Instrumented> {
    let options = parallax_instrument::Options {
        bitcode: bitcode.to_path_buf(),
        link_arguments: vec![],
        cxx: false,
        mode,
        watch: Watch::default(),
        cache: cache(),
    };
    Ok(instrument(&options)?)
}

/// Native program and dependence build of `bench/subjects/NAME.c`.
pub fn with_dependences(name: &str) -> Result<(PathBuf, Instrumented)> {
    let (native, bitcode) = compile(&source(name), name, &cache())?;
    Ok((native, instrumented(&bitcode, Mode::Dependence)?))
}

/// An executor for one build.
pub fn executor(program: &Path, kind: Kind, symbolic: Symbolic) -> Result<Executor> {
    executor_with(program, kind, Options { symbolic, ..Options::default() })
}

/// Likewise, with other options.
pub fn executor_with(program: &Path, kind: Kind, options: Options) -> Result<Executor> {
    let arena = match kind {
        Kind::Native => None,
        Kind::Instrumented => Some(ArenaSizes { nodes: 64 << 20, events: 1 << 30, ..ArenaSizes::default() }),
    };
    Ok(Executor::new(program, kind, Options { arena, ..options })?)
}

/// A run that must succeed.
pub fn run(executor: &mut Executor, test: &TestCase) -> Result<Run> {
    let run = executor.run(test, &LIMITS)?;
    match run.outcome {
        parallax_execute::Outcome::Exited(_) => Ok(run),
        other => Err(format!("{}: {other:?}", executor.program().display()).into()),
    }
}

/// What the last run was given, as its trace numbers it.
pub fn inputs(arena: &Arena) -> Result<Vec<Input>> {
    let header = arena.header();
    let (from, len) = (header.request_offset as usize, header.request_len as usize);
    let request = Request::decode(&arena.bytes()[from..from + len]).ok_or("the request was overwritten")?;
    Ok(request.inputs)
}
