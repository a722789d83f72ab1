//! Every difference counts, each once: a known one hides no other, and is not listed again in another dress.

use super::*;
use std::fs;

/// Compares two programs that are written here.
fn pair(old: &str, new: &str, args: &[&str]) -> Compared {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("old.c"), old).unwrap();
    fs::write(directory.path().join("new.c"), new).unwrap();
    let line = [&["diff", "old.c", "new.c", "--format", "json"], args].concat();
    let output = parallax(directory.path(), &line).output().unwrap();
    Compared { directory, output }
}

fn differences(json: &Value) -> &Vec<Value> {
    json["differences"].as_array().unwrap()
}

/// Kinds and causes, sorted.
fn brief(json: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let mut list: Vec<_> = differences(json).iter().map(|d| (text(&d["kind"]), text(&d["cause"]))).collect();
    list.sort();
    list
}

#[track_caller]
fn of_kind<'j>(json: &'j Value, kind: &str) -> &'j Value {
    differences(json).iter().find(|d| d["kind"] == kind).unwrap_or_else(|| panic!("no {kind} in {json:#}"))
}

/// No two of them read the same, none is raw, and no side of a signature reads like the other.
#[track_caller]
fn check(json: &Value) {
    for difference in differences(json) {
        assert_eq!(difference["raw"], false, "{json:#}");
        let signature = difference["signature"].as_str().unwrap();
        let detail = signature.rsplit_once("; ").map_or(signature, |(_, detail)| detail);
        let (a, b) = detail.split_once(" -> ").unwrap();
        let a = a.split_once(": ").map_or(a, |(_, a)| a);
        assert_ne!(a, b, "{signature}");
        let test = difference["test"].as_str().unwrap();
        assert_eq!(test, format!("parallax-out/tests/{}", difference["id"].as_str().unwrap()));
    }
    let ids: Vec<&str> = differences(json).iter().map(|d| d["id"].as_str().unwrap()).collect();
    let expected: Vec<String> = differences(json)
        .iter()
        .enumerate()
        .map(|(number, d)| format!("{}-{}", number + 1, d["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(ids, expected);
}

const NUMBERS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc < 2) { fprintf(stderr, "error: no argument\n"); return 2; }
    int n = atoi(argv[1]);
    if (n < 0) { fprintf(stderr, "error: negative number %d\n", n); return 1; }
    if (n > 1000) { fprintf(stderr, "error: too large\n"); return 1; }
    printf("twice: %d\n", n * 2);
    return 0;
}
"#;

#[test]
fn a_changed_message_does_not_hide_that_the_exit_status_differs() {
    let new = NUMBERS
        .replace("\"error: ", "\"Error: ")
        .replace("large\\n\"); return 1", "large\\n\"); return n == 4711 ? 3 : 1");
    let compared = pair(NUMBERS, &new, &["--time", "60s", "--runs", "400", "--", "5"]);
    let json = compared.json(1);
    check(&json);
    assert_eq!(differences(&json).len(), 2, "{json:#}");
    let exit = of_kind(&json, "exit");
    assert_eq!((&exit["old"]["exit"], &exit["new"]["exit"]), (&1.into(), &3.into()));
    let wording = of_kind(&json, "stderr");
    assert_eq!(wording["old"]["exit"], wording["new"]["exit"]);
    assert!(wording["variants"].as_array().unwrap().len() >= 2, "{json:#}");
}

#[test]
fn a_changed_message_does_not_hide_that_other_output_differs() {
    let new = NUMBERS.replace("\"twice: %d\\n\", n * 2", "\"double: %d\\n\", n == 77 ? 7 : n * 2");
    let compared = pair(NUMBERS, &new, &["--time", "60s", "--runs", "400", "--", "5"]);
    let json = compared.json(1);
    check(&json);
    assert_eq!(differences(&json).len(), 2, "{json:#}");
    let real = differences(&json).iter().find(|d| d["new"]["stdout"] == "double: 7\n");
    assert!(real.is_some_and(|d| d["old"]["stdout"] == "twice: 154\n"), "{json:#}");
}

const CLASSES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static int class(int n)
{
    if (n > 100)
        return 2;
    return n > 10;
}
int main(int argc, char **argv)
{
    printf("tool 1.0\n");
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i]);
        switch (class(n)) {
        case 0: printf("%s is small\n", argv[i]); break;
        case 1: printf("%s is medium\n", argv[i]); break;
        default: printf("%s is large\n", argv[i]);
        }
        if (n == 42)
            printf("the answer\n");
    }
    return argc < 2;
}
"#;

fn with_two_changes(source: &str) -> String {
    source.replace("n > 100", "n >= 100").replace("n == 42", "n == 43")
}

