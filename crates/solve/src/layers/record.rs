//! Writes every query into a directory, as SMT-LIB.
//!
//! In: a query. Out: the answer from below; `00000017.smt2` for the 17th query, up to a number of files. A
//! file that cannot be written ends the recording, never the search.

use crate::query::{Answer, Budget, Query};
use crate::smtlib;
use crate::stack::{Below, Layer};
use std::path::PathBuf;

/// See the module.
pub struct Record {
    directory: PathBuf,
    written: u64,
    at_most: u64,
    failure: Option<std::io::Error>,
}

impl Record {
    pub fn new(directory: PathBuf, at_most: u64) -> Record {
        Record { directory, written: 0, at_most, failure: None }
    }

    /// Why the recording ended early, if it did.
    pub fn failure(&self) -> Option<&std::io::Error> {
        self.failure.as_ref()
    }
}

impl Layer for Record {
    fn name(&self) -> &'static str {
        "record"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        if self.failure.is_none() && self.written < self.at_most {
            let path = self.directory.join(format!("{:08}.smt2", self.written));
            match std::fs::write(path, smtlib::script(query)) {
                Ok(()) => self.written += 1,
                Err(error) => self.failure = Some(error),
            }
        }
        below.check(query, budget)
    }
}
