//! Which integers say how many elements a buffer has.
//!
//! In: names and types of parameters, or of the members of a structure, in order. Out: for each pointer the integer that is its length, if one is.
//!
//! C does not say so; names and habits do. An integer counts as a length if its name says so (`n`, `len`, `size`, …) or its type is `size_t`. A pointer belongs to the
//! first such integer after it, else to the last one before it. Taking a length for any number would make functions read behind their buffers, which is worse than
//! testing a number only up to the bound.

use crate::layout::reaches;
use crate::types::{kind, Class, Kind};
use parallax_model::{DebugType, DebugTypeId, Program};

/// Names that say "how many", whole or as the last part of a name.
const NAMES: [&str; 16] = [
    "n", "m", "len", "length", "size", "sz", "count", "cnt", "num", "nelem", "nmemb", "nbytes", "cap",
    "capacity", "total", "dim",
];

/// Pointers and their lengths, by position.
pub struct Sizes {
    length_of: Vec<Option<usize>>,
}

impl Sizes {
    /// Does something say how many elements the pointer at this position has?
    pub fn is_sized(&self, position: usize) -> bool {
        self.length_of[position].is_some()
    }

    /// The most that the integer at this position may say, if it is a length; `bound` is that of a pointer.
    pub fn most(&self, position: usize, bound: impl Fn(usize) -> usize) -> Option<usize> {
        let pointers = self.length_of.iter().enumerate().filter(|(_, length)| **length == Some(position));
        pointers.map(|(pointer, _)| bound(pointer)).min()
    }
}

pub fn of(program: &Program, list: &[(&str, DebugTypeId)]) -> Sizes {
    let lengths: Vec<usize> =
        (0..list.len()).filter(|i| is_length(program, list[*i].0, list[*i].1)).collect();
    let one = |position: usize| {
        if !may_be_buffer(program, list[position].1) {
            return None;
        }
        let after = lengths.iter().find(|length| **length > position);
        after.or_else(|| lengths.iter().rfind(|length| **length < position)).copied()
    };
    Sizes { length_of: (0..list.len()).map(one).collect() }
}

fn is_length(program: &Program, name: &str, ty: DebugTypeId) -> bool {
    let Kind::Scalar(scalar) = kind(program, Some(ty)) else { return false };
    if !matches!(scalar.class, Class::Signed | Class::Unsigned) {
        return false;
    }
    let name = name.to_lowercase();
    let named = NAMES.iter().any(|known| {
        name == *known || name.ends_with(&format!("_{known}")) || (known.len() > 2 && name.ends_with(known))
    });
    named || is_size_type(program, ty)
}

fn is_size_type(program: &Program, ty: DebugTypeId) -> bool {
    match program.debug_type(ty) {
        DebugType::Typedef { name, to } => name == "size_t" || to.is_some_and(|to| is_size_type(program, to)),
        DebugType::Qualified { to: Some(to), .. } => is_size_type(program, *to),
        _ => false,
    }
}

fn may_be_buffer(program: &Program, ty: DebugTypeId) -> bool {
    let Kind::Pointer { to, .. } = kind(program, Some(ty)) else { return false };
    match kind(program, to) {
        Kind::Function | Kind::Unknown(_) => false,
        // Of a linked type there is one, and the others are behind its pointers.
        Kind::Struct { id, .. } => !reaches(program, id, id),
        _ => true,
    }
}
