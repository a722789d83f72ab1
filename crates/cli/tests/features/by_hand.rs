//! An instrumented program that is started by hand, outside the fork server.

use crate::support::{testdata, Program};
use parallax_execute::Symbolic;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the case `unions` of memory.c under a shell that first does `before`.
fn by_hand(before: &str) -> Output {
    let program = Program::build(&testdata(), "memory.c", Symbolic::default());
    let script = format!("{before}\nexec \"$0\" unions");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(&program.path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that could not start does not read.
    let _ = child.stdin.take().unwrap().write_all(&[7; 64]);
    child.wait_with_output().unwrap()
}

#[test]
fn a_program_started_by_hand_does_what_the_native_one_does() {
    let mut program = Program::build(&testdata(), "memory.c", Symbolic::default());
    let test = parallax_execute::TestCase {
        stdin: vec![7; 64],
        ..parallax_execute::TestCase::with_args(["unions"])
    };
    let native = program.run(&test);
    let output = by_hand("");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stdout, native.stdout.bytes);
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_shell_with_limited_address_space_gets_a_clear_message() {
    let output = by_hand("ulimit -v 4000000");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{stderr}");
    assert!(stderr.contains("address space"), "{stderr}");
    assert_eq!(output.stdout, b"");
}
