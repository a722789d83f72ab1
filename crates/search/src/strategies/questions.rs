//! Questions in which the versions are to differ, as several strategies put them: the easier and the less often asked, the sooner.

use super::{Answered, Context, Proposals};
use crate::expressions::Answer;
use crate::goal::{Asking, Differ, Goal, RunId};
use crate::joint::Question;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Default)]
pub struct Questions {
    /// How often the same places of the programs were asked about.
    put: HashMap<u64, u64>,
}

impl Questions {
    /// How hard the question looks counts the more, the more often the same places were asked about.
    pub fn propose(&mut self, run: RunId, question: Question, see: &mut Context, out: &mut Proposals) {
        let put = self.put.entry(question.goal).or_default();
        *put += 1;
        let wants = question.over_numbers.unwrap_or(question.differs);
        let effort = see.expressions.effort(wants, &see.known.run(run).test, see.settings.random_seed);
        let goal = Differ { run, question: Rc::new(question), how: Asking::default() };
        out.add(Goal::Differ(goal), false, [effort * *put, 0, 0]);
    }

    /// What holds over numbers may hold over bytes in another way: that is asked for, too.
    pub fn ask_exactly(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        let (Goal::Differ(differ), Answer::Sat(_)) = (answered.goal, answered.answer) else { return };
        let is_own = self.put.contains_key(&differ.question.goal);
        if is_own
            && answered.question.over_numbers
            && !answered.is_relaxed()
            && !see.expressions.is_constant(differ.question.differs)
        {
            let exact = Question { over_numbers: None, ..(*differ.question).clone() };
            self.propose(differ.run, exact, see, out);
        }
    }
}
