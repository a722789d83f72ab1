//! The cache directory: a content-addressed store, and entries that are complete or not there.
//!
//! In: bytes or files. Out: paths below the cache that never change once they exist.
//! What always holds: a file appears under its final name by one rename, with all its content. Whatever else is found in its place goes.
//! What is not finished lies below `tmp`, in a directory of the process that makes it ([`crate::living`]).

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use std::sync::{Arc, OnceLock};

use tempfile::{NamedTempFile, TempDir};

use crate::error::{AtPath, BuildError};
use crate::living::Living;
use crate::sealed;

/// Names the cache directory.
pub const ENV_CACHE: &str = "PARALLAX_CACHE";

/// Names the directory for what is not finished, for the compilers of a build that Parallax runs.
pub const ENV_TEMPORARY: &str = "PARALLAX_TEMPORARY";

/// A cache directory.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    /// This process's part of `tmp`; goes with the last copy of this value.
    living: Arc<OnceLock<Living>>,
}

impl Cache {
    /// `$PARALLAX_CACHE`, else `$XDG_CACHE_HOME/parallax`, else `~/.cache/parallax`.
    pub fn from_environment() -> Cache {
        let named = |variable| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = named(ENV_CACHE)
            .or_else(|| named("XDG_CACHE_HOME").map(|dir| dir.join("parallax")))
            .or_else(|| named("HOME").map(|home| home.join(".cache/parallax")))
            .unwrap_or_else(|| env::temp_dir().join("parallax-cache"));
        Cache::at(root)
    }

    pub fn at(root: impl Into<PathBuf>) -> Cache {
        let root = root.into();
        Cache { root: std::path::absolute(&root).unwrap_or(root), living: Arc::default() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A directory of the cache, made if needed.
    pub fn directory(&self, name: &str) -> Result<PathBuf, BuildError> {
        let directory = self.root.join(name);
        self.make_directory(&directory)?;
        Ok(directory)
    }

    /// The directory for what is not finished: removed when this process ends, or by the next one.
    pub fn temporaries(&self) -> Result<PathBuf, BuildError> {
        // The compilers of a build share the directory of the process that started it.
        if let Some(named) = env::var_os(ENV_TEMPORARY).map(PathBuf::from) {
            if named.starts_with(&self.root) && named.is_dir() {
                return Ok(named);
            }
        }
        if let Some(living) = self.living.get() {
            return Ok(living.path().to_path_buf());
        }
        let living = Living::new(&self.directory("tmp")?)?;
        // Another thread may have been faster; then ours goes again.
        Ok(self.living.get_or_init(|| living).path().to_path_buf())
    }

    /// A file that is on the same file system as the cache and is removed if nobody keeps it.
    pub fn temporary(&self, suffix: &str) -> Result<NamedTempFile, BuildError> {
        let directory = self.temporaries()?;
        tempfile::Builder::new().prefix("plx").suffix(suffix).tempfile_in(&directory).at(directory)
    }

    /// The same for a directory.
    pub fn temporary_directory(&self) -> Result<TempDir, BuildError> {
        let directory = self.temporaries()?;
        tempfile::Builder::new().prefix("plx").tempdir_in(&directory).at(directory)
    }

    /// Says that something in the cache is in use: it will not be removed to make room while this process lives.
    pub fn used(&self, path: &Path) {
        // Where the cache cannot be written, nothing will be removed from it either.
        let _ = self.temporaries();
        let now = std::time::SystemTime::now();
        let _ = fs::File::open(path).and_then(|file| file.set_modified(now));
    }

    /// Where content of this kind and hash is or would be.
    pub fn stored(&self, kind: Kind, hash: &str) -> PathBuf {
        let (shelf, suffix) = kind.names();
        self.root.join(shelf).join(&hash[..hash.len().min(2)]).join(format!("{hash}.{suffix}"))
    }

    /// Stores a finished file under the hash of its content.
    pub fn store_file(&self, kind: Kind, file: NamedTempFile) -> Result<Stored, BuildError> {
        let hash = hash_file(file.path())?;
        let path = self.stored(kind, &hash);
        self.keep(file, &path)?;
        Ok(Stored { path, hash })
    }

    /// Stores bytes under their hash.
    pub fn store(&self, kind: Kind, content: &[u8]) -> Result<Stored, BuildError> {
        let hash = blake3::hash(content).to_hex().to_string();
        let path = self.stored(kind, &hash);
        if !sealed::is_file_with(&path, &hash) {
            let mut file = self.temporary(".new")?;
            file.write_all(content).at(file.path())?;
            self.keep(file, &path)?;
        }
        Ok(Stored { path, hash })
    }

    /// Gives a temporary file its final name.
    pub fn keep(&self, file: NamedTempFile, path: &Path) -> Result<(), BuildError> {
        use std::os::unix::fs::PermissionsExt;
        if let Some(parent) = path.parent() {
            self.make_directory(parent)?;
        }
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).at(file.path())?;
        if path.symlink_metadata().is_ok_and(|there| there.is_dir()) {
            discard(path)?;
        }
        file.persist(path).map_err(|error| error.error).at(path)?;
        Ok(())
    }

    /// Makes a directory, where there may be something else by that name or by that of one above it in the cache.
    fn make_directory(&self, path: &Path) -> Result<(), BuildError> {
        let below: Vec<&Path> = path.ancestors().take_while(|above| *above != self.root).collect();
        for directory in below.into_iter().rev().filter(|_| path.starts_with(&self.root)) {
            let other = directory.symlink_metadata().is_ok_and(|there| !there.is_dir());
            if other && !directory.is_dir() {
                // Never a directory: another process may have made it just now.
                let _ = fs::remove_file(directory);
            }
        }
        fs::create_dir_all(path).at(path)
    }
}

/// Removes whatever is there: a file, a link, a directory with all that is in it, or nothing.
pub fn discard(path: &Path) -> Result<(), BuildError> {
    let removed = match path.symlink_metadata() {
        Ok(there) if there.is_dir() => remove_tree(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => return Ok(()),
    };
    match removed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other.at(path),
    }
}

/// Also directories that their owner may not write to, as some builds leave them.
fn remove_tree(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if fs::remove_dir_all(path).is_ok() {
        return Ok(());
    }
    let directories = walkdir::WalkDir::new(path).into_iter().filter_map(Result::ok);
    for directory in directories.filter(|entry| entry.file_type().is_dir()) {
        let _ = fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o700));
    }
    fs::remove_dir_all(path)
}

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bitcode of one object.
    Bitcode,
    /// A native object that has no bitcode.
    Object,
    /// Native objects of an archive that have no bitcode, as an archive.
    Archive,
    /// Bitcode of a whole program; its hash is that of what it was linked from.
    Module,
}

