//! From a test case to a judgement.
//!
//! In: a [`Runner`] and a test case. Out: same, different, or flaky.
//!
//! Always holds: a difference was seen in every repetition: see [`crate::confirm`].

use crate::aspect::{Aspect, Aspects};
use crate::confirm::Confirmation;
use crate::entry::{Change, Root};
use crate::expected::Expected;
use crate::mask::Unstable;
use crate::rules::Rules;
use crate::signature::signature;
use parallax_execute::{Outcome, Run, TestCase};
use std::collections::BTreeSet;
use std::time::Duration;

/// How often a new kind of difference is tried again before it is believed: with the first run eighteen runs of each version,
/// so that a coin passes on one of 17,000 million inputs.
pub const CONFIRMATIONS: u32 = 17;
/// The same where a run is [`SLOW`]: a coin passes on one of a million inputs.
const CONFIRMATIONS_OF_SLOW: u32 = 10;
/// The time of a run from which on confirmations are fewer.
const SLOW: Duration = Duration::from_millis(50);
/// How often a kind that is known already is tried again: it is counted, or a step on the way to a smaller test that has to stand
/// the whole.
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

    /// One more run, under conditions that are others in every round: all that is not the program's own should be.
    fn again(&mut self, which: Which, test: &TestCase, trial: Trial) -> Result<Run, Self::Error> {
        let _ = trial;
        self.run(which, test)
    }
}

/// The conditions of one more run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Number of the round, from 0.
    pub round: u32,
    pub room: Room,
}

/// How much a run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// What any run may.
    Usual,
    /// Several times as much time and memory.
    Ample,
    /// No more than this time; otherwise as usual.
    Short(Duration),
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
    /// The change behind it, if somebody found out: see [`crate::describe`], as for all up to `told`.
    pub cause: Option<String>,
    /// What of it is only in the wording, or in the numbers of lines.
    pub expected: BTreeSet<Expected>,
    /// In what the versions differ beyond that.
    pub beyond: Aspects,
    /// The old version's run with what is expected put as the new one has it, if there is more to the difference than that.
    pub reworded: Option<Box<Run>>,
    /// What it comes from: the entries of the result that it belongs to.
    pub roots: Vec<Root>,
    /// The signature for people.
    pub told: String,
    /// In what a version differed from itself meanwhile: left out.
    pub unstable: Vec<(Which, Unstable)>,
}

impl Case {
    /// A difference as it was seen, before anybody looked for what it comes from.
    pub fn new(test: TestCase, old: Run, new: Run, aspects: Aspects, signature: String) -> Case {
        Case {
            test,
            old,
            new,
            beyond: aspects.clone(),
            aspects,
            told: signature.clone(),
            signature,
            cause: None,
            expected: BTreeSet::new(),
            reworded: None,
            roots: Vec::new(),
            unstable: Vec::new(),
        }
    }

    /// The most severe of the aspects: of those beyond what is expected, if there are any.
    pub fn kind(&self) -> Aspect {
        // Never empty by construction.
        self.beyond.first().or(self.aspects.first()).copied().unwrap_or(Aspect::Stdout)
    }

    /// Cases of the same group belong to the same entries.
    pub fn group(&self) -> String {
        match self.roots.first() {
            Some(Root::Change(change @ Change { class, same_way, cause: Some(cause), .. })) => {
                let way = if *same_way { ", the same way" } else { "" };
                // Where several changes may be behind it, what it looks like decides.
                let look = if change.is_certain() { "" } else { &self.signature };
                format!("{class:?} by {cause}{way}{look}")
            }
            _ if self.beyond.is_empty() => format!("{:?}", self.expected),
            _ => self.signature.clone(),
        }
    }
}

/// What became of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Same,
    Different(Box<Case>),
    Flaky(Flaky),
}

/// A test case that gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaky {
    pub reason: &'static str,
    /// In what a version differed from itself.
    pub unstable: Vec<(Which, Unstable)>,
}

/// Runs both versions and compares. `known`: signatures that have been confirmed before.
pub fn judge<R: Runner>(
    runner: &mut R,
    rules: &Rules,
    test: &TestCase,
    known: &dyn Fn(&str) -> bool,
) -> Result<Judgement, R::Error> {
    let first = [runner.run(Which::Old, test)?, runner.run(Which::New, test)?];
    if first.iter().any(|run| run.outcome == Outcome::Lost) {
        return Ok(flaky(LOST, Vec::new()));
    }
    let aspects = rules.differing(&first[0], &first[1]);
    if aspects.is_empty() {
        return Ok(Judgement::Same);
    }
    let known = known(&signature(rules, test, &first[0], &first[1], &aspects));
    let rounds = match known {
        true => CONFIRMATIONS_OF_KNOWN,
        false if first.iter().any(|run| run.wall >= SLOW) => CONFIRMATIONS_OF_SLOW,
        false => CONFIRMATIONS,
    };
    let mut confirmation = Confirmation::new(rules, test, first);
    if confirmation.is_near_limit() {
        return Ok(Judgement::Same);
    }
    if !known {
        confirmation.give_room(runner)?;
    }
    if confirmation.left().is_empty() {
        return Ok(Judgement::Same);
    }
    for round in 0..rounds {
        if !confirmation.round(runner, round)? {
            return Ok(flaky(LOST, confirmation.unstable));
        }
        if confirmation.left().is_empty() {
            return Ok(flaky("the difference did not repeat", confirmation.unstable));
        }
    }
    let (aspects, rules) = (confirmation.left(), confirmation.rules_now());
    let unstable = confirmation.looked_past().cloned().collect();
    let [old, new] = confirmation.first;
    let signature = signature(&rules, test, &old, &new, &aspects);
    let case = Case::new(test.clone(), old, new, aspects, signature);
    Ok(Judgement::Different(Box::new(Case { unstable, ..case })))
}

const LOST: &str = "a run took its runner down with it";

fn flaky(reason: &'static str, unstable: Vec<(Which, Unstable)>) -> Judgement {
    Judgement::Flaky(Flaky { reason, unstable })
}
