//! Questions to the solvers, and unsat answers that two of them gave.
//!
//! In: constraints over the bytes of a shape. Out: a test case on which they hold, that there is none, or why it is not known.
//!
//! Always holds: a test case has been evaluated on the constraints; `Never` was said by the bit-blaster on CaDiCaL and by Z3, each alone and
//! from the constraints themselves, without the layers above them. Where only one could, the answer says so.

use crate::names::Names;
use parallax_execute::TestCase;
use parallax_solve::layers::{BitBlast, Z3Kind, Z3};
use parallax_solve::{
    standard_stack, Answer, Constraint, ExprId, Limit, Pool, Query, Solver, Stack, Unknown, Var,
};
use std::time::{Duration, Instant};

/// What an answer may cost.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub steps: u64,
    pub time: Duration,
    /// Nodes of the largest formula that is asked about.
    pub formula: usize,
    pub deadline: Instant,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    Holds(Box<TestCase>),
    /// On no input; both solvers say so.
    Never,
    Unknown(String),
}

/// What was asked and answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub queries: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Unsat answers that both solvers gave.
    pub confirmed: u64,
    /// That one gave and the other could not, and that the other contradicted.
    pub unconfirmed: u64,
    pub contradicted: u64,
    pub steps: u64,
}

/// See the module.
pub struct Prover {
    stack: Stack,
    sat: Stack,
    smt: Stack,
    effort: Effort,
    pub counters: Counters,
}

/// Gates of one formula.
const GATES: usize = 20_000_000;

impl Prover {
    pub fn new(effort: Effort) -> Prover {
        Prover {
            stack: standard_stack(&parallax_solve::Settings::default()),
            sat: Stack::new(vec![Box::new(BitBlast::new(GATES, 1.0, 0))]),
            smt: Stack::new(vec![Box::new(Z3::new(1.0, Z3Kind::Logic))]),
            effort,
            counters: Counters::default(),
        }
    }

    /// Is there an input, near `test`, on which all of these hold and none of `not`?
    pub fn ask(
        &mut self,
        pool: &Pool,
        names: &Names,
        test: &TestCase,
        all: &[ExprId],
        not: &[ExprId],
    ) -> Proof {
        let constraints: Vec<Constraint> = all
            .iter()
            .map(|e| Constraint::is(*e))
            .chain(not.iter().map(|e| Constraint::is(*e).negated()))
            .collect();
        self.counters.queries += 1;
        let roots: Vec<ExprId> = constraints.iter().map(|c| c.expr).collect();
        let size = pool.cone(&roots).len();
        if size > self.effort.formula {
            self.counters.unknown += 1;
            return Proof::Unknown(format!(
                "its formula has {size} nodes, more than --max-formula {}",
                self.effort.formula
            ));
        }
        let seed = |var: Var| names.byte(test, var);
        let query = Query::new(pool, &constraints, &seed);
        let answer = self.stack.check(&query, &limit(&self.effort));
        self.counters.steps += self.stack.spent();
        match answer {
            Answer::Sat(model) => {
                self.counters.sat += 1;
                Proof::Holds(Box::new(names.apply(test, &model, &query)))
            }
            Answer::Unsat(core) => {
                self.counters.unsat += 1;
                let core: Vec<Constraint> = core.iter().map(|i| constraints[*i]).collect();
                self.confirm(&Query::new(pool, &core, &seed))
            }
            Answer::Unknown(why) => {
                self.counters.unknown += 1;
                Proof::Unknown(reason(why).to_owned())
            }
        }
    }

    /// Both solvers, each alone.
    fn confirm(&mut self, query: &Query) -> Proof {
        let mut answers = [&mut self.sat, &mut self.smt].map(|solver| {
            let answer = solver.check(query, &limit(&self.effort));
            self.counters.steps += solver.spent();
            answer
        });
        let counters = &mut self.counters;
        match &mut answers {
            [Answer::Unsat(_), Answer::Unsat(_)] => {
                counters.confirmed += 1;
                Proof::Never
            }
            [Answer::Sat(_), _] | [_, Answer::Sat(_)] => {
                counters.contradicted += 1;
                Proof::Unknown("the solvers contradict one another: a bug in one of them".to_owned())
            }
            _ => {
                counters.unconfirmed += 1;
                Proof::Unknown("only one of the two solvers could show it".to_owned())
            }
        }
    }
}

fn limit(effort: &Effort) -> Limit {
    let left = effort.deadline.saturating_duration_since(Instant::now());
    Limit { steps: effort.steps, time: effort.time.min(left) }
}

fn reason(why: Unknown) -> &'static str {
    match why {
        Unknown::Limit => "the solvers reached their limit (--query-steps)",
        Unknown::Late => "the solvers ran out of time (--query-time)",
        Unknown::Size => "the formula is larger than the solvers are given",
        Unknown::GaveUp => "no solver could say",
        Unknown::WrongModel => "a solver gave a wrong model: a bug in it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_trace::format::Op;
    use parallax_trace::request::Source;

    #[test]
    fn unsat_is_said_by_both_solvers_and_sat_by_a_test_case() {
        let (mut pool, mut names) = (Pool::new(), Names::default());
        let input = names.number(&Source::Stdin);
        let [a, b] = [0, 1].map(|offset| pool.byte(Var { input, offset }));
        let sum = pool.binary(Op::Add, a, b);
        let product = pool.binary(Op::Mul, a, b);
        let (nine, odd) = (pool.eq_const(sum, 9), pool.eq_const(product, 15));
        let deadline = Instant::now() + Duration::from_secs(60);
        let effort = Effort { steps: 100_000_000, time: Duration::from_secs(30), formula: 1000, deadline };
        let mut prover = Prover::new(effort);
        let test = TestCase { stdin: vec![0, 0], ..TestCase::default() };
        // Of a sum of 9 one part is even, and so is the product.
        assert_eq!(prover.ask(&pool, &names, &test, &[nine, odd], &[]), Proof::Never);
        let Proof::Holds(found) = prover.ask(&pool, &names, &test, &[nine], &[odd]) else { panic!() };
        assert_eq!(found.stdin[0].wrapping_add(found.stdin[1]), 9);
        assert_eq!((prover.counters.confirmed, prover.counters.sat), (1, 1));
        let mut small = Prover::new(Effort { formula: 2, ..effort });
        let Proof::Unknown(why) = small.ask(&pool, &names, &test, &[nine, odd], &[]) else { panic!() };
        assert!(why.contains("--max-formula"));
    }
}
