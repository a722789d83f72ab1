//! `repeat`: what a loop of the program takes in one round, several times ([`crate::loops`]): no solver can ask for more rounds, because their number
//! is not part of any condition (after loop summaries, Saxena et al. 2009, but by trying).

use super::{is_worth_changing, wait, About, Context, Proposals, Strategy};
use crate::inputs;
use crate::knowledge::writer::RunFacts;
use crate::loops;
use crate::path::Step;
use crate::Side;

pub struct Repeat;

impl Strategy for Repeat {
    fn about(&self) -> About {
        About {
            name: "repeat",
            summary: "Repeats the stretch of input that a loop of the program takes in one round.",
            paper: "Parallax, after Saxena et al. 2009",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        let this = see.known.run(run.id);
        if !is_worth_changing(run.id, this) {
            return;
        }
        let distance = |step: &Step| see.known.guide.at(Side::New, step);
        let stretches = loops::stretches(&this.paths.new, see.expressions, &distance);
        let repeated = loops::repeated(&this.test, &stretches, this.novelty.through);
        let wait = wait(this, see.known);
        let fits = |test: &parallax_execute::TestCase| inputs::longest(test) <= see.settings.max_input;
        for (rank, test) in (wait..).zip(repeated.into_iter().filter(fits)) {
            out.try_out(run.id, see.known, test, [rank, 0, 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn what_a_loop_takes_in_one_round_stands_there_more_often() {
        let mut lab = Laboratory::new();
        let steps: Vec<Step> = (0..3).map(|offset| lab.step(1, offset, b'a', true)).collect();
        let run = lab.run("aab", &steps);
        let inputs = laboratory::inputs(lab.learn(&mut Repeat, &run));
        assert!(
            inputs.contains(&"aaab".to_owned()) && inputs.iter().any(|text| text.len() > 10),
            "{inputs:?}"
        );
    }
}
