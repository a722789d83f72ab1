//! `parallax.toml`, git revisions, patches.

use super::*;
use std::fs;

const MAKEFILE: &str = "price: price.c\n\t$(CC) -o price price.c\n";

fn git(directory: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    let status = Command::new("git").args(identity).args(args).current_dir(directory).output().unwrap();
    assert!(status.status.success(), "{args:?}: {}", String::from_utf8_lossy(&status.stderr));
}

/// A repository with the old version on `main` and the new one in the working tree.
fn repository(toml: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = sources("boundary");
    fs::copy(old, directory.path().join("price.c")).unwrap();
    fs::write(directory.path().join("Makefile"), MAKEFILE).unwrap();
    fs::write(directory.path().join("parallax.toml"), toml).unwrap();
    git(directory.path(), &["init", "-q"]);
    git(directory.path(), &["add", "."]);
    git(directory.path(), &["commit", "-qm", "old"]);
    git(directory.path(), &["checkout", "-qb", "work"]);
    fs::copy(new, directory.path().join("price.c")).unwrap();
    directory
}

const TOML: &str = "build = 'make'\nprogram = 'price'\narguments = ['5']\nmax-differences = 1\ntime = '20s'\nformat = 'json'\n";

#[test]
fn in_a_repository_with_a_configuration_no_argument_is_needed() {
    let directory = repository(TOML);
    fs::create_dir(directory.path().join("sub")).unwrap();
    for from in [".", "sub"] {
        let output = parallax(&directory.path().join(from), &["diff"]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("merge base with main"), "{stderr}");
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["differences"][0]["new"]["stdout"], "value 10\n");
    }
}

#[test]
fn revisions_are_compared_and_the_command_line_wins_over_the_file() {
    let directory = repository(TOML);
    git(directory.path(), &["commit", "-qam", "new"]);
    let line = ["diff", "git:main", "git:work", "--format=human", "--", "5"];
    let output = parallax(directory.path(), &line).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("1 difference between git:main and git:work"), "{text}");
}

#[test]
fn a_patch_makes_the_new_version() {
    let directory = repository("");
    let diff = Command::new("git").args(["diff"]).current_dir(directory.path()).output().unwrap();
    fs::write(directory.path().join("change.patch"), diff.stdout).unwrap();
    git(directory.path(), &["checkout", "-q", "."]);
    let line = [
        "diff",
        ".",
        "--patch",
        "change.patch",
        "--build",
        "make",
        "--program",
        "price",
        "--max-differences",
        "1",
        "--time",
        "20s",
        "--",
        "5",
    ];
    let output = parallax(directory.path(), &line).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_mistake_in_the_configuration_is_named() {
    let directory = repository("biuld = 'make'\n");
    let output = parallax(directory.path(), &["diff"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("biuld") && stderr.contains("build"), "{stderr}");
}
