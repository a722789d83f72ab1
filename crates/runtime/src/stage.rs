//! A process that runs one test case after another.
//!
//! Forking and ending a process takes the kernel several times as long as a small program runs. A stage is forked
//! once, remembers all memory that it can write to ([`mark`]), and puts it back after every run ([`end`]): pages that it had of
//! its own are copied back, all others are given back to the kernel, which then hands them out as they first were.
//! Descriptors, the break and mappings are put back too. What else a program can do to its process (`LASTING` in the
//! instrumenter) has the instrumenter say that there is no stage for it.
//!
//! In: a process before its first run. Out: the same process, before every run. Always holds: if anything is not as it was
//! and cannot be put back, the process ends as the program would have ended, and the server forks another.

use crate::server;
use libc::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

const PAGE: usize = 4096;
/// Mappings of a process, and parts of them that are copied or given back.
const MAX_MAPPINGS: usize = 1024;
const MAX_PARTS: usize = 4096;
/// Room for what the kernel says about the mappings.
const TEXT_BYTES: usize = 1 << 20;
const STACK_BYTES: usize = 1 << 16;
/// Room for copies of pages.
const SAVED_BYTES: usize = 64 << 20;
/// Mappings larger than this are looked at only as a whole: they must be empty.
const LARGE: usize = 1 << 30;
/// Bits of an entry of `/proc/self/pagemap`.
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const OF_A_FILE: u64 = 1 << 61;

/// The same as in `stage.c`.
#[repr(C)]
struct Contexts {
    beginning: libc::ucontext_t,
    between: libc::ucontext_t,
    marked: c_int,
}

extern "C" {
    fn __plx_stage_mark(kept: *mut Contexts, save: extern "C" fn());
    fn __plx_stage_resume(kept: *mut Contexts, stack: *mut u8, size: usize, restore: extern "C" fn()) -> !;
}

#[derive(Clone, Copy)]
struct Mapping {
    start: usize,
    end: usize,
    is_stack: bool,
}

/// Pages in a row that are copied back, or given back if there is no copy.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    len: usize,
    copy: Option<usize>,
}

/// What survives putting back: a mapping of its own, which starts as zeros.
#[repr(C)]
struct Kept {
    contexts: Contexts,
    is_able: bool,
    mappings_len: usize,
    parts_len: usize,
    saved_len: usize,
    /// The end of the heap, and all pages of the process.
    heap_end: usize,
    pages: usize,
    mask: libc::mode_t,
    mappings: [Mapping; MAX_MAPPINGS],
    parts: [Part; MAX_PARTS],
    text: [u8; TEXT_BYTES],
    stack: [u8; STACK_BYTES],
    saved: [u8; SAVED_BYTES],
}

const _: () = assert!(size_of::<Kept>() <= server::staged::KEPT_BYTES);

static KEPT: AtomicPtr<Kept> = AtomicPtr::new(std::ptr::null_mut());

fn kept() -> Option<&'static mut Kept> {
    // SAFETY: null, or a mapping that is never unmapped; zeros are a valid value, and the one thread that
    // calls this module does not keep the reference across calls.
    unsafe { KEPT.load(Ordering::Relaxed).as_mut() }
}

/// Remembers the process as it is. Returns for every run, the first time at once: can there be another run after it?
pub fn mark() -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // Shared, though with nobody: the limit of a run's memory does not count it then, and it is not saved.
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping for this module alone.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<Kept>(), protection, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return false;
    }
    KEPT.store(at.cast(), Ordering::Relaxed);
    // SAFETY: the contexts live in memory that is never put back; `save` remembers all other memory.
    unsafe { __plx_stage_mark(at.cast(), save) };
    kept().is_some_and(|kept| kept.is_able)
}

/// After the program's last exit handler: makes the process what it was before the run. Returns if this is not a stage.
pub fn end(status: c_int) {
    let Some(kept) = kept() else { return };
    // SAFETY: all of the program's code has run. What is called here allocates nothing that is used later.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        if !kept.is_able || !kept.tidy() {
            libc::_exit(status);
        }
        server::staged::run_ended((status & 0xff) << 8);
        __plx_stage_resume(&mut kept.contexts, kept.stack.as_mut_ptr(), STACK_BYTES, restore)
    }
}

