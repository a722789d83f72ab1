//! Whole-program bitcode in, a program model out.
//!
//! In: the bytes of cleaned-up bitcode (`parallax_instrument::clean_up` makes it). Out: a [`Program`] with own
//! types and dense ids, which can be stored and read back, and analyses on it.
//!
//! Always holds: no LLVM type leaves this crate; it does no input or output; the same bitcode gives the same
//! ids; blocks and instructions are numbered as `instrument` numbers them (docs/internals.md, "Numbers").

pub mod alias;
pub mod calls;
pub mod cfg;
pub mod distance;
mod gaps;
pub mod graph;
pub mod icfg;
pub mod ir;
mod load;
pub mod memory;
pub mod mod_ref;
pub mod pdg;
pub mod points_to;
pub mod reaching;
pub mod slice;
mod stored;
pub mod summaries;
pub mod wp;

pub use ir::*;
pub use load::{load, LoadError};
