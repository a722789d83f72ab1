//! The arrays in a type.
//!
//! In: a type of the IR. Out: its size and the arrays in it, at their offsets. Always holds: arrays are disjoint, or one
//! lies in the first element of the other and comes later; arrays of arrays are one array.

use super::Limits;
use crate::ir::*;
use serde::{Deserialize, Serialize};

/// An array of at least two elements: `[start, end)` in steps of `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    pub start: i32,
    pub end: i32,
    pub stride: u32,
}

/// What is known about the inside of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    pub size: Option<u64>,
    pub arrays: Vec<Array>,
    /// Offsets do not matter.
    pub flat: bool,
}

impl Shape {
    /// One cell for everything.
    pub fn flat() -> Shape {
        Shape { flat: true, ..Shape::default() }
    }

    /// Nothing is known but, maybe, the size.
    pub fn untyped(size: Option<u64>) -> Shape {
        Shape { size, ..Shape::default() }
    }

    /// `count` objects of a type in a row; none: not known how many.
    pub fn of(program: &Program, ty: TypeId, count: Option<u64>, limits: &Limits) -> Shape {
        let size = program.ty(ty).size;
        let total = count.map(|c| c.saturating_mul(size));
        // A type without a size is one that this program does not know.
        let mut shape = Shape { size: total.filter(|t| *t > 0), arrays: Vec::new(), flat: false };
        if size == 0 || size > u64::from(limits.offset) && !is_array(program, ty) {
            return shape;
        }
        if count != Some(1) {
            let end = total.unwrap_or(u64::MAX).min(i32::MAX as u64) as i32;
            shape.arrays.push(Array { start: 0, end, stride: size.min(u64::from(u32::MAX)) as u32 });
        }
        collect(program, ty, 0, &mut shape.arrays, limits);
        shape
    }
}

fn is_array(program: &Program, ty: TypeId) -> bool {
    matches!(program.ty(ty).kind, TypeKind::Array { .. })
}

fn collect(program: &Program, ty: TypeId, at: u64, arrays: &mut Vec<Array>, limits: &Limits) {
    if arrays.len() >= limits.arrays as usize || at > u64::from(limits.offset) {
        return;
    }
    match &program.ty(ty).kind {
        TypeKind::Struct(s) => {
            for field in &s.fields {
                collect(program, field.ty, at + field.offset, arrays, limits);
            }
        }
        TypeKind::Array { .. } => {
            let (element, len) = flatten(program, ty);
            let stride = program.ty(element).size;
            if len > 1 && stride > 0 {
                let end = at.saturating_add(len.saturating_mul(stride)).min(i32::MAX as u64);
                arrays.push(Array { start: at as i32, end: end as i32, stride: stride as u32 });
            }
            if len > 0 {
                collect(program, element, at, arrays, limits);
            }
        }
        _ => {}
    }
}

/// The element of an array of arrays, and how many there are.
pub(super) fn flatten(program: &Program, ty: TypeId) -> (TypeId, u64) {
    match program.ty(ty).kind {
        TypeKind::Array { element, len } => {
            let (inner, n) = flatten(program, element);
            (inner, len.saturating_mul(n))
        }
        _ => (ty, 1),
    }
}
