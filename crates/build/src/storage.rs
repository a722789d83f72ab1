//! How large the cache is, what is in it, and what goes when it is too large.
//!
//! In: a cache. Out: its contents; or room.
//!
//! What always holds: what a living process has used is not removed: everything in the cache carries the time of its last use, and what was
//! used since the oldest living process began stays. What goes, goes as a whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use crate::cache::{discard, Cache};
use crate::drive::{DONE, DRIVEN};
use crate::entry::{Entry, BUILDS, BUILT};
use crate::error::BuildError;
use crate::{living, sealed};

/// How large a cache may become if nobody says otherwise.
pub const DEFAULT_LIMIT: u64 = 10 << 30;

/// Holds the limit, where one was set.
const LIMIT: &str = "limit";
/// What is not finished.
const TEMPORARY: &str = "tmp";
/// Shelves whose items are directories, and the file in them that tells when they were used.
const SHELVES_OF_DIRECTORIES: [(&str, &str); 3] =
    [("instrumented", "map.json"), ("models", "map.json"), (DRIVEN, DONE)];

/// Everything in a cache.
#[derive(Clone, Debug, Serialize)]
pub struct Contents {
    pub directory: PathBuf,
    pub size: u64,
    pub limit: u64,
    /// Builds, the one that was used last first.
    pub builds: Vec<Build>,
    /// What was made from them, by kind.
    pub kinds: BTreeMap<String, Amount>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Build {
    /// As the user named the sources.
    pub source: String,
    pub command: String,
    /// Seconds since 1970.
    pub made: u64,
    pub used: u64,
    pub size: u64,
    pub path: PathBuf,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Amount {
    pub count: u64,
    pub size: u64,
}

/// What was removed, and what had to stay because it is in use.
#[derive(Clone, Debug, Default)]
pub struct Removed {
    pub size: u64,
    pub in_use: u64,
}

/// Something that stays or goes as a whole.
struct Item {
    kind: String,
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

/// With less room than this on its disk a build that fails did so for that reason.
const LITTLE_ROOM: u64 = 1 << 20;

/// Is the disk of the cache full?
pub(crate) fn has_little_room(cache: &Cache) -> bool {
    let disk = nix::sys::statvfs::statvfs(cache.root());
    disk.is_ok_and(|disk| disk.blocks_available() * disk.fragment_size() < LITTLE_ROOM)
}

/// The limit of a cache.
pub fn limit(cache: &Cache) -> u64 {
    sealed::read_json(&cache.root().join(LIMIT), LIMIT).unwrap_or(DEFAULT_LIMIT)
}

/// Sets the limit, and keeps it at once.
pub fn set_limit(cache: &Cache, bytes: u64) -> Result<Removed, BuildError> {
    sealed::write_json(cache, &cache.root().join(LIMIT), LIMIT, &bytes)?;
    Ok(enforce(cache))
}

/// What is in the cache.
pub fn contents(cache: &Cache) -> Contents {
    let items = items(cache);
    let size = items.iter().map(|item| item.size).sum();
    let mut kinds: BTreeMap<String, Amount> = BTreeMap::new();
    let mut builds = Vec::new();
    for item in items {
        if item.kind != BUILDS {
            let amount = kinds.entry(item.kind).or_default();
            amount.count += 1;
            amount.size += item.size;
            continue;
        }
        let about = Entry { directory: item.path.clone() }.about();
        let (source, command, made) = about.map(|a| (a.source, a.command, a.made)).unwrap_or_default();
        builds.push(Build {
            source,
            command,
            made,
            used: seconds(item.used),
            size: item.size,
            path: item.path,
        });
    }
    builds.sort_by_key(|build| std::cmp::Reverse(build.used));
    Contents { directory: cache.root().to_path_buf(), size, limit: limit(cache), builds, kinds }
}

/// Removes what was used longest ago until the limit is kept.
pub fn enforce(cache: &Cache) -> Removed {
    remove_down_to(cache, limit(cache))
}

/// Removes everything that nobody uses.
pub fn clean(cache: &Cache) -> Removed {
    living::sweep(&cache.root().join(TEMPORARY));
    remove_down_to(cache, 0)
}

fn remove_down_to(cache: &Cache, limit: u64) -> Removed {
    let mut items = items(cache);
    let mut size: u64 = items.iter().map(|item| item.size).sum();
    let mut removed = Removed::default();
    let oldest = living::oldest(&cache.root().join(TEMPORARY));
    items.sort_by_key(|item| item.used);
    for item in items {
        if size <= limit {
            break;
        }
        if oldest.is_some_and(|oldest| item.used >= oldest) {
            removed.in_use += item.size;
            continue;
        }
        if remove(cache, &item.path) {
            size -= item.size;
            removed.size += item.size;
        }
    }
    removed
}

/// Out of sight first, so that nobody finds half of it.
fn remove(cache: &Cache, path: &Path) -> bool {
    let Ok(aside) = cache.temporary_directory() else { return false };
    let gone = fs::rename(path, aside.path().join("item")).is_ok();
    let _ = discard(aside.path());
    if let Some(shelf) = path.parent() {
        // Fails while there is something else in it.
        let _ = fs::remove_dir(shelf);
    }
    gone
}

fn items(cache: &Cache) -> Vec<Item> {
    let mut items = Vec::new();
    for shelf in below(cache.root()).into_iter().filter(|path| path.is_dir()) {
        let kind = shelf.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let directories = SHELVES_OF_DIRECTORIES.iter().find(|(name, _)| *name == kind);
        if kind == TEMPORARY {
            continue;
        } else if kind == BUILDS {
            let builds = below(&shelf).iter().flat_map(|shelf| below(shelf)).collect();
            items.extend(directory_items(&kind, builds, BUILT));
        } else if let Some((_, mark)) = directories {
            items.extend(directory_items(&kind, below(&shelf), mark));
        } else {
            items.extend(file_items(&kind, &shelf));
        }
    }
    items
}

fn directory_items(kind: &str, directories: Vec<PathBuf>, mark: &str) -> Vec<Item> {
    let item = |path: PathBuf| {
        let metadata = path.join(mark).metadata().or_else(|_| path.metadata()).ok()?;
        let used = metadata.modified().ok()?;
        let size = file_items(kind, &path).iter().map(|item| item.size).sum();
        Some(Item { kind: kind.to_string(), path, size, used })
    };
    directories.into_iter().filter_map(item).collect()
}

fn file_items(kind: &str, directory: &Path) -> Vec<Item> {
    let walk = walkdir::WalkDir::new(directory).into_iter().filter_map(Result::ok);
    let item = |entry: walkdir::DirEntry| {
        let metadata = entry.metadata().ok()?;
        let used = metadata.modified().ok()?;
        Some(Item { kind: kind.to_string(), path: entry.into_path(), size: on_disk(&metadata), used })
    };
    walk.filter(|entry| !entry.file_type().is_dir()).filter_map(item).collect()
}

/// What a file takes, which for small ones is more than what is in it.
fn on_disk(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    const BLOCK: u64 = 512;
    metadata.blocks() * BLOCK
}

fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).collect()
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Kind;
    use std::time::Duration;

    /// A cache with objects that were used so many seconds ago.
    fn filled(home: &Path, ages: &[u64]) -> (Cache, Vec<PathBuf>) {
        let cache = Cache::at(home);
        let store = |age: &u64| {
            let path = cache.store(Kind::Object, &vec![*age as u8; 10_000]).unwrap().path;
            let used = SystemTime::now() - Duration::from_secs(*age);
            fs::File::open(&path).unwrap().set_modified(used).unwrap();
            path
        };
        let paths = ages.iter().map(store).collect();
        (cache, paths)
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let home = tempfile::tempdir().unwrap();
        let (cache, paths) = filled(home.path(), &[10, 30, 20]);
        let size = contents(&cache).size;
        assert!((30_000..60_000).contains(&size), "{size}");
        assert_eq!(contents(&cache).limit, DEFAULT_LIMIT);
        set_limit(&cache, size - 1).unwrap();
        assert_eq!(paths.iter().map(|path| path.exists()).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(contents(&cache).limit, size - 1);
    }

    #[test]
    fn what_is_in_use_stays_and_all_else_can_be_cleaned() {
        let home = tempfile::tempdir().unwrap();
        let (cache, paths) = filled(home.path(), &[10, 20]);
        cache.used(&paths[1]);
        let removed = clean(&Cache::at(home.path()));
        assert!(removed.size > 0 && removed.in_use > 0);
        assert_eq!(paths.iter().map(|path| path.exists()).collect::<Vec<_>>(), [false, true]);
        drop(cache);
        clean(&Cache::at(home.path()));
        assert!(!paths[1].exists());
    }
}
