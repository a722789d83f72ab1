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
    // The build of its own says so too: line 7 on the seed, line 6 on the test.
    assert_eq!((&at(&json, 7)["confirmed"], &at(&json, 6)["confirmed"]), (&true.into(), &true.into()));
    let lines = |when: &str| json["coverage"][when]["lines"].as_u64().unwrap();
    assert_eq!((lines("before"), lines("after"), lines("total")), (1, 2, 2));
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

/// A function with an assertion and, in the new version, a null pointer; and a function that reads behind its buffer in both.
fn crashing(new: bool) -> String {
    let (null, last) = if new { ("if (c == 's') *(volatile int *)0 = 1;", 2) } else { ("", 1) };
    format!(
        "#include <assert.h>\n#include <stdlib.h>\n{HEAD}static int check(int c) {{\n  assert(c != 'c');\n  return c;\n}}\n\
         static int behind(int c) {{\n  char *p = malloc(4);\n  int at = c == 'h' ? 4 : 0;\n  p[0] = 1;\n  c = p[at];\n  free(p);\n  return c;\n}}\n\
         int main(void) {{\n  int c = getchar();\n  check(c);\n  {null}\n  if (behind(c) == 77) puts(\"odd\");\n  if (c == 'w') for (;;) {{ }}\n  printf(\"%d\\n\", {last});\n  return 0;\n}}\n"
    )
}

#[test]
fn crashes_of_the_new_version_are_findings_whatever_the_old_one_does() {
    let pair = Pair::new(&crashing(false), &crashing(true));
    let json = pair.json("diff", &["--time", "25s", "--sanitize", "address", "--run-time", "500ms"], 1);
    let crashes = json["crashes"].as_array().unwrap();
    let of =
        |kind: &str| crashes.iter().find(|crash| crash["kind"] == kind).unwrap_or_else(|| panic!("{json:#}"));
    let assertion = of("assertion");
    assert_eq!((&assertion["where"], &assertion["age"]), (&"new.c:6".into(), &"older".into()));
    assert_eq!(of("signal")["age"], "introduced");
    assert_eq!(of("hang")["age"], "near the change");
    let sanitizer = of("sanitizer");
    assert_eq!(sanitizer["age"], "older", "{sanitizer:#}");
    assert_eq!(sanitizer["where"], "new.c:13");
    assert!(sanitizer["what"].as_str().unwrap().contains("heap-buffer-overflow"));
    let input =
        |crash: &Value| std::fs::read(pair.path(crash["test"].as_str().unwrap()).join("stdin")).unwrap()[0];
    assert_eq!([assertion, of("signal"), of("hang"), sanitizer].map(input), [b'c', b's', b'w', b'h']);
}

#[test]
fn seeds_that_crash_and_hang_and_programs_without_input_have_results() {
    let pair = Pair::new(&crashing(false), &crashing(true));
    for (name, text) in [("c", "c"), ("w", "w")] {
        std::fs::create_dir_all(pair.path("seeds")).unwrap();
        std::fs::write(pair.path("seeds").join(name), text).unwrap();
    }
    let json = pair.json("reach", &["--time", "20s", "--run-time", "500ms", "--seeds", "seeds"], 0);
    assert_eq!(json["verdict"], "all-reached");
    let kinds: Vec<&Value> = json["crashes"].as_array().unwrap().iter().map(|crash| &crash["kind"]).collect();
    assert!(kinds.contains(&&Value::from("assertion")) && kinds.contains(&&Value::from("hang")), "{json:#}");
    let body = |word: &str| format!("{HEAD}int main(void) {{\n  puts(\"{word}\");\n  return 0;\n}}\n");
    let silent = Pair::new(&body("one"), &body("two"));
    let json = silent.json("reach", &["--time", "5s", "--symbolic", "none"], 0);
    assert_eq!(at(&json, 4)["status"], "seed");
    assert_eq!(json["tests"], Value::Array(vec![]));
}

#[test]
fn a_coverage_build_that_does_not_link_costs_the_confirmation_only() {
    // The coverage runtime defines it too.
    let body = |word: &str| {
        format!("{HEAD}int __llvm_profile_write_file(void) {{ return 0; }}\nint main(void) {{\n  puts(\"{word}\");\n  return 0;\n}}\n")
    };
    let pair = Pair::new(&body("one"), &body("two"));
    let json = pair.json("reach", &["--time", "5s"], 0);
    assert_eq!((&at(&json, 5)["status"], &at(&json, 5)["confirmed"]), (&"seed".into(), &Value::Null));
    assert_eq!(json["coverage"]["after"]["lines"], Value::Null);
    let warnings = json["warnings"].to_string();
    assert!(warnings.contains("nothing is confirmed"), "{warnings}");
}

#[test]
fn augment_takes_branches_that_no_seed_takes_and_counts_them() {
    let body = |word: &str| {
        format!("{HEAD}int main(void) {{\n  int a = getchar(), b = getchar();\n  if (a > 'f')\n    puts(\"high\");\n  if (a == 'k' && b == '7')\n    puts(\"both\");\n  puts(\"{word}\");\n  return 0;\n}}\n")
    };
    let pair = Pair::new(&body("one"), &body("two"));
    let json = pair.json("augment", &["--time", "20s"], 0);
    let counts = |json: &Value, when: &str, what: &str| json["coverage"][when][what].as_u64().unwrap();
    assert_eq!(counts(&json, "after", "targets"), counts(&json, "total", "targets"), "{json:#}");
    assert!(counts(&json, "before", "targets") < counts(&json, "after", "targets"));
    assert_eq!((counts(&json, "before", "branches"), counts(&json, "after", "branches")), (2, 6));
    assert!(json["targets"][0]["way"].is_string() && !json["tests"].as_array().unwrap().is_empty());
    // The change affects no branch.
    let json = pair.json("augment", &["--time", "5s", "--changed"], 0);
    assert_eq!(json["verdict"], "no-targets");
    std::fs::create_dir(pair.path("seeds")).unwrap();
    for text in ["aa", "bb", "cc", "dd"] {
        std::fs::write(pair.path("seeds").join(text), text).unwrap();
    }
    let json = pair.json("augment", &["--time", "20s", "--method", "genetic", "--seeds", "seeds"], 0);
    assert!(counts(&json, "after", "targets") > counts(&json, "before", "targets"), "{json:#}");
    let by = json["tests"].as_array().unwrap().iter().flat_map(|test| test["strategies"].as_array().unwrap());
    assert!(by.into_iter().all(|name| name == "evolve"));
}
