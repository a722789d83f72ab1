//! One run made by hand, as text, as JSON and as SMT-LIB.

use parallax_report::{human, json, smtlib, view, HumanLimits, Run, TraceView};
use parallax_trace::format::*;
use parallax_trace::formula::FormulaLimits;
use parallax_trace::request::{Input, Source};
use parallax_trace::sites::*;
use parallax_trace::synth::Synth;
use parallax_trace::Trace;

/// Sites: 0 a branch in main, 1 a switch in main, 2 a call, 3 a branch inside a libc model.
fn map() -> ProgramMap {
    let site = |kind, block, line, cases: &[u64]| SiteInfo {
        kind,
        block,
        instruction: 0,
        line,
        column: 5,
        cases: cases.to_vec(),
        callee: None,
    };
    ProgramMap {
        functions: vec![
            FunctionInfo { name: "main".into(), file: Some(0), line: 1, model: false },
            FunctionInfo { name: "__plx_libc_strcmp".into(), file: None, line: 1, model: true },
        ],
        files: vec!["t.c".into()],
        blocks: vec![BlockInfo { function: 0, line: 1 }, BlockInfo { function: 1, line: 1 }],
        sites: vec![
            site(SiteKind::Branch, 0, 3, &[]),
            site(SiteKind::Switch, 0, 4, &[97, 98]),
            site(SiteKind::Call, 0, 5, &[]),
            site(SiteKind::Branch, 1, 9, &[]),
        ],
        edges: vec![],
        opaque: vec![],
        mode: Some(Mode::Symbolic),
        dependence: None,
    }
}

fn event(kind: u8, x: u32, y: u32, z: u32) -> RawEvent {
    RawEvent { kind, x, y, z, ..RawEvent::default() }
}

fn trace() -> Trace<'static> {
    let stdin = Input { source: Source::Stdin, bytes: b"ab\xff".to_vec(), symbolic: true };
    let argument = Input { source: Source::Argument(1), bytes: b"-v".to_vec(), symbolic: false };
    let mut synth = Synth::new(vec![argument, stdin]);
    let first = synth.input(1, 0);
    let x = synth.constant(8, b'x'.into());
    let is_x = synth.node(Op::Eq, 1, first, x, 0);
    synth.branch(0, is_x);
    synth.branch(3, is_x);
    synth.event(event(KIND_SWITCH, 1, first, 0), &0u32.to_le_bytes());
    let words: Vec<u8> =
        [104, OUTPUT_SYMBOLIC | first, 10].iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
    synth.event(event(KIND_OUTPUT, 1, 3, 2), &words);
    synth.event(event(KIND_OUTPUT, OUTPUT_EXIT, 1, 0), &(OUTPUT_SYMBOLIC | first).to_le_bytes());
    for _ in 0..3 {
        synth.event(event(KIND_ESCAPE, 2, first, 4), b"sqrt");
    }
    synth.event(RawEvent { aux: CONCRETE_FLOAT, ..event(KIND_CONCRETE, 2, first, 0) }, &[]);
    synth.event(event(KIND_OPTIONS, 1, 0, 21), b"vn:\nverbose\t0\t118\nx\t2");
    synth.event(event(KIND_COMPARE, first, 0, 4), b"help");
    synth.event(event(KIND_NOTE, NOTE_FORK, 0, 0), &[]);
    synth.event(event(KIND_END_OF_INPUT, 1, 3, 0), &[]);
    synth.event(event(KIND_END_OF_INPUT, 1, 3, 0), &[]);
    synth.trace()
}

fn rendered(trace: &Trace) -> TraceView {
    view(&Run {
        program: b"prog",
        exit: Some(3),
        signal: None,
        limit: None,
        stdout: b"ha\n",
        stderr: b"",
        seconds: 0.5,
        cpu_seconds: 0.25,
        trace,
        map: &map(),
        formulas: FormulaLimits::default(),
    })
}

#[test]
fn json_has_every_event_with_its_place_and_formula() {
    let trace = trace();
    let text = json(&rendered(&trace)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], "parallax/1");
    assert_eq!(json["exit"], 3);
    assert_eq!(json["signal"], serde_json::Value::Null);
    assert_eq!(json["inputs"][1]["bytes"]["base64"], "YWL/");
    let branch = &json["branches"][0];
    assert_eq!(branch["file"], "t.c");
    assert_eq!(branch["line"], 3);
    assert_eq!(branch["column"], 5);
    assert_eq!(branch["function"], "main");
    assert_eq!(branch["taken"], false);
    assert_eq!(branch["condition"], "stdin[0] != 'x'");
    assert_eq!(json["branches"][1]["libc"], true);
    assert_eq!(json["switches"][0]["condition"], "stdin[0] == 'a'");
    assert_eq!(json["outputs"][0]["bytes"], "ha\n");
    assert_eq!(json["outputs"][0]["symbolic"][0]["offset"], 1);
    assert_eq!(json["outputs"][0]["symbolic"][0]["formula"], "stdin[0]");
    assert_eq!(json["outputs"].as_array().unwrap().len(), 1, "the exit status is no output to a descriptor");
    assert_eq!(json["exit_formula"], "stdin[0]");
    assert_eq!(json["escapes"][0]["callee"], "sqrt");
    assert_eq!(json["escapes"][0]["count"], 3);
    assert_eq!(json["concretisations"][0]["reason"], "floating point");
    assert_eq!(json["ends_of_input"][0]["count"], 2);
    assert_eq!(json["options"][0]["short"], "vn:");
    assert_eq!(json["options"][0]["long"][0]["argument"], "none");
    assert_eq!(json["compares"][0]["token"], "help");
    assert_eq!(json["stats"]["branches"], 2);
    assert_eq!(json["stats"]["symbolic_bytes"], 3);
    assert_eq!(json["stats"]["symbolic_bytes_used"], 1);
    assert_eq!(json["stats"]["escapes"], 3);
    assert_eq!(json["stats"]["violations"], 0);
}

