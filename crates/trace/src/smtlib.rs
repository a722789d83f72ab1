//! The path condition as an SMT-LIB 2 script.
//!
//! In: a trace and its conditions. Out: text that any solver with `QF_BV` accepts (with `ALL`, where there is floating point: see [`real`]): one constant for each
//! input byte (`|stdin[3]|`), one definition for each node (`n12`), one function for each table (`t0`), one
//! assertion for each condition.
//!
//! Always holds: the script means exactly what [`crate::eval`] computes; its length is linear in the
//! nodes that the conditions are made of and the tables they read. Booleans are vectors of one bit.

pub mod real;

use crate::format::*;
use crate::formula::input_name;
use crate::path::{Condition, Expect, Origin};
use crate::reader::{Table, Trace};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The whole script. `place` says where a site is in the source, for the comments.
pub fn script(trace: &Trace, conditions: &[Condition], place: &dyn Fn(u32) -> String) -> String {
    let labels: Vec<Label> = conditions.iter().map(|c| c.label).collect();
    let is_float = |label: &Label| trace.node(*label).is_some_and(|(op, _)| op.is_float());
    let has_floats = cone(trace, &labels).iter().any(is_float);
    let mut out = format!("(set-logic {})\n", if has_floats { "ALL" } else { "QF_BV" });
    out.push_str(&definitions(trace, &labels));
    for condition in conditions {
        let what = match condition.origin {
            Origin::Branch => "branch",
            Origin::Switch => "switch",
            Origin::Guard(_) => "guard",
            Origin::Pin(_) => "made concrete",
        };
        // A comment ends at the end of its line.
        let place = place(condition.site).replace(['\n', '\r'], " ");
        let _ = writeln!(out, "; {what} at {place}");
        let _ = writeln!(out, "(assert {})", assertion(trace, condition.label, &condition.expect));
    }
    out.push_str("(check-sat)\n(get-model)\n");
    out
}

/// Declarations and definitions of everything that `labels` are made of.
pub fn definitions(trace: &Trace, labels: &[Label]) -> String {
    let mut out = String::new();
    let mut tables = BTreeSet::new();
    let mut functions = BTreeSet::new();
    for label in cone(trace, labels) {
        // Labels of a cone have nodes.
        let Some((op, node)) = trace.node(label) else { continue };
        if op.is_float() {
            let declaration =
                real::declaration(op, node.width, operand_width(trace, node), real_number(op, node));
            if functions.insert(declaration.clone()) {
                let _ = writeln!(out, "{declaration}");
            }
        }
        if op == Op::Read && tables.insert(node.b) {
            if let Some(table) = trace.table(node.b) {
                let body = table_tree(&table, 0, table.bytes.len());
                let _ = writeln!(out, "(define-fun t{} ((i (_ BitVec 64))) (_ BitVec 8) {body})", node.b);
            }
        }
        let _ = match op {
            Op::Input => writeln!(
                out,
                "(declare-const {name} (_ BitVec 8))\n(define-fun n{label} () (_ BitVec 8) {name})",
                name = byte_symbol(trace, node.a, node.b)
            ),
            _ => {
                writeln!(out, "(define-fun n{label} () (_ BitVec {}) {})", node.width, term(trace, op, node))
            }
        };
        if let Some(axiom) = float_axiom(trace, label, op, node) {
            let _ = writeln!(out, "(assert (! {axiom} :named meaning{label}))");
        }
    }
    out
}

/// What a condition asks of its label, as a Boolean term.
pub fn assertion(trace: &Trace, label: Label, expect: &Expect) -> String {
    let width = trace.nodes().get(label as usize).map_or(1, |n| n.width);
    match expect {
        Expect::Equals(value) => format!("(= n{label} {})", literal(*value, width)),
        Expect::NoneOf(values) => {
            let mut text = String::from("(and true");
            for value in values {
                let _ = write!(text, " (not (= n{label} {}))", literal(*value, width));
            }
            text + ")"
        }
    }
}

/// The name of an input byte: `|stdin[3]|`.
pub fn byte_symbol(trace: &Trace, input: u32, offset: u32) -> String {
    let name = trace.inputs().get(input as usize).map_or_else(|| format!("input{input}"), input_name);
    // A quoted symbol may hold neither of these.
    let name = name.replace('%', "%25").replace('|', "%7c").replace('\\', "%5c");
    format!("|{name}[{offset}]|")
}

/// A constant.
pub fn literal(value: u64, width: u8) -> String {
    format!("(_ bv{} {width})", value & mask(width))
}

/// All labels that these are made of, ascending.
fn cone(trace: &Trace, labels: &[Label]) -> Vec<Label> {
    let mut needed = vec![false; trace.nodes().len()];
    for label in labels {
        if let Some(needed) = needed.get_mut(*label as usize) {
            *needed = true;
        }
    }
    for label in (1..needed.len()).rev() {
        if needed[label] {
            trace.operands(label as Label, &mut |operand| needed[operand as usize] = true);
        }
    }
    (1..needed.len()).filter(|l| needed[*l]).map(|l| l as Label).collect()
}

fn operand_width(trace: &Trace, node: &Node) -> u8 {
    trace.nodes().get(node.a as usize).map_or(1, |n| n.width)
}

