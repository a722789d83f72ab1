//! What changed between two versions of a program, and what follows from it.
//!
//! In: two program models. Out: matched functions and instructions ([`Alignment`]), [`Change`]s with the source lines of both sides,
//! [`Target`]s, change sequence graphs ([`Csg`]) and the complexity of the change, irrelevant branches, test selection.
//!
//! Always holds: no input or output here. Comments, white space, names of locals, order of declarations and moved lines are no
//! change, because the comparison is made on normalised code ([`norm`]).

mod align;
mod changes;
mod compare;
mod csg;
mod effects;
mod files;
mod flow;
mod globals;
mod irrelevant;
mod layout;
mod lines;
pub mod norm;
mod order;
mod pairs;
mod params;
mod places;
mod points;
mod reach;
mod refine;
mod regions;
mod select;
mod settings;
mod similar;
mod targets;
mod unify;

pub use align::Alignment;
pub use changes::{Change, Kind, Lines};
pub use compare::{compare, Comparison};
pub use csg::{Csg, Node, NodeKind, ENTRY, EXIT};
pub use effects::Effects;
pub use irrelevant::{irrelevant, Branch, Irrelevant};
pub use pairs::Pairs;
pub use reach::World;
pub use refine::{FunctionDiff, Reason};
pub use regions::{regions, Compared, MemoryUse, Part, Region};
pub use select::Selection;
pub use settings::Settings;
pub use targets::{changed_lines, targets, Target};
