//! The memory of Parallax itself.
//!
//! In: `--own-memory`. Out: what the search may use of it, how long traces may be, whether one more of them has room, whether the search has to
//! end, and what the user should know about what that cost.
//!
//! Always holds: a trace is copied only where there is room for it. What the search keeps is bounded by the search; a single step of it that
//! needs more is left behind by the main thread, which looks several times in a tenth of a second.

use crate::error::CliError;
use crate::units;
use parallax_execute::{trim_memory, used_memory, ArenaSizes};
use parallax_search::{Memory, Outcome};
use std::sync::atomic::{AtomicU64, Ordering};

/// The part of `--own-memory` that is for what the search keeps. The rest is for traces on their way, and for everything else.
const KEPT_PART: (u64, u64) = (3, 4);
/// The part that paths and expressions may take as they are counted, which is not to the byte.
const COUNTED_PART: u64 = 2;
/// The part that has to be free when the search begins.
const FREE_PART: u64 = 2;
/// The part that one trace may take.
const TRACE_PART: u64 = 16;
/// The part that may be missing when the search is left behind: what it takes meanwhile.
const LAST_PART: u64 = 16;
/// How often a trace is in memory for a moment: as it was written, and as it is kept.
const COPIES: u64 = 2;
/// Bytes of a node of a trace.
const NODE: u64 = size_of::<parallax_trace::format::Node>() as u64;

/// What the search may use of `--own-memory`.
pub fn memory(own: u64) -> Memory {
    Memory { most: own / KEPT_PART.1 * KEPT_PART.0, used: used_memory, trim: trim_memory }
}

/// What paths and expressions may take, as the search counts it: no more than what is sure to be within `--own-memory`.
pub fn counted(search: u64, own: u64) -> u64 {
    search.min(own / COUNTED_PART)
}

/// Refuses a limit that would not even hold what is known before the search.
pub fn check(own: u64) -> Result<(), CliError> {
    trim_memory();
    let (used, mega) = (used_memory(), 1 << 20);
    if used <= own / FREE_PART {
        return Ok(());
    }
    Err(CliError::usage(format!(
        "--own-memory {}: what is known of the two programs takes {} MB before the search; give at least {}M",
        units::shown(own),
        used / mega,
        (used * FREE_PART).div_ceil(mega)
    )))
}

/// Has the search to end, because a single step of it takes what is left?
pub fn is_used_up(own: u64) -> bool {
    used_memory() > own - own / LAST_PART
}

/// How much a trace may hold: what the options say, and no more than its part of the memory.
pub fn arena(sizes: ArenaSizes, own: u64) -> ArenaSizes {
    let part = own / TRACE_PART;
    ArenaSizes {
        nodes: sizes.nodes.min(part / 2 / NODE),
        events: sizes.events.min(part / 8 * 3),
        tables: sizes.tables.min(part / 8),
        ..sizes
    }
}

/// Room for traces that are being copied.
pub struct Room {
    own: u64,
    promised: AtomicU64,
}

/// A promise of room, until it is dropped.
pub struct Promise<'r> {
    room: &'r Room,
    bytes: u64,
}

impl Room {
    pub fn new(own: u64) -> Room {
        Room { own, promised: AtomicU64::new(0) }
    }

    /// Room for a trace of so many bytes, if there is any.
    pub fn promise(&self, trace: u64) -> Option<Promise<'_>> {
        let bytes = trace.saturating_mul(COPIES);
        let all = self.promised.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let promise = Promise { room: self, bytes };
        (used_memory().saturating_add(all) <= self.own).then_some(promise)
    }
}

impl Drop for Promise<'_> {
    fn drop(&mut self) {
        self.room.promised.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// What the search could not do for want of memory.
pub fn warning(outcome: &Outcome) -> Option<String> {
    let times = match outcome.stats.fresh_starts {
        0 => return None,
        1 => "once".to_owned(),
        n => format!("{n} times"),
    };
    Some(format!(
        "the search forgot what it knew of paths {times}, to stay within --own-memory; with more it may find more"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_its_part_of_the_memory_and_no_more_than_the_options_say() {
        let usual = ArenaSizes::default();
        let small = arena(usual, 320 << 20);
        assert!(small.nodes * NODE + small.events + small.tables <= 20 << 20, "{small:?}");
        assert_eq!(arena(usual, 1 << 40), usual);
    }

    #[test]
    fn room_is_promised_once() {
        let room = Room::new(used_memory() + (400 << 20));
        let first = room.promise(120 << 20);
        assert!(first.is_some() && room.promise(120 << 20).is_none());
        drop(first);
        assert!(room.promise(120 << 20).is_some());
    }

    #[test]
    fn a_limit_that_does_not_hold_the_programs_is_refused_with_one_that_does() {
        let block = std::hint::black_box(vec![1u8; 64 << 20]);
        let error = check(64 << 20).unwrap_err();
        assert!(error.exit_code().number() == 2 && error.to_string().contains("give at least"), "{error}");
        assert!(check(1 << 40).is_ok());
        drop(block);
    }
}
