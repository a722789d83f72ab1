//! The search's side of the solver: one pool of expressions for both versions, and questions about them ([`crate::solvers`] answers them).

use crate::havoc;
use crate::numbers::{self, Form, Numbers};
pub use crate::solvers::Answer;
use crate::solvers::{Prepared, Terms};
use crate::Traced;
use parallax_execute::TestCase;
pub use parallax_solve::ExprId;
use parallax_solve::{Constraint, Limit, Pool, Program, VarId};
use parallax_trace::format::Op;
use parallax_trace::request::Source;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Bytes of an expression in the pool with its place in the tables, about.
const BYTES_OF_EXPRESSION: u64 = 128;
/// Random values tried to see whether a question is easy, and how much easier that makes it.
const GUESSES: usize = 16;
const EASIER: u64 = 8;
/// How deep in a condition its parts are weighed when it is asked how far it is from holding.
const GAP_DEPTH: u32 = 8;

/// Numbers in answers are small if they can be: no more than so many bits or what they have now, then anything.
const NUMBER_BITS: [u8; 4] = [5, 10, 20, 31];

/// Everything the search knows about expressions.
pub struct Expressions {
    /// Shared with threads that answer questions, while they do.
    pub terms: Arc<Terms>,
    /// Put numbers in the place of their digits.
    numbers: bool,
}

/// Brings the expressions of one trace into the pool.
pub struct Importer<'m> {
    pool: &'m mut Pool,
    inner: parallax_solve::Importer<'m>,
    numbers: Option<Numbers<'m>>,
    traced: &'m Traced,
    renamed: Vec<u32>,
}

/// Nodes of an expression that is looked at as a comparison of one byte.
const MAX_COMPARISON: usize = 48;

impl Expressions {
    /// `numbers`: put numbers in the place of their digits.
    pub fn new(numbers: bool) -> Expressions {
        Expressions { terms: Arc::default(), numbers }
    }

    /// Bytes that they take, about.
    pub fn bytes(&self) -> u64 {
        self.terms.pool.len() as u64 * BYTES_OF_EXPRESSION
    }

    /// For changing them.
    fn own(&mut self) -> &mut Terms {
        match Arc::get_mut(&mut self.terms) {
            Some(terms) => terms,
            None => unreachable!("the engine waits for all answers before it goes on"),
        }
    }

    /// The end. Frees the expressions beside whoever calls: that may take long.
    pub fn forget(self) {
        std::thread::spawn(move || drop(self.terms));
    }

    pub fn importer<'m>(&'m mut self, traced: &'m Traced) -> Importer<'m> {
        let with_numbers = self.numbers;
        let Terms { pool, names } = self.own();
        let renamed: Vec<u32> = traced.inputs.iter().map(|i| names.number(&i.source)).collect();
        let mut inner = parallax_solve::Importer::renamed(&traced.trace, renamed.clone());
        let numbers = match with_numbers {
            true => Numbers::find(traced, &renamed, names, pool, &mut inner),
            false => None,
        };
        Importer { pool, inner, numbers, traced, renamed }
    }

    /// The question whether there is an input near `test` on which all of these hold. `holds` do on `test`, so only those that share bytes
    /// with `wants`, directly or through others, have to be asked about. Numbers are to be small, if they can be.
    pub fn prepare(&mut self, holds: &[ExprId], wants: ExprId, test: &TestCase) -> Prepared {
        let numbers = self.relevant(holds, wants);
        let constraints: Vec<Constraint> =
            numbers.iter().map(|n| &holds[*n]).chain([&wants]).map(|e| Constraint::is(*e)).collect();
        let roots: Vec<ExprId> = constraints.iter().map(|c| c.expr).collect();
        let cost = self.terms.pool.cone(&roots).len() as u64;
        let written = self.written_in(&roots);
        let mut attempts = Vec::new();
        for bits in NUMBER_BITS.iter().filter(|_| !written.is_empty()) {
            let mut bounded = constraints.clone();
            bounded.extend(written.iter().map(|number| self.is_small(*number, *bits, test)));
            attempts.push(bounded);
        }
        attempts.push(constraints);
        Prepared { attempts, numbers, test: test.clone(), cost, about: 0, limit: Limit::default() }
    }

