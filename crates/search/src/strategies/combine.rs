//! `combine`: words that made a test case execute something new, put into other test cases that did (the combinations that definition switching needs where
//! a target has several flags in its way).
//!
//! A word is what a test case has and the one that it was made from, in the end a seed, has not ([`crate::parts`]). So a word that was put together character by character is one here.
//!
//! Always holds: bounded; each word is put into each test case once; nothing is proposed while every target is executed and none chooses between values.

use super::{About, Context, Proposals, Strategy};
use crate::goal::{Goal, RunId, Try};
use crate::knowledge::writer::RunFacts;
use crate::knowledge::Knowledge;
use crate::parts::{self, Part};
use crate::Side;
use std::collections::HashSet;

/// Parts that are kept.
const MAX_WORDS: usize = 64;
/// Test cases that a new word is put into.
const MAX_BASES: usize = 24;

#[derive(Default)]
pub struct Combine {
    /// The latest last, each with the run that has it.
    known: Vec<(Part, RunId)>,
    /// Bases and words that were put together already.
    done: HashSet<(RunId, Vec<u8>)>,
}

impl Strategy for Combine {
    fn about(&self) -> About {
        About {
            name: "combine",
            summary: "Puts words that made a test case execute something new into others that did.",
            paper: "Parallax",
        }
    }

    fn learn(&mut self, facts: &RunFacts, see: &mut Context, out: &mut Proposals) {
        if !see.known.run(facts.id).novelty.first || !is_needed(see.known) {
            return;
        }
        for word in parts::new_in(facts.id, see.known) {
            if self.known.iter().any(|(other, _)| other.source == word.source && other.bytes == word.bytes) {
                continue;
            }
            self.known.push((word, facts.id));
        }
        if self.known.len() > MAX_WORDS {
            self.known.drain(..self.known.len() - MAX_WORDS);
        }
        self.put_together(facts.id, see, out);
    }
}

/// Is there a target that no run executes, or one that chooses between values?
fn is_needed(known: &Knowledge) -> bool {
    let plan = &known.guide.plan.versions[Side::New];
    let taken = |edge| known.coverage.has_glimpsed(Side::New, edge);
    plan.destinations
        .iter()
        .any(|d| !d.is_executed(taken) || d.block.is_some_and(|b| plan.choices.contains_key(&b)))
}

impl Combine {
    /// The words of a run in the latest others, and theirs in it.
    fn put_together(&mut self, run: RunId, see: &Context, out: &mut Proposals) {
        let latest: Vec<(Part, RunId)> = self.known.iter().rev().take(MAX_BASES).cloned().collect();
        let (own, others): (Vec<_>, Vec<_>) = latest.into_iter().partition(|(_, of)| *of == run);
        for (word, of) in &own {
            for (other, base) in &others {
                self.put(word, (other, *base), see, out);
                self.put(other, (word, *of), see, out);
            }
        }
    }

    /// A word in a test case that has another.
    fn put(&mut self, word: &Part, (own, base): (&Part, RunId), see: &Context, out: &mut Proposals) {
        if word.source != own.source || !self.done.insert((base, word.bytes.clone())) {
            return;
        }
        let test = &see.known.run(base).test;
        for test in word.put_into(test, own, see.settings.max_input) {
            let goal = Try { of: Some(base), ..Try::new(test) };
            out.add(Goal::Try(goal), false, [u64::MAX - base.0 as u64, 0, 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;
    use parallax_plan::{Destination, Pair, Plan, VersionPlan};

    #[test]
    fn the_lines_of_two_runs_stand_in_one_test_case() {
        let destinations = vec![Destination { block: Some(0), ..Destination::default() }];
        let new = VersionPlan { destinations, ..VersionPlan::default() };
        let mut lab = Laboratory::with_plan(Plan {
            versions: Pair::new(VersionPlan::default(), new),
            ..Plan::default()
        });
        let mut combine = Combine::default();
        let mut made = Vec::new();
        for text in ["go\n", "a=1\ngo\n", "b=2\ngo\n"] {
            let run = lab.run(text, &[]);
            lab.came_from_first(&run);
            made.extend(laboratory::inputs(lab.learn(&mut combine, &run)));
        }
        assert!(made.contains(&"a=1\nb=2\ngo\n".to_owned()), "{made:?}");
        assert!(made.contains(&"b=2\na=1\ngo\n".to_owned()), "{made:?}");
    }
}
