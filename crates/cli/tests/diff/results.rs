//! The output directory, and what is in its files.

use super::*;
use std::fs;

const FIRST: [&str; 4] = ["--max-differences", "1", "--time", "20s"];

#[test]
fn the_output_directory_has_everything_and_the_previous_one_is_moved_aside() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    compared.one("stdout");
    let names = [
        "run.json",
        "verdicts.json",
        "changes.json",
        "stats.sqlite",
        "report.html",
        "junit.xml",
        "report.sarif",
    ];
    for name in names.into_iter().chain(["tests", "corpus", "logs/progress.log"]) {
        assert!(compared.path("parallax-out").join(name).exists(), "{name}");
    }
    let document: Value = serde_json::from_slice(&compared.output.stdout).unwrap();
    assert_eq!(document, compared.file("verdicts.json"));
    assert!(fs::read_to_string(compared.path("parallax-out/junit.xml")).unwrap().contains("1-stdout"));
    compare_in(compared.directory.path(), "refactored", &["--runs", "3", "--", "5"]);
    assert!(compared.path("parallax-out.old/tests/1-stdout").exists());
    assert!(!compared.path("parallax-out/tests/1-stdout").exists());
}

#[test]
fn what_changed_is_in_the_directory_and_so_is_the_cause() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    let difference = compared.one("stdout");
    let changes = compared.file("changes.json");
    assert_eq!(changes["changes"].as_array().unwrap().len(), 1, "{changes:#}");
    let change = &changes["changes"][0];
    assert_eq!((&change["file"], &change["kind"]), (&"new.c".into(), &"modified".into()));
    assert_eq!(change["function"], "main");
    assert_eq!(change["old_lines"].as_array().unwrap().len(), 1, "{changes:#}");
    let line = &change["new_lines"][0];
    assert_eq!(difference["cause"], format!("new.c:{line}"));
    let source = fs::read_to_string(source("boundary", "new.c")).unwrap();
    let text = source.lines().nth(line.as_u64().unwrap() as usize - 1).unwrap();
    assert!(text.contains(">="), "{text}");
}

#[test]
fn targets_have_a_status_and_the_test_that_reached_them() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    let json = compared.json(1);
    let target = &json["targets"][0];
    assert_eq!((&target["file"], &target["function"]), (&"new.c".into(), &"main".into()), "{json:#}");
    assert_eq!((&target["status"], &target["test"]), (&"seed".into(), &Value::Null));
    // Without an argument the program ends before the change.
    let compared = compare("boundary", &FIRST);
    let json = compared.json(1);
    assert_eq!(json["targets"][0]["status"], "reached", "{json:#}");
    let test = json["targets"][0]["test"].as_str().unwrap();
    assert!(compared.path(test).join("cmd").exists(), "{test}");
}

#[test]
fn the_page_can_be_made_again_from_the_directory() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    let page = fs::read_to_string(compared.path("parallax-out/report.html")).unwrap();
    for part in [
        "1 difference between",
        "value <b>5</b>",
        "value <b>10</b>",
        "parallax replay parallax-out/tests/1-stdout",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    fs::remove_file(compared.path("parallax-out/report.html")).unwrap();
    let here = compared.directory.path();
    let report = parallax(here, &["report", "parallax-out"]).output().unwrap();
    assert_eq!(report.status.code(), Some(0), "{}", String::from_utf8_lossy(&report.stderr));
    assert_eq!(report.stdout, b"parallax-out/report.html\n");
    assert_eq!(fs::read_to_string(compared.path("parallax-out/report.html")).unwrap(), page);
    let report = parallax(here, &["report", "elsewhere"]).output().unwrap();
    assert_eq!(report.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&report.stderr).contains("elsewhere/verdicts.json"));
}

/// The directory holds what is known while the search still runs.
#[test]
fn verdicts_are_on_disk_before_the_search_ends() {
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = sources("many");
    let line = ["diff", &old, &new, "--time", "60s", "--minimise-runs", "0"];
    let mut child = parallax(directory.path(), &line)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let verdicts = directory.path().join("parallax-out/verdicts.json");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let found = loop {
        assert!(std::time::Instant::now() < until, "nothing was found in time");
        // A file of the directory is there with all its content or not at all.
        if let Ok(text) = fs::read_to_string(&verdicts) {
            let json: Value = serde_json::from_str(&text).unwrap();
            if json["verdict"] == "different" && json["stats"]["runs"].as_u64() > Some(0) {
                break json;
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!(found["ended"], "still running");
    assert!(directory.path().join(found["differences"][0]["test"].as_str().unwrap()).join("run.sh").exists());
    child.kill().unwrap();
    child.wait().unwrap();
}
