//! Files outside the private copy that a build looked at, and whether they are still as they were.
//!
//! In: what a command looked at ([`crate::observe`]). Out: a list that can be kept, and compared with the machine later.
//!
//! What always holds: a list that holds today means that the same command would read the same bytes again. What is not in it: the
//! cache itself (the private copy lies there, and is named by its content), what the command made itself, and the kernel's own files
//! (`/proc`, `/sys`, `/dev`). A file whose size, times and number are the same is not read again: its time of change cannot be set.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::cache::hash_file;
use crate::observe::Seen;

/// Places that hold no files but the state of the machine.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];
/// File systems tell the time of a change no more exactly than this.
const CLOCK_STEP: Duration = Duration::from_millis(20);

/// What was looked at, by path (as bytes in hexadecimal where it is no text).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs(BTreeMap<String, State>);

/// What was found at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Absent,
    /// There, of this kind; what is in it was not read.
    There(Sort),
    File {
        hash: String,
        stamp: Option<Stamp>,
    },
    /// Hash of the names in it.
    Listed(String),
    /// It could not be read.
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sort {
    File,
    Directory,
    Other,
}

/// Tells one content of a file from another without reading it: device, number, size, times of content and of anything.
type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

impl Inputs {
    /// What a command looked at that ran since `began` with its private copy below `cache`. `None` if it cannot be told what it
    /// read, because somebody changed a file meanwhile.
    pub fn of(seen: &Seen, cache: &Path, began: SystemTime) -> Option<Inputs> {
        let cache = cache.canonicalize().unwrap_or_else(|_| cache.to_path_buf());
        let mut inputs = BTreeMap::new();
        for (path, usage) in seen {
            if usage.made || !counts(path, &cache) {
                continue;
            }
            let state = State::of(path, usage.read, began);
            if let State::File { stamp: None, .. } = state {
                return None;
            }
            inputs.insert(to_text(path)?, state);
        }
        Some(Inputs(inputs))
    }

    /// Is everything as it was?
    pub fn hold(&self) -> bool {
        self.0.iter().all(|(path, state)| state.holds(Path::new(path)))
    }
}

/// Paths that are no text are not kept: such a build is made again.
fn to_text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_string)
}

fn counts(path: &Path, cache: &Path) -> bool {
    // What does not exist lies where the nearest directory above it lies.
    let real = path.ancestors().find_map(|above| above.canonicalize().ok());
    let real = real.unwrap_or_else(|| path.to_path_buf());
    !real.starts_with(cache) && !KERNEL.iter().any(|place| real.starts_with(place))
}

impl State {
    fn of(path: &Path, read: bool, began: SystemTime) -> State {
        let Ok(metadata) = path.metadata() else { return State::Absent };
        let sort = Sort::of(&metadata);
        match (read, sort) {
            (true, Sort::File) => match hash_file(path) {
                Ok(hash) => {
                    State::File { hash, stamp: stamp(&metadata).filter(|_| is_older(&metadata, began)) }
                }
                Err(_) => State::Closed,
            },
            (true, Sort::Directory) => listing(path).map_or(State::Closed, State::Listed),
            _ => State::There(sort),
        }
    }

    fn holds(&self, path: &Path) -> bool {
        let found = path.metadata();
        match (self, found) {
            (State::Absent, found) => found.is_err(),
            (_, Err(_)) => false,
            (State::There(sort), Ok(found)) => *sort == Sort::of(&found),
            (State::File { hash, stamp: was }, Ok(found)) => {
                let same = was.is_some() && *was == stamp(&found);
                same || (found.is_file() && hash_file(path).is_ok_and(|now| now == *hash))
            }
            (State::Listed(names), Ok(_)) => listing(path).is_some_and(|now| now == *names),
            (State::Closed, Ok(found)) => !found.is_file() || hash_file(path).is_err(),
        }
    }
}

impl Sort {
    fn of(metadata: &Metadata) -> Sort {
        match metadata.file_type() {
            kind if kind.is_file() => Sort::File,
            kind if kind.is_dir() => Sort::Directory,
            _ => Sort::Other,
        }
    }
}

fn stamp(metadata: &Metadata) -> Option<Stamp> {
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    Some((metadata.dev(), metadata.ino(), metadata.size(), modified, changed))
}

/// Did the last change happen before?
fn is_older(metadata: &Metadata, began: SystemTime) -> bool {
    let changed = Duration::new(metadata.ctime().max(0) as u64, metadata.ctime_nsec() as u32);
    SystemTime::UNIX_EPOCH + changed + CLOCK_STEP < began
}

/// Hash of the names in a directory.
fn listing(path: &Path) -> Option<String> {
    let mut names: Vec<_> =
        fs::read_dir(path).ok()?.map(|e| e.map(|e| e.file_name())).collect::<Result<_, _>>().ok()?;
    names.sort();
    let mut hasher = blake3::Hasher::new();
    for name in names {
        hasher.update(name.as_bytes()).update(&[0]);
    }
    Some(hasher.finalize().to_hex().to_string())
}
