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

/// In a repository: exit status 2, and a message that names the fix.
#[track_caller]
fn refused(directory: &Path, args: &[&str], messages: &[&str]) {
    let output = parallax(directory, &[&["diff"], args].concat()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    for message in messages {
        assert!(stderr.contains(message), "no {message:?} in {stderr}");
    }
    assert!(output.stdout.is_empty());
    assert!(!directory.join("parallax-out").exists());
}

#[test]
fn an_unknown_revision_is_named_with_what_to_do() {
    let directory = repository(TOML);
    refused(directory.path(), &["git:nonsense", "git:main"], &["nonsense", "git fetch"]);
}

#[test]
fn a_shallow_clone_without_the_history_is_named_with_what_to_do() {
    let origin = repository(TOML);
    git(origin.path(), &["commit", "-qam", "new"]);
    git(origin.path(), &["checkout", "-q", "main"]);
    git(origin.path(), &["commit", "-q", "--allow-empty", "-m", "main goes on"]);
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", origin.path().display());
    git(clone.path(), &["clone", "-q", "--depth", "1", "--no-single-branch", &url, "shallow"]);
    let shallow = clone.path().join("shallow");
    git(&shallow, &["checkout", "-q", "work"]);
    refused(&shallow, &[], &["git fetch --unshallow"]);
    refused(&shallow, &["git:main~1", "git:work"], &["main~1", "git fetch --unshallow"]);
}

#[test]
fn a_repository_without_a_merge_base_says_so() {
    let directory = repository(TOML);
    git(directory.path(), &["checkout", "-q", "--orphan", "alone"]);
    git(directory.path(), &["commit", "-qam", "another beginning"]);
    refused(directory.path(), &[], &["no common ancestor", "main"]);
    let directory = repository(TOML);
    git(directory.path(), &["branch", "-m", "main", "trunk"]);
    refused(directory.path(), &[], &["name OLD and NEW"]);
}

#[test]
fn without_a_repository_or_a_configuration_both_versions_must_be_named() {
    let directory = tempfile::tempdir().unwrap();
    refused(directory.path(), &[], &["name OLD and NEW"]);
    fs::write(directory.path().join("parallax.toml"), TOML).unwrap();
    refused(directory.path(), &[], &["not inside a git repository"]);
}

#[test]
fn a_patch_that_does_not_apply_or_is_not_text_is_refused() {
    let directory = repository("");
    let path = directory.path();
    let build = ["--patch", "change.patch", "--build", "make", "--program", "price"];
    let line = [&["."], &build[..]].concat();
    refused(path, &line, &["--patch: cannot read change.patch"]);
    let patch = "--- a/price.c\n+++ b/price.c\n@@ -1,2 +1,2 @@\n-never there\n+anything\n \n";
    fs::write(path.join("change.patch"), patch).unwrap();
    refused(path, &line, &["change.patch", "does not apply", "price.c"]);
    fs::write(path.join("change.patch"), "\0\x7fELF not a patch").unwrap();
    refused(path, &line, &["change.patch"]);
    // What `git diff` says of a binary file when it is not asked for more.
    fs::write(path.join("data.bin"), b"\0old").unwrap();
    git(path, &["add", "data.bin"]);
    git(path, &["commit", "-qm", "data"]);
    fs::write(path.join("data.bin"), b"\0new").unwrap();
    let diff = Command::new("git").args(["diff"]).current_dir(path).output().unwrap();
    fs::write(path.join("change.patch"), diff.stdout).unwrap();
    git(path, &["checkout", "-q", "."]);
    refused(path, &line, &["data.bin", "git diff --binary"]);
}

#[test]
fn a_mistake_in_the_configuration_is_named() {
    let directory = repository("biuld = 'make'\n");
    let output = parallax(directory.path(), &["diff"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("biuld") && stderr.contains("build"), "{stderr}");
}
