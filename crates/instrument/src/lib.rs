//! Whole-program bitcode in, instrumented program out (docs/internals.md).
mod abi;
mod address;
mod body;
mod calls;
mod cx;
mod emit;
mod error;
mod fast;
mod gaps;
mod intrinsics;
mod memory;
mod number;
mod phi;
mod slow;
mod types;
pub use error::Error;
