//! The contract between an instrumented program and the engine.
//!
//! In: nothing. Out: the layout of the shared memory a run writes ([`format`]), how a test case
//! is handed to a run ([`request`]), how the fork server is spoken to ([`control`]), and, for the
//! engine (feature `engine`), decoding, evaluation and printing of what came back.
//!
//! Always holds: nothing here starts a process, calls a solver or knows LLVM. The modules that
//! the runtime uses allocate only in [`request`].

pub mod control;
pub mod dependence;
#[cfg(feature = "engine")]
pub mod eval;
pub mod float;
pub mod format;
#[cfg(feature = "engine")]
pub mod formula;
#[cfg(feature = "engine")]
pub mod path;
#[cfg(feature = "engine")]
pub mod reader;
pub mod request;
#[cfg(feature = "engine")]
pub mod sites;
#[cfg(feature = "engine")]
pub mod smtlib;
#[cfg(feature = "engine")]
pub mod synth;
#[cfg(feature = "engine")]
mod validate;

#[cfg(feature = "engine")]
pub use reader::{DecodeError, Event, Trace};
