//! What a run sees of the host, in its own mount namespace.
//!
//! In: the mounts of the host. Out: the same files at the same places, read-only, each through an overlay: what it opens there is a file of
//! the overlay, so that a lock, a lease or a watch on it is none on the host's file, and a named pipe is another pipe than the
//! host's. Devices are the harmless ones only: there is no terminal. `/proc` is that of its own PID namespace.
//!
//! Always holds: after [`enter`] nothing of the host's own tree can be named any more. Where a file system cannot be shown through an
//! overlay it is shown as it is, read-only, and [`enter`] says so.

use crate::{scratch, sys};
use std::ffi::{CStr, CString, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};

/// Devices of every run.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// Links in `/dev` that every system has.
const LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
/// Made anew for every server, or shown with all that is mounted below.
const SPECIAL: [&str; 3] = ["/proc", "/sys", "/dev"];
/// Of the file system for standard streams: room for these, once more for when they have to be made anew while a process has the old ones
/// open, and for nothing else.
const STREAM_OPTIONS: &CStr = c"nr_inodes=8,mode=0755";
/// Files beside mount points are copied up to this size.
const COPIED_BYTES: u64 = 1 << 20;
const PLAIN: u64 = libc::MS_NOSUID | libc::MS_NODEV;

/// In the first process of the namespaces: enters the view, with a scratch file system of limited size at `place`. True: all
/// files of the host are shown through overlays.
pub fn enter(place: &Path, scratch_bytes: u64, scratch_files: u64) -> io::Result<bool> {
    sys::mount(c"none", Path::new("/"), c"", libc::MS_REC | libc::MS_PRIVATE, None)?;
    sys::mount_everything_read_only()?;
    let is_separate = match enter_overlay(place) {
        Ok(all) => all,
        Err(_) => {
            // As it is, read-only.
            sys::mount(c"proc", Path::new("/proc"), c"proc", PLAIN | libc::MS_NOEXEC, None)?;
            false
        }
    };
    let options = format!("size={scratch_bytes},nr_inodes={scratch_files},mode=0755");
    let options = CString::new(options).map_err(io::Error::other)?;
    sys::mount(c"parallax", place, c"tmpfs", PLAIN, Some(&options))?;
    // A run that fills its disk can still print.
    let streams = scratch::make_streams(place)?;
    sys::mount(c"parallax", &streams, c"tmpfs", PLAIN | libc::MS_NOEXEC, Some(STREAM_OPTIONS))?;
    Ok(is_separate)
}

/// Builds the view at `place`, which is on no overlay, and makes it the root. An error leaves the old root.
fn enter_overlay(place: &Path) -> io::Result<bool> {
    let mounts = mount_points(&fs::read("/proc/self/mountinfo")?);
    sys::mount(c"parallax", place, c"tmpfs", PLAIN, Some(c"mode=0755"))?;
    let built = build(place, &mounts).and_then(|all| {
        sys::change_root(&place.join("root"))?;
        Ok(all)
    });
    if built.is_err() {
        sys::unmount(place)?;
    }
    built
}

fn build(place: &Path, mounts: &[PathBuf]) -> io::Result<bool> {
    let (root, empty) = (place.join("root"), place.join("empty"));
    fs::create_dir(&root)?;
    fs::create_dir(&empty)?;
    sys::mount(c"parallax", &root, c"tmpfs", PLAIN, Some(c"mode=0755,size=64m"))?;
    let host = Host { mounts, empty: &empty };
    let mut all = true;
    for entry in fs::read_dir("/")? {
        let entry = entry?;
        let (path, target) = (entry.path(), root.join(entry.file_name()));
        if path == place || SPECIAL.iter().any(|special| path == Path::new(special)) {
            fs::create_dir(&target)?;
        } else {
            all &= host.show(&path, &target)?;
        }
    }
    sys::mount(c"proc", &root.join("proc"), c"proc", PLAIN | libc::MS_NOEXEC, None)?;
    if root.join("sys").is_dir() {
        bind(Path::new("/sys"), &root.join("sys"))?;
    }
    make_devices(&root.join("dev"))?;
    make_read_only(&root, PLAIN)?;
    Ok(all)
}

/// The host's files, as far as they are not made anew.
struct Host<'a> {
    mounts: &'a [PathBuf],
    empty: &'a Path,
}

