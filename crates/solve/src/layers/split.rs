//! Takes constraints apart: conjunctions into their parts, negations into what they negate.
//!
//! In: any query. Out: below, the same query in smaller pieces, without repetitions and without what is
//! true anyway; or unsat, if a piece is false or the negation of another.

use super::translate;
use crate::expr::ExprId;
use crate::pool::Pool;
use crate::query::{Answer, Budget, Constraint, Query};
use crate::stack::{Below, Layer};
use parallax_trace::format::Op;
use rustc_hash::FxHashMap;

/// See the module.
pub struct Split;

/// One piece, or several pieces that all have to hold.
enum Piece {
    Whole,
    Decided(bool),
    Parts(Vec<Constraint>),
}

fn piece(pool: &Pool, constraint: Constraint) -> Piece {
    let Constraint { expr, holds } = constraint;
    let node = pool.node(expr);
    let [a, b, _] = node.args;
    match node.op {
        Op::Const => Piece::Decided((node.num == 1) == holds),
        Op::Xor if pool.as_const(b) == Some(1) => Piece::Parts(vec![Constraint { expr: a, holds: !holds }]),
        Op::And if holds => Piece::Parts(vec![Constraint::is(a), Constraint::is(b)]),
        Op::Or if !holds => Piece::Parts(vec![Constraint { expr: a, holds }, Constraint { expr: b, holds }]),
        _ => Piece::Whole,
    }
}

impl Layer for Split {
    fn name(&self) -> &'static str {
        "split"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        let mut seen: FxHashMap<ExprId, (bool, usize)> = FxHashMap::default();
        let (mut pieces, mut origin) = (Vec::new(), Vec::new());
        for (number, whole) in query.constraints.iter().enumerate() {
            let mut pending = vec![*whole];
            while let Some(constraint) = pending.pop() {
                match piece(query.pool, constraint) {
                    Piece::Decided(true) => {}
                    Piece::Decided(false) => return Answer::Unsat(vec![number]),
                    Piece::Parts(parts) => pending.extend(parts),
                    Piece::Whole => match seen.get(&constraint.expr) {
                        Some((holds, _)) if *holds == constraint.holds => {}
                        Some((_, earlier)) => {
                            return translate(Answer::Unsat(vec![0, 1]), &[*earlier, number])
                        }
                        None => {
                            seen.insert(constraint.expr, (constraint.holds, number));
                            pieces.push(constraint);
                            origin.push(number);
                        }
                    },
                }
            }
        }
        if pieces.is_empty() {
            return Answer::Sat(query.support().into_iter().map(|v| (v, query.seed_byte(v))).collect());
        }
        match translate(below.check(&query.of(&pieces), budget), &origin) {
            Answer::Sat(mut model) => {
                // A byte of a part that is true anyway is in no piece.
                for var in query.support() {
                    if model.get(var).is_none() {
                        model.set(var, query.seed_byte(var));
                    }
                }
                Answer::Sat(model)
            }
            answer => answer,
        }
    }
}
