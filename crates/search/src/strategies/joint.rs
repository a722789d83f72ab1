//! `joint`: on the paths of a run, the versions are asked to print or to decide something different (Böhme 2014, chapter 3; Palikareva, Kuchta
//! and Cadar 2016 run the versions in lockstep for it).
//!
//! Departs from both in asking on two traces that were recorded apart and aligned afterwards ([`crate::joint`]), easy questions first.

use super::{About, Answered, Context, Proposals, Strategy};
use crate::expressions::Answer;
use crate::goal::{Asking, Differ, Goal, RunId};
use crate::joint::{self, Question};
use crate::knowledge::writer::RunFacts;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Default)]
pub struct Joint {
    /// How often the same places of the programs were asked about.
    put: HashMap<u64, u64>,
}

impl Strategy for Joint {
    fn about(&self) -> About {
        About {
            name: "joint",
            summary: "Asks for an input on which both versions follow the paths of a run and print or decide something different.",
            paper: "Böhme 2014; Palikareva, Kuchta and Cadar 2016",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        let paths = &see.known.run(run.id).paths;
        let mut questions = joint::about_outputs(&paths.old, &paths.new, see.expressions);
        // Runs that brought nothing new are asked about their outputs only.
        if run.is_worth {
            questions.extend(joint::about_branches(&paths.old, &paths.new, &run.alignment, see.expressions));
        }
        for question in questions {
            if see.budget.is_over() {
                return;
            }
            self.propose(run.id, question, see, out);
        }
    }

    fn answered(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        let (Goal::Differ(differ), Answer::Sat(_)) = (answered.goal, answered.answer) else { return };
        // What holds over numbers may hold over bytes in another way.
        if answered.question.over_numbers
            && !answered.is_relaxed()
            && !see.expressions.is_constant(differ.question.differs)
        {
            let exact = Question { over_numbers: None, ..(*differ.question).clone() };
            self.propose(differ.run, exact, see, out);
        }
    }
}

impl Joint {
    /// How hard the question looks counts the more, the more often the same places were asked about.
    fn propose(&mut self, run: RunId, question: Question, see: &mut Context, out: &mut Proposals) {
        let put = self.put.entry(question.goal).or_default();
        *put += 1;
        let wants = question.over_numbers.unwrap_or(question.differs);
        let effort = see.expressions.effort(wants, &see.known.run(run).test, see.settings.random_seed);
        let goal = Differ { run, question: Rc::new(question), how: Asking::default() };
        out.add(Goal::Differ(goal), false, [effort * *put, 0, 0]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use crate::path::Path;
    use crate::Pair;

    #[test]
    fn bytes_of_output_that_can_differ_are_asked_to_and_the_same_places_later() {
        let mut lab = Laboratory::new();
        let [constant, input] = [lab.printed(Ok(b'x')), lab.printed(Err(0))];
        let path = |byte| Path { outputs: [(1, vec![byte])].into(), ..Path::default() };
        let run = lab.run_of("x", Pair::new(path(constant), path(input)));
        let mut joint = Joint::default();
        let first = lab.learn(&mut joint, &run);
        let again = lab.learn(&mut joint, &run);
        assert!(matches!(first[0].goal, Goal::Differ(_)) && first.len() == 1);
        assert!(again[0].score > first[0].score);
        let same = lab.run_of("y", Pair::new(path(input), path(input)));
        assert!(lab.learn(&mut joint, &same).is_empty());
        assert!(laboratory::flips(first).is_empty());
    }
}
