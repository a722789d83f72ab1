//! From a test case to a judgement.
//!
//! In: a [`Runner`] and a test case. Out: same, different, or flaky.
//!
//! Always holds: a difference was seen in every repetition, and in every aspect that it names each version
//! did the same each time.

use crate::aspect::{Aspect, Aspects};
use crate::rules::Rules;
use crate::signature::signature;
use parallax_execute::{Outcome, Run, TestCase};

/// How often a new kind of difference is tried again before it is believed.
pub const CONFIRMATIONS: u32 = 3;
/// The same for a kind that is known already.
const CONFIRMATIONS_OF_KNOWN: u32 = 1;

/// Which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Which {
    Old,
    New,
}

/// Has native binaries run.
pub trait Runner {
    type Error;
    fn run(&mut self, which: Which, test: &TestCase) -> Result<Run, Self::Error>;
}

/// A test case on which the versions differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub test: TestCase,
    pub old: Run,
    pub new: Run,
    /// In what they differ, repeatably. Never empty.
    pub aspects: Aspects,
    /// Two cases with the same signature are different in the same way, as far as can be seen from outside.
    pub signature: String,
}

impl Case {
    /// The most severe of the aspects.
    pub fn kind(&self) -> Aspect {
        // Never empty by construction.
        self.aspects.first().copied().unwrap_or(Aspect::Stdout)
    }
}

/// What became of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Same,
    Different(Box<Case>),
    /// Why there is no answer.
    Flaky(String),
}

/// Runs both versions and compares. `known`: signatures that have been confirmed before.
pub fn judge<R: Runner>(
    runner: &mut R,
    rules: &Rules,
    test: &TestCase,
    known: &dyn Fn(&str) -> bool,
) -> Result<Judgement, R::Error> {
    let old = runner.run(Which::Old, test)?;
    let new = runner.run(Which::New, test)?;
    if [&old, &new].iter().any(|run| run.outcome == Outcome::Lost) {
        return Ok(Judgement::Flaky("a run took its runner down with it".to_owned()));
    }
    let mut aspects = rules.differing(&old, &new);
    if aspects.is_empty() {
        return Ok(Judgement::Same);
    }
    let first = signature(rules, test, &old, &new, &aspects);
    let repetitions = if known(&first) { CONFIRMATIONS_OF_KNOWN } else { CONFIRMATIONS };
    for round in 0..repetitions {
        // In turns, so that what depends on the order or on time shows.
        let order = if round % 2 == 0 { [Which::New, Which::Old] } else { [Which::Old, Which::New] };
        for which in order {
            let again = runner.run(which, test)?;
            let before = if which == Which::Old { &old } else { &new };
            for aspect in rules.differing(before, &again) {
                aspects.remove(&aspect);
            }
        }
        if aspects.is_empty() {
            return Ok(Judgement::Flaky("the difference did not repeat".to_owned()));
        }
    }
    let signature = signature(rules, test, &old, &new, &aspects);
    Ok(Judgement::Different(Box::new(Case { test: test.clone(), old, new, aspects, signature })))
}
