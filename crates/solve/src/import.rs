//! From the labels of a trace to expressions of the pool.
//!
//! In: a trace, and what number each of its inputs has in the pool. Out: expressions, remembered by label.
//!
//! Always holds: an expression has the value that [`Trace::eval`] computes for its label. A label that
//! cannot be expressed (a table with more symbolic entries than the limit) has none, and neither has
//! anything made of it.

use crate::align::low_bits;
use crate::expr::{ExprId, Var, TEXT_PLACE};
use crate::pool::Pool;
use crate::query::Constraint;
use parallax_trace::format::{Label, Op};
use parallax_trace::path::{Condition, Expect};
use parallax_trace::reader::Table;
use parallax_trace::request::Input;
use parallax_trace::Trace;

/// A table with more symbolic bytes than this is not turned into a chain of choices.
pub const SYMBOLIC_ENTRIES: usize = 64;

/// Choices made in all for the tables of one trace; what needs more cannot be expressed.
pub const CHOICES: usize = 20_000;

/// For each input of `other` the number that the same source has in `first`; sources that `first` lacks
/// get numbers after its last.
pub fn renaming(first: &[Input], other: &[Input]) -> Vec<u32> {
    let mut next = first.len() as u32;
    let known = |input: &Input| first.iter().position(|f| f.source == input.source);
    let number = |input| {
        known(input).map_or_else(
            || {
                next += 1;
                next - 1
            },
            |at| at as u32,
        )
    };
    other.iter().map(number).collect()
}

#[derive(Clone, Copy)]
enum Known {
    No,
    Cannot,
    Is(ExprId),
}

/// Imports one trace.
pub struct Importer<'t> {
    trace: &'t Trace<'t>,
    inputs: Vec<u32>,
    known: Vec<Known>,
    symbolic_entries: usize,
    choices: usize,
}

