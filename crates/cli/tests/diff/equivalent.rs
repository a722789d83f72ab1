//! The verdict `equivalent`: a proof that both versions do the same, found before anything is searched; and what is no proof.

use super::*;
use std::fs;
use std::time::{Duration, Instant};

const PROGRAM: &str = "\
#include <stdio.h>
#include <string.h>
static int limit = 3;
static int measure(const char *text, int most)
{
    int count = 0;
    while (text[count] && count < most)
        count++;
    return count;
}
int main(int argc, char **argv)
{
    if (argc > 1)
        printf(\"%d\\n\", measure(argv[1], limit));
    return 0;
}
";

/// Compares two texts; the time is long enough to be noticed if it is spent.
fn texts(old: &str, new: &str, options: &[&str]) -> Compared {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("old.c"), old).unwrap();
    fs::write(directory.path().join("new.c"), new).unwrap();
    let line = [&["diff", "old.c", "new.c", "--format", "json"], options, &["--", "ab"]].concat();
    let output = parallax(directory.path(), &line).output().unwrap();
    Compared { directory, output }
}

#[track_caller]
fn is_equivalent(old: &str, new: &str) {
    let before = Instant::now();
    let compared = texts(old, new, &["--time", "300s"]);
    let json = compared.json(0);
    assert_eq!(json["verdict"], "equivalent", "{json:#}");
    assert!(json["ended"].as_str().unwrap().contains("the same"), "{json:#}");
    assert_eq!((&json["differences"], &json["targets"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    assert_eq!(json["stats"]["queries"], 0);
    assert_eq!(compared.file("changes.json")["changes"], Value::Array(vec![]));
    assert!(before.elapsed() < Duration::from_secs(60), "{:?}", before.elapsed());
}

#[test]
fn a_program_and_itself_are_equivalent() {
    is_equivalent(PROGRAM, PROGRAM);
}

#[test]
fn comments_white_space_renamed_locals_and_moved_lines_are_equivalent() {
    let new = PROGRAM
        .replace("count", "n")
        .replace("most", "bound")
        .replace("text", "string")
        .replace("    int n", "\n\n    /* how long\n       it is */\n  int n")
        .replace("return 0;", "return 0 ; // done");
    is_equivalent(PROGRAM, &new);
}

#[test]
fn the_text_says_why_versions_are_equivalent() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("old.c"), PROGRAM).unwrap();
    fs::write(directory.path().join("new.c"), format!("/* the same */\n{PROGRAM}")).unwrap();
    let output = parallax(directory.path(), &["diff", "old.c", "new.c", "--", "ab"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = "old.c and new.c are equivalent: the code of both programs is the same, apart from";
    assert!(text.starts_with(expected), "{text}");
    let page = fs::read_to_string(directory.path().join("parallax-out/report.html")).unwrap();
    assert!(page.contains("old.c and new.c are equivalent"));
}

/// What looks the same to a reader, or does the same on all inputs, and is not proven to.
#[track_caller]
fn is_no_proof(old: &str, new: &str) {
    let json = texts(old, new, &["--runs", "3", "--time", "20s"]);
    let json: Value = serde_json::from_slice(&json.output.stdout).expect("a document");
    assert_ne!(json["verdict"], "equivalent", "{json:#}");
}

#[test]
fn a_changed_constant_initialiser_string_or_flag_is_no_proof() {
    for (from, to) in [
        ("limit = 3", "limit = 4"),
        ("%d\\n", "%i\\n"),
        ("count < most", "count <= most"),
        ("static int limit", "static volatile int limit"),
    ] {
        assert!(PROGRAM.contains(from), "{from}");
        is_no_proof(PROGRAM, &PROGRAM.replace(from, to));
    }
}

#[test]
fn the_line_of_an_assertion_that_moved_is_no_proof() {
    let old = PROGRAM.replace("    return count;", "    assert(count < 100);\n    return count;");
    let old = old.replace("#include <string.h>", "#include <assert.h>");
    is_no_proof(&old, &old.replace("#include <assert.h>", "#include <assert.h>\n\n"));
}

#[test]
fn a_line_number_in_the_code_that_moved_is_no_proof() {
    let old = PROGRAM.replace("return 0;", "return __LINE__ > 100;");
    is_equivalent(&old, &old);
    let wide = PROGRAM.replace("return 0;", "return __LINE__;");
    is_no_proof(&wide, &format!("\n{wide}"));
}

#[test]
fn a_function_of_another_name_is_no_proof() {
    is_no_proof(PROGRAM, &PROGRAM.replace("measure", "length"));
}

#[test]
fn flags_of_the_build_that_alter_the_code_are_no_proof() {
    let directory = tempfile::tempdir().unwrap();
    for (tree, flags) in [("a", "-DMOST=3"), ("b", "-DMOST=4"), ("c", "-DMOST=3 -DOTHER")] {
        fs::create_dir(directory.path().join(tree)).unwrap();
        fs::write(directory.path().join(tree).join("p.c"), PROGRAM.replace("limit = 3", "limit = MOST"))
            .unwrap();
        fs::write(directory.path().join(tree).join("build.sh"), format!("$CC {flags} p.c -o p\n")).unwrap();
    }
    let verdict = |other: &str| {
        let line = [
            "diff",
            "a",
            other,
            "--build",
            "sh build.sh",
            "--program",
            "p",
            "--format",
            "json",
            "--runs",
            "3",
            "--time",
            "20s",
            "--",
            "abcdef",
        ];
        let output = parallax(directory.path(), &line).output().unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).expect("a document");
        json["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("b"), "different");
    assert_eq!(verdict("c"), "equivalent");
}
