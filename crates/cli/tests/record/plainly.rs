//! Suites that do what suites do.

use super::{tests, Tree};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_invocation_is_kept_with_what_it_was_given_and_does_the_same_again() {
    let tree = Tree::new();
    let recorded = tree.record("plain", &["--program", "./prog"]);
    let document = recorded.document();
    assert_eq!(recorded.output.status.code(), Some(0), "{document}");
    assert_eq!((&document["invocations"], &document["replayed"]), (&11.into(), &11.into()), "{document:#}");
    assert_eq!(document["suite"]["exit"], 0);
    let tests = tests(&document);
    let file = |line: &str, name: &str| {
        let directory = tests[line]["test"].as_str().unwrap();
        fs::read_to_string(Path::new(directory).join(name)).unwrap_or_default()
    };
    assert_eq!(file("-f deep/three", "files/deep/three"), "1\n2\n3\n");
    assert_eq!(file("-f deep/three", "recorded/stdout"), "3\n");
    assert_eq!(file("-f deep/three", "layout"), "mode\tdeep/three\t600\n");
    assert_eq!(file("-f link", "layout"), "link\tlink\tdeep/three\nmode\tdeep/three\t600\n");
    assert!(file("-f ../data/deep/three", "layout").starts_with("in\tdata\n"));
    assert_eq!(file("-f ../data/deep/three", "files/data/deep/three"), "1\n2\n3\n");
    assert_eq!(file("-f nowhere", "recorded/stderr"), "prog: nowhere: cannot be opened\n");
    assert_eq!(file("-f four", "files/four"), "1\n2\n3\n4\n");
    assert_eq!(tests["-f nowhere"]["exit"], 2);
    assert!(tests.contains_key("-w made"));
    let stdin: Vec<String> = inputs(&document, "stdin");
    assert!(stdin.contains(&"a\nb\n".into()) && stdin.contains(&"one\n".into()), "{stdin:?}");
    assert!(inputs(&document, "env").contains(&"PROG_MODE=x\n".into()));
    // Any shell runs what was kept.
    let script = Path::new(tests["-f link"]["test"].as_str().unwrap()).join("run.sh");
    let output = Command::new("sh").arg(script).arg(tree.path().join("prog")).output().unwrap();
    assert_eq!(output.stdout, b"3\n");
}

/// A file of every test without arguments.
fn inputs(document: &Value, name: &str) -> Vec<String> {
    let tests = document["tests"].as_array().unwrap().iter();
    let plain = tests.filter(|test| test["argv"].as_array().unwrap().is_empty());
    plain
        .map(|test| fs::read_to_string(Path::new(test["test"].as_str().unwrap()).join(name)).unwrap())
        .collect()
}

#[test]
fn a_program_reads_no_more_of_a_pipe_than_without_a_recorder() {
    let document = Tree::new().record("shares", &[]).document();
    // The suite looks itself whether the rest is there.
    assert_eq!(document["suite"]["exit"], 0, "{document:#}");
    assert_eq!((&document["distinct"], &document["replayed"]), (&2.into(), &2.into()), "{document:#}");
}

#[test]
fn parallel_jobs_do_not_mix() {
    let tree = Tree::new();
    let output = tree.command(&["--program", "prog"], &["make", "-j4", "many"]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["invocations"], &document["replayed"]), (&16.into(), &16.into()), "{document:#}");
    // What comes from echo is one line each, and what comes from seq is 1 to 8 of them.
    let stdin = inputs(&document, "stdin");
    let sizes = |lines: usize| stdin.iter().filter(|text| text.lines().count() == lines).count();
    assert_eq!((sizes(1), (2..=8).map(sizes).max()), (8, Some(1)), "{stdin:?}");
    assert!(!tree.path().join("out-1").exists());
}

#[test]
fn of_tests_that_execute_the_same_one_is_kept_and_the_result_can_be_used_as_seeds() {
    let tree = Tree::new();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let mut command = tree.command(&["--build", "make -B prog"], &["make", "check"]);
    let output = command.env("PARALLAX_CACHE", &cache).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["programs"][0]["deduplicated_by"], "coverage", "{document:#}");
    let (kept, distinct) = (document["kept"].as_u64().unwrap(), document["distinct"].as_u64().unwrap());
    assert!(0 < kept && kept < distinct, "{document:#}");
    assert_eq!(fs::read_dir(tree.out().join("tests")).unwrap().count() as u64, kept);
    let changed = tree.directory.path().join("changed.c");
    let source = fs::read_to_string(tree.path().join("prog.c")).unwrap();
    fs::write(&changed, source.replace("cannot be opened", "cannot be opened, alas")).unwrap();
    let mut diff = Command::new(env!("CARGO_BIN_EXE_parallax"));
    diff.args(["diff", "prog.c"])
        .arg(&changed)
        .arg("--seeds")
        .arg(tree.out())
        .args(["--runs", "100", "--time", "20s"]);
    diff.args(["--format", "json", "--out"]).arg(tree.directory.path().join("diff"));
    let output = diff.current_dir(tree.path()).env("PARALLAX_CACHE", &cache).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["verdict"], "different", "{found:#}");
}
