//! The SMT-LIB export means what the evaluator computes, by the word of an independent solver.
//! Needs the `z3` program (`scripts/setup.sh` installs it).

mod common;

use fastrand::Rng;
use parallax_trace::format::*;
use parallax_trace::reader::Trace;
use parallax_trace::request::{Input, Source};
use parallax_trace::smtlib::{byte_symbol, definitions, literal, script};
use parallax_trace::synth::Synth;
use std::fmt::Write;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Runs a script and gives the lines that came back.
fn z3(script: &str) -> Vec<String> {
    let mut z3 = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program z3 is needed for this test: run scripts/setup.sh");
    let mut stdin = z3.stdin.take().unwrap();
    let text = script.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = z3.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Every input byte has its value, and some node does not have its own: unsatisfiable if right.
fn some_value_is_wrong(trace: &Trace) -> String {
    let labels: Vec<Label> = (1..trace.nodes().len() as Label).collect();
    let mut out = String::from("(set-logic QF_BV)\n");
    out += &definitions(trace, &labels);
    for (i, input) in trace.inputs().iter().enumerate() {
        for (offset, byte) in input.bytes.iter().enumerate() {
            let name = byte_symbol(trace, i as u32, offset as u32);
            writeln!(out, "(assert (= {name} {}))", literal(u64::from(*byte), 8)).unwrap();
        }
    }
    out += "(push)(check-sat)(pop)\n(assert (or";
    for label in labels {
        let node = &trace.nodes()[label as usize];
        write!(out, " (not (= n{label} {}))", literal(node.value, node.width)).unwrap();
    }
    out + "))\n(check-sat)\n"
}

#[test]
fn z3_computes_the_same_value_for_every_node_of_random_traces() {
    let mut rng = Rng::with_seed(5);
    let mut all = String::new();
    const TRACES: usize = 150;
    for _ in 0..TRACES {
        all += &some_value_is_wrong(&common::random(&mut rng, 80).trace());
        all += "(reset)\n";
    }
    let answers = z3(&all);
    assert_eq!(answers.len(), 2 * TRACES, "{answers:?}");
    for (i, pair) in answers.chunks(2).enumerate() {
        assert_eq!(pair, ["sat", "unsat"], "trace {i}");
    }
}

#[test]
fn the_path_condition_of_random_traces_is_accepted_and_satisfiable() {
    let mut rng = Rng::with_seed(6);
    let mut all = String::new();
    const TRACES: usize = 30;
    for _ in 0..TRACES {
        let trace = common::random(&mut rng, 40).trace();
        let text = script(&trace, &trace.conditions(&[]), &|site| format!("site {site}\n(exit)"));
        // The run's own input is a model; without it a random path can take a solver forever.
        let own: String = (1..trace.nodes().len() as Label)
            .filter(|l| trace.node(*l).unwrap().0 == Op::Input && text.contains(&format!("n{l} ()")))
            .map(|l| {
                let node = trace.nodes()[l as usize];
                let name = byte_symbol(&trace, node.a, node.b);
                format!("(assert (= {name} {}))\n", literal(node.value, 8))
            })
            .collect();
        all += &text.replace("(check-sat)\n(get-model)\n", &format!("{own}(check-sat)\n(reset)\n"));
    }
    assert_eq!(z3(&all), vec!["sat"; TRACES]);
}

#[test]
fn z3_finds_the_input_that_a_path_condition_describes() {
    let stdin = Input { source: Source::Stdin, bytes: b"k9".to_vec(), symbolic: true };
    let mut synth = Synth::new(vec![stdin]);
    let (a, b) = (synth.input(0, 0), synth.input(0, 1));
    let word = synth.node(Op::Concat, 16, b, a, 0);
    let wanted = synth.constant(16, u64::from(u16::from_le_bytes(*b"k9")));
    let equal = synth.node(Op::Eq, 1, word, wanted, 0);
    synth.branch(0, equal);
    let trace = synth.trace();
    let answer = z3(&script(&trace, &trace.conditions(&[]), &|_| "here".to_owned())).join(" ");
    let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(answer.starts_with("sat"), "{answer}");
    assert!(answer.contains("|stdin[0]| () (_ BitVec 8) #x6b"), "{answer}");
    assert!(answer.contains("|stdin[1]| () (_ BitVec 8) #x39"), "{answer}");
}
