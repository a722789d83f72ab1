//! Another wording is told from another behaviour.

use parallax_execute::{Outcome, Output, Run, TestCase};
use parallax_oracle::*;
use parallax_trace::sites::ProgramMap;
use parallax_trace::synth::Synth;
use std::collections::BTreeMap;
use std::time::Duration;

fn run(status: i32, stdout: &str, stderr: &str) -> Run {
    let output = |text: &str| Output { bytes: text.as_bytes().to_vec(), truncated: false };
    Run {
        outcome: Outcome::Exited(status),
        stdout: output(stdout),
        stderr: output(stderr),
        files: vec![],
        files_truncated: false,
        wall: Duration::ZERO,
        cpu: Duration::ZERO,
    }
}

/// The programs have these texts, and no sources.
fn expectations(old: &[&str], new: &[&str]) -> Expectations {
    let binary = |texts: &[&str]| format!("\0{}\0", texts.join("\0")).into_bytes();
    Expectations::new([&binary(old), &binary(new)], vec![], &BTreeMap::new())
}

/// What is beyond the wording, and what it comes from.
#[track_caller]
fn described(expectations: &Expectations, old: Run, new: Run) -> Case {
    let rules = Rules::default();
    let aspects = rules.differing(&old, &new);
    let mut case = Case::new(TestCase::default(), old, new, aspects, String::new());
    let map = ProgramMap::default();
    let causes = Causes::new(vec![], [&map, &map]);
    let trace = Synth::new(vec![]).trace();
    describe(&mut case, &rules, expectations, &causes, [&trace, &trace]);
    case
}

fn aspects(case: &Case) -> Vec<&'static str> {
    case.beyond.iter().map(|aspect| aspect.name()).collect()
}

#[test]
fn a_text_that_was_changed_is_wording_and_nothing_else() {
    let known = expectations(&["error: bad %s\n", "count %d\n"], &["Error: bad %s\n", "count %d\n"]);
    let case = described(&known, run(1, "", "error: bad x\n"), run(1, "", "Error: bad x\n"));
    assert_eq!(aspects(&case), [""; 0]);
    assert!(matches!(case.roots[..], [Root::Wording { .. }]), "{:?}", case.roots);
    // What is printed with an unchanged text is computed.
    let case = described(&known, run(0, "count 5\n", ""), run(0, "count 6\n", ""));
    assert_eq!(aspects(&case), ["stdout"]);
}

#[test]
fn the_exit_status_is_seen_behind_a_changed_text() {
    let known = expectations(&["error: bad\n"], &["Error: bad\n"]);
    let case = described(&known, run(1, "", "error: bad\n"), run(3, "", "Error: bad\n"));
    assert_eq!(aspects(&case), ["exit"]);
    assert_eq!(case.told, "exit 1 -> exit 3");
    assert_eq!(case.kind(), Aspect::Exit);
}

#[test]
fn numbers_beside_a_changed_text_are_still_compared() {
    let known = expectations(&["total: %d\n"], &["sum: %d\n"]);
    let case = described(&known, run(0, "total: 5\n", ""), run(0, "sum: 5\n", ""));
    assert_eq!(aspects(&case), [""; 0]);
    let case = described(&known, run(0, "total: 5\n", ""), run(0, "sum: 6\n", ""));
    assert_eq!(aspects(&case), ["stdout"]);
    assert!(case.told.contains("\"sum: 5\\n\" -> \"sum: 6\\n\""), "{}", case.told);
}

#[test]
fn lines_that_were_added_or_taken_away_are_wording_if_they_are_texts_of_one_version() {
    let known = expectations(&["ready\n", "%d\n"], &["Starting up", "debug: n=%d\n", "ready\n", "%d\n"]);
    let old = run(0, "ready\n5\n", "");
    let case = described(&known, old.clone(), run(0, "Starting up\nready\n5\n", ""));
    assert_eq!(aspects(&case), [""; 0]);
    let case = described(&known, old.clone(), run(0, "Starting up\nready\n6\n", ""));
    assert_eq!(aspects(&case), ["stdout"]);
    assert!(case.told.contains("\"5\\n\" -> \"6\\n\""), "{}", case.told);
    let case = described(&known, old, run(0, "ready\nready\n5\n", ""));
    assert_eq!(aspects(&case), ["stdout"], "both versions have this text");
}

