//! Conditions: what must hold at a point for a target to be reached.
//!
//! Always holds: a condition is a conjunction, one set of values for each term. It may be weaker than the truth, never stronger; `None` in its place is false.

use super::ranges::Ranges;
use crate::ir::*;
use std::collections::BTreeMap;

/// Terms that one condition may have.
pub const MAX_TERMS: usize = 24;

/// Something that has a value at a point of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// The result of an instruction, or an argument.
    Register(Operand),
    Memory(Cell),
}

/// A piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub base: Operand,
    pub offset: i64,
    pub bits: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cond {
    terms: BTreeMap<Term, Ranges>,
}

impl Cond {
    pub fn terms(&self) -> impl Iterator<Item = (Term, &Ranges)> {
        self.terms.iter().map(|(t, r)| (*t, r))
    }

    /// True holds everywhere.
    pub fn is_true(&self) -> bool {
        self.terms.is_empty()
    }

    /// Adds a conjunct; false if the condition has become false.
    pub fn insert(&mut self, term: Term, set: &Ranges) -> bool {
        let both = match self.terms.get(&term) {
            Some(old) if old.bits() == set.bits() => old.intersect(set),
            // One register has one width, and so has one cell.
            _ => set.clone(),
        };
        if both.is_empty() {
            return false;
        }
        if !both.is_full() && (self.terms.len() < MAX_TERMS || self.terms.contains_key(&term)) {
            self.terms.insert(term, both);
        }
        true
    }

    pub fn take(&mut self, term: Term) -> Option<Ranges> {
        self.terms.remove(&term)
    }

    /// Removes and returns what `wanted` says.
    pub fn take_all(&mut self, wanted: impl Fn(Term) -> bool) -> Vec<(Term, Ranges)> {
        let found: Vec<Term> = self.terms.keys().copied().filter(|t| wanted(*t)).collect();
        found.into_iter().filter_map(|t| Some((t, self.terms.remove(&t)?))).collect()
    }

    /// Becomes a condition that holds where either holds. True if it changed. With `coarse`, sets that would grow are given up.
    pub fn or(&mut self, other: &Cond, coarse: bool) -> bool {
        let mut changed = false;
        self.terms.retain(|term, set| {
            let union = match other.terms.get(term) {
                Some(theirs) if theirs.bits() == set.bits() => set.union(theirs),
                _ => Ranges::full(set.bits()),
            };
            if union == *set {
                return true;
            }
            changed = true;
            *set = union;
            !set.is_full() && !coarse
        });
        changed
    }
}

/// The disjunction of two conditions that may be false.
pub fn either(a: Option<Cond>, b: Option<Cond>) -> Option<Cond> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.or(&b, false);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}
