//! The memory of Parallax itself.
//!
//! In: `--own-memory`. Out: what the search may use of it, and what the user should know about what that cost.

use parallax_search::{Memory, Outcome};

/// The part of `--own-memory` that is for what the search keeps. The rest is for traces on their way, and for everything else.
const KEPT_PART: (u64, u64) = (3, 4);

/// What the search may use of `--own-memory`.
pub fn memory(own: u64) -> Memory {
    Memory {
        most: own / KEPT_PART.1 * KEPT_PART.0,
        used: parallax_execute::used_memory,
        trim: parallax_execute::trim_memory,
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
