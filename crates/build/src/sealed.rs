//! Files of the cache that know whether they are whole.
//!
//! In: what a file is for, and its content. Out: the content again, if the file holds exactly that and is for exactly that.
//!
//! What always holds: a file that was cut, changed, emptied, exchanged with another, or replaced by a directory or a link is the same as
//! one that is not there. It goes, and is made again.
//!
//! A sealed file is one line (a word, and the hash of name and content) and the content. Files that other programs read by their path
//! cannot have such a line; their hash stands in a sealed file beside them.

use std::fs;
use std::path::Path;

use serde::{de::DeserializeOwned, Serialize};

use crate::cache::{hash_file, Cache};
use crate::error::{AtPath, BuildError};

const WORD: &str = "parallax-sealed-1";

/// The line of a file that is for `name`.
fn line(name: &str, content: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes()).update(content);
    format!("{WORD} {}\n", hasher.finalize().to_hex())
}

/// Writes a file for `name`, as a whole.
pub fn write(cache: &Cache, path: &Path, name: &str, content: &[u8]) -> Result<(), BuildError> {
    let file = cache.temporary(".sealed")?;
    fs::write(file.path(), [line(name, content).as_bytes(), content].concat()).at(file.path())?;
    cache.keep(file, path)
}

/// The content of a file for `name`.
pub fn read(path: &Path, name: &str) -> Option<Vec<u8>> {
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = fs::read(path).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')? + 1;
    let content = bytes.split_off(end);
    (bytes == line(name, &content).as_bytes()).then_some(content)
}

pub fn write_json(cache: &Cache, path: &Path, name: &str, value: &impl Serialize) -> Result<(), BuildError> {
    // Fails for paths that are no text.
    let content = serde_json::to_vec(value).map_err(std::io::Error::from).at(path)?;
    write(cache, path, name, &content)
}

pub fn read_json<T: DeserializeOwned>(path: &Path, name: &str) -> Option<T> {
    serde_json::from_slice(&read(path, name)?).ok()
}

/// Is this a file of its own with this content?
pub fn is_file_with(path: &Path, hash: &str) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
        && hash_file(path).is_ok_and(|found| found == hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_file_in_its_own_place_is_read() {
        let home = tempfile::tempdir().unwrap();
        let cache = Cache::at(home.path());
        let path = home.path().join("file");
        let whole = |name: &str| read(&path, name);
        write(&cache, &path, "one", b"content\nof two lines").unwrap();
        assert_eq!(whole("one").as_deref(), Some(&b"content\nof two lines"[..]));
        assert_eq!(whole("another"), None);
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(whole("one"), None, "byte {at}");
            fs::write(&path, &bytes[..at]).unwrap();
            assert_eq!(whole("one"), None, "cut at {at}");
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(whole("one"), None);
        write(&cache, &path, "one", b"again").unwrap();
        assert_eq!(whole("one").as_deref(), Some(&b"again"[..]));
    }
}