extern "C" fn save() {
    if let Some(kept) = kept() {
        kept.is_able = kept.save().is_some();
    }
}

/// On a stack of its own. Writes no memory that it does not put back: after the copies there is nothing but the return.
extern "C" fn restore() {
    let Some(kept) = kept() else { return };
    let parts = &kept.parts[..kept.parts_len];
    // SAFETY: the parts are pages of this process, and `tidy` has seen to it that they are mapped.
    unsafe {
        for part in parts.iter().filter(|part| part.copy.is_none()) {
            libc::madvise(part.start as *mut c_void, part.len, libc::MADV_DONTNEED);
        }
        for part in parts {
            if let Some(copy) = part.copy {
                libc::memcpy(part.start as *mut c_void, kept.saved.as_ptr().add(copy).cast(), part.len);
            }
        }
    }
}

impl Kept {
    fn save(&mut self) -> Option<()> {
        // SAFETY: plain system calls.
        unsafe {
            self.heap_end = libc::syscall(libc::SYS_brk, 0) as usize;
            self.mask = libc::umask(0);
            libc::umask(self.mask);
        }
        let len = read_all(c"/proc/self/smaps", &mut self.text)?;
        let text: *const [u8] = &self.text[..len];
        let pagemap = open(c"/proc/self/pagemap")?;
        // SAFETY: nobody writes to the text before this is done; the descriptor was opened above.
        unsafe {
            let saved = self.save_mappings(&*text, pagemap);
            libc::close(pagemap);
            saved?;
        }
        self.pages = pages_now()?;
        Some(())
    }

    /// `text`: what the kernel says about the mappings.
    fn save_mappings(&mut self, text: &[u8], pagemap: c_int) -> Option<()> {
        let mut lines = text.split(|b| *b == b'\n').peekable();
        while let Some(line) = lines.next() {
            let Some((mapping, is_own)) = parse_mapping(line) else { continue };
            self.add_mapping(mapping)?;
            let mut anonymous = 0;
            while let Some(line) = lines.next_if(|line| parse_mapping(line).is_none()) {
                anonymous += line.strip_prefix(b"Anonymous:").map_or(0, number_in);
            }
            if is_own {
                self.save_pages(mapping, anonymous > 0, pagemap)?;
            }
        }
        Some(())
    }

    fn add_mapping(&mut self, mapping: Mapping) -> Option<()> {
        *self.mappings.get_mut(self.mappings_len)? = mapping;
        self.mappings_len += 1;
        Some(())
    }

    /// Copies the pages that are not what the kernel would give.
    fn save_pages(&mut self, mapping: Mapping, any: bool, pagemap: c_int) -> Option<()> {
        let len = mapping.end - mapping.start;
        if !any {
            return self.add_part(mapping.start, len, None);
        }
        if len > LARGE {
            return None;
        }
        let mut entries = [0u64; 512];
        let mut at = mapping.start;
        while at < mapping.end {
            let wanted = ((mapping.end - at) / PAGE).min(entries.len());
            let (bytes, offset) = (wanted * size_of::<u64>(), at / PAGE * size_of::<u64>());
            // SAFETY: at most the entries are written.
            let got = unsafe { libc::pread(pagemap, entries.as_mut_ptr().cast(), bytes, offset as i64) };
            if got != bytes as isize {
                return None;
            }
            for entry in &entries[..wanted] {
                let is_own = entry & (PRESENT | SWAPPED) != 0 && entry & OF_A_FILE == 0;
                self.add_page(at, is_own)?;
                at += PAGE;
            }
        }
        Some(())
    }

    fn add_page(&mut self, at: usize, is_own: bool) -> Option<()> {
        if !is_own {
            return self.add_part(at, PAGE, None);
        }
        let copy = self.saved_len;
        let room = self.saved.get_mut(copy..copy + PAGE)?;
        // SAFETY: a page that is present, of a mapping that can be read (all writable ones are).
        unsafe { libc::memcpy(room.as_mut_ptr().cast(), at as *const c_void, PAGE) };
        self.saved_len += PAGE;
        self.add_part(at, PAGE, Some(copy))
    }

    fn add_part(&mut self, start: usize, len: usize, copy: Option<usize>) -> Option<()> {
        if let Some(last) = self.parts[..self.parts_len].last_mut() {
            if last.start + last.len == start && last.copy.is_some() == copy.is_some() {
                last.len += len;
                return Some(());
            }
        }
        *self.parts.get_mut(self.parts_len)? = Part { start, len, copy };
        self.parts_len += 1;
        Some(())
    }

