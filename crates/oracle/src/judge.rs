//! From a test case to a judgement.
//!
//! In: a [`Runner`] and a test case. Out: same, different, or flaky.
//!
//! Always holds: a difference was seen in every repetition, in something that each version did in the same way each time.

use crate::aspect::{Aspect, Aspects};
use crate::entry::{Change, Root};
use crate::expected::Expected;
use crate::mask::Unstable;
use crate::rules::Rules;
use crate::signature::signature;
use crate::stability::unstable;
use parallax_execute::{Outcome, Run, TestCase};
use std::collections::BTreeSet;

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
    /// The change behind it, if somebody found out: see [`crate::describe`], as for all up to `told`.
    pub cause: Option<String>,
    /// What of it is only in the wording, or in the numbers of lines.
    pub expected: BTreeSet<Expected>,
    /// In what the versions differ beyond that.
    pub beyond: Aspects,
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
    let aspects = rules.differing(&old, &new);
    if aspects.is_empty() {
        return Ok(Judgement::Same);
    }
    let first = signature(rules, test, &old, &new, &aspects);
    let repetitions = if known(&first) { CONFIRMATIONS_OF_KNOWN } else { CONFIRMATIONS };
    let mut case = Case::new(test.clone(), old, new, aspects, first);
    let mut rules = rules.clone();
    for round in 0..repetitions {
        // In turns, so that what depends on the order or on time shows.
        let order = if round % 2 == 0 { [Which::New, Which::Old] } else { [Which::Old, Which::New] };
        for which in order {
            let again = runner.run(which, test)?;
            let before = if which == Which::Old { &case.old } else { &case.new };
            for part in unstable(&rules, before, &again) {
                rules.leave_out(&part);
                case.unstable.push((which, part));
            }
        }
        case.aspects = rules.differing(&case.old, &case.new);
        if case.aspects.is_empty() {
            return Ok(Judgement::Flaky("the difference did not repeat".to_owned()));
        }
    }
    case.signature = signature(&rules, test, &case.old, &case.new, &case.aspects);
    Ok(Judgement::Different(Box::new(case)))
}
