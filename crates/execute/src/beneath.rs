//! Files below one directory, reached by descriptors alone.
//!
//! In: a descriptor of a directory and names in it. Out: what is there, made, changed or removed.
//!
//! Always holds: every name is one component and no link is followed, so nothing outside the directory can be
//! reached, whatever a program puts in the place of what was there: modes are changed, files read and entries removed through a
//! descriptor of the very thing that was looked at.

use crate::sys::{c_name, check};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// A directory; every operation is on an entry of it.
pub struct Dir {
    fd: OwnedFd,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// `S_IF*`.
    kind: u32,
    /// Permission bits.
    pub mode: u32,
    pub len: u64,
    /// Device and number: the same for no two files that exist at the same time.
    pub identity: (u64, u64),
}

impl Stat {
    pub fn is_dir(&self) -> bool {
        self.kind == libc::S_IFDIR
    }

    pub fn is_file(&self) -> bool {
        self.kind == libc::S_IFREG
    }

    pub fn is_link(&self) -> bool {
        self.kind == libc::S_IFLNK
    }
}

impl Dir {
    /// `fd`: a descriptor of a directory (one that only names it will do).
    pub fn new(fd: OwnedFd) -> io::Result<Dir> {
        let dot = Dir { fd };
        dot.open_at(c".", libc::O_RDONLY | libc::O_DIRECTORY, 0).map(|fd| Dir { fd })
    }

    /// The directory with this path; used for directories of the engine's own making.
    pub fn at(path: &Path) -> io::Result<Dir> {
        Dir::new(crate::sys::open_path(path)?)
    }

