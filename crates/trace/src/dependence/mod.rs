//! The dependence mode: every block, memory access, call and return of a run.
//!
//! In: what a run left in the arena, or streamed. Out: [`Event`]s with the numbers of docs/internals.md.

#[cfg(feature = "engine")]
mod decode;
#[cfg(feature = "engine")]
mod map;
#[cfg(feature = "engine")]
mod memory;
pub mod records;
#[cfg(feature = "engine")]
mod shadow;

#[cfg(feature = "engine")]
pub use decode::{chunks, At, Chunk, ChunkError, Decoder, Effect, Event, Frame, NO_CALL};
#[cfg(feature = "engine")]
pub use map::{DependenceMap, Step, StepKind};
#[cfg(feature = "engine")]
pub use memory::{Memory, Object, ObjectKind, Write};
pub use records::EXTERNAL;
#[cfg(feature = "engine")]
pub use shadow::Shadow;
#[cfg(feature = "engine")]
pub mod slice;
