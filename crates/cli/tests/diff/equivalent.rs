//! The verdict `equivalent`: a proof that both versions do the same, found before anything is searched; and what is no proof.

use super::*;
use std::fs;
use std::time::{Duration, Instant};

const PROGRAM: &str = "\
#include <stdio.h>
#include <string.h>
static int limit = 3;
static int measure(const char *text, int most)
{
    int count = 0;
    while (text[count] && count < most)
        count++;
    return count;
}
int main(int argc, char **argv)
{
    if (argc > 1)
        printf(\"%d\\n\", measure(argv[1], limit));
    return 0;
}
";

/// Compares two texts; the time is long enough to be noticed if it is spent.
fn texts(old: &str, new: &str, options: &[&str]) -> Compared {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("old.c"), old).unwrap();
    fs::write(directory.path().join("new.c"), new).unwrap();
    let line = [&["diff", "old.c", "new.c", "--format", "json"], options, &["--", "ab"]].concat();
    let output = parallax(directory.path(), &line).output().unwrap();
    Compared { directory, output }
}

#[track_caller]
fn is_equivalent(old: &str, new: &str) {
    let before = Instant::now();
    let compared = texts(old, new, &["--time", "300s"]);
    let json = compared.json(0);
    assert_eq!(json["verdict"], "equivalent", "{json:#}");
    assert!(json["ended"].as_str().unwrap().contains("the same"), "{json:#}");
    assert_eq!((&json["differences"], &json["targets"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    assert_eq!(json["stats"]["queries"], 0);
    assert_eq!(compared.file("changes.json")["changes"], Value::Array(vec![]));
    assert!(before.elapsed() < Duration::from_secs(60), "{:?}", before.elapsed());
}

#[test]
fn a_program_and_itself_are_equivalent() {
    is_equivalent(PROGRAM, PROGRAM);
}

#[test]
fn comments_white_space_renamed_locals_and_moved_lines_are_equivalent() {
    let new = PROGRAM
        .replace("count", "n")
        .replace("most", "bound")
        .replace("text", "string")
        .replace("    int n", "\n\n    /* how long\n       it is */\n  int n")
        .replace("return 0;", "return 0 ; // done");
    is_equivalent(PROGRAM, &new);
}

/// Everything of a program that has a name.
const NAMED: &str = "\
#include <stdio.h>
#include <stdlib.h>
enum mode { plain = 1, fancy = 2 };
typedef struct shape { int sides, size; enum mode how; struct shape *next; } Shape;
static int total;
static int rest;
int visible = 2;
static int add(int x) { total += x; return x + 1; }
static int drop(int x) { rest += x; return x - 1; }
int twice(int x) { return x > 9 ? x : twice(add(x)) + visible; }
static int (*const steps[])(int) = { add, drop, twice };
static int area(const Shape *s) {
    int sum = 0;
next:
    if (!s) return sum;
    sum += s->how == fancy ? s->sides * s->size : plain;
    s = s->next;
    goto next;
}
int main(int argc, char **argv)
{
    Shape s = { argc, argc > 1 ? atoi(argv[1]) : 3, fancy, NULL };
    printf(\"%d %d\\n\", steps[argc % 3](s.size), area(&s));
    return total - rest;
}
";

/// Every whole word outside strings that is named gets its new name, all at once.
fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let pieces = text.split_inclusive(|c| !word(c)).flat_map(|piece| {
        let end = piece.find(|c| !word(c)).unwrap_or(piece.len());
        [&piece[..end], &piece[end..]]
    });
    let new = |piece| names.iter().find(|(old, _)| *old == piece).map_or(piece, |(_, new)| *new);
    pieces.map(new).collect()
}

#[test]
fn renamed_functions_variables_types_members_enumerators_and_labels_are_equivalent() {
    let all = "mode plain fancy shape Shape sides size how next total rest visible add drop twice steps area s x sum argc argv";
    let fresh: Vec<(String, String)> =
        all.split_whitespace().map(|name| (name.to_owned(), format!("{name}_renamed"))).collect();
    let fresh: Vec<(&str, &str)> = fresh.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    is_equivalent_but_for_names(NAMED, &renamed(NAMED, &fresh));
    is_equivalent_but_for_names(NAMED, &renamed(NAMED, &[("add", "drop"), ("drop", "add")]));
    is_equivalent_but_for_names(
        NAMED,
        &renamed(NAMED, &[("add", "twice"), ("twice", "add"), ("total", "rest"), ("rest", "total")]),
    );
}

#[track_caller]
fn is_equivalent_but_for_names(old: &str, new: &str) {
    assert_ne!(old, new);
    let compared = texts(old, new, &["--time", "300s"]);
    let json = compared.json(0);
    assert_eq!(json["verdict"], "equivalent", "{json:#}");
    let changes = compared.file("changes.json");
    let changes = changes["changes"].as_array().unwrap();
    assert!(changes.iter().all(|change| change["kind"] == "renamed"), "{changes:?}");
}

#[test]
fn names_that_mean_something_else_now_are_no_proof() {
    // The names are exchanged, the table is not.
    let new = renamed(NAMED, &[("add", "drop"), ("drop", "add")])
        .replace("{ drop, add, twice }", "{ add, drop, twice }");
    assert!(new.contains("{ add, drop, twice }"));
    is_no_proof(NAMED, &new);
    is_no_proof(NAMED, &NAMED.replace("{ add, drop,", "{ drop, add,"));
    is_no_proof(NAMED, &NAMED.replace("return total - rest", "return rest - total"));
    is_no_proof(NAMED, &NAMED.replace("rest += x", "total += x"));
    // A library has a function of this name: who calls it, in the library, may call this one.
    let own = "int MINE(unsigned n) { return n > 3; }\nint main(int c, char **v) { return MINE(c); }\n";
    is_equivalent_but_for_names(&own.replace("MINE", "mine"), &own.replace("MINE", "ours"));
    is_no_proof(&own.replace("MINE", "mine"), &own.replace("MINE", "usleep"));
}

#[test]
fn the_text_says_why_versions_are_equivalent() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("old.c"), PROGRAM).unwrap();
    fs::write(directory.path().join("new.c"), format!("/* the same */\n{PROGRAM}")).unwrap();
    let output = parallax(directory.path(), &["diff", "old.c", "new.c", "--", "ab"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let expected =
        "old.c and new.c are equivalent: all code and data that the native programs load are the same";
    assert!(text.starts_with(expected), "{text}");
    let page = fs::read_to_string(directory.path().join("parallax-out/report.html")).unwrap();
    assert!(page.contains("old.c and new.c are equivalent"));
}

/// What looks the same to a reader, or does the same on all inputs, and is not proven to.
#[track_caller]
fn is_no_proof(old: &str, new: &str) {
    let json = texts(old, new, &["--runs", "3", "--time", "20s"]);
    let json: Value = serde_json::from_slice(&json.output.stdout).expect("a document");
    assert_ne!(json["verdict"], "equivalent", "{json:#}");
}

#[test]
fn a_changed_constant_initialiser_string_or_flag_is_no_proof() {
    for (from, to) in [
        ("limit = 3", "limit = 4"),
        ("%d\\n", "%i\\n"),
        ("count < most", "count <= most"),
        ("static int limit", "static volatile int limit"),
    ] {
        assert!(PROGRAM.contains(from), "{from}");
        is_no_proof(PROGRAM, &PROGRAM.replace(from, to));
    }
}

#[test]
fn the_line_of_an_assertion_that_moved_is_no_proof() {
    let old = PROGRAM.replace("    return count;", "    assert(count < 100);\n    return count;");
    let old = old.replace("#include <string.h>", "#include <assert.h>");
    is_no_proof(&old, &old.replace("#include <assert.h>", "#include <assert.h>\n\n"));
}

#[test]
fn a_line_number_in_the_code_that_moved_is_no_proof() {
    let old = PROGRAM.replace("return 0;", "return __LINE__ > 100;");
    is_equivalent(&old, &old);
    let wide = PROGRAM.replace("return 0;", "return __LINE__;");
    is_no_proof(&wide, &format!("\n{wide}"));
}

#[test]
fn a_function_of_another_name_that_says_its_name_is_no_proof() {
    is_equivalent_but_for_names(PROGRAM, &PROGRAM.replace("measure", "length"));
    let old = PROGRAM.replace("    return count;", "    puts(__func__);\n    return count;");
    is_no_proof(&old, &old.replace("measure", "length"));
}

#[test]
fn flags_of_the_build_that_alter_the_code_are_no_proof() {
    let directory = tempfile::tempdir().unwrap();
    for (tree, flags) in [("a", "-DMOST=3"), ("b", "-DMOST=4"), ("c", "-DMOST=3 -DOTHER")] {
        fs::create_dir(directory.path().join(tree)).unwrap();
        fs::write(directory.path().join(tree).join("p.c"), PROGRAM.replace("limit = 3", "limit = MOST"))
            .unwrap();
        fs::write(directory.path().join(tree).join("build.sh"), format!("$CC {flags} p.c -o p\n")).unwrap();
    }
    let verdict = |other: &str| {
        let line = [
            "diff",
            "a",
            other,
            "--build",
            "sh build.sh",
            "--program",
            "p",
            "--format",
            "json",
            "--runs",
            "3",
            "--time",
            "20s",
            "--",
            "abcdef",
        ];
        let output = parallax(directory.path(), &line).output().unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).expect("a document");
        json["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("b"), "different");
    assert_eq!(verdict("c"), "equivalent");
}

/// Two trees with a program of one file, each with a build script of its own.
fn trees(scripts: [&str; 2], files: &[(&str, [&str; 2])]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (side, tree) in ["a", "b"].into_iter().enumerate() {
        let tree = directory.path().join(tree);
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("p.c"), PROGRAM).unwrap();
        fs::write(tree.join("build.sh"), scripts[side]).unwrap();
        for (name, content) in files {
            fs::write(tree.join(name), content[side]).unwrap();
        }
    }
    directory
}

fn compare_trees(directory: &Path, options: &[&str]) -> Output {
    let line = ["diff", "a", "b", "--build", "sh build.sh", "--program", "p", "--runs", "3", "--time", "20s"];
    parallax(directory, &[&line, options, &["--", "abcdef"]].concat()).output().unwrap()
}

#[test]
fn the_same_code_compiled_otherwise_is_searched_and_called_same_code() {
    let trees = trees(["$CC -O2 p.c -o p\n", "$CC -O0 -fstack-protector-all p.c -o p\n"], &[]);
    let output = compare_trees(trees.path(), &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["verdict"], "same-code", "{json:#}");
    assert!(json["stats"]["runs"].as_u64().unwrap() > 0, "{json:#}");
    let outside = json["outside"].to_string();
    assert!(outside.contains("p.c") && outside.contains("-O2") && outside.contains("-O0"), "{outside}");
}

#[test]
fn what_differs_outside_the_code_is_in_the_summary_and_on_the_page() {
    let script = "$CC p.c -o p\n";
    let trees = trees([script, script], &[("table.txt", ["1\n", "2\n"])]);
    let output = compare_trees(trees.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("The code is the same") && text.contains("file table.txt differs"), "{text}");
    let page = fs::read_to_string(trees.path().join("parallax-out/report.html")).unwrap();
    assert!(page.contains("file table.txt differs"));
}

#[test]
fn a_patched_program_is_searched_its_difference_found_and_the_patch_listed() {
    let trees = trees(["$CC p.c -o p\n", "$CC p.c -o p\nLC_ALL=C sed -i 's/%d/!d/' p\n"], &[]);
    let output = compare_trees(trees.path(), &["--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["verdict"], "different", "{json:#}");
    let outside = json["outside"].to_string();
    assert!(outside.contains("although nothing that was recorded does: section .rodata"), "{outside}");
}