impl Host<'_> {
    /// Shows what is at `path` at `target`, where nothing is yet. False: files of the host themselves are there. An ordinary user may
    /// lay an overlay only over a directory below which nothing is mounted; others are made anew, entry by entry. Pipes,
    /// sockets and devices among those entries are left out.
    fn show(&self, path: &Path, target: &Path) -> io::Result<bool> {
        let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(true) };
        if metadata.is_symlink() {
            symlink(fs::read_link(path)?, target)?;
            return Ok(true);
        }
        if metadata.is_file() {
            return self.show_file(path, target, &metadata);
        }
        if !metadata.is_dir() {
            return Ok(true);
        }
        fs::create_dir(target)?;
        fs::set_permissions(target, fs::Permissions::from_mode(metadata.permissions().mode() | 0o700))?;
        if !self.mounts.iter().any(|mount| mount != path && mount.starts_with(path)) {
            return Ok(overlay(path, self.empty, target).is_ok() || bind(path, target).is_err());
        }
        let Ok(entries) = fs::read_dir(path) else { return Ok(true) };
        let mut all = true;
        for entry in entries.flatten() {
            all &= self.show(&entry.path(), &target.join(entry.file_name()))?;
        }
        Ok(all)
    }

    /// A copy; of a large file the file itself.
    fn show_file(&self, path: &Path, target: &Path, metadata: &fs::Metadata) -> io::Result<bool> {
        if metadata.len() > COPIED_BYTES {
            fs::File::create_new(target)?;
            bind(path, target)?;
            return Ok(false);
        }
        // One that cannot be read here cannot be read by the run either.
        let file = fs::File::create_new(target)?;
        if let Ok(content) = fs::read(path) {
            io::Write::write_all(&mut &file, &content)?;
        }
        file.set_modified(metadata.modified()?)?;
        file.set_permissions(metadata.permissions())?;
        Ok(true)
    }
}

/// Shows the host's own files, with all that is mounted below, as they are: read-only.
fn bind(path: &Path, target: &Path) -> io::Result<()> {
    sys::mount(&sys::c_path(path)?, target, c"", libc::MS_BIND | libc::MS_REC, None)
}

/// `flags`: those that the file system was mounted with.
fn make_read_only(target: &Path, flags: u64) -> io::Result<()> {
    let again = flags | libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY;
    sys::mount(c"none", target, c"", again, None)
}

/// Shows `lower` at `target`. An overlay that is only read needs two directories; the second is empty.
fn overlay(lower: &Path, empty: &Path, target: &Path) -> io::Result<()> {
    let mut options = b"lowerdir=".to_vec();
    options.extend(escaped(lower));
    options.push(b':');
    options.extend(escaped(empty));
    let options = CString::new(options).map_err(io::Error::other)?;
    let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
    sys::mount(c"parallax", target, c"overlay", flags, Some(&options))
}

/// A path in the options of an overlay. (One with a comma cannot be written there, and its file system is shown as it is.)
fn escaped(path: &Path) -> Vec<u8> {
    let special = |b: &u8| matches!(b, b':' | b'\\');
    let bytes = path.as_os_str().as_bytes();
    bytes.iter().flat_map(|b| special(b).then_some(b'\\').into_iter().chain([*b])).collect()
}

/// A `/dev` with what programs expect and nobody else can notice.
fn make_devices(dev: &Path) -> io::Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    sys::mount(c"parallax", dev, c"tmpfs", flags, Some(c"mode=0755,nr_inodes=64,size=64k"))?;
    for name in DEVICES {
        let host = Path::new("/dev").join(name);
        if host.exists() {
            fs::File::create_new(dev.join(name))?;
            bind(&host, &dev.join(name))?;
        }
    }
    for (name, target) in LINKS {
        symlink(target, dev.join(name))?;
    }
    fs::create_dir(dev.join("shm"))?;
    make_read_only(dev, flags)
}

/// The places in a mount table, parents first.
fn mount_points(table: &[u8]) -> Vec<PathBuf> {
    let lines = table.split(|b| *b == b'\n');
    lines.filter_map(|line| line.split(|b| *b == b' ').nth(4)).map(unescaped).collect()
}

/// Blanks and the like are written as a backslash and three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal = after
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_with_blanks_are_found_in_a_mount_table() {
        let table = b"22 1 8:1 / / rw - ext4 /dev/x rw\n23 22 8:2 / /mnt/a\\040b\\134c rw - ext4 /dev/y rw\n";
        assert_eq!(mount_points(table), [PathBuf::from("/"), PathBuf::from("/mnt/a b\\c")]);
    }

    #[test]
    fn what_separates_directories_is_escaped() {
        assert_eq!(escaped(Path::new("/a:b\\c")), b"/a\\:b\\\\c");
    }
}
