//! The dependence mode end to end: what is recorded is what happened, and recording changes nothing.
//!
//! What the programs print, what LLVM's own coverage instrumentation counts on the same module, and what a
//! program's structure demands are the judges; that instrumented programs behave as native ones is also checked on
//! every case of the feature programs (`tests/features`).

mod counts;
mod hard;
mod limits;
mod memory;
mod support;
