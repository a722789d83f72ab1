//! The contract between an instrumented program and the engine.
//!
//! In: nothing. Out: the layout of the shared memory a run writes ([`format`]), how a test case
//! is handed to a run ([`request`]), how the fork server is spoken to ([`control`]), and, for the
//! engine (feature `engine`), decoding, evaluation and printing of what came back.
//!
//! Always holds: nothing here starts a process, calls a solver or knows LLVM. The modules that
//! the runtime uses allocate only in [`request`].

pub mod control;
pub mod format;
pub mod request;
#[cfg(feature = "engine")]
pub mod sites;
