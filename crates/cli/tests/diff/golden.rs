//! `--golden`: which of the two versions is right.

use super::*;
use std::collections::BTreeMap;
use std::fs;

#[test]
fn a_golden_version_tells_regressions_progressions_and_incomplete_fixes_apart() {
    let golden = source("golden", "golden.c");
    let compared = compare("golden", &["--golden", &golden, "--runs", "200", "--time", "20s", "--", "a"]);
    let json = compared.json(1);
    let classes: BTreeMap<&str, &str> = json["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["arguments"][0].as_str().unwrap(), d["class"].as_str().unwrap()))
        .collect();
    let expected = [("a", "regression"), ("b", "progression"), ("c", "incomplete fix")];
    assert_eq!(classes, expected.into(), "{json:#}");
    let first = &json["differences"][0];
    let kept = compared.path(first["test"].as_str().unwrap()).join("golden/stdout");
    assert_eq!(first["golden"]["stdout"], fs::read_to_string(kept).unwrap());
    let page = fs::read_to_string(compared.path("parallax-out/report.html")).unwrap();
    for class in ["regression", "progression", "incomplete fix"] {
        assert!(page.contains(class), "{page}");
    }
}

#[test]
fn the_text_names_the_class_and_what_the_golden_version_did() {
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = sources("golden");
    let golden = source("golden", "golden.c");
    let line =
        ["diff", &old, &new, "--golden", &golden, "--max-differences", "1", "--time", "20s", "--", "a"];
    let output = parallax(directory.path(), &line).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("class      regression"), "{text}");
    assert!(text.contains("golden     exit status 0, stdout line 1: \"answer 1\\n\""), "{text}");
}

/// The golden version needs no bitcode.
#[test]
fn any_program_can_be_the_golden_version() {
    let directory = tempfile::tempdir().unwrap();
    let golden = directory.path().join("golden");
    let built = Command::new("cc").arg("-o").arg(&golden).arg(source("golden", "new.c")).status().unwrap();
    assert!(built.success());
    let args = ["--golden", "./golden", "--max-differences", "1", "--time", "20s", "--", "a"];
    let output = compare_in(directory.path(), "golden", &args);
    assert_eq!(Compared { directory, output }.one("stdout")["class"], "progression");
}
