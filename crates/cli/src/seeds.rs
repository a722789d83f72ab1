//! The test cases that a comparison starts from.
//!
//! In: the seed of the command line, and a directory of more. Out: test cases, the command line's first, the others in the order of
//! their paths, none twice.

use crate::error::CliError;
use crate::reading::{read, ReadLimits};
use crate::resolve::SymbolicKinds;
use crate::units;
use clap::Args;
use parallax_execute::TestCase;
use parallax_report::kept;
use std::collections::HashMap;
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::{Path, PathBuf};

/// What the seed of the command line is called.
const FROM_COMMAND_LINE: &str = "command line";
/// What a seed made from a function's type is called.
const OF_FUNCTION: &str = "the function's type";

/// A test case, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    pub name: String,
    pub test: TestCase,
}

/// How many seeds a directory may give.
#[derive(Clone, Copy, Debug, Args)]
pub struct SeedLimits {
    /// Most seeds that are taken from --seeds, in the order of their names
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_seeds: usize,
    /// Most bytes of these seeds, together
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = units::size)]
    pub max_seeds_size: u64,
}

/// Where more seeds come from, and how much may be read.
pub struct More<'m> {
    pub directory: Option<&'m Path>,
    pub limits: SeedLimits,
    pub read: ReadLimits,
}

/// `first` comes from the command line; a plain file of the directory becomes its standard input. What the directory holds and is no seed is in the warnings.
pub fn seeds(first: TestCase, more: &More, warnings: &mut Vec<String>) -> Result<Vec<Seed>, CliError> {
    let mut found = Found::default();
    found.add(FROM_COMMAND_LINE.to_owned(), first.clone());
    let Some(directory) = more.directory else { return Ok(found.seeds) };
    let name = |path: &Path| path.display().to_string();
    if kept::is_kept(directory) {
        found.add(name(directory), kept::read(directory, more.read.max_seed_size)?);
        return Ok(found.seeds);
    }
    let directory = tests_of(directory)?;
    let directory = directory.as_path();
    let paths = entries(directory)?;
    let mut neither = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        if let Some(limit) = found.is_full(&more.limits) {
            warnings.push(format!(
                "--seeds: only {at} of {} entries of {} are seeds: {limit}",
                paths.len(),
                directory.display()
            ));
            break;
        }
        match seed(path, &first, &more.read)? {
            Some(test) => found.add(name(path), test),
            None => neither.push(path),
        }
    }
    if let Some(one) = neither.first() {
        warnings.push(format!(
            "--seeds: {} of the entries of {} are neither files nor kept tests, and no seeds: {} for one",
            neither.len(),
            directory.display(),
            one.display()
        ));
    }
    Ok(found.seeds)
}

/// Where the tests are of a result of `parallax record` or `parallax diff`; any other directory holds seeds itself.
fn tests_of(directory: &Path) -> Result<PathBuf, CliError> {
    let tests = directory.join("tests");
    if !directory.join("run.json").is_file() || !tests.is_dir() {
        return Ok(directory.to_owned());
    }
    let below = entries(&tests)?;
    let of_programs: Vec<&PathBuf> =
        below.iter().filter(|path| path.is_dir() && !kept::is_kept(path) && holds_kept(path)).collect();
    if of_programs.is_empty() {
        return Ok(tests);
    }
    let names: Vec<String> = of_programs.iter().map(|path| path.display().to_string()).collect();
    Err(CliError::usage(format!(
        "--seeds {}: tests of several programs; name those of one: {}",
        directory.display(),
        names.join(", ")
    )))
}

