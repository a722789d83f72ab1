//! `sequences`: inputs made anew from lines, words and commands that the program understands ([`crate::vocabulary`]), in random order.
//!
//! After the sequences of commands of Böhme 2014, chapter 4, whose errors show only when several changes are executed in one run.

use super::{About, Context, Proposals, Strategy};
use crate::goal::Try;
use crate::knowledge::writer::RunFacts;
use crate::vocabulary::Vocabulary;

/// Test cases drawn before giving up because all were known.
const CHANCES: usize = 100;

#[derive(Default)]
pub struct Sequences {
    vocabulary: Vocabulary,
}

impl Strategy for Sequences {
    fn about(&self) -> About {
        About {
            name: "sequences",
            summary:
                "Makes inputs of lines, words and commands that the program understands, in random order.",
            paper: "Parallax, after Böhme 2014",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, _: &mut Proposals) {
        let this = see.known.run(run.id);
        self.vocabulary.learn_commands(&this.test, &run.compared, this.novelty.first);
        if this.novelty.first {
            self.vocabulary.learn(&this.test, run.is_seed);
        }
    }

    fn make(&mut self, see: &mut Context) -> Option<Try> {
        for _ in 0..CHANCES {
            let corpus = see.known.corpus.draw(see.random);
            let from = corpus.get(see.random.usize(..corpus.len().max(1)))?;
            let test = self.vocabulary.sequence(from, see.random, see.settings.max_input)?;
            if !see.known.tried.contains(&test) {
                return Some(Try { of: see.known.by_test.get(from).copied(), ..Try::new(test) });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn inputs_are_made_of_lines_that_the_program_understands() {
        let mut lab = Laboratory::new();
        let mut sequences = Sequences::default();
        let run = lab.run("push\npop\n", &[]);
        assert!(lab.learn(&mut sequences, &run).is_empty());
        let made: Vec<_> = (0..20).filter_map(|_| lab.make(&mut sequences)).collect();
        let is_line = |line: &[u8]| matches!(line, b"push" | b"pop" | b"");
        let of_lines = |test: &parallax_execute::TestCase| test.stdin.split(|b| *b == b'\n').all(is_line);
        assert!(made.iter().any(of_lines) && laboratory::inputs(vec![]).is_empty());
    }
}
