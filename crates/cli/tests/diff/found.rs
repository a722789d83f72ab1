//! What is found is kept, shown and replayed.

use super::*;
use std::fs;

const FIRST: [&str; 4] = ["--max-differences", "1", "--time", "20s"];

#[test]
fn a_difference_is_kept_with_what_both_versions_did_and_replays_without_parallax() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    let difference = compared.one("stdout");
    assert_eq!(difference["old"]["stdout"], "value 5\n");
    assert_eq!(difference["new"]["stdout"], "value 10\n");
    assert_eq!(difference["old"]["exit"], 0);
    assert!(difference["found_after_s"].as_f64().unwrap() < 20.0);
    let test = difference["test"].as_str().unwrap();
    assert_eq!(test, "parallax-out/tests/1-stdout");
    let kept = compared.path(test);
    assert_eq!(fs::read_to_string(kept.join("cmd")).unwrap(), "5\n");
    assert_eq!(fs::read_to_string(kept.join("old/stdout")).unwrap(), "value 5\n");

    let run: Value =
        serde_json::from_slice(&fs::read(compared.path("parallax-out/run.json")).unwrap()).unwrap();
    for (version, expected) in [("old", "value 5\n"), ("new", "value 10\n")] {
        let binary = run[version]["binary"].as_str().unwrap();
        let replay = Command::new("sh").arg(kept.join("run.sh")).arg(binary).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&replay.stdout), expected);
        assert!(String::from_utf8_lossy(&replay.stderr).contains("exit status: 0"));
    }
}

/// One digit is never 1200: the answer needs more of them than the seed has.
#[test]
fn numbers_in_the_input_get_as_many_digits_as_they_need() {
    let compared = compare("digits", &[&FIRST[..], &["--runs", "200", "--", "7", "5"]].concat());
    let difference = compared.one("stdout");
    let kept = compared.path(difference["test"].as_str().unwrap());
    let words = fs::read_to_string(kept.join("cmd")).unwrap();
    let numbers: Vec<i64> = words.split_whitespace().map(|w| w.parse().unwrap()).collect();
    assert_eq!(numbers[0] - numbers[1], 1200, "{words}");
}

/// Two digits are never 0x2bad, and how they are written only the expression says.
#[test]
fn hexadecimal_numbers_get_as_many_digits_as_they_need() {
    let compared = compare("hexadecimal", &[&FIRST[..], &["--runs", "200", "--", "1f"]].concat());
    let difference = compared.one("stdout");
    let kept = compared.path(difference["test"].as_str().unwrap());
    let word = fs::read_to_string(kept.join("cmd")).unwrap();
    assert_eq!(u64::from_str_radix(word.trim(), 16).unwrap(), 0x2bad, "{word}");
}

/// The word that an option's argument is compared with makes an option of its own, which others are combined with.
#[test]
fn options_are_combined_with_the_words_that_their_arguments_are_compared_with() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "one\ntwo\n").unwrap();
    let line = [&FIRST[..], &["--runs", "1500", "--stdin", "in", "--", "-c"]].concat();
    let output = compare_in(directory.path(), "modes", &line);
    let compared = Compared { directory, output };
    let difference = compared.one("stdout");
    let kept = compared.path(difference["test"].as_str().unwrap());
    let words = fs::read_to_string(kept.join("cmd")).unwrap();
    assert!(words.contains("between"), "{words}");
}

/// Two steps need another length, which a loop counts, and another sum over it: no flip of one condition leads there.
#[test]
fn a_length_and_a_sum_over_it_are_changed_together() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), b"R\x03\x05\x06\x07\x12 more").unwrap();
    let line = [&FIRST[..], &["--runs", "1500", "--stdin", "in"]].concat();
    let output = compare_in(directory.path(), "lengths", &line);
    Compared { directory, output }.one("exit");
}

/// A table says which function is called: there is no branch that could be flipped.
#[test]
fn functions_that_the_input_chooses_are_called_one_after_the_other() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "$").unwrap();
    let line = [&FIRST[..], &["--runs", "200", "--stdin", "in"]].concat();
    let output = compare_in(directory.path(), "callees", &line);
    Compared { directory, output }.one("stdout");
}

/// What is restored is wrong, which only a command after it shows.
#[test]
fn commands_are_tried_in_sequences() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "").unwrap();
    let line = [&FIRST[..], &["--runs", "1500", "--stdin", "in"]].concat();
    let output = compare_in(directory.path(), "commands", &line);
    Compared { directory, output }.one("stdout");
}

