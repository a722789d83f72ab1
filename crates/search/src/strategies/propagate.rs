//! `propagate`: a decision of code that did not change, which goes by an infected value and falls the same way in both versions, is asked to fall
//! differently (Böhme, Oliveira and Roychoudhury 2013, algorithm 2: the branches among the leaves of the change effect propagation tree).
//!
//! A value is infected where the versions compute it by different expressions. Departs from the paper in that the transfer condition of what
//! is used without effect is part of the expression of the next decision or output, so that it is asked for there; a path that
//! contradicts it is left by `regenerate`, which also meets transitive correlations.

use super::questions::Questions;
use super::{About, Answered, Context, Proposals, Strategy};
use crate::joint;
use crate::knowledge::writer::RunFacts;

#[derive(Default)]
pub struct Propagate {
    questions: Questions,
}

impl Strategy for Propagate {
    fn about(&self) -> About {
        About {
            name: "propagate",
            summary: "Asks for an input on which unchanged code decides differently in the two versions because of the change.",
            paper: "Böhme, Oliveira and Roychoudhury 2013",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        // Runs that brought nothing new are asked about their outputs only.
        if !run.is_worth {
            return;
        }
        let (known, paths) = (see.known, &see.known.run(run.id).paths);
        let questions = joint::about_branches(&paths.old, &paths.new, &run.alignment, see.expressions);
        for question in questions {
            if see.budget.is_over() {
                return;
            }
            if !known.is_changed_here(run.id, question.prefix) {
                self.questions.propose(run.id, question, see, out);
            }
        }
    }

    fn answered(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        self.questions.ask_exactly(answered, see, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::Laboratory;
    use super::*;
    use crate::goal::Goal;
    use crate::path::Path;
    use crate::Pair;

    /// The versions decide at one place by different bytes.
    fn run(lab: &mut Laboratory) -> RunFacts {
        let old = lab.step(1, 0, b'a', true);
        let new = lab.step(1, 1, b'a', true);
        let path = |step| Path { steps: vec![step], ..Path::default() };
        let paths = Pair::new(path(old), path(new));
        lab.run_of("aa", paths)
    }

    #[test]
    fn decisions_outside_changed_code_are_asked_to_differ_the_less_the_more_often() {
        let mut lab = Laboratory::new();
        let run_here = run(&mut lab);
        let mut propagate = Propagate::default();
        let first = lab.learn(&mut propagate, &run_here);
        let again = lab.learn(&mut propagate, &run_here);
        assert!(matches!(&first[..], [one] if matches!(one.goal, Goal::Differ(_))));
        assert!(again[0].score > first[0].score);
        let mut changed = Laboratory::with_change_at(0);
        let run_there = run(&mut changed);
        assert!(changed.learn(&mut Propagate::default(), &run_there).is_empty());
    }
}
