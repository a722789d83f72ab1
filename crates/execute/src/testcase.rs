//! What goes into a run and what comes out of it: plain data.

use crate::layout::Layout;
use crate::Error;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Longest argument or environment string that the kernel takes, without its NUL.
const MAX_STRING: usize = 131_071;
/// All arguments and environment strings, with a NUL and a pointer each: a quarter of the stack limit
/// of the runner, with room for what the kernel adds.
const MAX_STRINGS: usize = 2_000_000;

/// Input of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestCase {
    /// Arguments after `argv[0]`.
    pub argv: Vec<Vec<u8>>,
    pub stdin: Vec<u8>,
    /// Files in the run's directory; directories on the way are made.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Additions to the fixed environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Directories, links, modes and the working directory.
    pub layout: Layout,
}

impl TestCase {
    /// A test case of arguments only.
    pub fn with_args<A: AsRef<[u8]>>(args: impl IntoIterator<Item = A>) -> TestCase {
        TestCase { argv: args.into_iter().map(|a| a.as_ref().to_vec()).collect(), ..TestCase::default() }
    }

    /// Whether the kernel can hand this to a program at all, and whether it stays in its directory.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |reason: String| Err(Error::TestCase { reason });
        let env = self.env.iter().map(|(name, value)| [name, &value[..]].join(&b'='));
        let mut total = 0;
        for string in self.argv.iter().cloned().chain(env) {
            if string.contains(&0) {
                return refuse("an argument or environment string contains a NUL byte".into());
            }
            if string.len() > MAX_STRING {
                return refuse(format!(
                    "an argument of {} bytes; the kernel takes {MAX_STRING}",
                    string.len()
                ));
            }
            total += string.len() + 1 + size_of::<usize>();
        }
        if total > MAX_STRINGS {
            return refuse(format!("arguments take {total} bytes in all; the limit is {MAX_STRINGS}"));
        }
        if self.env.iter().any(|(name, _)| name.is_empty() || name.contains(&b'=')) {
            return refuse("an environment variable has no name or one with `=` in it".into());
        }
        for (path, _) in &self.files {
            check_path(path)?;
        }
        self.layout.check()
    }
}

pub(crate) fn check_path(path: &Path) -> Result<(), Error> {
    let inside = path.components().all(|c| matches!(c, Component::Normal(_)));
    if inside && path.file_name().is_some() {
        return Ok(());
    }
    Err(Error::TestCase { reason: format!("file {path:?} is not inside the run's directory") })
}

/// What a run may use. Zero means "no limit".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// Private memory of each process, and resident memory of all of them.
    pub memory: u64,
    /// Bytes kept of standard output and of standard error. A run may print up to `file_size`, if
    /// that is more.
    pub output: u64,
    /// Bytes in any one file.
    pub file_size: u64,
    /// Processes alive at once.
    pub processes: u32,
    /// Counted work of a run of an instrumented program (edges, and what is recorded): see `parallax_trace::format::EDGE_WORK`.
    pub work: u64,
    /// Changed files that are looked at after a run, and their bytes in all.
    pub changed_files: usize,
    pub changed_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(5),
            memory: 1 << 30,
            output: 1 << 20,
            file_size: 16 << 20,
            processes: 64,
            work: 0,
            changed_files: 10_000,
            changed_bytes: 64 << 20,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Exited(i32),
    Signaled(i32),
    /// Still running at the end of its time.
    TimedOut,
    TooManyProcesses,
    /// Ended after as much counted work as it may do.
    TooMuchWork,
    /// All processes together held more memory than allowed. (A single process that is refused memory
    /// is told so by the kernel, and ends as it likes.)
    TooMuchMemory,
    /// Killed for writing too much to standard output or standard error.
    TooMuchOutput,
    /// Killed for writing too large a file.
    FileTooLarge,
    /// Took its fork server down with it.
    Lost,
}

/// Standard output or standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Output {
    pub bytes: Vec<u8>,
    /// There was more.
    pub truncated: bool,
}

/// What there is at a path after a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    File(Output),
    Directory,
    Symlink(PathBuf),
    /// A FIFO, socket or device.
    Other,
}

/// A difference between the run's directory before and after.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FileChange {
    Created { path: PathBuf, mode: u32, content: Content },
    Modified { path: PathBuf, mode: u32, content: Content },
    Deleted { path: PathBuf },
}

impl FileChange {
    pub fn path(&self) -> &Path {
        match self {
            FileChange::Created { path, .. }
            | FileChange::Modified { path, .. }
            | FileChange::Deleted { path } => path,
        }
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub outcome: Outcome,
    pub stdout: Output,
    pub stderr: Output,
    /// Ordered by path.
    pub files: Vec<FileChange>,
    /// More files had changed than are kept, or some could not be read.
    pub files_truncated: bool,
    pub wall: Duration,
    pub cpu: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_outside_the_directory_are_refused() {
        for path in ["/etc/passwd", "../x", "a/../../x", "", ".", "a/.."] {
            let test = TestCase { files: vec![(path.into(), vec![])], ..TestCase::default() };
            assert!(test.check().is_err(), "{path:?}");
        }
        let test = TestCase { files: vec![("a/b/c".into(), vec![])], ..TestCase::default() };
        assert!(test.check().is_ok());
    }

    #[test]
    fn strings_that_no_kernel_takes_are_refused() {
        assert!(TestCase::with_args([b"a\0b"]).check().is_err());
        assert!(TestCase::with_args([vec![b'a'; MAX_STRING + 1]]).check().is_err());
        assert!(TestCase::with_args(vec![vec![b'a'; 1000]; 2100]).check().is_err());
        for name in ["", "a=b"] {
            let test = TestCase { env: vec![(name.into(), vec![])], ..TestCase::default() };
            assert!(test.check().is_err(), "{name:?}");
        }
    }
}