#[test]
fn a_banner_is_one_entry_named_as_such_and_what_is_behind_it_is_found() {
    let new = with_two_changes(CLASSES).replace("tool 1.0", "tool 1.1 (2026)");
    let compared = pair(CLASSES, &new, &["--time", "60s", "--runs", "600", "--", "5"]);
    let json = compared.json(1);
    check(&json);
    assert_eq!(differences(&json).len(), 3, "{json:#}");
    let shows = |old: &str, new: &str| {
        let has = |side: &Value, text: &str| side["stdout"].as_str().unwrap().contains(text);
        differences(&json)
            .iter()
            .any(|d| has(&d["old"], old) != has(&d["new"], old) && has(&d["new"], new) != has(&d["old"], new))
    };
    assert!(shows("100 is medium", "100 is large") && shows("the answer", "the answer"), "{json:#}");
    let everywhere: Vec<&Value> = differences(&json).iter().filter(|d| d["everywhere"] == true).collect();
    assert_eq!(everywhere.len(), 1, "{json:#}");
    assert_eq!(everywhere[0]["cause"], "new.c:12", "{json:#}");
}

#[test]
fn a_message_at_the_start_that_only_one_version_has_is_one_entry() {
    let new = with_two_changes(CLASSES)
        .replace("    printf(\"tool", "    puts(\"Starting up.\");\n    printf(\"tool");
    let compared = pair(CLASSES, &new, &["--time", "60s", "--runs", "600", "--", "5"]);
    let json = compared.json(1);
    check(&json);
    assert_eq!(differences(&json).len(), 3, "{json:#}");
}

/// No text differs here, and the line that prints the number is not changed either.
#[test]
fn a_number_that_differs_on_every_input_is_one_entry_and_what_is_behind_it_is_found() {
    let old = CLASSES
        .replace("static int class", "#define VERSION 7\nstatic int class")
        .replace("printf(\"tool 1.0\\n\")", "printf(\"tool %d\\n\", VERSION)");
    let new = with_two_changes(&old).replace("VERSION 7", "VERSION 8");
    let compared = pair(&old, &new, &["--time", "60s", "--runs", "600", "--", "5"]);
    let json = compared.json(1);
    check(&json);
    let causes: Vec<String> = brief(&json).into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, ["new.c:21", "new.c:4", "new.c:7"], "{json:#}");
    let everywhere: Vec<&Value> = differences(&json).iter().filter(|d| d["everywhere"] == true).collect();
    assert!(everywhere.len() == 1 && everywhere[0]["cause"] == "new.c:4", "{json:#}");
}

/// The same where the number is computed, after the arguments were looked at, and its line is another one on each input.
#[test]
fn a_number_at_the_end_of_the_output_is_one_entry_too() {
    let old = CLASSES
        .replace(
            "    printf(\"tool 1.0\\n\");\n",
            "    if (argc < 2) return 2;\n    int size = 40 + argc * 0;\n",
        )
        .replace("    return argc < 2;", "    printf(\"%d bytes\\n\", size);\n    return 0;");
    let new = old.replace("size = 40", "size = 48").replace("n > 100", "n >= 100");
    let compared = pair(&old, &new, &["--time", "60s", "--runs", "400", "--", "5", "7"]);
    let json = compared.json(1);
    check(&json);
    let causes: Vec<String> = brief(&json).into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, ["new.c:13", "new.c:6"], "{json:#}");
}

const SIXTEEN: &str = r#"
#include <stdio.h>
static void say(const char *what, int n)
{
    printf("%s: %d\n", what, n);
}
int main(void)
{
    static const char *names[] = { "apple", "banana", "cherry", "date", "elder", "figs", "grape", "hazel",
        "iris", "jasmine", "kiwi", "lemon", "mango", "nuts", "olive", "plum" };
    int c = getchar();
    if (c > 0)
        say(names[c & 15], c);
    return 0;
}
"#;

#[test]
fn one_changed_function_that_shows_in_sixteen_messages_is_one_entry_with_variants() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("seeds")).unwrap();
    for c in b'a'..=b'p' {
        fs::write(directory.path().join(format!("seeds/{c}")), [c]).unwrap();
    }
    for (name, text) in
        [("old.c", SIXTEEN.to_owned()), ("new.c", SIXTEEN.replace("what, n);", "what, n + 1);"))]
    {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let line =
        ["diff", "old.c", "new.c", "--format", "json", "--time", "60s", "--runs", "60", "--seeds", "seeds"];
    let output = parallax(directory.path(), &line).output().unwrap();
    let compared = Compared { directory, output };
    let json = compared.json(1);
    check(&json);
    assert_eq!(brief(&json), [("stdout".to_owned(), "new.c:5".to_owned())], "{json:#}");
    let variants = json["differences"][0]["variants"].as_array().unwrap();
    assert!(variants.len() == 16 && variants.iter().all(|v| v["count"].as_u64() >= Some(1)), "{json:#}");
}

/// The same word in many messages, each a changed line of its own.
#[test]
fn the_same_rewording_in_many_places_is_one_entry() {
    let messages: String = (b'a'..=b'p')
        .map(|c| {
            format!(
                "    case '{}': fprintf(stderr, \"warning: letter {}\\n\"); break;\n\n",
                c as char, c as char
            )
        })
        .collect();
    let old = format!("#include <stdio.h>\nint main(void)\n{{\n    switch (getchar()) {{\n{messages}    }}\n    return 0;\n}}\n");
    let compared = pair(&old, &old.replace("warning:", "caution:"), &["--time", "60s", "--runs", "200"]);
    let json = compared.json(1);
    check(&json);
    assert_eq!(differences(&json).len(), 1, "{json:#}");
}

