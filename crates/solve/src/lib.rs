//! Expressions over input bytes: a model, unsat, or unknown in time.
//!
//! In: traces (labels become expressions of one [`Pool`]), constraints, the bytes of a test case. Out: which
//! bytes to change so that the constraints hold, or that there is no way, or that it was not found
//! within the limit.
//!
//! Always holds: every model has been evaluated on the constraints before it is returned; bytes that the
//! constraints do not need keep their values; every query has a limit; the same queries in the same order
//! give the same answers, unless the clock ends one, which is said ([`Unknown::Late`]). No program is started here, and but for the layer that
//! records queries and the two modules that read and write SMT-LIB nothing touches files.

mod align;
mod blast;
pub mod bytes;
mod eval;
mod expr;
mod import;
pub mod layers;
mod lookup;
mod path;
mod pool;
mod query;
pub mod random;
mod range;
pub mod rules;
pub mod smtlib;
pub mod smtlib_reader;
mod stack;
pub mod subjects;

pub use eval::{eval, Program};
pub use expr::{ExprId, Node, TableId, Var, VarId};
pub use import::{renaming, Importer, SYMBOLIC_ENTRIES};
pub use path::Path;
pub use pool::{Bytes, Pool};
pub use query::{Answer, Budget, Constraint, Limit, Model, Query, Seed, Solver, Unknown};
pub use stack::{standard_stack, Below, Layer, LayerStatistics, Settings, Stack};
