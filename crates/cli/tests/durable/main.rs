//! No stale and no lost work, from end to end: damaged caches, kills at any moment, full disks, two runs at once.

mod damaged;
mod full;
mod killed;
mod limits;
mod storage;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A directory with two versions of a program, and a cache of its own.
struct Place {
    directory: TempDir,
}

/// Differs where the input is 7.
const OLD: &str = "#include <stdio.h>\nint twice(int x);\nint main(void) { int c = getchar(); printf(\"%d\\n\", twice(c)); return 0; }\n";
const PART: &str = "int twice(int x) { return x == '7' ? 1 : 2 * x; }\n";
const NEW_PART: &str = "int twice(int x) { return 2 * x; }\n";
const BUILD: &str = "$CC -O1 -c main.c && $CC -O1 -c part.c && $CC main.o part.o -o program";

impl Place {
    fn new() -> Place {
        let place = Place { directory: tempfile::tempdir().unwrap() };
        for (version, part) in [("old", PART), ("new", NEW_PART)] {
            fs::create_dir(place.path(version)).unwrap();
            fs::write(place.path(version).join("main.c"), OLD).unwrap();
            fs::write(place.path(version).join("part.c"), part).unwrap();
        }
        fs::create_dir(place.path("tmp")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn cache(&self) -> PathBuf {
        self.path("cache")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
        command.args(args).current_dir(self.directory.path());
        command.env("PARALLAX_CACHE", self.cache()).env("TMPDIR", self.path("tmp"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn diff_line<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let line = [
            "diff",
            "old",
            "new",
            "--build",
            BUILD,
            "--format",
            "json",
            "--time",
            "20s",
            "--max-differences",
            "1",
        ];
        [&line[..], more].concat()
    }

    /// A comparison that must find the difference.
    #[track_caller]
    fn finds_the_difference(&self, about: &str) {
        let output = self.run(&self.diff_line(&["--minimise-runs", "0"]));
        assert_eq!(output.status.code(), Some(1), "{about}: {}", stderr(&output));
        assert_eq!(document(&output)["verdict"], "different", "{about}");
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

/// All regular files below a directory, in order.
fn files_in(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => pending.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn two_runs_with_one_output_directory_do_not_meet() {
    let place = Place::new();
    let slow = "sleep 3 && $CC main.c part.c -o program";
    let line = ["diff", "old", "new", "--build", slow, "--format", "json", "--time", "30s"];
    let line = [&line[..], &["--max-differences", "1"]].concat();
    let mut first = place.command(&line).stdout(std::process::Stdio::null()).spawn().unwrap();
    while !place.path("parallax-out").exists() {
        assert!(first.try_wait().unwrap().is_none(), "ended before it began");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // The directory is made a moment before it is locked.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let second = place.run(&line);
    assert_eq!(second.status.code(), Some(2), "{}", stderr(&second));
    assert!(stderr(&second).contains(&format!("(process {})", first.id())), "{}", stderr(&second));
    assert_eq!(first.wait().unwrap().code(), Some(1));
    let verdicts = fs::read(place.path("parallax-out/verdicts.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&verdicts).unwrap()["verdict"], "different");
    let third = place.run(&place.diff_line(&[]));
    assert_eq!(third.status.code(), Some(1), "{}", stderr(&third));
}

#[test]
fn variables_of_the_environment_that_a_build_reads_count() {
    let place = Place::new();
    let build = "echo \"int twice(int x) { return x + $PLUS; }\" > part.c; $CC main.c part.c -o program";
    let shown = |plus: &str| {
        let line = ["trace", "old", "--build", build, "--format", "json"];
        let output = place.command(&line).env("PLUS", plus).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    // The end of the input is -1.
    assert!(shown("10").contains("9\\n"));
    assert!(shown("20").contains("19\\n"));
}
