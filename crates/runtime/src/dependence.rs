//! Recording in the dependence mode: which chunk a thread fills (layout: `parallax_trace::dependence::records`).
//!
//! In: the arena; threads whose chunk is full; signals. Out: chunks in the arena's events region.
//!
//! Always holds: a chunk is written by one thread, and by one level of it: a signal handler has a chunk of its own, because it
//! may interrupt a record half way. When no chunk is to be had, records go to the thread's sink, the trace is
//! marked as cut, and nothing is recorded any more.

use crate::state::state;
use parallax_trace::dependence::records::*;
use parallax_trace::format::*;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

const HANDLERS: usize = 8;
const SINK_WORDS: usize = 1024;
/// How long a run waits for the engine to take a chunk away before its trace is cut.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);
/// One wait for a chunk.
const WAIT_NS: i64 = 100_000_000;

/// `struct plx_dep` of dependence.h.
#[repr(C)]
struct Local {
    next: *mut u64,
    end: *mut u64,
    slot: *mut Slot,
    busy: u32,
    thread: u32,
    handlers: u32,
    _pad: u32,
    handler: [Handler; HANDLERS],
    sink: [u64; SINK_WORDS],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Handler {
    frame: usize,
    slot: *mut Slot,
}

extern "C" {
    fn __plx_dep_here() -> *mut Local;
    fn __plx_dep_size() -> u64;
    fn __plx_dep_enabled() -> i32;
    fn __plx_dep_describe();
    fn __plx_dep_record(head: u64, a: u64, b: u64, words: u32);
}

static ON: AtomicBool = AtomicBool::new(false);
static CUT: AtomicBool = AtomicBool::new(false);
static HEADER: AtomicPtr<Header> = AtomicPtr::new(std::ptr::null_mut());
static TABLE: AtomicPtr<Slot> = AtomicPtr::new(std::ptr::null_mut());
static CHUNKS: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static SLOTS: AtomicUsize = AtomicUsize::new(0);
/// Where the search for a free chunk begins.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static THREADS: AtomicU32 = AtomicU32::new(0);
static THREAD_KEY: AtomicU32 = AtomicU32::new(u32::MAX);

fn local() -> &'static mut Local {
    // SAFETY: the calling thread's own block, of this layout (checked in `attach`); references are not kept.
    unsafe { &mut *__plx_dep_here() }
}

/// Was the program instrumented for this mode?
pub fn enabled() -> bool {
    // SAFETY: a pure C function.
    unsafe { __plx_dep_enabled() != 0 }
}

/// Is anything being recorded?
pub fn on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Start recording into the arena.
///
/// # Safety
/// `arena` is a mapped arena whose header describes it truly, and stays mapped; no other thread runs.
pub unsafe fn attach(arena: *mut u8) {
    // SAFETY: see above; the C functions are those of dependence.c.
    unsafe {
        if __plx_dep_size() as usize != size_of::<Local>() {
            return;
        }
        let header = arena as *mut Header;
        state().header.set(header);
        let region = arena.add((*header).events_offset as usize);
        let count = slots((*header).events_capacity as usize);
        std::ptr::write_bytes(region, 0, count * size_of::<Slot>());
        HEADER.store(header, Ordering::Relaxed);
        TABLE.store(region as *mut Slot, Ordering::Relaxed);
        CHUNKS.store(region.add(table_bytes(count)), Ordering::Relaxed);
        SLOTS.store(count, Ordering::Relaxed);
        let mut key = 0;
        if libc::pthread_key_create(&mut key, Some(thread_ends)) == 0 {
            THREAD_KEY.store(key, Ordering::Relaxed);
        }
        libc::pthread_atfork(None, Some(forked), Some(in_child));
        let me = local();
        (me.next, me.end) = (std::ptr::null_mut(), std::ptr::null_mut());
        ON.store(true, Ordering::Relaxed);
        __plx_dep_describe();
    }
}

/// Where a program that no engine started records: a directory, if this is set.
const RECORD_INTO: &std::ffi::CStr = c"PARALLAX_DEPENDENCE";
/// Bytes of such a trace; what comes later is cut.
const FILE_BYTES: usize = 64 << 20;

