//! What a verdict without differences rests on: seeds that show something, a change that was executed, builds that agree.

use super::*;
use std::fs;

/// Short searches, unless a test says otherwise.
const SHORT: [[&str; 2]; 2] = [["--time", "60s"], ["--runs", "20"]];

/// The usual limits that `args` do not set.
fn short<'a>(args: &[&'a str]) -> Vec<&'a str> {
    SHORT.iter().filter(|option| !args.contains(&option[0])).flatten().copied().collect()
}

/// Compares two sources in a directory of their own, with files beside them.
fn compare_sources(old: &str, new: &str, files: &[(&str, &str)], args: &[&str]) -> Compared {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in [("old.c", old), ("new.c", new)].iter().chain(files) {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let line = [&["diff", "old.c", "new.c", "--format", "json"][..], &short(args), args].concat();
    let output = parallax(directory.path(), &line).output().unwrap();
    Compared { directory, output }
}

/// All entries of a list of words, in one.
fn words(json: &Value, list: &str) -> String {
    let items = json[list].as_array().unwrap();
    items.iter().map(|item| item.as_str().unwrap().to_owned() + "\n").collect()
}

/// Prints the first line of the file that it is given; `EXTRA` is what a refactoring added.
const READER: &str = r#"#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    char line[64];
    FILE *f;
    if (argc < 2) { fprintf(stderr, "usage: %s FILE\n", argv[0]); return 2; }
    f = fopen(argv[1], "r");
    if (!f) { perror(argv[1]); return 1; }
    if (fgets(line, sizeof line, f)) printf("first: %s", line);
    EXTRA
    return 0;
}
"#;

fn reader(extra: &str) -> String {
    READER.replace("EXTRA", extra)
}

#[test]
fn what_the_seeds_did_is_shown_first_and_kept_in_every_form() {
    let files = [("in.txt", "hello\nworld\n"), ("more/a", ""), ("more/b", "x")];
    let args = ["--runs", "1", "--seeds", "more", "--", "in.txt"];
    let compared = compare_sources(&reader(""), &reader("if (line[0] == 1) return 3;"), &files, &args);
    let json = compared.json(0);
    let stderr = compared.stderr();
    let at = stderr
        .find("seed command line (\"in.txt\"): both: exit status 0, stdout \"first: hello")
        .expect(&stderr);
    assert!(stderr.find(" inputs").is_none_or(|progress| at < progress), "{stderr}");
    assert_eq!(json["seed_count"], 2, "the empty file is the seed of the command line again: {json:#}");
    let seed = &json["seeds"][0];
    assert_eq!((&seed["name"], &seed["arguments"][0]), (&"command line".into(), &"in.txt".into()));
    assert_eq!((&seed["old"]["exit"], &seed["new"]["stdout"]), (&0.into(), &"first: hello\n".into()));
    assert_eq!(seed["problem"], Value::Null);
    assert_eq!(json["seeds"][1]["name"], "more/b");
    let page = fs::read_to_string(compared.path("parallax-out/report.html")).unwrap();
    assert!(page.contains("first: hello"), "{page}");
}

#[test]
fn a_seed_that_only_prints_usage_or_names_no_file_is_a_warning_and_the_verdict_says_less() {
    let change = "if (line[0] == 1) return 3;";
    let compared = compare_sources(&reader(""), &reader(change), &[], &["--symbolic", "stdin"]);
    let json = compared.json(5);
    assert_eq!(json["verdict"], "not-executed");
    assert!(words(&json, "warnings").contains("both versions only printed how it is used"), "{json:#}");
    assert!(words(&json, "weakened").contains("no seed shows"), "{json:#}");
    let args = ["--symbolic", "stdin", "--", "data/in.txt"];
    let compared = compare_sources(&reader(""), &reader(change), &[], &args);
    let json = compared.json(5);
    assert!(words(&json, "warnings").contains("`data/in.txt` looks like a file"), "{json:#}");
    assert!(compared.stderr().contains("warning: the argument `data/in.txt`"), "{}", compared.stderr());
    // A file that the program makes is named rightly.
    let writer = "#include <stdio.h>\nint main(int c, char **v) { if (c > 1) fclose(fopen(v[1], \"w\")); return c == 7; }\n";
    let json =
        compare_sources(writer, &writer.replace('7', "8"), &[], &["--runs", "1", "--", "out.txt"]).json(0);
    assert_eq!(words(&json, "warnings"), "");
}

#[test]
fn a_word_that_happens_to_name_a_file_is_said_to_be_one() {
    let calculator = "#include <string.h>\nint main(int c, char **v) { return c > 2 && !strcmp(v[2], \"+\") ? EXIT : 0; }\n";
    let [old, new] = ["3", "1 + c - 2"].map(|exit| calculator.replace("EXIT", exit));
    let files = [("+", "content"), ("list.txt", "")];
    let json = compare_sources(&old, &new, &files, &["--runs", "1", "--", "1", "+", "list.txt"]).json(0);
    let warnings = words(&json, "warnings");
    assert!(warnings.contains("`+` names a file here") && !warnings.contains("list.txt"), "{warnings}");
}

