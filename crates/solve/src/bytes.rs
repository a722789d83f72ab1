//! Sets of values of single bytes, and what is known of the bytes of a query.
//!
//! In: constraints over one byte. Out: the values on which they hold.
//!
//! Always holds: a byte with a domain has no value outside it in any model of the constraints that the domain
//! was made from; the numbers of those constraints are kept, for cores.

use crate::eval::Program;
use crate::expr::{ExprId, VarId};
use crate::pool::{Bytes, Pool};
use crate::query::Query;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A set of byte values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    pub const ALL: ByteSet = ByteSet([u64::MAX; 4]);
    pub const EMPTY: ByteSet = ByteSet([0; 4]);

    pub fn contains(&self, value: u8) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }

    pub fn insert(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
    }

    pub fn complement(self) -> ByteSet {
        ByteSet(self.0.map(|word| !word))
    }

    pub fn intersect(self, other: ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub fn is_empty(&self) -> bool {
        *self == ByteSet::EMPTY
    }

    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..=255).filter(move |value| self.contains(*value))
    }

    /// The member nearest to a value, the value itself if it is one; of two equally near the smaller.
    pub fn nearest(&self, value: u8) -> Option<u8> {
        self.iter().min_by_key(|member| member.abs_diff(value))
    }
}

/// What one-byte constraints leave of each byte.
#[derive(Clone, Debug, Default)]
pub struct Domains {
    of: BTreeMap<VarId, (ByteSet, Vec<usize>)>,
}

impl Domains {
    pub fn get(&self, var: VarId) -> ByteSet {
        self.of.get(&var).map_or(ByteSet::ALL, |(set, _)| *set)
    }

    /// The numbers of the constraints that a byte's domain was made from.
    pub fn reasons(&self, var: VarId) -> &[usize] {
        self.of.get(&var).map_or(&[], |(_, reasons)| reasons)
    }

    pub fn iter(&self) -> impl Iterator<Item = (VarId, ByteSet)> + '_ {
        self.of.iter().map(|(var, (set, _))| (*var, *set))
    }

    fn restrict(&mut self, var: VarId, set: ByteSet, reason: usize) {
        let (domain, reasons) = self.of.entry(var).or_insert((ByteSet::ALL, Vec::new()));
        let smaller = domain.intersect(set);
        if smaller != *domain {
            *domain = smaller;
            reasons.push(reason);
        }
    }
}

/// The value sets of one-byte expressions, remembered.
#[derive(Default)]
pub struct Truths {
    known: FxHashMap<ExprId, ByteSet>,
}

impl Truths {
    /// Where an expression of one bit over this one byte is true.
    pub fn of(&mut self, pool: &Pool, expr: ExprId) -> ByteSet {
        *self.known.entry(expr).or_insert_with(|| {
            let mut program = Program::new(pool, &[expr]);
            let mut set = ByteSet::EMPTY;
            for value in 0..=255 {
                if program.run_one(&|_| value) & 1 == 1 {
                    set.insert(value);
                }
            }
            set
        })
    }

    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// The domains that the one-byte constraints of a query give.
    pub fn domains(&mut self, query: &Query) -> Domains {
        let mut domains = Domains::default();
        for (number, constraint) in query.constraints.iter().enumerate() {
            if let Bytes::One(var) = query.pool.bytes(constraint.expr) {
                let set = self.of(query.pool, constraint.expr);
                let set = if constraint.holds { set } else { set.complement() };
                domains.restrict(var, set, number);
            }
        }
        domains
    }
}

/// The value of an expression of one byte for each value of that byte.
pub fn truth_table(pool: &Pool, expr: ExprId) -> Vec<u64> {
    let mut program = Program::new(pool, &[expr]);
    (0..=255).map(|value| program.run_one(&|_| value)).collect()
}
