//! Z3, through its C interface. With `z3_real` the only one that names it.
//!
//! In: a query. Out: a model, or unsat with Z3's core; where its limits end the search, the answer from below.

use crate::bytes::truth_table;
use crate::expr::*;
use crate::lookup::{index_bits, lookup};
use crate::pool::{Bytes, Pool};
use crate::query::{Answer, Budget, Model, Query};
use crate::stack::{Below, Layer};
use parallax_trace::format::Op;
use rustc_hash::FxHashMap;
use std::sync::mpsc;
use std::time::Duration;
use z3::ast::{Ast, Bool, BV};
use z3::{Context, Params, SatResult, Solver, StatisticsValue, Tactic};

/// Terms that are remembered between queries before all are dropped.
const KEEP_TERMS: usize = 200_000;

/// Steps of a term, and of a unit of Z3's resource count.
const STEPS_PER_TERM: u64 = 400;
const STEPS_PER_UNIT: u64 = 20;

/// Between two interrupts of a search that goes on after its last resort.
const INTERRUPT_AGAIN: Duration = Duration::from_millis(5);

/// Z3 tells apart Booleans and vectors of one bit; a term of one bit is kept as what it was made as.
#[derive(Clone)]
enum Term {
    Truth(Bool),
    Bits(BV),
}

impl Term {
    fn truth(&self) -> Bool {
        match self {
            Term::Truth(truth) => truth.clone(),
            Term::Bits(bits) => Ast::eq(bits, BV::from_u64(1, 1)),
        }
    }

    fn bits(&self) -> BV {
        match self {
            Term::Truth(truth) => truth.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
            Term::Bits(bits) => bits.clone(),
        }
    }
}

/// Which of Z3's solvers is asked. `docs/decisions/0010-solvers-on-recorded-queries.md` compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Z3Kind {
    /// The one that Z3 chooses for `QF_BV`.
    Logic,
    /// The one that Z3 makes without being told anything.
    General,
    /// A chain of tactics: simplify, propagate values, solve equations, bit-blast, SAT.
    Tactics,
}

impl Z3Kind {
    fn solver(self) -> Option<Solver> {
        match self {
            Z3Kind::Logic => Solver::new_for_logic("QF_BV"),
            Z3Kind::General => Some(Solver::new()),
            Z3Kind::Tactics => {
                let steps = ["propagate-values", "solve-eqs", "bit-blast", "sat"];
                let chain = |first: Tactic, name: &&str| first.and_then(&Tactic::new(name));
                Some(steps.iter().fold(Tactic::new("simplify"), chain).solver())
            }
        }
    }
}

/// See the module.
pub struct Z3 {
    share: f64,
    kind: Z3Kind,
    terms: FxHashMap<ExprId, Term>,
    vars: FxHashMap<VarId, BV>,
}

impl Z3 {
    /// `share`: part of what is left of the limit that it may use.
    pub fn new(share: f64, kind: Z3Kind) -> Z3 {
        Z3 { share, kind, terms: FxHashMap::default(), vars: FxHashMap::default() }
    }

    /// The answer, if there is one within the limits.
    fn solve(&mut self, query: &Query, budget: &Budget) -> Option<Answer> {
        let budget = budget.share(self.share);
        if self.terms.len() > KEEP_TERMS {
            self.forget();
        }
        if !self.translate(query, &budget) {
            return None;
        }
        let solver = self.kind.solver()?;
        let mut params = Params::new();
        // Interrupts are the engine's, also while Z3 works.
        params.set_bool("ctrl_c", false);
        let units = (budget.left() / STEPS_PER_UNIT).clamp(1, u64::from(u32::MAX));
        params.set_u32("rlimit", units as u32);
        solver.set_params(&params);
        let names: Vec<Bool> =
            (0..query.constraints.len()).map(|i| Bool::new_const(format!("c{i}"))).collect();
        for (constraint, name) in query.constraints.iter().zip(&names) {
            // The whole cone has terms.
            let truth = self.terms.get(&constraint.expr)?.truth();
            solver.assert(name.implies(if constraint.holds { truth } else { truth.not() }));
        }
        let before = resources(&solver);
        let result = check_within(&budget, &solver, &names);
        budget.spend(u64::from(resources(&solver).wrapping_sub(before)) * STEPS_PER_UNIT);
        match result {
            SatResult::Sat => {
                let answer = self.model(query, &solver);
                answer.filter(|answer| !matches!(answer, Answer::Sat(model) if !query.holds_on(model)))
            }
            SatResult::Unsat => {
                let core = solver.get_unsat_core();
                // A solver made of tactics names no core: then it is all of them.
                let named = |name: &Bool| core.is_empty() || core.iter().any(|c| c.ast_eq(name));
                Some(Answer::Unsat((0..names.len()).filter(|i| named(&names[*i])).collect()))
            }
            SatResult::Unknown => None,
        }
    }

