//! `run.json`: what was run, so that it can be run again.
//!
//! In: a comparison as it begins. Out: the file; and, for `parallax replay`, the file read back.

use crate::args::BuildArgs;
use crate::native::Native;
use crate::resolve::Target;
use parallax_build::tools;
use parallax_report::kept::escape;
use parallax_report::SCHEMA;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub const FILE: &str = "run.json";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunFile {
    pub schema: String,
    /// The command line, one word each, as in `cmd` of a kept test.
    pub command: Vec<String>,
    /// Where it was given.
    #[serde(with = "escaped")]
    pub directory: PathBuf,
    pub seed: u64,
    /// Versions of the tools that were used.
    pub tools: BTreeMap<String, String>,
    pub argv0: String,
    pub old: Built,
    pub new: Built,
    #[serde(default)]
    pub golden: Option<Built>,
    pub compare: Vec<String>,
    pub ignore: Vec<String>,
}

/// One version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Built {
    /// As the user named it.
    pub name: String,
    /// The native binary, its name in the tree, and what it finds of its build.
    #[serde(flatten)]
    pub native: Native,
    /// Shared objects that it loaded on the first seed.
    #[serde(default)]
    pub loaded: Vec<PathBuf>,
    /// How it is built again; nothing for a program that was built before.
    #[serde(default)]
    pub recipe: Option<Recipe>,
}

/// How a version is built, wherever one stands. Paths are absolute, revisions are hashes of commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// A C file or a directory; or where in a repository.
    #[serde(with = "escaped")]
    pub source: PathBuf,
    #[serde(default)]
    pub revision: Option<String>,
    #[serde(default)]
    pub build: Option<String>,
    /// As `--program` says.
    #[serde(default, with = "escaped::optional")]
    pub built_program: Option<PathBuf>,
    #[serde(default, with = "escaped::optional")]
    pub patch: Option<PathBuf>,
}

/// Paths as arguments stand in `cmd` of a kept test: they need not be UTF-8.
mod escaped {
    use parallax_report::kept::{escape, unescape};
    use serde::{Deserialize, Deserializer, Serializer};
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&escape(path.as_os_str().as_bytes()))
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<PathBuf, D::Error> {
        read(String::deserialize(from)?)
    }

    fn read<E: serde::de::Error>(text: String) -> Result<PathBuf, E> {
        unescape(text.as_bytes()).map(|bytes| OsString::from_vec(bytes).into()).map_err(E::custom)
    }

    pub mod optional {
        use super::*;

        pub fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
            match path {
                Some(path) => super::serialize(path, to),
                None => to.serialize_none(),
            }
        }

        pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<PathBuf>, D::Error> {
            Option::<String>::deserialize(from)?.map(read).transpose()
        }
    }
}

impl Recipe {
    pub fn of(target: &Target, build: &BuildArgs) -> Option<Recipe> {
        let (source, revision) = match target {
            Target::Program(_) => return None,
            Target::File(path) | Target::Directory(path) => (path, None),
            Target::Revision { directory, revision } => {
                (directory, Some(parallax_build::commit(directory, revision).ok()?))
            }
        };
        let absolute = |path: &PathBuf| std::path::absolute(path).ok();
        Some(Recipe {
            source: absolute(source)?,
            revision,
            build: build.build.clone(),
            built_program: build.built_program.clone(),
            patch: build.patch.as_ref().map(absolute).unwrap_or_default(),
        })
    }

    /// What to build; nothing if the sources are gone.
    pub fn target(&self) -> Option<Target> {
        let source = self.source.clone();
        match &self.revision {
            Some(revision) => Some(Target::Revision { directory: source, revision: revision.clone() }),
            None if source.is_dir() => Some(Target::Directory(source)),
            None => source.is_file().then_some(Target::File(source)),
        }
    }

    pub fn build_args(&self) -> BuildArgs {
        BuildArgs {
            build: self.build.clone(),
            built_program: self.built_program.clone(),
            patch: self.patch.clone(),
            ..BuildArgs::default()
        }
    }
}

impl RunFile {
    pub fn new(seed: u64, argv0: &[u8], old: Built, new: Built) -> RunFile {
        let clang = tools::clang(tools::Language::C);
        let mut used = BTreeMap::new();
        used.insert("parallax".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        used.insert("clang".to_owned(), tools::version_of(&clang).unwrap_or_default());
        RunFile {
            schema: SCHEMA.to_owned(),
            command: std::env::args_os().map(|word| escape(word.as_bytes())).collect(),
            directory: std::env::current_dir().unwrap_or_default(),
            seed,
            tools: used,
            argv0: escape(argv0),
            old,
            new,
            golden: None,
            compare: Vec::new(),
            ignore: Vec::new(),
        }
    }

    /// The file of the result that a kept test belongs to: `RESULT/tests/TEST`.
    pub fn of_test(test: &Path) -> Option<RunFile> {
        let result = std::path::absolute(test).ok()?.parent()?.parent()?.to_owned();
        serde_json::from_str(&std::fs::read_to_string(result.join(FILE)).ok()?).ok()
    }
}
