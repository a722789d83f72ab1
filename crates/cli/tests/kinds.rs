//! Programs of every kind that people build: flags, dialects of C, and programs that do unusual things at run time. Each is compared with a version of itself in which one
//! bound is moved: either the difference is found, or a clear message says why not.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The condition that differs: 45 is the only number on which the versions part.
const OLD: &str = "(n > 41 && n < 45)";
const NEW: &str = "(n > 41 && n < 46)";

/// How every source begins.
const HEAD: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n";
/// An ordinary program; `COND` is the condition.
const PLAIN: &str = "int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 0; puts(COND ? \"in\" : \"out\"); return 0; }\n";

/// Both versions as trees with one file, built by `command`, compared from the seed 7.
fn compare(body: &str, command: &str, options: &[&str]) -> Output {
    let directory = tempfile::tempdir().unwrap();
    for (name, condition) in [("old", OLD), ("new", NEW)] {
        let tree = directory.path().join(name);
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("p.c"), body.replace("COND", condition)).unwrap();
    }
    let line = ["diff", "old", "new", "--format", "json", "--build", command, "--max-differences", "1"];
    Command::new(env!("CARGO_BIN_EXE_parallax"))
        .args(line)
        .args(options)
        .args(["--", "7"])
        .current_dir(directory.path())
        .env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The difference on 45 is found.
#[track_caller]
fn found(body: &str, command: &str) -> Value {
    let output = compare(body, command, &["--time", "30s"]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}{}",
        stderr(&output),
        String::from_utf8_lossy(&output.stdout)
    );
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let difference = &json["differences"][0];
    let number = difference["arguments"][0].as_str().unwrap().trim_start().parse::<i64>();
    assert_eq!(number, Ok(45), "{difference:#}");
    difference.clone()
}

/// There is no result, but a message with these words.
#[track_caller]
fn refused(body: &str, command: &str, status: i32, words: &[&str]) {
    let output = compare(body, command, &["--time", "2s"]);
    assert_eq!(output.status.code(), Some(status), "{}", stderr(&output));
    for word in words {
        assert!(stderr(&output).contains(word), "no {word:?} in: {}", stderr(&output));
    }
    assert!(output.stdout.is_empty());
}

fn plain() -> String {
    format!("{HEAD}{PLAIN}")
}

#[test]
fn programs_without_shared_libraries_are_compared() {
    found(&plain(), "$CC -static p.c -o p");
    found(&plain(), "$CC -static-pie -fPIE p.c -o p");
}

#[test]
fn programs_at_fixed_addresses_are_compared() {
    found(&plain(), "$CC -fno-pie -no-pie p.c -o p");
}

#[test]
fn programs_that_are_optimised_when_linked_are_compared() {
    found(&plain(), "$CC -flto -O2 p.c -o p");
}

#[test]
fn what_profilers_write_is_no_difference_and_hides_none() {
    for flags in ["-pg", "--coverage", "-fprofile-generate", "-fprofile-instr-generate -fcoverage-mapping"] {
        let difference = found(&plain(), &format!("$CC {flags} p.c -o p"));
        assert_eq!(difference["aspects"], serde_json::json!(["stdout"]), "{flags}");
    }
}

#[test]
fn programs_with_sanitizers_are_compared() {
    for flags in ["undefined", "address", "address,undefined"] {
        let difference = found(&plain(), &format!("$CC -fsanitize={flags} p.c -o p"));
        assert_eq!(difference["new"]["exit"], 0, "{flags}: {difference:#}");
    }
}

#[test]
fn sources_of_1978_and_of_2023_are_compared() {
    let old_style = "int within(n, word) int n; char *word; { return COND; }\n\
         main(argc, argv) int argc; char **argv; { int n = argc > 1 ? atoi(argv[1]) : 0; puts(within(n, \"x\") ? \"in\" : \"out\"); return 0; }\n";
    found(&format!("{HEAD}{old_style}"), "$CC -std=gnu89 -w p.c -o p");
    let new_style = "constexpr int start = 0b0;\n\
         [[nodiscard]] static bool within(int n) { auto low = start; char *none = nullptr; return n > low && !none && COND; }\n\
         int main(int argc, char **argv) { typeof(argc) n = argc > 1 ? atoi(argv[1]) : 0; puts(within(n) ? \"in\" : \"out\"); return 0; }\n";
    found(&format!("{HEAD}{new_style}"), "$CC -std=c23 p.c -o p");
}

#[test]
fn a_program_for_another_word_size_is_named_as_such() {
    // Needs nothing of a 32-bit C library.
    let alone = "void _start(void) { int n = 0; __asm__ volatile(\"int $0x80\" : : \"a\"(1), \"b\"(COND)); for (;;) ; }\n\
         int main(void) { return 0; }\n";
    refused(alone, "$CC -m32 -nostdlib -static -fno-stack-protector p.c -o p", 3, &["32-bit", "-m32"]);
}

#[test]
fn a_program_without_main_or_with_two_is_refused_with_the_linkers_words() {
    refused("int f(int n) { return COND; }\n", "$CC p.c -o p", 3, &["main"]);
    let two = format!("printf '%s' 'int main(void) {{ return 0; }}' > q.c && $CC p.c q.c -o p");
    refused(&plain(), &two, 3, &["multiple definition of `main'"]);
}

