//! The directory of a run: filled before, looked at after, emptied.
//!
//! In: a test case. Out: its files on disk, its standard streams, and what a run made of them.
//!
//! Always holds: everything is done below one directory through descriptors ([`crate::beneath`]): links are read as links,
//! special files are never opened, and what was put in the place of a directory of ours is not taken for it. No process of a run
//! is under way while this module looks or deletes: all are dead, or, of a stage, stopped.

use crate::beneath::{Dir, Stat};
use crate::layout::{self, Before};
use crate::streams::Streams;
use crate::testcase::{Content, FileChange, Limits, Output, TestCase};
use crate::Error;
use parallax_trace::control::STREAMS;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The run's working directory, inside the scratch directory.
const WORK: &str = "work";
/// `TMPDIR` of the run.
const TEMPORARY: &str = "tmp";
const DIRECTORIES: [&str; 2] = [WORK, TEMPORARY];
/// Directories that a walk descends.
const MAX_DEPTH: usize = 128;
/// Name, before a number, of directories on their way out.
const TRASH: &str = ".parallax-trash-";
pub(crate) const DIRECTORY_MODE: u32 = 0o755;
pub(crate) const FILE_MODE: u32 = 0o644;
/// Time of the last change of every input file, since 1970: the year 2020.
pub const FILE_TIME: Duration = Duration::from_secs(1_577_836_800);

pub struct Scratch {
    top: Dir,
    /// As the run sees it.
    inside: PathBuf,
    /// Standard input, output and error of the runs.
    pub streams: Streams,
    /// A directory of the host, removed on drop; none where it is a file system of the run's mount namespace, which
    /// goes away with that.
    host: Option<tempfile::TempDir>,
    /// Directories moved to the top so far.
    moved: Cell<u64>,
    /// How many of [`DIRECTORIES`] the last emptying left in place.
    kept: Cell<usize>,
    /// The directory that [`make_temporary`] made, where it is mounted elsewhere too: another in its place would not be.
    temporary: Option<(u64, u64)>,
    /// Names in that directory that are not the run's.
    foreign: Vec<OsString>,
}

/// Changes found after a run, and whether some are missing.
pub type Changes = (Vec<FileChange>, bool);

impl Scratch {
    /// `foreign`: what stays in the directory for temporary files.
    pub fn mounted(fd: OwnedFd, inside: PathBuf, foreign: Vec<OsString>) -> io::Result<Scratch> {
        let top = Dir::new(fd)?;
        let temporary = Some(top.stat(OsStr::new(TEMPORARY))?.identity);
        Scratch::new(top, inside, None, temporary, foreign)
    }

    pub fn on_host(directory: tempfile::TempDir) -> io::Result<Scratch> {
        let top = Dir::at(directory.path())?;
        top.make_dir(OsStr::new(STREAMS), DIRECTORY_MODE)?;
        let inside = directory.path().to_path_buf();
        Scratch::new(top, inside, Some(directory), None, Vec::new())
    }

    fn new(
        top: Dir,
        inside: PathBuf,
        host: Option<tempfile::TempDir>,
        temporary: Option<(u64, u64)>,
        foreign: Vec<OsString>,
    ) -> io::Result<Scratch> {
        let streams = Streams::make(&top)?;
        let (moved, kept) = (Cell::new(0), Cell::new(0));
        Ok(Scratch { top, inside, streams, host, moved, kept, temporary, foreign })
    }

    pub fn working_directory(&self) -> PathBuf {
        self.inside.join(WORK)
    }

    pub fn temporary_directory(&self) -> PathBuf {
        self.inside.join(TEMPORARY)
    }

    pub fn streams_directory(&self) -> PathBuf {
        self.inside.join(STREAMS)
    }

    /// Writes the files of a test case.
    pub fn fill(&self, test: &TestCase) -> Result<(), Error> {
        if self.kept.get() < DIRECTORIES.len() {
            for name in DIRECTORIES {
                let made = self.top.make_dir(OsStr::new(name), DIRECTORY_MODE).or_else(unless_there);
                made.map_err(|e| failed("make", name, e))?;
            }
        }
        self.streams.fill(&test.stdin).map_err(|e| failed("write", "standard input", e))?;
        if test.files.is_empty() && test.layout.is_empty() {
            return Ok(());
        }
        let work = self.top.open_dir(OsStr::new(WORK)).map_err(|e| failed("open", WORK, e))?;
        test.layout.make_directories(&work).map_err(|e| failed("make", "directories of the test case", e))?;
        for (path, bytes) in &test.files {
            write_below(&work, path, bytes).map_err(|e| failed("write", path, e))?;
        }
        test.layout.finish(&work).map_err(|e| failed("make", "links and modes of the test case", e))
    }

