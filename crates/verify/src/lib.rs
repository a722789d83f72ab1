//! Divides the inputs of two versions into partitions, and shows for each whether the versions do the same.
//!
//! In: the maps of both instrumented programs, a first test case, bounds, and a [`Bench`] that has test cases run. Out: partitions, one after the
//! other, each with a formula, a witness and what is known of it; what is left unexplored of each shape; a journal from which an interrupted
//! exploration goes on.
//!
//! Partition-based regression verification (Böhme 2014, chapter 3). Departs from it in what a partition is closed by: not by the two runs
//! of its witness having the same outputs, but by a question to two solvers whether any input on the pair of paths makes the outputs differ.
//!
//! Always holds: no two partitions overlap; the partitions, and the rest that is said to be unexplored, are all inputs of a shape; what is called
//! equal was shown to be by both solvers, or by the outputs being the same expressions; what is called different was seen natively. This
//! crate starts no process and touches no file.

mod bench;
pub mod certificate;
mod classify;
mod count;
mod differ;
mod explore;
mod merge;
mod names;
mod partition;
mod prover;
mod sample;
mod shape;
mod trail;
mod tree;
mod verify;

pub use bench::{Bench, Seen};
pub use count::{total, Count};
pub use explore::Explored;
pub use partition::{Entry, Kept, Part, Partition, Status};
pub use prover::{Counters, Effort};
pub use shape::{inputs_of_size, Bounds, Shape};
pub use trail::Ended;
pub use verify::{verify, News, Outcome, Partitioning, Settings, ShapeResult};
