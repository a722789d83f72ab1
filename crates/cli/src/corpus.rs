//! Test cases that are kept because of what they execute.
//!
//! In: test cases. Out: kept tests below `corpus/` of the output directory, each once.

use crate::error::CliError;
use parallax_execute::TestCase;
use parallax_report::kept::{self, Launch};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What has been kept, and where.
pub struct Corpus {
    home: PathBuf,
    names: HashMap<TestCase, String>,
}

impl Corpus {
    /// `result`: the output directory.
    pub fn new(result: &Path) -> Corpus {
        Corpus { home: result.join("corpus"), names: HashMap::new() }
    }

    /// Where a test case is kept.
    pub fn keep(&mut self, test: &TestCase, launch: &Launch) -> Result<String, CliError> {
        if let Some(name) = self.names.get(test) {
            return Ok(name.clone());
        }
        let directory = self.home.join(format!("{:05}", self.names.len() + 1));
        kept::write(&directory, test, launch)?;
        let name = directory.display().to_string();
        self.names.insert(test.clone(), name.clone());
        Ok(name)
    }
}
