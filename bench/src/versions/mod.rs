//! Pairs of versions: the subjects of `bench/subjects/diff`; those of `bench/subjects/blind` and `bench/subjects/fresh`, which were written by people who had
//! not seen the search; and those of `bench/subjects/heavy`, whose running time depends on a number, a repetition or a recursion in the input.
//!
//! In: `NAME/old.c`, `NAME/new.c` and `NAME/subject.toml`. Out: what changed, the seed that a search starts from, and a
//! witness that shows what is expected.
//!
//! Always holds: nothing but the checks of the subjects themselves looks at a witness; a search never does.

pub mod fuzz;
pub mod mutants;
pub mod native;
pub mod product;
pub mod search;
mod tokens;

use crate::lines::unescape;
use crate::Result;
use parallax_execute::TestCase;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whether the versions differ on any input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    Different,
    Same,
}

/// `subject.toml`, in which bytes are written as in command lines of [`crate::lines`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    kind: String,
    change: String,
    expect: Expect,
    #[serde(default)]
    argv: Vec<String>,
    #[serde(default)]
    stdin: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    witness_argv: Vec<String>,
    #[serde(default)]
    witness_stdin: String,
    #[serde(default)]
    witness_files: BTreeMap<String, String>,
}

/// Two versions of one small program.
#[derive(Clone, Debug)]
pub struct Pair {
    pub name: String,
    pub kind: String,
    /// One sentence.
    pub change: String,
    pub expect: Expect,
    pub old: PathBuf,
    pub new: PathBuf,
    /// Ordinary input, on which the versions do the same.
    pub seed: TestCase,
    /// Input that reaches the change: the versions differ on it, if they differ at all.
    pub witness: TestCase,
}

/// The sets of subjects, by the names of their directories.
pub const SETS: [&str; 5] = ["diff", "blind", "fresh", "heavy", "words"];

/// Every pair of the first set, by name.
pub fn all() -> Result<Vec<Pair>> {
    all_of(SETS[0])
}

/// Every pair of a set, by name.
pub fn all_of(set: &str) -> Result<Vec<Pair>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects").join(set);
    let mut pairs = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        pairs.push(Pair::read(&entry?.path())?);
    }
    pairs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(pairs)
}

impl Pair {
    /// The pair in one directory.
    pub fn read(directory: &Path) -> Result<Pair> {
        let path = directory.join("subject.toml");
        let failed = |what: String| format!("{}: {what}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|e| failed(e.to_string()))?;
        let d: Description = toml::from_str(&text).map_err(|e| failed(e.to_string()))?;
        Ok(Pair {
            name: directory.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            kind: d.kind,
            change: d.change,
            expect: d.expect,
            old: directory.join("old.c"),
            new: directory.join("new.c"),
            seed: test_case(&d.argv, &d.stdin, &d.files),
            witness: test_case(&d.witness_argv, &d.witness_stdin, &d.witness_files),
        })
    }
}

fn test_case(argv: &[String], stdin: &str, files: &BTreeMap<String, String>) -> TestCase {
    TestCase {
        argv: argv.iter().map(|a| unescape(a)).collect(),
        stdin: unescape(stdin),
        files: files.iter().map(|(name, content)| (name.into(), unescape(content))).collect(),
        ..TestCase::default()
    }
}
