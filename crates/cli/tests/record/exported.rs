//! What was recorded, in the formats of other test frameworks.

use super::Tree;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn export(tree: &Tree, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
    command.arg("export").arg(tree.out()).args(args).current_dir(tree.path());
    command.output().unwrap()
}

/// The program, with another message.
fn broken(tree: &Tree) -> std::path::PathBuf {
    let place = tree.directory.path().join("broken");
    fs::create_dir(&place).unwrap();
    let source = fs::read_to_string(tree.path().join("prog.c")).unwrap();
    fs::write(place.join("prog.c"), source.replace("cannot be opened", "is not there")).unwrap();
    assert!(Command::new("cc")
        .args(["-o", "prog", "prog.c"])
        .current_dir(&place)
        .status()
        .unwrap()
        .success());
    place.join("prog")
}

#[test]
fn the_script_tells_the_program_from_one_that_behaves_otherwise() {
    let tree = Tree::new();
    tree.record("plain", &["--program", "prog"]);
    let script = tree.directory.path().join("tests.sh");
    let written = export(&tree, &["--as", "shell", "--write", script.to_str().unwrap()]);
    assert_eq!(written.status.code(), Some(0), "{}", String::from_utf8_lossy(&written.stderr));
    // Nothing of the result is needed any more.
    fs::remove_dir_all(tree.out()).unwrap();
    let run = |program: &Path| Command::new("sh").arg(&script).arg(program).output().unwrap();
    let same = run(&tree.path().join("prog"));
    let text = String::from_utf8(same.stdout).unwrap();
    assert_eq!(same.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&same.stderr));
    assert_eq!((text.lines().next(), text.matches("\nok ").count()), (Some("1..11"), 11), "{text}");
    let other = run(&broken(&tree));
    let text = String::from_utf8(other.stdout).unwrap();
    assert_eq!((other.status.code(), text.matches("not ok ").count()), (Some(1), 1), "{text}");
}

#[test]
fn other_formats_hold_every_test_or_say_which_they_cannot() {
    let tree = Tree::new();
    tree.record("plain", &["--program", "prog"]);
    let bats = String::from_utf8(export(&tree, &["--as", "bats"]).stdout).unwrap();
    assert_eq!(bats.matches("@test \"").count(), 11);
    let ctest = String::from_utf8(export(&tree, &["--as", "ctest", "--program", "tool"]).stdout).unwrap();
    assert_eq!(ctest.matches("add_test(").count(), 11);
    assert!(ctest.contains("$<TARGET_FILE:tool>"));
    let place = tree.directory.path().join("trycmd");
    let trycmd = export(&tree, &["--as", "trycmd", "--write", place.to_str().unwrap()]);
    let files = fs::read_dir(&place).unwrap().flatten();
    let tomls = files.filter(|entry| entry.path().extension().is_some_and(|e| e == "toml")).count();
    let left_out = String::from_utf8(trycmd.stderr).unwrap().matches("is left out").count();
    assert_eq!((tomls + left_out, left_out > 0, tomls > 0), (11, true, true));
    let again = export(&tree, &["--as", "trycmd", "--write", place.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(2), "what is there is not overwritten");
}
