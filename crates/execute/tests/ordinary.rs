//! Runs that behave: what goes in and what comes out.

mod common;
use common::*;
use parallax_execute::*;

#[test]
fn arguments_input_environment_and_files_reach_the_program() {
    let body = r#"
        int main(int argc, char **argv) {
            for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
            char line[100] = "", file[100] = "";
            fgets(line, sizeof line, stdin);
            FILE *f = fopen("sub/in.txt", "r");
            if (f) fgets(file, sizeof file, f);
            printf("\n%s|%s|%s|%s\n", line, file, getenv("GIVEN"), getenv("LC_ALL"));
            fprintf(stderr, "to stderr");
            return 42;
        }"#;
    let test = TestCase {
        argv: vec![b"one".to_vec(), b"".to_vec(), b"\xff two".to_vec()],
        stdin: b"from stdin".to_vec(),
        files: vec![("sub/in.txt".into(), b"from file".to_vec())],
        env: vec![(b"GIVEN".to_vec(), b"from env".to_vec())],
        ..TestCase::default()
    };
    let (mut executor, _directory) = native(body);
    let run = executor.run(&test, &Limits::default()).unwrap();
    assert_eq!(run.outcome, Outcome::Exited(42));
    let expected = b"[program][one][][\xff two]\nfrom stdin|from file|from env|C\n".to_vec();
    assert_eq!(run.stdout, Output { bytes: expected, truncated: false });
    assert_eq!(run.stderr.bytes, b"to stderr");
    assert_eq!(run.files, []);
}

#[test]
fn directories_links_modes_and_the_working_directory_are_there_and_no_changes() {
    let body = r#"
        #include <sys/stat.h>
        int main() {
            struct stat a, b, d, l; char target[20] = "", text[20] = "", cwd[4096];
            readlink("link", target, 19);
            stat("../data", &a); stat("same", &b); stat("../empty", &d); lstat("link", &l);
            FILE *f = fopen("same", "r"); if (f) fgets(text, 19, f);
            printf("%s %s %o %o %d %d %s\n", target, text, a.st_mode & 07777, d.st_mode & 07777,
                   a.st_ino == b.st_ino, S_ISLNK(l.st_mode), strrchr(getcwd(cwd, sizeof cwd), '/'));
            unlink("link"); symlink("other", "link");
        }"#;
    let layout = Layout {
        directories: vec!["empty".into()],
        links: vec![
            ("sub/link".into(), Link::Symbolic("../data".into())),
            ("sub/same".into(), Link::Hard("data".into())),
        ],
        modes: vec![("data".into(), 0o640), ("empty".into(), 0o700)],
        working_directory: "sub".into(),
    };
    let test = TestCase { files: vec![("data".into(), b"text".to_vec())], layout, ..TestCase::default() };
    let (mut executor, _directory) = native(body);
    let run = executor.run(&test, &Limits::default()).unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout.bytes), "../data text 640 700 1 1 /sub\n");
    let content = Content::Symlink("other".into());
    assert_eq!(run.files, [FileChange::Modified { path: "sub/link".into(), mode: 0o777, content }]);
    let outside = Layout { working_directory: "../x".into(), ..Layout::default() };
    assert!(TestCase { layout: outside, ..TestCase::default() }.check().is_err());
}

