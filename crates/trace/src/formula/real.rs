//! Floating point in formulas: calls of functions, with constants as decimal numbers.
//!
//! In and out: as in [`super::infix`].

use super::Printer;
use crate::float::{self, Math1, Math2, Spec};
use crate::format::*;

impl Printer<'_> {
    pub(super) fn real_text(&self, op: Op, node: &Node) -> String {
        let real = |label| self.real_operand(label);
        match op {
            Op::FText => format!("printf(\"{}\", {})[{}]", spelled(node.b), real(node.a), node.c),
            Op::FTextLen => format!("length(printf(\"{}\", {}))", spelled(node.b), real(node.a)),
            Op::FDecimal => {
                let [digits, exponent] = [node.a, node.b].map(|label| self.value_text(label).0);
                format!("float{}({digits}, e {exponent})", node.width)
            }
            Op::FConvert => format!("float{}({})", node.width, real(node.a)),
            Op::FFromS | Op::FFromU => {
                format!("float{}({}{})", node.width, mark(op), self.value_text(node.a).0)
            }
            Op::FToS | Op::FToU => format!("int{}({}{})", node.width, mark(op), real(node.a)),
            Op::FMath1 => {
                let name = Math1::from_number(node.b.into()).map_or("?", Math1::name);
                format!("{name}({})", real(node.a))
            }
            Op::FMath2 => {
                let function = Math2::from_number(node.c.into());
                let second = match function {
                    Some(Math2::Scale) => self.value_text(node.b).0,
                    _ => real(node.b),
                };
                format!("{}({}, {second})", function.map_or("?", Math2::name), real(node.a))
            }
            _ => {
                let operands = [node.a, node.b, node.c].into_iter().take(op.arity());
                let operands: Vec<String> = operands.map(real).collect();
                format!("{}({})", float::name(op), operands.join(", "))
            }
        }
    }

    /// A floating-point operand; a constant is a number, not bits.
    fn real_operand(&self, label: Label) -> String {
        match self.trace.node(label) {
            Some((Op::Const, node)) if node.width == 32 => format!("{:?}", f32::from_bits(node.value as u32)),
            Some((Op::Const, node)) => format!("{:?}", f64::from_bits(node.value)),
            _ => self.value_text(label).0,
        }
    }
}

fn mark(op: Op) -> &'static str {
    match op {
        Op::FFromU | Op::FToU => "unsigned ",
        _ => "",
    }
}

fn spelled(spec: u32) -> String {
    let mut text = String::new();
    // A string takes all that is written.
    let _ = Spec(spec).write(&mut text);
    text
}
