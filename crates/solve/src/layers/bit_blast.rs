//! The bit-blaster on CaDiCaL.
//!
//! In: a query. Out: a model, or unsat with the constraints that CaDiCaL's final conflict names; where its
//! limits end the search, the answer from below. Floating-point operators begin without meaning and get lemmas where a solution has
//! them wrong ([`crate::blast`]), so many rounds of them at most.

use crate::blast::{Blaster, Clauses, Lit, Point};
use crate::expr::ExprId;
use crate::query::{Answer, Budget, Model, Query};
use crate::stack::{Below, Layer};
use cadical::{Callbacks, Solver};
use parallax_trace::format::Op;

/// Steps that a gate costs when it is made.
const STEPS_PER_GATE: u64 = 60;
/// CaDiCaL asks whether it should end after every ten or so decisions and conflicts. Steps that this stands for, and how many more for so many
/// gates.
const STEPS_PER_CALL: u64 = 600;
const GATES_PER_STEP: u64 = 2;
/// The clock is looked at after so many calls.
const CALLS_PER_LOOK: u32 = 64;
/// Calls that one attempt to keep a byte may cost.
const SEED_CALLS: u64 = 40;

/// Rounds of lemmas about floating point that one query may have, unless told otherwise.
pub const REFINEMENTS: usize = 200;

/// Counts what CaDiCaL does, and ends it when the budget is spent.
struct Meter {
    budget: Budget,
    /// Steps that a call stands for, and that are left for this question.
    price: u64,
    left: u64,
    calls: u32,
}

impl Callbacks for Meter {
    fn terminate(&mut self) -> bool {
        let budget = &self.budget;
        budget.spend(self.price);
        self.left = self.left.saturating_sub(self.price);
        self.calls = self.calls.wrapping_add(1);
        let is_late = self.calls % CALLS_PER_LOOK == 0 && budget.is_over();
        self.left == 0 || budget.left() == 0 || is_late
    }
}

/// See the module.
pub struct BitBlast {
    gates: usize,
    share: f64,
    seed_attempts: usize,
    refinements: usize,
}

impl BitBlast {
    /// `gates`: a query that takes more is left to the layers below. `share`: part of what is left of
    /// the limit that it may use. `seed_attempts`: bytes of a model for which it is asked whether they could
    /// keep the seed's value.
    pub fn new(gates: usize, share: f64, seed_attempts: usize) -> BitBlast {
        BitBlast { gates, share, seed_attempts, refinements: REFINEMENTS }
    }

    /// Another number of rounds of lemmas about floating point.
    pub fn with_refinements(self, refinements: usize) -> BitBlast {
        BitBlast { refinements, ..self }
    }

    /// The answer, if there is one within the limits.
    fn solve(&self, query: &Query, budget: &Budget) -> Option<Answer> {
        let budget = budget.share(self.share);
        let mut blaster = Blaster::new(Solver::<Meter>::new());
        let roots: Vec<ExprId> = query.constraints.iter().map(|c| c.expr).collect();
        let cone = query.pool.cone(&roots);
        // A few at a time, so that the end of the budget is seen.
        for part in cone.chunks(1024) {
            let before = blaster.gates.count();
            let is_made = blaster.make(query.pool, part, self.gates);
            budget.spend((blaster.gates.count() - before + part.len()) as u64 * STEPS_PER_GATE);
            if !is_made || budget.is_over() {
                return None;
            }
        }
        let wanted: Vec<Lit> = query
            .constraints
            .iter()
            .map(|c| if c.holds { blaster.bits(c.expr)[0] } else { -blaster.bits(c.expr)[0] })
            .collect();
        let open: Vec<ExprId> = cone.into_iter().filter(|id| is_open(query.pool.node(*id).op)).collect();
        for _ in 0..=self.refinements {
            let price = STEPS_PER_CALL + blaster.gates.count() as u64 / GATES_PER_STEP;
            let solver = &mut blaster.gates.clauses;
            if !solve(solver, &wanted, price, u64::MAX, &budget)? {
                let core = wanted.iter().enumerate().filter(|(_, lit)| solver.failed(**lit));
                return Some(Answer::Unsat(core.map(|(number, _)| number).collect()));
            }
            if open.is_empty() {
                return Some(Answer::Sat(self.keep_seed(query, &budget, &mut blaster, wanted)));
            }
            let found = model(&blaster);
            if query.holds_on(&found) {
                return Some(Answer::Sat(found));
            }
            if !refine(query, &budget, &mut blaster, &open) || blaster.gates.count() > self.gates {
                return None;
            }
        }
        None
    }

