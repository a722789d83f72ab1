//! Test cases that are worth changing at random.
//!
//! Thousands of test cases bring something new, most of them by the way, in a large input full of chance. What is changed at random had
//! better start from the smallest one that does a thing than from the first (as AFL's favourites do), and from those on which the
//! state of the versions is infected already (seed 004, 001): all that is missing there is to make it visible.
//!
//! In: what a run did, and its test case. Out: test cases to start from.

use crate::inputs;
use fastrand::Rng;
use parallax_execute::TestCase;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Among how many kinds one is drawn, see [`Collection::draw`].
const KINDS: u8 = 7;

#[derive(Default)]
pub struct Collection {
    /// All that brought something new.
    pub all: Vec<TestCase>,
    /// Those that execute changed code, in different ways.
    pub reaching: Vec<TestCase>,
    /// Those that came as close to the change as any, while none executes it.
    pub nearby: Vec<TestCase>,
    /// The smallest for each way between blocks of the program itself, by version and edge.
    pub smallest: Favourites<(usize, u32)>,
    /// The smallest for each place where the versions did the same code differently often; see [`crate::guide::Guide::infected`].
    pub infected: Favourites<(u32, bool)>,
}

impl Collection {
    /// What infects the state, what executes the change or, if nothing does, came close to it, or what is the smallest for something: one
    /// of them as often as the other; now and then everything.
    pub fn draw(&mut self, random: &mut Rng) -> &[TestCase] {
        let near = if self.reaching.is_empty() { &self.nearby } else { &self.reaching };
        let drawn: &[TestCase] = match random.u8(..KINDS) {
            0 | 1 => self.infected.list(),
            2 | 3 => near,
            4 | 5 => self.smallest.list(),
            _ => &self.all,
        };
        if drawn.is_empty() {
            &self.all
        } else {
            drawn
        }
    }
}

/// The smallest test case for each thing that was ever done.
pub struct Favourites<K> {
    /// The best so far: its size, its age, and itself.
    best: BTreeMap<K, (usize, u64, Rc<TestCase>)>,
    age: u64,
    list: Vec<TestCase>,
    is_listed: bool,
}

impl<K> Default for Favourites<K> {
    fn default() -> Self {
        Favourites { best: BTreeMap::new(), age: 0, list: vec![], is_listed: true }
    }
}

impl<K: Ord> Favourites<K> {
    /// A run of `test` has done these things. True if one of them was never done before, but by this very test case.
    pub fn offer(&mut self, test: &TestCase, things: impl IntoIterator<Item = K>) -> bool {
        let size = inputs::size(test);
        let mut shared = None;
        let mut is_new = false;
        self.age += 1;
        for thing in things {
            let known = self.best.get(&thing);
            is_new |= known.is_none_or(|(_, _, best)| **best == *test);
            if known.is_none_or(|(best, ..)| size < *best) {
                let test = shared.get_or_insert_with(|| Rc::new(test.clone()));
                self.best.insert(thing, (size, self.age, test.clone()));
                self.is_listed = false;
            }
        }
        is_new
    }

    /// What is kept, the latest last.
    pub fn list(&mut self) -> &[TestCase] {
        if !self.is_listed {
            let by_age: BTreeMap<u64, &Rc<TestCase>> =
                self.best.values().map(|(_, age, test)| (*age, test)).collect();
            self.list = by_age.into_values().map(|test| (**test).clone()).collect();
            self.is_listed = true;
        }
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_test_case_for_each_thing_is_kept_and_the_others_are_not() {
        let mut favourites = Favourites::default();
        let [long, short, other] = ["abcdef", "abc", "xy"].map(|word| TestCase::with_args([word]));
        assert!(favourites.offer(&long, [1, 2]));
        assert!(favourites.offer(&long, [1]), "by the same test case");
        assert!(!favourites.offer(&short, [1]));
        assert!(favourites.offer(&other, [3]));
        assert_eq!(favourites.list(), [long, short.clone(), other.clone()]);
        assert!(!favourites.offer(&other, [2]));
        assert_eq!(favourites.list(), [short, other.clone(), other]);
    }
}