#[test]
fn the_same_words_exchanged_in_two_messages_are_one_entry_and_other_words_another() {
    let known = expectations(
        &["error: bad\n", "error: worse\n", "all is well\n"],
        &["Error: bad\n", "Error: worse\n", "everything is fine\n"],
    );
    let root = |old: &str, new: &str| described(&known, run(0, old, ""), run(0, new, "")).roots[0].clone();
    let first = root("error: bad\n", "Error: bad\n");
    assert!(first.joins(&root("error: worse\n", "Error: worse\n")));
    assert!(!first.joins(&root("all is well\n", "everything is fine\n")));
}

#[test]
fn signatures_never_read_the_same_on_both_sides() {
    let known = Expectations::default();
    let long = "word ".repeat(60);
    for (old, new) in [
        ("value 5\n".to_owned(), "value 10\n".to_owned()),
        ("a  b\n".to_owned(), "a b\n".to_owned()),
        ("a\tb\n".to_owned(), "a b\n".to_owned()),
        ("a \n".to_owned(), "a\n".to_owned()),
        ("a\0\n".to_owned(), "a\u{1}\n".to_owned()),
        (format!("{long}1\n"), format!("{long}2\n")),
        ("x\n".repeat(50), "x\n".repeat(51)),
    ] {
        let told = described(&known, run(0, &old, ""), run(0, &new, "")).told;
        let (a, b) = told.strip_prefix("stdout: ").unwrap().split_once(" -> ").unwrap();
        assert_ne!(a, b, "{told}");
        assert!(told.len() < 250, "{told}");
    }
}

/// Two lines were put in before line 4.
fn moved() -> Expectations {
    let region =
        Region { files: ["old.c".into(), "new.c".into()], lines: [None, Some([4, 5])], ..Region::default() };
    let source = "#define FAIL(m) die(__LINE__, m)\nint f(int x)\n{\n    assert(x);\n    FAIL(\"bad\");\n    puts(\"ok\");\n}\n";
    Expectations::new([b"", b""], vec![region], &BTreeMap::from([("old.c".to_owned(), source.into())]))
}

#[test]
fn a_line_that_moved_is_recognised_and_any_other_number_is_not() {
    let known = moved();
    let beyond = |old: &str, new: &str| aspects(&described(&known, run(1, "", old), run(1, "", new))).len();
    // The assertion and the macro print their lines.
    assert_eq!(beyond("old.c:4: f: Assertion `x' failed.\n", "new.c:6: f: Assertion `x' failed.\n"), 0);
    assert_eq!(beyond("bad at 5\n", "bad at 7\n"), 0);
    // A place that is named with its file.
    assert_eq!(beyond("old.c:6: ok\n", "new.c:8: ok\n"), 0);
    // Not where the line went.
    assert_eq!(beyond("bad at 5\n", "bad at 8\n"), 1);
    assert_eq!(beyond("old.c:6: ok\n", "new.c:9: ok\n"), 1);
    // A number as any other.
    assert_eq!(beyond("6 files\n", "8 files\n"), 1);
    assert_eq!(beyond("total 12\n", "total 14\n"), 1);
}

#[test]
fn differences_in_line_numbers_are_one_entry() {
    let root = |old: &str, new: &str| described(&moved(), run(1, "", old), run(1, "", new)).roots[0].clone();
    assert_eq!(root("bad at 5\n", "bad at 7\n"), Root::Lines);
    assert_eq!(root("old.c:6: ok\n", "new.c:8: ok\n"), Root::Lines);
}
