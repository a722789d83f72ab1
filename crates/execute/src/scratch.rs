//! The directory of a run: filled before, looked at after, emptied.
//!
//! In: a test case. Out: its files on disk, and what a run made of them.
//!
//! Always holds: nothing is followed out of the directory: links are read as links, special files are never
//! opened. No run is under way while this module looks or deletes.

use crate::testcase::{Content, FileChange, Output, TestCase};
use crate::Error;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The run's working directory, inside the scratch directory.
const WORK: &str = "work";
/// `TMPDIR` of the run.
const TEMPORARY: &str = "tmp";
const DIRECTORIES: [&str; 2] = [WORK, TEMPORARY];
const STDIN: &str = "stdin";
/// Changed files that are kept, and their bytes in all.
const MAX_CHANGES: usize = 10_000;
const MAX_CHANGED_BYTES: u64 = 64 << 20;
/// Directories that a walk descends.
const MAX_DEPTH: usize = 128;
/// Name, before a number, of directories on their way out.
const TRASH: &str = ".parallax-trash-";
const DIRECTORY_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;
/// Time of the last change of every input file, since 1970: the year 2020.
pub const FILE_TIME: Duration = Duration::from_secs(1_577_836_800);

/// Where a scratch directory lives; held for as long as it is in use.
#[allow(dead_code, reason = "the values are owned, not read")]
enum Home {
    /// A file system of the run's mount namespace, which goes away with it.
    Mount(OwnedFd),
    /// A directory of the host, removed on drop.
    Host(tempfile::TempDir),
}

pub struct Scratch {
    /// As the engine sees it.
    outside: PathBuf,
    /// As the run sees it.
    inside: PathBuf,
    home: Home,
    /// Directories moved to the top so far.
    moved: Cell<u64>,
    /// How many of [`DIRECTORIES`] the last emptying left in place.
    kept: Cell<usize>,
    /// The directory that [`make_temporary`] made, where it is mounted elsewhere too: another in its place would not be.
    temporary: Option<u64>,
    /// Names in that directory that are not the run's.
    foreign: Vec<OsString>,
}

/// Changes found after a run, and whether some are missing.
pub type Changes = (Vec<FileChange>, bool);

