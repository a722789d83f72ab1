//! Graph algorithms on small dense numbers, each with a naive twin in the tests.
//!
//! In: a [`Graph`]. Out: dominators, control dependence, loops. Nothing here knows what the nodes stand for.
//!
//! Always holds: nothing recurses, so a function of any size is safe; time is near linear in nodes and edges.

mod control;
mod digraph;
mod dom;
mod loops;
mod min_tree;
mod scc;

pub use control::{ControlDependence, Controller};
pub use digraph::{Csr, Dfs, Graph};
pub use dom::DomTree;
pub use loops::{Loop, Loops};
pub use min_tree::MinTree;
pub use scc::components;
