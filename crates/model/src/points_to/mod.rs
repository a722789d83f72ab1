//! Points-to analysis: what every pointer of the program can point to.
//!
//! In: a [`Program`]. Out: [`PointsTo`]. Inclusion-based (Andersen), field-sensitive by byte offset, arrays collapsed to one
//! element, heap objects by allocation site (and by call site for allocation wrappers), external functions by
//! their summaries ([`crate::summaries`]); unknown ones are listed and may do everything to what they can reach.
//!
//! # For those who check it
//! - [`PointsTo::places`]`(program, load_or_store)`: abstract objects with offset ranges that the access can touch. An empty
//!   answer means that the analysis saw no valid pointer there. [`ObjectKind::Unknown`] matches everything.
//! - [`PointsTo::targets`]`(call)`: the functions that a call can reach, callbacks by external functions included.
//! - Objects: [`ObjectKind::Global`], [`ObjectKind::Stack`] (by `alloca`), [`ObjectKind::Heap`] (by the call of the external
//!   allocation function: compare `site` only, `context` is a refinement), [`ObjectKind::Function`]; everything else is memory
//!   that no instruction of the program allocates (arguments of `main`, environment, memory of libc, areas of variable arguments,
//!   copies of structures passed by value).
//!
//! Always holds: whatever a run without undefined behaviour does is included, as far as pointers go through pointers, integers of 64
//! bits and byte-wise copies; integers that are cut and put together again are not followed.

mod calls;
mod cells;
mod clones;
mod copies;
mod generate;
mod graph;
mod instructions;
mod result;
mod set;
mod shape;
mod solver;
mod wrappers;

#[cfg(test)]
mod tests;

pub use cells::{overlap, Cell, CellId, Object, ObjectId, ObjectKind, Span, UNBOUNDED};
pub use result::{accessed, Place, PointsTo, Statistics};
pub use set::SparseSet;

/// Where precision gives way to bounded effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Cells of one object; beyond, one cell stands for all other places.
    pub cells: u32,
    /// The same for objects of unknown size, where nothing else bounds their number.
    pub unsized_cells: u32,
    /// Offsets that are told apart.
    pub offset: u32,
    /// Arrays in one type.
    pub arrays: u32,
    /// Pairs of cells between which one instruction copies memory; beyond, places are not told apart.
    pub copy_pairs: u32,
    /// Places that a pointer can point to; if something is stored through one that can point to more, they are not told apart.
    pub large: u32,
    /// The same, for address computations: from a pointer that can point to more, they lead anywhere in its objects. What is loaded through such pointers
    /// is not told apart either.
    pub huge: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            cells: 256,
            unsized_cells: 40,
            offset: 1 << 16,
            arrays: 256,
            copy_pairs: 2048,
            large: 400,
            huge: 1500,
        }
    }
}
