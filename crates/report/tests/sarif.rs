//! The SARIF log against the rules of SARIF 2.1.0 that can be written down here.

use parallax_report::diff_view::*;
use parallax_report::sarif;
use serde_json::Value;

fn log(new: &str, causes: &[Option<&str>]) -> Value {
    let versions = VersionsView { old: "old".into(), new: new.into(), ..VersionsView::default() };
    let mut view = DiffView::new(versions);
    let difference = |cause: &Option<&str>| DifferenceView {
        id: "1-exit".into(),
        test: "parallax-out/tests/1-exit".into(),
        kind: "exit".into(),
        signature: "exit 0 -> exit 1".into(),
        cause: cause.map(str::to_owned),
        count: 3,
        ..DifferenceView::default()
    };
    view.differences = causes.iter().map(difference).collect();
    let log: Value = serde_json::from_str(&sarif(&view).unwrap()).unwrap();
    check(&log);
    log
}

fn text<'v>(value: &'v Value, what: &str) -> &'v str {
    value.as_str().filter(|text| !text.is_empty()).unwrap_or_else(|| panic!("{what}: {value}"))
}

/// Properties that the standard requires, and references that must lead somewhere.
fn check(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    text(&log["$schema"], "$schema");
    for run in log["runs"].as_array().expect("runs") {
        let driver = &run["tool"]["driver"];
        text(&driver["name"], "the driver's name");
        let rules = driver["rules"].as_array().expect("rules");
        let mut ids: Vec<&str> = rules.iter().map(|rule| text(&rule["id"], "id of a rule")).collect();
        for rule in rules {
            text(&rule["shortDescription"]["text"], "what a rule says");
            assert!(["none", "note", "warning", "error"]
                .contains(&text(&rule["defaultConfiguration"]["level"], "level of a rule")));
        }
        for result in run["results"].as_array().expect("results") {
            check_result(run, result, &ids);
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rules.len(), "rules have names of their own");
    }
}

fn check_result(run: &Value, result: &Value, rules: &[&str]) {
    text(&result["message"]["text"], "the message");
    let rule = text(&result["ruleId"], "ruleId");
    assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize], rule);
    assert!(["none", "note", "warning", "error"].contains(&text(&result["level"], "level")));
    let places = result["locations"].as_array().unwrap();
    assert!(!places.is_empty(), "a result without a place: {result}");
    for place in places.iter().chain(result["relatedLocations"].as_array().unwrap()) {
        let place = &place["physicalLocation"];
        let uri = text(&place["artifactLocation"]["uri"], "uri");
        assert!(!uri.starts_with('/') && !uri.contains([' ', '\\', ':']), "{uri}: not a relative reference");
        let base = text(&place["artifactLocation"]["uriBaseId"], "uriBaseId");
        assert!(run["originalUriBaseIds"][base].is_object(), "{base}");
        let line = |name: &str| place["region"][name].as_u64().unwrap();
        assert!(1 <= line("startLine") && line("startLine") <= line("endLine"), "{place}");
    }
    for print in result["partialFingerprints"].as_object().unwrap().values() {
        assert!(print.is_string());
    }
}

#[track_caller]
fn place(log: &Value, result: usize, at: usize) -> (String, String, u64, u64) {
    let place = &log["runs"][0]["results"][result]["locations"][at]["physicalLocation"];
    let artifact = |name: &str| place["artifactLocation"][name].as_str().unwrap().to_owned();
    let line = |name: &str| place["region"][name].as_u64().unwrap();
    (artifact("uri"), artifact("uriBaseId"), line("startLine"), line("endLine"))
}

#[test]
fn a_result_points_at_the_changed_lines_of_the_new_version() {
    let log = log("tree", &[Some("src/a b.c:12-15"), Some("src/x.c:7")]);
    assert_eq!(place(&log, 0, 0), ("src/a%20b.c".into(), "SRCROOT".into(), 12, 15));
    assert_eq!(place(&log, 1, 0), ("src/x.c".into(), "SRCROOT".into(), 7, 7));
}

#[test]
fn a_single_file_is_named_as_the_user_named_it() {
    assert_eq!(place(&log("./examples/new.c", &[Some("new.c:3")]), 0, 0).0, "examples/new.c");
    assert_eq!(place(&log("examples/new.c", &[Some("other.h:3")]), 0, 0).0, "other.h");
}

#[test]
fn several_candidates_and_deleted_lines_are_all_named() {
    let log = log("tree", &[Some("a.c:1 or b.c:2-3 (old)")]);
    assert_eq!(place(&log, 0, 0), ("a.c".into(), "SRCROOT".into(), 1, 1));
    assert_eq!(place(&log, 0, 1), ("b.c".into(), "OLDROOT".into(), 2, 3));
}

#[test]
fn without_a_cause_the_test_is_the_place() {
    let log = log("tree", &[None]);
    assert_eq!(place(&log, 0, 0), ("parallax-out/tests/1-exit/cmd".into(), "RESULTS".into(), 1, 1));
}
