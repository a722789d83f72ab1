//! Builds in the cache: one shelf for every [`crate::build::Request`], on it the builds that were made for it.
//!
//! In: the key of a request. Out: a build of it that can be used, or a place for a new one.
//!
//! What always holds: a build is used only if it is complete (its record is written last), its private copy is as the build left it, byte by
//! byte, and all that the build looked at outside is as it was. A build that somebody may be using is not changed: the next one gets a
//! directory of its own. Builds of one request wait for each other.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{de::DeserializeOwned, Deserialize, Serialize};

use crate::cache::{discard, hash_file, Cache};
use crate::collect::Version;
use crate::error::{AtPath, BuildError};
use crate::looked::Inputs;
use crate::sealed;
use crate::tree;

/// Where builds are, below the cache.
pub(crate) const BUILDS: &str = "builds";
/// The file that says that a build failed: its tree and log are kept until it is tried again, or until others have failed since.
const FAILED: &str = "failed";
/// Failed builds that are kept.
pub const FAILED_KEPT: usize = 8;
/// The directory with links to libraries under the names that the loader looks for.
pub(crate) const ALIASES: &str = "lib";
/// The file that says that a build is complete.
pub(crate) const BUILT: &str = "built.json";

/// All builds of one request.
pub(crate) struct Shelf<'c> {
    cache: &'c Cache,
    directory: PathBuf,
}

/// One build.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub directory: PathBuf,
}

/// What is known about a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// As the user named the sources.
    pub source: String,
    pub command: String,
    /// Seconds since 1970.
    pub made: u64,
    /// Hash of the private copy as the build left it.
    pub tree: String,
    /// What was looked at outside; nothing if that is not known, and then the build is not used again.
    pub inputs: Option<Inputs>,
}

#[derive(Serialize, Deserialize)]
struct Record<B> {
    about: About,
    built: B,
}

/// A version, and the hashes of the files outside the private copy that it consists of.
#[derive(Serialize, Deserialize)]
struct KeptVersion {
    version: Version,
    files: Vec<(PathBuf, String)>,
    /// Hash of the links for the loader.
    aliases: Option<String>,
}

impl<'c> Shelf<'c> {
    pub fn new(cache: &'c Cache, key: &str) -> Result<Shelf<'c>, BuildError> {
        Ok(Shelf { cache, directory: cache.directory(BUILDS)?.join(key) })
    }

    /// Held until the file is closed.
    pub fn lock(&self) -> Result<File, BuildError> {
        let path = self.directory.with_extension("lock");
        if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            discard(&path)?;
        }
        let file = File::create(&path).at(&path)?;
        file.lock().at(&path)?;
        Ok(file)
    }

    /// The newest build that can be used; with `since`, one that was made after that moment.
    pub fn usable(&self, since: Option<SystemTime>) -> Option<Entry> {
        let mut entries = entries_in(&self.directory);
        entries.sort();
        entries.into_iter().rev().map(|directory| Entry { directory }).find(|entry| {
            let recent = since.is_none_or(|since| entry.began().is_some_and(|began| began > since));
            recent && entry.is_sound(self.cache)
        })
    }

    /// A place for a new build. Only with the lock.
    pub fn fresh(&self) -> Result<Entry, BuildError> {
        if self.directory.symlink_metadata().is_ok_and(|there| !there.is_dir()) {
            discard(&self.directory)?;
        }
        for failed in entries_in(&self.directory).into_iter().map(|directory| Entry { directory }) {
            if failed.failed().is_some() {
                discard(&failed.directory)?;
            }
        }
        // Names of equal length, in the order of their making: programs print their paths.
        let directory = self.directory.join(format!("{:016x}", nanoseconds(SystemTime::now())));
        fs::create_dir_all(&directory).at(&directory)?;
        Ok(Entry { directory })
    }
}

impl Shelf<'_> {
    /// Removes a build that failed.
    pub fn give_up(&self, entry: &Entry) {
        let _ = discard(&entry.directory);
        // Fails if there are others.
        let _ = fs::remove_dir(&self.directory);
    }
}

fn entries_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

impl Entry {
    pub fn tree(&self) -> PathBuf {
        self.directory.join("tree")
    }

    /// What the build command printed.
    pub fn log(&self) -> PathBuf {
        self.directory.join("build.log")
    }

    pub fn aliases(&self) -> PathBuf {
        self.directory.join(ALIASES)
    }

    /// Keeps it from being swept away.
    pub fn mark_failed(&self) -> Result<(), BuildError> {
        let mark = self.directory.join(FAILED);
        File::create(&mark).map(drop).at(mark)
    }

