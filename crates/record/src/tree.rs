//! A private copy of a tree that a suite takes for the tree itself.
//!
//! In: a tree. Out: the same in another place: names, contents, links (hard ones too), modes, owners and times.
//!
//! Always holds: the tree is only read. A copy that would be larger than the limits is not made, and the message says what to do.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{lchown, symlink, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::sys::stat::{utimensat, Mode, UtimensatFlags};
use nix::sys::time::TimeSpec;
use walkdir::{DirEntry, WalkDir};

/// How much may be copied.
#[derive(Clone, Copy, Debug)]
pub struct CopyLimits {
    pub bytes: u64,
    pub entries: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("{path}: {source}; the suite runs in a private copy of the tree", path = .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(
        "{tree}: too large for a private copy ({limit}); name the directory that the suite writes to with --tree, or set the limit higher",
        tree = .tree.display()
    )]
    TooLarge { tree: PathBuf, limit: &'static str },
    #[error("interrupted")]
    Interrupted,
}

/// Copies `tree` to `to`, which must not be there. `leave_out`: absolute paths of directories that are not wanted.
pub fn copy(
    tree: &Path,
    to: &Path,
    limits: CopyLimits,
    leave_out: &dyn Fn(&Path) -> bool,
    stop: &dyn Fn() -> bool,
) -> Result<(), CopyError> {
    let mut links: HashMap<(u64, u64), PathBuf> = HashMap::new();
    let mut directories = Vec::new();
    let (mut bytes, mut entries) = (0, 0);
    let too_large = |limit| CopyError::TooLarge { tree: tree.to_owned(), limit };
    for entry in WalkDir::new(tree).into_iter().filter_entry(|entry| !leave_out(entry.path())) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(tree).to_owned();
            CopyError::File { path, source: error.into() }
        })?;
        let failed = |source| CopyError::File { path: entry.path().to_owned(), source };
        let metadata = entry.path().symlink_metadata().map_err(failed)?;
        if metadata.is_file() {
            bytes += metadata.len();
        }
        entries += 1;
        if bytes > limits.bytes {
            return Err(too_large("--max-tree-size"));
        }
        if entries > limits.entries {
            return Err(too_large("--max-tree-files"));
        }
        if stop() {
            return Err(CopyError::Interrupted);
        }
        // Paths of the walk begin with its root.
        let relative = entry.path().strip_prefix(tree).unwrap_or(entry.path());
        let target = if relative.as_os_str().is_empty() { to.to_owned() } else { to.join(relative) };
        put(&entry, &metadata, &target, &mut links).map_err(failed)?;
        if metadata.is_dir() {
            directories.push((entry.path().to_owned(), metadata, target));
        }
    }
    // Last, because files that appear in a directory change its time, and a mode may forbid them.
    for (from, metadata, target) in directories.into_iter().rev() {
        finish(&metadata, &target).map_err(|source| CopyError::File { path: from, source })?;
    }
    Ok(())
}

fn put(
    entry: &DirEntry,
    metadata: &Metadata,
    target: &Path,
    links: &mut HashMap<(u64, u64), PathBuf>,
) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return fs::create_dir(target);
    }
    if metadata.nlink() > 1 {
        let identity = (metadata.dev(), metadata.ino());
        if let Some(first) = links.get(&identity) {
            return fs::hard_link(first, target);
        }
        links.insert(identity, target.to_owned());
    }
    if kind.is_symlink() {
        symlink(fs::read_link(entry.path())?, target)?;
    } else if kind.is_file() {
        fs::copy(entry.path(), target)?;
    } else if kind.is_fifo() {
        nix::unistd::mkfifo(target, Mode::from_bits_truncate(metadata.mode()))?;
    } else {
        // A socket without its process is nothing, and devices belong to the machine.
        return Ok(());
    }
    finish(metadata, target)
}

/// Owner, mode and time.
fn finish(metadata: &Metadata, target: &Path) -> io::Result<()> {
    if nix::unistd::geteuid().is_root() {
        lchown(target, Some(metadata.uid()), Some(metadata.gid()))?;
    }
    if !metadata.is_symlink() {
        fs::set_permissions(target, fs::Permissions::from_mode(metadata.mode() & 0o7777))?;
    }
    let accessed = TimeSpec::new(metadata.atime(), metadata.atime_nsec());
    let modified = TimeSpec::new(metadata.mtime(), metadata.mtime_nsec());
    Ok(utimensat(nix::fcntl::AT_FDCWD, target, &accessed, &modified, UtimensatFlags::NoFollowSymlink)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: CopyLimits = CopyLimits { bytes: 1 << 20, entries: 100 };

    #[test]
    fn a_copy_has_the_same_links_modes_and_times() {
        let home = tempfile::tempdir().unwrap();
        let (tree, to) = (home.path().join("tree"), home.path().join("copy"));
        fs::create_dir_all(tree.join("d")).unwrap();
        fs::write(tree.join("d/f"), "content").unwrap();
        fs::set_permissions(tree.join("d/f"), fs::Permissions::from_mode(0o751)).unwrap();
        fs::hard_link(tree.join("d/f"), tree.join("again")).unwrap();
        symlink("../nowhere", tree.join("dangling")).unwrap();
        fs::create_dir(tree.join("out")).unwrap();
        fs::set_permissions(tree.join("d"), fs::Permissions::from_mode(0o555)).unwrap();
        copy(&tree, &to, LIMITS, &|path| path.ends_with("out"), &|| false).unwrap();
        let (f, again) = (fs::metadata(to.join("d/f")).unwrap(), fs::metadata(to.join("again")).unwrap());
        let original = fs::metadata(tree.join("d/f")).unwrap();
        assert_eq!((f.mode() & 0o7777, f.ino()), (0o751, again.ino()));
        assert_eq!((f.mtime(), f.mtime_nsec()), (original.mtime(), original.mtime_nsec()));
        assert_eq!(fs::read_link(to.join("dangling")).unwrap(), Path::new("../nowhere"));
        assert_eq!(fs::metadata(to.join("d")).unwrap().mode() & 0o7777, 0o555);
        assert!(!to.join("out").exists());
    }

    #[test]
    fn a_tree_over_the_limit_is_not_copied_and_the_limit_is_named() {
        let home = tempfile::tempdir().unwrap();
        let tree = home.path().join("tree");
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("f"), "12345").unwrap();
        for (limits, name) in [
            (CopyLimits { bytes: 4, ..LIMITS }, "--max-tree-size"),
            (CopyLimits { entries: 1, ..LIMITS }, "--max-tree-files"),
        ] {
            let error = copy(&tree, &home.path().join(name), limits, &|_| false, &|| false).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
