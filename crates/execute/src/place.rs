//! Where a native program is when it runs: at the same path, with the same neighbours, whatever version it is.
//!
//! In: a program, and the tree that it was built in. Out: a file system of its own in the run's mount namespace, with a copy of
//! the program below a name that all versions share, among links to everything that lies beside it and above it in its tree. So a
//! program that prints its path, or whose stack begins elsewhere for a longer one, is no difference; neither is its file's number,
//! device or time. Data and libraries beside the program are found as they were.
//!
//! Always holds: the engine and the runner come to the same path from the same [`Place`]. Nobody can write there.

use crate::disturb::{disturbed, Numbers};
use crate::scratch::FILE_TIME;
use crate::sys;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{symlink, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files, links and directories there.
const MOST_FILES: u64 = 65_536;
/// Bytes there besides the program.
const SPARE_BYTES: u64 = 4 << 20;
/// Entries of one directory that are linked.
const MOST_NEIGHBOURS: usize = 2000;
/// Files that are made and removed first, at most, so that the program's number is another one each time.
const SPARE_FILES: u64 = 32;

/// Where a program goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where the file system is mounted.
    pub mount: PathBuf,
    pub program: PathBuf,
    /// What the program belongs to; it is below.
    pub tree: PathBuf,
    /// The program's name there.
    pub name: OsString,
    /// Which of many memories the program finds; `None`: the one that it would find anywhere.
    pub disturbance: Option<u64>,
}

impl Place {
    /// The program's path in a run.
    pub fn inside(&self) -> PathBuf {
        self.mount.join(self.above()).join(&self.name)
    }

    /// What a path inside is called outside.
    pub fn outside(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.mount).map_or_else(|_| path.to_path_buf(), |below| self.tree.join(below))
    }

    /// A list of directories, as in `PATH`, in which those of the tree are where a run finds them.
    pub fn inside_list(&self, list: &[u8]) -> Vec<u8> {
        let moved = |name: &[u8]| {
            let path = Path::new(OsStr::from_bytes(name));
            let below =
                path.components().collect::<PathBuf>().strip_prefix(&self.tree).map(Path::to_path_buf);
            below.map_or(name.to_vec(), |below| self.mount.join(below).into_os_string().into_vec())
        };
        list.split(|byte| *byte == b':').map(moved).collect::<Vec<_>>().join(&b':')
    }

    /// The program's directory, from the root of its tree.
    fn above(&self) -> &Path {
        let relative = self.program.strip_prefix(&self.tree).unwrap_or(Path::new(""));
        relative.parent().unwrap_or(Path::new(""))
    }

    /// Not for a program beside thousands of others, such as those of the system: every server would have to link them all.
    pub fn can_be_furnished(&self) -> bool {
        let mut directories =
            self.program.ancestors().skip(1).take_while(|above| above.starts_with(&self.tree));
        directories.all(|directory| {
            fs::read_dir(directory)
                .is_ok_and(|entries| entries.take(MOST_NEIGHBOURS + 1).count() <= MOST_NEIGHBOURS)
        })
    }

    /// In the mount namespace of a run.
    pub fn furnish(&self) -> io::Result<()> {
        let bytes = fs::read(&self.program)?;
        let changed = self.disturbance.and_then(|number| disturbed(&bytes, number));
        let len = bytes.len() as u64;
        let (bytes, len) = changed.unwrap_or((bytes, len));
        let options = format!("size={},nr_inodes={MOST_FILES},mode=0755", bytes.len() as u64 + SPARE_BYTES);
        let options = CString::new(options).map_err(io::Error::other)?;
        let flags = libc::MS_NOSUID | libc::MS_NODEV;
        sys::mount(c"parallax", &self.mount, c"tmpfs", flags, Some(&options))?;
        self.link_neighbours()?;
        self.waste_numbers()?;
        let mut file: File =
            OpenOptions::new().write(true).create_new(true).mode(0o755).open(self.inside())?;
        file.write_all(&bytes)?;
        file.set_len(len)?;
        file.set_modified(SystemTime::UNIX_EPOCH + FILE_TIME)?;
        drop(file);
        sys::mount(c"parallax", &self.mount, c"", flags | libc::MS_REMOUNT | libc::MS_RDONLY, Some(&options))
    }

    /// Links to everything in the program's directory and in those above it, up to the root of the tree.
    fn link_neighbours(&self) -> io::Result<()> {
        let (mut from, mut to) = (self.tree.clone(), self.mount.clone());
        for down in self.above().iter().map(Some).chain([None]) {
            let taken = down.unwrap_or(&self.name);
            link_all(&from, &to, taken)?;
            if let Some(down) = down {
                from.push(down);
                to.push(down);
                fs::create_dir(&to)?;
            }
        }
        Ok(())
    }

    fn waste_numbers(&self) -> io::Result<()> {
        let Some(number) = self.disturbance else { return Ok(()) };
        for _ in 0..Numbers(number).below(SPARE_FILES) {
            let path = self.inside();
            File::create_new(&path)?;
            fs::remove_file(&path)?;
        }
        Ok(())
    }
}

/// Links in `to` to all that is in `from`, but for one name.
fn link_all(from: &Path, to: &Path, taken: &OsStr) -> io::Result<()> {
    let mut names: Vec<OsString> =
        fs::read_dir(from)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    // The order in which a directory is read follows from the order in which it was made.
    names.sort();
    for name in names.iter().filter(|name| *name != taken) {
        symlink(from.join(name), to.join(name))?;
    }
    Ok(())
}
