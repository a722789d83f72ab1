//! Kept tests: what is written is read back, and any shell can replay it.

use parallax_execute::{Layout, Link, Outcome, Output, Run, TestCase};
use parallax_report::kept;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output as Ended};
use std::time::Duration;

fn bytes(random: &mut fastrand::Rng, max: usize, from: u8) -> Vec<u8> {
    (0..random.usize(..=max)).map(|_| random.u8(from..)).collect()
}

fn random_layout(random: &mut fastrand::Rng) -> Layout {
    let mut layout = Layout::default();
    for name in ["e", "e/tab\there", "new\nline/back\\slash", "-x y"] {
        match random.u32(..6) {
            0 => layout.directories.push(name.into()),
            1 => layout.links.push((name.into(), Link::Symbolic("../to here".into()))),
            2 => layout.links.push((name.into(), Link::Hard("a".into()))),
            3 => layout.modes.push((name.into(), random.u32(..0o10000))),
            4 => layout.working_directory = name.into(),
            _ => {}
        }
    }
    layout
}

fn random_test(random: &mut fastrand::Rng) -> TestCase {
    let names = ["a", "b c", "d/e", "d/f/g", "-x", "new\nline"];
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for name in names {
        if random.bool() {
            files.push((name.into(), bytes(random, 40, 0)));
        }
    }
    files.sort();
    TestCase {
        argv: (0..random.usize(..5)).map(|_| bytes(random, 12, 1)).collect(),
        stdin: bytes(random, 60, 0),
        files,
        env: (0..random.usize(..3)).map(|i| (format!("V{i}").into_bytes(), bytes(random, 8, 1))).collect(),
        layout: random_layout(random),
    }
}

#[test]
fn a_test_case_that_was_written_is_read_back() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..200 {
        let test = random_test(&mut random);
        let directory = tempfile::tempdir().unwrap();
        kept::write(directory.path(), &test, b"prog").unwrap();
        assert!(kept::is_kept(directory.path()));
        assert_eq!(kept::read(directory.path(), 1 << 20).unwrap(), test);
    }
}

#[test]
fn the_script_makes_directories_links_modes_and_goes_to_the_working_directory() {
    let directory = tempfile::tempdir().unwrap();
    let test = TestCase {
        argv: vec![
            b"-c".to_vec(),
            b"pwd | sed 's,.*/run/,,'; ls -dl ../e l h | cut -c1-10; cat h; readlink l".to_vec(),
        ],
        files: vec![("sub/it's".into(), b"text\n".to_vec())],
        layout: Layout {
            directories: vec!["e".into()],
            links: vec![
                ("sub/l".into(), Link::Symbolic("no where".into())),
                ("sub/h".into(), Link::Hard("sub/it's".into())),
            ],
            modes: vec![("sub/it's".into(), 0o600), ("e".into(), 0o555)],
            working_directory: "sub".into(),
        },
        ..TestCase::default()
    };
    let place = directory.path().join("test");
    kept::write(&place, &test, b"sh").unwrap();
    let ended = replay("sh", &place, &[Path::new("/bin/sh")]);
    let said = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(said, "sub\ndr-xr-xr-x\n-rw-------\nlrwxrwxrwx\ntext\nno where\n", "{:?}", ended.stderr);
}

#[test]
fn a_line_is_read_back_and_is_one_line() {
    let mut random = fastrand::Rng::with_seed(4);
    for _ in 0..2000 {
        let original = bytes(&mut random, 20, 0);
        let line = kept::escape(&original);
        assert!(!line.contains('\n'), "{line:?}");
        assert_eq!(kept::unescape(line.as_bytes()).unwrap(), original);
    }
    assert_eq!(kept::escape("-é\\\n\u{1}".as_bytes()), r"-é\x5c\x0a\x01");
    assert_eq!(kept::escape(b"\xff"), r"\xff");
}

#[test]
fn empty_arguments_and_no_arguments_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    for argv in [vec![], vec![vec![]], vec![vec![], vec![]]] {
        let test = TestCase { argv, ..TestCase::default() };
        kept::write(directory.path(), &test, b"prog").unwrap();
        assert_eq!(kept::read(directory.path(), 1 << 20).unwrap(), test);
    }
}

#[test]
fn what_is_wrong_with_a_kept_test_is_said_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let with = |name: &str, content: &str| {
        fs::write(directory.path().join("cmd"), "x\n").unwrap();
        fs::write(directory.path().join(name), content).unwrap();
        kept::read(directory.path(), 1 << 20).unwrap_err().to_string()
    };
    assert!(with("cmd", "fine\n\\q\n").contains("cmd, line 2: a backslash"));
    assert!(with("cmd", "\\x4").contains("cmd, line 1"));
    assert!(with("env", "NAME\n").contains("env, line 1: not of the form NAME=VALUE"));
}

#[test]
fn a_link_among_the_files_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    kept::write(directory.path(), &TestCase::default(), b"prog").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", directory.path().join("files/x")).unwrap();
    assert!(kept::read(directory.path(), 1 << 20).unwrap_err().to_string().contains("neither a file"));
}

