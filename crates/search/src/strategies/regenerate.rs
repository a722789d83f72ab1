//! `regenerate`: informed path regeneration (Marinescu and Cadar 2013): the conditions of the path that contradict what is wanted are
//! flipped themselves, and the question is put again from where that leads.
//!
//! Departs from KATCH in taking the conditions from the solver's unsatisfiable core instead of from data flow, in doing the same for questions
//! about both versions, and in also trying conditions on the bytes around those of the question, which no core shows.

use super::{About, Answered, Context, Proposals, Strategy};
use crate::expressions::Answer;
use crate::goal::{Aim, Flip, FlipKey, Goal, RunId};
use crate::knowledge::{Class, Knowledge};
use crate::Side;
use std::rc::Rc;

/// Conditions flipped in a row on the way to one goal.
pub const MAX_OBSTACLES: u32 = 12;
/// Conditions of a core that are looked at, and other ways of each.
const MAX_CORE: usize = 8;

pub struct Regenerate;

impl Strategy for Regenerate {
    fn about(&self) -> About {
        About {
            name: "regenerate",
            summary:
                "Where a path contradicts what is wanted, flips the earlier conditions that contradict it.",
            paper: "Marinescu and Cadar 2013",
        }
    }

    fn answered(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        let (goal, Answer::Unsat(core)) = (answered.goal, answered.answer) else { return };
        // What is asked for without some conditions is on no path whose conditions could be flipped.
        let Some(place) = Place::of(goal, see.known).filter(|_| !answered.is_relaxed()) else { return };
        let depth = see.known.run(place.run).depth + 1;
        if depth > MAX_OBSTACLES || !is_worth_leaving(goal, see.known) {
            return;
        }
        let mut obstacles: Vec<usize> = neighbours(answered, see).into_iter().take(MAX_CORE / 2).collect();
        obstacles.extend(core.iter().rev().map(|number| answered.question.places[*number]).take(MAX_CORE));
        // Behind the place where the versions part, conditions of the other version follow: those stay.
        obstacles.retain(|index| *index < place.own);
        let aim = match goal {
            Goal::Flip(flip) => see.known.aim_of(flip, MAX_OBSTACLES),
            _ => place.whole_path(goal),
        };
        for index in obstacles {
            let (side, step) = place.condition(index);
            let steps = &see.known.run(place.run).paths[side].steps;
            for other in 0..steps[step].others.len().min(MAX_CORE) {
                let key = FlipKey::new(side, &steps[step], other).towards(place.goal, &steps[step]);
                if see.known.times(&key) == 0 && !out.list.iter().any(|p| is_key(&p.goal, &key)) {
                    let flip = Flip::new(place.run, side, (step, other), key);
                    out.offer(Flip { depth, aim: Some(aim.clone()), ..flip });
                }
            }
        }
    }
}

fn is_key(goal: &Goal, key: &FlipKey) -> bool {
    matches!(goal, Goal::Flip(flip) if flip.key == *key)
}

/// Where the conditions of a question are.
struct Place {
    run: RunId,
    /// How many of them belong to the old version.
    of_old: usize,
    /// How many of them may be flipped.
    own: usize,
    /// The same for the same places of the programs.
    goal: u64,
}

impl Place {
    fn of(goal: &Goal, known: &Knowledge) -> Option<Place> {
        match goal {
            Goal::Flip(flip) => {
                let of_old = if flip.side == Side::Old { usize::MAX } else { 0 };
                let goal = u64::from(known.step(flip).site) << 1 | flip.side as u64;
                Some(Place { run: flip.run, of_old, own: flip.step, goal })
            }
            Goal::Differ(differ) => {
                let question = &differ.question;
                let (of_old, goal) = (question.prefix.old, question.goal);
                Some(Place { run: differ.run, of_old, own: usize::MAX, goal })
            }
            Goal::Try(_) => None,
        }
    }

    fn condition(&self, index: usize) -> (Side, usize) {
        match index < self.of_old {
            true => (Side::Old, index),
            false => (Side::New, index - self.of_old.min(index)),
        }
    }

    /// All that both versions did up to a question about them.
    fn whole_path(&self, goal: &Goal) -> Rc<Aim> {
        let prefix = match goal {
            Goal::Differ(differ) => differ.question.prefix,
            _ => Default::default(),
        };
        Rc::new(Aim { run: self.run, prefix, wants: None, patience: MAX_OBSTACLES })
    }
}

/// New code, or what tells the versions apart.
fn is_worth_leaving(goal: &Goal, known: &Knowledge) -> bool {
    match goal {
        Goal::Flip(flip) => flip.key.has_purpose() || known.class_in_itself(flip) <= Class::NewWay,
        _ => true,
    }
}

/// The value may be computed from too few or too many bytes (`atoi` of two digits is never 300), and how many is decided by conditions
/// on the bytes around them. Those conditions, nearest first.
fn neighbours(answered: &Answered, see: &Context) -> Vec<usize> {
    let question = answered.question;
    let hidden = match answered.goal {
        _ if question.over_numbers => return vec![],
        Goal::Flip(flip) => &see.known.step(flip).hidden,
        Goal::Differ(differ) => &differ.question.hidden,
        Goal::Try(_) => return vec![],
    };
    let nearest = see.expressions.nearest(&question.holds, question.wants, hidden);
    nearest.into_iter().map(|number| question.places[number]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn the_conditions_that_contradict_what_is_wanted_are_flipped() {
        let mut lab = Laboratory::new();
        let steps = [lab.step(1, 0, b'a', true), lab.step(2, 1, b'b', true), lab.step(3, 0, b'c', false)];
        let run = lab.run("ab", &steps);
        let goal = Goal::Flip(lab.flips(&run).remove(2));
        let proposed = lab.answered(&mut Regenerate, &goal, &Answer::Unsat(vec![0]));
        let flips = laboratory::flips(proposed);
        assert!(flips.iter().any(|flip| flip.step == 0), "the first condition is the core");
        assert!(flips.iter().all(|flip| flip.step < 2 && flip.depth == 1 && flip.aim.is_some()));
        assert!(lab.answered(&mut Regenerate, &goal, &Answer::Unknown).is_empty());
    }
}
