//! `cross`: the lines of a test case that executed something for the first time among those of others that did, and theirs among its: what a
//! command does depends on those before it (crossover as in Xu, Kim, Kim, Cohen and Rothermel 2010, by lines and not by bits).

use super::{About, Context, Proposals, Strategy};
use crate::inputs;
use crate::knowledge::writer::RunFacts;
use crate::mutate;
use parallax_execute::TestCase;

/// With how many others a test case is crossed that executed something for the first time.
const CROSSED: usize = 4;
/// The same for test cases that execute the change.
const CROSSED_REACHING: usize = 2;

pub struct Cross;

impl Strategy for Cross {
    fn about(&self) -> About {
        About {
            name: "cross",
            summary: "Mixes the lines of test cases that executed something for the first time.",
            paper: "Xu, Kim, Kim, Cohen and Rothermel 2010",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        let (known, this) = (see.known, see.known.run(run.id));
        if !this.novelty.first {
            return;
        }
        let latest = known.firsts.len().saturating_sub(CROSSED);
        let firsts = known.firsts.first().into_iter().chain(known.firsts.iter().skip(latest.max(1)));
        let short = |test: &TestCase| inputs::longest(test) <= see.settings.max_input;
        for other in known.corpus.reaching.iter().take(CROSSED_REACHING).chain(firsts) {
            let both = [mutate::with_lines_of(other, &this.test), mutate::with_lines_of(&this.test, other)];
            for (rank, test) in (0..).zip(both.into_iter().flatten().filter(short)) {
                out.try_out(run.id, known, test, [rank, 0, 0]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn lines_of_two_test_cases_that_did_something_first_are_mixed() {
        let mut lab = Laboratory::new();
        let run = lab.run("one\n", &[]);
        assert!(lab.learn(&mut Cross, &run).is_empty(), "there is no other");
        lab.known.note_first(run.id);
        let run = lab.run("two\n", &[]);
        let inputs = laboratory::inputs(lab.learn(&mut Cross, &run));
        assert!(
            inputs.contains(&"one\ntwo\n".to_owned()) && inputs.contains(&"two\none\n".to_owned()),
            "{inputs:?}"
        );
    }
}