    /// Makes terms of everything in the query; `false` if the budget is over before.
    fn translate(&mut self, query: &Query, budget: &Budget) -> bool {
        let roots: Vec<ExprId> = query.constraints.iter().map(|c| c.expr).collect();
        // A few at a time, so that the end of the budget is seen.
        for part in query.pool.cone(&roots).chunks(1024) {
            for id in part {
                if !self.terms.contains_key(id) {
                    let term = self.step(query.pool, *id);
                    self.terms.insert(*id, term);
                    budget.spend(STEPS_PER_TERM);
                }
            }
            if budget.is_over() {
                return false;
            }
        }
        true
    }

    fn model(&self, query: &Query, solver: &Solver) -> Option<Answer> {
        let model = solver.get_model()?;
        let value = |var: VarId| {
            let term = self.vars.get(&var)?;
            Some((var, model.eval(term, true)?.as_u64()? as u8))
        };
        query.support().into_iter().map(value).collect::<Option<Model>>().map(Answer::Sat)
    }

    fn var(&mut self, var: VarId) -> BV {
        self.vars.entry(var).or_insert_with(|| BV::new_const(format!("b{}", var.0), 8)).clone()
    }

    fn step(&mut self, pool: &Pool, id: ExprId) -> Term {
        let node = pool.node(id);
        match node.op {
            Op::Const => return Term::Bits(BV::from_u64(node.num, node.width.into())),
            Op::Input => return Term::Bits(self.var(VarId(node.num as u32))),
            Op::Read => return Term::Bits(self.read(pool, id)),
            // Any bits: a model has to be evaluated.
            op if op.is_float() => return Term::Bits(BV::new_const(format!("f{}", id.0), node.width.into())),
            _ => {}
        }
        // Operands come first in a cone.
        let args: Vec<&Term> = node.operands().iter().filter_map(|arg| self.terms.get(arg)).collect();
        if node.width == 1 {
            if let Some(truth) = truth(node.op, &args) {
                return Term::Truth(truth);
            }
        }
        Term::Bits(bits(pool, node, &args))
    }

    fn read(&mut self, pool: &Pool, id: ExprId) -> BV {
        let node = pool.node(id);
        let constant = |value: u64| BV::from_u64(value, node.width.into());
        if let Bytes::One(var) = pool.bytes(id) {
            let values = truth_table(pool, id);
            return choice(&self.var(var), 8, &|i| constant(values[i as usize]));
        }
        let table = pool.table(TableId(node.num as u32)).clone();
        let value = |i: u64| constant(read_table(&table, i, node.width));
        // Operands come first in a cone.
        let index = self.terms.get(&node.args[0]).map_or_else(|| BV::from_u64(0, 64), Term::bits);
        let inside = choice(&index, index_bits(table.len()), &value);
        let length = BV::from_u64(table.len() as u64, 64);
        let mut result = index.bvult(&length).ite(&inside, &constant(0));
        // Reads of several bytes that begin just below 2^64 go on at 0.
        for before in 1..u64::from(node.width / 8) {
            let at = before.wrapping_neg();
            result = Ast::eq(&index, BV::from_u64(at, 64)).ite(&value(at), &result);
        }
        result
    }
}

/// The value at the number that the lowest bits of the index are.
fn choice(index: &BV, bits: usize, value: &dyn Fn(u64) -> BV) -> BV {
    let one = BV::from_u64(1, 1);
    let tests: Vec<Bool> = (0..bits as u32).map(|bit| Ast::eq(&index.extract(bit, bit), &one)).collect();
    lookup(bits, &mut |i| value(i), &mut |bit, high: BV, low| tests[bit].ite(&high, &low))
}

