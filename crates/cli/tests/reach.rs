//! `parallax reach` from end to end, on pairs of programs that the tests write themselves.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A pair of versions in a directory of its own.
struct Pair {
    directory: TempDir,
}

impl Pair {
    fn new(old: &str, new: &str) -> Pair {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [("old.c", old), ("new.c", new)] {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        Pair { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, command: &str, args: &[&str]) -> Output {
        let mut parallax = Command::new(env!("CARGO_BIN_EXE_parallax"));
        parallax.args([command, "old.c", "new.c"]).args(args).current_dir(self.directory.path());
        parallax.env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        parallax.output().unwrap()
    }

    /// The document; there is nothing else on standard output.
    #[track_caller]
    fn json(&self, command: &str, args: &[&str], status: i32) -> Value {
        let output = self.run(command, &[&["--format", "json", "--jobs", "1"], args].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{told}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"))
    }
}

/// The target of a line.
#[track_caller]
fn at(json: &Value, line: u64) -> &Value {
    let targets = json["targets"].as_array().unwrap();
    targets.iter().find(|target| target["line"] == line).unwrap_or_else(|| panic!("{json:#}"))
}

const HEAD: &str = "#include <stdio.h>\n#include <string.h>\n";

#[test]
fn a_changed_block_that_the_seed_misses_is_reached_with_a_kept_test() {
    let body = |word: &str| {
        format!(
            "{HEAD}int main(void) {{\n  int a = getchar(), b = getchar();\n  if (a == 'k' && b == '7')\n    puts(\"{word}\");\n  puts(\"{word} end\");\n  return 0;\n}}\n"
        )
    };
    let pair = Pair::new(&body("one"), &body("two"));
    let json = pair.json("reach", &["--time", "20s"], 0);
    assert_eq!(json["verdict"], "all-reached");
    assert_eq!(at(&json, 7)["status"], "seed");
    let reached = at(&json, 6);
    assert_eq!(reached["status"], "reached", "{json:#}");
    let counts = |when: &str| json["coverage"][when]["targets"].as_u64().unwrap();
    assert_eq!((counts("before"), counts("after"), counts("total")), (1, 2, 2));
    let test = pair.path(reached["test"].as_str().unwrap());
    assert!(std::fs::read(test.join("stdin")).unwrap().starts_with(b"k7"));
    assert_eq!(std::fs::read_to_string(test.join("new/stdout")).unwrap(), "two\ntwo end\n");
    assert_eq!(json["tests"][0]["test"], reached["test"]);
    // Both versions ran on it, and what differs was kept.
    assert!(!json["differences"].as_array().unwrap().is_empty());
}

#[test]
fn what_stays_unreached_says_why_and_how_near_an_input_came() {
    let old = format!("{HEAD}#include <time.h>\nint main(void) {{\n  return getchar() == 'x';\n}}\n");
    let new = format!(
        "{HEAD}#include <time.h>\nvoid unused(void) {{\n  puts(\"dead\");\n}}\nint main(void) {{\n  if (time(0) < 1000)\n    puts(\"early\");\n  return getchar() == 'x';\n}}\n"
    );
    let pair = Pair::new(&old, &new);
    let json = pair.json("reach", &["--time", "3s"], 5);
    assert_eq!(json["verdict"], "some-unreached");
    let dead = at(&json, 5);
    assert_eq!(dead["status"], "unreached");
    assert!(dead["reason"].as_str().unwrap().starts_with("hopeless"), "{dead:#}");
    let early = at(&json, 9);
    assert_eq!(early["closest"], "new.c:8", "{early:#}");
    assert_eq!(early["distance"], 1);
    let reason = early["reason"].as_str().unwrap();
    assert!(reason.contains("new.c:8") && reason.contains("input"), "{reason}");
}

#[test]
fn a_patch_without_code_has_no_targets_and_one_that_deletes_has() {
    let body = |more: &str, call: &str| {
        format!("{HEAD}{more}int main(int argc, char **argv) {{\n  if (argc > 1 && argv[1][0] == 'y')\n    {{ puts(\"yes\"); {call} }}\n  return 0;\n}}\n")
    };
    let pair = Pair::new(&body("", ""), &body("struct later { int a; };\nint declared(int);\n", ""));
    let json = pair.json("reach", &["--time", "5s"], 0);
    assert_eq!(json["verdict"], "no-targets");
    assert_eq!(json["targets"], Value::Array(vec![]));
    let pair = Pair::new(&body("", "puts(\"more\");"), &body("", ""));
    let json = pair.json("reach", &["--time", "20s", "--", "n"], 0);
    assert_eq!(json["verdict"], "all-reached", "{json:#}");
    assert_eq!(json["coverage"]["before"]["targets"], 0);
}
