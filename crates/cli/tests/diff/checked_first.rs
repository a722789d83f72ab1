//! Paths and options are checked before anything is built; versions must be two; difficult names and files.

use super::*;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// A build that leaves a mark outside of its private copy.
fn marking(directory: &Path) -> String {
    format!("touch '{}/built' && $CC -o prog main.c", directory.display())
}

/// A patch for another version of the sources.
const STALE: &str = "--- a/main.c\n+++ b/main.c\n@@ -1,2 +1,2 @@\n #include <stdio.h>\n-int main(void) { return 9; }\n+int main(void) { return 8; }\n";

fn trees() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (tree, exit) in [("old", "0"), ("new", "1")] {
        fs::create_dir(directory.path().join(tree)).unwrap();
        let source =
            format!("#include <stdio.h>\nint main(void) {{ return getchar() == 'x' ? {exit} : 0; }}\n");
        fs::write(directory.path().join(tree).join("main.c"), source).unwrap();
    }
    fs::create_dir(directory.path().join("precious")).unwrap();
    fs::write(directory.path().join("precious/file"), "").unwrap();
    fs::write(directory.path().join("plain"), "").unwrap();
    fs::write(directory.path().join("stale.patch"), STALE).unwrap();
    directory
}

#[track_caller]
fn refused_before_building(args: &[&str], message: &str) {
    let directory = trees();
    let build = marking(directory.path());
    let line = [&["diff", "old", "new", "--build", &build], args].concat();
    let output = parallax(directory.path(), &line).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(stderr.contains(message), "{args:?}: no {message:?} in {stderr}");
    assert!(output.stdout.is_empty() && !directory.path().join("parallax-out").exists());
    assert!(!directory.path().join("built").exists(), "{args:?}: it was built");
}

#[test]
fn every_mistake_on_the_command_line_is_found_before_anything_is_built() {
    for (args, message) in [
        (&["--stdin", "gone"][..], "--stdin: cannot read gone"),
        (&["--stdin", "precious"], "--stdin: cannot read precious"),
        (&["--stdin", "/dev/zero"], "--stdin: /dev/zero has more than 64 MB"),
        (&["--seeds", "gone"], "--seeds: cannot read gone"),
        (&["--seeds", "plain"], "--seeds: cannot read plain"),
        (&["--file", "x=gone"], "--file: cannot read gone"),
        (&["--file", "/x=plain"], "relative path"),
        (&["--file", "x=plain", "--file", "x/y=plain"], "one would be a directory"),
        (&["--patch", "gone"], "gone: No such file"),
        (&["--patch", "precious"], "precious: is no file"),
        (&["--patch", "stale.patch"], "does not apply to new"),
        (&["--patch", "old/main.c"], "does not apply to new"),
        (&["--program", "/usr/bin/prog"], "--program /usr/bin/prog: must be a path inside the tree"),
        (&["--program", "../prog"], "--program ../prog"),
        (&["--program", ""], "--program"),
        (&["--out", "precious"], "--out"),
        (&["--out", "plain"], "--out"),
        (&["--out", "plain/below"], "plain"),
        (&["--out", "/proc/none"], "/proc/none"),
        (&["--record-queries", "precious"], "--record-queries precious: it is not empty"),
        (&["--record-queries", "plain"], "--record-queries plain"),
        (&["--golden", "gone"], "gone: No such file"),
        (&["--ignore", "("], "not a regular expression"),
        (&["--compare", "colour"], "colour"),
        (&["--compare", ""], "--compare"),
        (&["--runs", "0"], "--runs 0"),
        (&["--max-differences", "0"], "--max-differences 0"),
        (&["--max-input", "0"], "--max-input 0"),
        (&["--symbolic", "none,argv"], "`none` stands alone"),
        (&["--symbolic", "colour"], "colour"),
        (&["--memory", "1T"], "use K, M or G"),
        (&["--time", "0s"], "--time"),
        (&["--jobs", "0"], "--jobs"),
        (&["--env", "=x"], "--env NAME=VALUE"),
    ] {
        refused_before_building(args, message);
    }
}

#[test]
fn a_missing_version_is_found_before_the_other_is_built() {
    let directory = trees();
    let build = marking(directory.path());
    for (line, message) in [
        (vec!["diff", "old", "git:HEAD", "--build", &build], "not inside a git repository"),
        (vec!["diff", "old", "gone", "--build", &build], "gone: No such file"),
        (vec!["diff", "old", "new"], "--build"),
        (vec!["diff", "old/main.c", "new/main.c", "--program", "x"], "--program is for directories"),
        (vec!["diff", "old/main.c", "new/main.c", "--golden", "old"], "--build"),
    ] {
        let output = parallax(directory.path(), &line).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {stderr}");
        assert!(stderr.contains(message), "{line:?}: {stderr}");
        assert!(!directory.path().join("built").exists(), "{line:?}: it was built");
    }
}

