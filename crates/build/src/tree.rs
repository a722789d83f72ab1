//! Directories: a hash of their content, and a copy that build systems take for the original.
//!
//! In: a directory. Out: a hash, or a copy.
//! What always holds: both look at the same files; the copy keeps times and permissions, so that
//! `make` sees nothing to rebuild that was up to date.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::error::{AtPath, BuildError};

/// Which files of a directory count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a> {
    pub root: &'a Path,
    /// Left out should it lie inside the tree.
    pub cache: &'a Path,
    /// Whether `.git` counts: only builds that ask git for a version need it.
    pub with_git: bool,
}

/// Directories that Parallax itself leaves in a tree.
const OUTPUT_PREFIX: &str = "parallax-out";

impl Walk<'_> {
    /// Entries in a fixed order, the root itself left out.
    fn entries(&self) -> impl Iterator<Item = Result<(PathBuf, DirEntry), BuildError>> + '_ {
        let walk = WalkDir::new(self.root).min_depth(1).sort_by_file_name().into_iter();
        walk.filter_entry(|entry| self.counts(entry)).map(|entry| {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(self.root).to_path_buf();
                BuildError::File { path, source: error.into() }
            })?;
            // Entries of a walk begin with its root.
            let relative = entry.path().strip_prefix(self.root).unwrap_or(entry.path()).to_path_buf();
            Ok((relative, entry))
        })
    }

    fn counts(&self, entry: &DirEntry) -> bool {
        let name = entry.file_name().as_bytes();
        let own =
            entry.depth() == 1 && name.starts_with(OUTPUT_PREFIX.as_bytes()) && entry.file_type().is_dir();
        let git = name == b".git" && !self.with_git;
        !own && !git && std::path::absolute(entry.path()).is_ok_and(|path| path != self.cache)
    }
}

/// Can every file be opened? The first that cannot is the error.
pub(crate) fn check_readable(walk: &Walk) -> Result<(), BuildError> {
    for entry in walk.entries() {
        let (_, entry) = entry?;
        if entry.file_type().is_file() {
            fs::File::open(entry.path()).at(entry.path())?;
        }
    }
    Ok(())
}

/// Hash of names, kinds, permissions to execute, and contents.
pub(crate) fn hash(walk: &Walk) -> Result<String, BuildError> {
    let mut hasher = blake3::Hasher::new();
    for entry in walk.entries() {
        let (relative, entry) = entry?;
        let path = entry.path();
        hasher.update(relative.as_os_str().as_bytes()).update(&[0]);
        if entry.file_type().is_symlink() {
            hasher.update(b"link").update(fs::read_link(path).at(path)?.as_os_str().as_bytes());
        } else if entry.file_type().is_file() {
            let executable = path.metadata().at(path)?.permissions().mode() & 0o111 != 0;
            hasher.update(if executable { b"exec" } else { b"file" });
            hasher.update(crate::cache::hash_file(path)?.as_bytes());
        }
        hasher.update(&[0]);
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// Copies a tree. Sockets, pipes and devices are left out.
pub(crate) fn copy(walk: &Walk, to: &Path) -> Result<(), BuildError> {
    let mut directories = Vec::new();
    for entry in walk.entries() {
        let (relative, entry) = entry?;
        let (from, target) = (entry.path(), to.join(&relative));
        if entry.file_type().is_symlink() {
            let link = fs::read_link(from).at(from)?;
            symlink(inside(walk.root, &relative, link)?, &target).at(&target)?;
        } else if entry.file_type().is_dir() {
            fs::create_dir_all(&target).at(&target)?;
            directories.push((from.to_path_buf(), target));
        } else if entry.file_type().is_file() {
            fs::copy(from, &target).at(from)?;
            make_writable(&target)?;
            copy_time(from, &target)?;
        }
    }
    // Last, because files that appear in a directory change its time.
    for (from, target) in directories.iter().rev() {
        copy_time(from, target)?;
    }
    Ok(())
}

/// A link that leads out of the tree must lead to the same place from the copy.
fn inside(root: &Path, link: &Path, target: PathBuf) -> Result<PathBuf, BuildError> {
    let parents = link.components().count() as isize - 1;
    let mut depth = parents;
    let mut lowest = depth;
    for component in target.components() {
        depth += if component == Component::ParentDir { -1 } else { 1 };
        lowest = lowest.min(depth);
    }
    if target.is_absolute() || lowest >= 0 {
        return Ok(target);
    }
    let root = std::path::absolute(root).at(root)?;
    Ok(root.join(link.parent().unwrap_or(Path::new(""))).join(target))
}

/// Read-only sources must not make a build fail that would write them in place.
fn make_writable(path: &Path) -> Result<(), BuildError> {
    let mut permissions = path.metadata().at(path)?.permissions();
    permissions.set_mode(permissions.mode() | 0o200);
    fs::set_permissions(path, permissions).at(path)
}

fn copy_time(from: &Path, to: &Path) -> Result<(), BuildError> {
    let modified = from.metadata().and_then(|metadata| metadata.modified()).at(from)?;
    set_time(to, modified)
}

/// Sets the time of last modification.
pub(crate) fn set_time(path: &Path, time: std::time::SystemTime) -> Result<(), BuildError> {
    fs::File::open(path).and_then(|file| file.set_modified(time)).at(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_out_of_the_tree_keeps_its_target() {
        let inside = |link: &str, target: &str| {
            super::inside(Path::new("/tree"), Path::new(link), target.into()).unwrap().display().to_string()
        };
        assert_eq!(inside("a", "b"), "b");
        assert_eq!(inside("d/a", "../b"), "../b");
        assert_eq!(inside("a", "../b"), "/tree/../b");
        assert_eq!(inside("a", "d/../../b"), "/tree/d/../../b");
        assert_eq!(inside("a", "/etc/passwd"), "/etc/passwd");
    }
}