/// Records into a new file of the directory that the environment names. Where that cannot be done the program runs as
/// always: it must not be disturbed.
///
/// # Safety
/// As [`attach`].
pub unsafe fn record_into_file() {
    // SAFETY: plain system calls on values that live through them; a new mapping harms nobody.
    unsafe {
        let directory = libc::getenv(RECORD_INTO.as_ptr());
        if directory.is_null() || !enabled() {
            return;
        }
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
        let mut name = [0 as libc::c_char; libc::PATH_MAX as usize];
        let format = c"%s/%d-%ld%09ld".as_ptr();
        let pid = libc::getpid();
        libc::snprintf(name.as_mut_ptr(), name.len(), format, directory, pid, now.tv_sec, now.tv_nsec);
        let fd =
            libc::open(name.as_ptr(), libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC, 0o600);
        let len = HEADER_BYTES + FILE_BYTES;
        if fd < 0 || libc::ftruncate(fd, len as libc::off_t) != 0 {
            return;
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let arena = libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, fd, 0);
        libc::close(fd);
        if arena == libc::MAP_FAILED {
            return;
        }
        *(arena as *mut Header) = Header {
            magic: MAGIC,
            version: FORMAT_VERSION,
            events_offset: HEADER_BYTES as u64,
            events_capacity: FILE_BYTES as u64,
            ..Header::default()
        };
        attach(arena as *mut u8);
    }
}

fn given(address: usize, bytes: usize) {
    // SAFETY: appends to the calling thread's chunk.
    unsafe { __plx_dep_record(head(RECORD_GIVEN, 0), address as u64, bytes as u64, 2) }
}

/// Strings that the program finds at its start, and the vector that leads to them.
///
/// # Safety
/// `vector` ends with a null pointer; before it are NUL-terminated strings.
pub unsafe fn given_strings(vector: *const *mut libc::c_char) {
    if !on() {
        return;
    }
    let mut count = 0;
    // SAFETY: see above.
    unsafe {
        while !(*vector.add(count)).is_null() {
            let string = *vector.add(count);
            given(string as usize, libc::strlen(string) + 1);
            count += 1;
        }
    }
    given(vector as usize, (count + 1) * size_of::<usize>());
}

extern "C" fn forked() {
    state().set_flag(FLAG_FORKED);
}

/// Children are not recorded: the arena is the parent's.
extern "C" fn in_child() {
    ON.store(false, Ordering::Relaxed);
    let me = local();
    me.slot = std::ptr::null_mut();
    use_sink(me);
}

extern "C" fn thread_ends(_: *mut libc::c_void) {
    let me = local();
    close(me.slot);
    me.slot = std::ptr::null_mut();
    (me.next, me.end) = (std::ptr::null_mut(), std::ptr::null_mut());
}

/// Room for `bytes` at the start of a fresh chunk, or of the sink.
#[no_mangle]
pub extern "C" fn __plx_rt_dep_more(_bytes: u64) -> *mut u64 {
    let me = local();
    if me.busy != 0 || !on() {
        return use_sink(me);
    }
    // SAFETY: libc's errno location is always valid for the calling thread.
    let errno = unsafe { *libc::__errno_location() };
    me.busy = 1;
    let mark = 0u8;
    left_handlers(me, &raw const mark as usize);
    if me.thread == 0 {
        register(me);
    }
    close(me.slot);
    me.slot = std::ptr::null_mut();
    let start = match take(me.thread - 1) {
        Some((slot, start)) => {
            me.slot = slot;
            me.next = start;
            // SAFETY: the end of the same chunk.
            me.end = unsafe { start.add(CHUNK_BYTES / 8) };
            start
        }
        None => {
            drop_records();
            use_sink(me)
        }
    };
    me.busy = 0;
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    start
}

fn use_sink(me: &mut Local) -> *mut u64 {
    me.next = me.sink.as_mut_ptr();
    // SAFETY: the end of the same array.
    me.end = unsafe { me.next.add(SINK_WORDS) };
    me.next
}

fn register(me: &mut Local) {
    me.thread = THREADS.fetch_add(1, Ordering::Relaxed) + 1;
    if me.thread > 1 {
        state().set_flag(FLAG_THREADS);
    }
    let key = THREAD_KEY.load(Ordering::Relaxed);
    if key != u32::MAX {
        // SAFETY: a key made by `attach`; any value but null makes the destructor run.
        unsafe { libc::pthread_setspecific(key, &raw const *me as *const libc::c_void) };
    }
}

/// The trace is cut here; what was just lost is counted in records of two words.
fn drop_records() {
    CUT.store(true, Ordering::Relaxed);
    state().set_flag(FLAG_EVENTS_FULL);
    let header = HEADER.load(Ordering::Relaxed);
    // SAFETY: attached, since recording is on.
    let dropped = unsafe { AtomicU32::from_ptr(&raw mut (*header).dropped_events) };
    dropped.fetch_add(SINK_WORDS as u32 / 2, Ordering::Relaxed);
}

