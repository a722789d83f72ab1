//! Bad input gives a clear message and the right exit status, and nothing on standard output.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn parallax(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_parallax"))
        .args(args)
        .current_dir(directory)
        .env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .unwrap()
}

/// Runs `parallax` in a directory with these files; expects this status and this in the message.
#[track_caller]
fn check(files: &[(&str, &str)], args: &[&str], status: i32, message: &str) {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(directory.path().join(name), content).unwrap();
    }
    let output = parallax(directory.path(), args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert!(stderr.contains(message), "no {message:?} in: {stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let mut left: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let mut expected: Vec<_> = files.iter().map(|(name, _)| *name).collect();
    expected.sort();
    assert_eq!(left, expected, "the user's directory was written to");
}

const GOOD: &str = "int main(void) { return 0; }\n";

#[test]
fn a_missing_program_is_named() {
    check(&[], &["trace", "nowhere.c"], 2, "nowhere.c: No such file");
    check(&[], &["trace", "nowhere"], 2, "nowhere: No such file");
}

#[test]
fn a_file_that_does_not_compile_shows_the_message_of_the_compiler() {
    let bad = "int main(void) { return undeclared_thing; }\n";
    check(&[("bad.c", bad)], &["trace", "bad.c"], 3, "undeclared_thing");
}

#[test]
fn a_build_command_that_fails_is_shown_with_its_output() {
    let args = ["trace", ".", "--build", "echo about to fail; exit 7"];
    check(&[("a.c", GOOD)], &args, 3, "about to fail");
    check(&[("a.c", GOOD)], &args, 3, "exit 7");
}

#[test]
fn a_build_command_that_makes_no_such_program_lists_what_it_made() {
    let args = ["trace", ".", "--build", "$CC -o real a.c", "--program", "imagined"];
    check(&[("a.c", GOOD)], &args, 3, "imagined");
    check(&[("a.c", GOOD)], &args, 3, "real");
}

#[test]
fn a_directory_without_a_build_command_asks_for_one() {
    check(&[("a.c", GOOD)], &["trace", "."], 2, "--build");
}

#[test]
fn a_program_that_was_not_built_with_the_wrapper_is_refused_with_advice() {
    check(&[], &["trace", "/bin/true"], 3, "parallax-cc");
}

#[test]
fn a_script_is_not_a_program() {
    check(&[("run", "#!/bin/sh\nexit 0\n")], &["trace", "run"], 3, "script");
}

#[test]
fn a_file_that_is_no_program_is_refused() {
    check(&[("text", "hello\n")], &["trace", "text"], 3, "not an ELF program");
}

#[test]
fn a_stripped_program_is_refused_with_advice() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.c"), GOOD).unwrap();
    let wrapper = Path::new(env!("CARGO_BIN_EXE_parallax-cc"));
    let built = Command::new(wrapper).args(["-o", "prog", "a.c"]).current_dir(directory.path()).status();
    assert!(built.unwrap().success());
    // llvm-strip removes every section that is not needed to run.
    let strip = Command::new("llvm-strip-19").arg("prog").current_dir(directory.path()).status();
    assert!(strip.unwrap().success());
    let output = parallax(directory.path(), &["trace", "prog"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("stripped"), "{stderr}");
}

#[test]
fn seed_files_that_do_not_exist_are_named() {
    check(&[("a.c", GOOD)], &["trace", "a.c", "--stdin", "gone"], 2, "gone: No such file");
    check(&[("a.c", GOOD)], &["trace", "a.c", "--file", "x=gone"], 2, "gone: No such file");
}

#[test]
fn an_unknown_revision_is_named() {
    let repository = tempfile::tempdir().unwrap();
    let made = Command::new("git").args(["init", "-q"]).current_dir(repository.path()).status();
    assert!(made.unwrap().success());
    let output = parallax(repository.path(), &["trace", "git:nonsense", "--build", "make"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nonsense"));
}

#[test]
fn a_limit_that_is_no_number_is_a_usage_error() {
    check(&[("a.c", GOOD)], &["trace", "a.c", "--time", "soon"], 2, "--time");
    check(&[("a.c", GOOD)], &["trace", "a.c", "--memory", "1T"], 2, "use K, M or G");
}

#[test]
fn no_arguments_at_all_shows_the_usage() {
    check(&[], &[], 2, "Usage: parallax");
}
