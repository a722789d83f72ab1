//! Sets of numbers of up to 64 bits, as a few ranges.
//!
//! Always holds: ranges are in order and do not touch. A set may be too large, never too small: beyond [`MAX_RANGES`] ranges the ones that are
//! nearest to each other become one.

use crate::ir::IntPredicate;

/// Ranges that one set may have.
pub const MAX_RANGES: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    bits: u32,
    list: Vec<(u64, u64)>,
}

fn largest(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

impl Ranges {
    pub fn full(bits: u32) -> Self {
        Ranges { bits, list: vec![(0, largest(bits))] }
    }

    pub fn single(bits: u32, value: u64) -> Self {
        Ranges { bits, list: vec![(value, value)] }
    }

    /// From any ranges, in any order.
    pub fn of(bits: u32, mut list: Vec<(u64, u64)>) -> Self {
        list.sort();
        let mut merged: Vec<(u64, u64)> = Vec::with_capacity(list.len());
        for (start, end) in list {
            match merged.last_mut() {
                Some(last) if start <= last.1.saturating_add(1) => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        while merged.len() > MAX_RANGES {
            let gap = |i: &usize| merged[*i].0 - merged[*i - 1].1;
            // There are at least two ranges here, so there is a nearest pair.
            let nearest = (1..merged.len()).min_by_key(gap).unwrap_or(1);
            merged[nearest - 1].1 = merged[nearest].1;
            merged.remove(nearest);
        }
        Ranges { bits, list: merged }
    }

    /// All x for which `x predicate value` holds.
    pub fn satisfying(bits: u32, predicate: IntPredicate, value: u64) -> Self {
        use IntPredicate::*;
        let max = largest(bits);
        let sign = 1u64 << (bits.clamp(1, 64) - 1);
        // Signed order is unsigned order with the sign turned.
        let turned = value ^ sign;
        let below = |limit: u64| if limit == 0 { vec![] } else { vec![(0, limit - 1)] };
        let above = |limit: u64| if limit == max { vec![] } else { vec![(limit + 1, max)] };
        let list = match predicate {
            Eq => vec![(value, value)],
            Ne => [below(value), above(value)].concat(),
            Ult => below(value),
            Ule => vec![(0, value)],
            Ugt => above(value),
            Uge => vec![(value, max)],
            Slt => below(turned),
            Sle => vec![(0, turned)],
            Sgt => above(turned),
            Sge => vec![(turned, max)],
        };
        match predicate {
            Slt | Sle | Sgt | Sge => Ranges { bits, list }.shifted(sign),
            _ => Ranges::of(bits, list),
        }
    }

    /// All numbers but these.
    pub fn except(bits: u32, values: impl Iterator<Item = u64>) -> Self {
        let mut values: Vec<u64> = values.collect();
        values.sort();
        let (mut list, mut next, max) = (Vec::new(), 0u64, largest(bits));
        for value in values {
            if value > next {
                list.push((next, value - 1));
            }
            if value == max {
                return Ranges::of(bits, list);
            }
            next = next.max(value + 1);
        }
        list.push((next, max));
        Ranges::of(bits, list)
    }

    pub fn bits(&self) -> u32 {
        self.bits
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.list == [(0, largest(self.bits))]
    }

    pub fn contains(&self, value: u64) -> bool {
        self.list.iter().any(|(start, end)| (*start..=*end).contains(&value))
    }

    /// The only element.
    pub fn only(&self) -> Option<u64> {
        match self.list[..] {
            [(start, end)] if start == end => Some(start),
            _ => None,
        }
    }

    pub fn intersect(&self, other: &Ranges) -> Ranges {
        let pairs =
            self.list.iter().flat_map(|a| other.list.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
        Ranges::of(self.bits, pairs.filter(|(start, end)| start <= end).collect())
    }

    pub fn union(&self, other: &Ranges) -> Ranges {
        Ranges::of(self.bits, [&self.list[..], &other.list[..]].concat())
    }

    /// All x + `by`, wrapping, for x in the set.
    pub fn shifted(&self, by: u64) -> Ranges {
        let max = largest(self.bits);
        let mut list = Vec::new();
        for (start, end) in &self.list {
            let (start, end) = (start.wrapping_add(by) & max, end.wrapping_add(by) & max);
            if start <= end {
                list.push((start, end));
            } else {
                list.extend([(start, max), (0, end)]);
            }
        }
        Ranges::of(self.bits, list)
    }

    /// All x with every bit turned, for x in the set.
    pub fn inverted(&self) -> Ranges {
        let max = largest(self.bits);
        Ranges::of(self.bits, self.list.iter().map(|(start, end)| (max - end, max - start)).collect())
    }

    /// The numbers of `bits` bits whose zero-extension is in the set.
    pub fn before_zext(&self, bits: u32) -> Ranges {
        let cut = self.intersect(&Ranges { bits: self.bits, list: vec![(0, largest(bits))] });
        Ranges { bits, list: cut.list }
    }

    /// The numbers of `bits` bits whose sign-extension is in the set.
    pub fn before_sext(&self, bits: u32) -> Ranges {
        let (max, sign) = (largest(bits), 1u64 << (bits.clamp(1, 64) - 1));
        let positive = self.intersect(&Ranges { bits: self.bits, list: vec![(0, sign - 1)] });
        let first = largest(self.bits) - (max - sign);
        let negative = self.intersect(&Ranges { bits: self.bits, list: vec![(first, largest(self.bits))] });
        let low = negative.list.iter().map(|(start, end)| (start & max, end & max));
        Ranges::of(bits, positive.list.iter().copied().chain(low).collect())
    }
}
