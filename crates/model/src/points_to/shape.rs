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

/// The shape of a global whose initialiser made up its type: clang writes a table with zeros at its end as `<{ [102 x i8], [154 x i8] }>`, and an array
/// of unions as a structure of structures. What was declared is in the debug information; without it, nothing is known.
pub(super) fn of_global(program: &Program, global: &Global, limits: &Limits) -> Shape {
    if !made_up(program, global.ty) {
        return Shape::of(program, global.ty, Some(1), limits);
    }
    let mut shape = Shape::untyped(Some(program.ty(global.ty).size).filter(|s| *s > 0));
    if let Some(declared) = global.debug {
        collect_declared(program, declared, 0, &mut shape.arrays, limits);
    }
    shape
}

/// Is there a structure in the type that has no name in the source?
fn made_up(program: &Program, ty: TypeId) -> bool {
    match &program.ty(ty).kind {
        TypeKind::Struct(s) => s.name.is_none() || s.fields.iter().any(|f| made_up(program, f.ty)),
        TypeKind::Array { element, .. } => made_up(program, *element),
        _ => false,
    }
}

/// As [`collect`], from a type of the source. Members of a union lie over each other, so arrays there stay unknown.
fn collect_declared(program: &Program, ty: DebugTypeId, at: u64, arrays: &mut Vec<Array>, limits: &Limits) {
    if arrays.len() >= limits.arrays as usize || at > u64::from(limits.offset) {
        return;
    }
    match &program.debug_types[ty.index()] {
        DebugType::Typedef { to: Some(to), .. } | DebugType::Qualified { to: Some(to), .. } => {
            collect_declared(program, *to, at, arrays, limits);
        }
        DebugType::Struct { union: false, members, .. } => {
            for member in members {
                if let Some(inner) = member.ty {
                    collect_declared(program, inner, at + member.offset_bits / 8, arrays, limits);
                }
            }
        }
        // An array of arrays is one array here.
        DebugType::Array { element: Some(element), bytes } => {
            let stride = declared_size(program, *element);
            if stride > 0 && *bytes > stride {
                let end = at.saturating_add(*bytes).min(i32::MAX as u64) as i32;
                arrays.push(Array { start: at as i32, end, stride: stride.min(u64::from(u32::MAX)) as u32 });
            }
            if *bytes > 0 {
                collect_declared(program, *element, at, arrays, limits);
            }
        }
        _ => {}
    }
}

/// Bytes of a type of the source; 0 where they are not known.
fn declared_size(program: &Program, ty: DebugTypeId) -> u64 {
    match &program.debug_types[ty.index()] {
        DebugType::Base { bits, .. } | DebugType::Enum { bits, .. } => bits / 8,
        DebugType::Pointer { .. } => 8,
        DebugType::Struct { bytes, .. } | DebugType::Array { bytes, .. } => *bytes,
        DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => {
            to.map_or(0, |to| declared_size(program, to))
        }
        DebugType::Func { .. } | DebugType::Other { .. } => 0,
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
