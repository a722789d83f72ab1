//! Standard input, output and error of the runs: files in a directory of their own.
//!
//! In: what a run is to read. Out: what it printed.
//!
//! A run opens them by name, anew for every run, so that no descriptor has to be kept open in it, and so that no run finds offsets,
//! flags or locks that another one left. The engine holds descriptors of its own: what a run does to the names
//! changes nothing about what is read.
//!
//! Always holds: before a run the names are those of the files that the engine holds, and output and error are empty.

use crate::beneath::{Dir, Stat};
use crate::scratch::{set_time, DIRECTORY_MODE, FILE_MODE};
use crate::{Error, Output};
use parallax_trace::control::{STREAMS, STREAM_NAMES};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

pub struct Streams {
    directory: Dir,
    identity: (u64, u64),
    files: [(File, Stat); 3],
}

impl Streams {
    /// In a scratch directory in which no run has been yet.
    pub fn make(top: &Dir) -> io::Result<Streams> {
        let identity = top.stat(OsStr::new(STREAMS))?.identity;
        let directory = top.open_dir(OsStr::new(STREAMS))?;
        let files = make_files(&directory)?;
        Ok(Streams { directory, identity, files })
    }

    /// Makes the files anew if a run has changed anything about them. An error: this directory is not for another run.
    pub fn mend(&mut self, top: &Dir) -> io::Result<()> {
        if self.check(top).is_ok() {
            return Ok(());
        }
        if top.stat(OsStr::new(STREAMS))?.identity != self.identity {
            return Err(io::Error::other("the directory of the standard streams is another one now"));
        }
        self.directory.keep_mode(DIRECTORY_MODE)?;
        for name in self.directory.names()? {
            // A directory that is not empty stays, and is an error.
            self.directory.remove_file(&name).or_else(|_| self.directory.remove_dir(&name))?;
        }
        self.files = make_files(&self.directory)?;
        Ok(())
    }

    /// For the next run.
    pub fn fill(&self, stdin: &[u8]) -> io::Result<()> {
        for (file, _) in &self.files {
            if file.metadata()?.len() > 0 {
                file.set_len(0)?;
            }
        }
        let (input, _) = &self.files[0];
        input.write_all_at(stdin, 0)?;
        set_time(input)
    }

    /// Is everything still what it was, and nothing added?
    fn check(&self, top: &Dir) -> io::Result<()> {
        let changed = || Err(io::Error::other("a run changed the files of its standard streams"));
        if top.stat(OsStr::new(STREAMS))?.identity != self.identity {
            return changed();
        }
        let names = self.directory.names()?;
        if names.len() != STREAM_NAMES.len() {
            return changed();
        }
        for (name, (_, made)) in STREAM_NAMES.iter().zip(&self.files) {
            let now = self.directory.stat(OsStr::new(name))?;
            if now.identity != made.identity || now.mode != made.mode {
                return changed();
            }
        }
        Ok(())
    }

    /// At most `limit` bytes of what was printed (0: all), and how many there were.
    pub fn stdout(&self, limit: u64) -> Result<(Output, u64), Error> {
        captured(&self.files[1].0, limit)
    }

    pub fn stderr(&self, limit: u64) -> Result<(Output, u64), Error> {
        captured(&self.files[2].0, limit)
    }
}

/// In a directory without any.
fn make_files(directory: &Dir) -> io::Result<[(File, Stat); 3]> {
    let make = |name: &str| {
        let file = directory.create_file(OsStr::new(name), FILE_MODE)?;
        Ok::<_, io::Error>((file, directory.stat(OsStr::new(name))?))
    };
    Ok([make(STREAM_NAMES[0])?, make(STREAM_NAMES[1])?, make(STREAM_NAMES[2])?])
}

fn captured(file: &File, limit: u64) -> Result<(Output, u64), Error> {
    let failed = |source| Error::Setup { what: "the captured output", source };
    let len = file.metadata().map_err(failed)?.len();
    let kept = if limit == 0 { len } else { len.min(limit) };
    let mut bytes = vec![0; kept as usize];
    file.read_exact_at(&mut bytes, 0).map_err(failed)?;
    Ok((Output { bytes, truncated: kept < len }, len))
}
