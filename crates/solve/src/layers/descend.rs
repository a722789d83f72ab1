//! Local search on floating point, guided by how far comparisons are from holding.
//!
//! In: a query with floating point. Out: a model, if the search comes upon one within its steps; else the answer from below. The distance of a
//! comparison is the logarithm of the number of representable values between its sides (as in XSat, Fu and Su 2016, and goSAT, Ben Khadra et
//! al. 2017); a conjunction's is the sum, a disjunction's the least. Moves change one byte, or add one to or take one from a digit of a
//! number in the text, with its carry: 1999 and 2000 are neighbours. Where no move makes the distance smaller a few bytes get
//! other values, and it goes on from there.
//!
//! Always holds: the same queries are searched in the same way.

use crate::bytes::Domains;
use crate::eval::{Part, Program};
use crate::expr::{ExprId, VarId};
use crate::pool::Pool;
use crate::query::{Answer, Budget, Model, Query};
use crate::stack::{Below, Layer};
use fastrand::Rng;
use parallax_trace::float::{infinity, order};
use parallax_trace::format::{sign_extend, Op};

/// Conjunctions are looked into down to this depth.
const DEPTH: u32 = 32;
/// Values of one byte that are tried in one round, if it can have more.
const VALUES: usize = 10;
/// Bytes that get other values where there is no way down.
const KICKS: usize = 3;
/// Rounds down from one place at most.
const ROUNDS: usize = 40;

/// See the module.
pub struct Descend {
    steps: usize,
}

/// What a constraint asks for; numbers are those of the program's roots.
enum Goal {
    All(Vec<Goal>),
    Any(Vec<Goal>),
    Compare { op: Op, width: u8, sides: [usize; 2], holds: bool },
    Bit { root: usize, holds: bool },
}

/// A byte and what it can be.
struct Choice {
    var: VarId,
    seed: u8,
    now: u8,
    values: Vec<u8>,
    part: Part,
}

struct Search<'q> {
    query: &'q Query<'q>,
    program: Program,
    goals: Vec<Goal>,
    choices: Vec<Choice>,
    /// Digits of numbers, as numbers of choices, the first one first.
    numbers: Vec<Vec<usize>>,
    steps: usize,
    random: Rng,
}

impl Goal {
    fn of(pool: &Pool, id: ExprId, holds: bool, roots: &mut Vec<ExprId>, depth: u32) -> Goal {
        let node = *pool.node(id);
        let [a, b, _] = node.args;
        let mut root = |id: ExprId| {
            roots.push(id);
            roots.len() - 1
        };
        match node.op {
            Op::And | Op::Or if node.width == 1 && depth > 0 => {
                let parts = [a, b].map(|part| Goal::of(pool, part, holds, roots, depth - 1));
                let all = (node.op == Op::And) == holds;
                if all {
                    Goal::All(parts.into())
                } else {
                    Goal::Any(parts.into())
                }
            }
            Op::Xor if pool.as_const(b) == Some(1) && depth > 0 => {
                Goal::of(pool, a, !holds, roots, depth - 1)
            }
            Op::FLt | Op::FLe | Op::FEq | Op::Eq | Op::Ult | Op::Slt => {
                Goal::Compare { op: node.op, width: pool.width(a), sides: [root(a), root(b)], holds }
            }
            _ => Goal::Bit { root: root(id), holds },
        }
    }

    /// 0 if it is reached.
    fn distance(&self, program: &Program) -> f64 {
        match self {
            Goal::All(parts) => parts.iter().map(|part| part.distance(program)).sum(),
            Goal::Any(parts) => parts.iter().map(|part| part.distance(program)).fold(f64::INFINITY, f64::min),
            Goal::Bit { root, holds } => f64::from((program.value(*root) == 1) != *holds),
            Goal::Compare { op, width, sides, holds } => {
                let [a, b] = sides.map(|side| place(*op, *width, program.value(side)));
                let gap = |from: i128, to: i128| 1.0 + ((to - from).unsigned_abs() as f64 + 1.0).log2();
                let (reached, gap) = match (op, holds) {
                    // Nothing is less than NaN, and nothing is more.
                    _ if matches!(op, Op::FLt | Op::FLe | Op::FEq) && (a > NUMBERS || b > NUMBERS) => {
                        (!*holds, 70.0)
                    }
                    (Op::FEq | Op::Eq, true) => (a == b, gap(a, b)),
                    (Op::FEq | Op::Eq, false) => (a != b, 1.0),
                    (Op::FLe, true) => (a <= b, gap(b, a)),
                    (Op::FLe, false) => (b < a, gap(a, b)),
                    (_, true) => (a < b, gap(b, a)),
                    (_, false) => (b <= a, gap(a, b)),
                };
                if reached {
                    0.0
                } else {
                    gap
                }
            }
        }
    }
}

/// Beyond the places of all numbers: NaN.
const NUMBERS: i128 = 1 << 65;

/// Where a value stands among those that it is compared with.
fn place(op: Op, width: u8, value: u64) -> i128 {
    match op {
        Op::FLt | Op::FLe | Op::FEq => match order(value, width) {
            place if place.abs() > infinity(width) => NUMBERS + 1,
            place => place.into(),
        },
        Op::Slt => sign_extend(value, width).into(),
        _ => value.into(),
    }
}

impl Descend {
    /// `steps`: evaluations of single nodes that one query may cost.
    pub fn new(steps: usize) -> Descend {
        Descend { steps }
    }

    fn find(&self, query: &Query) -> Option<Model> {
        let roots: Vec<ExprId> = query.constraints.iter().map(|c| c.expr).collect();
        if !query.pool.cone(&roots).iter().any(|id| query.pool.node(*id).op.is_float()) {
            return None;
        }
        Search::new(query, self.steps)?.run()
    }
}

