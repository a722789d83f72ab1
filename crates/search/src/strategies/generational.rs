//! `generational`: every condition that a run left open, the most promising and then the oldest first (Godefroid, Levin and Molnar 2008).
//!
//! Departs from SAGE in flipping conditions of both versions, in what a flip is worth ([`super::scores`] instead of the block coverage of
//! the run that comes out), and in asking again what was asked on another run, because that run may have done before what was missing.

use super::scores::{rank, Bias, POOR};
use super::{About, Strategy};
use crate::frontier::Score;
use crate::goal::{Flip, GoalId};
use crate::knowledge::Knowledge;

pub struct Generational;

/// Where something was executed for the first time, what is next to it probably was not.
const BIAS: Bias = Bias { asks_again_where_infected: false, is_neighbour: |run, _| run.novelty.first };

impl Strategy for Generational {
    fn about(&self) -> About {
        About {
            name: "generational",
            summary: "Takes every branch that a run left open the other way, the most promising and then the oldest first.",
            paper: "Godefroid, Levin and Molnar 2008",
        }
    }

    fn score(&self, flip: &Flip, age: GoalId, known: &Knowledge) -> Option<Score> {
        Some([rank(flip, known, &BIAS).into(), 0, age.0])
    }

    fn poor(&self) -> u64 {
        POOR
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn ways_never_taken_come_before_ways_that_were_and_older_before_newer() {
        let mut lab = Laboratory::new();
        let steps = [lab.step(1, 0, b'a', true), lab.step(2, 1, b'b', false)];
        let run = lab.run("ax", &steps);
        let [first, second] = &lab.flips(&run)[..] else { panic!("two conditions") };
        let score = |flip, age| Generational.score(flip, GoalId(age), &lab.known);
        assert!(score(first, 1) < score(second, 2), "of two that are new the older");
        lab.known.coverage.add_way(first.key.branch(), 0);
        let score = |flip, age| Generational.score(flip, GoalId(age), &lab.known);
        assert!(score(second, 2) < score(first, 1), "what was seen waits");
        assert!(laboratory::flips(vec![]).is_empty());
    }
}
