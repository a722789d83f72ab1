//! What lies in a run's directory besides the bytes of its files: directories, links, modes, and where the run begins.
//!
//! In: paths relative to the run's directory. Out: the same on disk, made through descriptors ([`crate::beneath`]), and what a run
//! changed of it.
//!
//! Always holds: every path stays inside the run's directory, those of links that are made there too; what a symbolic link leads to is
//! the program's business, which is confined.

use crate::beneath::Dir;
use crate::scratch::{DIRECTORY_MODE, FILE_MODE};
use crate::testcase::{check_path, Content, TestCase};
use crate::Error;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Permission bits that a test case may ask for.
const MODES: u32 = 0o7777;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// To a path, whether anything is there or not.
    Symbolic(PathBuf),
    /// Another name of this file of the test case.
    Hard(PathBuf),
}

/// Everything in a run's directory but the bytes of its files.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layout {
    /// Directories that are there, whether anything lies in them or not. Those on the way to files need not be named.
    pub directories: Vec<PathBuf>,
    pub links: Vec<(PathBuf, Link)>,
    /// Permission bits of files and directories, where they are not the usual ones.
    pub modes: Vec<(PathBuf, u32)>,
    /// Where the program starts; empty for the run's directory itself.
    pub working_directory: PathBuf,
}

impl Layout {
    pub fn is_empty(&self) -> bool {
        *self == Layout::default()
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let hard = self.links.iter().filter_map(|(_, link)| match link {
            Link::Hard(to) => Some(to),
            Link::Symbolic(_) => None,
        });
        let places = self.links.iter().map(|(path, _)| path).chain(self.modes.iter().map(|(path, _)| path));
        places.chain(hard).chain(&self.directories).try_for_each(|path| check_path(path))?;
        if !self.working_directory.as_os_str().is_empty() {
            check_path(&self.working_directory)?;
        }
        match self.modes.iter().find(|(_, mode)| mode & !MODES != 0) {
            Some((path, mode)) => {
                Err(Error::TestCase { reason: format!("{path:?}: {mode:o} is not a mode") })
            }
            None => Ok(()),
        }
    }

    /// Directories, before files are written.
    pub(crate) fn make_directories(&self, work: &Dir) -> io::Result<()> {
        let places = self.directories.iter().chain([&self.working_directory]);
        places
            .filter(|path| !path.as_os_str().is_empty())
            .try_for_each(|path| work.make_path(path, DIRECTORY_MODE).map(drop))
    }

    /// Links and modes, once the files are there. Modes come last, those of deep places first: nothing has to be made in a directory
    /// that forbids it.
    pub(crate) fn finish(&self, work: &Dir) -> io::Result<()> {
        for (path, link) in &self.links {
            let (parent, name) = place(work, path)?;
            let parent = parent.as_ref().unwrap_or(work);
            match link {
                Link::Symbolic(target) => parent.make_link(name, target)?,
                Link::Hard(file) => {
                    let (other, other_name) = place(work, file)?;
                    other.as_ref().unwrap_or(work).make_hard_link(other_name, parent, name)?;
                }
            }
        }
        let mut modes: Vec<_> = self.modes.iter().collect();
        modes.sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
        for (path, mode) in modes {
            let (parent, name) = place(work, path)?;
            parent.as_ref().unwrap_or(work).set_mode(name, *mode)?;
        }
        Ok(())
    }
}

/// The directory of a path, made if it is not there (none: `work` itself), and its name in it.
fn place<'p>(work: &Dir, path: &'p Path) -> io::Result<(Option<Dir>, &'p std::ffi::OsStr)> {
    let parent = work.make_path(path.parent().unwrap_or(Path::new("")), DIRECTORY_MODE)?;
    Ok((parent, path.file_name().ok_or(io::ErrorKind::InvalidInput)?))
}

/// What was at a path before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before<'t> {
    File {
        bytes: &'t [u8],
        mode: u32,
    },
    /// With the mode that was asked for, if one was.
    Directory {
        mode: Option<u32>,
    },
    Link(&'t Path),
}

impl Before<'_> {
    /// Is this what there is now?
    pub fn is(&self, mode: u32, content: &Content) -> bool {
        match (self, content) {
            (Before::File { bytes, mode: old }, Content::File(new)) => {
                *bytes == new.bytes && !new.truncated && mode == *old
            }
            (Before::Directory { mode: old }, Content::Directory) => old.is_none_or(|old| mode == old),
            (Before::Link(target), Content::Symlink(now)) => *target == now,
            _ => false,
        }
    }
}

/// Everything that a test case puts into a run's directory, by path.
pub(crate) fn before(test: &TestCase) -> BTreeMap<PathBuf, Before<'_>> {
    let layout = &test.layout;
    let mut all = BTreeMap::new();
    let mode = |path: &Path| layout.modes.iter().find(|(p, _)| p == path).map(|(_, mode)| *mode);
    let parents = |all: &mut BTreeMap<_, _>, path: &Path| {
        for parent in path.ancestors().filter(|p| *p != Path::new("")) {
            all.entry(parent.to_owned()).or_insert(Before::Directory { mode: mode(parent) });
        }
    };
    for path in layout.directories.iter().chain([&layout.working_directory]) {
        parents(&mut all, path);
    }
    let file = |path: &Path, bytes| Before::File { bytes, mode: mode(path).unwrap_or(FILE_MODE) };
    for (path, bytes) in &test.files {
        parents(&mut all, path.parent().unwrap_or(Path::new("")));
        all.insert(path.clone(), file(path, bytes));
    }
    for (path, link) in &layout.links {
        parents(&mut all, path.parent().unwrap_or(Path::new("")));
        let target = match link {
            Link::Symbolic(target) => Some(Before::Link(target)),
            Link::Hard(to) => all.get(to).copied(),
        };
        all.extend(target.map(|target| (path.clone(), target)));
    }
    all
}
