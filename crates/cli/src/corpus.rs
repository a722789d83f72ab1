//! The corpus of the output directory.
//!
//! In: test cases that are kept because of what they execute. Out: a directory for each, made once.

use crate::error::CliError;
use parallax_execute::TestCase;
use parallax_report::kept;
use std::collections::HashMap;
use std::path::PathBuf;

/// Test cases that are kept because of what they execute.
pub struct Corpus {
    home: PathBuf,
    names: HashMap<TestCase, String>,
}

impl Corpus {
    pub fn new(home: PathBuf) -> Corpus {
        Corpus { home, names: HashMap::new() }
    }

    /// Where a test case is kept.
    pub fn keep(&mut self, test: &TestCase, argv0: &[u8]) -> Result<String, CliError> {
        if let Some(name) = self.names.get(test) {
            return Ok(name.clone());
        }
        let directory = self.home.join(format!("{:05}", self.names.len() + 1));
        kept::write(&directory, test, argv0)?;
        let name = directory.display().to_string();
        self.names.insert(test.clone(), name.clone());
        Ok(name)
    }
}
