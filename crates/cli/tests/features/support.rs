//! Builds the feature programs, natively and instrumented, and runs them.
//!
//! Always holds: one cache for all tests, so that the models are instrumented once.

use parallax_build::{Cache, Request, Source};
use parallax_execute::{Executor, Kind, Limits, Options, Run, Symbolic, TestCase};
use parallax_instrument::{instrument, Instrumented, Watch};
use parallax_trace::format::Mode;
use parallax_trace::request::{self, Input};
use parallax_trace::sites::ProgramMap;
use parallax_trace::Trace;
use std::path::{Path, PathBuf};

/// Where the programs are.
pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/features/testdata")
}

fn cache() -> Cache {
    Cache::at(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
}

/// One program in all its builds.
pub struct Program {
    pub native: Executor,
    pub symbolic: Executor,
    pub coverage: Executor,
    pub dependence: Executor,
    pub map: ProgramMap,
    /// The symbolic build, to be started by hand.
    pub path: PathBuf,
}

/// What an instrumented run left behind.
pub struct Traced {
    pub run: Run,
    pub trace: Trace<'static>,
}

impl Program {
    /// Builds `file` of a directory. `symbolic`: which inputs are.
    pub fn build(directory: &Path, file: &str, symbolic: Symbolic) -> Program {
        Program::build_with(directory, file, symbolic, Options::default())
    }

    pub fn build_with(directory: &Path, file: &str, symbolic: Symbolic, base: Options) -> Program {
        let command = format!("$CC -std=gnu17 -w -fwrapv -fno-strict-aliasing -o prog {file} -lm -lpthread");
        let request = Request {
            command: Some(command),
            program: Some("prog".into()),
            wrapper: Some(env!("CARGO_BIN_EXE_parallax-cc").into()),
            ..Request::new(Source::Tree(directory.into()))
        };
        let version = parallax_build::build(&request, &cache()).unwrap_or_else(|e| panic!("{file}: {e}"));
        let instrumented = |mode| -> Instrumented {
            instrument(&parallax_instrument::Options {
                bitcode: version.bitcode.clone(),
                link_arguments: version.link.arguments(),
                cxx: version.link.cxx,
                mode,
                watch: Watch::default(),
                cache: cache().root().to_path_buf(),
            })
            .unwrap_or_else(|e| panic!("{file}: {e}"))
        };
        let options = Options {
            runner: Some(vec![
                env!("CARGO_BIN_EXE_parallax").into(),
                parallax_execute::RUNNER_SUBCOMMAND.into(),
            ]),
            argv0: Some(b"prog".to_vec()),
            symbolic,
            ..base
        };
        let start = |path: &Path, kind, options: Options| {
            Executor::new(path, kind, options).unwrap_or_else(|e| panic!("{file}: {e}"))
        };
        let (full, edges) = (instrumented(Mode::Symbolic), instrumented(Mode::Coverage));
        let accesses = instrumented(Mode::Dependence);
        let native = Options { arena: None, ..options.clone() };
        Program {
            native: start(&version.native, Kind::Native, native),
            symbolic: start(&full.program, Kind::Instrumented, options.clone()),
            coverage: start(&edges.program, Kind::Instrumented, options.clone()),
            dependence: start(&accesses.program, Kind::Instrumented, options),
            map: full.map,
            path: full.program,
        }
    }

    /// One recorded run.
    pub fn trace(&mut self, test: &TestCase) -> Traced {
        self.trace_within(test, &Limits::default())
    }

    pub fn trace_within(&mut self, test: &TestCase, limits: &Limits) -> Traced {
        let run = self.symbolic.run(test, limits).unwrap();
        let arena = self.symbolic.arena();
        let header = arena.header();
        let (from, len) = (header.request_offset as usize, header.request_len as usize);
        let request = request::Request::decode(&arena.bytes()[from..from + len]).unwrap();
        let inputs: Vec<Input> = request.inputs;
        let trace = Trace::decode(arena.bytes(), &inputs).unwrap().into_owned();
        Traced { run, trace }
    }

    /// A native run.
    pub fn run(&mut self, test: &TestCase) -> Run {
        self.native.run(test, &Limits::default()).unwrap()
    }
}

/// A small generator of numbers, so that every run of the tests sees the same ones.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}