impl Scratch {
    /// `foreign`: what stays in the directory for temporary files.
    pub fn mounted(fd: OwnedFd, inside: PathBuf, foreign: Vec<OsString>) -> Scratch {
        let outside = PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()));
        let temporary = fs::symlink_metadata(outside.join(TEMPORARY)).ok().map(|m| m.ino());
        let (moved, kept) = (Cell::new(0), Cell::new(0));
        Scratch { outside, inside, home: Home::Mount(fd), moved, kept, temporary, foreign }
    }

    pub fn on_host(directory: tempfile::TempDir) -> Scratch {
        let outside = directory.path().to_path_buf();
        Scratch {
            inside: outside.clone(),
            outside,
            home: Home::Host(directory),
            moved: Cell::new(0),
            kept: Cell::new(0),
            temporary: None,
            foreign: Vec::new(),
        }
    }

    pub fn working_directory(&self) -> PathBuf {
        self.inside.join(WORK)
    }

    pub fn temporary_directory(&self) -> PathBuf {
        self.inside.join(TEMPORARY)
    }

    pub fn stdin_path(&self) -> PathBuf {
        self.inside.join(STDIN)
    }

    /// Writes the files of a test case.
    pub fn fill(&self, test: &TestCase) -> Result<(), Error> {
        if self.kept.get() < DIRECTORIES.len() {
            for name in DIRECTORIES {
                let made = make_directory(&self.outside.join(name)).or_else(unless_there);
                made.map_err(|e| failed("make", name, e))?;
            }
        }
        write_file(&self.outside.join(STDIN), &test.stdin).map_err(|e| failed("write", STDIN, e))?;
        let work = self.outside.join(WORK);
        for (path, bytes) in &test.files {
            let parents: Vec<&Path> = path.ancestors().skip(1).filter(|p| *p != Path::new("")).collect();
            for parent in parents.into_iter().rev() {
                let made = make_directory(&work.join(parent)).or_else(unless_there);
                made.map_err(|e| failed("make", parent, e))?;
            }
            write_file(&work.join(path), bytes).map_err(|e| failed("write", path, e))?;
        }
        Ok(())
    }

    /// What is different now from what [`Scratch::fill`] wrote.
    pub fn changes(&self, test: &TestCase) -> Changes {
        let mut before: BTreeMap<PathBuf, Option<&[u8]>> = BTreeMap::new();
        for (path, bytes) in &test.files {
            before.insert(path.clone(), Some(bytes));
            for parent in path.ancestors().skip(1).filter(|p| *p != Path::new("")) {
                before.insert(parent.to_path_buf(), None);
            }
        }
        let mut walk = Walk { before, changes: Vec::new(), missing: false, bytes_left: MAX_CHANGED_BYTES };
        walk.directory(&self.outside.join(WORK), Path::new(""), 0);
        let deleted = std::mem::take(&mut walk.before).into_keys().map(|path| FileChange::Deleted { path });
        walk.changes.extend(deleted);
        walk.changes.sort_by(|a, b| a.path().cmp(b.path()));
        (walk.changes, walk.missing)
    }

    /// Removes everything that is in the directory. An error means that it cannot be used again.
    pub fn empty(&self) -> io::Result<()> {
        let mut waiting = Vec::new();
        self.kept.set(0);
        self.clear(&self.outside, &mut waiting)?;
        while let Some(directory) = waiting.pop() {
            self.clear(&directory, &mut waiting)?;
            fs::remove_dir(&directory)?;
        }
        self.check_temporary()
    }

    /// A run that moved away the directory for temporary files, or changed its mode, leaves a view that no other run can have.
    fn check_temporary(&self) -> io::Result<()> {
        let Some(made) = self.temporary else { return Ok(()) };
        match fs::symlink_metadata(self.outside.join(TEMPORARY)) {
            Ok(now) if now.ino() == made => Ok(()),
            _ => Err(io::Error::other("the directory for temporary files is another one now")),
        }
    }

    /// Removes what is in `directory`; directories that are not empty go to the top first, so that no depth
    /// is too much for descriptors, stack or path length.
    fn clear(&self, directory: &Path, waiting: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in readable_directory(directory)? {
            let entry = entry?;
            let path = entry.path();
            if self.foreign.contains(&entry.file_name()) && directory == self.outside.join(TEMPORARY) {
                continue;
            }
            if !entry.file_type()?.is_dir() {
                fs::remove_file(&path)?;
            } else if directory == self.outside && keeps(&entry) {
                self.clear(&path, waiting)?;
                self.kept.set(self.kept.get() + 1);
            } else if fs::remove_dir(&path).is_err() {
                let mut at_top = path.clone();
                if directory != self.outside {
                    // Moving a directory takes the right to write to it.
                    fs::set_permissions(&path, Permissions::from_mode(0o700))?;
                    at_top = self.outside.join(format!("{TRASH}{}", self.moved.get()));
                    self.moved.set(self.moved.get() + 1);
                    fs::rename(&path, &at_top)?;
                }
                waiting.push(at_top);
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if matches!(self.home, Home::Host(_)) {
            // `TempDir` gets past neither depth nor permissions; what is left is its job.
            let _ = self.empty();
        }
    }
}

struct Walk<'a> {
    /// What was there and has not been seen yet; `None` for directories.
    before: BTreeMap<PathBuf, Option<&'a [u8]>>,
    changes: Vec<FileChange>,
    missing: bool,
    bytes_left: u64,
}