#[track_caller]
fn same(directory: &Path, args: &[&str]) {
    let output = parallax(directory, &[&["diff"], args].concat()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(stderr.contains("OLD and NEW are the same"), "{args:?}: {stderr}");
    assert!(!directory.join("built").exists());
}

#[test]
fn a_version_is_not_compared_with_itself() {
    let directory = trees();
    let path = directory.path();
    std::os::unix::fs::symlink("old", path.join("link")).unwrap();
    let build = marking(path);
    same(path, &["old", "old", "--build", &build]);
    same(path, &["old", "link/", "--build", &build]);
    same(path, &["old/main.c", "./old/main.c"]);
    // Equal content elsewhere is another version.
    fs::copy(path.join("old/main.c"), path.join("copy.c")).unwrap();
    let line = ["diff", "old/main.c", "copy.c", "--time", "2s"];
    assert_eq!(parallax(path, &line).output().unwrap().status.code(), Some(0));
}

#[test]
fn a_commit_is_not_compared_with_itself() {
    let repository = tempfile::tempdir().unwrap();
    let path = repository.path();
    let git = |args: &[&str]| {
        let identity =
            ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
        let output = Command::new("git").args(identity).args(args).current_dir(path).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    fs::write(path.join("main.c"), "int main(void) { return 0; }\n").unwrap();
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    git(&["tag", "first"]);
    let build = marking(path);
    same(path, &["--build", &build]);
    same(path, &["git:main", "git:first", "--build", &build]);
    same(path, &["git:HEAD", ".", "--build", &build]);
    // What an earlier run left, and the configuration, are no changes.
    fs::create_dir_all(path.join("parallax-out")).unwrap();
    fs::write(path.join("parallax-out/run.json"), "{}").unwrap();
    fs::write(path.join("parallax.toml"), "").unwrap();
    same(path, &["--build", &build]);
    fs::write(path.join("main.c"), "int main(void) { return 1; }\n").unwrap();
    let output =
        parallax(path, &["diff", "--build", "$CC -o prog main.c", "--time", "30s", "--max-differences", "1"])
            .output()
            .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn malformed_configurations_are_named_with_the_file() {
    let directory = trees();
    let path = directory.path();
    let toml = path.join("parallax.toml");
    for (content, message) in [
        (&b"time = "[..], "parallax.toml"),
        (b"\xff\xfe", "parallax.toml"),
        (b"time = 'soon'", "parallax.toml"),
        (b"runs = -1", "parallax.toml"),
        (b"[build]\ncommand = 'make'", "`build`"),
        (b"arguments = [true]", "`arguments`"),
        (b"tiem = '5s'", "`tiem`"),
    ] {
        fs::write(&toml, content).unwrap();
        let output = parallax(path, &["diff", "old/main.c", "new/main.c"]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(message), "no {message:?} in {stderr}");
    }
    fs::remove_file(&toml).unwrap();
    for make in [|path: &Path| fs::create_dir(path), |path: &Path| std::os::unix::fs::symlink(path, path)] {
        make(&toml).unwrap();
        let output = parallax(path, &["diff", "old/main.c", "new/main.c"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("parallax.toml"));
        let _ = fs::remove_dir(&toml);
    }
}

#[test]
fn names_with_spaces_quotes_newlines_and_other_bytes_are_names_like_any_other() {
    let home = tempfile::tempdir().unwrap();
    for name in [&b"a b"[..], b"it's \"so\"", b"new\nline", b"dollar $HOME `x` \\", b"byte \xff"] {
        let directory = home.path().join(OsStr::from_bytes(name));
        fs::create_dir(&directory).unwrap();
        for (tree, exit) in [("old", "0"), ("new", "1")] {
            fs::create_dir(directory.join(tree)).unwrap();
            let source =
                format!("#include <stdio.h>\nint main(void) {{ return getchar() == 'x' ? {exit} : 0; }}\n");
            fs::write(directory.join(tree).join("main.c"), source).unwrap();
        }
        fs::write(directory.join("in \u{fffd}"), "x").unwrap();
        for versions in [["old", "new"], ["old/main.c", "new/main.c"]] {
            let mut command = parallax(home.path(), &["diff"]);
            command.args(versions.map(|version| directory.join(version)));
            if versions[0] == "old" {
                command.args(["--build", "$CC -o prog main.c"]);
            }
            command.arg("--stdin").arg(directory.join("in \u{fffd}")).arg("--out").arg(directory.join("out"));
            command
                .args(["--time", "30s", "--max-differences", "1", "--"])
                .arg(OsStr::from_bytes(b"arg \xff\n'\""));
            let output = command.output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{:?}: {stderr}", String::from_utf8_lossy(name));
        }
    }
}

#[test]
fn a_patch_that_does_not_apply_to_a_revision_is_found_before_anything_is_built() {
    let directory = trees();
    let path = directory.path();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let output = Command::new("git").args(identity).args(args).current_dir(path).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "old/main.c"]);
    git(&["commit", "-qm", "old"]);
    let build = marking(path);
    let line = ["diff", "git:HEAD", "--patch", "stale.patch", "--build", &build];
    let output = parallax(path, &line).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("does not apply") && !path.join("built").exists(), "{stderr}");
}
