//! Builds pairs of small C programs for the dependence mode with values, runs and follows them.

use parallax_change::{compare, Comparison, Settings};
use parallax_execute::{ArenaSizes, Executor, Kind, Limits, Options, TestCase, RUNNER_SUBCOMMAND};
use parallax_follow::{follow, item, Cursor, Followed, Item, Pairing};
use parallax_instrument::{clean_up, instrument, Mode, Watch};
use parallax_model::{load, Program};
use parallax_trace::dependence::{Chunk, Decoder, DependenceMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const BITCODE: [&str; 7] = ["-O1", "-g", "-w", "-Xclang", "-disable-llvm-passes", "-fwrapv", "-emit-llvm"];

fn tool(name: &str, arguments: &[&str]) {
    let output = Command::new(name).args(arguments).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}

struct Version {
    program: Program,
    recording: Executor,
    map: DependenceMap,
}

/// Two versions of a program in one file, `p.c`.
pub struct Pair {
    versions: [Version; 2],
    pub comparison: Comparison,
}

/// Where a test leaves everything.
pub fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("follow").join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

impl Pair {
    pub fn build(name: &str, old: &str, new: &str) -> Pair {
        let versions = [("old", old), ("new", new)].map(|(version, text)| {
            let directory = directory(name).join(version);
            std::fs::create_dir_all(&directory).unwrap();
            build(&directory, text)
        });
        let comparison = compare(&versions[0].program, &versions[1].program, &Settings::default());
        Pair { versions, comparison }
    }

    /// Both versions followed on one test case, after a look at what is known about them.
    pub fn follow<T>(
        &mut self,
        test: &TestCase,
        most: parallax_follow::Limits,
        look: impl FnOnce(&Pairing, &Followed) -> T,
    ) -> T {
        let Pair { versions: [old, new], comparison } = self;
        let cursors = [record(old, test), record(new, test)].map(Cursor::of_list);
        let pairing = Pairing::new(&old.program, &new.program, comparison);
        let followed = follow(&pairing, cursors, most, &|| false);
        look(&pairing, &followed)
    }
}

fn build(directory: &Path, text: &str) -> Version {
    let file = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    std::fs::write(file("p.c"), text).unwrap();
    let (from, to) = (file("p.c"), file("p.bc"));
    tool("clang-19", &[&BITCODE[..], &["-c", "-o", &to, &from]].concat());
    let cache = directory.join("cache");
    let cleaned = clean_up(Path::new(&to), &cache).unwrap();
    let program = load(&std::fs::read(cleaned).unwrap()).unwrap();
    let watch: Watch =
        program.defined_functions().map(|f| (program.func(f).name.clone(), u32::MAX)).collect();
    let built = instrument(&parallax_instrument::Options {
        bitcode: to.into(),
        link_arguments: vec!["-lpthread".into()],
        cxx: false,
        mode: Mode::Dependence,
        watch,
        cache,
    })
    .unwrap();
    let options = Options {
        runner: Some(vec![env!("CARGO_BIN_EXE_parallax").into(), RUNNER_SUBCOMMAND.into()]),
        argv0: Some(b"prog".to_vec()),
        arena: Some(ArenaSizes { events: 32 << 20, ..ArenaSizes::default() }),
        ..Options::default()
    };
    let recording = Executor::new(&built.program, Kind::Instrumented, options).unwrap();
    Version { program, recording, map: built.map.dependence.unwrap() }
}

fn record(version: &mut Version, test: &TestCase) -> Vec<Item> {
    let mut items = Vec::new();
    let mut decoder = Decoder::new(&version.map);
    // The machine may be busy with other things.
    let limits = Limits { time: Duration::from_secs(20), ..Limits::default() };
    let mut sink = |chunk: &Chunk| decoder.decode(chunk, |at, event| items.push(item(at, event))).unwrap();
    version.recording.run_streamed(test, &limits, &mut sink).unwrap();
    items
}

pub fn arguments(words: &[&str]) -> TestCase {
    TestCase { argv: words.iter().map(|w| w.as_bytes().to_vec()).collect(), ..TestCase::default() }
}

/// What a native build with `-DSHOW` prints to standard error and to standard output.
pub fn shown(name: &str, text: &str, words: &[&str]) -> [String; 2] {
    let directory = directory(name);
    let file = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    std::fs::write(file("s.c"), text).unwrap();
    tool("clang-19", &["-O1", "-w", "-fwrapv", "-DSHOW", "-o", &file("s"), &file("s.c")]);
    let output = Command::new(file("s")).args(words).output().unwrap();
    [output.stderr, output.stdout].map(|text| String::from_utf8_lossy(&text).into_owned())
}
