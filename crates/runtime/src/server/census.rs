//! Counts the processes of a run, their threads and their memory.
//!
//! In: `/proc`. Out: which limit the descendants of this process are over, all of them together. A thread counts as a process.
//! Pipes and pairs of sockets count with what they can hold; page tables count.
//! Shared memory without a file counts as far as it is mapped, as private memory does for the kernel: what was written to it and is not
//! in use at the moment shows nowhere.
//!
//! Always holds: nothing is allocated (see `server.rs`); a table that is full counts as "too many"; what cannot be looked
//! at counts as much as it can be.

use parallax_trace::control::{Command, LIMIT_MEMORY, LIMIT_PROCESSES};
use std::ffi::CStr;
use std::io::Write;
use std::mem::size_of;

// The path is given because `parallax-execute` includes this file too.
#[path = "buffers.rs"]
mod buffers;
#[path = "shared.rs"]
mod shared;

/// Processes looked at in one census.
const CAPACITY: usize = 8192;
const PAGE: u64 = 4096;

#[derive(Clone, Copy)]
struct Process {
    pid: i32,
    /// The number under which its memory shows.
    memory: i32,
    parent: i32,
    threads: u64,
    /// Bytes of its address space, and of those in memory.
    mapped: u64,
    resident: u64,
    ours: bool,
}

/// Bytes that Parallax itself has in a process.
#[derive(Clone, Copy, Default)]
pub struct Own {
    pub shared: u64,
    pub mapped: u64,
}

/// The table, in memory that the server mapped once.
pub struct Census {
    table: *mut Process,
    /// Whose descendants are counted.
    root: i32,
    /// Not the program's, in a process of a run.
    pub own: Own,
}

impl Census {
    pub const BYTES: usize = CAPACITY * size_of::<Process>();

    /// `memory`: at least [`Census::BYTES`] bytes, page-aligned, zeroed, for this census alone and for good.
    pub fn new(memory: *mut u8, root: i32) -> Census {
        Census { table: memory.cast(), root, own: Own::default() }
    }

    /// The same from outside, for somebody who knows nothing of what is in these processes: `LIMIT_*` bits if there are more processes and
    /// threads, or if they have more bytes in memory (0: without limit).
    pub fn resident_over(&mut self, processes: u32, bytes: u64) -> u32 {
        let most = match processes {
            0 => CAPACITY,
            n => (n as usize).min(CAPACITY - 1),
        };
        let ours = self.take(most + 1);
        if ours.len() > most || ours.iter().map(|p| p.threads).sum::<u64>() > most as u64 {
            return LIMIT_PROCESSES;
        }
        let resident = |p: &Process| proportional(p).saturating_add(page_tables(p));
        let is_near = bytes > 0 && ours.iter().map(|p| p.resident).sum::<u64>() > bytes;
        if is_near && ours.iter().map(resident).sum::<u64>() > bytes {
            return LIMIT_MEMORY;
        }
        0
    }

    /// `LIMIT_*` bits that the run is over. `alone`: all processes there are belong to the run. `unseen`: a child that still is as the server
    /// is, which nobody may look into, and holds nothing. Takes no longer
    /// than looking at as many processes as are allowed, so that a run that grows fast is caught.
    pub fn over(&mut self, command: &Command, alone: bool, unseen: Option<i32>) -> u32 {
        let most = match command.max_processes {
            0 => CAPACITY,
            n => (n as usize).min(CAPACITY - 1),
        };
        if alone {
            let mut count = 0;
            each_number(c"/proc", |_| {
                count += 1;
                count <= most + 1
            });
            // One is the server.
            if count > most + 1 {
                return LIMIT_PROCESSES;
            }
        }
        let own = self.own;
        let ours = self.take(most + 1);
        if ours.len() > most || ours.iter().map(|p| p.threads).sum::<u64>() > most as u64 {
            return LIMIT_PROCESSES;
        }
        let held = match command.total_memory_bytes {
            0 => return 0,
            _ => {
                let seen = ours.iter().filter(|p| p.mapped > 0 && Some(p.pid) != unseen);
                buffers::held(seen.map(|p| p.memory))
            }
        };
        match command.total_memory_bytes.checked_sub(held) {
            Some(most) if !is_over(ours, own, most) => 0,
            _ => LIMIT_MEMORY,
        }
    }

