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
    let mut any = operands[0].labels[0];
    for o in &operands[1..] {
        any = cx.builder.build_or(any, o.labels[0], "ls")?;
    }
    let Ok(element) = inst.get_gep_source_element_type() else { return Ok(vec![cx.zero()]) };
    let any = cx.is_set(any)?;
    let label = cx.label_when(any, || {
        let mut ty = Some(element);
        let mut label = operands[0].labels[0];
        let mut address = cx.as_word(operands[0].value)?;
        for (k, index) in operands[1..].iter().enumerate() {
            let (scale, constant) = step(e, k, &mut ty, index.value);
            let value = match constant {
                Some(offset) => cx.word(offset),
                None => signed_word(e, index.value)?,
            };
            let scale = cx.word(scale);
            let args = [label.into(), address.into(), index.labels[0].into(), value.into(), scale.into()];
            let moved = cx.builder.build_int_mul(value, scale, "o")?;
            label = step_label(e, label, index.labels[0], &args)?;
            address = cx.builder.build_int_add(address, moved, "a")?;
        }
        Ok(label)
    })?;
    Ok(vec![label])
}

fn step_label<'c>(
    e: &Emitter<'_, 'c>,
    base: IntValue<'c>,
    index: IntValue<'c>,
    args: &[BasicMetadataValueEnum<'c>],
) -> Result<IntValue<'c>> {
    let either = e.cx.builder.build_or(base, index, "ls")?;
    let either = e.cx.is_set(either)?;
    e.cx.label_when(either, || e.cx.call_label(e.cx.abi.offset, args))
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
