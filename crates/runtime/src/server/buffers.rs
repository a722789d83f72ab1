//! Memory of the kernel's that a run holds through descriptors: buffers of pipes and of pairs of sockets.
//!
//! In: numbers of processes. Out: as many bytes as these buffers can hold, each once however many descriptors lead to it.
//!
//! Always holds: nothing is allocated; a process that may not be looked into counts as if all its descriptors were sockets.

use super::{each_in, format_path, look_at_thread, shared};

/// What the kernel lets one socket hold that was sent and not received, at most (twice `net.core.wmem_max` as it is by default).
const SOCKET_BYTES: u64 = 425_984;
/// What a pipe holds; runs cannot make it larger.
const PIPE_BYTES: u64 = 65_536;
/// Descriptors of a process, at most (see `MAX_OPEN_FILES` of the runner).
const MOST_DESCRIPTORS: u64 = 1024;
/// Buffers that are recognised when they are met again, a power of two; any more count each time.
const REMEMBERED: usize = 4096;
/// How many places are tried for one.
const TRIES: usize = 16;

/// Bytes that these processes can have in buffers.
pub fn held(processes: impl Iterator<Item = i32>) -> u64 {
    let mut seen = [0u64; REMEMBERED];
    let mut bytes = 0u64;
    for pid in processes {
        let mut is_open = false;
        each_in(pid, "fd", |fd| {
            is_open = true;
            if let Some((inode, size)) = buffer_of(pid, fd).filter(|(inode, _)| is_new(&mut seen, *inode)) {
                debug_assert_ne!(inode, 0);
                bytes = bytes.saturating_add(size);
            }
            true
        });
        if !is_open && is_closed_to_us(pid) {
            bytes = bytes.saturating_add(MOST_DESCRIPTORS * SOCKET_BYTES);
        }
    }
    bytes
}

/// Is it that we may not look, or are there no descriptors?
fn is_closed_to_us(pid: i32) -> bool {
    let mut path = [0u8; 64];
    let Some(path) = format_path(&mut path, format_args!("/proc/{pid}/fd")) else { return false };
    // SAFETY: the path is NUL-terminated; what is opened is closed.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC);
        if fd >= 0 {
            libc::close(fd);
            return false;
        }
    }
    // One that is just ending may not be looked into either, and holds nothing for long.
    shared::is_forbidden() && look_at_thread(pid).is_some_and(|(process, _)| process.mapped > 0)
}

/// Number and size of what a descriptor leads to, if that is a pipe or a socket.
fn buffer_of(pid: i32, fd: i32) -> Option<(u64, u64)> {
    let mut path = [0u8; 64];
    let path = format_path(&mut path, format_args!("/proc/{pid}/fd/{fd}"))?;
    let mut target = [0u8; 64];
    // SAFETY: the path is NUL-terminated; at most the target's length is written.
    let got = unsafe { libc::readlink(path.as_ptr(), target.as_mut_ptr().cast(), target.len()) };
    described(target.get(..usize::try_from(got).ok()?)?)
}

/// The kernel writes `pipe:[NUMBER]` and `socket:[NUMBER]`. (No path looks like that: it begins with a slash.)
fn described(target: &[u8]) -> Option<(u64, u64)> {
    let kinds = [(&b"pipe:["[..], PIPE_BYTES), (b"socket:[", SOCKET_BYTES)];
    let (rest, size) = kinds.iter().find_map(|(name, size)| Some((target.strip_prefix(*name)?, *size)))?;
    let digits = std::str::from_utf8(rest.strip_suffix(b"]")?).ok()?;
    Some((digits.parse().ok()?, size))
}

/// Notes a number; false if it was noted before.
fn is_new(seen: &mut [u64; REMEMBERED], inode: u64) -> bool {
    let first = inode.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 32;
    for at in (first..first + TRIES).map(|at| at % REMEMBERED) {
        if seen[at] == inode {
            return false;
        }
        if seen[at] == 0 {
            seen[at] = inode;
            return true;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_sockets_are_told_from_files() {
        assert_eq!(described(b"pipe:[7]"), Some((7, PIPE_BYTES)));
        assert_eq!(described(b"socket:[123456]"), Some((123_456, SOCKET_BYTES)));
        for other in [&b"/tmp/pipe:[7]"[..], b"anon_inode:[eventpoll]", b"pipe:[x]", b"socket:[7", b""] {
            assert_eq!(described(other), None);
        }
    }

    #[test]
    fn a_buffer_counts_once() {
        let mut seen = [0; REMEMBERED];
        assert!((1..2000).all(|inode| is_new(&mut seen, inode)));
        assert!((1..2000).all(|inode| !is_new(&mut seen, inode)));
    }

    #[test]
    fn own_pipes_are_found() {
        let mut ends = [0; 2];
        // SAFETY: two descriptors are written, and closed again.
        unsafe {
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            let me = libc::getpid();
            assert!(held([me, me].into_iter()) >= PIPE_BYTES);
            libc::close(ends[0]);
            libc::close(ends[1]);
        }
    }
}