impl<'t> Importer<'t> {
    /// Inputs keep their numbers.
    pub fn new(trace: &'t Trace<'t>) -> Importer<'t> {
        Importer::renamed(trace, (0..trace.inputs().len() as u32).collect())
    }

    /// Input `i` of the trace is input `inputs[i]` of the pool; see [`renaming`].
    pub fn renamed(trace: &'t Trace<'t>, inputs: Vec<u32>) -> Importer<'t> {
        let known = vec![Known::No; trace.nodes().len()];
        Importer { trace, inputs, known, symbolic_entries: SYMBOLIC_ENTRIES, choices: CHOICES }
    }

    /// Another limit than [`SYMBOLIC_ENTRIES`].
    pub fn with_symbolic_entries(self, symbolic_entries: usize) -> Importer<'t> {
        Importer { symbolic_entries, ..self }
    }

    /// From now on a label stands for this expression, in whatever is imported after.
    pub fn replace(&mut self, label: Label, expr: ExprId) {
        if let Some(known) = self.known.get_mut(label as usize) {
            *known = Known::Is(expr);
        }
    }

    /// The expression of a label; `None` for label 0 and for what cannot be expressed.
    pub fn expr(&mut self, pool: &mut Pool, label: Label) -> Option<ExprId> {
        self.known.get(label as usize)?;
        let mut pending = vec![label];
        while let Some(label) = pending.last().copied() {
            if label == 0 || !matches!(self.known[label as usize], Known::No) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            self.trace.operands(label, &mut |operand| {
                if operand != 0 && matches!(self.known[operand as usize], Known::No) {
                    pending.push(operand);
                }
            });
            if pending.len() == before {
                self.known[label as usize] = self.step(pool, label).map_or(Known::Cannot, Known::Is);
                pending.pop();
            }
        }
        self.get(label)
    }

    /// What a condition asks for, as constraints that all have to hold.
    pub fn condition(&mut self, pool: &mut Pool, condition: &Condition) -> Option<Vec<Constraint>> {
        let expr = self.expr(pool, condition.label)?;
        let mut equal = |value: u64, holds| Constraint { expr: pool.eq_const(expr, value), holds };
        Some(match &condition.expect {
            Expect::Equals(value) => vec![equal(*value, true)],
            Expect::NoneOf(values) => values.iter().map(|value| equal(*value, false)).collect(),
        })
    }

    fn get(&self, label: Label) -> Option<ExprId> {
        match self.known.get(label as usize) {
            Some(Known::Is(id)) => Some(*id),
            _ => None,
        }
    }

    fn step(&mut self, pool: &mut Pool, label: Label) -> Option<ExprId> {
        let (op, node) = self.trace.node(label)?;
        let width = node.width;
        Some(match op {
            Op::Const => pool.constant(width, node.value),
            Op::Input => {
                let input = *self.inputs.get(node.a as usize)?;
                pool.byte(Var { input, offset: node.b })
            }
            Op::ZExt => pool.zext(self.get(node.a)?, width),
            Op::SExt => pool.sext(self.get(node.a)?, width),
            Op::Extract => pool.extract(self.get(node.a)?, node.b as u8, width),
            Op::Ite => pool.ite(self.get(node.a)?, self.get(node.b)?, self.get(node.c)?),
            Op::Read => self.read(pool, self.get(node.a)?, node.b, width)?,
            Op::FMath1 | Op::FTextLen => {
                pool.float(op, width, [Some(self.get(node.a)?), None, None], node.b.into())
            }
            Op::FText => {
                let num = u64::from(node.c) << TEXT_PLACE | u64::from(node.b);
                pool.float(op, width, [Some(self.get(node.a)?), None, None], num)
            }
            Op::FMath2 => {
                let operands = [Some(self.get(node.a)?), Some(self.get(node.b)?), None];
                pool.float(op, width, operands, node.c.into())
            }
            op if op.is_float() => {
                let mut operands = [None; 3];
                for (at, label) in [node.a, node.b, node.c].into_iter().take(op.arity()).enumerate() {
                    operands[at] = Some(self.get(label)?);
                }
                pool.float(op, width, operands, 0)
            }
            _ => pool.binary(op, self.get(node.a)?, self.get(node.b)?),
        })
    }

    fn read(&mut self, pool: &mut Pool, index: ExprId, table: u32, width: u8) -> Option<ExprId> {
        let table = self.trace.table(table)?;
        let id = pool.add_table(table.bytes);
        let symbolic: Vec<usize> = (0..table.bytes.len()).filter(|i| table.label(*i) != 0).collect();
        if symbolic.is_empty() {
            return Some(pool.read(id, index, width));
        }
        if symbolic.len() > self.symbolic_entries {
            return None;
        }
        let bytes = u64::from(width / 8);
        let aligned = low_bits(pool, index);
        let mut places: Vec<u64> = symbolic
            .iter()
            .flat_map(|entry| (0..bytes).map(|i| (*entry as u64).wrapping_sub(i)))
            .filter(|place| aligned.allow(*place))
            .collect();
        places.sort_unstable();
        places.dedup();
        self.choices = self.choices.checked_sub(places.len() * bytes as usize)?;
        let mut result = pool.read(id, index, width);
        for place in places {
            let here = pool.eq_const(index, place);
            let value = self.stored(pool, &table, place, bytes)?;
            result = pool.ite(here, value, result);
        }
        Some(result)
    }

    /// What a table holds at a place.
    fn stored(&self, pool: &mut Pool, table: &Table, place: u64, bytes: u64) -> Option<ExprId> {
        let mut value = None;
        for i in 0..bytes {
            let at = usize::try_from(place.wrapping_add(i)).ok().filter(|at| *at < table.bytes.len());
            let byte = match at.map(|at| (table.label(at), table.bytes[at])) {
                Some((0, known)) => pool.constant(8, known.into()),
                Some((label, _)) => self.get(label)?,
                None => pool.constant(8, 0),
            };
            value = Some(value.map_or(byte, |low| pool.concat(byte, low)));
        }
        value
    }
}
