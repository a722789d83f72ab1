//! `tree`: the tree of the program's executions, from its root down, as a breadth-first symbolic execution explores it (King 1976;
//! Cadar, Dunbar and Engler 2008).
//!
//! What a flip is worth elsewhere ([`super::scores`]) is judged by branch, context and round of a loop; two runs that are alike in
//! these may still be in different states (the second byte after a lead byte of two, or of three). Here every sequence of conditions is
//! another one, and each is asked for once: those first that need the fewest conditions of the program itself. Small programs are
//! explored completely that way, and large ones near their entry.
//!
//! Always holds: no sequence of conditions is asked for twice, or at all if a run had shown it before.

use super::{About, Context, Proposals, Strategy};
use crate::goal::{Flip, FlipKey, Goal, RunId};
use crate::hash_of;
use crate::knowledge::writer::RunFacts;
use crate::path::Step;
use crate::Side;
use std::collections::HashSet;

/// Conditions of one run that are looked at.
const MAX_DEPTH: u64 = 400;

#[derive(Default)]
pub struct Tree {
    /// Sequences of conditions, as hashes: what runs have shown and what was asked for.
    seen: HashSet<u64>,
}

impl Strategy for Tree {
    fn about(&self) -> About {
        About {
            name: "tree",
            summary: "Explores the tree of the program's executions from its root down, each sequence of conditions once.",
            paper: "King 1976; Cadar, Dunbar and Engler 2008",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        for side in Side::BOTH {
            let steps = &see.known.run(run.id).paths[side].steps;
            self.add(run.id, side, steps, |step| !see.known.guide.is_libc(side, step), out);
        }
    }

    fn forget(&mut self) {
        self.seen.clear();
    }
}

impl Tree {
    /// What a run shows, and the ways it did not go. `is_own`: a condition of the program itself, not of libc.
    fn add(
        &mut self,
        run: RunId,
        side: Side,
        steps: &[Step],
        is_own: impl Fn(&Step) -> bool,
        out: &mut Proposals,
    ) {
        let mut before = 0;
        let own = steps.iter().enumerate().filter(|(_, step)| is_own(step) && !step.is_guard);
        for (depth, (index, step)) in (1..=MAX_DEPTH).zip(own) {
            let taken = hash_of(&(before, step.holds));
            self.seen.insert(taken);
            for other in 0..step.others.len() {
                if self.seen.insert(hash_of(&(before, step.others[other]))) {
                    let flip = Flip::new(run, side, (index, other), FlipKey::new(side, step, other));
                    out.add(Goal::Flip(flip), false, [depth, 0, 0]);
                }
            }
            before = taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::tests::branch;

    /// A step whose other way is about something else than the way it took.
    fn step(about: u64) -> Step {
        let [taken, other] = [branch(1, true, about), branch(1, false, about + 1)];
        let ways = crate::path::Ways { others: vec![other.holds], ..(*taken.ways).clone() };
        Step { ways: ways.into(), ..taken }
    }

    /// What is proposed for a run: the steps that are to go another way, with their depths.
    fn asked(tree: &mut Tree, run: usize, side: Side, steps: &[Step]) -> Vec<(usize, u64)> {
        let mut out = Proposals::default();
        tree.add(RunId(run), side, steps, |step| step.site != 9, &mut out);
        let place = |proposal: super::super::Proposal| match (proposal.goal, proposal.score) {
            (Goal::Flip(flip), Some([depth, ..])) => (flip.step, depth),
            _ => unreachable!("the tree proposes flips for its own lane"),
        };
        out.list.into_iter().map(place).collect()
    }

    #[test]
    fn what_runs_have_shown_is_not_asked_for() {
        let mut tree = Tree::default();
        assert_eq!(asked(&mut tree, 0, Side::Old, &[step(10), step(20), step(30)]), [(0, 1), (1, 2), (2, 3)]);
        // The way that the first run did not go at its second condition, and a third condition of its own.
        assert_eq!(asked(&mut tree, 1, Side::Old, &[step(10), step(21), step(40)]), [(1, 2), (2, 3)]);
        assert_eq!(asked(&mut tree, 2, Side::New, &[step(10), step(20), step(30)]), []);
    }

    #[test]
    fn conditions_of_libc_are_not_counted_and_not_asked_for() {
        let mut tree = Tree::default();
        let libc = Step { site: 9, ..step(50) };
        let steps = [libc.clone(), step(10), libc.clone(), step(20)];
        assert_eq!(asked(&mut tree, 0, Side::Old, &steps), [(1, 1), (3, 2)]);
        assert_eq!(asked(&mut tree, 1, Side::Old, &[step(10), step(20)]), []);
    }
}
