//! `callees`: where the input decides which function is called, every function that can be, one after the other.
//!
//! Marinescu and Cadar 2013 left targets behind function pointers unreached; here the address of the callee is an expression, and each answer is
//! excluded from the next question.

use super::{About, Answered, Context, Proposals, Strategy};
use crate::expressions::Answer;
use crate::goal::{Flip, Goal};
use crate::question::wanted;

pub struct Callees;

impl Strategy for Callees {
    fn about(&self) -> About {
        About {
            name: "callees",
            summary:
                "Where the input decides which function is called, asks for one that was not called yet.",
            paper: "Parallax",
        }
    }

    fn answered(&mut self, answered: &Answered, see: &mut Context, out: &mut Proposals) {
        let (Goal::Flip(flip), Answer::Sat(_), Some(test)) = (answered.goal, answered.answer, answered.test)
        else {
            return;
        };
        let Some(address) = see.known.step(flip).calls.filter(|_| !answered.is_relaxed()) else { return };
        let function = see.expressions.value(address, test);
        let rest = see.expressions.and_not(wanted(flip, see.known), address, function);
        out.add(Goal::Flip(Flip { wants: Some(rest), ..flip.clone() }), false, [0; 3]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use crate::inputs::Changes;

    #[test]
    fn a_function_that_was_found_is_excluded_from_the_next_question() {
        let mut lab = Laboratory::new();
        let address = lab.printed(Err(0)).exact;
        let step = crate::path::Step { calls: Some(address), ..lab.step(1, 0, b'a', true) };
        let run = lab.run("a", &[step]);
        let goal = Goal::Flip(lab.flips(&run).remove(0));
        let changes = Changes {
            bytes: [((parallax_trace::request::Source::Stdin, 0), b'z')].into(),
            ..Changes::default()
        };
        let flips = laboratory::flips(lab.answered(&mut Callees, &goal, &Answer::Sat(changes)));
        let wants = flips[0].wants.unwrap();
        let holds = |text: &str| {
            lab.expressions
                .value(wants, &parallax_execute::TestCase { stdin: text.into(), ..Default::default() })
        };
        assert_eq!([holds("a"), holds("z"), holds("q")], [0, 0, 1]);
    }
}
