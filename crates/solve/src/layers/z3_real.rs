//! Z3's theory of floating-point numbers, for what the bit-blaster's lemmas did not decide.
//!
//! In: a query with floating point. Out: unsat with all constraints as its core, or a model that has been evaluated; else the answer from
//! below. Z3 reads the script that the query is exported as ([`crate::smtlib`]).

use super::z3::check_within;
use crate::expr::ExprId;
use crate::query::{Answer, Budget, Model, Query};
use crate::smtlib::{script, symbol};
use crate::stack::{Below, Layer};
use z3::ast::BV;
use z3::{Params, SatResult, Solver};

/// Steps of a unit of Z3's resource count, and of a node that it reads.
const STEPS_PER_UNIT: u64 = 20;
const STEPS_PER_NODE: u64 = 2000;

/// See the module.
pub struct Z3Real {
    share: f64,
}

impl Z3Real {
    /// `share`: part of what is left of the limit that it may use.
    pub fn new(share: f64) -> Z3Real {
        Z3Real { share }
    }

    fn solve(&self, query: &Query, budget: &Budget) -> Option<Answer> {
        let roots: Vec<ExprId> = query.constraints.iter().map(|c| c.expr).collect();
        let cone = query.pool.cone(&roots);
        if !cone.iter().any(|id| query.pool.node(*id).op.is_float()) {
            return None;
        }
        let budget = budget.share(self.share);
        budget.spend(cone.len() as u64 * STEPS_PER_NODE);
        if budget.is_over() {
            return None;
        }
        let solver = Solver::new();
        let mut params = Params::new();
        params.set_bool("ctrl_c", false);
        let units = (budget.left() / STEPS_PER_UNIT).clamp(1, u64::from(u32::MAX));
        params.set_u32("rlimit", units as u32);
        solver.set_params(&params);
        solver.from_string(script(query));
        match check_within(&budget, &solver, &[]) {
            SatResult::Sat => {
                let model = solver.get_model()?;
                let value = |var| {
                    let name = symbol(query.pool, var);
                    let byte = BV::new_const(name.trim_matches('|'), 8);
                    Some((var, model.eval(&byte, true)?.as_u64()? as u8))
                };
                let model = query.support().into_iter().map(value).collect::<Option<Model>>()?;
                query.holds_on(&model).then_some(Answer::Sat(model))
            }
            SatResult::Unsat => Some(Answer::Unsat((0..query.constraints.len()).collect())),
            SatResult::Unknown => None,
        }
    }
}

impl Layer for Z3Real {
    fn name(&self) -> &'static str {
        "Z3 with floating point"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        self.solve(query, budget).unwrap_or_else(|| below.check(query, budget))
    }
}
