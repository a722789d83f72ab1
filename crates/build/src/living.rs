//! Which processes use the cache, and where each of them puts what is not finished.
//!
//! In: the directory `tmp` of the cache. Out: a directory of this process's own in it.
//!
//! What always holds: a directory in `tmp` belongs to a living process, which holds its lock, or goes with the next process that comes: a
//! killed process leaves nothing for long. The lock is on the directory itself.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::cache::discard;
use crate::error::{AtPath, BuildError};

/// How long a single file in `tmp` may lie there before nobody can be using it any more. Nothing of this Parallax makes such files.
const STRAY_FILE_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Begins the name of every directory; the time at which it was made follows.
const PREFIX: &str = "run-";

/// A directory of this process, and its lock.
#[derive(Debug)]
pub(crate) struct Living {
    directory: TempDir,
    _lock: File,
}

impl Living {
    /// Removes what dead processes left, and makes a directory for this one.
    pub fn new(home: &Path) -> Result<Living, BuildError> {
        sweep(home);
        loop {
            let directory = tempfile::Builder::new().prefix(&name_of_now()).tempdir_in(home).at(home)?;
            let lock = File::open(directory.path()).at(directory.path())?;
            lock.lock().at(directory.path())?;
            // Somebody who swept between the two took it for a dead one's.
            if is_at(&lock, directory.path()) {
                return Ok(Living { directory, _lock: lock });
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.metadata()) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

fn entries(home: &Path) -> Vec<PathBuf> {
    fs::read_dir(home).map(|all| all.filter_map(Result::ok).map(|e| e.path()).collect()).unwrap_or_default()
}

/// The lock of a dead process's directory.
fn of_the_dead(directory: &Path) -> Option<File> {
    let lock = File::open(directory).ok()?;
    lock.try_lock().is_ok().then_some(lock)
}

/// Removes what dead processes left.
pub(crate) fn sweep(home: &Path) {
    for path in entries(home) {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        let age = metadata.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        if metadata.is_dir() {
            if let Some(_lock) = of_the_dead(&path) {
                let _ = discard(&path);
            }
        } else if age.is_some_and(|age| age > STRAY_FILE_AGE) {
            let _ = discard(&path);
        }
    }
}

/// When the first of the processes that live now began to use the cache.
pub(crate) fn oldest(home: &Path) -> Option<SystemTime> {
    let alive = entries(home).into_iter().filter(|path| path.is_dir() && of_the_dead(path).is_none());
    alive.filter_map(|path| began(&path)).min()
}

/// Its name says it: the times of a directory change with the work in it.
fn began(directory: &Path) -> Option<SystemTime> {
    let name = directory.file_name()?.to_str()?;
    let nanoseconds = u64::from_str_radix(name.strip_prefix(PREFIX)?.split('-').next()?, 16).ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds))
}

fn name_of_now() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{PREFIX}{:x}-", now.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_dead_left_goes_and_what_the_living_use_stays() {
        let home = tempfile::tempdir().unwrap();
        let dead = home.path().join("run-dead");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join("file"), "").unwrap();
        let first = Living::new(home.path()).unwrap();
        assert!(!dead.exists());
        let second = Living::new(home.path()).unwrap();
        assert!(first.path().is_dir() && second.path().is_dir());
        assert!(oldest(home.path()).is_some());
        drop((first, second));
        assert_eq!(entries(home.path()), Vec::<PathBuf>::new());
        assert_eq!(oldest(home.path()), None);
    }
}
