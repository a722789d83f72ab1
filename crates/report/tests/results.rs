//! The forms of a comparison's result, and the directory that holds them.

use parallax_report::diff_view::*;
use parallax_report::{diff_human, diff_json, junit, sarif, OutDir, Text};
use serde_json::Value;
use std::fs;

fn behaviour(exit: i32, stdout: &[u8]) -> BehaviourView {
    BehaviourView {
        exit: Some(exit),
        signal: None,
        limit: None,
        stdout: stdout.into(),
        stderr: Text::default(),
    }
}

fn view(differences: usize) -> DiffView {
    let versions = VersionsView { old: "old.c".into(), new: "new.c".into(), ..VersionsView::default() };
    let mut view = DiffView::new(versions);
    view.ended = "the time was up".to_owned();
    if differences > 0 {
        view.verdict = Verdict::Different;
    }
    view.differences = (1..=differences)
        .map(|n| DifferenceView {
            id: format!("{n}-stdout"),
            test: format!("out/tests/{n}-stdout"),
            kind: "stdout",
            aspects: vec!["stdout"],
            signature: "stdout: \"<a> & *\" -> nothing".to_owned(),
            count: 12,
            arguments: vec![],
            old: behaviour(0, b"first\nsecond\n"),
            new: behaviour(0, b"first\n\xff\0\x1b\n"),
            found_after_s: 0.25,
            runs_before: 3,
        })
        .collect();
    view
}

#[test]
fn every_form_has_every_difference() {
    let two = view(2);
    let json: Value = serde_json::from_str(&diff_json(&two).unwrap()).unwrap();
    assert_eq!(json["verdict"], "different");
    assert_eq!(json["differences"].as_array().unwrap().len(), 2);
    let text = diff_human(&two);
    assert!(text.starts_with("2 differences between old.c and new.c"), "{text}");
    let sarif: Value = serde_json::from_str(&sarif(&two).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
    assert_eq!(junit(&two).matches("<failure ").count(), 2);
    for id in ["1-stdout", "2-stdout"] {
        assert!(text.contains(&format!("out/tests/{id}")), "{text}");
        assert!(junit(&two).contains(id));
    }
}

#[test]
fn no_difference_is_said_with_what_was_tried() {
    let mut none = view(0);
    none.stats = DiffStats { runs: 40, symbolic_branches: 9, flipped_branches: 7, ..DiffStats::default() };
    none.unflipped =
        vec![UnflippedView { version: "old", place: "old.c:3:5".into(), reason: "unsatisfiable" }];
    none.lost = vec![LostView { callee: "crypt".into(), count: 2 }];
    none.symbolic = vec!["argv[1] (5 bytes)".into()];
    let text = diff_human(&none);
    for part in ["No difference found", "40 inputs", "argv[1] (5 bytes)", "9; seen both ways: 7", "old.c:3:5"]
    {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    for part in ["unsatisfiable: 1", "crypt (2 times)", "the time was up"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(junit(&none).contains("no difference found"));
}

#[test]
fn output_that_is_not_text_reaches_no_terminal_and_is_whole_in_json() {
    let one = view(1);
    let json: Value = serde_json::from_str(&diff_json(&one).unwrap()).unwrap();
    assert!(json["differences"][0]["new"]["stdout"]["base64"].is_string());
    assert_eq!(json["differences"][0]["old"]["stdout"], "first\nsecond\n");
    let text = diff_human(&one);
    assert!(text.contains(r#"stdout line 2: "\xff\0\u{1b}\n""#), "{text}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    assert!(junit(&one).contains("&lt;a&gt; &amp;"));
    assert!(junit(&one).chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn a_previous_result_is_moved_aside_and_the_one_before_it_goes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out");
    for generation in 1..=3 {
        let out = OutDir::create(&path).unwrap();
        out.write("mark", generation.to_string().as_bytes()).unwrap();
    }
    assert_eq!(fs::read_to_string(path.join("mark")).unwrap(), "3");
    assert_eq!(fs::read_to_string(directory.path().join("out.old/mark")).unwrap(), "2");
    let mut names: Vec<_> = fs::read_dir(&path).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["corpus", "logs", "mark", "run.json", "tests"]);
}

#[test]
fn what_is_not_ours_is_neither_moved_nor_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("src");
    fs::create_dir(&path).unwrap();
    OutDir::create(&path).expect("an empty directory is used");
    fs::remove_file(path.join("run.json")).unwrap();
    assert!(OutDir::create(&path).unwrap_err().to_string().contains("--out"));
    fs::write(path.join("run.json"), "{}").unwrap();
    fs::create_dir(directory.path().join("src.old")).unwrap();
    fs::write(directory.path().join("src.old/precious"), "").unwrap();
    assert!(OutDir::create(&path).is_err());
    assert!(directory.path().join("src.old/precious").exists());
}
