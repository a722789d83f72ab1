//! `words`: words of the program's language, learned from what the input was compared with, at the places where one of their family could stand
//! (dictionaries as in AFL, Zalewski 2014, but found at run time).

use super::{is_worth_changing, About, Context, Proposals, Strategy};
use crate::goal::RunId;
use crate::knowledge::writer::RunFacts;
use crate::mutate::{self, Token};
use crate::words::Compared;

/// Test cases in which every new word is tried.
const MAX_BASES: usize = 8;

#[derive(Default)]
pub struct Words {
    /// The first test cases that brought anything, and what their runs were compared with.
    bases: Vec<(RunId, Compared)>,
}

impl Strategy for Words {
    fn about(&self) -> About {
        About {
            name: "words",
            summary: "Puts words that the input was compared with where one of their kind could stand.",
            paper: "Zalewski 2014",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        self.try_in_bases(&run.fresh, see, out);
        let (known, this) = (see.known, see.known.run(run.id));
        for test in run.fresh.iter().flat_map(|word| mutate::word_variants(&this.test, word)) {
            out.try_out(run.id, known, test, [0; 3]);
        }
        let farther = u64::from(known.farther(this.novelty.closest));
        if is_worth_changing(run.id, this) && (this.novelty.first || this.novelty.through) {
            let max = see.settings.max_input;
            for test in mutate::with_words(&this.test, &known.hints, &run.compared, max) {
                out.try_out(run.id, known, test, [farther, 0, 0]);
            }
        }
        if self.bases.len() < MAX_BASES && (this.novelty.first || run.is_seed) {
            for test in mutate::with_commands(&this.test, &known.hints, &run.compared, &|_| true) {
                out.try_out(run.id, known, test, [0; 3]);
            }
            self.bases.push((run.id, run.compared.clone()));
        }
    }
}

impl Words {
    /// Words that no run was compared with before, in the first test cases, at all places where one of their family could stand: what they
    /// mean shows best where everything else is as it should be.
    fn try_in_bases(&self, fresh: &[Token], see: &Context, out: &mut Proposals) {
        if fresh.is_empty() {
            return;
        }
        let is_fresh = |word: &Vec<u8>| fresh.iter().any(|new| new.2 == *word);
        for (base, compared) in &self.bases {
            let test = &see.known.run(*base).test;
            for variant in mutate::with_commands(test, &see.known.hints, compared, &is_fresh) {
                out.try_out(*base, see.known, variant, [0; 3]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use parallax_trace::request::Source;

    #[test]
    fn a_word_that_the_input_was_compared_with_stands_where_it_was_compared() {
        let mut lab = Laboratory::new();
        let mut run = lab.run("foo 1", &[]);
        run.fresh = vec![(Source::Stdin, 0, b"bar".to_vec())];
        let inputs = laboratory::inputs(lab.learn(&mut Words::default(), &run));
        assert!(inputs.contains(&"bar 1".to_owned()), "{inputs:?}");
    }
}
