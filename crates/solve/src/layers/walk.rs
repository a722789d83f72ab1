//! A random walk from the seed, by evaluation, for formulas whose circuits are large: divisions, remainders, products, floating point.
//!
//! In: a query. Out: a model, if the walk comes upon one within its steps; else the answer from below. Each step gives a few
//! bytes of one condition that does not hold other values (of those that conditions on the byte alone leave) and is taken back
//! if more conditions are broken than before. What is computed from a date or an amount is true of one in ten or in
//! a thousand of them: evaluation finds one long before a solver has understood the divisions.
//!
//! Where walks lead nowhere they become short: each has so many steps for nothing, and may take more as long as there is credit,
//! which it spends and success earns.
//!
//! Always holds: the same queries are walked in the same way.

use crate::bytes::Domains;
use crate::eval::Part;
use crate::expr::{ExprId, VarId};
use crate::query::{Answer, Budget, Checker, Model, Query};
use crate::stack::{Below, Layer};
use fastrand::Rng;
use parallax_trace::format::Op;

/// Bytes that one step changes, at most.
const MAX_CHANGES: usize = 3;
/// Steps from the seed before the walk begins there again.
const LENGTH: usize = 1000;
/// Where the random numbers of every walk begin.
const BEGINNING: u64 = 1;

/// Steps that walks may take in advance, and that each which comes upon a model earns.
const ADVANCE: usize = 8_000_000;
const REWARD: usize = 600_000;

/// See the module.
pub struct Walk {
    least: usize,
    most: usize,
    credit: usize,
}

/// A byte, and what it can be.
struct Choice {
    var: VarId,
    seed: u8,
    now: u8,
    values: Vec<u8>,
    /// What has to be evaluated anew when it changes.
    part: Part,
}

/// A walk under way.
struct Walker {
    checker: Checker,
    choices: Vec<Choice>,
    /// For every constraint its bytes, as numbers of choices.
    bytes: Vec<Vec<usize>>,
    /// Evaluations of single nodes that are left.
    steps: usize,
    random: Rng,
}

impl Walk {
    /// `least`, `most`: evaluations of single nodes that one query may cost without credit and with it.
    pub fn new(least: usize, most: usize) -> Walk {
        Walk { least, most, credit: ADVANCE }
    }

    fn find(&mut self, query: &Query) -> Option<Model> {
        if !has_large_circuits(query) {
            return None;
        }
        let steps = self.most.min(self.least + self.credit);
        let mut walker = Walker::new(query, steps)?;
        let found = walker.walk();
        self.credit = self.credit.saturating_sub((steps - walker.steps).saturating_sub(self.least));
        if found.is_some() {
            self.credit += REWARD;
        }
        found
    }
}

fn has_large_circuits(query: &Query) -> bool {
    let roots: Vec<ExprId> = query.constraints.iter().map(|c| c.expr).collect();
    let is_constant = |id: &ExprId| query.pool.node(*id).op == Op::Const;
    query.pool.cone(&roots).iter().any(|id| {
        let node = query.pool.node(*id);
        match node.op {
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem | Op::UMulHigh | Op::SMulHigh => true,
            op if op.is_float() => true,
            Op::Mul => !node.operands().iter().any(is_constant),
            _ => false,
        }
    })
}

impl Walker {
    /// `None` if a byte can have no value.
    fn new(query: &Query, steps: usize) -> Option<Walker> {
        let checker = query.checker();
        let nothing = Domains::default();
        let domains = query.domains.unwrap_or(&nothing);
        let mut choices = Vec::new();
        for var in checker.vars() {
            let values: Vec<u8> = domains.get(*var).iter().collect();
            let seed = domains.get(*var).nearest(query.seed_byte(*var))?;
            choices.push(Choice { var: *var, seed, now: seed, values, part: checker.part(*var) });
        }
        let number = |var: &VarId| choices.binary_search_by_key(var, |choice| choice.var).ok();
        let bytes = query.constraints.iter();
        let bytes = bytes.map(|c| query.pool.support(c.expr).iter().filter_map(number).collect()).collect();
        Some(Walker { checker, choices, bytes, steps, random: Rng::with_seed(BEGINNING) })
    }

    /// From the seed, again and again, until a model is found or the limit is reached.
    fn walk(&mut self) -> Option<Model> {
        loop {
            self.begin()?;
            for _ in 0..LENGTH {
                if self.checker.all_held() {
                    return Some(self.model());
                }
                self.step()?;
            }
        }
    }

    /// Back to the seed. `None` if the limit is reached.
    fn begin(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(self.checker.cost())?;
        self.choices.iter_mut().for_each(|choice| choice.now = choice.seed);
        let choices = &self.choices;
        let byte = |var: VarId| choices.binary_search_by_key(&var, |c| c.var).map_or(0, |at| choices[at].now);
        self.checker.holds(&byte);
        Some(())
    }

    /// Other values for some bytes of a condition that does not hold. `None` if the limit is reached.
    fn step(&mut self) -> Option<()> {
        let broken = self.broken();
        let constraint = broken[self.random.usize(..broken.len())];
        if self.bytes[constraint].is_empty() {
            return None;
        }
        let mut before = Vec::new();
        for _ in 0..self.random.usize(1..=MAX_CHANGES) {
            let bytes = &self.bytes[constraint];
            let number = bytes[self.random.usize(..bytes.len())];
            let choice = &self.choices[number];
            before.push((number, choice.now));
            let value = choice.values[self.random.usize(..choice.values.len())];
            self.put(number, value)?;
        }
        if self.broken().len() > broken.len() {
            before.into_iter().rev().try_for_each(|(number, value)| self.put(number, value))?;
        }
        Some(())
    }

    /// Gives a byte another value. `None` if the limit is reached.
    fn put(&mut self, number: usize, value: u8) -> Option<()> {
        let choice = &mut self.choices[number];
        choice.now = value;
        self.steps = self.steps.checked_sub(choice.part.len())?;
        self.checker.change(&choice.part, value);
        Some(())
    }

    /// The constraints that do not hold.
    fn broken(&self) -> Vec<usize> {
        (0..self.bytes.len()).filter(|number| !self.checker.held(*number)).collect()
    }

    fn model(&self) -> Model {
        self.choices.iter().map(|choice| (choice.var, choice.now)).collect()
    }
}

impl Layer for Walk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        match self.find(query) {
            Some(model) => Answer::Sat(model),
            None => below.check(query, budget),
        }
    }
}