    /// When it failed.
    fn failed(&self) -> Option<SystemTime> {
        fs::metadata(self.directory.join(FAILED)).and_then(|mark| mark.modified()).ok()
    }

    fn began(&self) -> Option<SystemTime> {
        let name = self.directory.file_name()?.to_str()?;
        Some(SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::from_str_radix(name, 16).ok()?))
    }

    fn name(&self) -> String {
        self.directory.to_string_lossy().into_owned()
    }

    pub fn about(&self) -> Option<About> {
        let record: Record<serde::de::IgnoredAny> = self.record()?;
        Some(record.about)
    }

    /// What the build left to be known about what it made.
    pub fn built<B: DeserializeOwned>(&self) -> Option<B> {
        self.record::<B>().map(|record| record.built)
    }

    fn record<B: DeserializeOwned>(&self) -> Option<Record<B>> {
        sealed::read_json(&self.directory.join(BUILT), &self.name())
    }

    /// Makes the build complete.
    pub fn finish(&self, cache: &Cache, about: About, built: &impl Serialize) -> Result<(), BuildError> {
        let record = Record { about, built };
        sealed::write_json(cache, &self.directory.join(BUILT), &self.name(), &record)
    }

    fn is_sound(&self, cache: &Cache) -> bool {
        let Some(about) = self.about() else { return false };
        let sound =
            about.inputs.is_some_and(|inputs| inputs.hold()) && self.tree_hash(cache) == Some(about.tree);
        if sound {
            cache.used(&self.directory.join(BUILT));
        }
        sound
    }

    /// Hash of the private copy as it is now.
    pub fn tree_hash(&self, cache: &Cache) -> Option<String> {
        hash_of(&self.tree(), cache)
    }

    fn version_file(&self, program: &str) -> PathBuf {
        let hash = blake3::hash(program.as_bytes()).to_hex();
        self.directory.join(format!("version-{}.json", &hash[..16]))
    }

    /// The version of this program, if all of its files are whole.
    pub fn read(&self, program: &str, cache: &Cache) -> Option<Version> {
        let kept: KeptVersion = sealed::read_json(&self.version_file(program), &self.name())?;
        let whole = kept.files.iter().all(|(path, hash)| sealed::is_file_with(path, hash))
            && kept.aliases == hash_of(&self.aliases(), cache);
        if whole {
            kept.files.iter().for_each(|(path, _)| cache.used(path));
        }
        whole.then_some(kept.version)
    }

    pub fn keep(&self, program: &str, version: &Version, cache: &Cache) -> Result<(), BuildError> {
        let objects = version.link.extra_objects().into_iter().map(Path::to_path_buf);
        let outside =
            objects.chain([version.bitcode.clone()]).filter(|path| !path.starts_with(&self.directory));
        let files =
            outside.map(|path| Ok((path.clone(), hash_file(&path)?))).collect::<Result<_, BuildError>>()?;
        let kept = KeptVersion { version: version.clone(), files, aliases: hash_of(&self.aliases(), cache) };
        sealed::write_json(cache, &self.version_file(program), &self.name(), &kept)
    }
}

fn hash_of(directory: &Path, cache: &Cache) -> Option<String> {
    tree::hash(&tree::Walk { root: directory, cache: cache.root(), with_git: true }).ok()
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    nanoseconds(SystemTime::now()) / 1_000_000_000
}

/// Removes what interrupted builds left behind, and all but the last failed ones.
pub(crate) fn sweep(cache: &Cache) {
    let mut unfinished: Vec<(Option<SystemTime>, PathBuf)> = entries_in(&cache.root().join(BUILDS))
        .iter()
        .flat_map(|shelf| entries_in(shelf))
        .filter(|entry| !entry.join(BUILT).exists())
        .map(|directory| (Entry { directory: directory.clone() }.failed(), directory))
        .collect();
    unfinished.sort_by(|a, b| b.cmp(a));
    for (number, (failed, entry)) in unfinished.into_iter().enumerate() {
        let Some(shelf) = entry.parent().filter(|_| failed.is_none() || number >= FAILED_KEPT) else {
            continue;
        };
        let Ok(lock) = File::open(shelf.with_extension("lock")) else { continue };
        // Whoever builds it now holds its lock; who held it a moment ago may have finished the build.
        if lock.try_lock().is_ok() && !entry.join(BUILT).exists() {
            let _ = discard(&entry);
        }
    }
}
