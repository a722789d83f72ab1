//! The frontier: what could be asked or tried next, best first.
//!
//! Always holds: taking things out is deterministic (by class, then by age), and no flip is queued twice.

use crate::joint::Question;
use crate::path::Step;
use crate::Side;
use parallax_execute::TestCase;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// How promising a piece of work is; the smaller the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The outputs of both versions, asked to differ.
    Output,
    /// Corresponding branches of the versions, asked to differ.
    Parting,
    /// A branch that was never seen going the other way.
    NewWay,
    /// An earlier branch that stood in the way of one of these.
    Obstacle,
    /// Seen the other way, but not in this calling context.
    NewContext,
    /// Seen in this context, but not in this round of a loop.
    NewRound,
    /// Divisors, shift amounts and indices that go out of bounds.
    Guard,
}

/// Which branch of which run is to go which other way.
#[derive(Clone, Debug)]
pub struct Flip {
    pub record: usize,
    pub side: Side,
    pub step: usize,
    pub other: usize,
    /// How many obstacles in a row were removed before this one; 0 for an ordinary flip.
    pub depth: u32,
}

/// Something for the solver.
#[derive(Clone, Debug)]
pub enum Ask {
    Flip(Flip, FlipKey),
    Joint(usize, Rc<Question>),
}

/// Two flips with the same key are the same for the search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FlipKey {
    side: Side,
    site: u32,
    context: u32,
    round: u32,
    way: u64,
    other: usize,
    /// What the flip is an obstacle to, if it is one.
    goal: Option<u64>,
}

impl FlipKey {
    pub fn new(side: Side, step: &Step, other: usize) -> FlipKey {
        FlipKey {
            side,
            site: step.site,
            context: step.context,
            round: step.round,
            way: step.way,
            other,
            goal: None,
        }
    }

    /// Is it worth removing obstacles for this flip?
    pub fn is_new_way(&self, class: Class) -> bool {
        class == Class::NewWay || self.goal.is_some()
    }

    /// The same flip on the way to a goal.
    pub fn towards(self, goal: u64) -> FlipKey {
        FlipKey { goal: Some(goal), ..self }
    }
}

/// How often a flip that was not satisfiable on one path is tried again from another.
const ATTEMPTS: u32 = 12;
/// Test cases of another shape that wait at most.
const MAX_TRIES: usize = 20_000;

#[derive(Default)]
pub struct Queue {
    asks: BTreeMap<(Class, u64), Ask>,
    tries: BTreeMap<(u32, u64), (TestCase, bool)>,
    age: u64,
    attempts: HashMap<FlipKey, u32>,
    known: HashSet<TestCase>,
}

impl Queue {
    pub fn ask(&mut self, class: Class, ask: Ask) {
        if let Ask::Flip(_, key) = &ask {
            let attempts = self.attempts.entry(key.clone()).or_default();
            if *attempts > 0 {
                return;
            }
            *attempts = 1;
        }
        self.age += 1;
        self.asks.insert((class, self.age), ask);
    }

    /// The flip was not satisfiable where it was tried: it may come in again from another path.
    pub fn again(&mut self, key: &FlipKey, tried: &mut HashMap<FlipKey, u32>) {
        let count = tried.entry(key.clone()).or_default();
        *count += 1;
        if *count < ATTEMPTS {
            self.attempts.insert(key.clone(), 0);
        }
    }

    pub fn next_ask(&mut self) -> Option<Ask> {
        self.asks.pop_first().map(|e| e.1)
    }

    /// A test case to be tried as it is; `generation`: how many changes of shape away from a seed, `parted`: whether
    /// the versions had gone different ways on the one it comes from.
    pub fn try_out(&mut self, generation: u32, test: TestCase, parted: bool) {
        if self.tries.len() < MAX_TRIES && !self.known.contains(&test) {
            self.age += 1;
            self.tries.insert((generation, self.age), (test, parted));
        }
    }

    pub fn next_try(&mut self) -> Option<(u32, TestCase, bool)> {
        while let Some(((generation, _), (test, parted))) = self.tries.pop_first() {
            if self.is_new(&test) {
                return Some((generation, test, parted));
            }
        }
        None
    }

    /// True the first time.
    pub fn is_new(&mut self, test: &TestCase) -> bool {
        self.known.insert(test.clone())
    }
}
