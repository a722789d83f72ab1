//! The static library inside instrumented programs.
//!
//! In: calls from instrumented code ([`abi`]), from the C models of libc functions ([`hooks`]), and a
//! test case from the fork server ([`server`]). Out: an arena with nodes, events and tables (crate
//! `parallax-trace`). It never calls a solver and never decides anything about the search.
//!
//! Always holds: with tracing off the program behaves exactly as without instrumentation.
//!
//! Feature `program` adds what only makes sense inside an instrumented program (its `main`, and
//! symbols that the instrumenter defines); without it the crate is just the fork server.

#[cfg(feature = "program")]
pub mod abi;
#[cfg(feature = "program")]
pub mod alloc;
#[cfg(feature = "program")]
pub mod events;
#[cfg(feature = "program")]
pub mod hooks;
#[cfg(feature = "program")]
pub mod input;
#[cfg(feature = "program")]
pub mod intrinsics;
#[cfg(feature = "program")]
pub mod nodes;
#[cfg(feature = "program")]
pub mod objects;
#[cfg(feature = "program")]
pub mod process;
pub mod server;
#[cfg(feature = "program")]
pub mod shadow;
#[cfg(feature = "program")]
mod start;
#[cfg(feature = "program")]
pub mod state;
#[cfg(feature = "program")]
pub mod tls;
