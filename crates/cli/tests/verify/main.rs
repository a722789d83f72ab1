//! `parallax verify`, end to end: partitions of small programs, verdicts, bad input. Skipped where no run can be confined.

mod bad_input;
mod members;
mod paper;
mod resume;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Two versions in a directory of their own.
pub struct Versions {
    pub directory: TempDir,
}

/// What `parallax verify` did.
pub struct Verified {
    pub output: Output,
}

impl Versions {
    pub fn new(old: &str, new: &str) -> Versions {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("old.c"), old).unwrap();
        fs::write(directory.path().join("new.c"), new).unwrap();
        Versions { directory }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn command(&self, options: &[&str]) -> Command {
        let mut command = parallax(self.path());
        command.args(["verify", "old.c", "new.c", "--format", "json", "--time", "120s"]).args(options);
        command
    }

    pub fn verify(&self, options: &[&str]) -> Verified {
        Verified { output: self.command(options).output().unwrap() }
    }
}

pub fn parallax(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
    command.current_dir(directory);
    command
}

impl Verified {
    /// The document, of a run that ended with this status.
    #[track_caller]
    pub fn json(&self, status: i32) -> Value {
        let errors = String::from_utf8_lossy(&self.output.stderr);
        assert_eq!(self.output.status.code(), Some(status), "{errors}");
        serde_json::from_slice(&self.output.stdout).unwrap_or_else(|error| panic!("{error}\n{errors}"))
    }

    #[track_caller]
    pub fn refused(&self, words: &[&str]) {
        let errors = String::from_utf8_lossy(&self.output.stderr);
        assert_eq!(self.output.status.code(), Some(2), "{errors}");
        for word in words {
            assert!(errors.contains(word), "`{word}` is not in: {errors}");
        }
    }
}

/// The partitions of a document, of one shape of standard input.
pub fn partitions(json: &Value, stdin: u64) -> Vec<&Value> {
    let all = json["partitions"].as_array().unwrap();
    all.iter().filter(|partition| partition["shape"]["stdin"] == stdin).collect()
}

pub fn with_status<'p>(partitions: &[&'p Value], status: &str) -> Vec<&'p Value> {
    partitions.iter().copied().filter(|partition| partition["status"] == status).collect()
}
