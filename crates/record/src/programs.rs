//! Which executions are invocations of a program that is to be recorded.
//!
//! In: what the user named, or the tree; a process that has just executed something. Out: the program, if it is one.
//!
//! A program is known by the file that runs, whatever it was called: at its own path (a program that the suite builds first is known as soon as it is there), at
//! the places where libtool puts what its scripts stand for, under another name of the same file, or as a copy with the same content.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;
use parallax_build::{is_probe, tools};

use crate::meet::is_of_the_machine;

/// The programs to record.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Absolute paths; the files need not be there yet.
    pub paths: Vec<PathBuf>,
    /// Names of files anywhere in the tree.
    pub names: Vec<OsString>,
}

impl Wanted {
    /// Every program of the tree.
    fn is_any(&self) -> bool {
        self.paths.is_empty() && self.names.is_empty()
    }
}

/// What an invocation executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// As its user calls it.
    pub name: PathBuf,
    /// The file.
    pub executable: PathBuf,
    /// A copy of it that stays as it is, once it has been executed.
    pub image: PathBuf,
}

/// The same file, unchanged.
type Stamp = (PathBuf, u64, u64, u64, i64, i64);

pub struct Programs {
    wanted: Wanted,
    tree: PathBuf,
    /// Files of programs in the tree, for recognising copies.
    originals: Vec<Program>,
    known: HashMap<Stamp, Option<Program>>,
    /// Where copies of programs go, and how many there are.
    images: PathBuf,
    copies: usize,
}

impl Programs {
    /// `there`: where the tree lies for this process, which starts the suite; `images`: a directory for copies of programs.
    pub fn new(wanted: &Wanted, tree: &Path, there: &Path, images: &Path) -> Programs {
        let mut programs = Programs {
            wanted: wanted.clone(),
            tree: tree.to_owned(),
            originals: Vec::new(),
            known: HashMap::new(),
            images: images.to_owned(),
            copies: 0,
        };
        for path in &wanted.paths {
            let files = places(path).into_iter();
            programs.originals.extend(files.map(|executable| Program {
                name: path.clone(),
                executable,
                image: PathBuf::new(),
            }));
        }
        for entry in walkdir::WalkDir::new(there).sort_by_file_name().into_iter().flatten() {
            if entry.file_type().is_file() && tools::is_executable(entry.path()) && is_elf(entry.path()) {
                // Paths of the walk begin with its root.
                let relative = entry.path().strip_prefix(there).unwrap_or(entry.path());
                programs.originals.extend(programs.at(&tree.join(relative)));
            }
        }
        programs
    }

    /// The program that a process has just executed, if it is one.
    pub fn of(&mut self, pid: Pid) -> Option<Program> {
        let image = PathBuf::from(format!("/proc/{pid}/exe"));
        let path = without_deleted(&fs::read_link(&image).ok()?);
        let metadata = fs::metadata(&image).ok()?;
        let stamp = stamp(path, &metadata);
        if let Some(known) = self.known.get(&stamp) {
            return known.clone();
        }
        let root = PathBuf::from(format!("/proc/{pid}/root"));
        let here = self.at(&stamp.0);
        // A file of the tree that was not there at the beginning may be a copy of one that was.
        let is_new = self.wanted.is_any() && !self.originals.iter().any(|known| known.executable == stamp.0);
        let copied = || self.copied(&image, &metadata, &root);
        let program = if is_new { copied().or(here) } else { here.or_else(copied) };
        let program = program.map(|program| self.with_image(program, &image));
        self.originals.extend(program.clone().filter(|program| !self.originals.contains(program)));
        self.known.insert(stamp, program.clone());
        program
    }

    /// The suite may overwrite or remove the file. Without room for a copy, the file itself is what there is.
    fn with_image(&mut self, program: Program, image: &Path) -> Program {
        if !program.image.as_os_str().is_empty() {
            return program;
        }
        self.copies += 1;
        let directory = self.images.join(self.copies.to_string());
        let to = directory.join(as_called(&program.executable).file_name().unwrap_or_default());
        let copied = fs::create_dir_all(&directory).and_then(|()| fs::copy(image, &to));
        Program { image: if copied.is_ok() { to } else { program.executable.clone() }, ..program }
    }

    /// What a path says.
    fn at(&self, path: &Path) -> Option<Program> {
        let named = self.wanted.paths.iter().find(|wanted| places(wanted).iter().any(|place| place == path));
        if let Some(name) = named {
            return Some(Program { name: name.clone(), executable: path.to_owned(), image: PathBuf::new() });
        }
        let name = as_called(path);
        let is_wanted = self.wanted.is_any()
            || name.file_name().is_some_and(|n| self.wanted.names.iter().any(|w| w == n));
        let counts = is_wanted && path.starts_with(&self.tree) && !is_probe(path, &self.tree);
        counts.then(|| Program { name, executable: path.to_owned(), image: PathBuf::new() })
    }

    /// Another file with the content of one of the programs.
    fn copied(&self, image: &Path, metadata: &Metadata, root: &Path) -> Option<Program> {
        let path = fs::read_link(image).ok()?;
        let is_machine = is_of_the_machine(&path, &self.tree);
        let same = |program: &&Program| {
            let original = root.join(program.executable.strip_prefix("/").unwrap_or(&program.executable));
            // What belongs to the machine is no copy of anything, but a program that belongs to it may have been named.
            let comparable = !is_machine || is_of_the_machine(&program.executable, &self.tree);
            comparable
                && fs::metadata(&original).is_ok_and(|original| original.len() == metadata.len())
                && fs::read(&original).is_ok_and(|bytes| fs::read(image).is_ok_and(|image| image == bytes))
        };
        self.originals.iter().find(same).cloned()
    }
}

/// Where the file is that a path stands for.
fn places(path: &Path) -> Vec<PathBuf> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let libtool = directory.join(".libs");
    let relinked = libtool.join([OsStr::new("lt-"), name].join(OsStr::new("")));
    vec![path.to_owned(), relinked, libtool.join(name)]
}

/// The script that libtool leaves stands beside its `.libs`.
fn as_called(path: &Path) -> PathBuf {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    match directory.parent() {
        Some(above) if directory.ends_with(".libs") => {
            above.join(OsStr::from_bytes(name.as_bytes().strip_prefix(b"lt-").unwrap_or(name.as_bytes())))
        }
        _ => path.to_owned(),
    }
}

fn stamp(path: PathBuf, metadata: &Metadata) -> Stamp {
    (path, metadata.dev(), metadata.ino(), metadata.len(), metadata.mtime_nsec(), metadata.ctime_nsec())
}

fn is_elf(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 4];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"\x7fELF"
}

fn without_deleted(path: &Path) -> PathBuf {
    let bytes = path.as_os_str().as_bytes();
    let bytes = bytes.strip_suffix(b" (deleted)").unwrap_or(bytes);
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libtool_made_has_the_name_of_its_script() {
        assert_eq!(as_called(Path::new("/t/src/.libs/lt-p")), Path::new("/t/src/p"));
        assert_eq!(as_called(Path::new("/t/src/.libs/p")), Path::new("/t/src/p"));
        assert_eq!(as_called(Path::new("/t/src/lt-p")), Path::new("/t/src/lt-p"));
        assert!(places(Path::new("/t/p")).contains(&PathBuf::from("/t/.libs/lt-p")));
    }
}
