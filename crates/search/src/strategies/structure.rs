//! `structure`: growing, shrinking, doubling words and putting tokens in, because solvers only change bytes ([`crate::mutate`]).

use super::{is_worth_changing, wait, About, Context, Proposals, Strategy};
use crate::knowledge::writer::RunFacts;
use crate::mutate;

pub struct Structure;

impl Strategy for Structure {
    fn about(&self) -> About {
        About {
            name: "structure",
            summary:
                "Makes inputs longer and shorter at the ends that a run met, doubles words, puts in tokens.",
            paper: "Parallax",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        let this = see.known.run(run.id);
        if !is_worth_changing(run.id, this) {
            return;
        }
        let wait = wait(this, see.known);
        let variants = mutate::variants(&this.test, &see.known.hints, &run.compared, see.settings.max_input);
        for (rank, test) in (wait..).zip(variants) {
            out.try_out(run.id, see.known, test, [rank, 0, 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use parallax_trace::request::Source;

    #[test]
    fn an_input_whose_end_was_met_grows_and_shrinks() {
        let mut lab = Laboratory::new();
        lab.known.hints.ended.insert(Source::Stdin);
        let run = lab.run("abc", &[]);
        let lengths: Vec<usize> =
            laboratory::inputs(lab.learn(&mut Structure, &run)).iter().map(String::len).collect();
        assert!(lengths.iter().any(|len| *len < 3) && lengths.iter().any(|len| *len > 3), "{lengths:?}");
    }
}
