//! The directory that holds the results of a comparison.
//!
//! In: a name. Out: a directory that is this process's alone ([`OutDir::claim`]), and, once there is something to write, a fresh one
//! ([`Claim::begin`]); one of an earlier run becomes `NAME.old`.
//!
//! Always holds: only directories that Parallax made are moved or removed. A file of the directory, and a kept test, is there with
//! all its content or as it was before. No two processes write to one directory: the lock is on the directory itself, so that
//! nothing has to be cleaned up and a killed process holds nothing.

use serde::Serialize;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What makes a directory one of ours.
const MARK: &str = "run.json";
/// Files on their way are named `.NAME.new`.
const UNFINISHED: &str = ".new";
/// How often a directory that other processes move away is opened again.
const ATTEMPTS: usize = 16;

#[derive(Debug, thiserror::Error)]
pub enum OutDirError {
    #[error("cannot write {path}: {source}{}", advice(.source), path = .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(
        "{path}: exists and holds no result of Parallax; name another directory with --out",
        path = .0.display()
    )]
    Foreign(PathBuf),
    #[error(
        "{path}: another run of Parallax{} writes its results there; wait for it, or name another directory with --out",
        holder(.pid),
        path = .path.display()
    )]
    Busy { path: PathBuf, pid: Option<u32> },
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; make room there, or name a directory on another disk with --out"
        }
        _ => "",
    }
}

fn holder(pid: &Option<u32>) -> String {
    pid.map_or(String::new(), |pid| format!(" (process {pid})"))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> OutDirError + '_ {
    move |source| OutDirError::File { path: path.to_owned(), source }
}

/// A directory that no other process may write to, as it was found.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    directory: File,
    /// There was none: it goes away again if nothing comes of the run.
    made: bool,
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.made {
            // Fails if there is something in it, and then it is to stay.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// An output directory.
#[derive(Clone, Debug)]
pub struct OutDir {
    path: PathBuf,
    _lock: Arc<File>,
}

impl OutDir {
    /// Makes sure that nobody else writes to the directory, and that it may be replaced.
    pub fn claim(path: &Path) -> Result<Claim, OutDirError> {
        for _ in 0..ATTEMPTS {
            let made = match path.symlink_metadata() {
                Ok(_) => false,
                Err(_) => {
                    fs::create_dir_all(path).map_err(failed(path))?;
                    true
                }
            };
            if !path.is_dir() {
                return Err(OutDirError::Foreign(path.to_owned()));
            }
            let directory = lock(path)?;
            // Somebody may have moved it away between opening and locking.
            if is_at(&directory, path) {
                let claim = Claim { path: path.to_owned(), directory, made };
                claim.check_what_is_there()?;
                return Ok(claim);
            }
        }
        Err(OutDirError::Busy { path: path.to_owned(), pid: None })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces a file as a whole.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), OutDirError> {
        let path = self.path.join(name);
        let aside = self.path.join(format!(".{name}{UNFINISHED}"));
        fs::write(&aside, content).and_then(|()| fs::rename(&aside, &path)).map_err(|source| {
            // Half a file is of use to nobody, and on a full disk its room is needed.
            let _ = fs::remove_file(&aside);
            OutDirError::File { path: path.clone(), source }
        })
    }

    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), OutDirError> {
        let text = serde_json::to_vec_pretty(value)
            .map_err(|error| OutDirError::File { path: self.path.join(name), source: error.into() })?;
        self.write(name, &[&text[..], b"\n"].concat())
    }

    /// Where a kept test goes.
    pub fn test(&self, id: &str) -> PathBuf {
        self.path.join("tests").join(id)
    }

    /// Writes a kept test with `fill`, or puts another in its place. At every moment the old one is there, or the new one.
    pub fn put_test<E: From<OutDirError>>(
        &self,
        id: &str,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let place = self.test(id);
        let aside = self.test(&format!(".{id}{UNFINISHED}"));
        let _ = fs::remove_dir_all(&aside);
        let filled = fill(&aside).and_then(|()| Ok(exchange(&aside, &place).map_err(failed(&place))?));
        // What is there now is the old test, or half of the new one.
        let _ = fs::remove_dir_all(&aside);
        filled
    }
}

impl Claim {
    /// A directory may become `.old` if it is ours; so may `.old` go away.
    fn check_what_is_there(&self) -> Result<(), OutDirError> {
        if is_unused(&self.path) {
            return Ok(());
        }
        for directory in [&self.path, &with_suffix(&self.path, ".old")] {
            if directory.symlink_metadata().is_ok()
                && !is_unused(directory)
                && !directory.join(MARK).is_file()
            {
                return Err(OutDirError::Foreign(directory.clone()));
            }
        }
        Ok(())
    }

