//! Strategies: each proposes goals, from what runs showed and from what became of goals.
//!
//! A strategy is one file here. It sees knowledge and its own state, never another strategy; it starts no run and asks no solver.
//! [`standard_portfolio`] is the only place that knows all of them.

use crate::expressions::{Answer, Expressions};
use crate::frontier::Score;
use crate::goal::{Flip, Goal, GoalId, RunId, StrategyId, Try};
use crate::knowledge::writer::{Glimpsed, RunFacts};
use crate::knowledge::{Knowledge, Made, Run};
use crate::question::Question;
use crate::{Budget, Settings};
use parallax_execute::TestCase;

mod callees;
mod combine;
mod cross;
mod definitions;
mod distance;
mod evolve;
mod follow;
mod generational;
mod havoc;
mod hybrid;
mod infect;
mod insert;
mod joint;
mod newest;
mod numbers;
mod options;
mod portfolio;
mod propagate;
mod questions;
mod regenerate;
mod relax;
mod repeat;
mod scores;
mod sequences;
mod structure;
mod tree;
mod words;

#[cfg(test)]
mod laboratory;

pub use portfolio::{standard_portfolio, Choice, Portfolio, UnknownStrategy, Weights, BASELINES};

/// A strategy in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Authors and year, or "Parallax".
    pub paper: &'static str,
}

/// What a strategy may look at.
pub struct Context<'c> {
    pub known: &'c Knowledge<'c>,
    /// New expressions may be made of those that there are.
    pub expressions: &'c mut Expressions,
    pub random: &'c mut fastrand::Rng,
    pub settings: &'c Settings,
    pub budget: &'c Budget,
}

/// A question that was put to the solver, and its answer.
pub struct Answered<'q> {
    pub goal: &'q Goal,
    pub question: &'q Question,
    pub answer: &'q Answer,
    /// The test case that the answer stands for.
    pub test: Option<&'q TestCase>,
}

impl Answered<'_> {
    /// Were conditions left out of the question?
    pub fn is_relaxed(&self) -> bool {
        crate::question::asking(self.goal).is_some_and(|how| how.relaxed.is_some())
    }
}

/// A coverage run that did something new.
pub struct GlimpsedTest<'g> {
    pub test: &'g TestCase,
    pub made: Made,
    pub what: Glimpsed,
}

/// See the module.
pub trait Strategy {
    fn about(&self) -> About;

    /// A run was taken in.
    fn learn(&mut self, _run: &RunFacts, _see: &mut Context, _out: &mut Proposals) {}

    /// A coverage run did something new.
    fn glimpsed(&mut self, _run: &GlimpsedTest, _out: &mut Proposals) {}

    /// A question was answered, whoever asked it.
    fn answered(&mut self, _answered: &Answered, _see: &mut Context, _out: &mut Proposals) {}

    /// A run did not go where the solver said it would.
    fn diverged(&mut self, _flip: &Flip, _over_numbers: bool, _out: &mut Proposals) {}

    /// What a flip is worth that a run left open or another strategy offers, if it is wanted in this strategy's lane.
    fn score(&self, _flip: &Flip, _age: GoalId, _known: &Knowledge) -> Option<Score> {
        None
    }

    /// The score from which on a goal of its lane is not worth asking for while there is other work.
    fn poor(&self) -> u64 {
        u64::MAX
    }

    /// Makes a test case that nobody has thought of.
    fn make(&mut self, _see: &mut Context) -> Option<Try> {
        None
    }

    /// All paths were forgotten.
    fn forget(&mut self) {}
}

/// What a strategy has proposed, until the engine takes it.
#[derive(Default)]
pub struct Proposals {
    pub list: Vec<Proposal>,
}

pub struct Proposal {
    pub goal: Goal,
    /// It comes from a run that executes the change.
    pub near: bool,
    /// What it is worth; `None`: that is for the strategies to say which score flips.
    pub score: Option<Score>,
}

impl Proposals {
    /// A goal for the strategy's own lane, the better the smaller the score.
    pub fn add(&mut self, goal: Goal, near: bool, score: Score) {
        self.list.push(Proposal { goal, near, score: Some(score) });
    }

    /// A test case for the strategy's own lane.
    pub fn try_out(&mut self, run: RunId, known: &Knowledge, test: TestCase, score: Score) {
        let from = known.run(run);
        let goal = Try { generation: from.generation + 1, of: Some(run), ..Try::new(test) };
        self.add(Goal::Try(goal), from.novelty.is_near(), score);
    }

    /// A flip for the lanes of all that score flips.
    pub fn offer(&mut self, flip: Flip) {
        self.list.push(Proposal { goal: Goal::Flip(flip), near: false, score: None });
    }
}

/// Changes of shape in a row.
const MAX_GENERATION: u32 = 6;
/// By how much changes of shape wait for each branch that their test case is farther from the change than others.
const FAR: u64 = 8;
/// By how much they wait if it brought nothing new.
const NO_NEWS: u64 = 64;

/// Is a run one that is worth changing in shape?
fn is_worth_changing(id: RunId, run: &Run) -> bool {
    (run.novelty.is_something() || id.0 == 0) && run.generation < MAX_GENERATION
}

/// How long the changes of shape of a run wait for those of others.
fn wait(run: &Run, known: &Knowledge) -> u64 {
    FAR * u64::from(known.farther(run.novelty.closest)) + if run.novelty.news { 0 } else { NO_NEWS }
}
