//! Typed dense ids, and ranges of them.
//!
//! Always holds: an id is an index into one vector of [`crate::Program`]; ids of different things cannot be mixed up.

use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// An id that is an index.
pub trait Id: Copy + Ord {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $letter:literal),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl Id for $name {
            fn from_index(index: usize) -> Self {
                $name(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A function, with a body or without.
    FuncId "f",
    /// A basic block, program-wide.
    BlockId "b",
    /// An instruction, program-wide.
    InstId "i",
    /// A global variable.
    GlobalId "g",
    /// A type of the IR.
    TypeId "t",
    /// A source file.
    FileId "file",
    /// A constant that is not one word.
    ConstId "c",
    /// An address computation.
    GepId "gep",
    /// A piece of inline assembly.
    AsmId "asm",
    /// A source place.
    LocId "loc",
    /// A type of the source language.
    DebugTypeId "d",
    /// A local variable or parameter of the source.
    VarId "v",
}

/// A contiguous range of ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IdRange<T> {
    pub start: u32,
    pub end: u32,
    #[serde(skip)]
    kind: PhantomData<T>,
}

impl<T: Id> IdRange<T> {
    pub fn new(start: usize, end: usize) -> Self {
        IdRange { start: start as u32, end: end as u32, kind: PhantomData }
    }

    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub fn first(self) -> Option<T> {
        (!self.is_empty()).then(|| T::from_index(self.start as usize))
    }

    pub fn last(self) -> Option<T> {
        (!self.is_empty()).then(|| T::from_index(self.end as usize - 1))
    }

    pub fn contains(self, id: T) -> bool {
        (self.start as usize..self.end as usize).contains(&id.index())
    }

    pub fn iter(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Clone {
        (self.start as usize..self.end as usize).map(T::from_index)
    }

    pub fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<T> Default for IdRange<T> {
    fn default() -> Self {
        IdRange { start: 0, end: 0, kind: PhantomData }
    }
}
