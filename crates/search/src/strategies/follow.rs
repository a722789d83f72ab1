//! `follow`: where a run leaves the path that it was to follow, it is made to go that path's way (the way back of path regeneration,
//! Marinescu and Cadar 2013).
//!
//! Departs from KATCH in following not only flips: a test case of another shape that brought nothing new is to do at least what the run did
//! that it comes from, so that lengths and checksums that do not fit its shape are put right.

use super::{About, Context, Proposals, Strategy};
use crate::goal::{Aim, Flip, FlipKey, Goal};
use crate::knowledge::writer::RunFacts;
use crate::knowledge::Knowledge;
use crate::path::Step;
use crate::{Pair, Side};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Flips in a row that make a test case of another shape follow the run it comes from.
const MAX_REPAIRS: u32 = 4;

/// By site and context: the ways that are known there.
type Ways = HashMap<(u32, u32), HashSet<u64>>;

pub struct Follow;

impl Strategy for Follow {
    fn about(&self) -> About {
        About {
            name: "follow",
            summary: "Where a run leaves the path it was to follow, makes it go that path's way.",
            paper: "Marinescu and Cadar 2013",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        let Some(aim) = run.aim.clone().or_else(|| same_as_origin(run, see.known)) else { return };
        let this = see.known.run(run.id);
        let depth = this.depth + 1;
        if depth > aim.patience {
            return;
        }
        let departure = Side::BOTH.into_iter().find_map(|side| {
            let place = departure(&ways_to(&aim, side, see.known), &this.paths[side].steps)?;
            Some((side, place))
        });
        let Some((side, (step, other))) = departure else { return };
        let left_at = &this.paths[side].steps[step];
        let key = FlipKey::new(side, left_at, other).towards(run.id.0 as u64, left_at);
        let flip = Flip { depth, aim: Some(aim), ..Flip::new(run.id, side, (step, other), key) };
        out.add(Goal::Flip(flip), false, [0; 3]);
    }
}

/// For a test case of another shape: the path of the run that it comes from.
fn same_as_origin(run: &RunFacts, known: &Knowledge) -> Option<Rc<Aim>> {
    let of = run.shape_of.filter(|of| !known.run(run.id).novelty.news && known.is_nearest(*of))?;
    let prefix = Pair::from_fn(|side| known.run(of).paths[side].steps.len());
    Some(Rc::new(Aim { run: of, prefix, wants: None, patience: MAX_REPAIRS }))
}

/// The ways that the path to an aim takes at each of its sites, in one version.
fn ways_to(aim: &Aim, side: Side, known: &Knowledge) -> Ways {
    // Nothing of a path that is forgotten.
    let path = known.run(aim.run).paths[side].steps.get(..aim.prefix[side]).unwrap_or_default();
    let mut ways = Ways::new();
    for step in path {
        ways.entry((step.site, step.context)).or_default().insert(step.way);
    }
    if let Some((branch, context)) = aim.wants.filter(|(branch, _)| branch.site.side == side) {
        ways.entry((branch.site.number, context)).or_default().insert(branch.way);
    }
    ways
}

/// The first condition that goes none of the ways known for its site, and which of its other ways is one of them.
fn departure(known: &Ways, steps: &[Step]) -> Option<(usize, usize)> {
    steps.iter().enumerate().find_map(|(number, step)| {
        let ways = known.get(&(step.site, step.context)).filter(|ways| !ways.contains(&step.way))?;
        Some((number, step.other_ways.iter().position(|way| ways.contains(way))?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::tests::branch;

    #[test]
    fn a_run_departs_where_it_goes_a_way_that_was_never_gone_there() {
        // A loop at site 1 goes round and ends; site 2 holds; site 3 is not on the way.
        let known = HashMap::from([((1, 0), HashSet::from([0, 1])), ((2, 0), HashSet::from([1]))]);
        let follows = [branch(1, false, 0), branch(3, true, 0), branch(2, true, 0)];
        assert_eq!(departure(&known, &follows), None);
        let leaves = [branch(1, true, 0), branch(3, false, 0), branch(2, false, 0)];
        assert_eq!(departure(&known, &leaves), Some((2, 0)));
    }
}