    /// What is different now from what [`Scratch::fill`] wrote, as far as the limits let it be looked at.
    pub fn changes(&self, test: &TestCase, limits: &Limits) -> Changes {
        let before = layout::before(test);
        let (most, bytes_left) = (limits.changed_files, limits.changed_bytes);
        let mut walk = Walk { before, changes: Vec::new(), missing: false, most, bytes_left };
        match self.top.open_dir(OsStr::new(WORK)) {
            Ok(work) => walk.directory(&work, Path::new(""), 0),
            // A run may have removed its directory; something else in its place is not looked at.
            Err(_) => walk.missing = self.top.stat(OsStr::new(WORK)).is_ok(),
        }
        let deleted = std::mem::take(&mut walk.before).into_keys().map(|path| FileChange::Deleted { path });
        walk.changes.extend(deleted);
        walk.changes.sort_by(|a, b| a.path().cmp(b.path()));
        (walk.changes, walk.missing)
    }

    /// Removes everything that is in the directory. An error means that it cannot be used again.
    pub fn empty(&mut self) -> io::Result<()> {
        let mut waiting = Vec::new();
        self.kept.set(0);
        self.top.keep_mode(DIRECTORY_MODE)?;
        self.streams.mend(&self.top)?;
        self.mend_temporary()?;
        self.clear_top(&mut waiting)?;
        while let Some(name) = waiting.pop() {
            self.clear(&self.top.open_dir(&name)?, &[], &mut waiting)?;
            self.top.remove_dir(&name)?;
        }
        Ok(())
    }

    /// The directory for temporary files is put back in its place if a run has moved it, because it is mounted elsewhere too. One that
    /// has gone further away than beside its place is not looked for: no other run can have this view.
    fn mend_temporary(&self) -> io::Result<()> {
        let Some(made) = self.temporary else { return Ok(()) };
        let name = OsStr::new(TEMPORARY);
        let there = self.top.stat(name);
        if !there.as_ref().is_ok_and(|now| now.identity == made) {
            let is_it = |other: &OsString| self.top.stat(other).is_ok_and(|stat| stat.identity == made);
            let lost = || io::Error::other("the directory for temporary files is gone");
            let moved = self.top.names()?.into_iter().find(is_it).ok_or_else(lost)?;
            match there {
                Ok(stat) if stat.is_dir() => self.top.move_dir(name, &self.top, &self.new_trash())?,
                Ok(_) => self.top.remove_file(name)?,
                Err(_) => {}
            }
            self.top.move_dir(&moved, &self.top, name)?;
        }
        if self.top.stat(name)?.mode != DIRECTORY_MODE {
            self.top.set_dir_mode(name, DIRECTORY_MODE)?;
        }
        Ok(())
    }

    /// A name for a directory on its way out.
    fn new_trash(&self) -> OsString {
        self.moved.set(self.moved.get() + 1);
        OsString::from(format!("{TRASH}{}", self.moved.get()))
    }

    fn clear_top(&self, waiting: &mut Vec<OsString>) -> io::Result<()> {
        for name in self.top.names()? {
            let stat = self.top.stat(&name)?;
            if name == STREAMS {
                continue;
            }
            if !stat.is_dir() {
                self.top.remove_file(&name)?;
            } else if keeps(&name, &stat) {
                let foreign = if name == TEMPORARY { self.foreign.as_slice() } else { &[] };
                self.clear(&self.top.open_dir(&name)?, foreign, waiting)?;
                self.kept.set(self.kept.get() + 1);
            } else if self.top.remove_dir(&name).is_err() {
                waiting.push(name);
            }
        }
        Ok(())
    }

