//! The test cases that a comparison starts from.
//!
//! In: the seed of the command line, and a directory of more. Out: test cases, the command line's first, the others in the order of
//! their paths, none twice.

use crate::error::CliError;
use crate::input_files::read;
use crate::resolve::SymbolicKinds;
use parallax_execute::TestCase;
use parallax_report::kept;
use std::fs;
use std::path::{Path, PathBuf};

/// What the seed of the command line is called.
const FROM_COMMAND_LINE: &str = "command line";

/// A test case, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    pub name: String,
    pub test: TestCase,
}

/// `first` comes from the command line; a plain file of the directory becomes its standard input.
pub fn seeds(first: TestCase, directory: Option<&Path>) -> Result<Vec<Seed>, CliError> {
    let mut seeds = vec![Seed { name: FROM_COMMAND_LINE.to_owned(), test: first.clone() }];
    let Some(directory) = directory else { return Ok(seeds) };
    let unreadable = |source| CliError::Read { what: "--seeds", path: directory.to_owned(), source };
    let name = |path: &Path| path.display().to_string();
    if kept::is_kept(directory) {
        seeds.push(Seed { name: name(directory), test: kept::read(directory)? });
        return Ok(seeds);
    }
    let entries = fs::read_dir(directory).map_err(unreadable)?;
    let mut paths = entries
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<Vec<PathBuf>, _>>()
        .map_err(unreadable)?;
    paths.sort();
    for path in paths {
        let test = if kept::is_kept(&path) {
            kept::read(&path)?
        } else if path.is_file() {
            TestCase { stdin: read(&path, "--seeds")?, ..first.clone() }
        } else {
            continue;
        };
        if !seeds.iter().any(|seed| seed.test == test) {
            seeds.push(Seed { name: name(&path), test });
        }
    }
    Ok(seeds)
}

/// The kept tests at or below some paths, in order.
pub fn kept_tests(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        collect(path, &mut found)?;
        if found.len() == before {
            let path = path.display();
            return Err(CliError::usage(format!(
                "{path}: no kept test (a directory with a file `cmd`) here or below"
            )));
        }
    }
    Ok(found)
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), CliError> {
    if kept::is_kept(path) {
        found.push(path.to_owned());
        return Ok(());
    }
    let unreadable = |source| CliError::Read { what: "TEST", path: path.to_owned(), source };
    let entries = fs::read_dir(path).map_err(unreadable)?;
    let mut below =
        entries.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    below.sort();
    // A corpus is not a list of differences.
    for path in below.iter().filter(|path| path.is_dir() && !path.ends_with("corpus")) {
        collect(path, found)?;
    }
    Ok(())
}

/// What is symbolic in a seed, for people.
pub fn described(seed: &TestCase, kinds: SymbolicKinds) -> Vec<String> {
    let bytes = |n: usize| if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") };
    let mut parts: Vec<String> = Vec::new();
    let mut part = |wanted: bool, text: String| parts.extend(wanted.then_some(text));
    for (i, argument) in seed.argv.iter().enumerate() {
        part(kinds.arguments, format!("argv[{}] ({})", i + 1, bytes(argument.len())));
    }
    part(kinds.stdin, format!("stdin ({})", bytes(seed.stdin.len())));
    for (path, content) in &seed.files {
        part(kinds.files, format!("{} ({})", path.display(), bytes(content.len())));
    }
    for (name, value) in &seed.env {
        part(kinds.env, format!("${} ({})", String::from_utf8_lossy(name), bytes(value.len())));
    }
    parts
}
