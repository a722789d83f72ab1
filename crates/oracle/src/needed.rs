//! Which pieces of a change a difference needs.
//!
//! In: how many pieces there are, and a trial that says whether the old version with some of them shows the difference. Out: the smallest
//! sets of pieces that show it, smallest first.
//!
//! A set is made minimal by delta debugging (Zeller and Hildebrandt 2002, *Simplifying and Isolating Failure-Inducing Input*, `ddmin`); other sets are
//! found as in a hitting set tree (Reiter 1987): every further one has to do without a piece of each that is known. Departure from both: a trial can
//! fail to build, which is no answer: such a set is neither taken for one that shows the difference nor used to end a branch early.
//!
//! Always holds: every set in the result was tried and shows the difference; no set with one piece fewer does, and of sets of up to
//! [`EXACT`] pieces no part at all does. No set is tried twice.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Sets of up to so many pieces are compared with all of their parts.
pub const EXACT: usize = 4;
/// Up to so many pieces, a set that does not build is tried again with one piece fewer.
const FEW: usize = 12;

/// Pieces, by number.
pub type Pieces = BTreeSet<usize>;

/// What a trial says of a set of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// With these alone the difference is there.
    Shows,
    /// It is not, or another one is.
    Not,
    /// With these alone there is no program.
    NotBuilt,
    /// The budget is used up.
    Stop,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed {
    /// Smallest first.
    pub sets: Vec<Pieces>,
    pub not_built: Vec<Pieces>,
    /// How many sets were tried.
    pub tried: usize,
    /// Not cut short.
    pub complete: bool,
}

/// All of `count` pieces are known to show the difference, none of them not to.
pub fn needed(count: usize, trial: &mut dyn FnMut(&Pieces) -> Tried) -> Needed {
    let all: Pieces = (0..count).collect();
    let mut answers = BTreeMap::new();
    answers.insert(Pieces::new(), Tried::Not);
    answers.insert(all.clone(), Tried::Shows);
    let mut search = Search { trial, answers, tried: 0, stopped: false };
    let mut sets = search.sets(&all);
    sets.sort_by_key(|set| (set.len(), set.clone()));
    let not_built = search.answers.iter().filter(|(_, tried)| **tried == Tried::NotBuilt);
    let not_built = not_built.map(|(set, _)| set.clone()).collect();
    Needed { sets, not_built, tried: search.tried, complete: !search.stopped }
}

struct Search<'t> {
    trial: &'t mut dyn FnMut(&Pieces) -> Tried,
    answers: BTreeMap<Pieces, Tried>,
    tried: usize,
    stopped: bool,
}