const PLACES: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#define FAIL(why) do { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, why); exit(1); } while (0)
int main(int argc, char **argv)
{
    if (argc < 2)
        FAIL("no argument");
    int n = atoi(argv[1]);
    assert(n != 7);
    if (n < 0)
        FAIL("negative");
    if (n > 100)
        FAIL("large");
    printf("%d\n", n);
    return 0;
}
"#;

fn moved(source: &str) -> String {
    source.replace("int main", "/* A comment\n * that moves everything. */\nint main")
}

#[test]
fn moved_line_numbers_are_one_entry_if_nothing_else_differs() {
    let compared = pair(PLACES, &moved(PLACES), &["--time", "60s", "--runs", "300", "--", "5"]);
    let json = compared.json(1);
    check(&json);
    let kinds: Vec<&str> = differences(&json).iter().map(|d| d["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["line-numbers"], "{json:#}");
}

#[test]
fn moved_line_numbers_beside_a_real_difference_are_a_note() {
    let new = moved(PLACES).replace("n > 100", "n >= 100");
    let compared = pair(PLACES, &new, &["--time", "60s", "--runs", "300", "--", "5"]);
    let json = compared.json(1);
    check(&json);
    assert_eq!(brief(&json), [("exit".to_owned(), "new.c:16".to_owned())], "{json:#}");
    let notes = json["notes"].as_array().unwrap();
    assert!(notes.len() == 1 && notes[0].as_str().unwrap().contains("line numbers"), "{json:#}");
    let kept = fs::read_dir(compared.path("parallax-out/tests")).unwrap();
    let names = kept.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // The assertion fails in both versions: a crash, and no difference.
    let tests: Vec<String> = names.filter(|name| !name.starts_with("crash-")).collect();
    assert_eq!(tests.len(), 1, "the test of what became a note is gone: {tests:?}");
}

/// Ten functions, each with a change of its own.
#[test]
fn no_more_differences_are_given_than_wanted() {
    let body = |add: u32| -> String {
        (0..10).map(|k| format!("static int f{k}(int n)\n{{\n    return n + {};\n}}\n", k + add)).collect()
    };
    let main: String =
        (0..10).map(|k| format!("    case '{k}': printf(\"%d\\n\", f{k}(c)); break;\n")).collect();
    let source = |add: u32| {
        let functions = body(add);
        format!("#include <stdio.h>\n{functions}int main(void)\n{{\n    int c = getchar();\n    switch (c) {{\n{main}    }}\n    return 0;\n}}\n")
    };
    let compared =
        pair(&source(0), &source(1), &["--time", "60s", "--runs", "400", "--max-differences", "3"]);
    let json = compared.json(1);
    check(&json);
    assert_eq!(differences(&json).len(), 3, "{json:#}");
    assert!(json["ended"].as_str().unwrap().contains("--max-differences"), "{json:#}");
    assert_eq!(fs::read_dir(compared.path("parallax-out/tests")).unwrap().count(), 3);
    let sarif = compared.file("report.sarif");
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 3);
}

/// The first command of the README.
#[test]
fn the_example_shows_its_two_differences_and_no_copies_of_them() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quota");
    let read = |name: &str| fs::read_to_string(example.join(name)).unwrap();
    let compared = pair(&read("old.c"), &read("new.c"), &["--time", "8s", "--", "10K", "512"]);
    let json = compared.json(1);
    let complete: Vec<&Value> = differences(&json).iter().filter(|d| d["raw"] == false).collect();
    let mut causes: Vec<&str> = complete.iter().map(|d| d["cause"].as_str().unwrap()).collect();
    causes.sort_unstable();
    causes.dedup();
    assert_eq!(causes.len(), complete.len(), "a difference is there twice: {json:#}");
    assert!(complete.len() <= 2, "{json:#}");
}

#[test]
fn standard_input_files_and_environment_are_in_the_summary() {
    let old = "#include <stdio.h>\nint main(int argc, char **argv)\n{\n    char line[99];\n    FILE *file = fopen(argv[argc - 1], \"r\");\n    if (!file || !fgets(line, 99, file) || line[0] != 'f')\n        return 2;\n    if (!fgets(line, 99, stdin) || line[0] != 's')\n        return 2;\n    printf(\"%d\\n\", line[1] == '\\t');\n    return 0;\n}\n";
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("old.c", old.to_owned()),
        ("new.c", old.replace("== '\\t'", "== '\\r'")),
        ("data", "f\n".to_owned()),
        ("in", "s\t\n".to_owned()),
    ] {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let line = [
        "diff",
        "old.c",
        "new.c",
        "--time",
        "60s",
        "--runs",
        "20",
        "--stdin",
        "in",
        "--minimise-runs",
        "0",
        "--env",
        "WHO=me",
        "--",
        "data",
    ];
    let output = parallax(directory.path(), &line).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "stdin      \"s\\t\\n\"",
        "file       \"data\" \"f\\n\"",
        "env        \"WHO=me\"",
        "\"1\\n\"",
        "\"0\\n\"",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}
