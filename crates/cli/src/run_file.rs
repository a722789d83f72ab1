//! `run.json`: what was run, so that it can be run again.
//!
//! In: a comparison as it begins. Out: the file; and, for `parallax replay`, the file read back.

use crate::native::Native;
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
