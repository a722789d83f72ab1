//! Test cases that are worth changing at random.
//!
//! Thousands of test cases bring something new, most of them by the way, in a large input full of chance. What is changed at random had
//! better start from the smallest one that does a thing than from the first (as AFL's favourites do), and from those on which the
//! state of the versions is infected already (Böhme 2014, Taneja et al. 2011): all that is missing there is to make it visible.
//!
//! In: what a run did, and its test case. Out: test cases to start from.

use crate::inputs;
use crate::Side;
use fastrand::Rng;
use parallax_execute::TestCase;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Among how many kinds one is drawn, see [`Corpus::draw`].
const KINDS: u8 = 7;

#[derive(Default)]
pub struct Corpus {
    /// All that brought something new.
    pub all: Vec<TestCase>,
    /// Those that execute changed code, in different ways.
    pub reaching: Vec<TestCase>,
    /// Those that came as close to the change as any, while none executes it.
    pub nearby: Vec<TestCase>,
    /// The smallest for each way between blocks of the program itself, by version and edge.
    pub smallest: Favourites<(Side, u32)>,
    /// The smallest for each place where the versions did the same code differently often; see [`crate::guide::Guide::infected`].
    pub infected: Favourites<(u32, bool)>,
}

impl Corpus {
    /// What infects the state, what executes the change or, if nothing does, came close to it, or what is the smallest for something: one
    /// of them as often as the other; now and then everything.
    pub fn draw(&self, random: &mut Rng) -> &[TestCase] {
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
    /// Made when it is wanted.
    list: OnceCell<Vec<TestCase>>,
}

impl<K> Default for Favourites<K> {
    fn default() -> Self {
        Favourites { best: BTreeMap::new(), age: 0, list: OnceCell::new() }
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
                self.list.take();
            }
        }
        is_new
    }

    /// What is kept, the latest last.
    pub fn list(&self) -> &[TestCase] {
        self.list.get_or_init(|| {
            let by_age: BTreeMap<u64, &Rc<TestCase>> =
                self.best.values().map(|(_, age, test)| (*age, test)).collect();
            by_age.into_values().map(|test| (**test).clone()).collect()
        })
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
