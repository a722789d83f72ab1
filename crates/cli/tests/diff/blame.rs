//! `parallax blame`: which pieces of a change a kept difference needs.

use super::*;
use std::fs;
use std::process::Output;

/// Writes both versions and a test of one argument, and asks what its difference needs.
fn blame(old: &str, new: &str, argument: &str, options: &[&str]) -> (TempDir, Output) {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::create_dir_all(path("a/test")).unwrap();
    fs::create_dir_all(path("b")).unwrap();
    fs::write(path("a/p.c"), old).unwrap();
    fs::write(path("b/p.c"), new).unwrap();
    fs::write(path("a/test/cmd"), format!("{argument}\n")).unwrap();
    let versions = ["blame", "a/test", "--old", "a/p.c", "--new", "b/p.c", "--format", "json"];
    let output = parallax(directory.path(), &[&versions[..], options].concat()).output().unwrap();
    (directory, output)
}

#[track_caller]
fn document(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

/// Sets of pieces as sets of lines of the new version.
fn lines(document: &Value, field: &str) -> Vec<Vec<u64>> {
    let line = |id: &Value| {
        let pieces = document["pieces"].as_array().unwrap();
        let piece = pieces.iter().find(|piece| piece["id"] == *id).unwrap();
        piece["new_lines"][0].as_u64().unwrap()
    };
    let sets = document[field].as_array().unwrap().iter();
    sets.map(|set| set.as_array().unwrap().iter().map(line).collect()).collect()
}

const OLD: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n  int n = atoi(v[1]);\n  int a = 0;\n\
    \x20 puts(\"x\");\n  int b = 0;\n  puts(\"y\");\n  int d = 0;\n  puts(\"z\");\n  if (a && b) n = 0;\n  if (d && n > 99) n++;\n  printf(\"%d\\n\", n);\n}\n";

#[test]
fn two_pieces_that_only_show_together_are_one_set_and_others_are_none() {
    let new = OLD.replace("a = 0", "a = 1").replace("b = 0", "b = 1").replace("d = 0", "d = 1");
    let (_here, output) = blame(OLD, &new, "5", &[]);
    let document = document(&output);
    assert_eq!(lines(&document, "needed"), [[5, 7]], "{document:#}");
    assert_eq!(lines(&document, "same_as_new"), [[5, 7]]);
    assert_eq!((&document["complete"], &document["schema"]), (&true.into(), &"parallax/1".into()));
    assert_eq!(document["pieces"].as_array().unwrap().len(), 3);
}

#[test]
fn a_set_that_does_not_compile_is_listed_and_not_counted() {
    let new = OLD.replace("a = 0", "twice = 2").replace("int b = 0", "int a = 1, b = twice");
    let (_here, output) = blame(OLD, &new, "5", &[]);
    let document = document(&output);
    assert_eq!(lines(&document, "needed"), [[5, 7]], "{document:#}");
    assert!(!document["not_built"].as_array().unwrap().is_empty());
    assert_eq!(document["for_building"].as_array().unwrap().len(), 2);
}

#[test]
fn a_test_that_tells_nothing_is_refused() {
    let (_here, output) = blame(OLD, &OLD.replace("d = 0", "d = 1"), "5", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("do not differ"));
}

#[test]
fn one_of_forty_pieces_takes_few_builds_and_a_limit_on_them_is_kept_and_said() {
    let lines = |value: &dyn Fn(usize) -> usize| -> String {
        (0..40).map(|i| format!("  x += {};\n  n += x;\n  n -= x;\n", value(i))).collect()
    };
    let program = |body: String| {
        OLD.replace("  int d = 0;\n", &format!("  int d = 0, x = 0;\n{body}  n += x > 999;\n"))
    };
    let old = program(lines(&|_| 1));
    let new = program(lines(&|i| if i == 23 { 1000 } else { 2 }));
    let (_here, output) = blame(&old, &new, "5", &[]);
    let document = document(&output);
    assert_eq!(document["pieces"].as_array().unwrap().len(), 40);
    assert_eq!(document["needed"], serde_json::json!([["p24"]]), "{document:#}");
    assert!(document["tried"].as_u64().unwrap() <= 16, "{}", document["tried"]);
    let (_here, output) = blame(&old, &new, "5", &["--builds", "3"]);
    let document = self::document(&output);
    assert_eq!((&document["tried"], &document["complete"]), (&3.into(), &false.into()));
}

#[test]
fn the_result_directory_says_how_the_versions_are_built() {
    let compared = compare("boundary", &["--max-differences", "1", "--time", "20s", "--", "5"]);
    let test = compared.one("stdout")["test"].as_str().unwrap().to_owned();
    let output = parallax(compared.directory.path(), &["blame", &test, "--format", "json"]).output().unwrap();
    let document = document(&output);
    assert_eq!(document["needed"], serde_json::json!([["p1"]]), "{document:#}");
    let output = parallax(compared.directory.path(), &["blame", &test]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("p1 new.c:"), "{text}");
}