impl<'q> Search<'q> {
    /// `None` if a byte can have no value.
    fn new(query: &'q Query<'q>, steps: usize) -> Option<Search<'q>> {
        let mut roots = Vec::new();
        let goals = query.constraints.iter();
        let goals = goals.map(|c| Goal::of(query.pool, c.expr, c.holds, &mut roots, DEPTH)).collect();
        let program = Program::new(query.pool, &roots);
        let nothing = Domains::default();
        let domains = query.domains.unwrap_or(&nothing);
        let mut choices = Vec::new();
        for var in program.vars() {
            let values: Vec<u8> = domains.get(*var).iter().collect();
            let seed = domains.get(*var).nearest(query.seed_byte(*var))?;
            choices.push(Choice { var: *var, seed, now: seed, values, part: program.part(*var) });
        }
        let numbers = numbers(query.pool, &choices);
        Some(Search { query, program, goals, choices, numbers, steps, random: Rng::with_seed(1) })
    }

    fn run(&mut self) -> Option<Model> {
        self.steps = self.steps.checked_sub(self.program.len())?;
        let choices = &self.choices;
        self.program.run(&|var| choices.iter().find(|c| c.var == var).map_or(0, |c| c.seed));
        let mut distance = self.distance();
        loop {
            for _ in 0..ROUNDS {
                let before = distance;
                distance = self.round(distance)?;
                if distance == 0.0 {
                    let model: Model = self.choices.iter().map(|c| (c.var, c.now)).collect();
                    if self.query.holds_on(&model) {
                        return Some(model);
                    }
                }
                if distance >= before {
                    break;
                }
            }
            for _ in 0..self.random.usize(1..=KICKS) {
                let number = self.random.usize(..self.choices.len().max(1));
                let values = self.choices.get(number)?.values.len();
                let value = self.choices[number].values[self.random.usize(..values)];
                self.put(number, value)?;
            }
            distance = self.distance();
        }
    }

    fn distance(&self) -> f64 {
        self.goals.iter().map(|goal| goal.distance(&self.program)).sum()
    }

    /// Tries all moves once, and keeps each that makes the distance smaller. `None` if the limit is reached.
    fn round(&mut self, mut distance: f64) -> Option<f64> {
        for number in 0..self.numbers.len() {
            for digit in 0..self.numbers[number].len() {
                for up in [true, false] {
                    distance = self.attempt(self.carried(number, digit, up), distance)?;
                }
            }
        }
        for number in 0..self.choices.len() {
            let count = self.choices[number].values.len();
            for i in 0..count.min(VALUES) {
                let at = if count > VALUES { self.random.usize(..count) } else { i };
                distance = self.attempt(vec![(number, self.choices[number].values[at])], distance)?;
            }
        }
        Some(distance)
    }

    /// One more or one less at a digit of a number.
    fn carried(&self, number: usize, digit: usize, up: bool) -> Vec<(usize, u8)> {
        let mut changes = Vec::new();
        for at in (0..=digit).rev() {
            let choice = self.numbers[number][at];
            let now = self.choices[choice].now;
            let (full, empty) = if up { (b'9', b'0') } else { (b'0', b'9') };
            if now != full {
                changes.push((choice, if up { now.wrapping_add(1) } else { now.wrapping_sub(1) }));
                return changes;
            }
            changes.push((choice, empty));
        }
        // Beyond the first digit.
        Vec::new()
    }

    /// Makes these changes, and takes them back if they do not help.
    fn attempt(&mut self, changes: Vec<(usize, u8)>, distance: f64) -> Option<f64> {
        let before: Vec<(usize, u8)> =
            changes.iter().map(|(number, _)| (*number, self.choices[*number].now)).collect();
        if changes == before || distance == 0.0 {
            return Some(distance);
        }
        for (number, value) in changes {
            self.put(number, value)?;
        }
        let found = self.distance();
        if found < distance {
            return Some(found);
        }
        for (number, value) in before {
            self.put(number, value)?;
        }
        Some(distance)
    }

    /// Gives a byte another value. `None` if the limit is reached.
    fn put(&mut self, number: usize, value: u8) -> Option<()> {
        let choice = &mut self.choices[number];
        choice.now = value;
        self.steps = self.steps.checked_sub(choice.part.len() + self.goals.len())?;
        self.program.run_part(&choice.part, value);
        Some(())
    }
}

/// Runs of bytes that can only be digits, with at most one other byte (a point) between two of them.
fn numbers(pool: &Pool, choices: &[Choice]) -> Vec<Vec<usize>> {
    let is_digit = |choice: &Choice| choice.values.len() > 1 && choice.values.iter().all(u8::is_ascii_digit);
    let mut digits: Vec<usize> = (0..choices.len()).filter(|at| is_digit(&choices[*at])).collect();
    digits.sort_by_key(|at| pool.var(choices[*at].var));
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for at in digits {
        let var = pool.var(choices[at].var);
        let last = runs.last().and_then(|run| run.last()).map(|last| pool.var(choices[*last].var));
        match last {
            Some(last) if last.input == var.input && var.offset - last.offset <= 2 => {
                // There is a last run, because it has a last digit.
                if let Some(run) = runs.last_mut() {
                    run.push(at);
                }
            }
            _ => runs.push(vec![at]),
        }
    }
    runs
}

impl Layer for Descend {
    fn name(&self) -> &'static str {
        "descend"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        match self.find(query) {
            Some(model) => Answer::Sat(model),
            None => below.check(query, budget),
        }
    }
}