    /// Calls `f` for every living descendant.
    pub fn each_descendant(&mut self, mut f: impl FnMut(i32)) {
        self.take(CAPACITY).iter().for_each(|p| f(p.pid));
    }

    /// Descendants of the root, up to `most` of them.
    fn take(&mut self, most: usize) -> &mut [Process] {
        // SAFETY: by the contract of `new` the memory holds CAPACITY processes, for this value alone, and
        // started as zeros, which are a valid process.
        let table = unsafe { std::slice::from_raw_parts_mut(self.table, CAPACITY) };
        match by_children(table, self.root, most) {
            Some(len) => &mut table[..len],
            None => by_parents(table, self.root),
        }
    }
}

/// Follows the kernel's lists of children; `None` if it keeps none (`CONFIG_PROC_CHILDREN`).
fn by_children(table: &mut [Process], me: i32, most: usize) -> Option<usize> {
    let (mut len, mut next) = (0, 0);
    let mut parent = me;
    let mut lists = false;
    loop {
        each_in(parent, "task", |thread| {
            let mut buffer = [0u8; 4096];
            let mut path = [0u8; 64];
            let name = format_path(&mut path, format_args!("/proc/{parent}/task/{thread}/children"));
            if let Some(list) = name.and_then(|name| read_file(name, &mut buffer)) {
                lists |= true;
                for pid in list.split(|&b| b == b' ').filter_map(number) {
                    if len < most {
                        // A list that is cut may end in half a number.
                        if let Some(process) = look_at(pid as i32).filter(|p| p.parent == parent) {
                            table[len] = process;
                            len += 1;
                        }
                    }
                }
            }
            len < most
        });
        if len >= most {
            return Some(len);
        }
        if next == len {
            // An empty list reads as nothing: only a list with something in it shows that there are lists.
            return lists.then_some(len);
        }
        parent = table[next].pid;
        next += 1;
    }
}

