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

#[cfg(any(feature = "program", test))]
pub mod abi;
#[cfg(any(feature = "program", test))]
pub mod alloc;
#[cfg(any(feature = "program", test))]
pub mod dependence;
#[cfg(any(feature = "program", test))]
pub mod events;
#[cfg(test)]
mod expressions_test;
#[cfg(any(feature = "program", test))]
pub mod float;
#[cfg(test)]
mod float_test;
#[cfg(any(feature = "program", test))]
pub mod hooks;
#[cfg(any(feature = "program", test))]
pub mod input;
#[cfg(any(feature = "program", test))]
pub mod intrinsics;
#[cfg(any(feature = "program", test))]
pub mod nodes;
#[cfg(any(feature = "program", test))]
pub mod objects;
#[cfg(any(feature = "program", test))]
pub mod process;
#[cfg(any(feature = "program", test))]
pub mod range;
pub mod server;
#[cfg(any(feature = "program", test))]
pub mod shadow;
#[cfg(all(feature = "program", not(test)))]
mod stage;
#[cfg(all(feature = "program", not(test)))]
mod start;
#[cfg(any(feature = "program", test))]
pub mod state;
#[cfg(any(feature = "program", test))]
pub mod tls;
#[cfg(any(feature = "program", test))]
pub mod wide;
#[cfg(any(feature = "program", test))]
pub mod wide_overflow;
#[cfg(test)]
mod wide_test;
#[cfg(any(feature = "program", test))]
mod word;
#[cfg(any(feature = "program", test))]
pub mod work;
