//! Every way in which input bytes enter: which byte of which input is it?

use crate::support::{testdata, Program, Traced};
use parallax_execute::{Outcome, Symbolic, TestCase};
use parallax_trace::format::*;
use parallax_trace::reader::OutputByte;
use parallax_trace::request::Source;
use parallax_trace::{Event, Trace};

/// `in.txt`, standard input, the second argument and `$VALUE`.
const FILE: &str = "abcdefgh";
const STDIN: &str = "stuvwxyz";

fn test(case: &str, argument: &str) -> TestCase {
    TestCase {
        stdin: STDIN.into(),
        files: vec![("in.txt".into(), FILE.into())],
        env: vec![(b"VALUE".to_vec(), b"qrs".to_vec())],
        ..TestCase::with_args([case, argument])
    }
}

/// Each byte of standard output: where it comes from, `name[offset]`, or the byte itself if it is concrete.
fn origins(trace: &Trace) -> String {
    let mut all = Vec::new();
    for event in trace.events() {
        let Event::Output { fd: 1, bytes, .. } = event else { continue };
        all.extend(bytes.iter().map(|byte| match byte {
            OutputByte::Concrete(b) => format!("'{}'", b as char),
            OutputByte::Symbolic(label) => origin(trace, label),
        }));
    }
    all.join(" ")
}

fn origin(trace: &Trace, label: Label) -> String {
    let (op, node) = trace.node(label).unwrap();
    if op != Op::Input {
        return format!("{op:?}");
    }
    let name = match &trace.inputs()[node.a as usize].source {
        Source::Argument(n) => format!("arg{n}"),
        Source::Stdin => "stdin".into(),
        Source::File(_) => "file".into(),
        Source::Env(_) => "env".into(),
    };
    format!("{name}{}", node.b)
}

fn program(symbolic: Symbolic) -> Program {
    Program::build(&testdata(), "inputs.c", symbolic)
}

/// Runs the case natively and symbolically.
fn run(program: &mut Program, case: &str, argument: &str) -> Traced {
    let traced = program.trace(&test(case, argument));
    let native = program.run(&test(case, argument));
    assert_eq!(native.outcome, Outcome::Exited(0), "{case}");
    assert_eq!((traced.run.outcome, &traced.run.stdout), (native.outcome, &native.stdout), "{case}");
    assert_eq!(traced.trace.check_self(&program.map.sites), [], "{case}");
    assert_eq!(traced.trace.header().inconsistent, 0, "{case}");
    traced
}

#[test]
fn every_way_in_gives_every_byte_its_own_variable() {
    let mut program = program(Symbolic::default());
    let expected = [
        ("read", "x", "file0 file1 file2 file3"),
        ("pread", "x", "file5 file6 file7"),
        ("lseek", "x", "file0 file1 file6 file5"),
        ("duplicated", "x", "file0 file1 file2 file3 file4"),
        ("reopened", "x", "file0 file1 file0 file1 file2 file0 file1"),
        ("another_name", "x", "file0 file1 file2"),
        ("stream", "x", "file0 file1 file2 file3 file4"),
        ("stream_moved", "x", "file0 file4 file6 file0 file7"),
        ("pushed_back", "x", "file0 file1 file2"),
        ("unbuffered", "x", "file0 file1 file2"),
        ("mapped", "x", "file2 file3 file4 file5"),
        ("standard_input", "x", "stdin0 stdin1 stdin2 stdin3"),
        ("dev_stdin", "x", "stdin0 stdin1 stdin2"),
        ("dash", "-", "stdin0 stdin1"),
        ("dash", "in.txt", "file0 file1"),
        ("argument", "xyz", "arg20 arg21 arg22"),
        ("environment", "x", "env0 env1 env2 'V' 'A' 'L' 'U' 'E' '=' env0 env1"),
    ];
    let mut wrong = Vec::new();
    for (case, argument, expected) in expected {
        let found = origins(&run(&mut program, case, argument).trace);
        if found != expected {
            wrong.push(format!("{case} {argument}: expected {expected}\n  found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_end_of_an_argument_is_a_byte_like_any_other() {
    let mut program = program(Symbolic::default());
    let traced = run(&mut program, "terminator", "xy");
    // Byte 2 of an argument of two bytes.
    assert_eq!(origins(&traced.trace), "arg22");
}

#[test]
fn reaching_the_end_of_an_input_is_an_event() {
    let mut program = program(Symbolic::default());
    let traced = run(&mut program, "to_the_end", "x");
    let ends: Vec<_> = traced
        .trace
        .events()
        .filter_map(|e| match e {
            Event::EndOfInput { input, offset } => {
                Some((traced.trace.inputs()[input as usize].source.clone(), offset))
            }
            _ => None,
        })
        .collect();
    assert!(ends.contains(&(Source::Stdin, 8)), "{ends:?}");
    let file = |s: &Source| matches!(s, Source::File(_));
    assert!(ends.iter().any(|(source, at)| file(source) && *at == 8), "{ends:?}");
}

#[test]
fn what_the_program_wrote_over_its_input_is_not_input() {
    let mut program = program(Symbolic::default());
    for case in ["overwritten", "overwritten_through_a_stream"] {
        let traced = run(&mut program, case, "x");
        let found = origins(&traced.trace);
        assert!(!found.contains("file0") && !found.contains("file2"), "{case}: {found}");
        let note = Event::Note { note: NOTE_INPUT_WRITTEN };
        assert!(traced.trace.events().any(|e| e == note), "{case}");
    }
}

#[test]
fn only_what_was_chosen_is_symbolic() {
    let none = Symbolic { arguments: false, stdin: false, files: false, env: false };
    let cases =
        [("read", "file0"), ("standard_input", "stdin0"), ("argument", "arg20"), ("environment", "env0")];
    for (chosen, (case, label)) in cases.iter().enumerate() {
        let symbolic = match chosen {
            0 => Symbolic { files: true, ..none },
            1 => Symbolic { stdin: true, ..none },
            2 => Symbolic { arguments: true, ..none },
            _ => Symbolic { env: true, ..none },
        };
        let mut program = program(symbolic);
        for (other, _) in cases {
            let found = origins(&run(&mut program, other, "xyz").trace);
            assert_eq!(found.contains(label), other == *case, "{other} with {symbolic:?}: {found}");
        }
    }
}