/// The number that belongs to the operator: of a function, of a conversion with the place of a byte above it.
fn real_number(op: Op, node: &Node) -> u64 {
    match op {
        Op::FText => u64::from(node.c) << 32 | u64::from(node.b),
        Op::FMath1 | Op::FTextLen => node.b.into(),
        Op::FMath2 => node.c.into(),
        _ => 0,
    }
}

fn float_axiom(trace: &Trace, label: Label, op: Op, node: &Node) -> Option<String> {
    if !op.is_float() {
        return None;
    }
    let [a, b, c] = [node.a, node.b, node.c].map(|label| format!("n{label}"));
    let second = trace.node(node.b).filter(|(op, _)| *op == Op::Const).map(|(_, n)| n.value);
    let (from, num) = (operand_width(trace, node), real_number(op, node));
    real::axiom(op, node.width, from, num, &format!("n{label}"), [&a, &b, &c], second)
}

fn term(trace: &Trace, op: Op, node: &Node) -> String {
    let operand_width = operand_width(trace, node);
    let [a, b, c] = [node.a, node.b, node.c].map(|label| format!("n{label}"));
    match op {
        Op::Const => literal(node.value, node.width),
        Op::Input => byte_symbol(trace, node.a, node.b),
        Op::Read => read_term(&format!("t{}", node.b), &a, node.width),
        Op::Extract => application(op, node.width, operand_width, node.b.into(), [&a, "", ""]),
        _ => application(op, node.width, operand_width, real_number(op, node), [&a, &b, &c]),
    }
}

/// An operator applied to terms: the one place that says how each is written. `low`: the lowest bit of an
/// extraction, or the number that belongs to a floating-point operator. Leaves and reads are not applications.
pub fn application(op: Op, width: u8, operand_width: u8, low: u64, args: [&str; 3]) -> String {
    let [a, b, c] = args;
    let bit = |condition: String| format!("(ite {condition} (_ bv1 1) (_ bv0 1))");
    if op.is_float() {
        return real::application(op, width, operand_width, low, args);
    }
    match (op, op.smtlib()) {
        (_, Some(name)) if op.is_comparison() => bit(format!("({name} {a} {b})")),
        (_, Some(name)) => format!("({name} {a} {b})"),
        (Op::ZExt, _) => format!("((_ zero_extend {}) {a})", width - operand_width),
        (Op::SExt, _) => format!("((_ sign_extend {}) {a})", width - operand_width),
        (Op::Extract, _) => format!("((_ extract {} {low}) {a})", low + u64::from(width) - 1),
        (Op::Ite, _) => format!("(ite (= {a} (_ bv1 1)) {b} {c})"),
        (Op::UMulOverflow, _) => bit(overflow_term("zero_extend", a, b, operand_width)),
        (Op::SMulOverflow, _) => bit(overflow_term("sign_extend", a, b, operand_width)),
        (Op::UMulHigh, _) => high_term("zero_extend", a, b, operand_width),
        (Op::SMulHigh, _) => high_term("sign_extend", a, b, operand_width),
        _ => literal(0, width),
    }
}

/// The product in twice the width is not the product in the width, extended.
fn overflow_term(extend: &str, a: &str, b: &str, width: u8) -> String {
    let wide = |term: &str| format!("((_ {extend} {width}) {term})");
    format!("(distinct (bvmul {} {}) {})", wide(a), wide(b), wide(&format!("(bvmul {a} {b})")))
}

/// The upper half of the product in twice the width.
fn high_term(extend: &str, a: &str, b: &str, width: u8) -> String {
    let wide = |term: &str| format!("((_ {extend} {width}) {term})");
    // Twice 64 does not fit: the highest bit is counted in a wider type.
    let highest = 2 * u16::from(width) - 1;
    format!("((_ extract {highest} {width}) (bvmul {} {}))", wide(a), wide(b))
}

/// The bytes of a table read, the last one on top. `table`: name of the table's function.
pub fn read_term(table: &str, index: &str, width: u8) -> String {
    let byte = |i: u8| match i {
        0 => format!("({table} {index})"),
        _ => format!("({table} (bvadd {index} {}))", literal(i.into(), 64)),
    };
    (1..width / 8).fold(byte(0), |low, i| format!("(concat {} {low})", byte(i)))
}

/// Entries `from..to` of a table as a balanced decision tree over the index `i`; 0 beyond the end.
fn table_tree(table: &Table, from: usize, to: usize) -> String {
    let inner = entry_tree(table, from, to);
    format!("(ite (bvult i {}) {inner} (_ bv0 8))", literal(to as u64, 64))
}

fn entry_tree(table: &Table, from: usize, to: usize) -> String {
    let entry = |i: usize| match table.label(i) {
        0 => literal(table.bytes[i].into(), 8),
        label => format!("n{label}"),
    };
    if from >= to {
        return literal(0, 8);
    }
    let first = entry(from);
    if (from + 1..to).all(|i| entry(i) == first) {
        return first;
    }
    let middle = from.midpoint(to);
    let (low, high) = (entry_tree(table, from, middle), entry_tree(table, middle, to));
    format!("(ite (bvult i {}) {low} {high})", literal(middle as u64, 64))
}