    /// The numbers (see [`crate::numbers`]) that expressions are about.
    fn written_in(&self, roots: &[ExprId]) -> BTreeSet<u32> {
        let supports = roots.iter().map(|e| self.terms.pool.support(*e));
        let inputs =
            supports.flat_map(|s| s.iter().map(|v| self.terms.pool.var(*v).input).collect::<Vec<_>>());
        inputs.filter(|input| self.terms.names.is_written(*input)).collect()
    }

    fn is_small(&mut self, number: u32, bits: u8, test: &TestCase) -> Constraint {
        let Terms { pool, names } = self.own();
        let now = names.value(test, number).unwrap_or(0);
        let bits = bits.max((i32::BITS - now.leading_zeros()) as u8).min(31);
        let number = numbers::variable(pool, number);
        let high = pool.extract(number, bits, 32 - bits);
        Constraint::is(pool.eq_const(high, 0))
    }

    /// The numbers of conditions that matter to a question, each expression once.
    fn relevant(&self, holds: &[ExprId], wants: ExprId) -> Vec<usize> {
        let mut path = parallax_solve::Path::new();
        let mut seen = HashSet::new();
        let mut positions = Vec::new();
        for (position, e) in holds.iter().enumerate() {
            if seen.insert(*e) {
                path.push(&self.terms.pool, Constraint::is(*e));
                positions.push(position);
            }
        }
        let numbers = path.relevant(&self.terms.pool, Constraint::is(wants));
        numbers.into_iter().map(|n| positions[n]).collect()
    }

    /// Conditions on bytes of the same inputs as `wants`, those nearest behind its last byte first.
    /// `hidden`: more bytes that belong to `wants`.
    pub fn nearest(&self, holds: &[ExprId], wants: ExprId, hidden: &[(u32, u32)]) -> Vec<usize> {
        let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
        let support = self.terms.pool.support(wants);
        let seen = support.iter().map(|v| self.terms.pool.var(*v)).map(|v| (v.input, v.offset));
        for (input, offset) in seen.chain(hidden.iter().copied()) {
            let end = ends.entry(input).or_default();
            *end = (*end).max(offset + 1);
        }
        let distance = |e: &ExprId| {
            let vars = self.terms.pool.support(*e);
            let near = vars.iter().map(|v| self.terms.pool.var(*v));
            near.filter_map(|v| Some(v.offset.abs_diff(*ends.get(&v.input)?))).min()
        };
        let mut list: Vec<(u32, usize)> =
            holds.iter().enumerate().filter_map(|(i, e)| Some((distance(e)?, i))).collect();
        // Of conditions on the same byte the last one decided.
        list.sort_by_key(|(d, i)| (*d, std::cmp::Reverse(*i)));
        list.into_iter().map(|(_, i)| i).collect()
    }

    pub fn is_constant(&self, e: ExprId) -> bool {
        self.terms.pool.as_const(e).is_some()
    }

    /// The first byte that an expression is made of, as (input, offset).
    pub fn first_byte(&self, e: ExprId) -> Option<(u32, u32)> {
        let support = self.terms.pool.support(e);
        support.iter().map(|v| self.terms.pool.var(*v)).map(|v| (v.input, v.offset)).min()
    }

    /// The byte with which it holds, if it is about one byte and holds with that value only, in upper or lower case.
    pub fn only_byte(&self, e: ExprId) -> Option<u8> {
        let mut program = Program::new(&self.terms.pool, &[e]);
        if program.vars().len() != 1 || program.len() > MAX_COMPARISON {
            return None;
        }
        let mut fits = (0..=u8::MAX).filter(|byte| program.run_one(&|_| *byte) != 0);
        let (first, more) = (fits.next()?, fits.next());
        let is_case = more.is_none_or(|other| other.eq_ignore_ascii_case(&first));
        (is_case && fits.next().is_none()).then_some(first)
    }

    /// Which input a number stands for.
    pub fn source(&self, input: u32) -> Option<Source> {
        self.terms.names.source(input).cloned()
    }

