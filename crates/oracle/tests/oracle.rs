//! Comparing, confirming, grouping and minimising, on runs made by hand.

use parallax_execute::{Content, FileChange, Outcome, Output, Run, TestCase};
use parallax_oracle::*;
use std::convert::Infallible;
use std::time::Duration;

fn run(outcome: Outcome, stdout: &str, stderr: &str) -> Run {
    let output = |text: &str| Output { bytes: text.as_bytes().to_vec(), truncated: false };
    Run {
        outcome,
        stdout: output(stdout),
        stderr: output(stderr),
        files: vec![],
        files_truncated: false,
        wall: Duration::ZERO,
        cpu: Duration::ZERO,
    }
}

fn printed(stdout: &str) -> Run {
    run(Outcome::Exited(0), stdout, "")
}

fn file(content: &str) -> FileChange {
    let content = Content::File(Output { bytes: content.into(), truncated: false });
    FileChange::Created { path: "out".into(), mode: 0o644, content }
}

fn ignoring(patterns: &[&str]) -> Rules {
    let patterns: Vec<String> = patterns.iter().map(|p| (*p).to_owned()).collect();
    Rules::new(Aspect::ALL.into_iter().collect(), &patterns).unwrap()
}

#[track_caller]
fn differ(rules: &Rules, old: &Run, new: &Run, expected: &[Aspect]) {
    let expected: Aspects = expected.iter().copied().collect();
    assert_eq!(rules.differing(old, new), expected);
    assert_eq!(rules.differing(new, old), expected, "the order matters");
    assert_eq!(rules.differing(old, old), Aspects::new());
    // What a killed run had printed is compared with nothing, but the digest cannot know of the other run.
    let same = expected.is_empty();
    assert_eq!(rules.digest(old) == rules.digest(new), same, "the digest disagrees");
}

#[test]
fn every_aspect_is_seen() {
    use Aspect::*;
    let rules = Rules::default();
    let base = printed("a\n");
    differ(&rules, &base, &base, &[]);
    differ(&rules, &base, &run(Outcome::Exited(1), "a\n", ""), &[Exit]);
    differ(&rules, &base, &run(Outcome::Signaled(11), "a\n", ""), &[Signal, Exit]);
    differ(&rules, &base, &printed("b\n"), &[Stdout]);
    differ(&rules, &base, &printed("a"), &[Stdout]);
    differ(&rules, &base, &run(Outcome::Exited(0), "a\n", "note\n"), &[Stderr]);
    let with_file = Run { files: vec![file("x")], ..base.clone() };
    differ(&rules, &base, &with_file, &[Files]);
    differ(&rules, &with_file, &Run { files: vec![file("y")], ..base.clone() }, &[Files]);
    differ(&rules, &base, &run(Outcome::TooMuchOutput, "a\n", ""), &[Limit, Exit]);
}

#[test]
fn what_a_killed_run_had_printed_is_not_compared() {
    let rules = Rules::default();
    let hang = |text| run(Outcome::TimedOut, text, "");
    differ(&rules, &hang("a"), &hang("ab"), &[]);
    differ(&rules, &hang("a"), &printed("b"), &[Aspect::Timeout, Aspect::Exit]);
}

#[test]
fn only_chosen_aspects_are_compared() {
    let rules = Rules::new([Aspect::Stdout].into(), &[]).unwrap();
    differ(&rules, &printed("a"), &run(Outcome::Exited(3), "a", "x"), &[]);
    differ(&rules, &printed("a"), &printed("b"), &[Aspect::Stdout]);
}

#[test]
fn ignored_patterns_are_taken_out_of_every_line_and_of_files() {
    let rules = ignoring(&[r"\d+ ms", "^# .*"]);
    differ(&rules, &printed("took 5 ms\n"), &printed("took 17 ms\n"), &[]);
    differ(&rules, &printed("took 5 ms\n"), &printed("took 5 s\n"), &[Aspect::Stdout]);
    differ(&rules, &printed("x\n# a\n"), &printed("x\n# b\n"), &[]);
    differ(&rules, &printed("x # a\n"), &printed("x # b\n"), &[Aspect::Stdout]);
    let wrote = |text| Run { files: vec![file(text)], ..printed("") };
    differ(&rules, &wrote("1 ms"), &wrote("2 ms"), &[]);
    differ(&rules, &wrote("1"), &wrote("2"), &[Aspect::Files]);
}

