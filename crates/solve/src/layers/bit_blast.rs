//! The bit-blaster on CaDiCaL.
//!
//! In: a query. Out: a model, or unsat with the constraints that CaDiCaL's final conflict names; where its
//! limits end the search, the answer from below.

use crate::blast::{Blaster, Clauses, Lit};
use crate::expr::ExprId;
use crate::query::{Answer, Budget, Model, Query};
use crate::stack::{Below, Layer};
use cadical::{Solver, Timeout};

/// Conflicts that one attempt to keep a byte may cost.
const SEED_CONFLICTS: i32 = 200;

/// See the module.
pub struct BitBlast {
    gates: usize,
    share: f64,
    seed_attempts: usize,
}

impl BitBlast {
    /// `gates`: a query that takes more is left to the layers below. `share`: part of what is left of
    /// the limit that it may use. `seed_attempts`: bytes of a model for which it is asked whether they could
    /// keep the seed's value.
    pub fn new(gates: usize, share: f64, seed_attempts: usize) -> BitBlast {
        BitBlast { gates, share, seed_attempts }
    }

    /// The answer, if there is one within the limits.
    fn solve(&self, query: &Query, budget: &Budget) -> Option<Answer> {
        let budget = budget.share(self.share);
        let mut blaster = Blaster::new(Solver::<Timeout>::new());
        let roots: Vec<ExprId> = query.constraints.iter().map(|c| c.expr).collect();
        let cone = query.pool.cone(&roots);
        // A few at a time, so that the deadline is seen.
        for part in cone.chunks(1024) {
            if budget.is_over() || !blaster.make(query.pool, part, self.gates) {
                return None;
            }
        }
        let wanted: Vec<Lit> = query
            .constraints
            .iter()
            .map(|c| if c.holds { blaster.bits(c.expr)[0] } else { -blaster.bits(c.expr)[0] })
            .collect();
        let solver = &mut blaster.gates.clauses;
        let conflicts = i32::try_from(budget.conflicts).unwrap_or(i32::MAX);
        match solve(solver, &wanted, conflicts, &budget) {
            Some(true) => Some(Answer::Sat(self.keep_seed(query, &budget, &mut blaster, wanted))),
            Some(false) => {
                let core = wanted.iter().enumerate().filter(|(_, lit)| solver.failed(**lit));
                Some(Answer::Unsat(core.map(|(number, _)| number).collect()))
            }
            None => None,
        }
    }

    /// From the model just found to one that differs from the seed in fewer bytes, one byte after the other.
    fn keep_seed(
        &self,
        query: &Query,
        budget: &Budget,
        blaster: &mut Blaster<Solver<Timeout>>,
        mut assumed: Vec<Lit>,
    ) -> Model {
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
            if !budget.is_over()
                && solve(&mut blaster.gates.clauses, &assumed, SEED_CONFLICTS, budget) == Some(true)
            {
                best = model(blaster);
            } else {
                assumed.truncate(kept);
            }
        }
        best
    }
}

/// Is there a solution with these literals? `None` if a limit comes first.
fn solve(solver: &mut Solver<Timeout>, literals: &[Lit], conflicts: i32, budget: &Budget) -> Option<bool> {
    solver.set_limit("conflicts", conflicts).ok()?;
    solver.set_callbacks(Some(Timeout::new(budget.left().as_secs_f32())));
    solver.solve_with(literals.iter().copied())
}

/// The literals that say that a byte has this value.
fn seed_literals(bits: &[Lit], value: u8) -> Vec<Lit> {
    bits.iter().enumerate().map(|(i, lit)| if value >> i & 1 == 1 { *lit } else { -lit }).collect()
}

fn model(blaster: &Blaster<Solver<Timeout>>) -> Model {
    let solver = &blaster.gates.clauses;
    let value = |bits: &[Lit]| {
        let ones = bits.iter().enumerate().filter(|(_, lit)| solver.value(**lit) == Some(true));
        ones.fold(0u8, |value, (bit, _)| value | 1 << bit)
    };
    blaster.vars().map(|(var, bits)| (var, value(bits))).collect()
}

impl Clauses for Solver<Timeout> {
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
