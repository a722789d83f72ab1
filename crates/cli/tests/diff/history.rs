//! `parallax history`: every commit of a range, compared with its parent.

use super::*;
use std::fs;

fn git(directory: &Path, args: &[&str]) {
    let identity =
        ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"];
    let output = Command::new("git").args(identity).args(args).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// One commit for each content of `p.c`.
fn repository(contents: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["init", "--quiet"]);
    for (number, content) in contents.iter().enumerate() {
        fs::write(directory.path().join("p.c"), content).unwrap();
        git(directory.path(), &["add", "p.c"]);
        git(directory.path(), &["commit", "--quiet", "-m", &format!("number {number}")]);
    }
    directory
}

const FIRST: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n  printf(\"%d\\n\", c > 1 ? atoi(v[1]) + 1 : 0);\n}\n";

fn history(directory: &TempDir, range: &str, options: &[&str]) -> Output {
    let build = ["--build", "\"$CC\" -g p.c -o p", "--runs", "20", "--time", "20s"];
    let line = [&["history", ".", range][..], &build, options, &["--", "5"]].concat();
    parallax(directory.path(), &line).output().unwrap()
}

#[test]
fn every_commit_is_in_the_table_and_one_that_does_not_build_is_shown_as_such() {
    let different = FIRST.replace("+ 1", "+ 2");
    let directory =
        repository(&[FIRST, "int main(void) { return }\n", &different, &format!("/* said */\n{different}")]);
    let output = history(&directory, "HEAD~3..HEAD", &["--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let commits = json["commits"].as_array().unwrap();
    let statuses: Vec<&str> = commits.iter().map(|c| c["status"].as_str().unwrap()).collect();
    // Both the commit and the next, whose parent it is, have nothing to be compared with.
    assert_eq!(statuses, ["not-built", "not-built", "equivalent"], "{json:#}");
    assert_eq!((&commits[1]["subject"], &json["complete"]), (&"number 2".into(), &true.into()));
    assert!(commits[0]["message"].as_str().unwrap().contains("p.c"), "{json:#}");
    let kept: Value =
        serde_json::from_slice(&fs::read(directory.path().join("parallax-out/history.json")).unwrap())
            .unwrap();
    assert_eq!(kept, json);
}

#[test]
fn a_commit_that_differs_has_its_tests_and_decides_the_exit_status() {
    let directory = repository(&[FIRST, &FIRST.replace("+ 1", "+ 2")]);
    let output = history(&directory, "HEAD~1..HEAD", &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("number 1") && text.contains("different ("), "{text}");
    let test = text.lines().find_map(|line| line.split("parallax replay ").nth(1)).unwrap();
    assert!(directory.path().join(test).join("cmd").exists(), "{text}");
}

#[test]
fn ranges_that_hold_no_commits_are_refused() {
    let directory = repository(&[FIRST]);
    for (range, message) in [("HEAD", "not a range"), ("HEAD..HEAD", "no commit"), ("HEAD~7..HEAD", "HEAD~7")]
    {
        let output = history(&directory, range, &[]);
        assert_eq!(output.status.code(), Some(2), "{range}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(message), "{range}");
    }
}
