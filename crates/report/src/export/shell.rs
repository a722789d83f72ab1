//! Tests as functions of a POSIX shell: for themselves, for Bats, and for CTest.
//!
//! Always holds: a test makes its directory, its files and what is expected of nothing but the script, runs the program with exactly its arguments and environment,
//! and leaves nothing behind.

use super::Exported;
use crate::layout;
use crate::script::{format_of, Word};
use parallax_execute::default_environment;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const HEAD: &str = r##"LC_ALL=C; export LC_ALL
parallax_begin() {
    work=${TMPDIR:-/tmp}/parallax-test.$$
    (umask 077 && mkdir "$work") || return 2
    mkdir "$work/bin" "$work/run" "$work/tmp" || return 2
    cd "$work/run" || return 2
}
parallax_end() {
    cd / && chmod -R u+rwx "$work" 2>/dev/null
    rm -rf "$work"
}
# Runs the command, and says what is not as expected: exit status (128 and the number of a signal), output.
parallax_check() {
    expected=$1; shift
    # A program that hangs is ended.
    if command -v timeout >/dev/null 2>&1; then set -- timeout -s KILL "${TIME_LIMIT:-10}" "$@"; fi
    "$@" <"$work/stdin" >"$work/output" 2>"$work/error"
    status=$?
    failed=0
    [ $status -eq $expected ] || { echo "# exit status $status instead of $expected" >&2; failed=1; }
    for stream in output error; do
        cmp -s "$work/$stream" "$work/expected-$stream" && continue
        echo "# standard $stream differs:" >&2
        diff "$work/expected-$stream" "$work/$stream" 2>&1 | sed 's/^/#   /' >&2
        failed=1
    done
    return $failed
}
"##;

const TAIL: &str = r##"
[ $# -ge 1 ] || { echo "usage: $0 BINARY [TEST...]" >&2; exit 2; }
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$binary" ] || { echo "$1: not a program" >&2; exit 2; }
shift
[ $# -gt 0 ] || set -- $parallax_tests
echo "1..$#"
number=0; all=0
for name in "$@"; do
    number=$((number + 1))
    (parallax_begin || exit 2; trap parallax_end 0; trap 'exit 130' 1 2 15; "test_$name")
    if [ $? -eq 0 ]; then echo "ok $number - $name"; else echo "not ok $number - $name"; all=1; fi
done
exit $all
"##;

/// The script: `sh FILE BINARY [TEST...]`.
pub fn script(tests: &[Exported]) -> String {
    let mut text =
        "#!/bin/sh\n# Tests that Parallax kept. Usage: sh FILE BINARY [TEST...]\n".to_owned() + HEAD;
    for test in tests {
        text.push_str(&format!("test_{}() {{\n{}}}\n", function(&test.name), body(test)));
    }
    let names: Vec<String> = tests.iter().map(|test| function(&test.name)).collect();
    text.push_str(&format!("parallax_tests='{}'\n", names.join(" ")));
    text + TAIL
}

/// `PROGRAM=BINARY bats FILE`.
pub fn bats(tests: &[Exported]) -> String {
    let mut text = "#!/usr/bin/env bats\n# Tests that Parallax kept. Usage: PROGRAM=BINARY bats FILE\n"
        .to_owned()
        + HEAD;
    text.push_str(concat!(
        "setup() {\n    : \"${PROGRAM:?names the program}\"\n",
        "    binary=$(cd \"$(dirname \"$PROGRAM\")\" && pwd)/$(basename \"$PROGRAM\")\n    parallax_begin\n}\n",
        "teardown() {\n    parallax_end\n}\n"
    ));
    for test in tests {
        // Bats runs a test with `set -e`; statuses are looked at here.
        text.push_str(&format!("@test \"{}\" {{\nset +e\n{}}}\n", test.name, body(test)));
    }
    text
}

/// The name of a function.
pub fn function(name: &str) -> String {
    name.replace('-', "_")
}

fn body(test: &Exported) -> String {
    let mut text = String::new();
    let name = Word::of(&test.argv0);
    text.push_str(&name.define("name"));
    text.push_str("ln -s \"$binary\" \"$work/bin/$name\" || return 2\n");
    for (path, bytes) in &test.test.files {
        if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
            text.push_str(&Word::of(&[b"./", parent.as_os_str().as_bytes()].concat()).define("place"));
            text.push_str("mkdir -p \"$place\" || return 2\n");
        }
        text.push_str(&Word::of(&[b"./", path.as_os_str().as_bytes()].concat()).define("place"));
        text.push_str(&content(bytes, "$place"));
    }
    text.push_str(&content(&test.test.stdin, "$work/stdin"));
    text.push_str(&content(&test.expected.stdout, "$work/expected-output"));
    text.push_str(&content(&test.expected.stderr, "$work/expected-error"));
    text.push_str(&layout::commands(&test.test.layout).replace("exit 2", "return 2"));
    text.push_str(&layout::enter(&test.test.layout).replace("exit 2", "return 2"));
    text.push_str("set -- env -i \"HOME=$work/run\" \"TMPDIR=$work/tmp\"\n");
    text.push_str("[ -z \"${LD_LIBRARY_PATH-}\" ] || set -- \"$@\" \"LD_LIBRARY_PATH=$LD_LIBRARY_PATH\"\n");
    for (name, value) in default_environment().iter().chain(&test.test.env) {
        text.push_str(&crate::script::variable(name, value));
    }
    text.push_str("set -- \"$@\" \"$name\"\n");
    for argument in &test.test.argv {
        text.push_str(&Word::of(argument).append());
    }
    let status = test.expected.exit.unwrap_or(128 + test.expected.signal.unwrap_or_default());
    text + &format!("parallax_check {status} \"$@\"\n")
}

/// Writes bytes to a file, a line at a time so that people can read it.
fn content(bytes: &[u8], place: &str) -> String {
    if bytes.is_empty() {
        return format!(": >\"{place}\" || return 2\n");
    }
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let lines: String = lines.map(|line| format!("printf {}\n", format_of(line))).collect();
    format!("{{\n{lines}}} >\"{place}\" || return 2\n")
}