/// Looks at all processes and moves the descendants of `me` to the front.
fn by_parents(table: &mut [Process], me: i32) -> &mut [Process] {
    let mut len = 0;
    each_number(c"/proc", |pid| {
        if let Some(process) = look_at(pid) {
            table[len] = process;
            len += 1;
        }
        len < CAPACITY
    });
    let all = &mut table[..len];
    loop {
        let mut changed = false;
        for i in 0..all.len() {
            let parent = all[i].parent;
            if !all[i].ours && (parent == me || all.iter().any(|p| p.ours && p.pid == parent)) {
                all[i].ours = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    all.sort_unstable_by_key(|p| !p.ours);
    let ours = all.iter().take_while(|p| p.ours).count();
    &mut all[..ours]
}

/// A process that has ended and that nobody has waited for counts: it has a number. It has no memory.
fn look_at(pid: i32) -> Option<Process> {
    let (process, zombie) = look_at_thread(pid)?;
    if !zombie {
        return Some(process);
    }
    // The first thread may have ended before the others. The memory is theirs then, and shows under their numbers.
    let mut memory = None;
    if process.threads > 1 {
        each_in(pid, "task", |thread| {
            memory = look_at_thread(thread).filter(|(_, zombie)| !zombie);
            memory.is_none()
        });
    }
    let ended = Process { threads: 1, mapped: 0, resident: 0, ..process };
    Some(memory.map_or(ended, |(thread, _)| Process { pid, ..thread }))
}

/// And has it ended?
fn look_at_thread(pid: i32) -> Option<(Process, bool)> {
    let mut buffer = [0u8; 1024];
    let stat = read_proc(pid, "stat", &mut buffer)?;
    // The name in parentheses may hold anything; fields are counted from behind it.
    let after = stat.iter().rposition(|&b| b == b')')? + 1;
    let mut fields = stat[after..].split(|&b| b == b' ').filter(|f| !f.is_empty());
    let zombie = fields.next()? == b"Z";
    let parent = number(fields.next()?)? as i32;
    let threads = number(fields.nth(15)?)?;
    let mapped = number(fields.nth(2)?)?;
    let resident = number(fields.next()?)? * PAGE;
    Some((Process { pid, memory: pid, parent, threads, mapped, resident, ours: false }, zombie))
}

/// Do these processes together hold more than `most` bytes? Takes a close look only if they might.
fn is_over(ours: &[Process], own: Own, most: u64) -> bool {
    let resident: u64 = ours.iter().map(|p| p.resident).sum();
    let mapped: u64 = ours.iter().map(|p| p.mapped).fold(0, u64::saturating_add);
    if resident <= most && mapped <= most {
        return false;
    }
    // Of a process that cannot be looked into.
    let unknown = |p: &Process| p.mapped.saturating_sub(own.mapped);
    let shared = shared::mapped_together(ours.iter().map(|p| (p.memory, unknown(p))));
    let shared = shared.saturating_sub(own.shared);
    let tables = ours.iter().map(page_tables).sum::<u64>();
    if resident.saturating_add(shared).saturating_add(tables) <= most {
        return false;
    }
    ours.iter().map(proportional).sum::<u64>().saturating_add(shared).saturating_add(tables) > most
}

/// Resident memory with pages that several processes have divided among them. Without shared memory, which is counted by itself,
/// and files in memory, of which there are as many as the scratch directory holds.
fn proportional(process: &Process) -> u64 {
    let mut buffer = [0u8; 2048];
    let Some(text) = read_proc(process.memory, "smaps_rollup", &mut buffer) else {
        // One that is just ending has no memory any more.
        return if shared::is_forbidden() { process.resident } else { 0 };
    };
    let all = kib(text, b"Pss:").map_or(process.resident, |kib| kib * 1024);
    all.saturating_sub(kib(text, b"Pss_Shmem:").map_or(0, |kib| kib * 1024))
}

/// Bytes of the tables that say where a process's pages are: a page of one takes a page of table, if it is far from all others, and may itself be
/// the page of zeros that all processes share.
fn page_tables(process: &Process) -> u64 {
    let mut buffer = [0u8; 4096];
    read_proc(process.memory, "status", &mut buffer).and_then(|text| kib(text, b"VmPTE:")).unwrap_or(0) * 1024
}

/// A number of a list of names and numbers.
fn kib(text: &[u8], name: &[u8]) -> Option<u64> {
    let line = text.split(|&b| b == b'\n').find(|l| l.starts_with(name))?;
    number(line.split(|&b| b == b' ' || b == b'\t').find(|w| w.first().is_some_and(u8::is_ascii_digit))?)
}

/// Bytes that `RLIMIT_DATA` counts for this process now.
pub fn own_data_bytes() -> u64 {
    own_statm(5)
}

/// Bytes of this process's address space.
pub fn own_mapped_bytes() -> u64 {
    own_statm(0)
}

fn own_statm(field: usize) -> u64 {
    let mut buffer = [0u8; 256];
    let pages = read_file(c"/proc/self/statm", &mut buffer)
        .and_then(|text| number(text.split(|&b| b == b' ').nth(field)?));
    pages.unwrap_or(0) * PAGE
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

fn format_path<'a>(buffer: &'a mut [u8; 64], path: std::fmt::Arguments) -> Option<&'a CStr> {
    // The last byte stays 0.
    (&mut buffer[..63]).write_fmt(path).ok()?;
    CStr::from_bytes_until_nul(buffer).ok()
}

fn read_proc<'a>(pid: i32, name: &str, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let mut path = [0u8; 64];
    read_file(format_path(&mut path, format_args!("/proc/{pid}/{name}"))?, buffer)
}

/// Calls `f` for the numbers in a directory of a process, as long as it says so.
fn each_in(pid: i32, name: &str, f: impl FnMut(i32) -> bool) {
    let mut path = [0u8; 64];
    if let Some(path) = format_path(&mut path, format_args!("/proc/{pid}/{name}")) {
        each_number(path, f);
    }
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

/// Calls `f` for every entry of the directory whose name is a number, as long as it says so.
fn each_number(directory: &CStr, mut f: impl FnMut(i32) -> bool) {
    // Where the fields of `struct linux_dirent64` are.
    const LENGTH_AT: usize = 16;
    const NAME_AT: usize = 19;
    let mut buffer = [0u8; 8192];
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::open(directory.as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC) };
    if fd < 0 {
        return;
    }
    let mut wanted = true;
    while wanted {
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
                wanted = wanted && f(pid as i32);
            }
            entries = &entries[length..];
        }
    }
    // SAFETY: closes what was opened above.
    unsafe { libc::close(fd) };
}
