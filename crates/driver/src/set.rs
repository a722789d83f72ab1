//! C statements that give the arguments of a function their values.
//!
//! In: [`Value`]s, and where each goes. Out: statements that read the input, or, for a kept test, ones that hold the values of one input.
//!
//! Always holds: both forms give the same values for the same input.

use crate::layout::{Object, Value};
use crate::literal;
use crate::types::{Class, Scalar};
use std::fmt::Write;

/// Statements, one after the other.
pub struct Setter<'a> {
    /// The input whose values are written down; none where they are read.
    pub input: Option<&'a [u8]>,
    pub text: String,
    pub indent: usize,
}

impl Setter<'_> {
    fn line(&mut self, line: &str) {
        // A string takes everything.
        let _ = writeln!(self.text, "{:1$}{line}", "", self.indent * 4);
    }

    /// `lvalue` is C; `path` names the place for a person.
    pub fn set(&mut self, lvalue: &str, value: &Value, path: &str) {
        match value {
            Value::Scalar { .. } | Value::Size { .. } => self.number(lvalue, value),
            Value::Block { at, scalar, count } => self.block(lvalue, *at, scalar, *count),
            Value::Text { at, length } => {
                let scalar = Scalar { class: Class::Char, bytes: 1 };
                self.block(lvalue, *at, &scalar, *length);
            }
            Value::Raw { at, bytes } => self.block(&format!("&{lvalue}"), *at, &Scalar::unsigned(1), *bytes),
            Value::Struct { members } => {
                for (name, value) in members {
                    self.set(&member(lvalue, name), value, &member(path, name));
                }
            }
            Value::Array { elements } => {
                for (i, value) in elements.iter().enumerate() {
                    self.set(&format!("{lvalue}[{i}]"), value, &format!("{path}[{i}]"));
                }
            }
            Value::Pointer { null, object } => self.pointer(lvalue, *null, object, path),
            Value::Given(expression) => self.line(&format!("{lvalue} = {expression};")),
            Value::Zero => {}
        }
    }

    fn number(&mut self, lvalue: &str, value: &Value) {
        if let Some(input) = self.input {
            if let Some(literal) = number(value, input) {
                self.line(&format!("{lvalue} = {literal};"));
            }
            return;
        }
        let line = match value {
            Value::Size { at, most, .. } => format!("{lvalue} = parallax_input[{at}] % {};", most + 1),
            Value::Scalar { at, scalar: Scalar { class: Class::Bool, .. }, .. } => {
                format!("{lvalue} = parallax_input[{at}] & 1;")
            }
            Value::Scalar { at, scalar, .. } => match scalar.span() {
                Some((least, count)) => format!("{lvalue} = {least} + parallax_input[{at}] % {count};"),
                None => {
                    let read = if scalar.bytes > 8 && scalar.class == Class::Float {
                        "double"
                    } else {
                        scalar.spelling()
                    };
                    let bytes = scalar.input_bytes();
                    format!("{{ {read} value = 0; parallax_take(&value, {at}, {bytes}); {lvalue} = value; }}")
                }
            },
            _ => return,
        };
        self.line(&line);
    }

    fn block(&mut self, address: &str, at: usize, scalar: &Scalar, count: usize) {
        let bytes = scalar.bytes * count;
        let Some(input) = self.input else {
            return self.line(&format!("parallax_take({address}, {at}, {bytes});"));
        };
        let content = part(input, at, bytes);
        if content.iter().all(|byte| *byte == 0) {
            return;
        }
        let used = content.iter().rposition(|byte| *byte != 0).map_or(0, |last| last / scalar.bytes + 1);
        let literal = literal::block(scalar, &content);
        let source = match scalar.class {
            Class::Char => literal,
            _ => format!("({}[]){literal}", scalar.spelling()),
        };
        self.line(&format!("memcpy({address}, {source}, {});", used * scalar.bytes));
    }

    fn pointer(&mut self, lvalue: &str, null: Option<usize>, object: &Object, path: &str) {
        let test = match (null, self.input) {
            (Some(at), Some(input)) if part(input, at, 1)[0] & 1 == 0 => return,
            (Some(at), None) => Some(at),
            _ => None,
        };
        if let Some(at) = test {
            self.line(&format!("if (parallax_input[{at}] & 1) {{"));
            self.indent += 1;
        }
        let letter = object
            .scalar
            .as_ref()
            .filter(|_| !object.constant)
            .map_or("0".to_owned(), |scalar| format!("'{}'", scalar.letter()));
        self.line(&format!(
            "{lvalue} = parallax_new({}, sizeof *{lvalue}, {letter}, \"{path}\");",
            object.capacity
        ));
        match &object.content {
            content @ (Value::Block { .. } | Value::Text { .. } | Value::Array { .. }) => {
                self.set(lvalue, content, path)
            }
            content => self.set(&format!("(*{lvalue})"), content, &format!("(*{path})")),
        }
        if test.is_some() {
            self.indent -= 1;
            self.line("}");
        }
    }
}

/// The literal of a number in an input; none if it is zero.
fn number(value: &Value, input: &[u8]) -> Option<String> {
    let (scalar, bytes) = bytes_of(value, input)?;
    bytes.iter().any(|byte| *byte != 0).then(|| literal::scalar(scalar, &bytes))
}

/// A number's own bytes, lowest first.
pub fn bytes_of<'v>(value: &'v Value, input: &[u8]) -> Option<(&'v Scalar, Vec<u8>)> {
    match value {
        Value::Size { at, most, scalar } => {
            let size = usize::from(part(input, *at, 1)[0]) % (most + 1);
            Some((scalar, (size as u64).to_le_bytes()[..scalar.bytes.min(8)].to_vec()))
        }
        Value::Scalar { at, scalar, bits } => {
            let own = part(input, *at, scalar.input_bytes());
            let value = own.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
            let value = match (&scalar.class, scalar.span(), bits) {
                (Class::Bool, ..) => value & 1,
                (_, Some((least, count)), _) => (least + (value as i64) % count) as u128,
                (_, _, Some(bits)) => value & ((1 << bits) - 1),
                _ => value,
            };
            let width = if scalar.class == Class::Float { scalar.bytes.min(8) } else { scalar.bytes };
            Some((scalar, value.to_le_bytes()[..width.min(16)].to_vec()))
        }
        _ => None,
    }
}

/// Bytes of an input; what it does not have is zero.
pub fn part(input: &[u8], at: usize, bytes: usize) -> Vec<u8> {
    (at..at + bytes).map(|i| input.get(i).copied().unwrap_or(0)).collect()
}

/// `p->name` for a member of `(*p)`; an unnamed one is part of what it is in.
pub fn member(of: &str, name: &str) -> String {
    if name.is_empty() {
        return of.to_owned();
    }
    match of.strip_prefix("(*").and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) if !inner.contains(['(', ')']) => format!("{inner}->{name}"),
        _ => format!("{of}.{name}"),
    }
}