/// A free chunk, zeroed, for this thread.
fn take(thread: u32) -> Option<(*mut Slot, *mut u64)> {
    if CUT.load(Ordering::Relaxed) {
        return None;
    }
    let number = free_slot()?;
    let header = HEADER.load(Ordering::Relaxed);
    // SAFETY: the number is below the count of slots, and the slot is ours since `free_slot`.
    unsafe {
        let slot = TABLE.load(Ordering::Relaxed).add(number);
        let start = CHUNKS.load(Ordering::Relaxed).add(number * CHUNK_BYTES);
        std::ptr::write_bytes(start, 0, CHUNK_BYTES);
        (*slot).thread = thread;
        (*slot).sequence = AtomicU64::from_ptr(&raw mut (*header).chunks).fetch_add(1, Ordering::Release) + 1;
        Some((slot, start as *mut u64))
    }
}

fn slot_state(number: usize) -> &'static AtomicU32 {
    // SAFETY: callers pass numbers below the count of slots; the table stays mapped.
    unsafe { AtomicU32::from_ptr(&raw mut (*TABLE.load(Ordering::Relaxed).add(number)).state) }
}

/// Waits for one where the engine takes chunks away.
fn free_slot() -> Option<usize> {
    let count = SLOTS.load(Ordering::Relaxed);
    let header = HEADER.load(Ordering::Relaxed);
    // SAFETY: attached, since recording is on.
    let (streamed, freed) =
        unsafe { ((*header).chunk_stream != 0, AtomicU32::from_ptr(&raw mut (*header).chunk_freed)) };
    let started = std::time::Instant::now();
    loop {
        let seen = freed.load(Ordering::Acquire);
        let from = NEXT.load(Ordering::Relaxed);
        for k in 0..count {
            let number = (from + k) % count;
            let claimed = slot_state(number).compare_exchange(
                SLOT_FREE,
                SLOT_OPEN,
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            if claimed.is_ok() {
                NEXT.store(number + 1, Ordering::Relaxed);
                return Some(number);
            }
        }
        let none_full = (0..count).all(|n| slot_state(n).load(Ordering::Relaxed) != SLOT_FULL);
        if !streamed || none_full || started.elapsed() > PATIENCE {
            return None;
        }
        let wait = libc::timespec { tv_sec: 0, tv_nsec: WAIT_NS };
        // SAFETY: a word of the shared arena; the time lives through the call.
        unsafe { libc::syscall(libc::SYS_futex, freed.as_ptr(), libc::FUTEX_WAIT, seen, &wait) };
    }
}

/// Nobody writes to this chunk any more.
fn close(slot: *mut Slot) {
    if slot.is_null() || !on() {
        return;
    }
    let header = HEADER.load(Ordering::Relaxed);
    // SAFETY: slots come from `take`, and the arena stays mapped.
    unsafe {
        AtomicU32::from_ptr(&raw mut (*slot).state).store(SLOT_FULL, Ordering::Release);
        if (*header).chunk_stream != 0 {
            let full = AtomicU32::from_ptr(&raw mut (*header).chunk_full);
            full.fetch_add(1, Ordering::Release);
            libc::syscall(libc::SYS_futex, full.as_ptr(), libc::FUTEX_WAKE, 1);
        }
    }
}

/// What a signal handler interrupted.
pub struct Interrupted {
    next: *mut u64,
    end: *mut u64,
    slot: *mut Slot,
    recorded: bool,
}

/// A handler of `signal` begins; `frame` is an address in its frame.
pub fn enter_handler(signal: i32, frame: usize) -> Interrupted {
    let me = local();
    if me.busy == 0 {
        left_handlers(me, frame);
    }
    let depth = me.handlers as usize;
    let recorded = on() && depth < HANDLERS && me.busy == 0;
    let before = Interrupted { next: me.next, end: me.end, slot: me.slot, recorded };
    if !recorded {
        use_sink(me);
        return before;
    }
    me.handler[depth] = Handler { frame, slot: me.slot };
    me.handlers += 1;
    // SAFETY: a slot that this thread took, or null.
    let sequence = unsafe { me.slot.as_ref().map_or(0, |s| s.sequence) };
    me.slot = std::ptr::null_mut();
    (me.next, me.end) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: appends to the calling thread's chunk.
    unsafe { __plx_dep_record(head(RECORD_SIGNAL, signal as u32), sequence, 0, 1) };
    before
}

/// The handler returns.
pub fn leave_handler(before: Interrupted) {
    let me = local();
    if before.recorded {
        close(me.slot);
        me.handlers = me.handlers.saturating_sub(1);
    }
    (me.next, me.end, me.slot) = (before.next, before.end, before.slot);
}

/// Handlers that were left by a jump: their frames do not lie above `here`. What they interrupted will not go on.
fn left_handlers(me: &mut Local, here: usize) {
    while let Some(last) = (me.handlers as usize).checked_sub(1) {
        let handler = me.handler[last];
        if here < handler.frame {
            return;
        }
        close(handler.slot);
        me.handlers -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;

    thread_local! {
        static LOCAL: UnsafeCell<Local> = const {
            UnsafeCell::new(Local {
                next: std::ptr::null_mut(),
                end: std::ptr::null_mut(),
                slot: std::ptr::null_mut(),
                busy: 0,
                thread: 0,
                handlers: 0,
                _pad: 0,
                handler: [Handler { frame: 0, slot: std::ptr::null_mut() }; HANDLERS],
                sink: [0; SINK_WORDS],
            })
        };
    }

    // What dependence.c gives an instrumented program.
    #[no_mangle]
    extern "C" fn __plx_dep_here() -> *mut Local {
        LOCAL.with(|l| l.get())
    }
    #[no_mangle]
    extern "C" fn __plx_dep_size() -> u64 {
        size_of::<Local>() as u64
    }
    #[no_mangle]
    extern "C" fn __plx_dep_enabled() -> i32 {
        1
    }
    #[no_mangle]
    extern "C" fn __plx_dep_describe() {}
    #[no_mangle]
    extern "C" fn __plx_dep_record(head: u64, a: u64, b: u64, words: u32) {
        put(&[head, a, b][..words as usize + 1]);
    }

    fn put(words: &[u64]) {
        let me = local();
        let room = me.end as usize - me.next as usize;
        let at = if room < words.len() * 8 { __plx_rt_dep_more(words.len() as u64 * 8) } else { me.next };
        // SAFETY: the room was just made.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), at, words.len()) };
        // SAFETY: inside the chunk or one past its end.
        local().next = unsafe { at.add(words.len()) };
    }

    const CHUNKS_HERE: usize = 3;

    /// The words of every chunk that was taken, in order.
    fn recorded(arena: &[u64]) -> Vec<Vec<u64>> {
        let count = slots(CHUNKS_HERE * (CHUNK_BYTES + 4096));
        let table = &arena[512..];
        let mut found: Vec<(u64, Vec<u64>)> = (0..count)
            .filter(|n| table[2 * n] as u32 != SLOT_FREE)
            .map(|n| {
                let from = 512 + table_bytes(count) / 8 + n * CHUNK_BYTES / 8;
                let words = &arena[from..from + CHUNK_BYTES / 8];
                (table[2 * n + 1], words.iter().copied().take_while(|w| *w != 0).collect())
            })
            .collect();
        found.sort();
        found.into_iter().map(|f| f.1).collect()
    }

    /// One test, because recording is global to the process.
    #[test]
    fn handlers_have_chunks_of_their_own_and_what_does_not_fit_is_cut() {
        let _alone = crate::state::ALONE.lock().unwrap();
        let capacity = CHUNKS_HERE * (CHUNK_BYTES + 4096);
        let mut arena = vec![0u64; 512 + capacity / 8];
        let header = arena.as_mut_ptr() as *mut Header;
        // SAFETY: the header fits the first page, and the region lies behind it.
        unsafe {
            (*header).events_offset = 4096;
            (*header).events_capacity = capacity as u64;
            attach(arena.as_mut_ptr() as *mut u8);
        }
        put(&[1, 11]);
        let mark = 0u8;
        let before = enter_handler(10, &raw const mark as usize);
        put(&[2, 22]);
        leave_handler(before);
        put(&[3, 33]);
        assert_eq!(recorded(&arena), [vec![1, 11, 3, 33], vec![head(RECORD_SIGNAL, 10), 1, 2, 22]]);
        // SAFETY: as above.
        let flags = unsafe { (*header).flags };
        assert_eq!(flags & FLAG_EVENTS_FULL, 0);
        for k in 0..(CHUNKS_HERE * CHUNK_BYTES / 8) as u64 {
            put(&[4, 1 + k]);
        }
        ON.store(false, Ordering::Relaxed);
        let chunks = recorded(&arena);
        assert_eq!(chunks.len(), CHUNKS_HERE);
        assert_eq!((chunks[0].len(), chunks[2].len()), (CHUNK_BYTES / 8, CHUNK_BYTES / 8));
        assert_eq!(chunks[0][4..8], [4, 1, 4, 2]);
        // SAFETY: as above.
        let (flags, dropped) = unsafe { ((*header).flags, (*header).dropped_events) };
        assert!(flags & FLAG_EVENTS_FULL != 0 && dropped > 0);
    }
}