    /// Removes what is in `directory` but for `foreign`; directories that are not empty go to the top first, so that no depth
    /// is too much for descriptors or stack.
    fn clear(&self, directory: &Dir, foreign: &[OsString], waiting: &mut Vec<OsString>) -> io::Result<()> {
        for name in directory.names()? {
            if foreign.contains(&name) {
                continue;
            }
            if !directory.stat(&name)?.is_dir() {
                directory.remove_file(&name)?;
            } else if directory.remove_dir(&name).is_err() {
                let at_top = self.new_trash();
                directory.move_dir(&name, &self.top, &at_top)?;
                waiting.push(at_top);
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.host.is_some() {
            // `TempDir` gets past neither depth nor permissions; what is left is its job.
            let _ = self.empty();
        }
    }
}

struct Walk<'a> {
    /// What was there and has not been seen yet.
    before: BTreeMap<PathBuf, Before<'a>>,
    changes: Vec<FileChange>,
    missing: bool,
    /// Most changes.
    most: usize,
    bytes_left: u64,
}

impl Walk<'_> {
    fn directory(&mut self, directory: &Dir, name: &Path, depth: usize) {
        let Ok(entries) = directory.names() else {
            self.missing = true;
            return;
        };
        for entry in entries {
            self.entry(directory, &entry, &name.join(&entry), depth);
        }
    }

    fn entry(&mut self, directory: &Dir, entry: &OsStr, name: &Path, depth: usize) {
        let Ok(stat) = directory.stat(entry) else {
            self.missing = true;
            return;
        };
        let before = self.before.remove(name);
        let content = if stat.is_file() {
            self.file(directory, entry).unwrap_or_else(|_| {
                self.missing = true;
                Content::Other
            })
        } else if stat.is_link() {
            directory.read_link(entry).map_or(Content::Other, Content::Symlink)
        } else if stat.is_dir() {
            Content::Directory
        } else {
            Content::Other
        };
        self.note(name, stat.mode, content, before);
        if stat.is_dir() {
            match directory.open_dir(entry) {
                Ok(inner) if depth < MAX_DEPTH => self.directory(&inner, name, depth + 1),
                _ => self.missing = true,
            }
        }
    }

    fn note(&mut self, name: &Path, mode: u32, content: Content, before: Option<Before>) {
        if before.is_some_and(|before| before.is(mode, &content)) {
            return;
        }
        if self.changes.len() >= self.most {
            self.missing = true;
            return;
        }
        let path = name.to_path_buf();
        self.changes.push(match before {
            Some(_) => FileChange::Modified { path, mode, content },
            None => FileChange::Created { path, mode, content },
        });
    }

    fn file(&mut self, directory: &Dir, entry: &OsStr) -> io::Result<Content> {
        let (file, stat) = directory.open_file(entry)?;
        let mut bytes = Vec::new();
        file.take(self.bytes_left).read_to_end(&mut bytes)?;
        self.bytes_left -= bytes.len() as u64;
        let truncated = (bytes.len() as u64) < stat.len;
        Ok(Content::File(Output { bytes, truncated }))
    }
}

/// Makes the directory for temporary files in a new scratch directory.
pub fn make_temporary(scratch: &Path) -> io::Result<PathBuf> {
    make_named(scratch, TEMPORARY)
}

/// The same for the directory of the standard streams.
pub fn make_streams(scratch: &Path) -> io::Result<PathBuf> {
    make_named(scratch, STREAMS)
}

/// Before the first run, when nobody else can have put anything there.
fn make_named(scratch: &Path, name: &str) -> io::Result<PathBuf> {
    Dir::at(scratch)?.make_dir(OsStr::new(name), DIRECTORY_MODE)?;
    Ok(scratch.join(name))
}

/// Whether this is a directory that the next run needs again, as it was made.
fn keeps(name: &OsStr, stat: &Stat) -> bool {
    DIRECTORIES.iter().any(|d| name == *d) && stat.mode == DIRECTORY_MODE
}

fn unless_there(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    }
}

/// A file of a test case and the directories on the way to it.
fn write_below(work: &Dir, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = work.make_path(path.parent().unwrap_or(Path::new("")), DIRECTORY_MODE)?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut file = parent.as_ref().unwrap_or(work).create_file(name, FILE_MODE)?;
    file.write_all(bytes)?;
    set_time(&file)
}

/// Programs print it (`diff -u`), and every run is to see the same.
pub(crate) fn set_time(file: &fs::File) -> io::Result<()> {
    file.set_modified(SystemTime::UNIX_EPOCH + FILE_TIME)
}

fn failed(action: &'static str, path: impl AsRef<Path>, source: io::Error) -> Error {
    Error::Scratch { action, path: path.as_ref().to_path_buf(), source }
}
