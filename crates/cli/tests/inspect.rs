//! `parallax inspect` from end to end: files, trees, revisions, patches; text, JSON, pictures; bad input.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn parallax(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_parallax"))
        .arg("inspect")
        .args(args)
        .current_dir(directory)
        .env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .unwrap()
}

fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    directory
}

#[track_caller]
fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn json(output: &Output) -> Value {
    serde_json::from_str(&text(output)).expect("one JSON document")
}

/// Expects a message on standard error and nothing on standard output.
#[track_caller]
fn refused(output: &Output, status: i32, message: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert!(stderr.contains(message), "no {message:?} in: {stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
}

const OLD: &str = "\
#include <stdio.h>
#include <stdlib.h>
int area(int w, int h) {
    if (w < 0 || h < 0)
        return 0;
    return w * h;
}
int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    printf(\"%d\\n\", area(atoi(argv[1]), atoi(argv[2])));
    return 0;
}
";

fn new() -> String {
    OLD.replace("w * h", "w * (h + 1)")
}

#[test]
fn two_files_as_json() {
    let directory = directory(&[("old.c", OLD), ("new.c", &new())]);
    let json = json(&parallax(directory.path(), &["old.c", "new.c", "--format", "json"]));
    assert_eq!(
        json["changes"],
        serde_json::json!([{ "file": "new.c", "function": "area", "kind": "modified", "old_lines": [6], "new_lines": [6] }])
    );
    // argc, then the two conditions of area.
    assert_eq!(
        json["targets"],
        serde_json::json!([{ "file": "new.c", "line": 6, "function": "area", "distance": 3 }])
    );
    assert_eq!(json["complexity"], serde_json::json!({ "cycc": 1, "cloc": 1 }));
    assert_eq!(json["csg"]["edges"], serde_json::json!([[0, 2], [2, 1]]));
    assert_eq!(json["csg"]["nodes"][2]["kind"], "change");
    assert_eq!(json["csg"]["nodes"][2]["line"], 6);
    let ways = |set: &str| -> Vec<(u64, u64)> {
        let all = json["irrelevant"][set].as_array().unwrap();
        all.iter().map(|b| (b["line"].as_u64().unwrap(), b["successor"].as_u64().unwrap())).collect()
    };
    // Too few arguments, and each of the two early returns: none comes after the change.
    assert_eq!(ways("execute"), [(4, 0), (4, 0), (9, 0)]);
    assert_eq!(ways("propagate"), ways("execute"));
    assert_eq!(json["seen_by"], serde_json::json!(["area", "main"]));
}

#[test]
fn a_second_look_gives_the_same_answer_and_a_damaged_one_is_given_again() {
    let cache = tempfile::tempdir().unwrap();
    let files = directory(&[("old.c", OLD), ("new.c", &new())]);
    let look = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
        command.arg("inspect").args(args).current_dir(files.path()).env("PARALLAX_CACHE", cache.path());
        text(&command.output().unwrap())
    };
    let kept = || {
        let all = fs::read_dir(cache.path().join("answers")).unwrap().map(|e| e.unwrap().path());
        all.filter(|path| path.extension().is_some_and(|e| e == "json")).collect::<Vec<_>>()
    };
    let first = look(&["old.c", "new.c", "--format", "json"]);
    assert_eq!(look(&["old.c", "new.c", "--format", "json"]), first);
    assert_eq!(kept().len(), 1);
    fs::write(&kept()[0], "{").unwrap();
    assert_eq!(look(&["old.c", "new.c", "--format", "json"]), first);
    // A limit that decides nothing else is no other question.
    assert_eq!(look(&["old.c", "new.c", "--format", "json", "--max-slices", "1"]), first);
    assert_eq!(kept().len(), 1);
    // Other versions and limits that decide otherwise have answers of their own.
    assert!(look(&["new.c", "old.c", "--format", "json"]) != first);
    let coarse = look(&["old.c", "new.c", "--max-dependence", "1"]);
    assert!(coarse.contains("--max-dependence"), "{coarse}");
    assert_eq!(kept().len(), 3);
    let many = look(&["old.c", "new.c", "--max-slices", "0"]);
    assert!(many.contains("--max-slices"), "{many}");
    assert_eq!(kept().len(), 4);
}