impl Kind {
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Kind::Bitcode => ("bitcode", "bc"),
            Kind::Object => ("objects", "o"),
            Kind::Archive => ("archives", "a"),
            Kind::Module => ("modules", "bc"),
        }
    }
}

/// A place in the store.
#[derive(Clone, Debug)]
pub struct Stored {
    pub path: PathBuf,
    pub hash: String,
}

/// Hash of a file's content, in hexadecimal.
pub fn hash_file(path: &Path) -> Result<String, BuildError> {
    let mut hasher = blake3::Hasher::new();
    let mut file = fs::File::open(path).at(path)?;
    hasher.update_reader(&mut file).at(path)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_is_stored_once() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path());
        let first = cache.store(Kind::Object, b"content").unwrap();
        let second = cache.store(Kind::Object, b"content").unwrap();
        assert_eq!(first.path, second.path);
        assert_eq!(fs::read(first.path).unwrap(), b"content");
        drop(cache);
        assert_eq!(fs::read_dir(directory.path().join("tmp")).unwrap().count(), 0);
    }

    #[test]
    fn damaged_content_is_stored_again() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path());
        let stored = cache.store(Kind::Object, b"content").unwrap().path;
        fs::write(&stored, b"garbage").unwrap();
        cache.store(Kind::Object, b"content").unwrap();
        assert_eq!(fs::read(&stored).unwrap(), b"content");
        discard(stored.parent().unwrap()).unwrap();
        fs::write(stored.parent().unwrap(), b"a file where a directory was").unwrap();
        cache.store(Kind::Object, b"content").unwrap();
        assert_eq!(fs::read(&stored).unwrap(), b"content");
    }
}