impl Walk<'_> {
    fn directory(&mut self, directory: &Path, name: &Path, depth: usize) {
        let Ok(entries) = readable_directory(directory) else {
            self.missing |= depth > 0 || directory.exists();
            return;
        };
        for entry in entries {
            match entry {
                Ok(entry) => self.entry(&entry.path(), &name.join(entry.file_name()), depth),
                Err(_) => self.missing = true,
            }
        }
    }

    fn entry(&mut self, path: &Path, name: &Path, depth: usize) {
        let Ok(metadata) = fs::symlink_metadata(path) else {
            self.missing = true;
            return;
        };
        let mode = metadata.permissions().mode() & 0o7777;
        let kind = metadata.file_type();
        let before = self.before.remove(name);
        let content = if kind.is_file() {
            match self.file(path, metadata.len(), mode) {
                Ok(content) => content,
                Err(_) => {
                    self.missing = true;
                    Content::Other
                }
            }
        } else if kind.is_symlink() {
            fs::read_link(path).map_or(Content::Other, Content::Symlink)
        } else if kind.is_dir() {
            Content::Directory
        } else {
            Content::Other
        };
        let directory = content == Content::Directory;
        self.note(name, mode, content, before);
        if directory {
            if depth < MAX_DEPTH {
                self.directory(path, name, depth + 1);
            } else {
                self.missing = true;
            }
        }
    }

    fn note(&mut self, name: &Path, mode: u32, content: Content, before: Option<Option<&[u8]>>) {
        let same = match (&before, &content) {
            (Some(Some(old)), Content::File(new)) => *old == new.bytes && !new.truncated && mode == FILE_MODE,
            (Some(None), Content::Directory) => true,
            _ => false,
        };
        if same {
            return;
        }
        if self.changes.len() >= MAX_CHANGES {
            self.missing = true;
            return;
        }
        let path = name.to_path_buf();
        self.changes.push(match before {
            Some(_) => FileChange::Modified { path, mode, content },
            None => FileChange::Created { path, mode, content },
        });
    }

    fn file(&mut self, path: &Path, len: u64, mode: u32) -> io::Result<Content> {
        if mode & 0o400 == 0 {
            // The owner may look at what a run made unreadable; `mode` was taken before.
            fs::set_permissions(path, Permissions::from_mode(mode | 0o400))?;
        }
        let mut bytes = Vec::new();
        let file =
            OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
        file.take(self.bytes_left).read_to_end(&mut bytes)?;
        self.bytes_left -= bytes.len() as u64;
        let truncated = (bytes.len() as u64) < len;
        Ok(Content::File(Output { bytes, truncated }))
    }
}

/// Makes the directory for temporary files in a new scratch directory.
pub fn make_temporary(scratch: &Path) -> io::Result<PathBuf> {
    let path = scratch.join(TEMPORARY);
    make_directory(&path)?;
    Ok(path)
}

fn readable_directory(path: &Path) -> io::Result<fs::ReadDir> {
    fs::read_dir(path).or_else(|_| {
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
        fs::read_dir(path)
    })
}

/// Whether this is a directory that the next run needs again, as it was made.
fn keeps(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    DIRECTORIES.iter().any(|d| name == *d)
        && entry.metadata().is_ok_and(|m| m.permissions().mode() & 0o7777 == DIRECTORY_MODE)
}

fn unless_there(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    }
}

fn make_directory(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(DIRECTORY_MODE).create(path)?;
    // Whatever the umask is, runs see the same mode.
    fs::set_permissions(path, Permissions::from_mode(DIRECTORY_MODE))
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path)?;
    file.set_permissions(Permissions::from_mode(FILE_MODE))?;
    file.write_all(bytes)?;
    // Programs print it (`diff -u`), and every run is to see the same.
    file.set_modified(SystemTime::UNIX_EPOCH + FILE_TIME)
}

fn failed(action: &'static str, path: impl AsRef<Path>, source: io::Error) -> Error {
    Error::Scratch { action, path: path.as_ref().to_path_buf(), source }
}