/// Operators whose result is a Boolean of Z3.
fn truth(op: Op, args: &[&Term]) -> Option<Bool> {
    let (a, b) = (|| args[0].bits(), || args[1].bits());
    let no_overflow = |signed| a().bvmul_no_overflow(&b(), signed);
    Some(match op {
        Op::Eq => Ast::eq(&a(), b()),
        Op::Ne => Ast::eq(&a(), b()).not(),
        Op::Ult => a().bvult(b()),
        Op::Ule => a().bvule(b()),
        Op::Slt => a().bvslt(b()),
        Op::Sle => a().bvsle(b()),
        Op::And => Bool::and(&[args[0].truth(), args[1].truth()]),
        Op::Or => Bool::or(&[args[0].truth(), args[1].truth()]),
        Op::Xor => args[0].truth().xor(args[1].truth()),
        Op::Ite => args[0].truth().ite(&args[1].truth(), &args[2].truth()),
        Op::UMulOverflow => no_overflow(false).not(),
        Op::SMulOverflow => Bool::and(&[no_overflow(true), a().bvmul_no_underflow(b())]).not(),
        _ => return None,
    })
}

fn bits(pool: &Pool, node: &Node, args: &[&Term]) -> BV {
    let (a, b) = (|| args[0].bits(), || args[1].bits());
    let width = u32::from(node.width);
    let more = || width - u32::from(pool.width(node.args[0]));
    match node.op {
        Op::Add => a().bvadd(b()),
        Op::Sub => a().bvsub(b()),
        Op::Mul => a().bvmul(b()),
        Op::UDiv => a().bvudiv(b()),
        Op::SDiv => a().bvsdiv(b()),
        Op::URem => a().bvurem(b()),
        Op::SRem => a().bvsrem(b()),
        Op::Shl => a().bvshl(b()),
        Op::LShr => a().bvlshr(b()),
        Op::AShr => a().bvashr(b()),
        Op::And => a().bvand(b()),
        Op::Or => a().bvor(b()),
        Op::Xor => a().bvxor(b()),
        Op::UMulHigh => upper_half(a().zero_ext(width).bvmul(b().zero_ext(width))),
        Op::SMulHigh => upper_half(a().sign_ext(width).bvmul(b().sign_ext(width))),
        Op::ZExt => a().zero_ext(more()),
        Op::SExt => a().sign_ext(more()),
        Op::Extract => a().extract(node.num as u32 + width - 1, node.num as u32),
        Op::Concat => a().concat(b()),
        Op::Ite => args[0].truth().ite(&b(), &args[2].bits()),
        // Leaves, reads and predicates have been dealt with.
        _ => BV::from_u64(0, width),
    }
}

/// What Z3 has done so far, in its own units; begins anew after 2^32 of them.
fn resources(solver: &Solver) -> u32 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(n)) => n,
        Some(StatisticsValue::Double(n)) => n as u64 as u32,
        None => 0,
    }
}

/// Asks, and interrupts Z3 when the time of the last resort is over.
///
/// Not with Z3's own `timeout`: its timers are threads that every `fork` of this process takes down, and if other threads fork or
/// ask at that moment, memory is lost (Z3 pull request 7618; Debian's version is older).
pub(super) fn check_within(budget: &Budget, solver: &Solver, names: &[Bool]) -> SatResult {
    let context = Context::thread_local();
    let handle = context.handle();
    let (done, wait) = mpsc::channel::<()>();
    let limit = budget.time_left();
    let result = std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut pause = limit;
            // An interrupt that comes before Z3 has begun is lost, so there may be many.
            while wait.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout) {
                handle.interrupt();
                pause = INTERRUPT_AGAIN;
            }
        });
        let result = solver.check_assumptions(names);
        drop(done);
        result
    });
    // Notes that the clock has struck, if it has.
    budget.is_over();
    result
}

fn upper_half(wide: BV) -> BV {
    let bits = wide.get_size();
    wide.extract(bits - 1, bits / 2)
}

impl Layer for Z3 {
    fn name(&self) -> &'static str {
        "Z3"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        self.solve(query, budget).unwrap_or_else(|| below.check(query, budget))
    }

    fn forget(&mut self) {
        self.terms.clear();
        self.vars.clear();
    }
}
