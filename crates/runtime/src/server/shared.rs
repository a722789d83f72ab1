//! Shared memory that belongs to no file, in the mappings of a run's processes.
//!
//! In: `/proc/PID/maps`. Out: bytes mapped, each piece of memory once however many processes map it.
//!
//! Always holds: nothing is allocated; a process that may not be looked into counts with what is given for that.

use super::format_path;
use std::ffi::CStr;

/// How the kernel names shared memory without a file.
const NAME: &[u8] = b"/dev/zero (deleted)";
/// Pieces that are recognised when they are met again; any more count each time.
const REMEMBERED: usize = 256;
/// Longer lines (a path may be that long) are of no interest.
const LINE_BYTES: usize = 512;

/// Bytes that the processes share. Each is given with what it counts if it may not be looked into.
pub fn mapped_together(processes: impl Iterator<Item = (i32, u64)>) -> u64 {
    let mut seen = Seen { inodes: [(0, 0); REMEMBERED], len: 0, bytes: 0 };
    for (pid, unknown) in processes {
        let mut path = [0u8; 64];
        let Some(path) = format_path(&mut path, format_args!("/proc/{pid}/maps")) else { continue };
        if !each_line(path, |line| seen.note(line)) {
            seen.bytes = seen.bytes.saturating_add(unknown);
        }
    }
    seen.bytes
}

struct Seen {
    /// Number of the memory, and the most of it that was seen in one mapping.
    inodes: [(u64, u64); REMEMBERED],
    len: usize,
    bytes: u64,
}

impl Seen {
    fn note(&mut self, line: &[u8]) {
        let Some((inode, bytes)) = shared_memory(line) else { return };
        let known = self.inodes[..self.len].iter_mut().find(|(known, _)| *known == inode);
        let before = match known {
            Some((_, most)) => std::mem::replace(most, bytes.max(*most)),
            None => {
                if let Some(free) = self.inodes.get_mut(self.len) {
                    *free = (inode, bytes);
                    self.len += 1;
                }
                0
            }
        };
        self.bytes = self.bytes.saturating_add(bytes.saturating_sub(before));
    }
}

/// The number and the length of shared memory, up to its end in this mapping.
fn shared_memory(line: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(line.strip_suffix(NAME)?).ok()?;
    let mut words = text.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let hexadecimal = |word| u64::from_str_radix(word, 16).ok();
    let len = hexadecimal(end)?.checked_sub(hexadecimal(start)?)?;
    let _rights = words.next()?;
    let offset = hexadecimal(words.next()?)?;
    let _device = words.next()?;
    Some((words.next()?.parse().ok()?, offset.checked_add(len)?))
}

/// Did the last system call fail because this process may not look into the other?
pub fn is_forbidden() -> bool {
    matches!(super::super::errno(), libc::EACCES | libc::EPERM)
}

/// Calls `f` for every line, cut if it is long; false if that is not allowed. A process that is just ending has no lines.
fn each_line(path: &CStr, mut f: impl FnMut(&[u8])) -> bool {
    let mut buffer = [0u8; 8192];
    let (mut line, mut len) = ([0u8; LINE_BYTES], 0);
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if fd < 0 {
        return !is_forbidden();
    }
    loop {
        // SAFETY: at most the buffer's length is written.
        let got = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
        if got <= 0 {
            break;
        }
        for byte in &buffer[..got as usize] {
            if *byte == b'\n' {
                f(&line[..len.min(LINE_BYTES)]);
                len = 0;
            } else {
                if let Some(room) = line.get_mut(len) {
                    *room = *byte;
                }
                len += 1;
            }
        }
    }
    // SAFETY: opened above.
    unsafe { libc::close(fd) };
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_told_from_everything_else() {
        let line = b"7f0000000000-7f0000400000 rw-s 00001000 00:01 77    /dev/zero (deleted)";
        assert_eq!(shared_memory(line), Some((77, 0x40_1000)));
        for line in [
            &b"7f0000000000-7f0000400000 rw-p 00000000 00:00 0 "[..],
            b"7f0000000000-7f0000400000 rw-s 00000000 00:01 77    /memfd:x (deleted)",
            b"7f0000000000-7f0000400000 rw-s 00000000 00:01 77    /tmp/f",
            b"zero-more rw-s 0 0 0 /dev/zero (deleted)",
            b"",
        ] {
            assert_eq!(shared_memory(line), None);
        }
    }

    #[test]
    fn memory_that_is_mapped_twice_counts_once() {
        let mut seen = Seen { inodes: [(0, 0); REMEMBERED], len: 0, bytes: 0 };
        for line in ["1000-3000 rw-s 0 00:01 5 ", "8000-9000 rw-s 1000 00:01 5 ", "1000-2000 rw-s 0 00:01 6 "]
        {
            seen.note(&[line.as_bytes(), NAME].concat());
        }
        assert_eq!(seen.bytes, 0x3000);
    }

    #[test]
    fn a_process_that_has_ended_counts_nothing() {
        assert_eq!(mapped_together([(i32::MAX, 4096)].into_iter()), 0);
    }
}
