//! One execution of a program by the suite: plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What a program was given and what it did.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The program as its user calls it, in the tree.
    pub program: PathBuf,
    /// The file that was executed: the program itself, what a script of libtool stands for, or a copy.
    pub executable: PathBuf,
    /// A copy of that file.
    pub image: PathBuf,
    pub argv0: Vec<u8>,
    pub argv: Vec<Vec<u8>>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub directory: PathBuf,
    pub stdin: Stdin,
    /// Files, directories and links that it named, by absolute path without links, as they were before it named them.
    pub met: BTreeMap<PathBuf, Met>,
    /// Directories to which a path of it climbed with `..`.
    pub climbed: BTreeSet<PathBuf>,
    pub stdout: Stream,
    pub stderr: Stream,
    pub ended: Ended,
    /// What a test case has no place for.
    pub oddities: BTreeSet<Oddity>,
}

/// Standard input as far as the program read it; of a file, all from where it would have begun.
#[derive(Clone, Debug, Default)]
pub struct Stdin {
    pub source: Source,
    pub bytes: Vec<u8>,
    /// There was more than the limit.
    pub cut: bool,
}

/// What a standard stream is connected with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    #[default]
    Closed,
    File,
    /// `/dev/null`.
    Null,
    /// `/dev/full`.
    Full,
    Pipe,
    Socket,
    Terminal,
    Other,
}

/// Standard output or standard error.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    pub source: Source,
    pub bytes: Vec<u8>,
    pub cut: bool,
}

/// What there was at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Met {
    Absent,
    File {
        bytes: Vec<u8>,
        mode: u32,
        /// Device and number, if it has other names.
        several: Option<(u64, u64)>,
    },
    /// With more bytes than the limit.
    Large {
        bytes: u64,
    },
    Directory {
        mode: u32,
    },
    Link(PathBuf),
    /// A pipe, a socket, a device, or something that could not be read.
    Special,
}

/// How an invocation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    Signaled(i32),
    /// It was still running when the suite had ended.
    Left,
}

/// What a test case has no place for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// It read from a descriptor that it had been given, other than standard input.
    Descriptor(i32),
    /// Its working directory had been removed.
    NoDirectory,
    /// Some of what it did could not be seen.
    Unseen(&'static str),
}
