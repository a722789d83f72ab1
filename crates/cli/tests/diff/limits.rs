//! Limits that limit, and options that do what they say.

use super::*;
use std::fs;
use std::time::Duration;

/// Of the search; building does not count.
fn seconds(json: &Value) -> f64 {
    json["stats"]["seconds"].as_f64().unwrap()
}

/// How long Parallax ran after the first line of the search.
fn timed(pair: &str, args: &[&str]) -> (Compared, Duration) {
    // Built and cached.
    compare(pair, &["--runs", "1", "--time", "1s"]);
    let before = std::time::Instant::now();
    let compared = compare(pair, args);
    (compared, before.elapsed())
}

#[test]
fn the_time_limit_is_kept() {
    let (compared, elapsed) = timed("many", &["--time", "2s", "--compare", "exit"]);
    let searched = seconds(&compared.none());
    assert!(searched < 3.0, "{searched}");
    assert!(elapsed < Duration::from_secs(12), "{elapsed:?}");
}

#[test]
fn the_time_limit_is_kept_with_slow_programs_while_a_test_is_made_smaller() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "7 and a lot of text that could go ".repeat(20)).unwrap();
    compare("slow", &["--runs", "1", "--time", "1s"]);
    let before = std::time::Instant::now();
    let args = ["--time", "10s", "--minimise-time", "60s", "--stdin", "in"];
    let output = compare_in(directory.path(), "slow", &args);
    let elapsed = before.elapsed();
    let compared = Compared { directory, output };
    let json = compared.json(1);
    assert!(seconds(&json) < 11.0, "{}", seconds(&json));
    // Starting, checking that the versions are stable and writing the report are in this.
    assert!(elapsed < Duration::from_secs(20), "{elapsed:?}");
    let found = json["differences"][0]["found_after_s"].as_f64().unwrap();
    assert!(found > 0.2 && found < 11.0, "{found}");
    let smaller = compared.path(json["differences"][0]["test"].as_str().unwrap()).join("stdin");
    assert!(fs::read(smaller).unwrap().len() < 34 * 20, "what was reached by then is kept");
}

#[test]
fn no_more_inputs_are_tried_than_allowed() {
    let json = compare("many", &["--runs", "5", "--compare", "exit", "--time", "20s"]).none();
    assert!(json["ended"].as_str().unwrap().contains("--runs"), "{json:#}");
    let runs = json["stats"]["runs"].as_u64().unwrap();
    assert!((1..=32).contains(&runs), "{runs}: a round of the search more at most");
}

#[test]
fn the_number_of_workers_does_not_change_what_is_found() {
    let found = |jobs: &str| {
        let compared =
            compare("causes", &["--jobs", jobs, "--runs", "60", "--time", "60s", "--minimise-runs", "0"]);
        let json = compared.json(1);
        let brief =
            |d: &Value| (d["cause"].clone(), d["arguments"].clone(), d["stdin"].clone(), d["count"].clone());
        json["differences"].as_array().unwrap().iter().map(brief).collect::<Vec<_>>()
    };
    assert_eq!(found("1"), found("2"));
}

#[test]
fn standard_input_comes_from_the_file_that_is_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "!").unwrap();
    let args = ["--stdin", "in", "--max-differences", "1", "--time", "20s"];
    let output = compare_in(directory.path(), "causes", &args);
    let difference = Compared { directory, output }.one("exit");
    assert_eq!((&difference["stdin"], &difference["runs_before"]), (&"!".into(), &1.into()));
    assert_eq!((&difference["old"]["exit"], &difference["new"]["exit"]), (&3.into(), &4.into()));
}
