//! The two versions, and what there is of each.

use std::ops::{Index, IndexMut};

/// Which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Old,
    New,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Old, Side::New];

    pub fn other(self) -> Side {
        match self {
            Side::Old => Side::New,
            Side::New => Side::Old,
        }
    }
}

/// Something that each version has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pair<T> {
    pub old: T,
    pub new: T,
}

impl<T> Pair<T> {
    pub fn new(old: T, new: T) -> Pair<T> {
        Pair { old, new }
    }

    /// What `make` gives for the old version, then for the new one.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Pair<T> {
        Pair { old: make(Side::Old), new: make(Side::New) }
    }

    pub fn map<U>(self, mut make: impl FnMut(T) -> U) -> Pair<U> {
        Pair { old: make(self.old), new: make(self.new) }
    }

    pub fn as_ref(&self) -> Pair<&T> {
        Pair { old: &self.old, new: &self.new }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Side, &T)> {
        [(Side::Old, &self.old), (Side::New, &self.new)].into_iter()
    }
}

impl<T> Index<Side> for Pair<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }
}

impl<T> IndexMut<Side> for Pair<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Old => &mut self.old,
            Side::New => &mut self.new,
        }
    }
}
