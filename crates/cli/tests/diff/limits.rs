//! Limits that limit, and options that do what they say.

use super::*;
use std::fs;
use std::time::{Duration, Instant};

/// How long a comparison took, all in all.
fn timed(directory: &Path, pair: &str, args: &[&str]) -> (Output, Duration) {
    let before = Instant::now();
    let output = compare_in(directory, pair, args);
    (output, before.elapsed())
}

/// Far more than any of these comparisons takes on a busy machine, and far less than a search without a limit.
const AT_ALL: Duration = Duration::from_secs(120);

/// Compares with a limit of so many seconds. The search may take a second more, and what a comparison takes that hardly searches at all:
/// starting, checking that the versions are stable, writing the report, on a machine that may be busy.
fn limited(directory: TempDir, pair: &str, seconds: u64, args: &[&str]) -> Compared {
    // Built and cached.
    compare(pair, &["--runs", "1", "--time", "1s"]);
    let (_, idle) = timed(directory.path(), pair, &["--runs", "1", "--time", "1s"]);
    let time = format!("{seconds}s");
    let (output, elapsed) = timed(directory.path(), pair, &[&["--time", &time], args].concat());
    assert!(elapsed < AT_ALL, "{elapsed:?}, where a comparison without a search takes {idle:?}");
    let limit = Duration::from_secs(seconds + 1) + 2 * idle;
    let compared = Compared { directory, output };
    let searched = compared.file("verdicts.json")["stats"]["seconds"].as_f64().unwrap();
    assert!(searched < limit.as_secs_f64(), "{searched} s");
    compared
}

#[test]
fn the_time_limit_is_kept() {
    let json = limited(tempfile::tempdir().unwrap(), "many", 2, &["--compare", "exit"]).none();
    assert!(json["ended"].as_str().unwrap().contains("2 s"), "{json:#}");
}

#[test]
fn the_time_limit_is_kept_with_slow_programs_while_a_test_is_made_smaller() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "7 and a lot of text that could go ".repeat(20)).unwrap();
    let compared = limited(directory, "slow", 20, &["--minimise-time", "60s", "--stdin", "in"]);
    let difference = compared.one("stdout");
    let found = difference["found_after_s"].as_f64().unwrap();
    assert!(found > 0.2 && found < 21.0, "{found}");
    let smaller = compared.path(difference["test"].as_str().unwrap()).join("stdin");
    assert!(fs::read(smaller).unwrap().len() < 34 * 20, "what was reached by then is kept");
}

/// What recursion without end makes of a digit is one expression for each of thousands of rounds.
#[test]
fn the_time_limit_is_kept_where_a_version_computes_without_end() {
    limited(tempfile::tempdir().unwrap(), "endless", 5, &["--", "7"]).one("signal");
}

#[test]
fn no_more_inputs_are_tried_than_allowed() {
    let json = compare("many", &["--runs", "5", "--compare", "exit", "--time", "20s"]).none();
    assert!(json["ended"].as_str().unwrap().contains("--runs"), "{json:#}");
    let runs = json["stats"]["runs"].as_u64().unwrap();
    assert!((1..=5).contains(&runs), "{runs}");
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
