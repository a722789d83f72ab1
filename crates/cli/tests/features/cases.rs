//! Runs every `CASE` of the feature programs and compares three things: the native build, the
//! instrumented builds, and what the trace of one input says about other inputs.
//!
//! For every case: (i) the instrumented builds do what the native build does; (ii) the trace agrees with
//! its own run; (iii) what the second argument of `CASE` asks for is there; (iv) on other inputs on which
//! all conditions hold, the native build prints what the trace's output formulas say.
//!
//! The words of `CASE`, separated by `;`:
//!
//! - `exact`: `kept`, and the output is symbolic (or may depend on the input
//!   through branches only, where `branches` is asked for too)
//! - `kept`: nothing was made concrete or escaped
//! - `right`: nothing is asked beyond (i), (ii) and (iv)
//! - `labels 0`: no byte of the output is symbolic
//! - `branches N`, `guards N`: at least so many conditions (0: none)
//! - `concrete REASON`: something was made concrete for this reason
//! - `escape NAME`, `opaque NAME`, `note NAME`, `signal N`: such an event, function, end
//! - `status`: the exit status is symbolic

use crate::support::{testdata, Numbers, Program, Traced};
use parallax_execute::{Limits, Outcome, Run, Symbolic, TestCase};
use parallax_trace::eval::{bytes_of, Values};
use parallax_trace::format::*;
use parallax_trace::reader::OutputByte;
use parallax_trace::request::{Input, Source};
use parallax_trace::{Event, Trace};
use std::fmt::Write;
use std::path::Path;

/// Bytes of standard input that the cases look at.
const INPUT: usize = 64;
/// How much is done for every case: inputs whose traces are looked at, and other inputs that each trace
/// must predict.
#[derive(Clone, Copy)]
pub struct Effort {
    pub traced: usize,
    pub others: usize,
}
const USUAL: Effort = Effort { traced: 3, others: 24 };
/// Complaints shown of one case.
const COMPLAINTS: usize = 4;

/// A case and what is asked of it.
struct Case {
    name: String,
    words: Vec<String>,
}

/// All cases of a source text.
fn cases(source: &str) -> Vec<Case> {
    let lines = source.lines().filter_map(|line| line.strip_prefix("CASE("));
    lines
        .map(|line| {
            let (name, rest) = line.split_once(", \"").unwrap();
            let (words, _) = rest.split_once('"').unwrap();
            Case { name: name.into(), words: words.split(';').map(|w| w.trim().into()).collect() }
        })
        .collect()
}

/// Traced inputs first, then others: each a change of a few bytes of a traced one, or all new.
fn inputs(numbers: &mut Numbers, effort: Effort) -> Vec<Vec<u8>> {
    let mut all = vec![(0x10..0x10 + INPUT as u8).collect::<Vec<u8>>()];
    all.extend((1..effort.traced).map(|_| numbers.bytes(INPUT)));
    for k in 0..effort.others {
        let mut bytes = match k % 4 {
            0 => numbers.bytes(INPUT),
            base => all[(base - 1) % effort.traced].clone(),
        };
        for _ in 0..k % 4 {
            let at = numbers.below(24) as usize;
            bytes[at] ^= 1 << numbers.below(8);
        }
        all.push(bytes);
    }
    all
}

fn test(name: &str, stdin: &[u8]) -> TestCase {
    TestCase { stdin: stdin.to_vec(), ..TestCase::with_args([name]) }
}

fn check(file: &str) {
    check_all(&testdata(), file, USUAL);
}

