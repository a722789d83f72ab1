//! Test cases that wait to be tried, the best first.
//!
//! In: test cases with their ranks. Out: the first of those that are new.
//!
//! Always holds: they are no more than so many, and take no more than so many bytes; of too many the last are dropped.

use crate::inputs;
use crate::queue::Try;
use parallax_execute::TestCase;
use std::collections::BTreeMap;

/// Test cases that wait in one lane at most, and the bytes that they take.
pub const MAX_TRIES: usize = 20_000;
const MAX_BYTES: usize = 64 << 20;

/// See the module.
pub struct Lane<K> {
    waiting: BTreeMap<K, Try>,
    bytes: usize,
}

impl<K> Default for Lane<K> {
    fn default() -> Lane<K> {
        Lane { waiting: BTreeMap::new(), bytes: 0 }
    }
}

impl<K: Ord> Lane<K> {
    /// One more that waits.
    pub fn keep(&mut self, key: K, next: Try) {
        self.bytes += inputs::footprint(&next.test);
        if let Some(replaced) = self.waiting.insert(key, next) {
            self.bytes -= inputs::footprint(&replaced.test);
        }
        while self.waiting.len() > MAX_TRIES || self.bytes > MAX_BYTES && self.waiting.len() > 1 {
            self.drop_last();
        }
    }

    fn drop_last(&mut self) {
        if let Some((_, last)) = self.waiting.pop_last() {
            self.bytes -= inputs::footprint(&last.test);
        }
    }

    /// Drops the last half.
    pub fn halve(&mut self) {
        for _ in 0..self.waiting.len() / 2 {
            self.drop_last();
        }
    }

    /// The first of those that wait that is new.
    pub fn first_new(&mut self, mut is_new: impl FnMut(&TestCase) -> bool) -> Option<Try> {
        while let Some((_, next)) = self.waiting.pop_first() {
            self.bytes -= inputs::footprint(&next.test);
            if is_new(&next.test) {
                return Some(next);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_bytes(len: usize) -> Try {
        Try::new(0, TestCase { stdin: vec![b'x'; len], ..TestCase::default() })
    }

    fn lengths(lane: &mut Lane<usize>) -> Vec<usize> {
        std::iter::from_fn(|| lane.first_new(|_| true)).map(|next| next.test.stdin.len()).collect()
    }

    #[test]
    fn large_test_cases_push_out_the_last_ones_and_a_single_one_always_has_room() {
        let mut lane = Lane::default();
        let third = MAX_BYTES / 3;
        for rank in 0..4 {
            lane.keep(rank, of_bytes(third + rank));
        }
        assert_eq!(lengths(&mut lane), [third, third + 1]);
        assert_eq!(lane.bytes, 0);
        lane.keep(7, of_bytes(MAX_BYTES * 2));
        assert_eq!(lengths(&mut lane), [MAX_BYTES * 2]);
    }

    #[test]
    fn the_better_half_stays() {
        let mut lane = Lane::default();
        (0..5).for_each(|rank| lane.keep(rank, of_bytes(rank)));
        lane.halve();
        assert_eq!(lengths(&mut lane), [0, 1, 2]);
    }
}
