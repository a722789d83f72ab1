//! Kept tests in the formats of other test frameworks.
//!
//! In: kept tests, each with what a program is expected to do on it. Out: files in one of the [`Form`]s, and which tests it cannot hold, with the reason.
//!
//! Always holds: what is exported needs neither Parallax nor the kept tests. Bytes arrive as they are, whatever they are, or the test is left out.

mod ctest;
mod shell;
mod trycmd;

use parallax_execute::TestCase;
use std::path::PathBuf;

/// A test and what is expected.
#[derive(Clone, Debug)]
pub struct Exported {
    /// Unique among those that are exported together, of letters, digits, `-` and `_`.
    pub name: String,
    pub test: TestCase,
    /// The name under which the program runs.
    pub argv0: Vec<u8>,
    pub expected: Expectation,
}

/// What a program is expected to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One script for any POSIX shell, which prints TAP.
    Shell,
    /// One file for Bats.
    Bats,
    /// One file to include in a `CMakeLists.txt`.
    CTest,
    /// A file in TOML for each test, with the files beside it, for the Rust crate trycmd.
    Trycmd,
}

/// What comes of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// By relative path. A form that is one file has one, whose name is a suggestion.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Tests that this form cannot hold, and why.
    pub left_out: Vec<(String, &'static str)>,
}

/// `program`: what the program is called in the project that the tests are for.
pub fn export(tests: &[Exported], form: Form, program: &str) -> Export {
    match form {
        Form::Shell => one("parallax-tests.sh", shell::script(tests)),
        Form::Bats => one("parallax.bats", shell::bats(tests)),
        Form::CTest => one("parallax-tests.cmake", ctest::file(tests, program)),
        Form::Trycmd => trycmd::files(tests, program),
    }
}

fn one(name: &str, text: String) -> Export {
    Export { files: vec![(name.into(), text.into_bytes())], left_out: Vec::new() }
}
