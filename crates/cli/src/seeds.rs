//! The test cases that a comparison starts from.
//!
//! In: the seed of the command line, and a directory of more. Out: test cases, the command line's first, the others in the order of
//! their paths, none twice.

use crate::error::CliError;
use parallax_execute::TestCase;
use parallax_report::kept;
use std::fs;
use std::path::{Path, PathBuf};

/// `first` comes from the command line; a plain file of the directory becomes its standard input.
pub fn seeds(first: TestCase, directory: Option<&Path>) -> Result<Vec<TestCase>, CliError> {
    let mut seeds = vec![first.clone()];
    let Some(directory) = directory else { return Ok(seeds) };
    let unreadable = |source| CliError::Read { what: "--seeds", path: directory.to_owned(), source };
    if kept::is_kept(directory) {
        seeds.push(kept::read(directory)?);
        return Ok(seeds);
    }
    let entries = fs::read_dir(directory).map_err(unreadable)?;
    let mut paths = entries
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<Vec<PathBuf>, _>>()
        .map_err(unreadable)?;
    paths.sort();
    for path in paths {
        let seed = if kept::is_kept(&path) {
            kept::read(&path)?
        } else if path.is_file() {
            let stdin = fs::read(&path).map_err(|source| CliError::Read { what: "--seeds", path, source })?;
            TestCase { stdin, ..first.clone() }
        } else {
            continue;
        };
        if !seeds.contains(&seed) {
            seeds.push(seed);
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
pub fn described(seed: &TestCase) -> Vec<String> {
    let bytes = |n: usize| if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") };
    let mut parts: Vec<String> = Vec::new();
    for (i, argument) in seed.argv.iter().enumerate() {
        parts.push(format!("argv[{}] ({})", i + 1, bytes(argument.len())));
    }
    parts.push(format!("stdin ({})", bytes(seed.stdin.len())));
    parts.extend(
        seed.files.iter().map(|(path, content)| format!("{} ({})", path.display(), bytes(content.len()))),
    );
    parts.extend(
        seed.env
            .iter()
            .map(|(name, value)| format!("${} ({})", String::from_utf8_lossy(name), bytes(value.len()))),
    );
    parts
}
