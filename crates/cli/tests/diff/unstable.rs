//! Output that is not the same each time: named, left out, and the rest still compared.

use super::*;
use serde_json::json;

const FIRST: [&str; 4] = ["--max-differences", "1", "--time", "20s"];
const FEW: [&str; 4] = ["--runs", "10", "--time", "20s"];

/// What was named as unstable: version, aspect and part.
fn named(json: &Value) -> Vec<[String; 3]> {
    let part = |u: &Value, key: &str| u[key].as_str().unwrap().to_owned();
    let all = json["unstable"].as_array().unwrap().iter();
    all.map(|u| ["version", "aspect", "what"].map(|key| part(u, key))).collect()
}

#[track_caller]
fn is_named(json: &Value, expected: [&str; 3]) {
    assert!(named(json).contains(&expected.map(str::to_owned)), "{json:#}");
}

#[test]
fn a_clock_in_the_output_is_named_and_left_out() {
    let compared = compare("clock", &[&FIRST[..], &["--", "x", "y"]].concat());
    let difference = compared.one("exit");
    assert_eq!(difference["aspects"], json!(["exit"]));
    let parts = named(&compared.json(1));
    assert!(parts.iter().any(|[version, aspect, _]| version == "old" && aspect == "stdout"), "{parts:?}");
    let stderr = compared.stderr();
    assert!(stderr.contains("stdout of the old version is unstable and left out: "), "{stderr}");
    let text = std::fs::read_to_string(compared.path("parallax-out/report.html")).unwrap();
    assert!(text.contains("a version differs from itself"), "{text}");
}

#[test]
fn addresses_that_differ_between_the_versions_are_no_difference() {
    let args = ["--compare", "stdout", "--runs", "1", "--time", "20s"];
    let json = compare("addresses", &args).none();
    is_named(&json, ["old", "stdout", "lines like \"main is at *, a block at *\""]);
}

#[test]
fn a_difference_beside_an_address_is_found() {
    let args = [&FIRST[..], &["--", "1", "2", "3", "4"]].concat();
    let difference = compare("addresses", &args).one("stdout");
    assert!(difference["signature"].as_str().unwrap().contains("sum"), "{difference:#}");
}

#[test]
fn a_random_order_of_lines_is_no_difference_and_another_line_is() {
    let json = compare("order", &["--runs", "1", "--time", "20s"]).none();
    is_named(&json, ["old", "stdout", "the order of lines"]);
    let difference = compare("order", &[&FIRST[..], &["--", "a", "b", "c"]].concat()).one("stdout");
    assert!(difference["new"]["stdout"].as_str().unwrap().contains("dozen"));
}

#[test]
fn a_difference_beside_a_random_number_is_found() {
    let compared = compare("noise", &[&FIRST[..], &["--", "a", "b"]].concat());
    let difference = compared.one("stdout");
    assert!(difference["signature"].as_str().unwrap().contains("sum"), "{difference:#}");
    is_named(&compared.json(1), ["new", "stdout", "lines like \"run number *\""]);
    compare("noise", &["--runs", "1", "--time", "20s"]).none();
}

#[test]
fn versions_of_which_nothing_is_stable_are_refused() {
    let compared = compare("random", &[&FEW[..], &["--compare", "stdout"]].concat());
    assert_eq!(compared.output.status.code(), Some(4), "{}", compared.stderr());
    assert!(compared.stderr().contains("unstable") && compared.stderr().contains("--ignore"));
    assert!(compared.output.stdout.is_empty());
    let ended = compared.file("verdicts.json")["ended"].as_str().unwrap().to_owned();
    assert!(ended.contains("unstable"), "{ended}");
    // The same code twice: as random as it is, it is equivalent, once something of it can be compared.
    assert_eq!(compare("random", &FEW).json(0)["verdict"], "equivalent");
}
