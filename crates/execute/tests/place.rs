//! What a program finds that is not its own: its path, its file, memory that it has not written.

mod common;

use common::*;
use parallax_execute::{Confinement, Executor, Kind, Limits, Options, TestCase};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn output(program: &Path, options: Options) -> Option<String> {
    let mut executor = Executor::new(program, Kind::Native, options).expect("executor");
    if executor.confinement() != Some(Confinement::Namespaces) {
        eprintln!("skipped: no namespaces here");
        return None;
    }
    let run = executor.run(&TestCase::default(), &Limits::default()).expect("run");
    Some(format!("{:?} {}{}", run.outcome, text(&run.stdout.bytes), text(&run.stderr.bytes)))
}

#[test]
fn versions_run_at_one_path_however_different_theirs_are() {
    let body = r#"
        #include <sys/auxv.h>
        int main(int argc, char **argv) {
            char exe[4096] = {0};
            readlink("/proc/self/exe", exe, sizeof exe - 1);
            struct stat s; stat(exe, &s);
            printf("%s %s %s %ld\n", exe, (char *)getauxval(AT_EXECFN), argv[0], (long)s.st_mtime);
            printf("%p %p\n", &argc, argv);
            FILE *maps = fopen("/proc/self/maps", "r");
            char line[4096];
            while (fgets(line, sizeof line, maps)) if (strstr(line, "program")) { puts(strchr(line, '/')); break; }
        }"#;
    let directory = directory();
    let deep = directory.path().join("a/much/longer/path");
    fs::create_dir_all(&deep).unwrap();
    let short = compile(directory.path(), "v1", body);
    let long = compile(&deep, "the-other-version", body);
    let options = |tree: &Path| Options {
        argv0: Some(b"program".to_vec()),
        tree: Some(tree.to_path_buf()),
        ..options()
    };
    let outputs = [output(&short, options(directory.path())), output(&long, options(&deep))];
    assert_eq!(outputs[0], outputs[1]);
    assert!(outputs[0].as_ref().is_none_or(|text| text.contains("/program")), "{outputs:?}");
}

#[test]
fn what_is_beside_and_above_a_program_in_its_tree_is_found() {
    let directory = directory();
    let bin = directory.path().join("src/.libs");
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir(directory.path().join("lib")).unwrap();
    fs::write(directory.path().join("lib/answer.c"), "int answer(void) { return 42; }").unwrap();
    fs::write(bin.join("data"), "beside").unwrap();
    fs::write(directory.path().join("data"), "above").unwrap();
    let library = directory.path().join("lib/libanswer.so");
    let mut clang = Command::new("clang-19");
    clang.args(["-shared", "-o"]).arg(&library).arg(directory.path().join("lib/answer.c"));
    assert!(clang.status().unwrap().success());
    let source = directory.path().join("p.c");
    fs::write(
        &source,
        r#"
        #include <libgen.h>
        #include <stdio.h>
        #include <unistd.h>
        int answer(void);
        static void show(const char *directory, const char *name) {
            char path[4096], text[100] = {0};
            snprintf(path, sizeof path, "%s/%s", directory, name);
            FILE *f = fopen(path, "r");
            if (!f) { printf("no %s\n", name); return; }
            fread(text, 1, 99, f);
            puts(text);
        }
        int main() {
            char exe[4096] = {0};
            readlink("/proc/self/exe", exe, sizeof exe - 1);
            char *home = dirname(exe);
            show(home, "data");
            show(home, "../../data");
            printf("%d\n", answer());
        }"#,
    )
    .unwrap();
    let program = bin.join("p");
    let mut clang = Command::new("clang-19");
    clang.arg("-o").arg(&program).arg(&source).arg(&library).arg("-Wl,-rpath,$ORIGIN/../../lib");
    assert!(clang.status().unwrap().success());
    for disturbance in [None, Some(3)] {
        let tree = Some(directory.path().to_path_buf());
        let found = output(&program, Options { tree, disturbance, ..options() });
        assert!(found.as_ref().is_none_or(|text| text == "Exited(0) beside\nabove\n42\n"), "{found:?}");
    }
}

const UNINITIALISED: &str = r#"
    __attribute__((noinline)) void stack(void) { volatile char b[256]; for (int i = 0; i < 256; i += 32) printf("%02x", b[i] & 255); }
    __attribute__((noinline)) void heap(void) { unsigned char *p = malloc(64); printf(" %02x%02x", p[20], p[40]); }
    int main(int argc, char **argv) {
        if (argc > 5) return 1;
        stack(); heap();
    }"#;

#[test]
fn memory_that_a_program_has_not_written_differs_from_disturbance_to_disturbance() {
    let directory = directory();
    let program = compile(directory.path(), "program", UNINITIALISED);
    let of = |disturbance| output(&program, Options { disturbance, ..options() });
    let Some(plain) = of(None) else { return };
    assert_eq!(of(None), Some(plain.clone()), "undisturbed, it is the same each time");
    let found: BTreeSet<_> = (0..4).filter_map(|number| of(Some(number))).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(!found.contains(&plain), "{plain} {found:?}");
    let halves: BTreeSet<_> = found.iter().map(|text| text.split(' ').nth(1).map(str::to_owned)).collect();
    assert_eq!(halves.len(), 4, "the stack alone: {found:?}");
}

#[test]
fn a_program_that_reads_only_what_it_wrote_does_the_same_whatever_the_disturbance_and_however_it_was_linked()
{
    let body = r#"
        static int sum; __thread int local = 4; static void __attribute__((constructor)) first(void) { sum = 3; }
        static void last(void) { puts("end"); }
        int main(int argc, char **argv) {
            int *p = calloc(100, 4); p[7] = argc; local += p[7] + p[8] + sum;
            atexit(last);
            printf("%d %s %d\n", local, argv[0], getenv("HOME") != 0);
            return 3;
        }"#;
    let directory = directory();
    compile(directory.path(), "program", body);
    let source = directory.path().join("program.c");
    for flags in [
        &[][..],
        &["-static"],
        &["-no-pie"],
        &["-static-pie"],
        &["-s"],
        &["-fsanitize=address"],
        &["-fuse-ld=lld"],
    ] {
        let program = directory.path().join("linked");
        let mut clang = Command::new("clang-19");
        clang.args(["-Wno-everything", "-o"]).arg(&program).arg(&source).args(flags);
        if !clang.output().unwrap().status.success() {
            eprintln!("skipped: cannot link with {flags:?} here");
            continue;
        }
        for disturbance in [None, Some(1), Some(2), Some(3)] {
            let mut options = Options { disturbance, moving_addresses: true, ..options() };
            // The search for leaks needs `ptrace`, which no run has.
            options.env.push((b"ASAN_OPTIONS".to_vec(), b"detect_leaks=0".to_vec()));
            let limits = Limits { memory: 0, ..Limits::default() };
            let mut executor = Executor::new(&program, Kind::Native, options).unwrap();
            let run = executor.run(&TestCase::default(), &limits).unwrap();
            let seen = format!("{:?} {}{}", run.outcome, text(&run.stdout.bytes), text(&run.stderr.bytes));
            assert_eq!(seen, "Exited(3) 8 linked 1\nend\n", "{flags:?} {disturbance:?}");
        }
    }
}