#[test]
fn a_directory_named_by_an_argument_is_an_input_in_the_search_in_kept_tests_and_in_replay() {
    let program = r#"#include <stdio.h>
int main(int argc, char **argv) {
    char path[256]; int c = 0; FILE *f;
    snprintf(path, sizeof path, "%s/sub/data", argc > 1 ? argv[1] : "none");
    f = fopen(path, "r");
    if (!f) { puts("no data"); return 1; }
    c = fgetc(f);
    printf("%d\n", c == 'k' ? KEY : 0);
    return 0;
}
"#;
    let [old, new] = ["1", "2"].map(|key| program.replace("KEY", key));
    let files = [("tree/sub/data", "k"), ("tree/other", "o")];
    let compared = compare_sources(
        &old,
        &new,
        &files,
        &["--max-differences", "1", "--time", "30s", "--symbolic", "files", "--", "tree"],
    );
    let difference = compared.one("stdout");
    assert_eq!((&difference["old"]["stdout"], &difference["new"]["stdout"]), (&"1\n".into(), &"2\n".into()));
    let test = compared.path(difference["test"].as_str().unwrap());
    assert_eq!(fs::read(test.join("files/tree/sub/data")).unwrap(), b"k");
    let replay = parallax(compared.directory.path(), &["replay", test.to_str().unwrap()]).output().unwrap();
    assert_eq!(replay.status.code(), Some(1), "{}", String::from_utf8_lossy(&replay.stdout));
}

