//! What is asked and what is answered.
//!
//! In: constraints over a pool, and the values that bytes have now. Out: a model, unsat with a core, or
//! unknown with the reason.
//!
//! Always holds: a model has a value for every byte that the constraints are made of, and for no other:
//! all other bytes keep what they have.

use crate::bytes::Domains;
use crate::eval::{Part, Program};
use crate::expr::{ExprId, Var, VarId};
use crate::pool::Pool;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// An expression of one bit, and what it has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constraint {
    pub expr: ExprId,
    pub holds: bool,
}

impl Constraint {
    pub fn is(expr: ExprId) -> Constraint {
        Constraint { expr, holds: true }
    }

    pub fn negated(self) -> Constraint {
        Constraint { holds: !self.holds, ..self }
    }
}

/// The present value of a byte; `None` (taken as 0) where the input is shorter.
pub type Seed<'q> = &'q dyn Fn(Var) -> Option<u8>;

/// A conjunction, and the values from which a model should differ as little as possible.
#[derive(Clone, Copy)]
pub struct Query<'q> {
    pub pool: &'q Pool,
    pub constraints: &'q [Constraint],
    pub seed: Seed<'q>,
    /// What a layer above has found out from these same constraints about single bytes.
    pub(crate) domains: Option<&'q Domains>,
}

impl<'q> Query<'q> {
    pub fn new(pool: &'q Pool, constraints: &'q [Constraint], seed: Seed<'q>) -> Query<'q> {
        Query { pool, constraints, seed, domains: None }
    }

    /// The same question about other constraints.
    pub(crate) fn of<'p>(&self, constraints: &'p [Constraint]) -> Query<'p>
    where
        'q: 'p,
    {
        Query { pool: self.pool, constraints, seed: self.seed, domains: None }
    }

    pub fn seed_byte(&self, var: VarId) -> u8 {
        (self.seed)(self.pool.var(var)).unwrap_or(0)
    }

    /// The bytes that the constraints are made of, ascending.
    pub fn support(&self) -> Vec<VarId> {
        let mut vars: Vec<VarId> = Vec::new();
        for constraint in self.constraints {
            vars.extend_from_slice(&self.pool.support(constraint.expr));
        }
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The constraints, ready to be evaluated.
    pub(crate) fn checker(&self) -> Checker {
        let roots: Vec<ExprId> = self.constraints.iter().map(|c| c.expr).collect();
        let wanted = self.constraints.iter().map(|c| u64::from(c.holds)).collect();
        Checker { program: Program::new(self.pool, &roots), wanted }
    }

    /// Do all constraints hold with the model's bytes, and the seed's elsewhere?
    pub fn holds_on(&self, model: &Model) -> bool {
        self.checker().holds(&|var| model.get(var).unwrap_or_else(|| self.seed_byte(var)))
    }
}

/// Constraints as a program.
pub(crate) struct Checker {
    program: Program,
    wanted: Vec<u64>,
}

impl Checker {
    pub fn holds(&mut self, byte: &dyn Fn(VarId) -> u8) -> bool {
        self.program.run(byte);
        self.all_held()
    }

    /// Did all constraints hold in the last evaluation?
    pub fn all_held(&self) -> bool {
        (0..self.wanted.len()).all(|number| self.held(number))
    }

    /// See [`Program::part`].
    pub fn part(&self, var: VarId) -> Part {
        self.program.part(var)
    }

    /// Evaluates anew what has changed with one byte.
    pub fn change(&mut self, part: &Part, byte: u8) {
        self.program.run_part(part, byte);
    }

    /// Did this constraint hold in the last evaluation?
    pub fn held(&self, number: usize) -> bool {
        self.program.value(number) == self.wanted[number]
    }

    pub fn cost(&self) -> usize {
        self.program.len()
    }

    pub fn vars(&self) -> &[VarId] {
        self.program.vars()
    }
}

/// Values of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    bytes: BTreeMap<VarId, u8>,
}

impl Model {
    pub fn get(&self, var: VarId) -> Option<u8> {
        self.bytes.get(&var).copied()
    }

    pub fn set(&mut self, var: VarId, value: u8) {
        self.bytes.insert(var, value);
    }

    pub fn iter(&self) -> impl Iterator<Item = (VarId, u8)> + '_ {
        self.bytes.iter().map(|(var, value)| (*var, *value))
    }

    /// The bytes that are not what they were.
    pub fn changes(&self, query: &Query) -> Vec<(Var, u8)> {
        let changed = self.iter().filter(|(var, value)| query.seed_byte(*var) != *value);
        changed.map(|(var, value)| (query.pool.var(var), value)).collect()
    }

    pub(crate) fn extend(&mut self, other: Model) {
        self.bytes.extend(other.bytes);
    }
}

impl FromIterator<(VarId, u8)> for Model {
    fn from_iter<I: IntoIterator<Item = (VarId, u8)>>(bytes: I) -> Model {
        Model { bytes: bytes.into_iter().collect() }
    }
}

/// Why there is no answer. All reasons stand here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The limit of time or conflicts was reached.
    Limit,
    /// The formula is larger than the solvers are given.
    Size,
    /// No layer could say.
    GaveUp,
    /// A layer gave a model on which the constraints do not hold: a bug in it, counted and not used.
    WrongModel,
}

/// See [`Query`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat(Model),
    /// The constraints with these numbers, ascending, already contradict one another.
    Unsat(Vec<usize>),
    Unknown(Unknown),
}

/// How much one query may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub time: Duration,
    /// Conflicts of the SAT solver.
    pub conflicts: u32,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit { time: Duration::from_secs(2), conflicts: 200_000 }
    }
}

/// A [`Limit`] that has begun to run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub deadline: Instant,
    pub conflicts: u32,
}

impl Budget {
    pub fn start(limit: &Limit) -> Budget {
        let now = Instant::now();
        // A limit beyond what the clock can count to is no limit; a day is none either.
        let day = Duration::from_secs(24 * 3600);
        Budget { deadline: now + limit.time.min(day), conflicts: limit.conflicts }
    }

    pub fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// A part of what is left.
    pub fn share(&self, part: f64) -> Budget {
        Budget { deadline: Instant::now() + self.left().mul_f64(part.clamp(0.0, 1.0)), ..*self }
    }
}

/// Anything that answers queries.
pub trait Solver {
    fn check(&mut self, query: &Query, limit: &Limit) -> Answer;
}
