//! Recordings that are ended early.

use super::{snapshot, Tree};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Ample on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a suite that waits, and waits until its first invocation is on disk.
fn waiting(tree: &Tree, options: &[&str]) -> Child {
    let mut command = tree.command(options, &["make", "check", "SUITE=waits"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    until(|| tree.out().join("tests/00001/run.sh").exists());
    child
}

fn until(done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < PATIENCE, "it never happened");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes that work below a directory.
fn processes_in(directory: &Path) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|p| fs::read_link(p.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(directory)))
        .count()
}

#[test]
fn an_interrupt_ends_the_suite_and_keeps_what_it_had_run() {
    let tree = Tree::new();
    let before = snapshot(&tree.path());
    let child = waiting(&tree, &[]);
    assert!(std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap()
        .success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["kept"], &document["replayed"]), (&1.into(), &1.into()), "{document:#}");
    assert_eq!(snapshot(&tree.path()), before);
    assert_eq!(processes_in(&tree.path()), 0);
}

#[test]
fn a_suite_that_takes_too_long_is_ended() {
    let tree = Tree::new();
    let output = tree.command(&["--time", "2s"], &["make", "check", "SUITE=waits"]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &document["suite"]["stopped"]),
        (Some(0), &"--time".into()),
        "{document:#}"
    );
}

#[test]
fn a_kill_leaves_neither_a_process_nor_a_trace_in_the_tree() {
    let tree = Tree::new();
    let before = snapshot(&tree.path());
    let mut child = waiting(&tree, &[]);
    child.kill().unwrap();
    child.wait().unwrap();
    until(|| processes_in(&tree.path()) == 0);
    assert_eq!(snapshot(&tree.path()), before);
    // What it had recorded is there; the next one takes its place, and clears away the private copy.
    assert!(tree.out().join("tests/00001/cmd").exists());
    let document = tree.record("fails", &[]).document();
    assert_eq!(document["kept"], 1);
    let left = fs::read_dir(tree.directory.path().join("cache/tmp")).unwrap().count();
    assert_eq!(left, 0);
}