#[test]
fn a_change_that_no_input_executed_is_a_verdict_of_its_own() {
    let program =
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { if (getenv(\"PARALLAX_TEST_NEVER\")) puts(\"EXIT\"); return 0; }\n";
    let [old, new] = ["3", "4"].map(|exit| program.replace("EXIT", exit));
    let compared = compare_sources(&old, &new, &[], &[]);
    let json = compared.json(5);
    assert_eq!(json["verdict"], "not-executed");
    assert_eq!(json["targets"][0]["status"], "unreached");
    let human =
        parallax(compared.directory.path(), &["diff", "old.c", "new.c", "--time", "60s", "--runs", "5"])
            .output()
            .unwrap();
    let text = String::from_utf8_lossy(&human.stdout);
    assert_eq!(human.status.code(), Some(5));
    assert!(text.contains("but no input executed the change"), "{text}");
}

#[test]
fn what_the_symbolic_build_does_otherwise_is_named_and_weakens_the_verdict() {
    // Only the symbolic build has the runtime of Parallax inside. Names of the program itself are kept apart from it, but not those in assembler.
    let program = r#"#include <stdio.h>
static long inside(void) {
    long address;
    __asm__(".weak __plx_symbolic\n\tmovq __plx_symbolic@GOTPCREL(%%rip), %0" : "=r"(address));
    return address;
}
int main(int argc, char **argv) {
    puts("begin");
    if (argc > 1 && argv[1][0] == 'x') puts("seen");
    puts(inside() ? "symbolic" : "native");
    return EXIT;
}
"#;
    let [old, new] = ["0", "argc > 90"].map(|exit| program.replace("EXIT", exit));
    let compared = compare_sources(&old, &new, &[], &["--", "x"]);
    let json = compared.json(0);
    let weakened = words(&json, "weakened");
    for part in [
        "symbolic build of the old version",
        "line 3 of stdout is \"symbolic\\n\" instead of \"native\\n\"",
        "old.c:9",
    ] {
        assert!(weakened.contains(part), "{part} in {weakened}");
    }
    let human = parallax(
        compared.directory.path(),
        &["diff", "old.c", "new.c", "--time", "30s", "--runs", "5", "--", "x"],
    )
    .output()
    .unwrap();
    let text = String::from_utf8_lossy(&human.stdout);
    assert!(text.contains(", but:\n") && text.contains("  - on seed command line"), "{text}");
}

const THREADS: &str = r#"#include <pthread.h>
#include <stdio.h>
static int byte;
static void *work(void *p) { (void)p; if (byte == 'q') puts("found"); return EXTRA; }
int main(void) {
    pthread_t t;
    byte = getchar();
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
"#;

#[test]
fn where_threads_hide_the_rest_nobody_says_that_nothing_was_left() {
    let [old, new] = ["NULL", "byte == 300 ? &byte : NULL"].map(|extra| THREADS.replace("EXTRA", extra));
    let compared = compare_sources(&old, &new, &[], &[]);
    let json: Value = serde_json::from_slice(&compared.output.stdout).expect(&compared.stderr());
    assert!(!json["ended"].as_str().unwrap().contains("nothing was left"), "{}", json["ended"]);
    assert!(words(&json, "weakened").contains("threads were started"), "{json:#}");
    assert!(words(&json, "warnings").contains("`pthread_create` at old.c:8"), "{json:#}");
}

/// A tree with a build of its own, compared with a copy of it.
fn compare_trees(source: [&str; 2], build: &str, args: &[&str]) -> Compared {
    let directory = tempfile::tempdir().unwrap();
    for (tree, source) in ["old", "new"].iter().zip(source) {
        fs::create_dir(directory.path().join(tree)).unwrap();
        fs::write(directory.path().join(tree).join("main.c"), source).unwrap();
        fs::write(directory.path().join(tree).join("x.c"), "int x(void) { return 0; }\n").unwrap();
    }
    let line = [
        &["diff", "old", "new", "--format", "json", "--program", "prog", "--build", build][..],
        &short(args),
        args,
    ]
    .concat();
    let output = parallax(directory.path(), &line).output().unwrap();
    Compared { directory, output }
}

/// What assembler does with the input no trace shows: a search that sees no further way is not at its end, and the verdict says so.
#[test]
fn where_code_without_bitcode_hides_the_rest_nobody_says_that_nothing_was_left() {
    let source = |extra: &str| {
        format!("#include <stdio.h>\nextern int odd;\nint main(void) {{ {extra}puts(odd ? \"odd\" : \"even\"); return 0; }}\n")
    };
    let build = "printf '.data\\n.globl odd\\nodd: .long 1\\n.section .note.GNU-stack,\"\",@progbits\\n' > odd.s && $CC -c odd.s && $CC main.c odd.o -o prog";
    let compared = compare_trees([&source(""), &source("if (odd == 77) return 1; ")], build, &[]);
    let json = compared.json(0);
    assert!(!json["ended"].as_str().unwrap().contains("nothing was left"), "{}", json["ended"]);
    assert!(words(&json, "weakened").contains("odd.s is not instrumented"), "{json:#}");
}

/// A program that lacks a file that it needs ends with the same error in both versions, whatever changed.
#[test]
fn seeds_that_all_end_with_an_error_make_the_verdict_say_less() {
    let source = |limit: u32| {
        format!("#include <stdio.h>\nint main(int argc, char **argv) {{ FILE *f = fopen(\"/nowhere/font\", \"r\");\n if (argc > 3) argc = {limit};\n if (!f) {{ fprintf(stderr, \"prog: no font\\n\"); return 1; }}\n return getc(f) > argc; }}\n")
    };
    let compared = compare_sources(&source(7), &source(8), &[], &["--", "a", "b", "c"]);
    let json = compared.json(0);
    assert!(words(&json, "weakened").contains("every seed only led to an error (prog: no font)"), "{json:#}");
}

#[test]
fn a_version_that_the_loader_does_not_start_is_an_error_and_never_green() {
    let source = "int x(void);\nint main(void) { return x(); }\n";
    let build = "$CC -shared -fPIC -o libx9.so x.c && $CC -o prog main.c -L. -lx9 && sed -i 's/libx9[.]so/libq9.so/' prog";
    let compared =
        compare_trees([source, &(source.to_owned() + "int unused(void) { return 1; }\n")], build, &[]);
    let stderr = compared.stderr();
    assert_eq!(compared.output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("version does not start on any seed") && stderr.contains("libq9.so"), "{stderr}");
    assert!(compared.output.stdout.is_empty());
}

#[test]
fn a_program_built_with_the_address_sanitizer_runs_and_is_compared() {
    let program = "#include <stdio.h>\nint main(void) { int c = getchar(); printf(\"%d\\n\", c == 'a' ? KEY : 1); return 0; }\n";
    let [old, new] = ["2", "3"].map(|key| program.replace("KEY", key));
    let compared = compare_trees(
        [&old, &new],
        "$CC -g -fsanitize=address -o prog main.c",
        &["--max-differences", "1", "--runs", "400"],
    );
    let json = compared.json(1);
    assert_eq!(json["seeds"][0]["old"]["exit"], 0, "{json:#}");
    assert_eq!(json["seeds"][0]["problem"], Value::Null);
    assert_eq!(json["differences"][0]["stdin"], "a");
}

#[test]
fn only_the_kinds_of_input_that_are_symbolic_change() {
    let program = "#include <stdio.h>\nint main(int c, char **v) { int b = getchar(); if (c != 2 || v[1][0] != 'm') return 9; return b == 'k' ? EXIT : 0; }\n";
    let [old, new] = ["3", "4"].map(|exit| program.replace("EXIT", exit));
    let difference = compare_sources(
        &old,
        &new,
        &[],
        &["--symbolic", "stdin", "--max-differences", "1", "--time", "30s", "--runs", "400", "--", "mode"],
    )
    .one("exit");
    assert_eq!(difference["arguments"], serde_json::json!(["mode"]), "not even made smaller");
    assert_eq!(difference["stdin"], "k");
    let none = compare_sources(&old, &new, &[], &["--symbolic", "argv", "--", "mode"]);
    let json = none.none();
    assert_eq!(json["symbolic"], serde_json::json!(["argv[1] (4 bytes)"]));
}