#[test]
fn the_text_shows_what_happened_in_order() {
    let text = human(&rendered(&trace()), &HumanLimits::default());
    let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("no {needle:?} in\n{text}"));
    let order = [
        at("argv[1]"),
        at("not symbolic"),
        at("t.c:3:5"),
        at("not taken: stdin[0] != 'x'"),
        at("libc strcmp"),
        at("case: stdin[0] == 'a'"),
        at("writes to stdout: \"h‹a›\\n\""),
        at("end of stdin at 3"),
        at("3x  passed to sqrt"),
        at("made concrete (floating point) at t.c:5:5: stdin[0]"),
        at("--verbose"),
        at("forked"),
        at("exit status 3"),
        at("2 branches at 2 places, 1 switch, 0 guards; 1 of 3 symbolic bytes used"),
    ];
    assert!(order.is_sorted(), "{order:?}\n{text}");
    assert!(!text.contains("WARNING"));
}

#[test]
fn a_long_text_says_how_much_was_left_out() {
    let limits = HumanLimits { events: 2, ..HumanLimits::default() };
    let text = human(&rendered(&trace()), &limits);
    assert!(text.contains("… and 3 more"), "{text}");
}

#[test]
fn a_cut_trace_says_so() {
    let mut synth = Synth::new(vec![]);
    synth.flags |= FLAG_EVENTS_FULL;
    let trace = synth.trace();
    let view = rendered(&trace);
    assert!(view.stats.cut);
    assert!(human(&view, &HumanLimits::default()).contains("the trace was cut"));
}

#[test]
fn a_trace_that_contradicts_its_run_is_called_a_bug() {
    let stdin = Input { source: Source::Stdin, bytes: b"a".to_vec(), symbolic: true };
    let mut synth = Synth::new(vec![stdin]);
    let byte = synth.input(0, 0);
    let same = synth.node(Op::Eq, 1, byte, byte, 0);
    synth.event(RawEvent { flag: 0, ..event(KIND_BRANCH, 0, same, 0) }, &[]);
    let text = human(&rendered(&synth.trace()), &HumanLimits::default());
    assert!(text.contains("WARNING: 1 condition or value does not agree"), "{text}");
}

#[test]
fn smtlib_names_the_source_of_every_assertion() {
    let text = smtlib(&trace(), &map());
    assert!(text.contains("; branch at t.c:3:5\n(assert (= n3 (_ bv0 1)))"), "{text}");
    assert!(text.contains("; made concrete at t.c:5:5\n(assert (= n1 (_ bv97 8)))"), "{text}");
}

#[test]
fn names_in_formulas_are_explained_once_and_only_where_they_are_used() {
    let stdin = Input { source: Source::Stdin, bytes: b"0123456789".to_vec(), symbolic: true };
    let mut synth = Synth::new(vec![stdin]);
    let ten = synth.constant(64, 10);
    let mut value = ten;
    for i in 0..40 {
        let byte = synth.input(0, i % 10);
        let digit = synth.node(Op::ZExt, 64, byte, 0, 0);
        let shifted = synth.node(Op::Mul, 64, value, ten, 0);
        value = synth.node(Op::Add, 64, shifted, digit, 0);
    }
    let limit = synth.constant(64, 1000);
    let less = synth.node(Op::Ult, 1, value, limit, 0);
    let at_most = synth.node(Op::Ule, 1, value, limit, 0);
    synth.branch(0, less);
    synth.branch(0, at_most);
    let text = human(&rendered(&synth.trace()), &HumanLimits::default());
    let (first, second) = (text.find("taken: ").unwrap(), text.rfind("taken: ").unwrap());
    assert!(first < second);
    for name in ["$1", "$2"] {
        assert_eq!(text.matches(&format!("where {name} = ")).count(), 1, "{text}");
        let at = text.find(&format!("where {name} = ")).unwrap();
        assert!(first < at && at < second, "{text}");
    }
}

#[test]
fn a_long_row_of_branches_in_one_libc_function_is_folded() {
    let stdin = Input { source: Source::Stdin, bytes: b"abcdefgh".to_vec(), symbolic: true };
    let mut synth = Synth::new(vec![stdin]);
    for i in 0..8 {
        let byte = synth.input(0, i);
        let zero = synth.constant(8, 0);
        let ended = synth.node(Op::Eq, 1, byte, zero, 0);
        synth.branch(3, ended);
    }
    let trace = synth.trace();
    let text = human(&rendered(&trace), &HumanLimits::default());
    assert!(text.contains("stdin[0] != '\\0'") && text.contains("stdin[7] != '\\0'"), "{text}");
    assert!(text.contains("… 6 more …") && !text.contains("stdin[3]"), "{text}");
    let all = human(&rendered(&trace), &HumanLimits { libc_lines: 8, ..HumanLimits::default() });
    assert!(all.contains("stdin[3] != '\\0'"), "{all}");
}
