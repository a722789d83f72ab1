//! Instrumented programs by content: a directory with the program and its map, named after a hash of
//! everything that determines them but the libraries that the linker finds.
//!
//! Always holds: a directory appears complete or not at all (made aside, then renamed). What comes out of the cache is what was put in, byte by byte, and
//! the linker would still find the same libraries; anything else is made again.

use crate::cx::Result;
use crate::error::Error;
use crate::ProgramMap;
use parallax_build::cache::{discard, hash_file};
use parallax_build::tools::is_executable;
use parallax_build::{sealed, Cache, Inputs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MAP: &str = "map.json";
/// How often a finished directory is put in its place against others who do the same.
const ATTEMPTS: usize = 8;

/// What the sealed file in a directory says.
#[derive(Serialize, Deserialize)]
struct Sealed {
    map: ProgramMap,
    /// Hash of every other file, and whether it can be executed.
    files: BTreeMap<String, (String, bool)>,
    /// What was read to make it; nothing if that is not known, and then it is not used again.
    inputs: Option<Inputs>,
}

/// A hash over everything that determines a result.
pub fn key(parts: &[&[u8]]) -> String {
    let mut hash = blake3::Hasher::new();
    for part in parts.iter().copied().chain([env!("PARALLAX_INSTRUMENTER").as_bytes()]) {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().to_hex()[..32].to_string()
}

/// The directory of `key` on a shelf of the cache and the map in it; made with `make` in a fresh directory if it is new.
pub fn get_or_make(
    cache: &Cache,
    shelf: &str,
    key: &str,
    make: impl FnOnce(&Path) -> Result<(ProgramMap, Option<Inputs>)>,
) -> Result<(PathBuf, ProgramMap)> {
    let place = cache.directory(shelf)?.join(key);
    if let Some(map) = read(&place, key, cache) {
        return Ok((place, map));
    }
    let aside = cache.temporary_directory()?;
    let (map, inputs) = make(aside.path())?;
    let sealed = Sealed { map, files: files_in(aside.path())?, inputs };
    sealed::write_json(cache, &aside.path().join(MAP), key, &sealed)?;
    put(aside.path(), &place, key, cache)?;
    Ok((place, sealed.map))
}

/// Gives a finished directory its place, from which it may have to move something damaged.
fn put(aside: &Path, place: &Path, key: &str, cache: &Cache) -> Result<()> {
    for _ in 0..ATTEMPTS {
        let Err(error) = std::fs::rename(aside, place) else { return Ok(()) };
        // Another process may have been faster: then ours is not needed.
        if read(place, key, cache).is_some() {
            return Ok(());
        }
        if place.symlink_metadata().is_err() {
            return Err(Error::io(place)(error));
        }
        let trash = cache.temporary_directory()?;
        if std::fs::rename(place, trash.path().join("damaged")).is_err() {
            discard(place)?;
        }
    }
    Err(Error::Io { path: place.into(), message: "others keep replacing it; try again".into() })
}

fn files_in(directory: &Path) -> Result<BTreeMap<String, (String, bool)>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(directory).map_err(Error::io(directory))? {
        let path = entry.map_err(Error::io(directory))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, (hash_file(&path)?, is_executable(&path)));
    }
    Ok(files)
}

/// The map of a directory that is whole and of today.
fn read(place: &Path, key: &str, cache: &Cache) -> Option<ProgramMap> {
    if !place.symlink_metadata().ok()?.is_dir() {
        return None;
    }
    let map = place.join(MAP);
    let sealed: Sealed = sealed::read_json(&map, key)?;
    let whole = sealed.files.iter().all(|(name, (hash, executable))| {
        let path = place.join(name);
        sealed::is_file_with(&path, hash) && is_executable(&path) == *executable
    });
    let usable = whole && sealed.inputs.is_some_and(|inputs| inputs.hold());
    if usable {
        cache.used(&map);
    }
    usable.then_some(sealed.map)
}
