//! Program models of versions, kept in the cache.
//!
//! In: a built version. Out: its model, read back if this Parallax has made it before from the same bitcode.
//!
//! Always holds: a stored model that is not whole is made again; a file appears complete or not at all.

use crate::error::CliError;
use parallax_build::{sealed, BuildError, Cache, Version};
use parallax_model::memory::Memory;
use parallax_model::mod_ref::Edges;
use parallax_model::pdg::Pdg;
use parallax_model::points_to::PointsTo;
use parallax_model::reaching::{Limits, Reaching};
use parallax_model::{Program, StoredError};
use std::path::{Path, PathBuf};

/// A model, and where it is kept.
pub struct Kept {
    pub program: Program,
    cache: Cache,
    home: PathBuf,
    name: String,
}

/// What names the code of a version: the same bitcode, the same name.
pub fn stem(version: &Version, cache: &Cache) -> Result<String, CliError> {
    Ok(name_of(&parallax_instrument::clean_up(&version.bitcode, cache.root())?))
}

fn name_of(cleaned: &Path) -> String {
    cleaned.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The model of a version.
pub fn model(version: &Version, cache: &Cache) -> Result<Kept, CliError> {
    let cleaned = parallax_instrument::clean_up(&version.bitcode, cache.root())?;
    let stem = name_of(&cleaned);
    let home = cache.root().join("models-of-programs");
    let name = format!("{stem}-{}", this_parallax());
    let place = home.join(format!("{name}.model"));
    if let Some(program) = read(cache, &place).and_then(|bytes| Program::from_bytes(&bytes).ok()) {
        return Ok(Kept { program, cache: cache.clone(), home, name });
    }
    let bitcode = std::fs::read(&cleaned).map_err(|source| CliError::Read {
        what: "the cleaned-up bitcode",
        path: cleaned.clone(),
        source,
    })?;
    let program = parallax_model::load(&bitcode)?;
    // A full disk costs time on the next look, and nothing else.
    let _ = keep(cache, &place, &program.to_bytes());
    Ok(Kept { program, cache: cache.clone(), home, name })
}

impl Kept {
    /// Where its pointers lead.
    pub fn points_to(&self) -> PointsTo {
        self.kept("points-to", PointsTo::from_bytes, PointsTo::to_bytes, || PointsTo::new(&self.program))
    }

    /// What depends on what.
    pub fn pdg(&self, points_to: &PointsTo) -> Pdg {
        self.kept("dependence", Pdg::from_bytes, Pdg::to_bytes, || {
            let memory = Memory::new(&self.program, points_to);
            let edges = Edges::new(&self.program, points_to);
            Pdg::new(&memory, &edges, &mut Reaching::new(&memory, &edges, Limits::default()))
        })
    }

    /// An analysis, read back or made and kept.
    fn kept<T>(
        &self,
        what: &str,
        read: fn(&[u8]) -> Result<T, StoredError>,
        write: fn(&T) -> Vec<u8>,
        make: impl FnOnce() -> T,
    ) -> T {
        let place = self.home.join(format!("{}.{what}", self.name));
        if let Some(known) = self::read(&self.cache, &place).and_then(|bytes| read(&bytes).ok()) {
            return known;
        }
        let made = make();
        // As above.
        let _ = keep(&self.cache, &place, &write(&made));
        made
    }
}

pub fn keep(cache: &Cache, place: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    sealed::write(cache, place, &name_in_full(place), bytes)
}

/// What was kept there, if it is whole.
pub fn read(cache: &Cache, place: &Path) -> Option<Vec<u8>> {
    let bytes = sealed::read(place, &name_in_full(place))?;
    cache.used(place);
    Some(bytes)
}

fn name_in_full(place: &Path) -> String {
    place.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The stored form belongs to the build of Parallax that wrote it.
pub fn this_parallax() -> String {
    let metadata = std::env::current_exe().and_then(|exe| exe.metadata());
    let made = metadata.as_ref().ok().and_then(|m| m.modified().ok());
    let since = made.and_then(|m| m.duration_since(std::time::UNIX_EPOCH).ok());
    let size = metadata.map_or(0, |m| m.len());
    format!("{size:x}-{:x}", since.map_or(0, |d| d.as_nanos()))
}