    /// How hard a question looks: its size, and much less if values tried at random near the test case answer it already.
    pub fn effort(&self, wants: ExprId, test: &TestCase, seed: u64) -> u64 {
        let mut program = Program::new(&self.terms.pool, &[wants]);
        let mut random = fastrand::Rng::with_seed(seed ^ program.len() as u64);
        let easy = (0..GUESSES).any(|_| {
            let bytes: HashMap<VarId, u8> =
                program.vars().iter().map(|v| (*v, self.guess(*v, test, &mut random))).collect();
            program.run_one(&|v| bytes[&v]) != 0
        });
        let size = program.len() as u64;
        if easy {
            size / EASIER + 1
        } else {
            size
        }
    }

    /// The present value of a byte, or another one that programs like to treat differently.
    fn guess(&self, var: VarId, test: &TestCase, random: &mut fastrand::Rng) -> u8 {
        let now = self.present(var, test);
        match random.u8(0..4) {
            0 => now,
            1 => now.wrapping_add(random.u8(0..3)).wrapping_sub(1),
            2 => havoc::SPECIAL[random.usize(..havoc::SPECIAL.len())],
            _ => random.u8(..),
        }
    }

    /// Two values of the same width that are not equal.
    pub fn differ(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.own().pool.binary(Op::Ne, a, b)
    }

    /// The value of an expression on a test case.
    pub fn value(&self, e: ExprId, test: &TestCase) -> u64 {
        Program::new(&self.terms.pool, &[e]).run_one(&|var| self.present(var, test))
    }

    /// How far a condition is from holding on a test case: 0 if it holds, otherwise how much its operands would have to change (Tracey et al. 1998).
    pub fn gap(&self, e: ExprId, test: &TestCase) -> u64 {
        match self.value(e, test) {
            0 => self.gap_to(e, true, test, GAP_DEPTH),
            _ => 0,
        }
    }

    /// The same for a condition that does not have this value.
    fn gap_to(&self, e: ExprId, wanted: bool, test: &TestCase, depth: u32) -> u64 {
        if (self.value(e, test) != 0) == wanted {
            return 0;
        }
        let node = *self.terms.pool.node(e);
        let [a, b, _] = node.args;
        let values = || (self.value(a, test), self.value(b, test));
        let away = || {
            let (a, b) = values();
            a.abs_diff(b)
        };
        let signed = || {
            let width = self.terms.pool.width(a);
            let (a, b) = values();
            parallax_trace::format::sign_extend(a, width)
                .abs_diff(parallax_trace::format::sign_extend(b, width))
        };
        let is_condition = |operand: ExprId| self.terms.pool.width(operand) == 1;
        match (node.op, wanted) {
            (Op::Eq | Op::Xor | Op::Ne, _)
                if depth > 0 && is_condition(a) && self.terms.pool.as_const(b).is_some() =>
            {
                let now = self.value(a, test) != 0;
                self.gap_to(a, !now, test, depth - 1).max(1)
            }
            (Op::And | Op::Or, _) if depth > 0 && node.width == 1 => {
                let gaps = [a, b].map(|part| self.gap_to(part, wanted, test, depth - 1));
                // One is enough, or both have to change.
                match (node.op == Op::Or) == wanted {
                    true => gaps[0].min(gaps[1]),
                    false => gaps[0].saturating_add(gaps[1]),
                }
            }
            (Op::Eq, true) | (Op::Ne, false) | (Op::Ule, true) | (Op::Ult, false) => away().max(1),
            (Op::Ult, true) | (Op::Ule, false) => away().saturating_add(1),
            (Op::Sle, true) | (Op::Slt, false) => signed().max(1),
            (Op::Slt, true) | (Op::Sle, false) => signed().saturating_add(1),
            _ => 1,
        }
    }

    /// The value of a variable on a test case; 0 if there is no such byte.
    fn present(&self, var: VarId, test: &TestCase) -> u8 {
        let var = self.terms.pool.var(var);
        self.terms.names.byte(test, var.input, var.offset).unwrap_or(0)
    }

    /// It holds, and this is not the value of another expression.
    pub fn and_not(&mut self, holds: ExprId, of: ExprId, value: u64) -> ExprId {
        let pool = &mut self.own().pool;
        let value = pool.constant(pool.width(of), value);
        let other = pool.binary(Op::Ne, of, value);
        pool.binary(Op::And, holds, other)
    }

