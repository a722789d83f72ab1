//! Decides constraints by the ranges of values that their operands can have.
//!
//! In: a query, with what is left of its bytes. Out: unsat if a constraint cannot hold; else the answer from
//! below to the query without the constraints that cannot fail.

use super::translate;
use crate::bytes::Domains;
use crate::expr::ExprId;
use crate::query::{Answer, Budget, Constraint, Query};
use crate::range::ranges;
use crate::stack::{Below, Layer};

/// See the module.
pub struct Interval;

/// A constraint, and the one-byte constraints that limit the bytes it is made of.
fn core(query: &Query, domains: &Domains, number: usize) -> Vec<usize> {
    let mut core = vec![number];
    for var in query.pool.support(query.constraints[number].expr).iter() {
        core.extend_from_slice(domains.reasons(*var));
    }
    core.sort_unstable();
    core.dedup();
    core
}

impl Layer for Interval {
    fn name(&self) -> &'static str {
        "interval"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        let nothing = Domains::default();
        let domains = query.domains.unwrap_or(&nothing);
        let roots: Vec<ExprId> = query.constraints.iter().map(|c| c.expr).collect();
        let known = ranges(query.pool, &query.pool.cone(&roots), domains);
        let one_byte = |c: &Constraint| query.pool.support(c.expr).len() == 1;
        let mut open = Vec::new();
        for (number, constraint) in query.constraints.iter().enumerate() {
            let range = known.get(&constraint.expr).map(|r| (r.low, r.high));
            let wanted = u64::from(constraint.holds);
            match range {
                Some((low, high)) if low > wanted || high < wanted => {
                    return Answer::Unsat(core(query, domains, number));
                }
                // What the domains were made from must stay.
                Some((low, high)) if low == high && !one_byte(constraint) => {}
                _ => open.push(number),
            }
        }
        if open.len() == query.constraints.len() {
            return below.check(query, budget);
        }
        let constraints: Vec<Constraint> = open.iter().map(|i| query.constraints[*i]).collect();
        match translate(below.check(&query.of(&constraints), budget), &open) {
            Answer::Sat(mut model) => {
                // Bytes of dropped constraints alone: any value of their domain will do.
                for var in query.support() {
                    if model.get(var).is_none() {
                        let seed = query.seed_byte(var);
                        model.set(var, domains.get(var).nearest(seed).unwrap_or(seed));
                    }
                }
                Answer::Sat(model)
            }
            answer => answer,
        }
    }
}
