//! Suites that misbehave, and command lines that make no sense.

use super::{tests, Tree};
use std::fs;
use std::path::Path;

#[test]
fn of_a_suite_that_fails_halfway_is_kept_what_it_ran() {
    let recorded = Tree::new().record("fails", &[]);
    let document = recorded.document();
    assert_eq!((recorded.output.status.code(), &document["kept"]), (Some(0), &1.into()));
    assert_eq!(document["suite"]["exit"], 2, "that of make");
    assert!(document["warnings"].to_string().contains("this is why"), "{document:#}");
}

#[test]
fn what_a_suite_leaves_behind_is_ended_and_counted() {
    let document = Tree::new().record("leaves", &[]).document();
    assert_eq!(document["suite"]["left"], 2, "{document:#}");
    assert_eq!((&document["invocations"], &document["kept"]), (&2.into(), &1.into()));
    let without = &document["without_test"][0];
    assert!(without["reason"].as_str().unwrap().contains("still running"), "{without}");
}

#[test]
fn what_a_suite_deletes_is_kept_as_it_was() {
    let tree = Tree::new();
    let document = tree.record("deletes", &[]).document();
    assert_eq!((&document["suite"]["exit"], &document["replayed"]), (&0.into(), &1.into()), "{document:#}");
    let test = tests(&document)["-f five"]["test"].as_str().unwrap().to_owned();
    assert_eq!(fs::read_to_string(Path::new(&test).join("files/five")).unwrap(), "1\n2\n3\n4\n5\n");
}

#[test]
fn the_same_invocation_hundreds_of_times_is_one_test() {
    let document = Tree::new().record("often", &[]).document();
    assert_eq!((&document["invocations"], &document["distinct"]), (&301.into(), &2.into()));
    assert_eq!(document["replayed"], 301, "{document:#}");
    let document = Tree::new().record("often", &["--max-tests", "1"]).document();
    let without = &document["without_test"][0];
    assert!(without["reason"].as_str().unwrap().contains("--max-tests"), "{without}");
    assert_eq!(without["invocations"], 1);
}

#[test]
fn a_suite_that_never_starts_the_program_is_an_error_that_says_what_it_started() {
    let recorded = Tree::new().record("nothing", &["--program", "./prog"]);
    let message = recorded.stderr();
    assert_eq!(recorded.output.status.code(), Some(2), "{message}");
    assert!(message.contains("did not execute ./prog") && message.contains("/make"), "{message}");
}

#[test]
fn command_lines_that_cannot_work_are_refused_before_anything_is_run() {
    let tree = Tree::new();
    let outside = tree.directory.path().join("elsewhere");
    fs::create_dir(&outside).unwrap();
    for (options, words, message) in [
        (vec!["--program", "suites/plain.sh"], vec!["make"], "not a program"),
        (vec!["--program", "suites"], vec!["make"], "a directory"),
        (vec!["--tree", outside.to_str().unwrap()], vec!["make"], "must be in it"),
        (vec!["--max-tree-size", "10"], vec!["make"], "--max-tree-size"),
        (vec![], vec!["./no-such-suite"], "cannot be executed"),
    ] {
        let output = tree.command(&options, &words).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {stderr}");
        assert!(stderr.contains(message), "{options:?}: {stderr}");
    }
}
