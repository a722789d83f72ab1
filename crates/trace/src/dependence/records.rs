//! Layout of what a run of the dependence mode records; shared by runtime and engine.
//!
//! The arena's events region holds a table of [`Slot`]s, padded to a page, and as many chunks of [`CHUNK_BYTES`].
//! A thread takes a free chunk, zeroes it, fills it and takes the next. A chunk is a row of records of 64-bit
//! words. The first word of a record says what it is and how long; a zero word is the end.
//!
//! - A **segment** (`1 + number`): a stretch of a block without a call inside was entered. Its words are the addresses
//!   that its instructions used, in order; what they mean is static and in the program's [`super::DependenceMap`].
//!   An address of 0 was never stored: the run left the segment before that instruction.
//! - Anything else has [`RECORD`] set, a `RECORD_*` kind and a payload of 32 bits, followed by [`words`] words.
//!
//! Always holds: a record never crosses a chunk, and is preceded only by complete headers; so a run killed at any
//! moment leaves readable chunks, without any counter.

/// Bytes of a chunk; about as much as stays in the second-level cache while it is filled.
pub const CHUNK_BYTES: usize = 256 << 10;
/// Longest segment, header included.
pub const MAX_SEGMENT_WORDS: usize = 512;

/// One entry of the table of chunks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "engine", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct Slot {
    /// A `SLOT_*`.
    pub state: u32,
    /// Number of the thread, from 0 in the order in which they first record.
    pub thread: u32,
    /// Chunks in the order in which they were taken, from 1.
    pub sequence: u64,
}

pub const SLOT_FREE: u32 = 0;
/// A thread is filling it.
pub const SLOT_OPEN: u32 = 1;
/// Nobody writes to it any more.
pub const SLOT_FULL: u32 = 2;

const PAGE: usize = 4096;

/// Bytes of a table of `slots` entries.
pub const fn table_bytes(slots: usize) -> usize {
    (slots * size_of::<Slot>()).next_multiple_of(PAGE)
}

/// How many chunks an events region of this size has room for.
pub const fn slots(capacity: usize) -> usize {
    let mut n = capacity / CHUNK_BYTES;
    while n > 0 && table_bytes(n) + n * CHUNK_BYTES > capacity {
        n -= 1;
    }
    n
}

/// Set in the first word of every record that is not a segment.
pub const RECORD: u64 = 1 << 63;
const KIND_SHIFT: u32 = 56;

/// Code without instrumentation (named by the call under way) read `[address, bytes]`.
pub const RECORD_READ: u8 = 1;
/// … wrote `[address, bytes]`.
pub const RECORD_WRITE: u8 = 2;
/// … copied `[to, from, bytes]`.
pub const RECORD_COPY: u8 = 3;
/// … handed out a block of the heap, `[address, bytes]`.
pub const RECORD_ALLOCATED: u8 = 4;
/// … took one back, `[address]`.
pub const RECORD_FREED: u8 = 5;
/// Global variable (payload: number) lies at `[address, bytes]`.
pub const RECORD_GLOBAL: u8 = 6;
/// Function (payload: number, or [`EXTERNAL`] and the index of its name) lies at `[address]`.
pub const RECORD_FUNCTION: u8 = 7;
/// A handler of a signal (payload) is entered; what follows in this chunk happened in it. `[sequence of the chunk
/// in which the thread was interrupted]`.
pub const RECORD_SIGNAL: u8 = 8;
/// Memory that the program finds at its start (arguments, environment), `[address, bytes]`.
pub const RECORD_GIVEN: u8 = 9;

/// Marks a function number that is an index into the names of functions without a body.
pub const EXTERNAL: u32 = 1 << 31;

/// First word of a record.
pub const fn head(kind: u8, payload: u32) -> u64 {
    RECORD | (kind as u64) << KIND_SHIFT | payload as u64
}

/// Kind of a record, from its first word.
pub const fn kind(head: u64) -> u8 {
    (head >> KIND_SHIFT) as u8 & 0x7f
}

/// Words after the first one; `None` if there is no such kind.
pub const fn words(kind: u8) -> Option<usize> {
    match kind {
        RECORD_FREED | RECORD_FUNCTION | RECORD_SIGNAL => Some(1),
        RECORD_READ | RECORD_WRITE | RECORD_ALLOCATED | RECORD_GLOBAL | RECORD_GIVEN => Some(2),
        RECORD_COPY => Some(3),
        _ => None,
    }
}

/// What a recorded value is mixed with, because a word of zero is one that was not written: this one value cannot be recorded.
pub const VALUE_MASK: u64 = 0x9e37_79b9_7f4a_7c15;
