//! Watched sites: instructions chosen by the engine, whose labels and values are recorded when they execute.

use parallax_build::{Cache, Request, Source};
use parallax_execute::{Executor, Kind, Limits, Options, TestCase};
use parallax_instrument::{instrument, Instrumented, Watch};
use parallax_trace::eval::bytes_of;
use parallax_trace::format::Mode;
use parallax_trace::request;
use parallax_trace::sites::SiteKind;
use parallax_trace::{Event, Trace};
use std::path::Path;

/// `twice` is called three times; its division is on line 2.
const PROGRAM: &str = "#include <stdio.h>
static int twice(int x) { int y = x / 3; return y * 2; }
int main(int argc, char **argv) {
    int first = argv[1][0];
    printf(\"%d %d %d\\n\", twice(first), twice(12), twice(first + 3));
    return 0;
}
";

fn instrumented(cache: &Cache, bitcode: &Path, watch: Watch) -> Instrumented {
    instrument(&parallax_instrument::Options {
        bitcode: bitcode.into(),
        link_arguments: vec![],
        cxx: false,
        mode: Mode::Symbolic,
        watch,
        cache: cache.root().to_path_buf(),
    })
    .unwrap()
}

#[test]
fn a_watched_instruction_is_recorded_with_value_and_label_each_time_it_executes() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("w.c");
    std::fs::write(&file, PROGRAM).unwrap();
    let cache = Cache::at(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let wrapper = Some(env!("CARGO_BIN_EXE_parallax-cc").into());
    let version =
        parallax_build::build(&Request { wrapper, ..Request::new(Source::File(file)) }, &cache).unwrap();
    let plain = instrumented(&cache, &version.bitcode, Watch::new());
    let function = |site: &parallax_trace::sites::SiteInfo| {
        plain.map.functions[plain.map.blocks[site.block as usize].function as usize].name.clone()
    };
    let division =
        plain.map.sites.iter().find(|s| s.kind == SiteKind::Arithmetic && function(s) == "twice").unwrap();
    assert_eq!(division.line, 2);
    let watch = Watch::from([(function(division), division.instruction)]);
    let watched = instrumented(&cache, &version.bitcode, watch);
    assert_eq!(plain.map.sites, watched.map.sites, "watching changes no number");

    let runner = vec![env!("CARGO_BIN_EXE_parallax").into(), parallax_execute::RUNNER_SUBCOMMAND.into()];
    let options = Options { runner: Some(runner), ..Options::default() };
    let mut executor = Executor::new(&watched.program, Kind::Instrumented, options).unwrap();
    let run = executor.run(&TestCase::with_args(["Z"]), &Limits::default()).unwrap();
    assert_eq!(run.stdout.bytes, b"60 8 62\n");
    let arena = executor.arena();
    let header = arena.header();
    let (from, len) = (header.request_offset as usize, header.request_len as usize);
    let inputs = request::Request::decode(&arena.bytes()[from..from + len]).unwrap().inputs;
    let trace = Trace::decode(arena.bytes(), &inputs).unwrap();
    let mut seen: Vec<(u64, bool)> = Vec::new();
    for event in trace.events() {
        if let Event::Watch { label, value, .. } = event {
            if label != 0 {
                assert_eq!(trace.eval(label, &bytes_of(&inputs)), Some(value));
            }
            seen.push((value, label != 0));
        }
    }
    // The order in which C evaluates arguments is not fixed.
    seen.sort();
    assert_eq!(seen, [(4, false), (30, true), (31, true)]);
}
