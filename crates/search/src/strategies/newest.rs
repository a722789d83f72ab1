//! `newest`: the same open branches in depth: those of the newest run that brought something first, its last condition first.
//!
//! What executes the change in a new way may have infected the state, so what was asked elsewhere is asked again there: the propagation step
//! of Qi, Roychoudhury and Liang 2010, without its tree.

use super::scores::{rank, Bias, POOR};
use super::{About, Strategy};
use crate::frontier::Score;
use crate::goal::{Flip, GoalId};
use crate::knowledge::{Class, Knowledge};

pub struct Newest;

/// Where the versions have parted unseen, another way there may show it.
const BIAS: Bias = Bias {
    asks_again_where_infected: true,
    is_neighbour: |run, class| {
        let unseen = run.novelty.news && run.novelty.parted.is_some() && class > Class::Obstacle;
        unseen || run.novelty.first && class > Class::Behind && class < Class::NewRound
    },
};

impl Strategy for Newest {
    fn about(&self) -> About {
        About {
            name: "newest",
            summary: "Takes the open branches of the newest run that brought something the other way, the last first.",
            paper: "Qi, Roychoudhury and Liang 2010",
        }
    }

    fn score(&self, flip: &Flip, age: GoalId, known: &Knowledge) -> Option<Score> {
        let newest = if known.run(flip.run).novelty.news { flip.run.0 as u64 } else { 0 };
        Some([rank(flip, known, &BIAS).into(), u64::MAX - newest, u64::MAX - age.0])
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
    fn the_newest_run_comes_first_and_its_last_condition_before_the_others() {
        let mut lab = Laboratory::new();
        let steps = [lab.step(1, 0, b'a', true), lab.step(2, 1, b'b', false)];
        let [old, new] = [lab.run("ax", &steps), lab.run("ay", &steps)];
        let scores: Vec<_> = [&old, &new]
            .into_iter()
            .flat_map(|run| lab.flips(run))
            .zip(1..)
            .map(|(flip, age)| Newest.score(&flip, GoalId(age), &lab.known))
            .collect();
        assert!(scores[3] < scores[2] && scores[2] < scores[1] && scores[1] < scores[0], "{scores:?}");
        assert!(laboratory::flips(vec![]).is_empty());
    }
}
