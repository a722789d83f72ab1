//! Builds small C programs natively and for the dependence mode, and collects what their runs record.

use parallax_execute::{ArenaSizes, Executor, Kind, Limits, Options, Run, TestCase, RUNNER_SUBCOMMAND};
use parallax_instrument::{instrument, Mode, Watch};
use parallax_trace::dependence::{chunks, At, Chunk, Decoder, DependenceMap, Event};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const BITCODE: [&str; 6] = ["-O1", "-g", "-w", "-Xclang", "-disable-llvm-passes", "-fwrapv"];

/// Where everything is made that a test leaves behind.
pub fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dependence").join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

pub fn tool(name: &str, arguments: &[&str]) {
    let output = Command::new(name).args(arguments).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}

/// One program in both builds.
pub struct Program {
    pub native: Executor,
    pub recording: Executor,
    pub map: DependenceMap,
    pub directory: PathBuf,
    pub bitcode: PathBuf,
}

/// What a run recorded, and what it did.
pub struct Recorded {
    pub run: Run,
    pub events: Vec<(u32, Event)>,
    pub flags: u32,
}

impl Program {
    pub fn build(name: &str, source: &str) -> Program {
        Program::build_with(name, source, ArenaSizes::default())
    }

    pub fn build_with(name: &str, source: &str, arena: ArenaSizes) -> Program {
        let directory = directory(name);
        let file = |name: &str| directory.join(name).to_str().unwrap().to_owned();
        std::fs::write(file("p.c"), source).unwrap();
        tool("clang-19", &["-O1", "-w", "-fwrapv", "-o", &file("native"), &file("p.c"), "-lpthread"]);
        let (from, to) = (file("p.c"), file("p.bc"));
        tool("clang-19", &[&BITCODE[..], &["-emit-llvm", "-c", "-o", &to, &from]].concat());
        let built = instrument(&parallax_instrument::Options {
            bitcode: file("p.bc").into(),
            link_arguments: vec![],
            cxx: false,
            mode: Mode::Dependence,
            watch: Watch::default(),
            cache: directory.join("cache"),
        })
        .unwrap_or_else(|e| panic!("{name}: {e}"));
        let options = Options {
            runner: Some(vec![env!("CARGO_BIN_EXE_parallax").into(), RUNNER_SUBCOMMAND.into()]),
            argv0: Some(b"prog".to_vec()),
            ..Options::default()
        };
        let native = Executor::new(Path::new(&file("native")), Kind::Native, options.clone()).unwrap();
        let recorded = Options { arena: Some(arena), ..options };
        let recording = Executor::new(&built.program, Kind::Instrumented, recorded).unwrap();
        let bitcode = file("p.bc").into();
        Program { native, recording, map: built.map.dependence.unwrap(), directory, bitcode }
    }

    /// A run from which the native one may not differ, its trace read afterwards.
    pub fn record(&mut self, test: &TestCase) -> Recorded {
        let native = self.native.run(test, &Limits::default()).unwrap();
        let recorded = self.record_alone(test);
        assert_eq!(recorded.run.outcome, native.outcome);
        assert_eq!(recorded.run.stdout, native.stdout);
        assert_eq!(recorded.run.stderr, native.stderr);
        recorded
    }

    pub fn record_alone(&mut self, test: &TestCase) -> Recorded {
        let mut events = Vec::new();
        let run = self.record_with(test, |at, event| events.push((at.thread, event)));
        Recorded { run, events, flags: self.recording.arena().header().flags }
    }

    /// A run, its events handed to `each`.
    pub fn record_with(&mut self, test: &TestCase, mut each: impl FnMut(At, Event)) -> Run {
        let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
        let run = self.recording.run(test, &limits).unwrap();
        let arena = self.recording.arena();
        let mut decoder = Decoder::new(&self.map);
        for chunk in chunks(arena.bytes(), &arena.header()).unwrap() {
            decoder.decode(&chunk, &mut each).unwrap();
        }
        run
    }

    /// The same, with chunks taken away while the program runs.
    pub fn stream(&mut self, test: &TestCase) -> Recorded {
        let mut events = Vec::new();
        let run = self.stream_with(test, |at, event| events.push((at.thread, event)));
        Recorded { run, events, flags: self.recording.arena().header().flags }
    }

    /// A streamed run, its events handed to `each`.
    pub fn stream_with(&mut self, test: &TestCase, mut each: impl FnMut(At, Event) + Send) -> Run {
        let mut decoder = Decoder::new(&self.map);
        // The machine may be busy with other things.
        let limits = Limits { time: Duration::from_secs(120), ..Limits::default() };
        let mut sink = |chunk: &Chunk| decoder.decode(chunk, &mut each).unwrap();
        self.recording.run_streamed(test, &limits, &mut sink).unwrap()
    }

    pub fn function(&self, name: &str) -> u32 {
        self.map.functions.iter().position(|f| f == name).unwrap_or_else(|| panic!("no function {name}"))
            as u32
    }
}

impl Recorded {
    /// Lines of standard output that begin with a word, as hexadecimal numbers.
    pub fn printed(&self, word: &str) -> Vec<u64> {
        let text = String::from_utf8_lossy(&self.run.stdout.bytes).into_owned();
        let number = |l: &str| u64::from_str_radix(l.trim_start_matches("0x"), 16).unwrap();
        text.lines().filter_map(|l| l.strip_prefix(word)?.strip_prefix(' ').map(number)).collect()
    }

    pub fn of_thread(&self, thread: u32) -> impl Iterator<Item = Event> + '_ {
        self.events.iter().filter(move |(t, _)| *t == thread).map(|(_, e)| *e)
    }
}
