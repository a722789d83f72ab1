//! `infect`: on the paths of a run, a decision in changed code is asked to fall differently in the two versions (Böhme, Oliveira and Roychoudhury
//! 2013, section 3.2; Taneja et al. 2011, section 4.3: what a changed region gives out).
//!
//! Of what a region gives out, this asks about control. Values and memory that it leaves behind are asked about where they are decided
//! by (`propagate`) or printed (`joint`): recorded in between they would cost an event for each execution of changed code, in loops too.

use super::questions::Questions;
use super::{About, Answered, Context, Proposals, Strategy};
use crate::joint;
use crate::knowledge::writer::RunFacts;

#[derive(Default)]
pub struct Infect {
    questions: Questions,
}

impl Strategy for Infect {
    fn about(&self) -> About {
        About {
            name: "infect",
            summary: "Asks for an input on which changed code decides differently in the two versions.",
            paper: "Böhme, Oliveira and Roychoudhury 2013; Taneja et al. 2011",
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
            if known.is_changed_here(run.id, question.prefix) {
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
    fn decisions_in_changed_code_are_asked_to_differ_and_no_others() {
        let mut changed = Laboratory::with_change_at(0);
        let run_there = run(&mut changed);
        let proposed = changed.learn(&mut Infect::default(), &run_there);
        assert!(matches!(&proposed[..], [one] if matches!(one.goal, Goal::Differ(_))));
        let mut elsewhere = Laboratory::new();
        let run_elsewhere = run(&mut elsewhere);
        assert!(elsewhere.learn(&mut Infect::default(), &run_elsewhere).is_empty());
    }
}
