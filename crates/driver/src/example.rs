//! An input to start from: one on which a function has something to do.
//!
//! In: a layout. Out: bytes.

use crate::layout::Value;
use crate::types::{Class, Scalar};

pub fn fill(value: &Value, input: &mut [u8]) {
    match value {
        Value::Scalar { at, scalar, .. } => number(scalar, *at, 2, input),
        Value::Size { at, most, .. } => put(input, *at, *most as u8),
        Value::Block { at, scalar, count } => {
            for i in 0..*count {
                number(scalar, at + i * scalar.bytes, i as u8 + 1, input);
            }
        }
        Value::Text { at, length } => {
            // Half of what there is room for.
            (0..length.div_ceil(2)).for_each(|i| put(input, at + i, b'a' + (i % 26) as u8));
        }
        Value::Raw { .. } | Value::Given(_) | Value::Zero => {}
        Value::Struct { members } => members.iter().for_each(|(_, value)| fill(value, input)),
        Value::Array { elements } => elements.iter().for_each(|value| fill(value, input)),
        Value::Pointer { null, object } => {
            null.iter().for_each(|at| put(input, *at, 1));
            fill(&object.content, input);
        }
    }
}

fn number(scalar: &Scalar, at: usize, value: u8, input: &mut [u8]) {
    match (&scalar.class, scalar.bytes) {
        (Class::Float, 4) => copy(input, at, &f32::from(value).to_le_bytes()),
        (Class::Float, _) => copy(input, at, &f64::from(value).to_le_bytes()),
        (Class::Char, _) => put(input, at, b'a' + value % 26),
        _ => put(input, at, value),
    }
}

fn copy(input: &mut [u8], at: usize, bytes: &[u8]) {
    bytes.iter().enumerate().for_each(|(i, byte)| put(input, at + i, *byte));
}

fn put(input: &mut [u8], at: usize, byte: u8) {
    if let Some(place) = input.get_mut(at) {
        *place = byte;
    }
}
