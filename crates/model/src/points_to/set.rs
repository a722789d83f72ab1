//! Sparse sets of small numbers: sorted blocks of 64 bits.
//!
//! In: dense ids. Out: ordered sets with fast union and difference. Always holds: blocks ascend, none is empty,
//! so equal sets are equal values.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SparseSet {
    blocks: Vec<(u32, u64)>,
}

impl SparseSet {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn len(&self) -> usize {
        self.blocks.iter().map(|b| b.1.count_ones() as usize).sum()
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
    }

    pub fn contains(&self, value: u32) -> bool {
        let at = self.blocks.binary_search_by_key(&(value / 64), |b| b.0);
        at.is_ok_and(|i| self.blocks[i].1 & (1 << (value % 64)) != 0)
    }

    /// Was it new?
    pub fn insert(&mut self, value: u32) -> bool {
        let bit = 1u64 << (value % 64);
        match self.blocks.binary_search_by_key(&(value / 64), |b| b.0) {
            Ok(i) => {
                let new = self.blocks[i].1 & bit == 0;
                self.blocks[i].1 |= bit;
                new
            }
            Err(i) => {
                self.blocks.insert(i, (value / 64, bit));
                true
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|&(key, bits)| Bits(bits).map(move |b| key * 64 + b))
    }

    /// Adds all of `other`. Did anything change?
    pub fn union(&mut self, other: &SparseSet) -> bool {
        if self.covers(other) {
            return false;
        }
        self.blocks = merge(&self.blocks, &other.blocks);
        true
    }

    /// Adds all of `other` here, and what was new to `fresh`. Was anything new?
    pub fn union_noting(&mut self, other: &SparseSet, fresh: &mut SparseSet) -> bool {
        let new = other.without(self);
        if new.is_empty() {
            return false;
        }
        self.blocks = merge(&self.blocks, &new.blocks);
        if fresh.is_empty() {
            *fresh = new;
        } else {
            fresh.blocks = merge(&fresh.blocks, &new.blocks);
        }
        true
    }

    /// Is every element of `other` here?
    pub fn covers(&self, other: &SparseSet) -> bool {
        let mut at = 0;
        for &(key, bits) in &other.blocks {
            while at < self.blocks.len() && self.blocks[at].0 < key {
                at += 1;
            }
            if at == self.blocks.len() || self.blocks[at].0 != key || bits & !self.blocks[at].1 != 0 {
                return false;
            }
        }
        true
    }

    pub fn without(&self, other: &SparseSet) -> SparseSet {
        let mut at = 0;
        let mut blocks = Vec::new();
        for &(key, bits) in &self.blocks {
            while at < other.blocks.len() && other.blocks[at].0 < key {
                at += 1;
            }
            let taken =
                if at < other.blocks.len() && other.blocks[at].0 == key { other.blocks[at].1 } else { 0 };
            if bits & !taken != 0 {
                blocks.push((key, bits & !taken));
            }
        }
        SparseSet { blocks }
    }

    /// What is in both.
    pub fn common(&self, other: &SparseSet) -> SparseSet {
        let mut at = 0;
        let mut blocks = Vec::new();
        for &(key, bits) in &self.blocks {
            while at < other.blocks.len() && other.blocks[at].0 < key {
                at += 1;
            }
            if at < other.blocks.len() && other.blocks[at].0 == key && other.blocks[at].1 & bits != 0 {
                blocks.push((key, other.blocks[at].1 & bits));
            }
        }
        SparseSet { blocks }
    }

    pub fn intersects(&self, other: &SparseSet) -> bool {
        let mut at = 0;
        for &(key, bits) in &self.blocks {
            while at < other.blocks.len() && other.blocks[at].0 < key {
                at += 1;
            }
            if at < other.blocks.len() && other.blocks[at].0 == key && other.blocks[at].1 & bits != 0 {
                return true;
            }
        }
        false
    }
}

impl FromIterator<u32> for SparseSet {
    fn from_iter<I: IntoIterator<Item = u32>>(values: I) -> Self {
        let mut set = SparseSet::default();
        for value in values {
            set.insert(value);
        }
        set
    }
}

fn merge(a: &[(u32, u64)], b: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => {
                out.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                out.push((a[i].0, a[i].1 | b[j].1));
                i += 1;
                j += 1;
            }
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

/// The positions of set bits, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn random(rng: &mut fastrand::Rng) -> (SparseSet, BTreeSet<u32>) {
        let values: Vec<u32> = (0..rng.usize(0..40)).map(|_| rng.u32(0..400)).collect();
        (values.iter().copied().collect(), values.into_iter().collect())
    }

    #[test]
    fn sparse_sets_agree_with_ordered_sets() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let ((mut a, ra), (b, rb)) = (random(&mut rng), random(&mut rng));
            assert_eq!(a.iter().collect::<BTreeSet<_>>(), ra);
            assert_eq!(a.len(), ra.len());
            assert_eq!(a.covers(&b), ra.is_superset(&rb));
            assert_eq!(a.intersects(&b), !ra.is_disjoint(&rb));
            assert_eq!(a.common(&b).iter().collect::<BTreeSet<_>>(), &ra & &rb);
            assert_eq!(a.without(&b).iter().collect::<BTreeSet<_>>(), &ra - &rb);
            let mut fresh = SparseSet::default();
            let grew = a.union_noting(&b, &mut fresh);
            assert_eq!(grew, !ra.is_superset(&rb));
            assert_eq!(fresh.iter().collect::<BTreeSet<_>>(), &rb - &ra);
            assert_eq!(a.iter().collect::<BTreeSet<_>>(), &ra | &rb);
            assert!((0..400).all(|v| a.contains(v) == (ra.contains(&v) || rb.contains(&v))));
        }
    }
}