    /// At least one of these holds.
    pub fn any(&mut self, list: &[ExprId]) -> ExprId {
        any(&mut self.own().pool, list)
    }
}

#[cfg(test)]
impl Expressions {
    fn byte(&mut self, source: &Source, offset: u32) -> ExprId {
        let Terms { pool, names } = self.own();
        let input = names.number(source);
        pool.byte(parallax_solve::Var { input, offset })
    }

    /// Is a byte of an input this one?
    pub fn is_byte(&mut self, source: &Source, offset: u32, value: u8) -> ExprId {
        let byte = self.byte(source, offset);
        self.own().pool.eq_const(byte, value.into())
    }

    pub fn negated(&mut self, e: ExprId) -> ExprId {
        self.own().pool.not(e)
    }

    /// A constant, or a byte of an input.
    pub fn printed(&mut self, source: &Source, byte: Result<u8, u32>) -> ExprId {
        match byte {
            Ok(value) => self.own().pool.constant(8, value.into()),
            Err(offset) => self.byte(source, offset),
        }
    }
}

fn any(pool: &mut Pool, list: &[ExprId]) -> ExprId {
    let mut result = pool.truth(false);
    for e in list {
        result = pool.binary(Op::Or, result, *e);
    }
    result
}

impl Importer<'_> {
    /// `None` for what cannot be expressed.
    pub fn expr(&mut self, label: u32) -> Option<ExprId> {
        self.inner.expr(self.pool, label)
    }
    pub fn is_constant(&self, e: ExprId) -> bool {
        self.pool.as_const(e).is_some()
    }
    /// The same as [`Importer::expr`], with numbers in the place of their digits.
    pub fn form(&mut self, label: u32) -> Form {
        match &mut self.numbers {
            Some(numbers) => numbers.form(self.pool, label),
            None => Form::Same,
        }
    }
    /// The input bytes that a label is made of, as (input, offset).
    pub fn bytes(&self, label: u32) -> Vec<(u32, u32)> {
        let cone = self.traced.trace.cone(label);
        let nodes = cone.into_iter().filter_map(|l| self.traced.trace.node(l));
        let bytes = nodes.filter(|(op, _)| *op == Op::Input);
        bytes.filter_map(|(_, n)| Some((*self.renamed.get(n.a as usize)?, n.b))).collect()
    }
    pub fn constant(&mut self, width: u8, value: u64) -> ExprId {
        self.pool.constant(width, value)
    }
    pub fn equals(&mut self, value: ExprId, wanted: u64) -> ExprId {
        self.pool.eq_const(value, wanted)
    }
    pub fn not(&mut self, e: ExprId) -> ExprId {
        self.pool.not(e)
    }
    pub fn any(&mut self, list: &[ExprId]) -> ExprId {
        any(self.pool, list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far a comparison of standard input's first byte with 100 is from holding.
    fn gap(op: Op, byte: u8, negated: bool) -> u64 {
        let mut all = Expressions::new(false);
        let first = all.byte(&Source::Stdin, 0);
        let hundred = all.own().pool.constant(8, 100);
        let mut e = all.own().pool.binary(op, first, hundred);
        if negated {
            e = all.negated(e);
        }
        let test = TestCase { stdin: vec![byte], ..TestCase::default() };
        all.gap(e, &test)
    }

    #[test]
    fn the_gap_of_a_comparison_is_how_far_its_operands_are_from_making_it_hold() {
        assert_eq!([100, 90, 130].map(|byte| gap(Op::Eq, byte, false)), [0, 10, 30]);
        assert_eq!([99, 100, 107].map(|byte| gap(Op::Ult, byte, false)), [0, 1, 8]);
        assert_eq!([100, 99].map(|byte| gap(Op::Ult, byte, true)), [0, 1]);
        assert_eq!([0xff, 100, 103].map(|byte| gap(Op::Slt, byte, false)), [0, 1, 4], "0xff is -1");
        assert_eq!([99, 100].map(|byte| gap(Op::Eq, byte, true)), [0, 1]);
    }
}