/// In March no date is before the first week: the branch that no input takes there is to be asked about again in January, and the answer is to keep
/// the width of its fields. The time for a query is long, so that a busy machine asks the same questions.
#[test]
fn what_no_input_does_on_one_path_is_asked_again_on_another() {
    let patient =
        ["--runs", "3000", "--query-steps", "1000000000", "--query-time", "60s", "--", "2024-03-15"];
    let compared = compare(
        "weeks",
        &["--max-differences", "1", "--time", "60s"].into_iter().chain(patient).collect::<Vec<_>>(),
    );
    compared.one("stdout");
}

#[test]
fn a_switch_with_a_case_of_minus_one_is_one_like_others() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "a").unwrap();
    let output = compare_in(directory.path(), "minus", &[&FIRST[..], &["--stdin", "in"]].concat());
    let difference = Compared { directory, output }.one("stdout");
    assert_eq!(difference["old"]["stdout"], "eight\n");
}

#[test]
fn queries_are_recorded_in_a_directory_that_is_made_and_never_mixed_with_others() {
    let line = [&FIRST[..], &["--record-queries", "made/queries", "--", "0"]].concat();
    let compared = compare("boundary", &line);
    compared.one("stdout");
    let first = fs::read_to_string(compared.path("made/queries/00000000.smt2")).unwrap();
    assert!(first.starts_with("(set-logic QF_BV)") && first.contains("(check-sat)"), "{first}");
    let again = compare_in(compared.directory.path(), "boundary", &line);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("not empty"));
}

#[test]
fn replay_says_whether_the_versions_still_differ() {
    let compared = compare("boundary", &[&FIRST[..], &["--", "5"]].concat());
    compared.one("stdout");
    let here = compared.directory.path();
    let replay = |args: &[&str]| {
        let output = parallax(here, &[&["replay", "parallax-out"], args].concat()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, text) = replay(&[]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("1 of 1 still different"), "{text}");
    let [old, new] = sources("boundary");
    assert_eq!(replay(&["--old", &old, "--new", &new]).0, 1);
    let (status, text) = replay(&["--old", &new, "--new", &new, "--format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, json["tests"][0]["status"].as_str().unwrap()), (0, "same"));
}

#[test]
fn a_refactoring_shows_no_difference_and_the_text_says_what_was_tried() {
    let compared = compare("refactored", &["--runs", "40", "--time", "20s", "--", "7"]);
    let json = compared.none();
    assert!(json["stats"]["runs"].as_u64().unwrap() > 0);
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = sources("refactored");
    let line = ["diff", &old, &new, "--runs", "40", "--time", "20s", "--", "7"];
    let output = parallax(directory.path(), &line).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in
        ["No difference found", "The search ended:", "Symbolic: argv[1] (1 byte)", "Branches that depended"]
    {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn what_was_lost_is_named_with_its_place() {
    let compared = compare("lost", &["--runs", "8", "--time", "20s", "--", "x"]);
    let json = compared.none();
    let lost = |version: &str, line: &str, what: &str| {
        let fits = |item: &Value| {
            let place = item["place"].as_str().unwrap();
            let named = item["callee"].as_str().or(item["reason"].as_str()).unwrap();
            item["version"] == version && place.starts_with(&format!("{version}.c:{line}:")) && named == what
        };
        json["lost"].as_array().unwrap().iter().any(fits)
    };
    assert!(lost("old", "8", "floating point") && lost("new", "9", "floating point"), "{json:#}");
    assert!(lost("old", "11", "getgrnam") && lost("new", "12", "getgrnam"), "{json:#}");
    let page = fs::read_to_string(compared.path("parallax-out/report.html")).unwrap();
    assert!(page.contains("call of getgrnam"), "{page}");
}

#[test]
fn a_kept_test_is_as_small_as_the_difference_allows() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("long"), "12 and 34 and more\n".repeat(10)).unwrap();
    let args = [&FIRST[..], &["--stdin", "long", "--", "needless", "arguments"]].concat();
    let output = compare_in(directory.path(), "many", &args);
    let compared = Compared { directory, output };
    let difference = compared.one("stdout");
    assert_eq!(difference["arguments"], Value::Array(vec![]));
    let stdin = fs::read(compared.path(difference["test"].as_str().unwrap()).join("stdin")).unwrap();
    assert_eq!(stdin, b"");
}

#[test]
fn files_that_the_versions_write_are_compared_and_kept() {
    let compared = compare("files", &FIRST);
    let difference = compared.one("files");
    let test = compared.path(difference["test"].as_str().unwrap());
    assert_eq!(fs::read_to_string(test.join("old/files/result.txt")).unwrap(), "one\n");
    assert_eq!(fs::read_to_string(test.join("new/files/result.txt")).unwrap(), "two\n");
}

#[test]
fn a_test_kept_from_bytes_that_no_text_holds_replays_with_and_without_parallax() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("seeds/one/files")).unwrap();
    fs::write(directory.path().join("seeds/one/cmd"), "\\xff\\x0a'$(x)\\\\x5c\n".replace("\\\\", "\\"))
        .unwrap();
    fs::write(directory.path().join("seeds/one/stdin"), b"\0\xfe\n5").unwrap();
    let args = ["--max-differences", "1", "--time", "20s", "--minimise-runs", "0", "--seeds", "seeds"];
    let output = compare_in(directory.path(), "bytes", &args);
    let compared = Compared { directory, output };
    let difference = compared.one("stdout");
    let test = difference["test"].as_str().unwrap();
    let run: Value =
        serde_json::from_slice(&fs::read(compared.path("parallax-out/run.json")).unwrap()).unwrap();
    for version in ["old", "new"] {
        let script = compared.path(test).join("run.sh");
        let replay =
            Command::new("sh").arg(script).arg(run[version]["binary"].as_str().unwrap()).output().unwrap();
        assert_eq!(replay.stdout, fs::read(compared.path(test).join(version).join("stdout")).unwrap());
    }
    let replay = parallax(compared.directory.path(), &["replay", test]).output().unwrap();
    assert_eq!(replay.status.code(), Some(1), "{}", String::from_utf8_lossy(&replay.stderr));
}

#[test]
fn kept_tests_and_plain_files_are_seeds() {
    let directory = tempfile::tempdir().unwrap();
    let seeds = directory.path().join("seeds");
    fs::create_dir_all(seeds.join("one")).unwrap();
    fs::write(seeds.join("one/cmd"), "5\n").unwrap();
    fs::write(seeds.join("plain"), "some input").unwrap();
    let args = [&FIRST[..], &["--seeds", "seeds"]].concat();
    let output = compare_in(directory.path(), "boundary", &args);
    Compared { directory, output }.one("stdout");
}

#[test]
fn what_is_ignored_or_not_compared_is_no_difference() {
    let runs = ["--runs", "5", "--time", "20s"];
    compare("files", &[&runs[..], &["--compare", "stdout,exit"]].concat()).none();
    compare("files", &[&runs[..], &["--ignore", "one|two"]].concat()).none();
}

/// The first command of the README.
#[test]
fn the_shipped_example_shows_a_difference() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quota");
    let path = |name: &str| examples.join(name).to_str().unwrap().to_owned();
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (path("old.c"), path("new.c"));
    let line = ["diff", &old, &new, "--max-differences", "1", "--format", "json", "--", "10K", "512"];
    let output = parallax(directory.path(), &line).output().unwrap();
    let difference = Compared { directory, output }.one("exit");
    let exits = (difference["old"]["exit"].as_i64(), difference["new"]["exit"].as_i64());
    let expected = [(Some(2), Some(0)), (Some(0), Some(1))];
    assert!(expected.contains(&exits), "neither the unit B nor the limit itself: {exits:?}");
}