    pub fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        let name = component(name)?;
        let mut stat = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the name is NUL-terminated; fstatat fills `stat` when it succeeds.
        unsafe {
            let flags = libc::AT_SYMLINK_NOFOLLOW;
            check(libc::fstatat(self.fd.as_raw_fd(), name.as_ptr(), stat.as_mut_ptr(), flags).into())?;
            Ok(plain(&stat.assume_init()))
        }
    }

    /// A directory in this one; one that cannot be read is made readable first.
    pub fn open_dir(&self, name: &OsStr) -> io::Result<Dir> {
        let name = component(name)?;
        let flags = libc::O_RDONLY | libc::O_DIRECTORY;
        let opened = self.open_at(&name, flags, 0).or_else(|_| {
            self.set_mode_of(&name, libc::O_DIRECTORY, 0o700)?;
            self.open_at(&name, flags, 0)
        });
        opened.map(|fd| Dir { fd })
    }

    /// A regular file, open for reading, and what it is. The mode is the one that it had before; a file that cannot be read
    /// is made readable.
    pub fn open_file(&self, name: &OsStr) -> io::Result<(File, Stat)> {
        let named = self.stat(name)?;
        let name = component(name)?;
        if !named.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if named.mode & 0o400 == 0 {
            self.set_mode_of(&name, 0, named.mode | 0o400)?;
        }
        // Should there be another thing now, opening it must neither wait nor make it a controlling terminal.
        let fd = self.open_at(&name, libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY, 0)?;
        let opened = stat_of(&fd)?;
        if opened.identity != named.identity || !opened.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok((File::from(fd), Stat { mode: named.mode, ..opened }))
    }

    /// Makes a file that was not there, open for reading and writing.
    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
        let file = File::from(self.open_at(&component(name)?, flags, mode)?);
        // Whatever the umask is, runs see the same mode.
        set_mode(&file.as_raw_fd(), mode)?;
        Ok(file)
    }

    /// Makes a directory that was not there.
    pub fn make_dir(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        let name = component(name)?;
        // SAFETY: the name is NUL-terminated.
        check(unsafe { libc::mkdirat(self.fd.as_raw_fd(), name.as_ptr(), mode) }.into())?;
        self.set_mode_of(&name, libc::O_DIRECTORY, mode)
    }

    /// The directory at the end of a path of plain names, each made if it is not there.
    pub fn make_path(&self, path: &Path, mode: u32) -> io::Result<Option<Dir>> {
        let mut at: Option<Dir> = None;
        for part in path.components() {
            let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
            let parent = at.as_ref().unwrap_or(self);
            match parent.make_dir(name, mode) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => at = Some(parent.open_dir(name)?),
            }
        }
        Ok(at)
    }

    pub fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let name = component(name)?;
        let mut target = vec![0u8; libc::PATH_MAX as usize];
        // SAFETY: at most the buffer's length is written.
        let got = check(unsafe {
            libc::readlinkat(self.fd.as_raw_fd(), name.as_ptr(), target.as_mut_ptr().cast(), target.len())
        } as i64)?;
        target.truncate(got as usize);
        Ok(OsString::from_vec(target).into())
    }

    /// Makes a symbolic link that was not there. The target is only written down.
    pub fn make_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        let (name, target) = (component(name)?, c_name(target.as_os_str())?);
        // SAFETY: both names are NUL-terminated.
        check(unsafe { libc::symlinkat(target.as_ptr(), self.fd.as_raw_fd(), name.as_ptr()) }.into())
            .map(drop)
    }

    /// Gives what has the name `name` here another one in `there`. Links are linked, not followed.
    pub fn make_hard_link(&self, name: &OsStr, there: &Dir, new_name: &OsStr) -> io::Result<()> {
        let (name, new_name) = (component(name)?, component(new_name)?);
        let (from, to) = (self.fd.as_raw_fd(), there.fd.as_raw_fd());
        // SAFETY: both names are NUL-terminated.
        check(unsafe { libc::linkat(from, name.as_ptr(), to, new_name.as_ptr(), 0) }.into()).map(drop)
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, 0)
    }

    pub fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, libc::AT_REMOVEDIR)
    }

    fn unlink(&self, name: &OsStr, flags: i32) -> io::Result<()> {
        let name = component(name)?;
        // SAFETY: the name is NUL-terminated.
        check(unsafe { libc::unlinkat(self.fd.as_raw_fd(), name.as_ptr(), flags) }.into()).map(drop)
    }

    /// Moves the directory `name` of this one to `there`. Moving a directory takes the right to write to it, so it gets that.
    pub fn move_dir(&self, name: &OsStr, there: &Dir, new_name: &OsStr) -> io::Result<()> {
        let (name, new_name) = (component(name)?, component(new_name)?);
        self.set_mode_of(&name, libc::O_DIRECTORY, 0o700)?;
        let (from, to) = (self.fd.as_raw_fd(), there.fd.as_raw_fd());
        // SAFETY: both names are NUL-terminated.
        check(unsafe { libc::renameat(from, name.as_ptr(), to, new_name.as_ptr()) }.into()).map(drop)
    }

    /// Changes the mode of a directory in this one.
    pub fn set_dir_mode(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        self.set_mode_of(&component(name)?, libc::O_DIRECTORY, mode)
    }

    /// Changes the mode of a file or directory in this one; a link is refused.
    pub fn set_mode(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        self.set_mode_of(&component(name)?, 0, mode)
    }

    /// Gives this directory itself a mode, if it has another one.
    pub fn keep_mode(&self, mode: u32) -> io::Result<()> {
        if stat_of(&self.fd)?.mode == mode {
            return Ok(());
        }
        set_mode(&self.fd.as_raw_fd(), mode)
    }

    /// The names of all entries.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let fd = self.open_at(c".", libc::O_RDONLY | libc::O_DIRECTORY, 0)?;
        let mut names = Vec::new();
        // SAFETY: the stream owns the descriptor once it is open; each entry is copied before the next is read.
        unsafe {
            let stream = libc::fdopendir(fd.as_raw_fd());
            if stream.is_null() {
                return Err(io::Error::last_os_error());
            }
            std::mem::forget(fd);
            loop {
                *libc::__errno_location() = 0;
                let entry = libc::readdir64(stream);
                if entry.is_null() {
                    break;
                }
                let name = CStr::from_ptr((*entry).d_name.as_ptr()).to_bytes();
                if name != b"." && name != b".." {
                    names.push(OsString::from_vec(name.to_vec()));
                }
            }
            let failure = io::Error::last_os_error();
            libc::closedir(stream);
            match failure.raw_os_error() {
                Some(0) => Ok(names),
                _ => Err(failure),
            }
        }
    }

    fn open_at(&self, name: &CStr, flags: i32, mode: u32) -> io::Result<OwnedFd> {
        let flags = flags | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // SAFETY: the name is NUL-terminated; the descriptor is new.
        unsafe {
            let fd = check(libc::openat(self.fd.as_raw_fd(), name.as_ptr(), flags, mode).into())?;
            Ok(OwnedFd::from_raw_fd(fd as RawFd))
        }
    }

    /// Changes the mode of what has this name, which must not be a link.
    fn set_mode_of(&self, name: &CStr, flags: i32, mode: u32) -> io::Result<()> {
        let fd = self.open_at(name, flags | libc::O_PATH, 0)?;
        if stat_of(&fd)?.is_link() {
            return Err(io::Error::from_raw_os_error(libc::ELOOP));
        }
        set_mode(&fd.as_raw_fd(), mode)
    }
}