fn holds_kept(directory: &Path) -> bool {
    fs::read_dir(directory)
        .is_ok_and(|mut entries| entries.any(|e| e.is_ok_and(|e| kept::is_kept(&e.path()))))
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, CliError> {
    let unreadable = |source| CliError::Read { what: "--seeds", path: directory.to_owned(), source };
    let entries = fs::read_dir(directory).map_err(unreadable)?;
    let paths = entries.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<PathBuf>, _>>();
    let mut paths = paths.map_err(unreadable)?;
    paths.sort();
    Ok(paths)
}

fn seed(path: &Path, first: &TestCase, limits: &ReadLimits) -> Result<Option<TestCase>, CliError> {
    if kept::is_kept(path) {
        return Ok(Some(kept::read(path, limits.max_seed_size)?));
    }
    if !path.is_file() {
        return Ok(None);
    }
    let stdin = read(path, "--seeds", limits)?;
    Ok(Some(TestCase { stdin, ..first.clone() }))
}

/// Seeds, none twice.
#[derive(Default)]
struct Found {
    seeds: Vec<Seed>,
    /// Where seeds of a hash are.
    known: HashMap<u64, Vec<usize>>,
    bytes: u64,
}

impl Found {
    fn add(&mut self, name: String, test: TestCase) {
        let alike = self.known.entry(BuildHasherDefault::<DefaultHasher>::new().hash_one(&test)).or_default();
        if alike.iter().all(|at| self.seeds[*at].test != test) {
            alike.push(self.seeds.len());
            self.bytes += bytes_of(&test);
            self.seeds.push(Seed { name, test });
        }
    }

    /// The limit that is reached. The seed of the command line does not count.
    fn is_full(&self, limits: &SeedLimits) -> Option<&'static str> {
        if self.seeds.len() > limits.max_seeds {
            Some("--max-seeds")
        } else if self.seeds.len() > 1 && self.bytes >= limits.max_seeds_size {
            Some("--max-seeds-size")
        } else {
            None
        }
    }
}

fn bytes_of(test: &TestCase) -> u64 {
    let files = test.files.iter().map(|(_, content)| content.len());
    let env = test.env.iter().map(|(name, value)| name.len() + value.len());
    let all = test.argv.iter().map(Vec::len).chain(files).chain(env);
    (all.sum::<usize>() + test.stdin.len()) as u64
}

/// The seeds of a function: its own in place of an empty one of the command line.
pub fn drive(seeds: &mut Vec<Seed>, own: Vec<TestCase>) {
    seeds.retain(|seed| seed.test != TestCase::default());
    let own = own.into_iter().map(|test| Seed { name: OF_FUNCTION.to_owned(), test });
    seeds.splice(0..0, own);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(directory: &Path, limits: SeedLimits) -> (Vec<Seed>, Vec<String>) {
        let more = More { directory: Some(directory), limits, read: ReadLimits::default() };
        let mut warnings = Vec::new();
        let seeds = seeds(TestCase::default(), &more, &mut warnings).unwrap();
        (seeds, warnings)
    }

    #[test]
    fn what_a_directory_of_seeds_holds_and_is_not_taken_is_said() {
        let directory = tempfile::tempdir().unwrap();
        for n in 0..9 {
            fs::write(directory.path().join(n.to_string()), n.to_string()).unwrap();
        }
        fs::write(directory.path().join("0-again"), "0").unwrap();
        let limits = SeedLimits { max_seeds: 10_000, max_seeds_size: 1 << 20 };
        let (seeds, warnings) = taken(directory.path(), limits);
        assert_eq!((seeds.len(), warnings.len()), (10, 0), "{warnings:?}");
        let (seeds, warnings) = taken(directory.path(), SeedLimits { max_seeds: 3, ..limits });
        let names = seeds.iter().map(|seed| seed.test.stdin.as_slice());
        assert_eq!(names.collect::<Vec<_>>(), [b"".as_slice(), b"0", b"1", b"2"]);
        assert!(warnings[0].contains("only 4 of 10 entries") && warnings[0].contains("--max-seeds"));
        let (seeds, warnings) = taken(directory.path(), SeedLimits { max_seeds_size: 2, ..limits });
        assert!(seeds.len() == 3 && warnings[0].contains("--max-seeds-size"), "{warnings:?}");
        fs::create_dir(directory.path().join("below")).unwrap();
        let (_, warnings) = taken(directory.path(), limits);
        assert!(warnings[0].contains("1 of the entries") && warnings[0].contains("below"), "{warnings:?}");
    }
}
