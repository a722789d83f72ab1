//! `havoc`: several random changes at once of test cases that are worth it (AFL, Zalewski 2014), with what runs have taught ([`crate::havoc`]).

use super::{About, Context, Strategy};
use crate::goal::Try;
use crate::havoc;

/// Random test cases drawn before giving up because all were known.
const CHANCES: usize = 100;

pub struct Havoc;

impl Strategy for Havoc {
    fn about(&self) -> About {
        About {
            name: "havoc",
            summary: "Changes test cases of the corpus at random, several changes at once.",
            paper: "Zalewski 2014",
        }
    }

    fn make(&mut self, see: &mut Context) -> Option<Try> {
        let max = see.settings.max_input;
        (0..CHANCES).find_map(|_| {
            let corpus = see.known.corpus.draw(see.random);
            let (from, test) = havoc::changed(corpus, &see.known.hints, see.random, max)?;
            let of = see.known.by_test.get(from).copied();
            (!see.known.tried.contains(&test)).then(|| Try { of, ..Try::new(test) })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_new_test_cases() {
        let made = || {
            let mut lab = Laboratory::new();
            lab.run("some words here", &[]);
            (0..10).map(|_| lab.make(&mut Havoc)).collect::<Vec<_>>()
        };
        let all = made();
        assert!(
            all == made()
                && all.iter().all(|test| test.as_ref().is_some_and(|t| t.stdin != b"some words here"))
        );
        assert!(laboratory::inputs(vec![]).is_empty());
    }
}
