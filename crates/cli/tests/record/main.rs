//! `parallax record` from end to end, on the tree `testdata/recorded` and its suites.

mod badly;
mod ended;
mod exported;
mod plainly;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A copy of the tree, with its program built.
struct Tree {
    directory: TempDir,
}

/// Everything about a file but its number: what it is, its mode, its time, its content.
type Entry = (u32, i64, i64, Vec<u8>);

impl Tree {
    fn new() -> Tree {
        let directory = tempfile::tempdir().unwrap();
        let tree = Tree { directory };
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/recorded"), &tree.path());
        assert!(Command::new("make").arg("prog").current_dir(tree.path()).output().unwrap().status.success());
        tree
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    /// Outside of the tree.
    fn out(&self) -> PathBuf {
        self.directory.path().join("out")
    }

    /// With `options` of `parallax record`; `words` are those of `make`.
    fn command(&self, options: &[&str], words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
        command.arg("record").args(options).arg("--out").arg(self.out());
        command.args(["--format", "json", "--"]).args(words).current_dir(self.path());
        command.env("PARALLAX_CACHE", self.directory.path().join("cache")).env_remove("MAKEFLAGS");
        command
    }

    fn record(&self, suite: &str, options: &[&str]) -> Recorded {
        let before = snapshot(&self.path());
        let suite = format!("SUITE={suite}");
        let output = self.command(options, &["make", "check", &suite]).output().unwrap();
        assert_eq!(snapshot(&self.path()), before, "the tree stays as it is");
        Recorded { output }
    }
}

struct Recorded {
    output: Output,
}

impl Recorded {
    fn document(&self) -> Value {
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        serde_json::from_slice(&self.output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

/// The tests of a document by their arguments.
fn tests(document: &Value) -> BTreeMap<String, Value> {
    let line = |test: &Value| {
        let words = test["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
        words.collect::<Vec<_>>().join(" ")
    };
    document["tests"].as_array().unwrap().iter().map(|test| (line(test), test.clone())).collect()
}

fn snapshot(root: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(path) = pending.pop() {
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        if metadata.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        found.insert(path, (metadata.mode(), metadata.mtime(), metadata.mtime_nsec(), content));
    }
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}
