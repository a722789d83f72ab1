//! Instrumented programs by content: a directory with the program and its map, named after a hash of
//! everything that determines them.
//!
//! Always holds: a directory appears complete or not at all (made aside, then renamed).

use crate::cx::Result;
use crate::error::Error;
use crate::ProgramMap;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

const MAP: &str = "map.json";

/// A hash over everything that determines a result.
pub fn key(parts: &[&[u8]]) -> String {
    let mut hash = blake3::Hasher::new();
    for part in parts.iter().copied().chain([env!("PARALLAX_INSTRUMENTER").as_bytes()]) {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().to_hex()[..32].to_string()
}

/// The directory of `key` below `home` and the map in it; made with `make` in a fresh directory if it is new.
pub fn get_or_make(
    home: &Path,
    key: &str,
    make: impl FnOnce(&Path) -> Result<ProgramMap>,
) -> Result<(PathBuf, ProgramMap)> {
    let place = home.join(key);
    if !place.join(MAP).exists() {
        let aside = aside(home);
        std::fs::create_dir_all(&aside).map_err(Error::io(&aside))?;
        if let Err(e) = make(&aside).and_then(|map| write_map(&aside, &map)) {
            // What failed is reported; a left-over directory would only take room.
            let _ = std::fs::remove_dir_all(&aside);
            return Err(e);
        }
        // Another process may have been faster: then ours is not needed.
        if std::fs::rename(&aside, &place).is_err() && place.join(MAP).exists() {
            let _ = std::fs::remove_dir_all(&aside);
        }
    }
    let map = read_map(&place)?;
    Ok((place, map))
}

/// A name below `home` that nobody else uses, for what is not complete yet.
pub fn aside(home: &Path) -> PathBuf {
    home.join(format!("making-{}-{:x}", std::process::id(), unique()))
}

fn write_map(directory: &Path, map: &ProgramMap) -> Result<()> {
    let path = directory.join(MAP);
    let text = serde_json::to_vec(map).map_err(|e| Error::Invalid(e.to_string()))?;
    std::fs::write(&path, text).map_err(Error::io(&path))
}

fn read_map(directory: &Path) -> Result<ProgramMap> {
    let path = directory.join(MAP);
    let text = std::fs::read(&path).map_err(Error::io(&path))?;
    serde_json::from_slice(&text)
        .map_err(|e| Error::Io { path, message: format!("{e}; remove the directory and try again") })
}

fn unique() -> u64 {
    let mut h = std::collections::hash_map::DefaultHasher::new();
    h.write_u128(
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos()),
    );
    h.finish()
}
