//! Programs that do harm, traced from the command line: a clean limit, a usable trace, and nothing outside
//! the run's own directory touched.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// One program for all, so that it is built once. What it does depends on its first argument, after
/// a branch that every trace must show.
const HOSTILE: &str = r#"
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void table(unsigned char *p, int n) {
    static unsigned char t[256];
    for (int i = 0; i < n; i++) {
        t[i & 255] = i;
        putchar(t[p[i & 3]] + i);
    }
}
int main(int argc, char **argv) {
    if (argc < 2 || argv[1][0] != '!')
        return 9;
    switch (argv[1][1]) {
    case 'f': for (;;) fork();
    case 'w': for (;;) puts("endless");
    case 'F': { FILE *f = fopen("large", "w"); for (;;) fputs("endless\n", f); }
    case 'm': for (;;) { char *p = malloc(1 << 20); if (!p) abort(); memset(p, 1, 1 << 20); }
    case 't': signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN); signal(SIGHUP, SIG_IGN); for (;;) pause();
    case 'd': return unlink(argv[2]) == 0 ? 1 : 2;
    case 's': return kill(atoi(argv[2]), SIGKILL) == 0 ? 1 : 2;
    case 'k': kill(-1, SIGKILL); return 3;
    case 'n': { unsigned x = 1; for (int i = 0; i < 100000; i++) x = x * 3 + argv[1][2] + i; return x & 1; }
    case 'T': table((unsigned char *)argv[1], 2000); return 0;
    }
    return 8;
}
"#;

fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("hostile.c"), HOSTILE).unwrap();
    fs::write(directory.path().join("precious"), "keep me").unwrap();
    directory
}

fn trace(directory: &Path, options: &[&str], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_parallax"))
        .args(["trace", "hostile.c", "--format", "json"])
        .args(options)
        .arg("--")
        .args(arguments)
        .current_dir(directory)
        .env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .unwrap()
}

/// The document, which must show the branch before the harm, and leave the user's directory alone.
#[track_caller]
fn survived(options: &[&str], arguments: &[&str]) -> Value {
    let directory = directory();
    let Output { status, stdout, stderr } = trace(directory.path(), options, arguments);
    assert!(status.success(), "{status}: {}", String::from_utf8_lossy(&stderr));
    let run: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(run["branches"][0]["condition"], "argv[1][0] == '!'", "{}", run["branches"]);
    assert_eq!(run["stats"]["violations"], 0);
    assert_eq!(run["stats"]["inconsistent"], 0);
    assert_eq!(fs::read(directory.path().join("precious")).unwrap(), b"keep me");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    run
}

#[test]
fn a_fork_bomb_ends_at_the_limit_of_processes() {
    assert_eq!(survived(&["--max-processes", "8", "--time", "5s"], &["!f"])["limit"], "processes");
}

#[test]
fn output_without_end_ends_at_its_limit() {
    let run = survived(&["--max-output", "64K", "--max-file-size", "128K", "--time", "20s"], &["!w"]);
    assert_eq!(run["limit"], "output");
}

#[test]
fn a_file_without_end_ends_at_its_limit() {
    let run = survived(&["--max-file-size", "128K", "--time", "20s"], &["!F"]);
    assert_eq!(run["limit"], "file size");
}

#[test]
fn a_program_that_wants_all_memory_is_refused_it() {
    let run = survived(&["--memory", "64M", "--time", "20s"], &["!m"]);
    // `malloc` fails, and the program aborts.
    assert!(run["signal"] == 6 || run["limit"] == "memory", "{} {}", run["signal"], run["limit"]);
}

#[test]
fn a_program_that_ignores_signals_ends_at_the_limit_of_time() {
    let run = survived(&["--time", "300ms"], &["!t"]);
    assert_eq!(run["limit"], "time");
    assert!(run["stats"]["seconds"].as_f64().unwrap() < 1.3);
}

