//! Reads back the scripts that [`crate::smtlib`] writes.
//!
//! In: text. Out: a query: constraints in a pool, and the seed's values.
//!
//! Always holds: anything that is not such a script is an error with its reason, never a panic.

use crate::expr::{ExprId, TableId, Var};
use crate::pool::Pool;
use crate::query::Constraint;
use parallax_trace::float::fits;
use parallax_trace::format::Op;
use parallax_trace::smtlib::real::from_symbol;
use std::collections::BTreeMap;
use std::collections::HashMap;
use thiserror::Error;

/// Why a text is not a recorded query.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    #[error(
        "the script ends inside a list, or has a closing parenthesis too many: it may have been cut off"
    )]
    Unbalanced,
    #[error("lists are nested too deeply for a recorded query")]
    Depth,
    #[error("not something that a recorded query has: {0}")]
    Form(String),
    #[error("{0} is used before it is defined")]
    Undefined(String),
}

/// Deepest nesting of lists: tables nest by the logarithm of their length, everything else hardly.
const MAX_DEPTH: usize = 100;

#[derive(Clone, Debug)]
enum Sexp {
    Atom(String),
    List(Vec<Sexp>),
}

impl Sexp {
    fn atom(&self) -> Option<&str> {
        match self {
            Sexp::Atom(text) => Some(text),
            Sexp::List(_) => None,
        }
    }

    fn list(&self) -> &[Sexp] {
        match self {
            Sexp::Atom(_) => &[],
            Sexp::List(items) => items,
        }
    }

    fn form(&self) -> ReadError {
        let mut text = format!("{self:?}");
        text.truncate(text.char_indices().nth(120).map_or(text.len(), |(at, _)| at));
        ReadError::Form(text)
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            ';' => while chars.next().is_some_and(|c| c != '\n') {},
            '(' | ')' => tokens.push(c.to_string()),
            '|' | '"' => {
                let inner: String = chars.by_ref().take_while(|d| *d != c).collect();
                tokens.push(format!("{c}{inner}"));
            }
            c => {
                let mut token = c.to_string();
                while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !"();|\"".contains(*c)) {
                    token.push(c);
                }
                tokens.push(token);
            }
        }
    }
    tokens
}

fn parse(text: &str) -> Result<Vec<Sexp>, ReadError> {
    let mut open: Vec<Vec<Sexp>> = vec![Vec::new()];
    for token in tokens(text) {
        let item = match token.as_str() {
            "(" if open.len() > MAX_DEPTH => return Err(ReadError::Depth),
            "(" => {
                open.push(Vec::new());
                continue;
            }
            ")" => Sexp::List(open.pop().ok_or(ReadError::Unbalanced)?),
            _ => Sexp::Atom(token),
        };
        open.last_mut().ok_or(ReadError::Unbalanced)?.push(item);
    }
    let top = open.pop().ok_or(ReadError::Unbalanced)?;
    if open.is_empty() {
        Ok(top)
    } else {
        Err(ReadError::Unbalanced)
    }
}

/// A recorded query.
#[derive(Debug, Default)]
pub struct Recorded {
    pub constraints: Vec<Constraint>,
    pub seed: BTreeMap<Var, u8>,
}

/// Reads a script into a pool.
pub fn read(pool: &mut Pool, script: &str) -> Result<Recorded, ReadError> {
    let mut reader = Reader { pool, exprs: HashMap::new(), tables: HashMap::new(), vars: Vec::new() };
    let mut recorded = Recorded::default();
    let mut seed: Vec<u8> = Vec::new();
    for command in parse(script)? {
        let items = command.list();
        match (items.first().and_then(Sexp::atom), items.get(1..).unwrap_or_default()) {
            (Some("set-info"), [Sexp::Atom(key), Sexp::Atom(values)]) if key == ":seed" => {
                let values = values.trim_start_matches('"').split_whitespace().map(str::parse);
                seed = values.collect::<Result<_, _>>().map_err(|_| command.form())?;
            }
            (Some("declare-const"), [Sexp::Atom(name), _]) => {
                let var = variable(name).ok_or_else(|| command.form())?;
                reader.vars.push(var);
                let byte = reader.pool.byte(var);
                reader.exprs.insert(name.clone(), byte);
            }
            (Some("define-fun"), [Sexp::Atom(name), Sexp::List(params), _, body]) => {
                reader.define(name, params, body)?
            }
            // What a function of floating point means: the operator says it.
            (Some("assert"), [Sexp::List(named)]) if named.first().and_then(Sexp::atom) == Some("!") => {}
            (Some("declare-fun"), _) => {}
            (Some("assert"), [term]) => {
                let expr = reader.term(term)?;
                recorded.constraints.push(Constraint::is(expr));
            }
            (Some("set-logic" | "set-info" | "check-sat" | "get-model"), _) => {}
            _ => return Err(command.form()),
        }
    }
    recorded.seed = reader.vars.iter().copied().zip(seed).collect();
    Ok(recorded)
}

