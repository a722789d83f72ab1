//! Difficult programs and wrong command lines: a clear outcome for each.

use super::*;
use std::fs;

const FIRST: [&str; 4] = ["--max-differences", "1", "--time", "20s"];
const FEW: [&str; 4] = ["--runs", "10", "--time", "20s"];

fn with<'a>(options: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [options, more].concat()
}

#[test]
fn versions_with_different_options_differ_on_them() {
    let difference = compare("options", &with(&FIRST, &["--", "-b"])).one("exit");
    assert_eq!(difference["old"]["exit"], 2);
    assert_eq!(difference["new"]["exit"], 0);
}

#[test]
fn versions_that_read_different_files_differ() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("data"), "x").unwrap();
    let output = compare_in(directory.path(), "options", &with(&FIRST, &["--", "data"]));
    let difference = Compared { directory, output }.one("exit");
    assert_eq!((&difference["old"]["exit"], &difference["new"]["exit"]), (&0.into(), &3.into()));
}

#[test]
fn a_program_that_crashes_on_every_input_is_compared_like_any_other() {
    compare("crashes", &FEW).none();
    let difference = compare("new_crash", &FIRST).one("signal");
    assert_eq!(difference["new"]["signal"], 6);
}

#[test]
fn a_gigabyte_of_output_is_cut_off_and_known_as_such() {
    let small = ["--max-file-size", "256K", "--max-output", "4K"];
    let difference = compare("gigabyte", &with(&FIRST, &small)).one("limit");
    assert_eq!(difference["new"]["limit"], "output");
    assert!(difference["new"]["stdout"].as_str().unwrap().len() <= 4096);
    compare("two_gigabytes", &with(&FEW, &small)).none();
}

#[test]
fn output_with_nul_and_invalid_utf8_is_whole_in_json_and_on_disk() {
    let compared = compare("raw", &FIRST);
    let difference = compared.one("stdout");
    assert_eq!(difference["old"]["stdout"]["base64"], "YQD/");
    let test = compared.path(difference["test"].as_str().unwrap());
    assert_eq!(fs::read(test.join("new/stdout")).unwrap(), b"a\0\xfe");
}

#[test]
fn a_hang_in_one_version_is_a_difference() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("in"), "h").unwrap();
    let args = with(&FIRST, &["--run-time", "300ms", "--stdin", "in"]);
    let output = compare_in(directory.path(), "hang", &args);
    let difference = Compared { directory, output }.one("timeout");
    assert_eq!(difference["new"]["limit"], "time");
    assert_eq!(difference["old"]["exit"], 0);
}

#[test]
fn an_argument_with_a_newline_is_kept_and_replayed() {
    let compared = compare("newline", &with(&FIRST, &["--", "a\nb"]));
    let difference = compared.one("stdout");
    let test = compared.path(difference["test"].as_str().unwrap());
    assert_eq!(fs::read_to_string(test.join("cmd")).unwrap(), "\\x0a\n");
    let replay = parallax(compared.directory.path(), &["replay", test.to_str().unwrap()]).output().unwrap();
    assert_eq!(replay.status.code(), Some(1));
}

#[test]
fn an_empty_seed_is_a_seed() {
    let difference = compare("empty", &FIRST).one("stdout");
    assert_eq!(difference["old"]["stdout"], "nothing\n");
}

#[test]
fn a_seed_on_which_both_versions_fail_at_once_is_said_to_be_the_same() {
    // The change is behind the failure: nothing executed it.
    let json = compare("fails", &["--runs", "1", "--time", "20s", "--", "missing"]).json(5);
    assert_eq!(json["verdict"], "not-executed");
    assert_eq!(json["stats"]["runs"], 1);
}

#[test]
fn a_seed_with_a_nul_byte_is_refused_before_anything_is_tried() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("seeds/one")).unwrap();
    fs::write(directory.path().join("seeds/one/cmd"), "a\\x00b\n").unwrap();
    let output = compare_in(directory.path(), "empty", &with(&FEW, &["--seeds", "seeds"]));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("NUL"), "{stderr}");
}

#[track_caller]
fn refused(args: &[&str], status: i32, message: &str) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("good.c"), "int main(void) { return 0; }\n").unwrap();
    fs::write(directory.path().join("other.c"), "int main(void) { return 0 * 1; }\n").unwrap();
    fs::write(directory.path().join("bad.c"), "int main(void) { return nonsense; }\n").unwrap();
    fs::create_dir(directory.path().join("precious")).unwrap();
    fs::write(directory.path().join("precious/file"), "").unwrap();
    let output = parallax(directory.path(), &[&["diff"], args].concat()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert!(stderr.contains(message), "no {message:?} in {stderr}");
    assert!(output.stdout.is_empty());
    assert!(directory.path().join("precious/file").exists());
}

#[test]
fn wrong_command_lines_say_what_to_do() {
    refused(&[], 2, "name OLD and NEW");
    refused(&["good.c"], 2, "name OLD and NEW");
    refused(&["good.c", "gone.c"], 2, "gone.c: No such file");
    refused(&["good.c", "other.c", "--golden", "gone.c"], 2, "gone.c: No such file");
    refused(&["good.c", "other.c", "--golden", "bad.c"], 3, "nonsense");
    refused(&["good.c", "other.c", "--ignore", "("], 2, "not a regular expression");
    refused(&["good.c", "other.c", "--compare", "colour"], 2, "stdout");
    refused(&["good.c", "other.c", "--strategy", "magic"], 2, "generational");
    refused(&["good.c", "other.c", "--without", "magic"], 2, "there is no strategy `magic`; there are: ");
    refused(
        &["good.c", "other.c", "--only", "joint", "--without", "joint"],
        2,
        "all strategies are switched off",
    );
    refused(&["good.c", "other.c", "--seeds", "gone"], 2, "gone");
    refused(&["good.c", "other.c", "--out", "precious"], 2, "--out");
    refused(&["good.c", "bad.c"], 3, "nonsense");
    refused(&["good.c", "/bin/true"], 3, "parallax-cc");
}

#[test]
fn replay_of_what_is_no_test_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let replay = |args: &[&str]| {
        let output = parallax(directory.path(), &[&["replay"], args].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(replay(&["gone"]).contains("gone"));
    assert!(replay(&["."]).contains("no kept test"));
    fs::create_dir(directory.path().join("t")).unwrap();
    fs::write(directory.path().join("t/cmd"), "").unwrap();
    assert!(replay(&["t"]).contains("--old"));
}
