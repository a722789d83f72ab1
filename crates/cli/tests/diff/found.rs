//! What is found is kept, shown and replayed.

use super::*;
use std::fs;

const FIRST: [&str; 4] = ["--max-differences", "1", "--time", "20s"];

#[test]
fn a_difference_is_kept_with_what_both_versions_did_and_replays_without_parallax() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    let difference = compared.one("stdout");
    assert_eq!(difference["old"]["stdout"], "value 5\n");
    assert_eq!(difference["new"]["stdout"], "value 10\n");
    assert_eq!(difference["old"]["exit"], 0);
    assert!(difference["found_after_s"].as_f64().unwrap() < 20.0);
    let test = difference["test"].as_str().unwrap();
    assert_eq!(test, "parallax-out/tests/1-stdout");
    let kept = compared.path(test);
    assert_eq!(fs::read_to_string(kept.join("cmd")).unwrap(), "5\n");
    assert_eq!(fs::read_to_string(kept.join("old/stdout")).unwrap(), "value 5\n");

    let run: Value =
        serde_json::from_slice(&fs::read(compared.path("parallax-out/run.json")).unwrap()).unwrap();
    for (version, expected) in [("old", "value 5\n"), ("new", "value 10\n")] {
        let binary = run[version]["binary"].as_str().unwrap();
        let replay = Command::new("sh").arg(kept.join("run.sh")).arg(binary).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&replay.stdout), expected);
        assert!(String::from_utf8_lossy(&replay.stderr).contains("exit status: 0"));
    }
}

#[test]
fn replay_says_whether_the_versions_still_differ() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    compared.one("stdout");
    let here = compared.directory.path();
    let replay = |args: &[&str]| {
        let output = parallax(here, &[&["replay", "parallax-out"], args].concat()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, text) = replay(&[]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("1 of 1 still different"), "{text}");
    let [old, new] = sources("boundary");
    assert_eq!(replay(&["--old", &old, "--new", &new]).0, 1);
    let (status, text) = replay(&["--old", &new, "--new", &new, "--format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, json["tests"][0]["status"].as_str().unwrap()), (0, "same"));
}

#[test]
fn the_output_directory_has_everything_and_the_previous_one_is_moved_aside() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    compared.one("stdout");
    for name in ["run.json", "verdicts.json", "junit.xml", "report.sarif", "tests", "corpus", "logs"] {
        assert!(compared.path("parallax-out").join(name).exists(), "{name}");
    }
    let document: Value = serde_json::from_slice(&compared.output.stdout).unwrap();
    let kept: Value =
        serde_json::from_slice(&fs::read(compared.path("parallax-out/verdicts.json")).unwrap()).unwrap();
    assert_eq!(document, kept);
    assert!(fs::read_to_string(compared.path("parallax-out/junit.xml")).unwrap().contains("1-stdout"));
    compare_in(compared.directory.path(), "refactored", &["--runs", "3", "--", "5"]);
    assert!(compared.path("parallax-out.old/tests/1-stdout").exists());
    assert!(!compared.path("parallax-out/tests/1-stdout").exists());
}

#[test]
fn a_refactoring_shows_no_difference_and_the_text_says_what_was_tried() {
    let compared = compare("refactored", &["--runs", "40", "--time", "20s", "--", "7"]);
    let json = compared.none();
    assert!(json["stats"]["runs"].as_u64().unwrap() > 0);
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = sources("refactored");
    let line = ["diff", &old, &new, "--runs", "40", "--time", "20s", "--", "7"];
    let output = parallax(directory.path(), &line).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in
        ["No difference found", "The search ended:", "Symbolic: argv[1] (1 byte)", "Branches that depended"]
    {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn many_inputs_with_one_cause_are_one_entry_with_a_count() {
    let compared = compare("many", &["--runs", "60", "--time", "20s"]);
    let json = compared.json(1);
    assert_eq!(json["differences"].as_array().unwrap().len(), 1, "{json:#}");
    assert!(json["differences"][0]["count"].as_u64().unwrap() > 1, "{json:#}");
}

#[test]
fn a_kept_test_is_as_small_as_the_difference_allows() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("long"), "12 and 34 and more\n".repeat(10)).unwrap();
    let args = [&FIRST[..], &["--stdin", "long", "--", "needless", "arguments"]].concat();
    let output = compare_in(directory.path(), "many", &args);
    let compared = Compared { directory, output };
    let difference = compared.one("stdout");
    assert_eq!(difference["arguments"], Value::Array(vec![]));
    let stdin = fs::read(compared.path(difference["test"].as_str().unwrap()).join("stdin")).unwrap();
    assert_eq!(stdin, b"");
}

#[test]
fn files_that_the_versions_write_are_compared_and_kept() {
    let compared = compare("files", &FIRST);
    let difference = compared.one("files");
    let test = compared.path(difference["test"].as_str().unwrap());
    assert_eq!(fs::read_to_string(test.join("old/files/result.txt")).unwrap(), "one\n");
    assert_eq!(fs::read_to_string(test.join("new/files/result.txt")).unwrap(), "two\n");
}

#[test]
fn kept_tests_and_plain_files_are_seeds() {
    let directory = tempfile::tempdir().unwrap();
    let seeds = directory.path().join("seeds");
    fs::create_dir_all(seeds.join("one")).unwrap();
    fs::write(seeds.join("one/cmd"), "5\n").unwrap();
    fs::write(seeds.join("plain"), "some input").unwrap();
    let args = [&FIRST[..], &["--seeds", "seeds"]].concat();
    let output = compare_in(directory.path(), "boundary", &args);
    Compared { directory, output }.one("stdout");
}

#[test]
fn what_is_ignored_or_not_compared_is_no_difference() {
    let runs = ["--runs", "5", "--time", "20s"];
    compare("files", &[&runs[..], &["--compare", "stdout,exit"]].concat()).none();
    compare("files", &[&runs[..], &["--ignore", "one|two"]].concat()).none();
}

/// The first command of the README.
#[test]
fn the_shipped_example_shows_a_difference() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quota");
    let path = |name: &str| examples.join(name).to_str().unwrap().to_owned();
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (path("old.c"), path("new.c"));
    let line = ["diff", &old, &new, "--max-differences", "1", "--format", "json", "--", "10K", "512"];
    let output = parallax(directory.path(), &line).output().unwrap();
    let difference = Compared { directory, output }.one("exit");
    let exits = (difference["old"]["exit"].as_i64(), difference["new"]["exit"].as_i64());
    let expected = [(Some(2), Some(0)), (Some(0), Some(1))];
    assert!(expected.contains(&exits), "neither the unit B nor the limit itself: {exits:?}");
}