    /// Makes room and makes the directory.
    pub fn begin(mut self) -> Result<OutDir, OutDirError> {
        let path = self.path.clone();
        if !is_unused(&path) {
            let old = with_suffix(&path, ".old");
            if old.symlink_metadata().is_ok() {
                fs::remove_dir_all(&old).map_err(failed(&old))?;
            }
            fs::rename(&path, &old).map_err(failed(&path))?;
            let busy = |_| OutDirError::Busy { path: path.clone(), pid: None };
            // There again already: another run was waiting for this moment.
            fs::create_dir(&path).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => busy(error),
                _ => failed(&path)(error),
            })?;
            self.directory = lock(&path)?;
            self.made = true;
        }
        let lock = self.directory.try_clone().map_err(failed(&path))?;
        let out = OutDir { path: path.clone(), _lock: Arc::new(lock) };
        // First of all, so that a run that is killed leaves a directory that is known as ours.
        out.write(MARK, b"{}\n")?;
        for name in ["tests", "corpus", "logs"] {
            let directory = path.join(name);
            fs::create_dir_all(&directory).map_err(failed(&directory))?;
        }
        Ok(out)
    }
}

/// The lock of a directory, or who has it.
fn lock(path: &Path) -> Result<File, OutDirError> {
    let directory = File::open(path).map_err(failed(path))?;
    match directory.try_lock() {
        Ok(()) => Ok(directory),
        Err(TryLockError::WouldBlock) => {
            let inode = directory.metadata().map(|metadata| metadata.ino());
            let pid = inode.ok().and_then(lock_holder);
            Err(OutDirError::Busy { path: path.to_owned(), pid })
        }
        // Some network file systems have no such locks; then it is as it was without.
        Err(TryLockError::Error(_)) => Ok(directory),
    }
}

/// The process that has the lock on this file, as the kernel tells it:
/// `1: FLOCK ADVISORY WRITE 1234 fe:01:5678 0 EOF`.
fn lock_holder(inode: u64) -> Option<u32> {
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let ours = locks.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let at = fields.iter().position(|field| *field == "FLOCK")?;
        let (pid, place) = (fields.get(at + 3)?, fields.get(at + 4)?);
        (place.rsplit(':').next()?.parse() == Ok(inode)).then(|| pid.parse().ok())?
    });
    ours.into_iter().find(|pid| *pid != 0)
}

fn is_at(directory: &File, path: &Path) -> bool {
    match (directory.metadata(), path.metadata()) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Nothing is in it but what a run was killed over before it could say that the directory is its own.
fn is_unused(path: &Path) -> bool {
    let unfinished = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().to_string_lossy() == format!(".{MARK}{UNFINISHED}"))
    };
    fs::read_dir(path).is_ok_and(|mut entries| entries.all(unfinished))
}

/// Puts `fresh` in the place of `place`, which may be there or not; what was there is at `fresh` afterwards.
fn exchange(fresh: &Path, place: &Path) -> io::Result<()> {
    use rustix::fs::{renameat_with, RenameFlags, CWD};
    if place.symlink_metadata().is_err() {
        return fs::rename(fresh, place);
    }
    renameat_with(CWD, fresh, CWD, place, RenameFlags::EXCHANGE).or_else(|_| {
        // A file system that cannot do it at once: for a moment the old test has the name of one that is on its way.
        let old = with_suffix(fresh, ".old");
        fs::rename(place, &old)?;
        fs::rename(fresh, place)?;
        fs::rename(&old, fresh)
    })
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    // `out/` and `out` are the same.
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(path: &Path) -> OutDir {
        OutDir::claim(path).unwrap().begin().unwrap()
    }

    #[test]
    fn a_directory_in_use_is_not_given_twice_and_its_user_is_named() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("out");
        let first = begun(&path);
        let error = OutDir::claim(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("(process {})", std::process::id())), "{error}");
        drop(first);
        begun(&path);
        assert!(home.path().join("out.old/run.json").is_file());
    }

    #[test]
    fn a_run_that_comes_to_nothing_leaves_no_directory_and_keeps_the_last_result() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("out");
        drop(OutDir::claim(&path).unwrap());
        assert!(!path.exists());
        begun(&path).write("verdicts.json", b"{}").unwrap();
        drop(OutDir::claim(&path).unwrap());
        assert!(path.join("verdicts.json").is_file());
    }

    #[test]
    fn a_run_killed_while_it_claims_the_directory_does_not_block_the_next() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("out");
        fs::create_dir(&path).unwrap();
        fs::write(path.join(".run.json.new"), b"{").unwrap();
        begun(&path);
    }

    #[test]
    fn a_foreign_directory_is_refused_before_anything_is_done() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("thesis.txt"), b"").unwrap();
        assert!(matches!(OutDir::claim(home.path()), Err(OutDirError::Foreign(_))));
        let file = home.path().join("thesis.txt");
        assert!(matches!(OutDir::claim(&file), Err(OutDirError::Foreign(_))));
    }

    #[test]
    fn a_test_is_replaced_as_a_whole() {
        let home = tempfile::tempdir().unwrap();
        let out = begun(&home.path().join("out"));
        for content in ["one", "two"] {
            let fill = |place: &Path| -> Result<(), OutDirError> {
                fs::create_dir(place).map_err(failed(place))?;
                fs::write(place.join("cmd"), content).map_err(failed(place))
            };
            out.put_test("1-exit", fill).unwrap();
            assert_eq!(fs::read_to_string(out.test("1-exit").join("cmd")).unwrap(), content);
        }
        assert_eq!(fs::read_dir(out.path().join("tests")).unwrap().count(), 1);
    }
}
