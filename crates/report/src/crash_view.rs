//! Crashes of the new version, as they are reported.
//!
//! In: nothing; the commands fill it in. Every field is explained in the book (`docs/book/json.md`), and a test keeps it so.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// An input on which the new version crashes, fails an assertion, hangs or makes a sanitizer complain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashView {
    /// `signal`, `assertion`, `hang` or `sanitizer`.
    pub kind: String,
    pub test: String,
    /// Where, as far as that is known: a place in the source, or the signal.
    #[serde(rename = "where")]
    pub place: String,
    /// `introduced`, `older` or `near the change`.
    pub age: String,
    /// What was seen, in words.
    pub what: String,
    /// Runs of the search that showed it.
    pub count: u64,
}

/// The crashes for people; nothing if there are none.
pub fn crash_lines(crashes: &[CrashView]) -> String {
    let mut text = String::new();
    for crash in crashes {
        let CrashView { kind, test, place, age, what, .. } = crash;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Crash ({age}): {kind} at {place}: {what}\n  test       {test}");
    }
    text
}
