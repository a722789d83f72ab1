//! A query as an SMT-LIB 2 script.
//!
//! In: a query. Out: text that any solver with `QF_BV` accepts (with `ALL`, where there is floating point: see
//! [`parallax_trace::smtlib::real`]): one constant for each byte (`|0[3]|`: byte 3 of
//! input 0), one definition for each expression (`e12`), one function for each table (`t0`), one assertion
//! for each constraint. The seed's values are in `(set-info :seed "…")`, in the order of the constants.
//!
//! Always holds: the script means what [`crate::eval()`] computes, and [`crate::smtlib_reader`] reads it back.

use crate::expr::*;
use crate::pool::Pool;
use crate::query::Query;
use parallax_trace::format::{mask, Op};
use parallax_trace::smtlib::{application, literal, read_term, real};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The whole script.
pub fn script(query: &Query) -> String {
    let pool = query.pool;
    let vars = query.support();
    let seed: Vec<String> = vars.iter().map(|var| query.seed_byte(*var).to_string()).collect();
    let roots: Vec<ExprId> = query.constraints.iter().map(|c| c.expr).collect();
    let has_floats = pool.cone(&roots).iter().any(|id| pool.node(*id).op.is_float());
    let logic = if has_floats { "ALL" } else { "QF_BV" };
    let mut out = format!("(set-logic {logic})\n(set-info :seed \"{}\")\n", seed.join(" "));
    for var in &vars {
        let _ = writeln!(out, "(declare-const {} (_ BitVec 8))", symbol(pool, *var));
    }
    let mut functions = BTreeSet::new();
    let mut tables = BTreeSet::new();
    for id in pool.cone(&roots) {
        let node = pool.node(id);
        if node.op == Op::Read && tables.insert(node.num) {
            let body = table_tree(pool.table(TableId(node.num as u32)));
            let _ = writeln!(out, "(define-fun t{} ((i (_ BitVec 64))) (_ BitVec 8) {body})", node.num);
        }
        if node.op.is_float() {
            let from = pool.width(node.args[0]);
            let declaration = real::declaration(node.op, node.width, from, node.num);
            if functions.insert(declaration.clone()) {
                let _ = writeln!(out, "{declaration}");
            }
        }
        let _ = writeln!(out, "(define-fun e{} () (_ BitVec {}) {})", id.0, node.width, term(pool, node));
        if let Some(axiom) = axiom(pool, id) {
            let _ = writeln!(out, "(assert (! {axiom} :named meaning{}))", id.0);
        }
    }
    for constraint in query.constraints {
        let wanted = literal(constraint.holds.into(), 1);
        let _ = writeln!(out, "(assert (= e{} {wanted}))", constraint.expr.0);
    }
    out.push_str("(check-sat)\n(get-model)\n");
    out
}

/// What a floating-point expression means.
fn axiom(pool: &Pool, id: ExprId) -> Option<String> {
    let node = pool.node(id);
    if !node.op.is_float() {
        return None;
    }
    let [a, b, c] = node.args.map(|arg| format!("e{}", arg.0));
    let second = node.operands().get(1).and_then(|arg| pool.as_const(*arg));
    let (from, name) = (pool.width(node.args[0]), format!("e{}", id.0));
    real::axiom(node.op, node.width, from, node.num, &name, [&a, &b, &c], second)
}

pub(crate) fn symbol(pool: &Pool, var: VarId) -> String {
    let Var { input, offset } = pool.var(var);
    format!("|{input}[{offset}]|")
}

fn term(pool: &Pool, node: &Node) -> String {
    let [a, b, c] = node.args.map(|arg| format!("e{}", arg.0));
    match node.op {
        Op::Const => literal(node.num & mask(node.width), node.width),
        Op::Input => symbol(pool, VarId(node.num as u32)),
        Op::Read => read_term(&format!("t{}", node.num), &a, node.width),
        _ => application(node.op, node.width, pool.width(node.args[0]), node.num, [&a, &b, &c]),
    }
}

/// A table as a balanced decision tree over the index `i`; 0 beyond the end.
fn table_tree(table: &[u8]) -> String {
    let inside = format!("(bvult i {})", literal(table.len() as u64, 64));
    format!("(ite {inside} {} (_ bv0 8))", entry_tree(table, 0))
}

fn entry_tree(entries: &[u8], first: usize) -> String {
    let value = entries.first().copied().unwrap_or(0);
    if entries.iter().all(|entry| *entry == value) {
        return literal(value.into(), 8);
    }
    let middle = entries.len() / 2;
    let (low, high) = entries.split_at(middle);
    let border = literal((first + middle) as u64, 64);
    format!("(ite (bvult i {border}) {} {})", entry_tree(low, first), entry_tree(high, first + middle))
}