/// The changed instruction needs three others before it, and only the table of labels says how it is called.
#[test]
fn interpreter_loops_of_computed_gotos_are_followed() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "a").unwrap();
    let output = compare_in(directory.path(), "threaded", &[&FIRST[..], &["--stdin", "in"]].concat());
    Compared { directory, output }.one("stdout");
}

#[test]
fn strategies_can_be_switched_off_and_a_difference_says_which_led_to_it() {
    let compared = compare("boundary", &[&FIRST[..], &["--only", "joint,infect,propagate,generational", "--", "0"]].concat());
    let difference = compared.one("stdout");
    let chain: Vec<&str> =
        difference["strategies"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    assert!(
        !chain.is_empty() && chain.iter().all(|name| ["joint", "infect", "propagate", "generational"].contains(name)),
        "{chain:?}"
    );
    let stats = &compared.json(1)["stats"]["strategies"];
    assert_eq!(stats.as_object().unwrap().keys().collect::<Vec<_>>(), ["generational", "infect", "joint", "propagate"]);
    assert_eq!(stats[*chain.last().unwrap()]["differences"], 1);
    assert!(stats["generational"]["proposals"].as_u64() > Some(0));
}

#[test]
fn the_strategies_are_listed() {
    let here = std::env::temp_dir();
    let list = |args: &[&str]| {
        let output = parallax(&here, &[&["strategies"], args].concat()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let json: Value = serde_json::from_str(&list(&["--format", "json"])).unwrap();
    let all = json["strategies"].as_array().unwrap();
    let text = list(&[]);
    assert!(all.len() > 10);
    for strategy in all {
        let [name, summary, paper] =
            ["name", "summary", "paper"].map(|field| strategy[field].as_str().unwrap());
        assert!(text.contains(name) && text.contains(summary) && text.contains(paper), "{strategy}");
    }
}
