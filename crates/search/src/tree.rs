//! The tree of the program's executions, from its root down: a lane of questions beside the heuristic ones.
//!
//! What a flip is worth (see [`crate::queue`]) is judged by branch, context and round of a loop; two runs that are alike in
//! these may still be in different states (the second byte after a lead byte of two, or of three). Here every sequence of conditions is
//! another one, and each is asked for once: those first that need the fewest conditions of the program itself, as a breadth-first
//! symbolic execution would. Small programs are explored completely that way, and large ones near their entry.
//!
//! Always holds: no sequence of conditions is asked for twice, or at all if a run had shown it before.

use crate::path::Step;
use crate::queue::{Flip, FlipKey};
use crate::{hash_of, Side};
use std::collections::{BTreeMap, HashSet};

/// Conditions of one run that are looked at.
const MAX_DEPTH: u32 = 400;
/// Questions that wait at most; of more, the deepest are dropped.
const MAX_WAITING: usize = 20_000;

#[derive(Default)]
pub struct Tree {
    /// Sequences of conditions, as hashes: what runs have shown and what was asked for.
    seen: HashSet<u64>,
    /// By the number of the program's own conditions before them, then by age.
    waiting: BTreeMap<(u32, u64), (Flip, FlipKey)>,
    age: u64,
    /// What its questions have cost.
    pub paid: u64,
}

impl Tree {
    /// What a run shows, and the ways it did not go. `is_own`: a condition of the program itself, not of libc.
    pub fn add(&mut self, record: usize, side: Side, steps: &[Step], is_own: impl Fn(&Step) -> bool) {
        let mut before = 0;
        let mut depth = 0;
        for (index, step) in steps.iter().enumerate().filter(|(_, step)| is_own(step) && !step.is_guard) {
            depth += 1;
            let taken = hash_of(&(before, step.holds));
            self.seen.insert(taken);
            for other in 0..step.others.len() {
                if self.seen.insert(hash_of(&(before, step.others[other]))) {
                    let ask = (Flip::new(record, side, index, other), FlipKey::new(side, step, other));
                    self.age += 1;
                    self.waiting.insert((depth, self.age), ask);
                }
            }
            before = taken;
            if depth == MAX_DEPTH {
                break;
            }
        }
        while self.waiting.len() > MAX_WAITING {
            self.waiting.pop_last();
        }
    }

    pub fn next(&mut self) -> Option<(Flip, FlipKey)> {
        self.waiting.pop_first().map(|entry| entry.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::tests::branch;

    /// A step whose other way is about something else than the way it took.
    fn step(about: u64) -> Step {
        let [taken, other] = [branch(1, true, about), branch(1, false, about + 1)];
        Step { others: vec![other.holds], ..taken }
    }

    fn asked(tree: &mut Tree) -> Vec<(usize, usize)> {
        std::iter::from_fn(|| tree.next()).map(|(flip, _)| (flip.record, flip.step)).collect()
    }

    #[test]
    fn the_shallowest_ways_are_asked_for_first_and_what_runs_have_shown_not_at_all() {
        let mut tree = Tree::default();
        tree.add(0, Side::Old, &[step(10), step(20), step(30)], |_| true);
        // The way that the first run did not go at its second condition, and a third condition of its own.
        tree.add(1, Side::Old, &[step(10), step(21), step(40)], |_| true);
        assert_eq!(asked(&mut tree), [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2)]);
        tree.add(2, Side::New, &[step(10), step(20), step(30)], |_| true);
        assert_eq!(asked(&mut tree), []);
    }

    #[test]
    fn conditions_of_libc_are_not_counted_and_not_asked_for() {
        let mut tree = Tree::default();
        let libc = Step { site: 9, ..step(50) };
        let is_own = |step: &Step| step.site != 9;
        tree.add(0, Side::Old, &[libc.clone(), step(10), libc.clone(), step(20)], is_own);
        tree.add(1, Side::Old, &[step(10), step(20)], is_own);
        assert_eq!(asked(&mut tree), [(0, 1), (0, 3)]);
    }
}