/// All cases of a program. Every complaint is collected, so that one run shows everything. Gives the number
/// of predictions that came true.
pub fn check_all(directory: &Path, file: &str, effort: Effort) -> usize {
    let source = std::fs::read_to_string(directory.join(file)).unwrap();
    let mut program = Program::build(directory, file, Symbolic { arguments: false, ..Symbolic::default() });
    let mut predicted = 0;
    let mut complaints = String::new();
    let all = cases(&source);
    assert!(!all.is_empty());
    for case in &all {
        // A few are enough to see what is wrong.
        for complaint in check_case(&mut program, case, effort, &mut predicted).into_iter().take(COMPLAINTS) {
            writeln!(complaints, "{file}: {}: {complaint}", case.name).unwrap();
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
    predicted
}

fn check_case(program: &mut Program, case: &Case, effort: Effort, predicted: &mut usize) -> Vec<String> {
    let mut complaints = Vec::new();
    let inputs = inputs(&mut Numbers(case.name.len() as u64), effort);
    let native: Vec<_> = inputs.iter().map(|i| program.run(&test(&case.name, i))).collect();
    let before = *predicted;
    for (n, input) in inputs[..effort.traced].iter().enumerate() {
        let traced = program.trace(&test(&case.name, input));
        let coverage = program.coverage.run(&test(&case.name, input), &Limits::default()).unwrap();
        let dependence = program.dependence.run(&test(&case.name, input), &Limits::default()).unwrap();
        let builds = [("symbolic", &traced.run), ("coverage", &coverage), ("dependence", &dependence)];
        for (build, run) in builds {
            if !same(run, &native[n]) {
                complaints.push(format!("input {n}: native {:?}\n  {build} {run:?}", native[n]));
            }
        }
        complaints.extend(agrees_with_itself(program, &traced.trace).map(|c| format!("input {n}: {c}")));
        for word in &case.words {
            complaints
                .extend(asked(case, word, program, &traced).map(|c| format!("input {n}: {word:?}: {c}")));
        }
        for (other, run) in inputs.iter().zip(&native) {
            match predict(program, &traced.trace, other) {
                None => {}
                Some(p) if agrees(&p, run) => *predicted += 1,
                Some(p) => complaints
                    .push(format!("input {n}: on {other:02x?}\n  native {run:?}\n  predicted {p:?}")),
            }
        }
    }
    if case.words.iter().any(|w| w == "exact") && *predicted == before {
        complaints.push("no input could be predicted, not even the traced one".into());
    }
    complaints
}

fn same(a: &Run, b: &Run) -> bool {
    (a.outcome, &a.stdout, &a.stderr) == (b.outcome, &b.stdout, &b.stderr)
}

/// (ii) Every condition and node against the run's own input.
fn agrees_with_itself(program: &Program, trace: &Trace) -> Option<String> {
    let violations = trace.check_self(&program.map.sites);
    if !violations.is_empty() {
        return Some(format!("{} violations, first {:?}", violations.len(), violations[0]));
    }
    match trace.header().inconsistent {
        0 => None,
        n => Some(format!("{n} inconsistent conditions")),
    }
}

/// (iii) One word of `CASE`.
fn asked(case: &Case, word: &str, program: &Program, traced: &Traced) -> Option<String> {
    let trace = &traced.trace;
    let (word, argument) = word.split_once(' ').unwrap_or((word, ""));
    let number = || argument.parse::<usize>().unwrap();
    let count = |kind: fn(&Event) -> bool| trace.events().filter(|e| kind(e)).count();
    let no = |holds: bool, what: String| (!holds).then_some(what);
    match word {
        "right" => None,
        "kept" => lost(trace),
        "exact" => exact(trace, case.words.iter().any(|w| w.starts_with("branches") && w != "branches 0")),
        "labels" => {
            let found = symbolic_bytes(trace, 1).count();
            no(found == number(), format!("{found} symbolic bytes"))
        }
        "branches" => {
            let found = count(|e| matches!(e, Event::Branch { .. } | Event::Switch { .. }));
            let wanted = number();
            no(if wanted == 0 { found == 0 } else { found >= wanted }, format!("{found} branches"))
        }
        "guards" => {
            let found = count(|e| matches!(e, Event::Guard { .. }));
            let wanted = number();
            no(if wanted == 0 { found == 0 } else { found >= wanted }, format!("{found} guards"))
        }
        "concrete" => {
            let wanted = reason(argument);
            let found: Vec<u16> = trace.events().filter_map(|e| concrete_reason(&e)).collect();
            no(found.contains(&wanted), format!("reasons {found:?}"))
        }
        "escape" => {
            let found: Vec<_> = trace.events().filter_map(|e| escaped(&e)).collect();
            no(found.iter().any(|f| f == argument), format!("escapes {found:?}"))
        }
        "opaque" => {
            let found = &program.map.opaque;
            no(found.iter().any(|(name, _)| name.starts_with(argument)), format!("opaque {found:?}"))
        }
        "note" => {
            let wanted = note(argument);
            no(trace.events().any(|e| e == Event::Note { note: wanted }), "not there".into())
        }
        "signal" => {
            let wanted = Outcome::Signaled(argument.parse().unwrap());
            no(traced.run.outcome == wanted, format!("{:?}", traced.run.outcome))
        }
        "status" => no(symbolic_bytes(trace, OUTPUT_EXIT).count() == 1, "not symbolic".into()),
        other => panic!("no such word: {other}"),
    }
}

fn lost(trace: &Trace) -> Option<String> {
    let lost: Vec<Event> =
        trace.events().filter(|e| matches!(e, Event::Concrete { .. } | Event::Escape { .. })).collect();
    if !lost.is_empty() {
        return Some(format!("lost {lost:?}"));
    }
    (trace.header().stale != 0 || trace.is_cut()).then(|| format!("{:?}", trace.header()))
}

fn exact(trace: &Trace, through_branches: bool) -> Option<String> {
    if let Some(complaint) = lost(trace) {
        return Some(complaint);
    }
    let symbolic = symbolic_bytes(trace, 1).count() + symbolic_bytes(trace, OUTPUT_EXIT).count();
    (symbolic == 0 && !through_branches).then(|| "the output is concrete".into())
}

fn symbolic_bytes<'t>(trace: &'t Trace, to: u32) -> impl Iterator<Item = Label> + 't {
    let bytes = trace.events().filter_map(move |e| match e {
        Event::Output { fd, bytes, .. } if fd == to => Some(bytes),
        _ => None,
    });
    bytes.flat_map(|b| b.iter()).filter_map(|b| match b {
        OutputByte::Symbolic(label) => Some(label),
        OutputByte::Concrete(_) => None,
    })
}