#[test]
fn two_files_as_text() {
    let directory = directory(&[("old.c", OLD), ("new.c", &new())]);
    let text = text(&parallax(directory.path(), &["old.c", "new.c"]));
    for part in [
        "1 change in 1 function",
        "complexity 1",
        "modified",
        "new.c  area()  lines 6 → 6",
        "new.c:6  area  3",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

#[test]
fn reformatting_gives_no_target() {
    let new = OLD
        .replace("    return w * h;", "    /* product */\n    return w\n        *h ;")
        .replace("argc", "count");
    let directory = directory(&[("old.c", OLD), ("new.c", &new)]);
    let text = text(&parallax(directory.path(), &["old.c", "new.c"]));
    let compared = "Note: Compared: the programs old (old) and new (new).\n";
    assert_eq!(text, format!("No change between old.c and new.c: the code is the same.\n{compared}"));
}

#[test]
fn graphs_are_pictures_with_source_text() {
    let directory = directory(&[("old.c", OLD), ("new.c", &new())]);
    for kind in ["cfg", "cdg", "pdg", "csg", "calls"] {
        let svg = text(&parallax(directory.path(), &["old.c", "new.c", "--graph", kind]));
        assert!(svg.starts_with("<svg") && svg.contains("#ffe08a"), "{kind}: {svg}");
        let dot = text(&parallax(directory.path(), &["old.c", "new.c", "--graph", kind, "--format", "dot"]));
        assert!(dot.starts_with("digraph"), "{dot}");
        assert!(kind == "calls" || dot.contains("return w * (h + 1);"), "{kind}: {dot}");
    }
    let main = text(&parallax(directory.path(), &["old.c", "new.c", "--graph", "cfg", "--function", "main"]));
    assert!(main.contains("if (argc &lt; 3)"), "{main}");
    let cut = text(&parallax(directory.path(), &["old.c", "new.c", "--graph", "cfg", "--max-nodes", "1"]));
    assert!(cut.contains("more nodes"), "{cut}");
}

#[test]
fn a_constant_that_is_chosen_leads_to_where_it_is_used() {
    let old = "\
#include <stdio.h>
int main(int argc, char **argv) {
    int width;
    if (argc > 3)
        width = 4;
    else
        width = 5;
    puts(\"x\");
    printf(\"%d\\n\", width);
    return 0;
}
";
    let directory = directory(&[("old.c", old), ("new.c", &old.replace("width = 5", "width = 6"))]);
    let dot = text(&parallax(directory.path(), &["old.c", "new.c", "--graph", "pdg", "--format", "dot"]));
    let node = |what: &str| {
        let line =
            dot.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("no {what} in {dot}"));
        line.split_whitespace().next().unwrap().to_owned()
    };
    let changed = node("#ffe08a");
    assert!(dot.contains(&format!("{changed} -> {} ", node("printf"))), "{dot}");
    assert!(!dot.contains(&format!("{changed} -> {} ", node("puts"))), "{dot}");
    let json = json(&parallax(directory.path(), &["old.c", "new.c", "--format", "json"]));
    let changes = json["csg"]["nodes"].as_array().unwrap().iter().filter(|node| node["kind"] == "change");
    assert_eq!(changes.map(|node| &node["line"]).collect::<Vec<_>>(), [4]);
}

#[test]
fn changes_that_meet_are_shown_with_where() {
    let new = new().replace("atoi(argv[1])", "atoi(argv[1]) + 1");
    let directory = directory(&[("old.c", OLD), ("new.c", &new)]);
    let json = json(&parallax(directory.path(), &["old.c", "new.c", "--format", "json"]));
    let lines = |value: &Value| -> Vec<u64> {
        value["places"].as_array().unwrap().iter().map(|p| p["line"].as_u64().unwrap()).collect()
    };
    // The changed width flows to the changed product, and on to what is printed.
    let meetings = json["interference"].as_array().unwrap();
    assert_eq!(meetings.len(), 1);
    assert_eq!(meetings[0]["between"], serde_json::json!([0, 1]));
    assert!(lines(&meetings[0]).contains(&6) && lines(&meetings[0]).contains(&11), "{json:#}");
    let off = parallax(directory.path(), &["old.c", "new.c", "--max-dependence", "0"]);
    assert!(text(&off).contains("was not worked out"), "{}", text(&off));
}

#[test]
fn wrong_options_are_named() {
    let directory = directory(&[("old.c", OLD), ("new.c", &new())]);
    let run = |args: &[&str]| parallax(directory.path(), &[&["old.c", "new.c"], args].concat());
    refused(&run(&["--format", "svg"]), 2, "--graph");
    refused(&run(&["--graph", "cfg", "--format", "json"]), 2, "--format dot");
    refused(&run(&["--graph", "cfg", "--function", "nobody"]), 2, "no function nobody");
    refused(&parallax(directory.path(), &["old.c"]), 2, "name OLD and NEW");
    refused(&parallax(directory.path(), &["old.c", "nowhere.c"]), 2, "nowhere.c");
}

const MAKEFILE: &str = "program: area.c\n\t$(CC) -g -o program area.c\n";

#[test]
fn trees_and_a_patch() {
    let directory = directory(&[
        ("a/area.c", OLD),
        ("a/Makefile", MAKEFILE),
        ("b/area.c", &new()),
        ("b/Makefile", MAKEFILE),
    ]);
    let trees = json(&parallax(directory.path(), &["a", "b", "--build", "make", "--format", "json"]));
    assert_eq!(trees["changes"][0]["file"], "area.c");
    assert_eq!(trees["targets"][0]["line"], 6);
    let patch = "--- a/area.c\n+++ b/area.c\n@@ -5,3 +5,3 @@\n         return 0;\n-    return w * h;\n+    return w * (h + 1);\n }\n";
    fs::write(directory.path().join("p.patch"), patch).unwrap();
    let args = ["a", "--patch", "p.patch", "--build", "make", "--format", "json"];
    let patched = json(&parallax(directory.path(), &args));
    assert_eq!(patched["targets"], trees["targets"]);
    fs::write(directory.path().join("p.patch"), patch.replace("w * h;", "w * x;")).unwrap();
    refused(&parallax(directory.path(), &args), 2, "does not apply");
}

#[test]
fn a_binary_file_in_a_patch_that_cannot_be_applied_is_named() {
    let directory = directory(&[("a/area.c", OLD), ("a/Makefile", MAKEFILE)]);
    let patch = "diff --git a/picture.png b/picture.png\nindex 1234567..89abcde 100644\nBinary files a/picture.png and b/picture.png differ\n";
    fs::write(directory.path().join("p.patch"), patch).unwrap();
    refused(&parallax(directory.path(), &["a", "--patch", "p.patch", "--build", "make"]), 2, "picture.png");
}

fn git(directory: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with one commit on `main`.
fn repository() -> TempDir {
    let directory = directory(&[("area.c", OLD), ("Makefile", MAKEFILE)]);
    git(directory.path(), &["init", "-q", "-b", "main"]);
    git(directory.path(), &["add", "."]);
    git(directory.path(), &["commit", "-q", "-m", "one"]);
    directory
}

#[test]
fn in_a_repository_the_merge_base_and_the_working_tree_are_compared() {
    let directory = repository();
    git(directory.path(), &["checkout", "-q", "-b", "work"]);
    fs::write(directory.path().join("area.c"), new()).unwrap();
    let json = json(&parallax(directory.path(), &["--build", "make", "--format", "json"]));
    assert_eq!(json["targets"][0]["line"], 6);
    let named = parallax(directory.path(), &["git:main", "git:work", "--build", "make"]);
    assert!(text(&named).starts_with("No change"), "the working tree is not committed");
}

#[test]
fn an_unknown_revision_and_a_missing_merge_base_are_errors_with_a_fix() {
    let directory = repository();
    let run = |args: &[&str]| parallax(directory.path(), args);
    refused(&run(&["git:nowhere", "git:main", "--build", "make"]), 2, "git fetch");
    git(directory.path(), &["checkout", "-q", "--orphan", "alone"]);
    git(directory.path(), &["commit", "-q", "-m", "other root"]);
    refused(&run(&["--build", "make"]), 2, "no common ancestor");
}

#[test]
fn versions_that_share_nothing_are_compared_and_it_is_said() {
    let other = "extern int puts(const char *);\nint start(void) { return puts(\"x\"); }\nint main(void) __attribute__((alias(\"start\")));\n";
    let directory = directory(&[("old.c", OLD), ("new.c", other)]);
    let text = text(&parallax(directory.path(), &["old.c", "new.c"]));
    assert!(text.contains("no function of the same name"), "{text}");
    assert!(text.contains("deleted") && text.contains("added"), "{text}");
}

#[test]
fn a_program_of_one_empty_function_has_no_change() {
    let empty = "int main(void) { return 0; }\n";
    let directory = directory(&[("old.c", empty), ("new.c", empty)]);
    assert!(text(&parallax(directory.path(), &["old.c", "new.c"])).starts_with("No change"));
    let against = parallax(directory.path(), &["old.c", "new.c", "--graph", "cfg"]);
    assert!(text(&against).starts_with("<svg"));
}

#[test]
fn bitcode_without_debug_info_is_compared_and_it_is_said() {
    let build = "clang-19 -S -emit-llvm -g0 -O0 -Xclang -disable-O0-optnone p.c -o p.ll && $CC p.ll -o p";
    let directory = directory(&[("old/p.c", OLD), ("new/p.c", &new())]);
    let run = |more: &[&str]| {
        parallax(directory.path(), &[&["old", "new", "--build", build, "--program", "p"], more].concat())
    };
    let view = json(&run(&["--format", "json"]));
    let change = &view["changes"][0];
    assert_eq!((&change["function"], &change["file"]), (&"area".into(), &Value::Null), "{view:#}");
    assert_eq!(
        (&change["old_lines"], &change["new_lines"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
    assert_eq!(view["targets"][0]["function"], "area");
    let note = "has no debug information: files and lines are not known";
    assert!(view["notes"][0].as_str().unwrap().contains(note), "{view:#}");
    assert!(text(&run(&[])).contains(note));
    assert!(text(&run(&["--graph", "cfg"])).starts_with("<svg"));
}

#[test]
fn a_shallow_clone_without_the_history_is_an_error_with_a_fix() {
    let origin = repository();
    git(origin.path(), &["commit", "-q", "--allow-empty", "-m", "later"]);
    let home = tempfile::tempdir().unwrap();
    let url = format!("file://{}", origin.path().display());
    git(home.path(), &["clone", "-q", "--depth", "1", &url, "shallow"]);
    let shallow = home.path().join("shallow");
    refused(&parallax(&shallow, &["git:main~1", "git:main", "--build", "make"]), 2, "git fetch --unshallow");
}

/// Control flow that no structured program has, calls through pointers in a circle, computed jumps.
const ODD: &str = "\
#include <stdio.h>
typedef int step(int);
static step even, odd;
static step *const steps[] = { even, odd };
static int even(int n) { return n <= 0 ? 1 : steps[n & 1](n - 1); }
static int odd(int n) { return n <= 0 ? 0 : steps[n & 1](n - 1); }
static int tangle(int n) {
    int sum = 0;
    if (n & 1)
        goto second;
first:
    sum += n;
    if (--n < 0)
        return sum;
second:
    sum += 2;
    if (sum > 100)
        return -1;
    goto first;
}
static int machine(const char *code) {
    static void *const table[] = { &&stop, &&add, &&twice };
    int value = 0;
    goto *table[*code++ % 3];
add:
    value += 1;
    goto *table[*code++ % 3];
twice:
    value *= 2;
    goto *table[*code++ % 3];
stop:
    return value;
}
int main(int argc, char **argv) {
    printf(\"%d %d %d\\n\", even(argc), tangle(argc), machine(argv[0]));
    return 0;
}
";

#[test]
fn irreducible_flow_computed_jumps_and_recursion_through_pointers_get_an_answer() {
    let new = ODD
        .replace("sum += 2;", "sum += 3;")
        .replace("value *= 2;", "value *= 3;")
        .replace("0 ? 0 : steps", "1 ? 0 : steps");
    let directory = directory(&[("old.c", ODD), ("new.c", &new)]);
    let run = |more: &[&str]| parallax(directory.path(), &[&["old.c", "new.c"], more].concat());
    let view = json(&run(&["--format", "json"]));
    let mut changed: Vec<&str> =
        view["changes"].as_array().unwrap().iter().map(|c| c["function"].as_str().unwrap()).collect();
    changed.sort();
    assert_eq!(changed, ["machine", "odd", "tangle"], "{view:#}");
    let far = |t: &Value| t["distance"].as_u64().is_some();
    assert!(view["targets"].as_array().unwrap().iter().all(far), "{view:#}");
    for function in ["odd", "tangle", "machine"] {
        for graph in ["cfg", "cdg", "pdg"] {
            assert!(text(&run(&["--graph", graph, "--function", function])).starts_with("<svg"));
        }
    }
    assert!(text(&run(&["--graph", "csg"])).starts_with("<svg"));
}

#[test]
fn a_function_of_twenty_thousand_blocks_is_inspected_in_time() {
    let branches: String = (0..10_000).map(|n| format!("    if (c == {n}) s += c * {n};\n")).collect();
    let old = format!(
        "#include <stdlib.h>\nint main(int c, char **v) {{\n    int s = 0;\n{branches}    return s;\n}}\n"
    );
    let directory = directory(&[("old/p.c", &old), ("new/p.c", &old.replace("c * 7777;", "c * 7778;"))]);
    // An optimising compiler takes a minute for this.
    let line = ["old", "new", "--build", "$CC -O0 p.c -o p", "--program", "p"];
    let run = |more: &[&str]| text(&parallax(directory.path(), &[&line, more].concat()));
    let before = std::time::Instant::now();
    let view: Value = serde_json::from_str(&run(&["--format", "json"])).unwrap();
    assert_eq!(view["targets"].as_array().unwrap().len(), 1, "{:#}", view["targets"]);
    let picture = run(&["--graph", "cfg"]);
    assert!(picture.starts_with("<svg") && picture.len() < 1_000_000);
    assert!(before.elapsed() < std::time::Duration::from_secs(120), "{:?}", before.elapsed());
}

#[test]
fn ways_that_preconditions_exclude_are_none_and_only_who_sees_the_change_is_named() {
    let old = "\
#include <stdlib.h>
#include <stdio.h>
static void check(int x) {
    if (x == 999)
        abort();
}
static void other(int x) {
    printf(\"%d\\n\", x);
}
int main(int argc, char **argv) {
    int input = atoi(argv[1]);
    other(argc);
    if (input < 100)
        check(0);
    if (input > 100)
        check(input);
    return 0;
}
";
    let directory = directory(&[("old.c", old), ("new.c", &old.replace("abort();", "exit(3);"))]);
    let view = json(&parallax(directory.path(), &["old.c", "new.c", "--format", "json"]));
    // Not 2: the first call cannot reach the change.
    assert_eq!(view["targets"][0]["distance"], 3, "{view:#}");
    let branch = |b: &Value| (b["line"].as_u64().unwrap(), b["to"].as_u64().unwrap());
    let execute: Vec<_> = view["irrelevant"]["execute"].as_array().unwrap().iter().map(branch).collect();
    assert!(execute.contains(&(13, 14)), "{execute:?}");
    let seen: Vec<&str> = view["seen_by"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    assert!(seen.contains(&"check") && !seen.contains(&"other"), "{seen:?}");
}
