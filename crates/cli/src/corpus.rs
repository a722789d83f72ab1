//! What a search leaves besides differences: test cases worth keeping, and branches that were only seen going one way.
//!
//! In: the outcome of a search. Out: kept tests below `corpus/`, each once; views of the branches.

use crate::error::CliError;
use parallax_execute::TestCase;
use parallax_instrument::Instrumented;
use parallax_report::diff_view::UnflippedView;
use parallax_report::kept;
use parallax_report::place::Place;
use parallax_search::{Outcome, Side};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Test cases that are kept because of what they execute.
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

/// Branches that depend on the input, and why they were not seen the other way.
pub fn unflipped(instrumented: &[Instrumented; 2], outcome: &Outcome) -> Vec<UnflippedView> {
    let view = |branch: &parallax_search::Unflipped| {
        let (map, version) = match branch.side {
            Side::Old => (&instrumented[0].map, "old"),
            Side::New => (&instrumented[1].map, "new"),
        };
        UnflippedView {
            version: version.to_owned(),
            place: Place::of(map, branch.site).to_string(),
            reason: branch.reason.to_owned(),
        }
    };
    outcome.unflipped.iter().map(view).collect()
}
