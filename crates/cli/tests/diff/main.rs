//! `parallax diff` and `parallax replay` from end to end, on small pairs of programs in `testdata/`.

mod bad_input;
mod blame;
mod checked_first;
mod config;
mod deadline;
mod equivalent;
mod evidence;
mod found;
mod function;
mod golden;
mod grouped;
mod history;
mod interrupted;
mod limits;
mod once;
mod own_code;
mod results;
mod unstable;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn parallax(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
    command.args(args).current_dir(directory);
    command.env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command
}

/// One comparison, with where it was made.
struct Compared {
    directory: TempDir,
    output: Output,
}

/// Compares a pair of `testdata/` in a directory of its own.
fn compare(pair: &str, args: &[&str]) -> Compared {
    let directory = tempfile::tempdir().unwrap();
    let output = compare_in(directory.path(), pair, args);
    Compared { directory, output }
}

fn compare_in(directory: &Path, pair: &str, args: &[&str]) -> Output {
    let [old, new] = sources(pair);
    let line = [&["diff", &old, &new, "--format", "json"], args].concat();
    parallax(directory, &line).output().unwrap()
}

fn sources(pair: &str) -> [String; 2] {
    ["old.c", "new.c"].map(|name| source(pair, name))
}

fn source(pair: &str, name: &str) -> String {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(pair);
    base.join(name).to_str().unwrap().to_owned()
}

impl Compared {
    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The document on standard output; there is nothing else on it.
    #[track_caller]
    fn json(&self, status: i32) -> Value {
        assert_eq!(self.output.status.code(), Some(status), "{}", self.stderr());
        serde_json::from_slice(&self.output.stdout).expect("one JSON document")
    }

    /// The only difference.
    #[track_caller]
    fn one(&self, kind: &str) -> Value {
        let json = self.json(1);
        assert_eq!(json["verdict"], "different");
        assert_eq!(json["differences"][0]["kind"], kind, "{json:#}");
        json["differences"][0].clone()
    }

    #[track_caller]
    fn none(&self) -> Value {
        let json = self.json(0);
        assert_eq!(json["verdict"], "none-found");
        assert_eq!(json["differences"], Value::Array(vec![]));
        json
    }

    /// A JSON document of the output directory.
    #[track_caller]
    fn file(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.path("parallax-out").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}