#[test]
fn a_program_that_deletes_what_its_arguments_name_deletes_a_copy_or_nothing() {
    // By name it is an input, and its copy is deleted; by its place it is not reached.
    assert_eq!(survived(&[], &["!d", "precious"])["exit"], 1);
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    let path = elsewhere.path().to_str().unwrap();
    survived(&[], &["!d", path]);
    assert!(elsewhere.path().exists());
}

#[test]
fn a_program_that_signals_processes_reaches_none_but_its_own() {
    let mut bystander = Command::new("sleep").arg("60").spawn().unwrap();
    let run = survived(&[], &["!s", &bystander.id().to_string()]);
    assert_eq!(run["exit"], 2);
    survived(&[], &["!k"]);
    assert_eq!(bystander.try_wait().unwrap(), None, "the bystander was killed");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[test]
fn a_trace_with_too_many_expressions_or_tables_is_cut_and_still_usable() {
    let nodes = survived(&["--trace-nodes", "1K"], &["!na"]);
    assert_eq!(nodes["stats"]["cut"], true);
    assert!(nodes["notes"].to_string().contains("cut"), "{}", nodes["notes"]);
    let tables = survived(&["--trace-tables", "4K"], &["!Tab"]);
    assert_eq!(tables["stats"]["cut"], true);
    assert!(tables["notes"].to_string().contains("no room for more tables"), "{}", tables["notes"]);
}

#[test]
fn a_full_disk_is_named_and_is_no_result() {
    let directory = directory();
    let script = "mount -t tmpfs -o size=300k none cache && exec \"$0\" trace hostile.c -- x";
    fs::create_dir(directory.path().join("cache")).unwrap();
    // A namespace of its own, where a small disk can be mounted.
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_parallax")])
        .current_dir(directory.path())
        .env("PARALLAX_CACHE", directory.path().join("cache"))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("No space left on device"), "{stderr}");
    assert!([2, 3].contains(&output.status.code().unwrap()), "{:?}: {stderr}", output.status);
    assert_eq!(output.stdout, b"");
}

/// Attacks on every run, and a difference behind it.
#[cfg(target_arch = "x86_64")]
const ATTACKING: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static long call(long n, long a, long b) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b) : "rcx", "r11", "memory");
    return result;
}
static void garble(void) {
    static char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) == 3 && !strcmp(rights, "rw-s"))
            memset((void *)start, 0xa5, end - start < 9000 ? end - start : 9000);
    }
}
int main(int argc, char **argv) {
    for (int fd = 3; fd < 1024; fd++) write(fd, "\1\0\0\0\0\0\0\0", 8);
    mkdir("d", 0700);
    if (call(57, 0, 0) == 0)
        for (;;) { rename("d", "e"); symlink(VICTIM, "d"); unlink("d"); rename("e", "d"); }
    rename("../work", "../aside");
    symlink(VICTIM, "../work");
    if (argc > 1 && argv[1][0] == 'g') garble();
    for (int fd = 3; fd < 1024; fd++) close(fd);
    if (argc > 1 && argv[1][0] == 'x') return RESULT;
    return 0;
}
"#;

#[test]
#[cfg(target_arch = "x86_64")]
fn the_difference_of_programs_that_attack_on_every_run_is_found_and_nobody_is_harmed() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let victim = directory.path().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("file"), "keep me").unwrap();
    for (name, result) in [("old.c", 3), ("new.c", 4)] {
        let head = format!("#define VICTIM \"{}\"\n#define RESULT {result}\n", victim.display());
        fs::write(directory.path().join(name), head + ATTACKING).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_parallax"))
        .args([
            "diff",
            "old.c",
            "new.c",
            "--format",
            "json",
            "--time",
            "60s",
            "--max-differences",
            "1",
            "--",
            "abc",
        ])
        .current_dir(directory.path())
        .env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["verdict"], "different");
    let differences = found["differences"].as_array().unwrap();
    assert!(!differences.is_empty());
    for difference in differences {
        assert_eq!((&difference["old"]["exit"], &difference["new"]["exit"]), (&3.into(), &4.into()));
    }
    assert_eq!(fs::read(victim.join("file")).unwrap(), b"keep me");
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 1);
}
