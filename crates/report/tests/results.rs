//! The forms of a comparison's result, and the directory that holds them.

use parallax_report::diff_view::*;
use parallax_report::{diff_human, diff_json, html, junit, sarif, Change, OutDir, Text};
use serde_json::Value;
use std::fs;

fn behaviour(exit: i32, stdout: &[u8]) -> BehaviourView {
    BehaviourView { exit: Some(exit), stdout: stdout.into(), ..BehaviourView::default() }
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
            kind: "stdout".to_owned(),
            aspects: vec!["stdout".to_owned()],
            signature: "stdout: \"<a> & *\" -> nothing".to_owned(),
            count: 12,
            old: behaviour(0, b"first\nsecond\n"),
            new: behaviour(0, b"first\n\xff\0\x1b\n"),
            found_after_s: 0.25,
            runs_before: 3,
            ..DifferenceView::default()
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
    none.unflipped = vec![UnflippedView {
        version: "old".into(),
        place: "old.c:3:5".into(),
        reason: "unsatisfiable".into(),
    }];
    none.lost = vec![LostView {
        version: "new".into(),
        place: "new.c:7:9".into(),
        callee: Some("crypt".into()),
        reason: String::new(),
        count: 2,
    }];
    none.symbolic = vec!["argv[1] (5 bytes)".into()];
    let target = |line, status: &str| TargetView {
        way: None,
        file: Some("new.c".into()),
        line,
        function: "area".into(),
        status: status.into(),
        test: None,
    };
    none.targets = vec![target(4, "seed"), target(6, "unreached"), target(9, "reached")];
    let text = diff_human(&none);
    for part in ["No difference found", "40 inputs", "argv[1] (5 bytes)", "9; seen both ways: 7", "old.c:3:5"]
    {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(text.contains("Changed blocks executed: 2 of 3.\n  not new.c:6 (area)\n"), "{text}");
    assert!(html(&none, &[]).contains("<td>new.c:6</td><td>area</td><td>unreached</td>"));
    for part in ["unsatisfiable: 1", "new.c:7:9 (new): call of crypt, 2 times", "the time was up"] {
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

/// What a page must not have: anything that is fetched, and output of a program as markup.
fn check_self_contained(page: &str) {
    for outside in ["http://", "https://", "src=", "<script", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} in {page}");
    }
}

#[test]
fn the_page_shows_every_difference_with_input_outputs_and_how_to_replay() {
    let mut two = view(2);
    two.versions.old_binary = "/cache/old/prog".to_owned();
    two.differences[1].arguments =
        vec![Text(b"-x".to_vec()), Text(b"it's <b>".to_vec()), Text(b"\xff\n".to_vec())];
    two.differences[1].stdin = Text(b"typed".to_vec());
    two.differences[1].class = Some("regression".to_owned());
    two.differences[1].cause = Some("a.c:3".to_owned());
    two.unflipped = vec![UnflippedView {
        version: "old".into(),
        place: "old.c:3:5".into(),
        reason: "unsatisfiable".into(),
    }];
    let change = Change {
        file: Some("a.c".into()),
        function: Some("area".into()),
        kind: "modified".into(),
        old_lines: vec![3],
        new_lines: vec![3, 4],
        ..Change::default()
    };
    let page = html(&two, &[change]);
    check_self_contained(&page);
    for part in [
        "2 differences between old.c and new.c",
        "id=\"1-stdout\"",
        "id=\"2-stdout\"",
        "PROGRAM -x 'it'\\''s &lt;b&gt;' $'\\xff\\n'",
        "typed",
        "regression",
        "Cause: a.c:3",
        "sh out/tests/2-stdout/run.sh /cache/old/prog",
        "the time was up",
        "old.c:3:5",
        "3–4",
        "<td>area</td>",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
}

#[test]
fn output_of_a_program_cannot_become_markup_of_the_page() {
    let mut one = view(1);
    let evil = b"<script>alert(1)</script>\n\x1b[2J".to_vec();
    let difference = &mut one.differences[0];
    difference.new.stdout = Text(evil.clone());
    difference.new.stderr = Text(evil.clone());
    difference.signature = String::from_utf8(evil.clone()).unwrap();
    difference.files =
        vec![FileView { path: Text(b"<x>".to_vec()), change: None, content: Some(Text(evil.clone())) }];
    difference.new.files = difference.files.clone();
    one.ended = "<script>".to_owned();
    let page = html(&one, &[]);
    check_self_contained(&page);
    assert!(page.contains("&lt;script&gt;") && !page.contains("<x>"));
}

#[test]
fn a_view_is_read_back_from_its_json() {
    let two = view(2);
    let text = diff_json(&two).unwrap();
    let back: DiffView = serde_json::from_str(&text).unwrap();
    assert_eq!(diff_json(&back).unwrap(), text);
}

#[test]
fn a_previous_result_is_moved_aside_and_the_one_before_it_goes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out");
    for generation in 1..=3 {
        let out = OutDir::claim(&path).unwrap().begin().unwrap();
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
    OutDir::claim(&path).unwrap().begin().expect("an empty directory is used");
    fs::remove_file(path.join("run.json")).unwrap();
    assert!(OutDir::claim(&path).unwrap_err().to_string().contains("--out"));
    fs::write(path.join("run.json"), "{}").unwrap();
    fs::create_dir(directory.path().join("src.old")).unwrap();
    fs::write(directory.path().join("src.old/precious"), "").unwrap();
    assert!(OutDir::claim(&path).is_err());
    assert!(directory.path().join("src.old/precious").exists());
}