    /// From the model just found to one that differs from the seed in fewer bytes, one byte after the other.
    fn keep_seed(
        &self,
        query: &Query,
        budget: &Budget,
        blaster: &mut Blaster<Solver<Meter>>,
        mut assumed: Vec<Lit>,
    ) -> Model {
        let price = STEPS_PER_CALL + blaster.gates.count() as u64 / GATES_PER_STEP;
        let mut best = model(blaster);
        let mut changed = Vec::new();
        for (var, value) in best.iter() {
            let seed = query.seed_byte(var);
            let literals = seed_literals(blaster.var_bits(var), seed);
            if value == seed {
                assumed.extend(literals);
            } else {
                changed.push((var, seed, literals));
            }
        }
        for (var, seed, literals) in changed.into_iter().take(self.seed_attempts) {
            if best.get(var) == Some(seed) {
                assumed.extend(literals);
                continue;
            }
            let kept = assumed.len();
            assumed.extend(literals);
            let steps = price * SEED_CALLS;
            if !budget.is_over()
                && solve(&mut blaster.gates.clauses, &assumed, price, steps, budget) == Some(true)
            {
                best = model(blaster);
            } else {
                assumed.truncate(kept);
            }
        }
        best
    }
}

/// Floating-point operators that have no circuit.
fn is_open(op: Op) -> bool {
    op.is_float() && !matches!(op, Op::FEq | Op::FLt | Op::FLe)
}

/// Lemmas for all operators that the solution has wrong; `false` if there are none, or no budget.
fn refine(query: &Query, budget: &Budget, blaster: &mut Blaster<Solver<Meter>>, open: &[ExprId]) -> bool {
    let solver = &blaster.gates.clauses;
    let bits = |literals: &[Lit]| {
        let ones = literals.iter().enumerate().filter(|(_, lit)| solver.value(**lit) == Some(true));
        ones.fold(0u64, |value, (bit, _)| value | 1 << bit)
    };
    let wrong: Vec<Point> = open.iter().filter_map(|id| blaster.wrong(query.pool, *id, &bits)).collect();
    let before = blaster.gates.count();
    wrong.iter().for_each(|point| blaster.learn(query.pool, point));
    budget.spend((blaster.gates.count() - before + open.len()) as u64 * STEPS_PER_GATE);
    !wrong.is_empty() && !budget.is_over()
}

/// Is there a solution with these literals? `None` if a limit comes first: `steps`, or what is left of the budget.
/// `price`: steps that a call of the meter stands for.
fn solve(
    solver: &mut Solver<Meter>,
    literals: &[Lit],
    price: u64,
    steps: u64,
    budget: &Budget,
) -> Option<bool> {
    // What it costs to begin, however easy it is.
    budget.spend(price);
    solver.set_callbacks(Some(Meter { budget: budget.clone(), price, left: steps, calls: 0 }));
    solver.solve_with(literals.iter().copied())
}

/// The literals that say that a byte has this value.
fn seed_literals(bits: &[Lit], value: u8) -> Vec<Lit> {
    bits.iter().enumerate().map(|(i, lit)| if value >> i & 1 == 1 { *lit } else { -lit }).collect()
}

fn model(blaster: &Blaster<Solver<Meter>>) -> Model {
    let solver = &blaster.gates.clauses;
    let value = |bits: &[Lit]| {
        let ones = bits.iter().enumerate().filter(|(_, lit)| solver.value(**lit) == Some(true));
        ones.fold(0u8, |value, (bit, _)| value | 1 << bit)
    };
    blaster.vars().map(|(var, bits)| (var, value(bits))).collect()
}

impl Clauses for Solver<Meter> {
    fn clause(&mut self, literals: &[Lit]) {
        self.add_clause(literals.iter().copied());
    }
}

impl Layer for BitBlast {
    fn name(&self) -> &'static str {
        "bit-blaster"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        self.solve(query, budget).unwrap_or_else(|| below.check(query, budget))
    }
}
