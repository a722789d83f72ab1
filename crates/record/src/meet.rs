//! What a program finds at a path, before it does anything with it.
//!
//! In: a path that a stopped process names. Out: for every step of the way, links included, what is there now.
//!
//! Always holds: the first look counts: what an invocation has made or changed itself is never taken for what it was given. Nothing is opened but regular files.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use crate::invocation::Met;
use crate::open::Open;

/// Links on one path that the kernel follows.
const MOST_LINKS: usize = 40;
const MODE: u32 = 0o7777;
/// What belongs to the machine and is there in a replay, too.
const MACHINE: [&str; 12] =
    ["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/etc", "/proc", "/sys", "/dev", "/run"];
/// Where temporary files are in the midst of it.
const TEMPORARY: &str = "/dev/shm";

/// Does a path belong to the machine, and not to what a test case brings with it? `tree`: never does.
pub fn is_of_the_machine(path: &Path, tree: &Path) -> bool {
    let below = |place: &&str| path.starts_with(place);
    path == Path::new("/")
        || (MACHINE.iter().any(|place| below(&place))
            && !path.starts_with(TEMPORARY)
            && !path.starts_with(tree))
}

/// Looks at things for one process.
pub struct Eye<'e> {
    /// The root directory as that process sees it.
    pub root: &'e Path,
    pub tree: &'e Path,
    /// Most bytes of a file.
    pub most: u64,
}

impl Eye<'_> {
    /// Notes everything on the way to an absolute path.
    pub fn meet(&self, open: &mut Open, path: &Path) {
        // Most paths by far: libraries, locales.
        if is_of_the_machine(path, self.tree) && !path.components().any(|step| step == Component::ParentDir) {
            return;
        }
        let mut at = PathBuf::from("/");
        let mut links = 0;
        let mut ahead: VecDeque<OsString> = steps(path);
        while let Some(step) = ahead.pop_front() {
            if step == ".." {
                at.pop();
                open.invocation.climbed.insert(at.clone());
                continue;
            }
            let next = at.join(&step);
            match self.look(open, &next) {
                Some(Met::Link(target)) if links < MOST_LINKS => {
                    links += 1;
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    for step in steps(&target).into_iter().rev() {
                        ahead.push_front(step);
                    }
                }
                Some(Met::Directory { .. }) => at = next,
                // There is no way on.
                _ => return,
            }
        }
    }

    /// The entries of a directory.
    pub fn list(&self, open: &mut Open, directory: &Path) {
        let Ok(entries) = fs::read_dir(self.outside(directory)) else { return };
        for entry in entries.flatten() {
            self.look(open, &directory.join(entry.file_name()));
        }
    }

    /// What there is at a path whose parent has been looked at: noted, if it does not belong to the machine. Only links and directories are given back in full.
    fn look(&self, open: &mut Open, path: &Path) -> Option<Met> {
        let brief = |met: &Met| match met {
            Met::Link(_) | Met::Directory { .. } | Met::Absent => met.clone(),
            _ => Met::Special,
        };
        if let Some(met) = open.invocation.met.get(path) {
            return Some(brief(met));
        }
        let met = self.met(path, is_of_the_machine(path, self.tree))?;
        let answer = brief(&met);
        if !is_of_the_machine(path, self.tree) {
            open.note(path, met);
        }
        Some(answer)
    }

    fn met(&self, path: &Path, briefly: bool) -> Option<Met> {
        let place = self.outside(path);
        let Ok(metadata) = fs::symlink_metadata(&place) else { return Some(Met::Absent) };
        let (kind, mode) = (metadata.file_type(), metadata.permissions().mode() & MODE);
        if kind.is_symlink() {
            return fs::read_link(&place).ok().map(Met::Link);
        }
        if kind.is_dir() {
            return Some(Met::Directory { mode });
        }
        if !kind.is_file() || briefly {
            return Some(Met::Special);
        }
        if metadata.len() > self.most {
            return Some(Met::Large { bytes: metadata.len() });
        }
        let several = (metadata.nlink() > 1).then(|| (metadata.dev(), metadata.ino()));
        let mut bytes = Vec::new();
        let read = File::open(&place).and_then(|file| file.take(self.most).read_to_end(&mut bytes));
        Some(match read {
            Ok(_) => Met::File { bytes, mode, several },
            // The program may not read it either.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Met::File { bytes: Vec::new(), mode, several }
            }
            Err(_) => Met::Special,
        })
    }

    /// A path of that process as this one reaches it.
    fn outside(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }
}

fn steps(path: &Path) -> VecDeque<OsString> {
    let step = |component: Component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    };
    path.components().filter_map(step).collect()
}
