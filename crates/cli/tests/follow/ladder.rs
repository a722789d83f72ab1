//! `parallax diff` on changes that get less far than to the output: the rung, and why.

use crate::support::directory;
use serde_json::Value;
use std::process::Command;

const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
volatile int zero;
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    int state = (n & 7) + zero;
    int odd = state > 1000;
    int b = (n & 3) + zero;
    int c = b * 8;
    int large = c > 1000;
    if (large)
        puts("never");
    printf("%d %d\n", odd, large);
    return 0;
}
"#;

fn compared(name: &str, new: &str, args: &[&str]) -> Value {
    let home = directory(name);
    for (file, text) in [("old.c", PROGRAM), ("new.c", new)] {
        std::fs::write(home.join(file), text).unwrap();
    }
    let cache = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let output = Command::new(env!("CARGO_BIN_EXE_parallax"))
        .args(["diff", "old.c", "new.c", "--format", "json"])
        .args(args)
        .current_dir(&home)
        .env("PARALLAX_CACHE", cache)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn change(document: &Value, line: u64) -> &Value {
    let changes = document["changes"].as_array().unwrap();
    let is_there = |change: &&Value| change["new_lines"].as_array().unwrap().contains(&line.into());
    changes.iter().find(is_there).unwrap_or_else(|| panic!("line {line}: {document:#}"))
}

#[test]
fn a_change_that_never_shows_has_its_rung_and_what_became_of_it() {
    let new = PROGRAM
        .replace("7) + zero", "7) + 1 + zero")
        .replace("3) + zero", "3) + 2 + zero")
        .replace("never", "ever");
    let args = ["--time", "20s", "--follow-time", "2s", "--runs", "6", "--", "5"];
    let document = compared("ladder", &new, &args);
    assert_eq!(document["differences"].as_array().unwrap().len(), 0, "{document:#}");
    let why = |line: u64, rung: &str| {
        let change = change(&document, line);
        assert_eq!(change["rung"], rung, "{document:#}");
        change["why"].as_str().unwrap().to_owned()
    };
    let infected = why(6, "infected");
    assert!(infected.starts_with("`state` is "), "{infected}");
    assert!(infected.contains(" at new.c:6; "), "{infected}");
    let propagated = why(8, "propagated");
    assert!(propagated.starts_with("`c` is "), "{propagated}");
    assert!(propagated.contains(" at new.c:9; "), "{propagated}");
    assert!(propagated.contains(" at new.c:10 "), "{propagated}");
    why(12, "unreached");
}

#[test]
fn a_difference_has_a_chain_its_sequence_and_the_change_that_matters() {
    let new = PROGRAM.replace("7) + zero", "7) + 2000 + zero").replace("3) + zero", "3) + 2 + zero");
    let args = ["--time", "20s", "--follow-time", "2s", "--max-differences", "1", "--", "5"];
    let document = compared("chain-of-two", &new, &args);
    let difference = &document["differences"][0];
    assert_eq!(difference["cause"], "new.c:6", "{document:#}");
    assert_eq!(difference["matter"], serde_json::json!(["new.c:6 (main)"]), "{document:#}");
    assert_eq!(
        difference["sequence"],
        serde_json::json!(["new.c:6 (main)", "new.c:8 (main)"]),
        "{document:#}"
    );
    let chain = difference["chain"].as_array().unwrap();
    let lines: Vec<u64> = chain.iter().map(|step| step["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [6, 7, 13], "{document:#}");
    assert_eq!(change(&document, 6)["rung"], "visible");
    assert_eq!(change(&document, 8)["rung"], "propagated");
}

#[test]
fn nothing_is_followed_if_that_is_not_wanted() {
    let new = PROGRAM.replace("7) + zero", "7) + 1 + zero");
    let document =
        compared("ladder-off", &new, &["--time", "10s", "--follow-events", "0", "--runs", "3", "--", "5"]);
    assert_eq!(change(&document, 6)["rung"], "reached");
    let document =
        compared("ladder-few", &new, &["--time", "10s", "--follow-events", "20", "--runs", "3", "--", "5"]);
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("--follow-events"), "{warnings}");
}
