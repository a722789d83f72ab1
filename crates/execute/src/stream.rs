//! Taking the chunks of a dependence trace away while the program runs, so that a trace may be longer than its memory.
//!
//! In: the arena of a run under way. Out: every chunk once, those of one thread in order.
//!
//! Always holds: a chunk is handed out only when its thread has left it, or when the run is over; it is free
//! again afterwards.

use parallax_trace::dependence::records::*;
use parallax_trace::dependence::Chunk;
use parallax_trace::format::Header;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// How long the engine sleeps when there is nothing to take, at most.
const WAIT_NS: i64 = 20_000_000;

/// What is done with a chunk.
pub type Sink<'s> = &'s mut (dyn FnMut(&Chunk) + Send);

/// The shared parts of an arena.
pub struct Stream {
    header: *mut Header,
    table: *mut Slot,
    chunks: *const u64,
    slots: usize,
}

// SAFETY: shared words are only touched as atomics, the rest only between the states that say who owns it.
unsafe impl Send for Stream {}
unsafe impl Sync for Stream {}

impl Stream {
    /// # Safety
    /// `start` is a mapped arena with a valid header and outlives the value.
    pub unsafe fn new(start: *mut u8) -> Stream {
        // SAFETY: see above; the regions lie inside the mapping.
        unsafe {
            let header = start.cast::<Header>();
            let region = start.add((*header).events_offset as usize);
            let slots = slots((*header).events_capacity as usize);
            let chunks = region.add(table_bytes(slots)).cast_const().cast();
            Stream { header, table: region.cast(), chunks, slots }
        }
    }

    /// Hands out chunks until `over` is set, and then those that are left.
    pub fn drain(&self, over: &AtomicBool, each: Sink) {
        loop {
            let seen = self.full().load(Ordering::Acquire);
            let last = over.load(Ordering::Acquire);
            while let Some(number) = self.next(last) {
                self.take(number, each);
            }
            if last {
                return;
            }
            let wait = libc::timespec { tv_sec: 0, tv_nsec: WAIT_NS };
            // SAFETY: a word of the mapping; the time lives through the call.
            unsafe { libc::syscall(libc::SYS_futex, self.full().as_ptr(), libc::FUTEX_WAIT, seen, &wait) };
        }
    }

    /// Ends a wait.
    pub fn wake(&self) {
        self.full().fetch_add(1, Ordering::Release);
        // SAFETY: a word of the mapping.
        unsafe { libc::syscall(libc::SYS_futex, self.full().as_ptr(), libc::FUTEX_WAKE, 1) };
    }

    fn full(&self) -> &AtomicU32 {
        // SAFETY: a word of the mapped header, used as an atomic by everyone.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.header).chunk_full) }
    }

    fn chunks_taken(&self) -> &AtomicU64 {
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(&raw mut (*self.header).chunks) }
    }

    fn state(&self, number: usize) -> &AtomicU32 {
        // SAFETY: `number` is below the count of slots; used as an atomic by everyone.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.table.add(number)).state) }
    }

    /// State, thread and sequence. Of a chunk that is just being taken the last two may be old or zero.
    fn slot(&self, number: usize) -> Slot {
        let state = self.state(number).load(Ordering::Acquire);
        // SAFETY: as above; the run writes these words only while the slot is open.
        unsafe {
            let slot = self.table.add(number);
            let thread = (&raw const (*slot).thread).read_volatile();
            Slot { state, thread, sequence: (&raw const (*slot).sequence).read_volatile() }
        }
    }

    /// The oldest chunk that may be taken; `last`: nobody writes any more.
    fn next(&self, last: bool) -> Option<usize> {
        // Read first: the run empties the table before it takes its first chunk.
        let taken = self.chunks_taken().load(Ordering::Acquire);
        let used = (0..self.slots).map(|n| (n, self.slot(n))).filter(|(_, s)| s.state != SLOT_FREE);
        let mut used: Vec<(usize, Slot)> = used.filter(|(_, s)| (1..=taken).contains(&s.sequence)).collect();
        used.sort_by_key(|(_, s)| s.sequence);
        let mut waiting: Vec<u32> = Vec::new();
        for (number, slot) in used {
            if !last && slot.state == SLOT_OPEN {
                waiting.push(slot.thread);
            } else if !waiting.contains(&slot.thread) {
                return Some(number);
            }
        }
        None
    }

    fn take(&self, number: usize, each: Sink) {
        let slot = self.slot(number);
        let mut words = vec![0u64; CHUNK_BYTES / 8];
        // SAFETY: the chunk lies inside the mapping, and its thread has left it. It is copied because a program that means harm
        // may write to it all the same.
        unsafe {
            let chunk = self.chunks.add(number * CHUNK_BYTES / 8);
            std::ptr::copy_nonoverlapping(chunk, words.as_mut_ptr(), words.len());
        }
        each(&Chunk { thread: slot.thread, sequence: slot.sequence, words: &words });
        // SAFETY: as in `slot`; the chunk is still ours.
        unsafe {
            (&raw mut (*self.table.add(number)).sequence).write_volatile(0);
            self.state(number).store(SLOT_FREE, Ordering::Release);
            let freed = AtomicU32::from_ptr(&raw mut (*self.header).chunk_freed);
            freed.fetch_add(1, Ordering::Release);
            libc::syscall(libc::SYS_futex, freed.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
        }
    }
}
