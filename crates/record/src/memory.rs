//! Memory of a traced process.
//!
//! In: a process and an address. Out: bytes, or nothing where there are none.

use std::ffi::OsString;
use std::io::IoSliceMut;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use nix::sys::uio::{process_vm_readv, RemoteIoVec};
use nix::unistd::Pid;

/// Longest path that the kernel takes.
const MAX_PATH: usize = 4096;
const PAGE: usize = 4096;
/// Most parts of one gathered write that the kernel takes.
const MAX_PARTS: usize = 1024;
/// Address and length.
const PART: usize = 16;

/// A path that ends with NUL.
pub fn path(pid: Pid, address: u64) -> Option<PathBuf> {
    let mut path = Vec::new();
    while path.len() < MAX_PATH {
        let from = address as usize + path.len();
        // Up to the end of the page: the next one need not be there.
        let part = bytes(pid, from as u64, PAGE - from % PAGE)?;
        if let Some(end) = part.iter().position(|byte| *byte == 0) {
            path.extend(&part[..end]);
            return Some(PathBuf::from(OsString::from_vec(path)));
        }
        path.extend(part);
    }
    None
}

pub fn bytes(pid: Pid, address: u64, len: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; len];
    let remote = [RemoteIoVec { base: address as usize, len }];
    let read = process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &remote).ok()?;
    (read == len).then_some(bytes)
}

/// The first `len` bytes of what the `count` parts at `address` name.
pub fn gathered(pid: Pid, address: u64, count: u64, len: usize) -> Option<Vec<u8>> {
    let table = bytes(pid, address, (count as usize).min(MAX_PARTS) * PART)?;
    let mut all = Vec::with_capacity(len);
    for part in table.chunks_exact(PART) {
        let word = |at: usize| part[at..at + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let take = (word(8) as usize).min(len - all.len());
        if take > 0 {
            all.extend(bytes(pid, word(0), take)?);
        }
    }
    (all.len() == len).then_some(all)
}
