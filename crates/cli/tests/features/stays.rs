//! A process that runs one test case after another: every run is what it would be in a process of its own.

use crate::support::{testdata, Numbers, Program, Traced};
use parallax_execute::{Limits, Options, Outcome, Symbolic, TestCase};
use std::time::Duration;

const ENDS: [&str; 9] = ["return", "deep", "exit", "quick", "abort", "crash", "closed", "forever", "unknown"];
const TEXTS: [&str; 4] = ["a", "text", "xyz", "a much longer text than the others"];
const INPUTS: [&str; 4] = ["", "x\n", "one\ntwo\nxxx\n", "no end of line"];
const RUNS: u64 = 120;

fn program(may_stay: bool) -> Program {
    program_of("stays.c", may_stay)
}

fn program_of(file: &str, may_stay: bool) -> Program {
    Program::build_with(&testdata(), file, Symbolic::default(), Options { may_stay, ..Options::default() })
}

fn random_test(numbers: &mut Numbers) -> TestCase {
    let mut one_of = |texts: &[&'static str]| texts[numbers.below(texts.len() as u64) as usize];
    let (end, text, stdin) = (one_of(&ENDS), one_of(&TEXTS), one_of(&INPUTS));
    TestCase { stdin: stdin.into(), ..TestCase::with_args([end, text]) }
}

fn short() -> Limits {
    Limits { time: Duration::from_millis(300), ..Limits::default() }
}

/// Everything that can be seen of a run, and what it recorded.
fn seen(traced: &Traced) -> impl PartialEq + std::fmt::Debug {
    let run = &traced.run;
    let events: Vec<String> = traced.trace.events().map(|event| format!("{event:?}")).collect();
    let edges: Vec<(u32, u8)> = traced.trace.edges_taken().collect();
    (run.outcome, run.stdout.clone(), run.stderr.clone(), run.files.clone(), events, edges)
}

#[test]
fn a_run_after_others_is_like_a_run_of_its_own() {
    let (mut staying, mut forked) = (program(true), program(false));
    let mut numbers = Numbers(1);
    for _ in 0..RUNS {
        let test = random_test(&mut numbers);
        let (one, other) = (staying.trace_within(&test, &short()), forked.trace_within(&test, &short()));
        assert_eq!(seen(&one), seen(&other), "{test:?}");
        assert_eq!(one.trace.check_self(&staying.map.sites), [], "{test:?}");
    }
}

#[test]
fn one_process_runs_many_test_cases_unless_one_of_them_ends_it() {
    let mut program = program(true);
    let mut began = |end: &str| {
        std::thread::sleep(Duration::from_millis(30));
        assert_ne!(program.trace(&TestCase::with_args([end, "text"])).run.outcome, Outcome::Lost);
        std::thread::sleep(Duration::from_millis(30));
        program.trace(&TestCase::with_args(["beginning"])).run.stdout.bytes
    };
    let first = began("return");
    assert!(!first.is_empty());
    for end in ["exit", "deep", "closed", "return"] {
        assert_eq!(began(end), first, "{end}");
    }
    assert_ne!(began("quick"), first);
    assert_ne!(began("crash"), first);
}

#[test]
fn without_being_asked_to_no_process_stays() {
    let mut program = program(false);
    let mut began = || {
        std::thread::sleep(Duration::from_millis(30));
        program.trace(&TestCase::with_args(["beginning"])).run.stdout.bytes
    };
    assert_ne!(began(), began());
}

#[test]
fn a_process_that_stays_has_as_much_memory_as_one_of_its_own() {
    let limits = Limits { memory: 200 << 20, ..Limits::default() };
    let room = |may_stay: bool| {
        let run = program(may_stay).trace_within(&TestCase::with_args(["room"]), &limits).run;
        String::from_utf8_lossy(&run.stdout.bytes).trim().parse::<u32>().unwrap_or_else(|_| panic!("{run:?}"))
    };
    assert!((40..=50).contains(&room(false)));
    assert_eq!(room(true), room(false));
}

#[test]
fn what_destructors_print_is_seen() {
    let mut program = program_of("destructor.c", true);
    for args in [vec!["a"], vec![], vec!["a", "b"]] {
        let expected = format!("last words, {}\n", args.len() + 1);
        assert_eq!(program.trace(&TestCase::with_args(args)).run.stdout.bytes, expected.as_bytes());
    }
}
