//! A value of at most 64 bits with its label: arithmetic on both at once, for what is put together of many
//! operations (`wide`).
//!
//! Always holds: `value` is what the program has in this run, and what the label's node says.

use crate::nodes;
use crate::range::{self, Bounds};
use parallax_trace::format::{apply, mask, Op};

/// A label (0: concrete) and the value it has in this run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    pub label: u32,
    pub value: u64,
    pub w: u8,
}

impl Word {
    pub fn new(label: u32, value: u64, w: u8) -> Word {
        Word { label, value: value & mask(w), w }
    }

    pub fn constant(w: u8, value: u64) -> Word {
        Word::new(0, value, w)
    }

    /// What a node stands for.
    pub fn of(label: u32) -> Word {
        let constant = nodes::is_const(label).is_some();
        Word::new(if constant { 0 } else { label }, nodes::value(label), nodes::width(label))
    }

    pub fn is_symbolic(self) -> bool {
        self.label != 0
    }

    pub fn bounds(self) -> Bounds {
        match self.label {
            0 => Bounds::constant(self.w, self.value),
            label => range::known(label),
        }
    }

    fn node(self) -> u32 {
        nodes::operand(self.label, self.w, self.value)
    }

    pub fn op(self, op: Op, other: Word) -> Word {
        let predicate = op.is_comparison() || matches!(op, Op::SMulOverflow | Op::UMulOverflow);
        let w = if predicate { 1 } else { self.w };
        // Leaves and reads do not come here.
        let value = apply(op, w, self.w, self.value, other.value, 0).unwrap_or(0);
        let label = match self.label | other.label {
            0 => 0,
            _ => nodes::binary(op, self.w, self.node(), other.node()),
        };
        Word { label, value, w }
    }

    /// `self op constant`.
    pub fn with(self, op: Op, constant: u64) -> Word {
        self.op(op, Word::constant(self.w, constant))
    }

    pub fn extend(self, op: Op, w: u8) -> Word {
        let value = apply(op, w, self.w, self.value, 0, 0).unwrap_or(0);
        Word { label: nodes::extend(op, self.label, w), value, w }
    }

    pub fn extract(self, low: u32, w: u8) -> Word {
        Word::new(nodes::extract(self.label, low, w), self.value >> low, w)
    }

    /// `self ? a : b`, of one bit.
    pub fn choose(self, a: Word, b: Word) -> Word {
        let chosen = if self.value == 1 { a } else { b };
        let label = match self.label {
            0 => chosen.label,
            _ if a == b => a.label,
            condition => nodes::ite(condition, a.node(), b.node()),
        };
        // Two equal constants are one node.
        let concrete = label != 0 && nodes::is_const(label).is_some();
        Word { label: if concrete { 0 } else { label }, ..chosen }
    }
}