fn concrete_reason(event: &Event) -> Option<u16> {
    match event {
        Event::Concrete { reason, .. } => Some(*reason),
        _ => None,
    }
}

fn escaped(event: &Event) -> Option<String> {
    match event {
        Event::Escape { function, .. } => Some(String::from_utf8_lossy(function).into_owned()),
        _ => None,
    }
}

fn reason(name: &str) -> u16 {
    match name {
        "store-address" => CONCRETE_STORE_ADDRESS,
        "float" => CONCRETE_FLOAT,
        "vector" => CONCRETE_VECTOR,
        "wide" => CONCRETE_WIDE,
        "asm" => CONCRETE_ASM,
        "atomic" => CONCRETE_ATOMIC,
        "intrinsic" => CONCRETE_INTRINSIC,
        other => panic!("no such reason: {other}"),
    }
}

fn note(name: &str) -> u32 {
    match name {
        "thread" => NOTE_THREAD,
        "fork" => NOTE_FORK,
        "signal" => NOTE_SIGNAL,
        "exec" => NOTE_EXEC,
        other => panic!("no such note: {other}"),
    }
}

/// What a trace says that the program prints and returns on another input.
#[derive(Debug)]
pub struct Predicted {
    stdout: Vec<u8>,
    status: Option<u8>,
}

/// `None` if the path of the trace is not the path of that input, or if data escaped: to other code, to
/// another thread or to another process.
pub fn predict(program: &Program, trace: &Trace, stdin: &[u8]) -> Option<Predicted> {
    let elsewhere = trace.flag(FLAG_THREADS | FLAG_FORKED);
    if elsewhere || trace.events().any(|e| matches!(e, Event::Escape { .. })) || trace.is_cut() {
        return None;
    }
    let inputs: Vec<Input> = trace.inputs().iter().map(|i| with_stdin(i, stdin)).collect();
    let values = trace.eval_all(&bytes_of(&inputs));
    if !trace.holds_with(&values, &program.map.sites, true) {
        return None;
    }
    let mut predicted = Predicted { stdout: Vec::new(), status: None };
    for event in trace.events() {
        if let Event::Output { fd, bytes, .. } = event {
            let bytes = bytes.iter().map(|b| value(b, &values)).collect::<Option<Vec<u8>>>()?;
            match fd {
                1 => predicted.stdout.extend(bytes),
                OUTPUT_EXIT => predicted.status = bytes.first().copied(),
                _ => {}
            }
        }
    }
    Some(predicted)
}

fn with_stdin(input: &Input, stdin: &[u8]) -> Input {
    match input.source {
        Source::Stdin => Input { bytes: stdin.to_vec(), ..input.clone() },
        _ => input.clone(),
    }
}

fn value(byte: OutputByte, values: &Values) -> Option<u8> {
    match byte {
        OutputByte::Concrete(b) => Some(b),
        OutputByte::Symbolic(label) => values.get(label).map(|v| v as u8),
    }
}

/// A process that replaced itself or had children prints more than its trace shows.
pub fn agrees(predicted: &Predicted, run: &Run) -> bool {
    let status = match (predicted.status, run.outcome) {
        (Some(status), Outcome::Exited(real)) => i32::from(status) == real,
        _ => true,
    };
    status && run.stdout.bytes.starts_with(&predicted.stdout)
}

#[test]
fn integers_of_every_width_are_exact() {
    check("integers.c");
}

#[test]
fn integers_of_two_words_are_exact() {
    check("wide.c");
}

#[test]
fn memory_keeps_labels_exactly() {
    check("memory.c");
}

#[test]
fn calls_hand_labels_on_exactly() {
    check("calls.c");
}

#[test]
fn control_flow_is_recorded_and_signals_do_no_harm() {
    check("control.c");
}

#[test]
fn floating_point_is_exact_or_said_to_be_concrete() {
    check("floats.c");
}

#[test]
fn what_has_no_expression_runs_correctly_and_is_said() {
    check("foreign.c");
}
