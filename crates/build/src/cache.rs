//! The cache directory: a content-addressed store, and entries that are complete or not there.
//!
//! In: bytes or files. Out: paths below the cache that never change once they exist.
//! What always holds: a file appears under its final name by one rename, with all its content.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{AtPath, BuildError};

/// Names the cache directory.
pub const ENV_CACHE: &str = "PARALLAX_CACHE";

/// A cache directory.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
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
        Cache { root: std::path::absolute(&root).unwrap_or(root) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A directory of the cache, made if needed.
    pub fn directory(&self, name: &str) -> Result<PathBuf, BuildError> {
        let directory = self.root.join(name);
        fs::create_dir_all(&directory).at(&directory)?;
        Ok(directory)
    }

    /// A file that is on the same file system as the cache and is removed if nobody keeps it.
    pub fn temporary(&self, suffix: &str) -> Result<NamedTempFile, BuildError> {
        let directory = self.directory("tmp")?;
        tempfile::Builder::new().prefix("plx").suffix(suffix).tempfile_in(&directory).at(directory)
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
        if !path.exists() {
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
            fs::create_dir_all(parent).at(parent)?;
        }
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).at(file.path())?;
        file.persist(path).map_err(|error| error.error).at(path)?;
        Ok(())
    }
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
        assert_eq!(fs::read_dir(directory.path().join("tmp")).unwrap().count(), 0);
    }
}
