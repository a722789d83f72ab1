//! Evaluation of labels on any input bytes.
//!
//! In: a trace and a function from (input, offset) to a byte. Out: values. One forward pass is
//! enough because operands have smaller labels than their nodes.
//!
//! Always holds: operators mean what [`crate::format::apply`] says; a table read outside its table
//! gives bytes of 0 (a guard in the trace says that this does not happen on the path); a value
//! that needs an input byte which does not exist is `None`.

use crate::format::*;
use crate::reader::Trace;
use crate::request::Input;

/// A byte of an input, or `None` where the input is shorter.
pub type Assignment<'f> = &'f dyn Fn(u32, u32) -> Option<u8>;

/// The bytes of these inputs as an assignment.
pub fn bytes_of(inputs: &[Input]) -> impl Fn(u32, u32) -> Option<u8> + '_ {
    |input, offset| inputs.get(input as usize)?.byte(offset)
}

/// The value of every label on one assignment.
#[derive(Clone, Debug)]
pub struct Values {
    values: Vec<u64>,
    /// Empty if every label has a value.
    missing: Vec<bool>,
}

impl Values {
    /// The value of a label; `None` if it needs a byte that does not exist, or there is no such label.
    pub fn get(&self, label: Label) -> Option<u64> {
        if self.missing.get(label as usize).copied().unwrap_or(false) {
            return None;
        }
        self.values.get(label as usize).copied()
    }

    fn set(&mut self, label: usize, value: Option<u64>) {
        match value {
            Some(value) => self.values[label] = value,
            None => {
                if self.missing.is_empty() {
                    self.missing = vec![false; self.values.len()];
                }
                self.missing[label] = true;
            }
        }
    }
}

impl Trace<'_> {
    /// All labels at once.
    pub fn eval_all(&self, assignment: Assignment) -> Values {
        let mut values = Values { values: vec![0; self.nodes().len()], missing: Vec::new() };
        for label in 1..self.nodes().len() {
            let value = self.step(label as Label, assignment, &|operand| values.get(operand));
            values.set(label, value);
        }
        values
    }

    /// One label.
    pub fn eval(&self, label: Label, assignment: Assignment) -> Option<u64> {
        let cone = self.cone(label);
        self.eval_cone(&cone, assignment)
    }

    /// Everything that `label` is made of, ascending, itself last; empty for label 0.
    pub fn cone(&self, label: Label) -> Vec<Label> {
        let mut pending = vec![label];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(label) = pending.pop() {
            if label != 0 && (label as usize) < self.nodes().len() && seen.insert(label) {
                self.operands(label, &mut |operand| pending.push(operand));
            }
        }
        seen.into_iter().collect()
    }

    /// The value of the last label of a cone.
    pub fn eval_cone(&self, cone: &[Label], assignment: Assignment) -> Option<u64> {
        let mut values: Vec<Option<u64>> = Vec::with_capacity(cone.len());
        for label in cone {
            let value =
                self.step(*label, assignment, &|operand| values[cone.binary_search(&operand).ok()?]);
            values.push(value);
        }
        values.last().copied().flatten()
    }

    /// Calls `visit` with every label that `label` is made of directly, table entries included.
    pub fn operands(&self, label: Label, visit: &mut dyn FnMut(Label)) {
        let Some((op, node)) = self.node(label) else { return };
        match op {
            Op::Read => {
                visit(node.a);
                if let Some(table) = self.table(node.b).filter(|t| t.is_symbolic()) {
                    (0..table.bytes.len()).map(|i| table.label(i)).filter(|l| *l != 0).for_each(visit);
                }
            }
            _ => [node.a, node.b, node.c].into_iter().take(op.arity()).for_each(visit),
        }
    }

    /// One node from the values of its operands.
    fn step(
        &self,
        label: Label,
        assignment: Assignment,
        value: &dyn Fn(Label) -> Option<u64>,
    ) -> Option<u64> {
        let (op, node) = self.node(label)?;
        let width_of = |label: Label| self.nodes()[label as usize].width;
        match op {
            Op::Const => Some(node.value),
            Op::Input => assignment(node.a, node.b).map(u64::from),
            Op::Read => self.read(node, value),
            Op::ZExt | Op::SExt => apply(op, node.width, width_of(node.a), value(node.a)?, 0, 0),
            Op::Extract => apply(op, node.width, width_of(node.a), value(node.a)?, node.b.into(), 0),
            Op::Concat => {
                let low_width = width_of(node.b).into();
                apply(op, node.width, width_of(node.a), value(node.a)?, value(node.b)?, low_width)
            }
            Op::Ite => apply(op, node.width, 1, value(node.a)?, value(node.b)?, value(node.c)?),
            op if op.is_float() => {
                let mut operands = [node.a, node.b, node.c].map(u64::from);
                for operand in &mut operands[..op.arity()] {
                    *operand = value(*operand as Label)?;
                }
                let [a, b, c] = operands;
                apply(op, node.width, width_of(node.a), a, b, c)
            }
            _ => apply(op, node.width, width_of(node.a), value(node.a)?, value(node.b)?, 0),
        }
    }

    fn read(&self, node: &Node, value: &dyn Fn(Label) -> Option<u64>) -> Option<u64> {
        let table = self.table(node.b)?;
        let offset = value(node.a)?;
        let mut result = 0;
        for i in 0..u64::from(node.width / 8) {
            let at = offset.wrapping_add(i) as usize;
            let byte = match (table.bytes.get(at), table.label(at)) {
                (None, _) => 0,
                (Some(byte), 0) => u64::from(*byte),
                (Some(_), label) => value(label)?,
            };
            result |= byte << (8 * i);
        }
        Some(result)
    }
}