/// `|0[3]` (the closing bar is gone): byte 3 of input 0.
fn variable(name: &str) -> Option<Var> {
    let (input, offset) = name.strip_prefix('|')?.strip_suffix(']')?.split_once('[')?;
    Some(Var { input: input.parse().ok()?, offset: offset.parse().ok()? })
}

/// `(_ bvVALUE WIDTH)`.
fn literal(sexp: &Sexp) -> Option<(u64, u8)> {
    let [Sexp::Atom(mark), Sexp::Atom(value), Sexp::Atom(width)] = sexp.list() else { return None };
    let value = value.strip_prefix("bv").filter(|_| mark == "_")?.parse().ok()?;
    Some((value, width.parse().ok().filter(|w| (1..=64).contains(w))?))
}

struct Reader<'p> {
    pool: &'p mut Pool,
    exprs: HashMap<String, ExprId>,
    tables: HashMap<String, TableId>,
    vars: Vec<Var>,
}

impl Reader<'_> {
    fn define(&mut self, name: &str, params: &[Sexp], body: &Sexp) -> Result<(), ReadError> {
        if params.is_empty() {
            let expr = self.term(body)?;
            self.exprs.insert(name.to_owned(), expr);
        } else {
            let bytes = table(body).ok_or_else(|| body.form())?;
            let table = self.pool.add_table(&bytes);
            self.tables.insert(name.to_owned(), table);
        }
        Ok(())
    }

    fn term(&mut self, sexp: &Sexp) -> Result<ExprId, ReadError> {
        if let Some((value, width)) = literal(sexp) {
            return Ok(self.pool.constant(width, value));
        }
        match sexp {
            Sexp::Atom(name) => {
                self.exprs.get(name).copied().ok_or_else(|| ReadError::Undefined(name.clone()))
            }
            Sexp::List(items) => match items.as_slice() {
                [Sexp::Atom(op), args @ ..] => self.applied(sexp, op, args),
                [Sexp::List(op), arg] => self.indexed(sexp, op, arg),
                _ => Err(sexp.form()),
            },
        }
    }

    fn applied(&mut self, sexp: &Sexp, op: &str, args: &[Sexp]) -> Result<ExprId, ReadError> {
        if let ("distinct", [product @ Sexp::List(_), _]) = (op, args) {
            return self.of_wide_product(product, Op::UMulOverflow, Op::SMulOverflow);
        }
        let args = args.iter().map(|arg| self.term(arg)).collect::<Result<Vec<_>, _>>()?;
        if let ("ite", [c, a, b]) = (op, &args[..]) {
            let fits = self.pool.width(*c) == 1 && self.pool.width(*a) == self.pool.width(*b);
            return if fits { Ok(self.pool.ite(*c, *a, *b)) } else { Err(sexp.form()) };
        }
        if let (Some(table), [index]) = (self.tables.get(op).copied(), &args[..]) {
            let fits = self.pool.width(*index) == 64;
            return if fits { Ok(self.pool.read(table, *index, 8)) } else { Err(sexp.form()) };
        }
        if let Some((op, width, num)) = from_symbol(op) {
            return self.real(sexp, op, width, num, &args);
        }
        let (Some(op), [a, b]) = (Op::from_smtlib(op), &args[..]) else { return Err(sexp.form()) };
        let (wide, narrow) = (self.pool.width(*a), self.pool.width(*b));
        let fits = if op == Op::Concat { wide + narrow <= 64 } else { wide == narrow };
        if fits {
            Ok(self.pool.binary(op, *a, *b))
        } else {
            Err(sexp.form())
        }
    }

    /// A floating-point operator.
    fn real(
        &mut self,
        sexp: &Sexp,
        op: Op,
        width: u8,
        num: u64,
        args: &[ExprId],
    ) -> Result<ExprId, ReadError> {
        let (mut operands, mut widths) = ([None; 3], [0; 3]);
        if args.len() != op.arity() {
            return Err(sexp.form());
        }
        for (at, arg) in args.iter().enumerate() {
            (operands[at], widths[at]) = (Some(*arg), self.pool.width(*arg));
        }
        // The function's number stands behind the labels.
        if !fits(op, width, widths, [0, num as u32, num as u32]) {
            return Err(sexp.form());
        }
        Ok(self.pool.float(op, width, operands, num))
    }

    /// `((_ extract 7 0) x)` and extensions.
    fn indexed(&mut self, sexp: &Sexp, op: &[Sexp], arg: &Sexp) -> Result<ExprId, ReadError> {
        if let (Some(Sexp::Atom(extract)), Some(Sexp::Atom(bvmul))) = (op.get(1), arg.list().first()) {
            if extract == "extract" && bvmul == "bvmul" {
                return self.of_wide_product(arg, Op::UMulHigh, Op::SMulHigh);
            }
        }
        let arg = self.term(arg)?;
        let width = self.pool.width(arg);
        let words: Vec<&str> = op.iter().filter_map(Sexp::atom).collect();
        let number = |text: &str| text.parse::<u8>().ok().filter(|n| *n <= 64);
        let made = match words[..] {
            ["_", "zero_extend", more] => {
                number(more).filter(|more| width + more <= 64).map(|more| self.pool.zext(arg, width + more))
            }
            ["_", "sign_extend", more] => {
                number(more).filter(|more| width + more <= 64).map(|more| self.pool.sext(arg, width + more))
            }
            ["_", "extract", high, low] => number(high)
                .zip(number(low))
                .filter(|(high, low)| low <= high && *high < width)
                .map(|(high, low)| self.pool.extract(arg, low, high - low + 1)),
            _ => None,
        };
        made.ok_or_else(|| sexp.form())
    }

    /// `(bvmul ((_ zero_extend w) x) ((_ zero_extend w) y))`: what is asked of the product in twice the width
    /// if it is unsigned, and if it is signed.
    fn of_wide_product(&mut self, product: &Sexp, unsigned: Op, signed: Op) -> Result<ExprId, ReadError> {
        let [_, Sexp::List(x), Sexp::List(y)] = product.list() else { return Err(product.form()) };
        let ([how, x], [_, y]) = (&x[..], &y[..]) else { return Err(product.form()) };
        let op = match how.list().get(1).and_then(Sexp::atom) {
            Some("zero_extend") => unsigned,
            Some("sign_extend") => signed,
            _ => return Err(product.form()),
        };
        let (x, y) = (self.term(x)?, self.term(y)?);
        if self.pool.width(x) != self.pool.width(y) {
            return Err(product.form());
        }
        Ok(self.pool.binary(op, x, y))
    }
}

/// Tables of a trace are no longer than this.
const MAX_TABLE: u64 = 1 << 24;

/// The entries of a table from its decision tree.
fn table(body: &Sexp) -> Option<Vec<u8>> {
    let (len, entries, _) = decision(body)?;
    let mut bytes = vec![0; usize::try_from(len).ok().filter(|_| len <= MAX_TABLE)?];
    fill(entries, 0, &mut bytes)?;
    Some(bytes)
}

/// `(ite (bvult i BORDER) LOW HIGH)`.
fn decision(sexp: &Sexp) -> Option<(u64, &Sexp, &Sexp)> {
    let [_, condition, low, high] = sexp.list() else { return None };
    let [_, _, border] = condition.list() else { return None };
    Some((literal(border)?.0, low, high))
}

fn fill(tree: &Sexp, first: u64, bytes: &mut [u8]) -> Option<()> {
    if let Some((value, 8)) = literal(tree) {
        bytes.fill(value as u8);
        return Some(());
    }
    let (border, low, high) = decision(tree)?;
    let middle = usize::try_from(border.checked_sub(first)?).ok()?;
    let (left, right) = bytes.split_at_mut_checked(middle)?;
    fill(low, first, left)?;
    fill(high, border, right)
}
