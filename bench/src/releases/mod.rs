//! Real programs in two versions: the subjects of `bench/subjects/releases`.
//!
//! In: `NAME.toml` and the build script it names. Out: what is compared, from which sources, with which seed.
//!
//! Always holds: a description names sources and never holds them; the seed is an ordinary command line of the program
//! (written as in [`crate::lines`]) and the only input that a search is given.

pub mod search;
pub mod sources;

use crate::lines::parse;
use crate::Result;
use parallax_execute::TestCase;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// `NAME.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    change: String,
    what: String,
    old: Origin,
    new: Origin,
    build: String,
    program: String,
    seed: String,
    #[serde(default = "information")]
    trivial: Vec<String>,
    #[serde(default)]
    ignore: Vec<String>,
    compare: Option<String>,
}

/// Options that tell about the program: their texts differ between any two releases, which is no find.
fn information() -> Vec<String> {
    ["--help", "--version"].map(str::to_owned).to_vec()
}

/// Where a version comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// `PACKAGE/RELEASE` of Debian.
    pub debian: Option<String>,
    /// A patch of Debian's in that package, to be taken out.
    pub without: Option<String>,
    /// `NAME=VERSION` of a crate.
    #[serde(rename = "crate")]
    pub krate: Option<String>,
    /// A file of `bench/subjects/drivers` that becomes `driver.c` in the tree.
    pub driver: Option<String>,
}

/// One program in two versions.
#[derive(Clone, Debug)]
pub struct Subject {
    pub name: String,
    /// Which versions.
    pub change: String,
    /// What the authors say about it, or what is known to differ.
    pub what: String,
    pub old: Origin,
    pub new: Origin,
    /// For `--build`.
    pub build: String,
    /// For `--program`.
    pub program: String,
    pub seed: TestCase,
    /// An input with one of these options, or a beginning of it, does not count as a find.
    pub trivial: Vec<String>,
    /// For `--ignore`.
    pub ignore: Vec<String>,
    /// For `--compare`: without standard error where a release has changed the wording of its messages.
    pub compare: Option<String>,
}

/// Where the descriptions are.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects/releases")
}

/// Every subject, by name.
pub fn all() -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for entry in std::fs::read_dir(directory())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            subjects.push(Subject::read(&path)?);
        }
    }
    subjects.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(subjects)
}

impl Subject {
    fn read(path: &Path) -> Result<Subject> {
        let failed = |what: String| format!("{}: {what}", path.display());
        let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
        let d: Description = toml::from_str(&text).map_err(|e| failed(e.to_string()))?;
        let script = path.with_file_name(&d.build);
        let build = std::fs::read_to_string(&script).map_err(|e| failed(format!("{}: {e}", d.build)))?;
        Ok(Subject {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            change: d.change,
            what: d.what,
            old: d.old,
            new: d.new,
            build: build.trim().to_owned(),
            program: d.program,
            seed: parse(&d.seed),
            trivial: d.trivial,
            ignore: d.ignore,
            compare: d.compare,
        })
    }

    /// Does an argument ask the program about itself? Long options may be abbreviated.
    pub fn is_trivial<'a>(&self, mut arguments: impl Iterator<Item = &'a str>) -> bool {
        let asks = |argument: &str| {
            self.trivial.iter().any(|option| {
                let abbreviated =
                    argument.len() > 2 && argument.starts_with("--") && option.starts_with(argument);
                argument == option || abbreviated
            })
        };
        arguments.any(asks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_description_can_be_read_and_names_sources() {
        for subject in all().unwrap() {
            for origin in [&subject.old, &subject.new] {
                assert!(origin.debian.is_some() != origin.krate.is_some(), "{}", subject.name);
            }
            assert!(!subject.is_trivial(subject.seed.argv.iter().map(|a| std::str::from_utf8(a).unwrap())));
        }
    }

    #[test]
    fn an_abbreviated_question_about_the_program_is_trivial() {
        let subject = Subject { trivial: information(), ..all().unwrap().remove(0) };
        assert!(subject.is_trivial(["x", "--vers"].into_iter()));
        assert!(subject.is_trivial(["--help"].into_iter()));
        assert!(!subject.is_trivial(["--", "-v", "--hel-p", "x"].into_iter().filter(|a| *a != "--hel-p")));
    }
}
