//! Can the outputs of two runs differ?
//!
//! In: the outputs of both versions on one pair of paths. Out: an expression that is true where they differ.
//!
//! Channels are standard output, standard error, the exit status, and every other descriptor. On a pair of paths the length of each channel is
//! fixed; where the lengths differ, the outputs do so on every input.

use crate::names::Names;
use crate::trail::Trail;
use parallax_solve::{ExprId, Pool};
use parallax_trace::format::{Op, OUTPUT_EXIT};
use std::collections::BTreeSet;

/// Longest expression of one output byte that is shown, in operators and leaves.
const SHORT: usize = 12;
/// Most bytes of a channel that are shown.
const SHOWN: usize = 120;

/// True where the outputs differ.
pub fn differ(old: &Trail, new: &Trail, pool: &mut Pool) -> ExprId {
    let mut result = pool.truth(false);
    let channels: BTreeSet<u32> = old.outputs.keys().chain(new.outputs.keys()).copied().collect();
    for channel in channels {
        let bytes = |trail: &'_ Trail| trail.outputs.get(&channel).cloned().unwrap_or_default();
        let (a, b) = (bytes(old), bytes(new));
        if a.len() != b.len() {
            return pool.truth(true);
        }
        for (x, y) in a.into_iter().zip(b).filter(|(x, y)| x != y) {
            let differs = pool.binary(Op::Ne, x, y);
            result = pool.binary(Op::Or, result, differs);
        }
    }
    result
}

/// What is printed, for people: text as text, bytes that depend on the input as expressions.
pub fn shown(trail: &Trail, pool: &Pool, names: &Names) -> Vec<(u32, String)> {
    let channel = |(fd, bytes): (&u32, &Vec<ExprId>)| {
        let text = match (*fd, &bytes[..]) {
            (OUTPUT_EXIT, [status]) => one(*status, pool, names)?,
            _ => text(bytes, pool, names)?,
        };
        Some((*fd, text))
    };
    trail.outputs.iter().filter_map(channel).collect()
}

fn one(expr: ExprId, pool: &Pool, names: &Names) -> Option<String> {
    match pool.as_const(expr) {
        Some(value) => Some(value.to_string()),
        None => formula(expr, pool, names),
    }
}

fn text(bytes: &[ExprId], pool: &Pool, names: &Names) -> Option<String> {
    if bytes.len() > SHOWN {
        return None;
    }
    let mut parts = Vec::new();
    let mut plain: Vec<u8> = Vec::new();
    let quoted = |plain: &[u8]| format!("\"{}\"", plain.escape_ascii());
    for byte in bytes {
        if let Some(value) = pool.as_const(*byte) {
            plain.push(value as u8);
            continue;
        }
        if !plain.is_empty() {
            parts.push(quoted(&std::mem::take(&mut plain)));
        }
        parts.push(formula(*byte, pool, names)?);
    }
    if !plain.is_empty() || parts.is_empty() {
        parts.push(quoted(&plain));
    }
    Some(parts.join(" "))
}

/// An expression in the notation of C, if it is short.
pub fn formula(expr: ExprId, pool: &Pool, names: &Names) -> Option<String> {
    (pool.cone(&[expr]).len() <= SHORT).then(|| infix(expr, pool, names))
}

fn infix(expr: ExprId, pool: &Pool, names: &Names) -> String {
    let node = pool.node(expr);
    let args: Vec<String> = node.operands().iter().map(|arg| infix(*arg, pool, names)).collect();
    let width = node.operands().first().map_or(node.width, |arg| pool.width(*arg));
    let binary = |operator: &str| format!("({} {operator} {})", args[0], args[1]);
    match node.op {
        Op::Const => node.num.to_string(),
        Op::Input => {
            let var = pool.support(expr).first().map(|var| pool.var(*var));
            var.map_or_else(|| "?".to_owned(), |var| names.shown(var))
        }
        Op::ZExt => args[0].clone(),
        Op::SExt => format!("i{width}({})", args[0]),
        Op::Extract if node.num == 0 => format!("u{}({})", node.width, args[0]),
        Op::Extract => format!("u{}({} >> {})", node.width, args[0], node.num),
        Op::Ite => format!("({} ? {} : {})", args[0], args[1], args[2]),
        Op::Read => format!("T{}[{}]", node.num, args[0]),
        op => match operator(op) {
            Some(operator) => binary(operator),
            None => format!("{op:?}({})", args.join(", ")),
        },
    }
}

fn operator(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::UDiv => "/",
        Op::SDiv => "/s",
        Op::URem => "%",
        Op::SRem => "%s",
        Op::Shl => "<<",
        Op::LShr => ">>",
        Op::AShr => ">>s",
        Op::And => "&",
        Op::Or => "|",
        Op::Xor => "^",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Ult => "<",
        Op::Ule => "<=",
        Op::Slt => "<s",
        Op::Sle => "<=s",
        _ => return None,
    })
}
