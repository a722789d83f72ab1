//! Goals: what a strategy wants the next test case to do.
//!
//! A goal is plain data. Two kinds are questions for the solver (take a branch of a run the other way; make the versions differ on the
//! path of a run), the third is a test case to be tried as it is.

use crate::expressions::ExprId;
use crate::joint;
use crate::path::Step;
use crate::{Pair, Side};
use parallax_execute::TestCase;
use std::rc::Rc;

/// A run that the search remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub usize);

/// A goal that waits in the frontier; the newer, the larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoalId(pub u64);

/// A strategy of the portfolio, by its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StrategyId(pub usize);

/// A branch site of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    pub side: Side,
    pub number: u32,
}

/// A branch site, and which way it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch {
    pub site: Site,
    pub way: u64,
}

/// What a strategy wants.
#[derive(Clone, Debug)]
pub enum Goal {
    Flip(Flip),
    Differ(Differ),
    Try(Try),
}

/// A condition of a run that is to go another way.
#[derive(Clone, Debug)]
pub struct Flip {
    pub run: RunId,
    pub side: Side,
    pub step: usize,
    pub other: usize,
    pub key: FlipKey,
    /// How many conditions in a row were flipped on the way to `aim` before this one.
    pub depth: u32,
    /// Only one of the versions has the condition, or has it in this form.
    pub alone: bool,
    /// How often the same flip was proposed before, on other runs.
    pub again: u32,
    pub how: Asking,
    /// What must hold instead of what the step says, if that is something else.
    pub wants: Option<ExprId>,
    /// What is to be reached in the end, if this flip is only on the way there.
    pub aim: Option<Rc<Aim>>,
}

impl Flip {
    /// An ordinary one that is asked for the first time.
    pub fn new(run: RunId, side: Side, (step, other): (usize, usize), key: FlipKey) -> Flip {
        let how = Asking::default();
        Flip { run, side, step, other, key, depth: 0, alone: false, again: 0, how, wants: None, aim: None }
    }
}

/// The versions are to differ on the path of a run.
#[derive(Clone, Debug)]
pub struct Differ {
    pub run: RunId,
    pub question: Rc<joint::Question>,
    pub how: Asking,
}

/// How a question is put to the solver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asking {
    /// About bytes even where it could be about numbers.
    pub exact: bool,
    /// The solver had no quick answer; it gets more effort now.
    pub patient: bool,
    /// The path contradicts what is wanted.
    pub relaxed: Option<Rc<Relaxed>>,
}

/// What is left out of a question because it contradicts what is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relaxed {
    /// Places among the conditions that are kept otherwise.
    pub without: Vec<usize>,
    /// How often more was left out.
    pub rounds: usize,
    pub aim: Rc<Aim>,
    pub depth: u32,
}

/// A test case to be tried as it is.
#[derive(Clone, Debug)]
pub struct Try {
    /// How many changes of shape away from a seed.
    pub generation: u32,
    pub test: TestCase,
    /// The run that it comes from.
    pub of: Option<RunId>,
    /// It was tried before, and only its coverage is known.
    pub is_rerun: bool,
    /// Who made it, if that is not who proposes it.
    pub made_by: Option<StrategyId>,
}

impl Try {
    pub fn new(test: TestCase) -> Try {
        Try { generation: 0, test, of: None, is_rerun: false, made_by: None }
    }
}

/// Two flips with the same key are the same for the search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FlipKey {
    site: Site,
    context: u32,
    round: u32,
    /// The way it is to go.
    way: u64,
    purpose: Purpose,
}

/// What a flip is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Purpose {
    Itself,
    /// To make it visible that the versions have parted.
    Propagate,
    /// To get to something else.
    OnTheWayTo(u64),
}

impl FlipKey {
    pub fn new(side: Side, step: &Step, other: usize) -> FlipKey {
        FlipKey {
            site: Site { side, number: step.site },
            context: step.context,
            round: step.round,
            way: step.other_ways[other],
            purpose: Purpose::Itself,
        }
    }

    /// The branch, and the way it is to go.
    pub fn branch(&self) -> Branch {
        Branch { site: self.site, way: self.way }
    }

    pub fn is_obstacle(&self) -> bool {
        matches!(self.purpose, Purpose::OnTheWayTo(_))
    }

    /// What it is on the way to.
    pub fn goal(&self) -> Option<u64> {
        match self.purpose {
            Purpose::OnTheWayTo(goal) => Some(goal),
            _ => None,
        }
    }

    /// Is it for something else than for itself?
    pub fn has_purpose(&self) -> bool {
        self.purpose != Purpose::Itself
    }

    /// The same flip on the way to a goal; then every round of a loop counts for itself (the third digit of a number is not the second).
    pub fn towards(self, goal: u64, step: &Step) -> FlipKey {
        FlipKey { purpose: Purpose::OnTheWayTo(goal), round: step.count, ..self }
    }

    /// The same flip where the versions have parted.
    pub fn to_propagate(self, step: &Step) -> FlipKey {
        FlipKey { purpose: Purpose::Propagate, round: step.count, ..self }
    }
}

/// Where a chain of flips is to lead: along the path of a run as far as a question that the path could not answer, and, for a flip, the way
/// that was wanted there. Or a path that a test case of another shape is to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    pub run: RunId,
    pub prefix: Pair<usize>,
    /// Site, context and way.
    pub wants: Option<(Branch, u32)>,
    /// After so many flips in a row ([`Flip::depth`]) it is given up.
    pub patience: u32,
}
