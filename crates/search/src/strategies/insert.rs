//! `insert`: what a solver wanted written over something, put before it instead: where a word was wanted in the place of another, both may be.

use super::{About, Answered, Context, Proposals, Strategy};
use crate::expressions::Answer;
use crate::goal::{Goal, Try};
use crate::inputs;

#[derive(Default)]
pub struct Insert {
    /// How many were proposed: the newest comes first.
    proposed: u64,
}

impl Strategy for Insert {
    fn about(&self) -> About {
        About {
            name: "insert",
            summary: "Puts what the solver wanted written over something before it instead.",
            paper: "Parallax",
        }
    }

    fn answered(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        let (Goal::Flip(flip), Answer::Sat(changes)) = (answered.goal, answered.answer) else { return };
        if answered.is_relaxed() || !changes.numbers.is_empty() || !see.known.is_own(flip) {
            return;
        }
        let run = see.known.run(flip.run);
        let Some(test) = inputs::with_inserted(&run.test, &changes.bytes) else { return };
        if inputs::longest(&test) <= see.settings.max_input {
            self.proposed += 1;
            let goal = Try { of: Some(flip.run), ..Try::new(test) };
            out.add(Goal::Try(goal), false, [u64::MAX - self.proposed, 0, 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use crate::inputs::Changes;
    use parallax_trace::request::Source;

    #[test]
    fn what_was_wanted_over_something_is_put_before_it_too() {
        let mut lab = Laboratory::new();
        let steps = [lab.step(1, 1, b'x', false)];
        let run = lab.run("abc", &steps);
        let goal = Goal::Flip(lab.flips(&run).remove(0));
        let changes = Changes { bytes: [((Source::Stdin, 1), b'x')].into(), ..Changes::default() };
        let proposed = lab.answered(&mut Insert::default(), &goal, &Answer::Sat(changes));
        assert_eq!(laboratory::inputs(proposed), ["axbc"]);
    }
}
