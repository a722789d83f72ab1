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
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
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
    /// The limit of steps was reached.
    Limit,
    /// The clock ended it, which was to be the last resort: on another day there may be an answer.
    Late,
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
///
/// A step is work of about ten nanoseconds on a machine of 2024, counted by the layers in what each of them does: gates and clauses made,
/// decisions and conflicts of the SAT solver by the size of its formula, Z3's own resource count. The same query costs the same
/// everywhere and at any time.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub steps: u64,
    /// Wall-clock time: the last resort, should counted work take far longer than it ever does.
    pub time: Duration,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit { steps: 200_000_000, time: Duration::from_secs(60) }
    }
}

/// A [`Limit`] that has begun to run, or a part of one.
#[derive(Clone, Debug)]
pub struct Budget {
    meter: Rc<Meter>,
    /// The steps at which this part is over.
    until: u64,
}

#[derive(Debug)]
struct Meter {
    spent: Cell<u64>,
    deadline: Instant,
    is_late: Cell<bool>,
}

impl Budget {
    pub fn start(limit: &Limit) -> Budget {
        // A limit beyond what the clock can count to is no limit; a day is none either.
        let day = Duration::from_secs(24 * 3600);
        let deadline = Instant::now() + limit.time.min(day);
        let meter = Meter { spent: Cell::new(0), deadline, is_late: Cell::new(false) };
        Budget { meter: Rc::new(meter), until: limit.steps }
    }

    /// So much work has been done.
    pub fn spend(&self, steps: u64) {
        self.meter.spent.set(self.spent().saturating_add(steps));
    }

    /// All work so far, of all parts.
    pub fn spent(&self) -> u64 {
        self.meter.spent.get()
    }

    /// Steps that are left.
    pub fn left(&self) -> u64 {
        self.until.saturating_sub(self.spent())
    }

    /// Time to the last resort.
    pub fn time_left(&self) -> Duration {
        self.meter.deadline.saturating_duration_since(Instant::now())
    }

    pub fn is_over(&self) -> bool {
        if self.time_left().is_zero() {
            self.meter.is_late.set(true);
        }
        self.left() == 0 || self.is_late()
    }

    /// Did the clock end it, before the steps were used up?
    pub fn is_late(&self) -> bool {
        self.meter.is_late.get()
    }

    /// A part of what is left.
    pub fn share(&self, part: f64) -> Budget {
        let part = (self.left() as f64 * part.clamp(0.0, 1.0)) as u64;
        Budget { meter: self.meter.clone(), until: self.spent().saturating_add(part).min(self.until) }
    }
}

/// Anything that answers queries.
pub trait Solver {
    fn check(&mut self, query: &Query, limit: &Limit) -> Answer;
}
