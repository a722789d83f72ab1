//! `greedy`: for each target that no run executes, the branch of a run is flipped from which the unexplored side is closest to it (the greedy exploration of KATCH, Marinescu and
//! Cadar 2013, section 3.3).
//!
//! Departs from KATCH in doing so for all targets and on every run that brought something new, in distances from which hopeless edges are removed for each target for itself, and in
//! keeping what could not be flipped: it is asked again on other paths, later the more often that failed.

use super::{About, Context, Proposals, Strategy};
use crate::frontier::Score;
use crate::goal::{Flip, FlipKey, Goal, GoalId};
use crate::knowledge::writer::RunFacts;
use crate::knowledge::Knowledge;
use crate::Side;
use parallax_plan::Destination;
use std::collections::HashMap;

/// Targets that are looked at, and flips for each on one run.
const MAX_TARGETS: usize = 16;
const MAX_FLIPS: usize = 3;
/// How many branches a way is farther that could not be taken once.
const FAILED: u64 = 2;
/// Targets are blocks of the new version.
const SIDE: Side = Side::New;
/// What this strategy's flips are on the way to: how far they lead, behind what others use.
const GOALS: u64 = 1 << 42;
/// The largest distance that is told from others.
const FAR: u64 = 1 << 20;
/// How often the same flip is proposed, on different runs.
const MAX_TIMES: u32 = 4;

#[derive(Default)]
pub struct Greedy {
    times: HashMap<FlipKey, u32>,
}

impl Strategy for Greedy {
    fn about(&self) -> About {
        About {
            name: "greedy",
            summary:
                "Flips, for each target that is not executed, the branch whose other side is closest to it.",
            paper: "Marinescu and Cadar 2013",
        }
    }

    fn learn(&mut self, facts: &RunFacts, see: &mut Context, out: &mut Proposals) {
        if !facts.is_worth {
            return;
        }
        let known = see.known;
        let is_waiting =
            |target: &&Destination| !target.is_executed(|edge| known.coverage.has_glimpsed(SIDE, edge));
        let all = known.guide.plan.versions[SIDE].destinations.iter();
        for target in all.filter(is_waiting).take(MAX_TARGETS) {
            for (distance, step, other) in closest(facts, target, known) {
                let at = &known.run(facts.id).paths[SIDE].steps[step];
                let goal = GOALS + u64::from(distance).min(FAR - 1);
                let key = FlipKey::new(SIDE, at, other).towards(goal, at);
                let times = self.times.entry(key.clone()).or_default();
                *times += 1;
                if *times <= MAX_TIMES && !out.list.iter().any(|p| is_key(&p.goal, &key)) {
                    let flip = Flip::new(facts.id, SIDE, (step, other), key);
                    let score = self.score(&flip, GoalId(0), known).unwrap_or_default();
                    out.add(Goal::Flip(flip), false, score);
                }
            }
        }
    }

    fn score(&self, flip: &Flip, _age: GoalId, known: &Knowledge) -> Option<Score> {
        let distance = flip.key.goal()?.checked_sub(GOALS).filter(|distance| *distance < FAR)?;
        let failures = known.asked.failures.get(&flip.key.branch()).copied().unwrap_or(0);
        Some([distance + FAILED * u64::from(failures), u64::MAX - flip.run.0 as u64, 0])
    }
}

fn is_key(goal: &Goal, key: &FlipKey) -> bool {
    matches!(goal, Goal::Flip(flip) if flip.key == *key)
}

/// The flips of a run that lead closest to a target, over ways that no run ever took: distance, step and other way. Of equals, the last on the path.
fn closest(facts: &RunFacts, target: &Destination, known: &Knowledge) -> Vec<(u32, usize, usize)> {
    let mut found = Vec::new();
    for (number, step) in known.run(facts.id).paths[SIDE].steps.iter().enumerate() {
        let Some(block) = known.guide.ended_by(SIDE, step.site) else { continue };
        let ways = known.guide.ways(SIDE, block);
        for (other, lead) in step.leads.iter().enumerate() {
            let unexplored = ways.get(*lead).filter(|(edge, _)| !known.coverage.has_glimpsed(SIDE, *edge));
            if let Some(distance) = unexplored.and_then(|(_, to)| target.distance(*to).branches()) {
                found.push((distance, number, other));
            }
        }
    }
    found.sort_by_key(|(distance, number, _)| (*distance, std::cmp::Reverse(*number)));
    found.truncate(MAX_FLIPS);
    found
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    #[test]
    fn the_unexplored_side_that_is_closest_to_a_target_is_asked_for() {
        let mut lab = Laboratory::with_map(laboratory::branching_map(), laboratory::target_at_the_end());
        let steps = [lab.step(0, 0, b'a', true), lab.step(1, 1, b'b', false)];
        let run = lab.run("ax", &steps);
        let flips = laboratory::flips(lab.learn(&mut Greedy::default(), &run));
        // The last branch is one step away, the first one two.
        assert_eq!(flips.iter().map(|flip| flip.step).collect::<Vec<_>>(), [1, 0]);
    }
}
