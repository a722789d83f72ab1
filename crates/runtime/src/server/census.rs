//! Counts the processes of a run and their memory.
//!
//! In: `/proc`. Out: which limit the descendants of this process are over.
//!
//! Always holds: nothing is allocated (see `server.rs`); processes beyond the table's size are not
//! looked at, and a table that is full counts as "too many".

use parallax_trace::control::{Command, LIMIT_MEMORY, LIMIT_PROCESSES};
use std::ffi::CStr;
use std::io::Write;
use std::mem::size_of;

/// Processes looked at in one census.
const CAPACITY: usize = 8192;
const PAGE: u64 = 4096;

#[derive(Clone, Copy)]
struct Process {
    pid: i32,
    parent: i32,
    resident: u64,
    ours: bool,
}

/// The table, in memory that the server mapped once.
pub struct Census {
    table: *mut Process,
}

impl Census {
    pub const BYTES: usize = CAPACITY * size_of::<Process>();

    /// `memory`: at least [`Census::BYTES`] bytes, page-aligned, zeroed, for this census alone and for good.
    pub fn new(memory: *mut u8) -> Census {
        Census { table: memory.cast() }
    }

    /// `LIMIT_*` bits that the run is over.
    pub fn over(&mut self, command: &Command) -> u32 {
        let ours = self.take();
        let count = ours.iter().filter(|p| p.ours).count();
        if command.max_processes > 0 && (count > command.max_processes as usize || ours.len() == CAPACITY) {
            return LIMIT_PROCESSES;
        }
        let resident: u64 = ours.iter().filter(|p| p.ours).map(|p| p.resident).sum();
        if command.total_memory_bytes > 0 && resident > command.total_memory_bytes {
            let exact: u64 = ours.iter().filter(|p| p.ours).map(proportional).sum();
            if exact > command.total_memory_bytes {
                return LIMIT_MEMORY;
            }
        }
        0
    }

    /// Calls `f` for every living descendant.
    pub fn each_descendant(&mut self, mut f: impl FnMut(i32)) {
        self.take().iter().filter(|p| p.ours).for_each(|p| f(p.pid));
    }

    /// All processes, descendants of this one marked.
    fn take(&mut self) -> &mut [Process] {
        // SAFETY: by the contract of `new` the memory holds CAPACITY processes, for this value alone, and
        // started as zeros, which are a valid process.
        let table = unsafe { std::slice::from_raw_parts_mut(self.table, CAPACITY) };
        let mut len = 0;
        each_number(c"/proc", |pid| {
            if len < CAPACITY {
                if let Some(process) = look_at(pid) {
                    table[len] = process;
                    len += 1;
                }
            }
        });
        let table = &mut table[..len];
        mark_descendants(table);
        table
    }
}

/// A process is ours if its parent is this process or ours. Parents mostly come before their children, so
/// two or three passes do.
fn mark_descendants(table: &mut [Process]) {
    // SAFETY: getpid touches no memory.
    let me = unsafe { libc::getpid() };
    loop {
        let mut changed = false;
        for i in 0..table.len() {
            let parent = table[i].parent;
            if !table[i].ours && (parent == me || table.iter().any(|p| p.ours && p.pid == parent)) {
                table[i].ours = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn look_at(pid: i32) -> Option<Process> {
    let mut buffer = [0u8; 1024];
    let stat = read_proc(pid, "stat", &mut buffer)?;
    // The name in parentheses may hold anything; fields are counted from behind it.
    let after = stat.iter().rposition(|&b| b == b')')? + 1;
    let mut fields = stat[after..].split(|&b| b == b' ').filter(|f| !f.is_empty());
    let zombie = fields.next()? == b"Z";
    let parent = number(fields.next()?)? as i32;
    let resident = number(fields.nth(19)?)? * PAGE;
    (!zombie).then_some(Process { pid, parent, resident, ours: false })
}

/// Resident memory with shared pages divided among those who share them.
fn proportional(process: &Process) -> u64 {
    let mut buffer = [0u8; 2048];
    let pss = read_proc(process.pid, "smaps_rollup", &mut buffer).and_then(|text| {
        let line = text.split(|&b| b == b'\n').find(|l| l.starts_with(b"Pss:"))?;
        number(line.split(|&b| b == b' ').find(|w| w.first().is_some_and(u8::is_ascii_digit))?)
    });
    pss.map_or(process.resident, |kib| kib * 1024)
}

/// Bytes that `RLIMIT_DATA` counts for this process now.
pub fn own_data_bytes() -> u64 {
    let mut buffer = [0u8; 256];
    let data = read_file(c"/proc/self/statm", &mut buffer)
        .and_then(|text| number(text.split(|&b| b == b' ').nth(5)?));
    data.unwrap_or(0) * PAGE
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

fn read_proc<'a>(pid: i32, name: &str, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let mut path = [0u8; 64];
    write!(&mut path[..63], "/proc/{pid}/{name}").ok()?;
    read_file(CStr::from_bytes_until_nul(&path).ok()?, buffer)
}

/// As much of a file as fits.
fn read_file<'a>(path: &CStr, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    // SAFETY: the path is NUL-terminated; read writes at most the buffer's length.
    let got = unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return None;
        }
        let got = libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len());
        libc::close(fd);
        got
    };
    (got > 0).then(|| &buffer[..got as usize])
}

/// Calls `f` for every entry of the directory whose name is a number.
fn each_number(directory: &CStr, mut f: impl FnMut(i32)) {
    // Where the fields of `struct linux_dirent64` are.
    const LENGTH_AT: usize = 16;
    const NAME_AT: usize = 19;
    let mut buffer = [0u8; 8192];
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::open(directory.as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC) };
    if fd < 0 {
        return;
    }
    loop {
        // SAFETY: getdents64 writes at most the buffer's length.
        let got = unsafe { libc::syscall(libc::SYS_getdents64, fd, buffer.as_mut_ptr(), buffer.len()) };
        if got <= 0 {
            break;
        }
        let mut entries = &buffer[..got as usize];
        while entries.len() > NAME_AT {
            let length = u16::from_ne_bytes([entries[LENGTH_AT], entries[LENGTH_AT + 1]]) as usize;
            let name = entries[NAME_AT..length].split(|&b| b == 0).next().unwrap_or_default();
            if let Some(pid) = number(name) {
                f(pid as i32);
            }
            entries = &entries[length..];
        }
    }
    // SAFETY: closes what was opened above.
    unsafe { libc::close(fd) };
}
