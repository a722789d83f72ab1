//! Which LLVM values can carry labels, and where.

use inkwell::types::{AnyTypeEnum, BasicTypeEnum};

/// Widest expression.
pub const MAX_WIDTH: u32 = 64;
/// Widest integer: two words, each with an expression.
const MAX_WIDE: u32 = 128;

/// A part of a value that carries a label: the way into nested aggregates, and its width in bits. The two words of
/// a wide integer are two leaves with the same path, the lower one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    pub path: Vec<u32>,
    pub width: u32,
}

/// Width of a scalar that can be symbolic.
pub fn scalar_width(ty: BasicTypeEnum) -> Option<u32> {
    match ty {
        BasicTypeEnum::IntType(t) if t.get_bit_width() <= MAX_WIDTH => Some(t.get_bit_width()),
        BasicTypeEnum::PointerType(_) => Some(64),
        // `long double` and half precision have no expressions.
        BasicTypeEnum::FloatType(t) if t == t.get_context().f64_type() => Some(64),
        BasicTypeEnum::FloatType(t) if t == t.get_context().f32_type() => Some(32),
        _ => None,
    }
}

/// Width of an integer of two words.
pub fn wide_width(ty: BasicTypeEnum) -> Option<u32> {
    let BasicTypeEnum::IntType(t) = ty else { return None };
    Some(t.get_bit_width()).filter(|w| (MAX_WIDTH + 1..=MAX_WIDE).contains(w))
}

/// All leaves of a type, in order; none if nothing in it can be symbolic or there are too many.
pub fn leaves(ty: BasicTypeEnum) -> Vec<Leaf> {
    let mut out = Vec::new();
    collect(ty, &mut Vec::new(), &mut out);
    if out.len() > crate::abi::MAX_RET as usize {
        out.clear();
    }
    out
}

fn collect(ty: BasicTypeEnum, path: &mut Vec<u32>, out: &mut Vec<Leaf>) {
    if out.len() > crate::abi::MAX_RET as usize {
        return;
    }
    let parts: Vec<BasicTypeEnum> = match ty {
        BasicTypeEnum::StructType(t) => t.get_field_types(),
        BasicTypeEnum::ArrayType(t) => {
            (0..t.len().min(crate::abi::MAX_RET + 1)).map(|_| t.get_element_type()).collect()
        }
        _ => {
            if let Some(width) = scalar_width(ty) {
                out.push(Leaf { path: path.clone(), width });
            }
            if let Some(width) = wide_width(ty) {
                out.push(Leaf { path: path.clone(), width: MAX_WIDTH });
                out.push(Leaf { path: path.clone(), width: width - MAX_WIDTH });
            }
            return;
        }
    };
    for (i, part) in parts.into_iter().enumerate() {
        path.push(i as u32);
        collect(part, path, out);
        path.pop();
    }
}

/// The type of an instruction's result, if it has one that a register can hold.
pub fn basic(ty: AnyTypeEnum) -> Option<BasicTypeEnum> {
    BasicTypeEnum::try_from(ty).ok()
}
