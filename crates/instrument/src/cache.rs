//! Instrumented programs by content: a directory with the program and its map, named after a hash of
//! everything that determines them.
//!
//! Always holds: a directory appears complete or not at all (made aside, then renamed).

use crate::cx::Result;
use crate::error::Error;
use crate::{link, Instrumented, Options, ProgramMap};
use std::hash::Hasher;
use std::path::Path;

const MAP: &str = "map.json";
const PROGRAM: &str = "program";

fn key(options: &Options) -> Result<String> {
    let bitcode = std::fs::read(&options.bitcode)
        .map_err(|e| Error::Bitcode { path: options.bitcode.clone(), message: e.to_string() })?;
    let mut hash = blake3::Hasher::new();
    for part in [&bitcode, link::MODELS, link::RUNTIME, env!("PARALLAX_INSTRUMENTER").as_bytes()] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let rest = format!("{:?} {} {:?} {:?}", options.link_arguments, options.cxx, options.mode, options.watch);
    hash.update(rest.as_bytes());
    Ok(hash.finalize().to_hex()[..32].to_string())
}

/// Load from the cache, or make with `make` in a fresh directory.
pub fn get_or_make(
    options: &Options,
    make: impl FnOnce(&Path) -> Result<ProgramMap>,
) -> Result<Instrumented> {
    let home = options.cache.join("instrumented");
    let place = home.join(key(options)?);
    if !place.join(MAP).exists() {
        let aside = home.join(format!("making-{}-{:x}", std::process::id(), unique()));
        std::fs::create_dir_all(&aside).map_err(Error::io(&aside))?;
        let made = make(&aside).and_then(|map| {
            let path = aside.join(MAP);
            let text = serde_json::to_vec(&map).map_err(|e| Error::Invalid(e.to_string()))?;
            std::fs::write(&path, text).map_err(Error::io(&path))
        });
        if let Err(e) = made {
            // What failed is reported; a left-over directory would only take room.
            let _ = std::fs::remove_dir_all(&aside);
            return Err(e);
        }
        // Another process may have been faster: then ours is not needed.
        if std::fs::rename(&aside, &place).is_err() && place.join(MAP).exists() {
            let _ = std::fs::remove_dir_all(&aside);
        }
    }
    let path = place.join(MAP);
    let text = std::fs::read(&path).map_err(Error::io(&path))?;
    let map = serde_json::from_slice(&text).map_err(|e| Error::Io {
        path: path.clone(),
        message: format!("{e}; remove the directory and try again"),
    })?;
    Ok(Instrumented { program: place.join(PROGRAM), map })
}

fn unique() -> u64 {
    let mut h = std::collections::hash_map::DefaultHasher::new();
    h.write_u128(
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos()),
    );
    h.finish()
}