#[test]
fn functions_inside_functions_are_said_to_be_beyond_clang() {
    let nested = format!(
        "{HEAD}int main(int argc, char **argv) {{ int n = argc > 1 ? atoi(argv[1]) : 0; int within(int n) {{ return COND; }}\n\
         puts(within(n) ? \"in\" : \"out\"); return 0; }}\n"
    );
    refused(&nested, "gcc p.c -o p", 3, &["p.c", "function definition is not allowed here", "clang"]);
}

#[test]
fn a_program_that_closes_all_descriptors_is_compared() {
    let silent = "#include <fcntl.h>\n\
        int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 0; for (int i = 0; i < 2048; i++) close(i);\n\
        int fd = open(\"result\", O_CREAT | O_WRONLY, 0600); return write(fd, COND ? \"in\" : \"ou\", 2) != 2; }\n";
    let difference = found(&format!("{HEAD}{silent}"), "$CC p.c -o p");
    assert_eq!(difference["kind"], "files");
    let tidy = PLAIN.replace("puts(", "for (int i = 3; i < 2048; i++) close(i); puts(");
    found(&format!("{HEAD}{tidy}"), "$CC p.c -o p");
}

#[test]
fn a_program_that_writes_to_all_descriptors_is_compared() {
    let loud = PLAIN.replace(
        "puts(",
        "for (int i = 3; i < 1100; i++) { long junk = -1; write(i, &junk, sizeof junk); } puts(",
    );
    found(&format!("{HEAD}{loud}"), "$CC p.c -o p");
}

#[test]
fn a_program_that_changes_its_directory_is_compared() {
    let moving = "#include <sys/stat.h>\n\
        int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 0; mkdir(\"d\", 0700); if (chdir(\"d\")) return 3;\n\
        FILE *f = fopen(\"result\", \"w\"); fputs(COND ? \"in\" : \"out\", f); fclose(f); return chdir(\"/\"); }\n";
    let difference = found(&format!("{HEAD}{moving}"), "$CC p.c -o p");
    assert_eq!(difference["kind"], "files");
}

#[test]
fn a_program_with_an_alarm_is_compared() {
    let waiting = "#include <signal.h>\nstatic void rung(int s) { _exit(s); }\n\
        int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 0; signal(SIGALRM, rung); alarm(1);\n\
        puts(COND ? \"in\" : \"out\"); return 0; }\n";
    found(&format!("{HEAD}{waiting}"), "$CC p.c -o p");
}

#[test]
fn a_program_that_starts_another_is_compared() {
    for start in ["fork", "vfork"] {
        let parent = format!(
            "#include <sys/wait.h>\n\
             int main(int argc, char **argv) {{ int n = argc > 1 ? atoi(argv[1]) : 0; const char *word = COND ? \"in\" : \"out\";\n\
             pid_t child = {start}(); if (child == 0) {{ execl(\"/bin/echo\", \"echo\", word, (char *)0); _exit(1); }}\n\
             int status; waitpid(child, &status, 0); return WEXITSTATUS(status); }}\n"
        );
        found(&format!("{HEAD}{parent}"), "$CC p.c -o p");
    }
}

#[test]
fn a_program_that_loads_a_library_at_run_time_is_compared() {
    let loading = "#include <dlfcn.h>\n\
        int main(int argc, char **argv) { void *m = dlopen(\"libm.so.6\", RTLD_NOW); int n = argc > 1 ? atoi(argv[1]) : 0;\n\
        puts(m == 0 ? \"no library\" : COND ? \"in\" : \"out\"); return 0; }\n";
    found(&format!("{HEAD}{loading}"), "$CC p.c -o p");
}

#[test]
fn a_program_with_threads_is_compared() {
    let threads = "#include <pthread.h>\nstatic int n, within;\n\
        static void *look(void *x) { return x; }\n\
        int main(int argc, char **argv) { n = argc > 1 ? atoi(argv[1]) : 0; pthread_t t; if (pthread_create(&t, 0, look, 0)) return 9;\n\
        pthread_join(t, 0); within = COND; puts(within ? \"in\" : \"out\"); return 0; }\n";
    found(&format!("{HEAD}{threads}"), "$CC -pthread p.c -o p");
}

/// What runs after a program replaced itself is not followed. The verdict must say so instead of being green.
#[test]
fn a_program_that_runs_itself_anew_is_not_called_the_same() {
    let again = PLAIN.replace(
        "puts(",
        "if (!getenv(\"AGAIN\")) { setenv(\"AGAIN\", \"1\", 1); execv(\"/proc/self/exe\", argv); return 9; } puts(",
    );
    let output = compare(&format!("{HEAD}{again}"), "$CC p.c -o p", &["--time", "3s"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let honest = matches!(
        (output.status.code(), json["verdict"].as_str()),
        (Some(5), Some("not-executed")) | (Some(1), Some("different"))
    );
    assert!(honest, "{:?} {}", output.status, json["verdict"]);
}
