//! Analyses as bytes, for a cache.
//!
//! In: plain data. Out: bytes, and the data again. Always holds: only what the same state of this crate has written is read, because the bytes
//! begin with its name.

use crate::ir::{StoredError, FORMAT};
use serde::de::DeserializeOwned;
use serde::Serialize;

pub(crate) fn to_bytes<T: Serialize>(data: &T) -> Vec<u8> {
    // Writing plain data to memory has no way to fail.
    postcard::to_extend(data, FORMAT.as_bytes().to_vec()).unwrap_or_default()
}

pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StoredError> {
    let content = bytes.strip_prefix(FORMAT.as_bytes());
    let content = content.ok_or_else(|| StoredError::new("it is of another version of Parallax"))?;
    postcard::from_bytes(content).map_err(|e| StoredError::new(&e.to_string()))
}
