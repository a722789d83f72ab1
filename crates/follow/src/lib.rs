//! Both versions followed on one test case, instance by instance.
//!
//! In: the events of the two runs ([`Cursor`]s over the dependence mode, values included), the two models and their comparison ([`Pairing`]).
//! Out: [`Followed`]: which values, pieces of memory and decisions differ ([`Graph`]), from which change each comes, what became of it, and how far
//! every change got ([`Track`]).
//!
//! Instances of old and new are matched through the instruction alignment, activation by activation and loop round by loop round; where
//! the versions part, they meet again at the first block that both must come to (the nearest common post-dominator of the branch, as in execution indexing,
//! Xin, Sumner and Zhang 2008). Infection and propagation are those of seeds 000 (3.2) and 001 (4.3): the tree of change effects is here a graph
//! without cycles, because one instance may have several causes.
//!
//! Always holds: addresses are never compared, objects are (matched by the instance that made them) with the offset; memory is bounded by the number of
//! static instructions and by the memory of the programs themselves, not by the length of the runs.

mod compare;
mod consume;
mod cursor;
mod graph;
mod instances;
mod marks;
mod matcher;
mod memory;
mod pairing;
mod path;
mod sets;
mod side;
mod words;

pub use cursor::{item, Cursor, Item};
pub use graph::{Graph, Kind, Node, NodeId, NONE};
pub use marks::{Mark, Track};
pub use matcher::{follow, Cut, Followed, Limits};
pub use pairing::Pairing;
pub use path::{chain, Step};
pub use words::{fate, place, what, Fate, Place};

/// Index of a version, where there is one of each.
pub const OLD: usize = 0;
pub const NEW: usize = 1;