#[test]
fn patterns_work_on_bytes_that_are_not_text() {
    let rules = ignoring(&["x[0-9]"]);
    let raw = |bytes: &[u8]| Run { stdout: Output { bytes: bytes.into(), truncated: false }, ..printed("") };
    differ(&rules, &raw(b"\0\xffx1\xfe"), &raw(b"\0\xffx2\xfe"), &[]);
    differ(&rules, &raw(b"\0\xffx1\xfe"), &raw(b"\0\xfex1\xfe"), &[Aspect::Stdout]);
}

#[test]
fn a_bad_pattern_is_named() {
    let error = Rules::new(Aspects::new(), &["(".to_owned()]).unwrap_err();
    assert!(error.to_string().starts_with("`(` is not a regular expression"), "{error}");
}

#[test]
fn the_name_of_the_program_in_a_message_is_no_difference() {
    let mut rules = Rules::default();
    rules.add_program("/build/1/old".as_ref(), b"");
    rules.add_program("/build/2/new".as_ref(), b"");
    let said = |text| run(Outcome::Exited(1), "", text);
    differ(&rules, &said("old: bad\n"), &said("new: bad\n"), &[]);
    differ(&rules, &said("see /build/1/old\n"), &said("see /build/2/new\n"), &[]);
    differ(&rules, &said("old: bad\n"), &said("new: worse\n"), &[Aspect::Stderr]);
    differ(&rules, &said("older: bad\n"), &said("newer: bad\n"), &[Aspect::Stderr]);
    differ(&rules, &printed("old: x\n"), &printed("new: x\n"), &[Aspect::Stdout]);
}

/// What is left out, in words, after two runs of the same version.
fn left_out(rules: &Rules, first: &Run, second: &Run) -> Vec<String> {
    unstable(rules, first, second).iter().map(|part| format!("{}: {part}", part.aspect)).collect()
}

#[test]
fn a_version_that_differs_from_itself_is_unstable_in_that_part_only() {
    let rules = Rules::default();
    let (first, second) =
        (run(Outcome::Exited(0), "a\npid 12\n", "x"), run(Outcome::Exited(1), "a\npid 7\n", "x"));
    assert_eq!(left_out(&rules, &first, &second), ["exit: all of it", "stdout: lines like \"pid *\""]);
    assert!(left_out(&ignoring(&["[0-9]+"]), &printed("1234"), &printed("1235")).is_empty());
    let mut rules = rules;
    unstable(&rules, &first, &second).iter().for_each(|part| rules.leave_out(part));
    differ(&rules, &first, &second, &[]);
    differ(&rules, &first, &run(Outcome::Exited(0), "b\npid 12\n", "x"), &[Aspect::Stdout]);
    differ(&rules, &first, &run(Outcome::Exited(3), "a\npid 99\n", "x"), &[]);
}

#[test]
fn unstable_lines_of_files_are_left_out_in_that_file() {
    let wrote = |text: &str| Run { files: vec![file(text)], ..printed("") };
    let mut rules = Rules::default();
    let (first, second) = (wrote("made at 10:00\nsum 1\n"), wrote("made at 10:01\nsum 1\n"));
    assert_eq!(left_out(&rules, &first, &second), ["files: file out: lines like \"made at *:*\""]);
    unstable(&rules, &first, &second).iter().for_each(|part| rules.leave_out(part));
    differ(&rules, &first, &wrote("made at 11:30\nsum 1\n"), &[]);
    differ(&rules, &first, &wrote("made at 10:00\nsum 2\n"), &[Aspect::Files]);
    assert_eq!(left_out(&rules, &first, &printed("")), ["files: all of it"]);
}