/// Through `/proc`, because descriptors that only name a file are not taken by `fchmod`.
fn set_mode(fd: &RawFd, mode: u32) -> io::Result<()> {
    let path = CString::new(format!("/proc/self/fd/{fd}"))?;
    // SAFETY: the path is NUL-terminated; it leads to what the descriptor is for, whatever its name is by now.
    check(unsafe { libc::chmod(path.as_ptr(), mode) }.into()).map(drop)
}

fn stat_of(fd: &OwnedFd) -> io::Result<Stat> {
    let mut stat = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: fstat fills `stat` when it succeeds.
    unsafe {
        check(libc::fstat(fd.as_raw_fd(), stat.as_mut_ptr()).into())?;
        Ok(plain(&stat.assume_init()))
    }
}

fn plain(stat: &libc::stat) -> Stat {
    Stat {
        kind: stat.st_mode & libc::S_IFMT,
        mode: stat.st_mode & 0o7777,
        len: stat.st_size as u64,
        identity: (stat.st_dev, stat.st_ino),
    }
}

/// A name that is one component and stays below its directory.
fn component(name: &OsStr) -> io::Result<CString> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.contains(&b'/') {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    c_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{symlink, PermissionsExt};

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let top = tempfile::tempdir().unwrap();
        let dir = Dir::at(top.path()).unwrap();
        for bad in ["", ".", "..", "a/b", "/etc", "../x"] {
            assert!(dir.stat(name(bad)).is_err(), "{bad:?}");
            assert!(dir.make_dir(name(bad), 0o755).is_err(), "{bad:?}");
            assert!(dir.create_file(name(bad), 0o644).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_link_is_never_followed_by_any_operation() {
        let (top, victim) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = victim.path().join("file");
        fs::write(&file, "precious").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o604)).unwrap();
        fs::set_permissions(victim.path(), fs::Permissions::from_mode(0o705)).unwrap();
        let dir = Dir::at(top.path()).unwrap();
        for (link, target) in [("dir", victim.path()), ("file", &file)] {
            symlink(target, top.path().join(link)).unwrap();
            let link = name(link);
            assert!(dir.stat(link).unwrap().is_link());
            assert!(dir.open_dir(link).is_err());
            assert!(dir.open_file(link).is_err());
            assert!(dir.create_file(link, 0o600).is_err());
            assert!(dir.make_path(&Path::new(link).join("x"), 0o755).is_err());
            assert!(dir.move_dir(link, &dir, name("moved")).is_err());
            assert!(dir.remove_dir(link).is_err());
            assert_eq!(dir.read_link(link).unwrap(), target);
            dir.remove_file(link).unwrap();
        }
        assert_eq!(fs::read(&file).unwrap(), b"precious");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o604);
        assert_eq!(fs::metadata(victim.path()).unwrap().permissions().mode() & 0o7777, 0o705);
    }

    #[test]
    fn a_pipe_is_not_opened_as_a_file() {
        let top = tempfile::tempdir().unwrap();
        let path = CString::new(top.path().join("pipe").as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is NUL-terminated.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let dir = Dir::at(top.path()).unwrap();
        assert!(dir.open_file(name("pipe")).is_err());
        assert_eq!(dir.names().unwrap(), ["pipe"]);
    }

    #[test]
    fn a_file_and_a_directory_without_permission_are_read_with_the_mode_that_they_had() {
        let top = tempfile::tempdir().unwrap();
        let dir = Dir::at(top.path()).unwrap();
        let inner = dir.make_path(Path::new("a/b"), 0o755).unwrap().unwrap();
        drop(inner.create_file(name("file"), 0).unwrap());
        assert_eq!(inner.open_file(name("file")).unwrap().1.mode, 0);
        fs::set_permissions(top.path().join("a"), fs::Permissions::from_mode(0)).unwrap();
        assert_eq!(dir.open_dir(name("a")).unwrap().names().unwrap(), ["b"]);
    }
}