    /// Puts back what the kernel keeps for the process; false if something is there that was not, or is gone.
    fn tidy(&mut self) -> bool {
        // SAFETY: plain system calls on things that the run made.
        unsafe {
            let childless =
                libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) < 0 && server::errno() == libc::ECHILD;
            if !childless {
                return false;
            }
            libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0);
            libc::syscall(libc::SYS_brk, self.heap_end);
            libc::umask(self.mask);
        }
        pages_now() == Some(self.pages) || self.unmap_new().is_some()
    }

    /// Removes mappings that were not there. The stack may have grown.
    fn unmap_new(&mut self) -> Option<()> {
        let len = read_all(c"/proc/self/maps", &mut self.text)?;
        let text: *const [u8] = &self.text[..len];
        let mut grown = 0;
        // SAFETY: nothing below writes to the text.
        for (mapping, _) in unsafe { &*text }.split(|b| *b == b'\n').filter_map(parse_mapping) {
            if mapping.is_stack {
                grown += self.take_stack(mapping)?;
            } else {
                self.unmap_outside(mapping)?;
            }
        }
        self.pages += grown;
        (pages_now()? == self.pages).then_some(())
    }

    /// The stack is longer now: what it grew by is given back after every run. In pages.
    fn take_stack(&mut self, now: Mapping) -> Option<usize> {
        let known = self.mappings[..self.mappings_len].iter_mut().find(|m| m.is_stack)?;
        let grown = known.start.checked_sub(now.start)?;
        known.start = now.start;
        if grown > 0 {
            self.add_part(now.start, grown, None)?;
        }
        Some(grown / PAGE)
    }

    /// Unmaps what was not mapped before the runs.
    fn unmap_outside(&self, mapping: Mapping) -> Option<()> {
        let mut at = mapping.start;
        for known in &self.mappings[..self.mappings_len] {
            if known.end <= at || known.start >= mapping.end {
                continue;
            }
            unmap(at, known.start)?;
            at = known.end;
        }
        unmap(at, mapping.end)
    }
}

fn unmap(start: usize, end: usize) -> Option<()> {
    // SAFETY: a mapping that the run made, and the run is over.
    (start >= end || unsafe { libc::munmap(start as *mut c_void, end - start) } == 0).then_some(())
}

/// The first line of a mapping in `maps` or `smaps`; and is it memory that only this process sees and may write to?
fn parse_mapping(line: &[u8]) -> Option<(Mapping, bool)> {
    let mut words = line.split(|b| *b == b' ');
    let mut ends = words.next()?.split(|b| *b == b'-').map(hexadecimal);
    let (start, end) = (ends.next()??, ends.next()??);
    let rights = words.next()?;
    let is_own = rights.get(1) == Some(&b'w') && rights.get(3) == Some(&b'p');
    Some((Mapping { start, end, is_stack: line.ends_with(b"[stack]") }, is_own))
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The first number in a text; 0 if there is none.
fn number_in(text: &[u8]) -> usize {
    let digits = text.iter().skip_while(|b| !b.is_ascii_digit()).take_while(|b| b.is_ascii_digit());
    digits.fold(0, |number, digit| number * 10 + (digit - b'0') as usize)
}

/// All pages of the process, used or not.
fn pages_now() -> Option<usize> {
    let mut text = [0; 128];
    let len = read_all(c"/proc/self/statm", &mut text)?;
    Some(number_in(&text[..len]))
}

fn open(path: &std::ffi::CStr) -> Option<c_int> {
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    (fd >= 0).then_some(fd)
}

/// A whole file; `None` if it does not fit.
fn read_all(path: &std::ffi::CStr, into: &mut [u8]) -> Option<usize> {
    let fd = open(path)?;
    let mut len = 0;
    let mut got = 1;
    while got > 0 && len < into.len() {
        let rest = &mut into[len..];
        // SAFETY: at most the rest is written.
        got = unsafe { libc::read(fd, rest.as_mut_ptr().cast(), rest.len()) };
        len += got.max(0) as usize;
    }
    // SAFETY: opened above.
    unsafe { libc::close(fd) };
    (got == 0).then_some(len)
}