#[test]
fn output_may_hold_any_byte() {
    let run = run(r#"int main() { for (int i = 0; i < 256; i++) putchar(i); }"#, &[]);
    assert_eq!(run.stdout.bytes, (0..=255).collect::<Vec<u8>>());
}

#[test]
fn a_crash_is_a_signal_and_keeps_the_output() {
    let run = run(r#"int main() { write(1, "before", 6); *(volatile int *)0 = 1; }"#, &[]);
    assert_eq!(run.outcome, Outcome::Signaled(libc::SIGSEGV));
    assert_eq!(run.stdout.bytes, b"before");
}

#[test]
fn an_abort_is_a_signal() {
    assert_eq!(run("int main() { abort(); }", &[]).outcome, Outcome::Signaled(libc::SIGABRT));
}

#[test]
fn changed_created_and_deleted_files_are_reported() {
    let body = r#"
        int main() {
            FILE *f = fopen("new", "w"); fputs("created", f); fclose(f);
            f = fopen("changed", "a"); fputs("+more", f); fclose(f);
            unlink("gone");
            mkdir("d", 0700);
            symlink("/etc/passwd", "d/link");
            mkfifo("d/pipe", 0600);
            chmod("mode", 0);
        }"#;
    let file = |name: &str| (name.into(), b"old".to_vec());
    let test =
        TestCase { files: ["changed", "gone", "kept", "mode"].map(file).to_vec(), ..TestCase::default() };
    let (mut executor, _directory) = native(body);
    let content = |bytes: &[u8]| Content::File(Output { bytes: bytes.to_vec(), truncated: false });
    let expected = vec![
        FileChange::Modified { path: "changed".into(), mode: 0o644, content: content(b"old+more") },
        FileChange::Created { path: "d".into(), mode: 0o700, content: Content::Directory },
        FileChange::Created {
            path: "d/link".into(),
            mode: 0o777,
            content: Content::Symlink("/etc/passwd".into()),
        },
        FileChange::Created { path: "d/pipe".into(), mode: 0o600, content: Content::Other },
        FileChange::Deleted { path: "gone".into() },
        FileChange::Modified { path: "mode".into(), mode: 0, content: content(b"old") },
        FileChange::Created { path: "new".into(), mode: 0o644, content: content(b"created") },
    ];
    // Twice: the second run finds nothing of the first.
    for _ in 0..2 {
        let run = executor.run(&test, &Limits::default()).unwrap();
        assert_eq!(run.files, expected);
        assert!(!run.files_truncated);
    }
}

#[test]
fn every_run_sees_the_same_process_number_addresses_and_directory() {
    let body = r#"
        int global;
        int main() {
            int local; char here[4096];
            printf("%d %d %p %p %p %s\n", getpid(), getppid(), &global, &local, malloc(10), getcwd(here, sizeof here));
        }"#;
    let directory = directory();
    let program = compile(directory.path(), "program", body);
    let mut outputs = Vec::new();
    for _ in 0..2 {
        let mut executor = Executor::new(&program, Kind::Native, options()).unwrap();
        for _ in 0..3 {
            outputs.push(text(&executor.run(&TestCase::default(), &Limits::default()).unwrap().stdout.bytes));
        }
        if executor.confinement() != Some(Confinement::Namespaces) {
            eprintln!("skipped: no namespaces here, so process numbers and directories differ");
            return;
        }
    }
    assert!(!outputs[0].is_empty());
    assert!(outputs.iter().all(|o| *o == outputs[0]), "{outputs:?}");
}

#[test]
fn addresses_move_from_run_to_run_where_that_is_asked_for() {
    let body = r#"int main() { int local; printf("%p %p", &local, malloc(10)); }"#;
    let (mut executor, _directory) = native_with(body, Options { moving_addresses: true, ..options() });
    let mut print = || executor.run(&TestCase::default(), &Limits::default()).unwrap().stdout.bytes;
    let outputs: std::collections::BTreeSet<_> = (0..4).map(|_| print()).collect();
    assert!(outputs.len() > 1, "{outputs:?}");
}

#[test]
fn a_program_sees_only_three_descriptors_no_terminal_and_default_signals() {
    let body = r#"
        int main() {
            for (int fd = 0; fd < 1024; fd++) if (fcntl(fd, F_GETFD) >= 0) printf("%d ", fd);
            printf("tty:%d ", open("/dev/tty", O_RDWR) >= 0);
            for (int s = 1; s < 32; s++) { struct sigaction a; if (!sigaction(s, 0, &a) && a.sa_handler) printf("s%d ", s); }
            sigset_t m; sigprocmask(SIG_BLOCK, 0, &m);
            for (int s = 1; s < 64; s++) if (sigismember(&m, s) == 1) printf("m%d ", s);
        }"#;
    assert_eq!(text(&run(body, &[]).stdout.bytes), "0 1 2 tty:0 ");
}

#[test]
fn a_program_that_closes_everything_still_has_its_status() {
    let body = "int main() { for (int i = 0; i < 1024; i++) close(i); return 7; }";
    assert_eq!(run(body, &[]).outcome, Outcome::Exited(7));
}

#[test]
fn many_arguments_arrive_and_too_many_are_refused() {
    let body = r#"int main(int argc, char **argv) { printf("%d %zu", argc, strlen(argv[argc - 1])); }"#;
    let (mut executor, _directory) = native(body);
    let many = TestCase::with_args(vec!["x"; 100_000]);
    assert_eq!(text(&executor.run(&many, &Limits::default()).unwrap().stdout.bytes), "100001 1");
    let long = TestCase::with_args([vec![b'x'; 131_071]]);
    assert_eq!(text(&executor.run(&long, &Limits::default()).unwrap().stdout.bytes), "2 131071");
    for bad in [TestCase::with_args([vec![b'x'; 131_072]]), TestCase::with_args(vec!["x"; 1_000_000])] {
        let error = executor.run(&bad, &Limits::default()).unwrap_err();
        assert!(matches!(error, Error::TestCase { .. }), "{error}");
    }
    assert!(executor.run(&TestCase::default(), &Limits::default()).is_ok());
}

#[test]
fn temporary_files_and_home_are_inside_the_scratch_directory() {
    let body = r#"
        int main() {
            char path[4096];
            snprintf(path, sizeof path, "%s/t", getenv("TMPDIR"));
            int a = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
            snprintf(path, sizeof path, "%s/h", getenv("HOME"));
            int b = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
            return a >= 0 && b >= 0 ? 0 : 1;
        }"#;
    let (mut executor, _directory) = native(body);
    for _ in 0..2 {
        let run = executor.run(&TestCase::default(), &Limits::default()).unwrap();
        assert_eq!(run.outcome, Outcome::Exited(0));
        assert_eq!(run.files.len(), 1, "the temporary file is no result: {:?}", run.files);
    }
}

#[test]
fn two_executors_run_at_the_same_time() {
    let body =
        r#"int main(int c, char **v) { FILE *f = fopen("f", "w"); fputs(v[1], f); usleep(1000); return 0; }"#;
    let directory = directory();
    let program = compile(directory.path(), "program", body);
    std::thread::scope(|scope| {
        for word in ["left", "right"] {
            let program = &program;
            scope.spawn(move || {
                let mut executor = Executor::new(program, Kind::Native, options()).unwrap();
                for _ in 0..50 {
                    let run = executor.run(&TestCase::with_args([word]), &Limits::default()).unwrap();
                    let content = Content::File(Output { bytes: word.into(), truncated: false });
                    assert_eq!(run.files, [FileChange::Created { path: "f".into(), mode: 0o644, content }]);
                }
            });
        }
    });
}

/// Executors for one program inside and one outside the places for temporary files.
fn here_and_elsewhere(body: &str) -> Vec<(Executor, tempfile::TempDir)> {
    let inside = tempfile::tempdir_in("/tmp").expect("temporary directory");
    let executor = |directory: tempfile::TempDir| {
        let program = compile(directory.path(), "program", body);
        (Executor::new(&program, Kind::Native, options()).expect("executor"), directory)
    };
    vec![executor(inside), executor(visible_directory())]
}

#[test]
fn temporary_files_can_be_made_where_libc_makes_them_and_are_gone_in_the_next_run() {
    let body = r#"
        int main() {
            FILE *f = tmpfile();
            if (!f) { perror("tmpfile"); return 1; }
            for (int i = 0; i < 2; i++) {
                int fd = open(i ? "/var/tmp/mine" : "/tmp/mine", O_WRONLY | O_CREAT | O_EXCL, 0600);
                if (fd < 0 && !(i && errno == EEXIST)) { perror("open"); return 2; }
            }
            return 0;
        }"#;
    for (mut executor, _directory) in here_and_elsewhere(body) {
        if executor.confinement() != Some(Confinement::Namespaces) {
            return;
        }
        for _ in 0..3 {
            let run = executor.run(&TestCase::default(), &Limits::default()).unwrap();
            assert_eq!((run.outcome, text(&run.stderr.bytes)), (Outcome::Exited(0), String::new()));
            assert_eq!(run.files, []);
        }
    }
    assert!(!std::path::Path::new("/tmp/mine").exists());
}

#[test]
fn a_run_that_takes_the_directory_for_temporary_files_away_does_not_take_it_from_the_next() {
    let body = r#"
        int main(int argc, char **argv) {
            char name[500];
            if (argc > 1 && *argv[1] == 'm') {
                snprintf(name, sizeof name, "%s/../elsewhere", getenv("TMPDIR"));
                return rename(getenv("TMPDIR"), name);
            }
            if (argc > 1) return chmod("/tmp", 0);
            // Neither can the run remove what holds the program.
            DIR *d = opendir("/tmp");
            for (struct dirent *e; d && (e = readdir(d));) {
                snprintf(name, sizeof name, "%s/%s", getenv("TMPDIR"), e->d_name);
                if (*e->d_name != '.' && (!rmdir(name) || !unlink(name) || !rename(name, "x"))) return 3;
            }
            return open("/tmp/x", O_WRONLY | O_CREAT, 0600) < 0;
        }"#;
    for (mut executor, _directory) in here_and_elsewhere(body) {
        if executor.confinement() != Some(Confinement::Namespaces) {
            return;
        }
        for arguments in [&["move"][..], &[], &["chmod"], &[]] {
            let run = executor.run(&TestCase::with_args(arguments), &Limits::default()).unwrap();
            assert_eq!(run.outcome, Outcome::Exited(0), "{arguments:?}");
        }
    }
}
