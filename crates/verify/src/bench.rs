//! What verification has test cases run with.

use crate::trail::Ended;
use parallax_execute::TestCase;
use parallax_search::{HarnessError, Side, Traced, Verdict};

/// A run of a symbolic build.
pub struct Seen {
    pub traced: Traced,
    pub ended: Ended,
    /// False if there was no time for the run.
    pub was_made: bool,
    /// Changed lines that the run executed.
    pub lines: Vec<String>,
}

/// Has test cases run. `Err` only if nothing can be run any more.
pub trait Bench {
    /// The symbolic build of a version.
    fn trace(&mut self, side: Side, test: &TestCase) -> Result<Seen, HarnessError>;
    /// The native builds of both versions, compared.
    fn judge(&mut self, test: &TestCase) -> Result<Verdict, HarnessError>;
}