#[test]
fn what_is_too_large_or_no_file_is_refused_and_not_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    kept::write(directory.path(), &TestCase { stdin: b"four".to_vec(), ..TestCase::default() }, b"prog")
        .unwrap();
    assert_eq!(kept::read(directory.path(), 4).unwrap().stdin, b"four");
    assert!(kept::read(directory.path(), 3).unwrap_err().to_string().contains("has more than 3 bytes"));
    let stdin = directory.path().join("stdin");
    fs::remove_file(&stdin).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&stdin).status().unwrap().success());
    assert!(kept::read(directory.path(), 3).unwrap_err().to_string().contains("neither a file"));
}

/// A program, as the replay sees it, that shows all its input and leaves a file.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    for (int i = 0; i < argc; i++) { fputs(argv[i], stdout); putchar(0); }
    char *v = getenv("V"); if (v) { fputs(v, stdout); putchar(0); }
    int c; while ((c = getchar()) != EOF) putchar(c);
    FILE *in = fopen("dir/in", "r"); if (in) { while ((c = getc(in)) != EOF) putchar(c); fclose(in); }
    FILE *out = fopen("made", "w"); if (out) { fputs("x", out); fclose(out); }
    fputs("said\n", stderr);
    return 7;
}
"#;

fn program(directory: &Path) -> PathBuf {
    let (source, program) = (directory.join("p.c"), directory.join("binary"));
    fs::write(&source, PROGRAM).unwrap();
    let built = Command::new("cc").arg("-o").arg(&program).arg(&source).status().unwrap();
    assert!(built.success());
    program
}

fn replay(shell: &str, test: &Path, arguments: &[&Path]) -> Ended {
    Command::new(shell).arg(test.join("run.sh")).args(arguments).output().unwrap()
}

#[test]
fn the_script_replays_every_byte_in_every_shell() {
    let directory = tempfile::tempdir().unwrap();
    let program = program(directory.path());
    let all: Vec<u8> = (1..=255).collect();
    let test = TestCase {
        argv: vec![
            b"plain".to_vec(),
            b"it's \"quoted\" $HOME `x` %d \\n".to_vec(),
            b"two\nlines\n\n".to_vec(),
            vec![],
            all.clone(),
            b"-e".to_vec(),
        ],
        stdin: b"\0in\xff".to_vec(),
        files: vec![("dir/in".into(), b"\0file\xfe".to_vec())],
        env: vec![(b"V".to_vec(), all)],
        ..TestCase::default()
    };
    let place = directory.path().join("test");
    // A name that is a builtin of every shell.
    kept::write(&place, &test, b"echo").unwrap();
    let mut expected = b"echo\0".to_vec();
    for part in test.argv.iter().chain([&test.env[0].1]) {
        expected.extend_from_slice(part);
        expected.push(0);
    }
    expected.extend_from_slice(b"\0in\xff\0file\xfe");
    for shell in ["sh", "bash"] {
        let ended = replay(shell, &place, &[&program]);
        assert_eq!(ended.stdout, expected, "{shell}");
        assert_eq!(ended.status.code(), Some(7));
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(said.starts_with("said\nexit status: 7\ncreated: ./made ("), "{said}");
        assert!(!said.contains("dir/in"), "an input that was not changed is no result: {said}");
    }
}

#[test]
fn the_script_keeps_the_files_where_it_is_told_to() {
    let directory = tempfile::tempdir().unwrap();
    program(directory.path());
    let (place, kept_files) = (directory.path().join("test"), directory.path().join("left"));
    kept::write(&place, &TestCase::default(), b"prog").unwrap();
    let script = Command::new("sh")
        .arg(place.join("run.sh"))
        .args(["binary", "left"])
        .current_dir(&directory)
        .output();
    assert_eq!(script.unwrap().status.code(), Some(7), "relative paths, from anywhere");
    assert_eq!(fs::read(kept_files.join("made")).unwrap(), b"x");
    let mode = fs::metadata(place.join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
}

#[test]
fn what_a_version_did_is_there_as_plain_files() {
    let directory = tempfile::tempdir().unwrap();
    let output = |text: &str| Output { bytes: text.into(), truncated: false };
    let run = |outcome| Run {
        outcome,
        stdout: output("out\n"),
        stderr: output("err\n"),
        files: vec![],
        files_truncated: false,
        wall: Duration::ZERO,
        cpu: Duration::ZERO,
    };
    kept::write_run(directory.path(), "old", &run(Outcome::Exited(3))).unwrap();
    kept::write_run(directory.path(), "new", &run(Outcome::TimedOut)).unwrap();
    let text = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    assert_eq!((text("old/exit"), text("old/signal")), ("3\n".to_owned(), String::new()));
    assert_eq!((text("old/stdout"), text("old/stderr")), ("out\n".to_owned(), "err\n".to_owned()));
    assert_eq!((text("new/exit"), text("new/limit")), (String::new(), "time\n".to_owned()));
}
