//! `relax`: what is wanted although the path contradicts it: the question is put without the conditions that do.
//!
//! Path regeneration (Marinescu and Cadar 2013) flips the conditions that stand in the way one after the other. Where they count the rounds
//! of loops (a length, a month, a number of fields), that takes one flip for each round. So, departing from KATCH, the question is also
//! put *without* the conditions that contradict it: those of loops first, with all rounds of each, then the others. An answer is an input that
//! has the wanted property and whose run goes another way somewhere; `follow` leads it back.

use super::regenerate::MAX_OBSTACLES;
use super::{About, Answered, Context, Proposals, Strategy};
use crate::expressions::Answer;
use crate::goal::{Aim, Asking, Differ, Flip, Goal, Relaxed};
use crate::hash_of;
use crate::knowledge::{Class, Knowledge};
use crate::question::{asking, kept};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How often the same is asked for that way.
const MAX_TIMES: u32 = 6;
/// How often conditions are taken away for one question.
const MAX_ROUNDS: usize = 6;

#[derive(Default)]
pub struct Relax {
    /// How often something was asked for, by what it is.
    times: HashMap<u64, u32>,
}

impl Strategy for Relax {
    fn about(&self) -> About {
        About {
            name: "relax",
            summary: "Where a path contradicts what is wanted, asks for it without the conditions that do.",
            paper: "Parallax, after Marinescu and Cadar 2013",
        }
    }

    fn answered(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        let (goal, Answer::Unsat(core)) = (answered.goal, answered.answer) else { return };
        let core: HashSet<usize> = core.iter().map(|number| answered.question.places[*number]).collect();
        let before = asking(goal).and_then(|how| how.relaxed.clone());
        let next = match before {
            // Nothing on the path is to blame.
            Some(_) if core.is_empty() => None,
            Some(before) if before.rounds < MAX_ROUNDS => Some((*before).clone()),
            Some(_) => None,
            None => self.first(answered, see.known),
        };
        let Some(Relaxed { mut without, rounds, aim, depth }) = next else { return };
        without.extend(left_out(goal, &answered.question.places, &core, see.known));
        let relaxed = Relaxed { without, rounds: rounds + 1, aim, depth };
        out.add(with(goal, relaxed), false, [0; 3]);
    }
}

impl Relax {
    /// Nothing is left out yet.
    fn first(&mut self, answered: &Answered, known: &Knowledge) -> Option<Relaxed> {
        let depth = known.run(answered.question.run).depth + 1;
        if depth > MAX_OBSTACLES {
            return None;
        }
        let (what, aim) = self.wanted(answered.goal, known)?;
        let times = self.times.entry(what).or_default();
        *times += 1;
        (*times <= MAX_TIMES).then(|| Relaxed { without: vec![], rounds: 0, aim, depth })
    }

    /// New code of the program, or what tells the versions apart.
    fn wanted(&self, goal: &Goal, known: &Knowledge) -> Option<(u64, Rc<Aim>)> {
        match goal {
            Goal::Differ(Differ { run, question, .. }) => {
                let aim = Aim { run: *run, prefix: question.prefix, wants: None, patience: MAX_OBSTACLES };
                Some((question.goal, Rc::new(aim)))
            }
            Goal::Flip(flip) => {
                let is_new = matches!(known.class_in_itself(flip), Class::Alone | Class::NewWay);
                (flip.aim.is_none() && known.is_own(flip) && is_new)
                    .then(|| (hash_of(&flip.key), known.aim_of(flip, MAX_OBSTACLES)))
            }
            Goal::Try(_) => None,
        }
    }
}

fn with(goal: &Goal, relaxed: Relaxed) -> Goal {
    let how = |how: &Asking| Asking { relaxed: Some(Rc::new(relaxed)), patient: false, ..how.clone() };
    match goal {
        Goal::Flip(flip) => Goal::Flip(Flip { how: how(&flip.how), ..flip.clone() }),
        Goal::Differ(differ) => Goal::Differ(Differ { how: how(&differ.how), ..differ.clone() }),
        Goal::Try(_) => goal.clone(),
    }
}

/// The places of conditions to be left out: all rounds of the loops that the core is about, or else the core.
fn left_out(goal: &Goal, places: &[usize], core: &HashSet<usize>, known: &Knowledge) -> Vec<usize> {
    let kept = kept(goal, known);
    let mut met: HashMap<(u32, u32), HashSet<u32>> = HashMap::new();
    for step in &kept {
        met.entry((step.site, step.context)).or_default().insert(step.count);
    }
    let place = |at: usize| (kept[at].site, kept[at].context);
    let is_loop = |at: usize| met[&place(at)].len() > 1;
    let loops: HashSet<(u32, u32)> = core.iter().filter(|at| is_loop(**at)).map(|at| place(*at)).collect();
    match loops.is_empty() {
        true => core.iter().copied().collect(),
        false => places.iter().copied().filter(|at| loops.contains(&place(*at))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn the_question_is_put_without_all_rounds_of_the_loop_that_contradicts_it() {
        let mut lab = Laboratory::new();
        let mut steps =
            vec![lab.step(1, 0, b'a', true), lab.step(1, 1, b'a', true), lab.step(3, 0, b'c', false)];
        steps[1].count = 2;
        let run = lab.run("aa", &steps);
        let goal = Goal::Flip(lab.flips(&run).remove(2));
        let mut relax = Relax::default();
        let proposed = lab.answered(&mut relax, &goal, &Answer::Unsat(vec![0]));
        let relaxed = |flips: &[Flip]| flips[0].how.relaxed.clone().map(|relaxed| relaxed.without.clone());
        let flips = laboratory::flips(proposed);
        assert_eq!(relaxed(&flips), Some(vec![0, 1]));
        let rest = lab.answered(&mut relax, &Goal::Flip(flips[0].clone()), &Answer::Unsat(vec![]));
        assert!(rest.is_empty(), "nothing on the path is to blame");
    }
}