#[test]
fn a_difference_beside_an_unstable_line_of_the_same_output_counts() {
    let version = |sum: u32| move |_: &TestCase, n: u32| printed(&format!("run {n}\nsum {sum}\n"));
    let (judgement, _) = judged(&Rules::default(), &TestCase::default(), version(1), version(2));
    let Judgement::Different(case) = judgement else { panic!("{judgement:?}") };
    assert_eq!(case.aspects, [Aspect::Stdout].into());
    assert!(case.signature.contains("stdout") && !case.unstable.is_empty());
    let (judgement, _) = judged(&Rules::default(), &TestCase::default(), version(1), version(1));
    assert!(matches!(judgement, Judgement::Flaky(_)), "{judgement:?}");
}

#[test]
fn a_golden_version_says_which_of_the_two_is_right() {
    let rules = Rules::default();
    let (judgement, _) = judged(&rules, &TestCase::default(), |_, _| printed("a"), |_, _| printed("b"));
    let Judgement::Different(case) = judgement else { panic!("{judgement:?}") };
    let class = |first: &str, second: &str| classify(&rules, &case, [&printed(first), &printed(second)]);
    assert_eq!(class("a", "a"), Class::Regression);
    assert_eq!(class("b", "b"), Class::Progression);
    assert_eq!(class("c", "c"), Class::IncompleteFix);
    assert_eq!(class("a", "b"), Class::Unclear);
    let elsewhere = run(Outcome::Exited(3), "a", "only the output differs between the versions");
    assert_eq!(classify(&rules, &case, [&elsewhere, &elsewhere]), Class::Regression);
}

/// Versions as functions of the test case and of the number of the run.
struct Fake<O, N> {
    old: O,
    new: N,
    runs: u32,
}

impl<O: Fn(&TestCase, u32) -> Run, N: Fn(&TestCase, u32) -> Run> Runner for Fake<O, N> {
    type Error = Infallible;
    fn run(&mut self, which: Which, test: &TestCase) -> Result<Run, Infallible> {
        self.runs += 1;
        Ok(match which {
            Which::Old => (self.old)(test, self.runs),
            Which::New => (self.new)(test, self.runs),
        })
    }
}

fn judged(
    rules: &Rules,
    test: &TestCase,
    old: impl Fn(&TestCase, u32) -> Run,
    new: impl Fn(&TestCase, u32) -> Run,
) -> (Judgement, u32) {
    let mut fake = Fake { old, new, runs: 0 };
    let Ok(judgement) = judge(&mut fake, rules, test, &|_| false);
    (judgement, fake.runs)
}

fn stdin(text: &str) -> TestCase {
    TestCase { stdin: text.into(), ..TestCase::default() }
}

#[test]
fn a_difference_is_confirmed_and_sameness_is_not() {
    let test = TestCase::default();
    let (same, runs) = judged(&Rules::default(), &test, |_, _| printed("a"), |_, _| printed("a"));
    assert_eq!((same, runs), (Judgement::Same, 2));
    let (different, runs) = judged(&Rules::default(), &test, |_, _| printed("a"), |_, _| printed("b"));
    let Judgement::Different(case) = different else { panic!("{different:?}") };
    assert_eq!((case.kind(), runs), (Aspect::Stdout, 2 + 2 * CONFIRMATIONS));
}

#[test]
fn what_does_not_repeat_is_flaky() {
    let clock = |_: &TestCase, n: u32| printed(&n.to_string());
    let (judgement, _) = judged(&Rules::default(), &TestCase::default(), clock, clock);
    assert!(matches!(judgement, Judgement::Flaky(_)), "{judgement:?}");
}

#[test]
fn a_stable_difference_beside_a_flaky_one_counts() {
    let old = |_: &TestCase, n: u32| run(Outcome::Exited(0), &n.to_string(), "");
    let new = |_: &TestCase, n: u32| run(Outcome::Exited(1), &n.to_string(), "");
    let (judgement, _) = judged(&Rules::default(), &TestCase::default(), old, new);
    let Judgement::Different(case) = judgement else { panic!("{judgement:?}") };
    assert_eq!(case.aspects, [Aspect::Exit].into());
    assert_eq!(case.signature, "exit 0 -> exit 1");
}

