//! `joint`: on the paths of a run, the versions are asked to print something different (Böhme 2014, chapter 3; Palikareva, Kuchta
//! and Cadar 2016 run the versions in lockstep for it).
//!
//! Departs from both in asking on two traces that were recorded apart and aligned afterwards ([`crate::joint`]), easy questions first.
//! What the versions decide on these paths is asked about by `infect` and `propagate`.

use super::questions::Questions;
use super::{About, Answered, Context, Proposals, Strategy};
use crate::joint;
use crate::knowledge::writer::RunFacts;

#[derive(Default)]
pub struct Joint {
    questions: Questions,
}

impl Strategy for Joint {
    fn about(&self) -> About {
        About {
            name: "joint",
            summary: "Asks for an input on which both versions follow the paths of a run and print something different.",
            paper: "Böhme 2014; Palikareva, Kuchta and Cadar 2016",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        let paths = &see.known.run(run.id).paths;
        for question in joint::about_outputs(&paths.old, &paths.new, see.expressions) {
            if see.budget.is_over() {
                return;
            }
            self.questions.propose(run.id, question, see, out);
        }
    }

    fn answered(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        self.questions.ask_exactly(answered, see, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use crate::goal::Goal;
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
