//! `options`: one more option, from the table that the program itself passes to `getopt` at run time.

use super::{is_worth_changing, About, Context, Proposals, Strategy};
use crate::knowledge::writer::RunFacts;
use crate::mutate;

pub struct Options;

impl Strategy for Options {
    fn about(&self) -> About {
        About {
            name: "options",
            summary: "Adds an option from the table that the program itself passes to getopt.",
            paper: "Parallax",
        }
    }

    fn learn(&mut self, run: &RunFacts, see: &mut Context, out: &mut Proposals) {
        let this = see.known.run(run.id);
        if !is_worth_changing(run.id, this) {
            return;
        }
        let farther = u64::from(see.known.farther(this.novelty.closest));
        for test in mutate::with_options(&this.test, &see.known.hints) {
            let arguments = test.argv.len() as u64;
            out.try_out(run.id, see.known, test, [farther, arguments, 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn every_option_that_the_program_knows_is_added_once() {
        let mut lab = Laboratory::new();
        lab.known.hints.options = vec![vec![b"-v".to_vec()], vec![b"-n".to_vec(), b"1".to_vec()]];
        let run = lab.run("x", &[]);
        let proposed = lab.learn(&mut Options, &run);
        let arguments = |proposal: &super::super::Proposal| match &proposal.goal {
            crate::goal::Goal::Try(next) => next.test.argv.concat(),
            _ => vec![],
        };
        assert_eq!(proposed.iter().map(arguments).collect::<Vec<_>>(), [b"-v".to_vec(), b"-n1".to_vec()]);
        assert_eq!(laboratory::inputs(proposed), ["x", "x"]);
    }
}
