//! Every C model of a libc function behaves like the real one.
//!
//! In: `libc/*.c` (the models) and `libc/test/*.c` (the harness and its cases). Out: a pass, or the
//! harness's own report with the seed that repeats it.
//! Always: a model without a test fails, and so does a function that the project promises to
//! cover (`promised.txt`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Cases for each function, locale and answer of `__plx_symbolic`.
const CASES: u32 = 1000;
/// Any number will do; a fixed one makes a failure repeatable.
const SEED: u64 = 20261115;

/// The functions that must be covered, whoever covers them.
const PROMISED: &str = include_str!("promised.txt");

fn clang() -> String {
    std::env::var("PARALLAX_CLANG").unwrap_or_else(|_| "clang-19".to_owned())
}

fn checked(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?} cannot be started: {e}"));
    assert!(
        output.status.success(),
        "{command:?} failed with {}:\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn c_files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    files
}

/// Compiles one file; undefined behaviour becomes a trap, since the optimiser may do anything with it.
fn compile(source: &Path, into: &Path, tag: &str) -> PathBuf {
    let stem = source.file_stem().unwrap().to_str().unwrap();
    let object = into.join(format!("{tag}-{stem}.o"));
    checked(
        Command::new(clang())
            .args(["-std=gnu11", "-O1", "-g", "-fno-builtin", "-Wall", "-Wextra", "-Werror"])
            .args(["-fsanitize=undefined", "-fsanitize-trap=undefined"])
            .args(["-DPLX_NATIVE_TEST", "-c"])
            .arg(source)
            .arg("-o")
            .arg(&object),
    );
    object
}

/// The models that the objects define, without their prefix.
fn models_in(objects: &[PathBuf]) -> BTreeSet<String> {
    let output = checked(Command::new("nm").arg("--defined-only").arg("--extern-only").args(objects));
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .filter_map(|symbol| symbol.strip_prefix("__plx_libc_"))
        .map(str::to_owned)
        .collect()
}

fn promised() -> BTreeSet<String> {
    PROMISED
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

fn missing(wanted: &BTreeSet<String>, there: &BTreeSet<String>) -> Vec<String> {
    wanted.difference(there).cloned().collect()
}

#[test]
fn every_model_behaves_like_the_real_function() {
    let libc = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc");
    let scratch = tempfile::tempdir().unwrap();
    let compile_all = |directory: &Path, tag: &str| -> Vec<PathBuf> {
        let files = c_files(directory);
        files.iter().map(|f| compile(f, scratch.path(), tag)).collect()
    };
    let models = compile_all(&libc, "model");
    let tests = compile_all(&libc.join("test"), "test");
    let harness = scratch.path().join("harness");
    checked(Command::new(clang()).args(&models).args(&tests).arg("-lm").arg("-o").arg(&harness));

    let output = checked(Command::new(&harness).args([SEED.to_string(), CASES.to_string()]));
    let tested: BTreeSet<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.strip_prefix("tested "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect();

    let untested = missing(&models_in(&models), &tested);
    assert!(untested.is_empty(), "models without a test: {untested:?}");
    let unkept = missing(&promised(), &tested);
    assert!(unkept.is_empty(), "promised functions without a test: {unkept:?}");
}
