//! Labels of `getelementptr`: base + sum of index * size.

use crate::cx::Result;
use crate::emit::Emitter;
use inkwell::types::BasicTypeEnum;
use inkwell::values::*;

/// The label of the address an instruction computes.
pub fn offset<'c>(e: &mut Emitter<'_, 'c>, i: usize) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let inst = e.body.insts[i].value;
    let operands = (0..inst.get_num_operands()).map(|k| e.nth(i, k)).collect::<Result<Vec<_>>>()?;
    if operands.iter().any(|o| o.labels.len() != 1) {
        return Ok(vec![cx.zero()]);
    }
    if operands.iter().all(|o| o.labels[0].is_const()) {
        return Ok(vec![cx.zero()]);
    }
    let Ok(element) = inst.get_gep_source_element_type() else { return Ok(vec![cx.zero()]) };
    let mut ty = Some(element);
    let mut label = operands[0].labels[0];
    let mut address = cx.as_word(operands[0].value)?;
    for (k, index) in operands[1..].iter().enumerate() {
        let (scale, constant) = step(e, k, &mut ty, index.value);
        let value = match constant {
            Some(offset) => cx.word(offset),
            None => signed_word(e, index.value)?,
        };
        let (lindex, scale) = (index.labels[0], cx.word(scale));
        label = cx.label_of(&[label, lindex], cx.abi.offset, || {
            Ok(vec![label.into(), address.into(), lindex.into(), value.into(), scale.into()])
        })?;
        let moved = cx.builder.build_int_mul(value, scale, "o")?;
        address = cx.builder.build_int_add(address, moved, "a")?;
    }
    Ok(vec![label])
}

/// Scale of the `k`-th index, or for a struct field a constant offset (scale 1); moves `ty` inwards.
fn step<'c>(
    e: &Emitter<'_, 'c>,
    k: usize,
    ty: &mut Option<BasicTypeEnum<'c>>,
    index: BasicValueEnum<'c>,
) -> (u64, Option<u64>) {
    let layout = e.cx.layout;
    let Some(here) = *ty else { return (1, None) };
    if k == 0 {
        return (layout.get_abi_size(&here), None);
    }
    match here {
        BasicTypeEnum::StructType(s) => {
            let field = index.into_int_value().get_zero_extended_constant().unwrap_or(0) as u32;
            *ty = s.get_field_type_at_index(field);
            (1, Some(layout.offset_of_element(&s, field).unwrap_or(0)))
        }
        BasicTypeEnum::ArrayType(a) => {
            *ty = Some(a.get_element_type());
            (layout.get_abi_size(&a.get_element_type()), None)
        }
        BasicTypeEnum::VectorType(v) => {
            *ty = Some(v.get_element_type());
            (layout.get_abi_size(&v.get_element_type()), None)
        }
        _ => (1, None),
    }
}

fn signed_word<'c>(e: &Emitter<'_, 'c>, value: BasicValueEnum<'c>) -> Result<IntValue<'c>> {
    match value {
        BasicValueEnum::IntValue(v) if v.get_type().get_bit_width() < 64 => {
            Ok(e.cx.builder.build_int_s_extend(v, e.cx.i64(), "i")?)
        }
        other => e.cx.as_word(other),
    }
}