fn signature(test: &TestCase, old: &str, new: &str) -> String {
    let mut rules = Rules::default();
    rules.add_program("old".as_ref(), b"\0total items\0invalid\0");
    let (judgement, _) = judged(&rules, test, |_, _| printed(old), |_, _| printed(new));
    let Judgement::Different(case) = judgement else { panic!("{judgement:?}") };
    case.signature
}

#[test]
fn inputs_with_one_cause_have_one_signature() {
    let a = signature(&stdin("5 apples"), "ok\ntotal 5 items: apples\n", "ok\ntotal 6 items: apples\n");
    let b = signature(&stdin("pears"), "total 123 items: pears\n", "total 7 items: pears\n");
    assert_eq!(a, b);
    let list = signature(&stdin(""), "1, 2, 3, 4\n", "1, 2\n");
    assert_eq!(list, signature(&stdin(""), "7, 8\n", "9, 9, 9\n"));
}

#[test]
fn a_signature_reads_like_what_was_printed() {
    let text = signature(&stdin("x1"), "x1: total 5 of 7 items, invalid\n", "");
    assert_eq!(text, "stdout: \"*: total * items, invalid\" -> nothing");
}

#[test]
fn different_messages_have_different_signatures() {
    let a = signature(&stdin("x"), "total 5 items\n", "invalid\n");
    let b = signature(&stdin("x"), "total 5 items\n", "total 6\n");
    assert_ne!(a, b);
    assert_ne!(signature(&stdin(""), "total 5\n", ""), signature(&stdin(""), "", "total 5\n"));
}

#[test]
fn a_minimised_test_case_has_only_what_the_difference_needs() {
    let test = TestCase {
        argv: vec![b"-v".to_vec(), b"-n".to_vec(), b"file".to_vec()],
        stdin: b"some text with a ! in it\nand more\n".to_vec(),
        files: vec![("file".into(), b"content".to_vec()), ("other".into(), b"z".to_vec())],
        env: vec![(b"X".to_vec(), b"1".to_vec())],
        ..TestCase::default()
    };
    let needed = |t: &TestCase| {
        t.argv.iter().any(|a| a.contains(&b'n'))
            && t.stdin.contains(&b'!')
            && t.files.iter().any(|f| f.1.contains(&b'z'))
    };
    let mut checks = 0;
    let small = minimise(&test, &mut |t| {
        checks += 1;
        if needed(t) {
            Step::Same
        } else {
            Step::Other
        }
    });
    assert_eq!(small.argv, [b"n".to_vec()]);
    assert_eq!(small.stdin, b"!");
    assert_eq!(small.files, [("other".into(), b"z".to_vec())]);
    assert!(small.env.is_empty());
    assert!(checks < 400, "{checks}");
}

#[test]
fn minimising_stops_when_it_is_told_to_and_keeps_what_it_has() {
    let test = stdin(&"x".repeat(1000));
    let mut left = 3;
    let small = minimise(&test, &mut |t| {
        if left == 0 {
            return Step::Stop;
        }
        left -= 1;
        if t.stdin.len() >= 300 {
            Step::Same
        } else {
            Step::Other
        }
    });
    assert!((300..=1000).contains(&small.stdin.len()));
}

#[test]
fn a_minimised_test_case_always_passed_the_check() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..random.usize(1..60)).map(|_| random.u8(b'a'..=b'e')).collect();
        let wanted = bytes[random.usize(..bytes.len())..]
            .iter()
            .take(random.usize(1..4))
            .copied()
            .collect::<Vec<u8>>();
        let holds = |t: &TestCase| t.stdin.windows(wanted.len()).any(|w| w == wanted);
        let small = minimise(&TestCase { stdin: bytes, ..TestCase::default() }, &mut |t| {
            if holds(t) {
                Step::Same
            } else {
                Step::Other
            }
        });
        assert_eq!(small.stdin, wanted);
    }
}

#[test]
fn names_of_aspects_are_read_back() {
    for aspect in Aspect::ALL {
        assert_eq!(aspect.name().parse(), Ok(aspect));
    }
    assert!("colour".parse::<Aspect>().unwrap_err().to_string().contains("stdout"));
}