impl Search<'_> {
    fn ask(&mut self, set: &Pieces) -> Tried {
        if let Some(known) = self.answers.get(set) {
            return *known;
        }
        if self.stopped {
            return Tried::Stop;
        }
        let answer = (self.trial)(set);
        if answer == Tried::Stop {
            self.stopped = true;
        } else {
            self.tried += 1;
            self.answers.insert(set.clone(), answer);
        }
        answer
    }

    fn shows(&mut self, set: &Pieces) -> bool {
        self.ask(set) == Tried::Shows
    }

    fn sets(&mut self, all: &Pieces) -> Vec<Pieces> {
        let mut sets: Vec<Pieces> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut without = VecDeque::from([Pieces::new()]);
        while let Some(left_out) = without.pop_front() {
            if !seen.insert(left_out.clone()) || self.stopped {
                continue;
            }
            let known = sets.iter().find(|set| set.is_disjoint(&left_out)).cloned();
            let branches = match known {
                Some(set) => set,
                None => {
                    let rest: Pieces = all - &left_out;
                    match self.ask(&rest) {
                        Tried::Shows => {
                            let set = self.smallest(&rest);
                            sets.push(set.clone());
                            set
                        }
                        Tried::NotBuilt if all.len() <= FEW => rest,
                        _ => continue,
                    }
                }
            };
            without.extend(branches.iter().map(|piece| &left_out | &Pieces::from([*piece])));
        }
        sets
    }

    /// A minimal part of a set that shows the difference.
    fn smallest(&mut self, set: &Pieces) -> Pieces {
        let small = self.reduced(set);
        if small.len() > EXACT {
            return small;
        }
        let pieces: Vec<usize> = small.iter().copied().collect();
        let mut parts: Vec<Pieces> = (1..(1_u32 << pieces.len()) - 1)
            .map(|bits| (0..pieces.len()).filter(|i| bits >> i & 1 == 1).map(|i| pieces[i]).collect())
            .collect();
        parts.sort_by_key(Pieces::len);
        parts.into_iter().find(|part| self.shows(part)).unwrap_or(small)
    }

    /// `ddmin`.
    fn reduced(&mut self, set: &Pieces) -> Pieces {
        let mut pieces: Vec<usize> = set.iter().copied().collect();
        let mut parts = 2;
        while pieces.len() >= 2 {
            let size = pieces.len().div_ceil(parts);
            let chunks: Vec<Pieces> =
                pieces.chunks(size).map(|chunk| chunk.iter().copied().collect()).collect();
            let whole: Pieces = pieces.iter().copied().collect();
            let complements = chunks.iter().map(|chunk| &whole - chunk);
            let single = chunks.iter().find(|chunk| self.shows(chunk)).cloned();
            if let Some(part) = single {
                (pieces, parts) = (part.into_iter().collect(), 2);
                continue;
            }
            let rest = complements.into_iter().find(|rest| self.shows(rest));
            match rest {
                Some(rest) => (pieces, parts) = (rest.into_iter().collect(), (parts - 1).max(2)),
                None if parts >= pieces.len() => break,
                None => parts = (parts * 2).min(pieces.len()),
            }
        }
        pieces.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pieces: &[usize]) -> Pieces {
        pieces.iter().copied().collect()
    }

    /// The difference is there if all of one of the sets are.
    fn find(count: usize, causes: &[&[usize]], built: impl Fn(&Pieces) -> bool) -> Needed {
        needed(count, &mut |pieces| match built(pieces) {
            false => Tried::NotBuilt,
            true if causes.iter().any(|cause| set(cause).is_subset(pieces)) => Tried::Shows,
            true => Tried::Not,
        })
    }

    #[test]
    fn every_minimal_set_is_found_smallest_first() {
        let found = find(9, &[&[1, 4, 7], &[2, 8], &[5]], |_| true);
        assert_eq!(found.sets, [set(&[5]), set(&[2, 8]), set(&[1, 4, 7])]);
        assert!(found.complete);
    }

    #[test]
    fn one_piece_of_forty_takes_few_trials() {
        let found = find(40, &[&[23]], |_| true);
        assert_eq!(found.sets, [set(&[23])]);
        assert!(found.tried <= 16, "{}", found.tried);
        assert!(find(40, &[&[3, 37]], |_| true).tried <= 60);
    }

    #[test]
    fn what_does_not_build_is_no_answer() {
        // Piece 0 declares what piece 1 uses.
        let found = find(4, &[&[1]], |pieces| !pieces.contains(&1) || pieces.contains(&0));
        assert_eq!(found.sets, [set(&[0, 1])]);
        assert!(found.not_built.contains(&set(&[1])));
    }

    #[test]
    fn a_difference_that_a_further_piece_hides_is_found_in_the_smaller_set() {
        // 0 and 1 together show it, 2 hides it again unless 3 is there.
        let shows = |p: &Pieces| set(&[0, 1]).is_subset(p) && (!p.contains(&2) || p.contains(&3));
        let found = needed(4, &mut |p| if shows(p) { Tried::Shows } else { Tried::Not });
        assert_eq!(found.sets[0], set(&[0, 1]));
        assert!(found.sets.iter().all(shows));
    }

    #[test]
    fn a_search_that_is_cut_short_says_so_and_keeps_what_it_has() {
        let mut left = 5;
        let found = needed(40, &mut |pieces| {
            left -= 1;
            match left {
                0 => Tried::Stop,
                _ if pieces.contains(&39) => Tried::Shows,
                _ => Tried::Not,
            }
        });
        assert!(!found.complete);
        assert!(found.sets[0].contains(&39));
        assert_eq!(found.tried, 4);
    }

    #[test]
    fn random_causes_are_all_found_and_every_set_is_minimal() {
        fastrand::seed(7);
        for _ in 0..200 {
            let count = fastrand::usize(1..10);
            let causes: Vec<Pieces> = (0..fastrand::usize(1..4))
                .map(|_| (0..fastrand::usize(1..4)).map(|_| fastrand::usize(0..count)).collect())
                .collect();
            let minimal = |c: &&Pieces| !causes.iter().any(|d| d.is_subset(c) && d.len() < c.len());
            let mut expected: Vec<Pieces> = causes.iter().filter(minimal).cloned().collect();
            expected.sort_by_key(|s| (s.len(), s.clone()));
            expected.dedup();
            let shows = |p: &Pieces| causes.iter().any(|c| c.is_subset(p));
            let found = needed(count, &mut |p| if shows(p) { Tried::Shows } else { Tried::Not });
            assert_eq!(found.sets, expected);
        }
    }
}
