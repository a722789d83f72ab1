//! Choices that only compute: `c & 1 ? c >> 1 ^ p : c >> 1` as one expression instead of two paths.
//!
//! Where the sides of a branch do nothing but compute one value, both are computed before it, and a `select`
//! takes the place of the phi. Branch and blocks stay, so that coverage is the source's, but the branch is not part of
//! the path any more: the select is a branch where both values are known, and an expression where one is not (see
//! `__plx_select`). A checksum computed bit by bit would else fix every bit it reads.
//!
//! In: a numbered function. Out: the same function, with the numbers brought up to date.
//!
//! Always holds: nothing is computed early that could fail, touch memory or be seen from outside.

use crate::cx::{Cx, Result};
use crate::number::Numbers;
use crate::phi;
use crate::types;
use inkwell::basic_block::BasicBlock;
use inkwell::values::*;
use inkwell::values::{InstructionOpcode as Op, Operand};
use std::collections::{HashMap, HashSet};

/// Longest side, in instructions.
const MAX_SIDE: usize = 8;

/// The two sides of a branch that meet again at once; a side that does nothing may have no block of its own.
struct Diamond<'c> {
    branch: InstructionValue<'c>,
    condition: IntValue<'c>,
    /// Blocks with code to be moved.
    sides: Vec<BasicBlock<'c>>,
    phi: InstructionValue<'c>,
    /// The phi's value if the condition holds, and if not.
    values: [BasicValueEnum<'c>; 2],
}

/// Merge what can be merged in a function.
pub fn diamonds<'c>(
    cx: &Cx<'_, 'c>,
    numbers: &mut Numbers<'c>,
    function: FunctionValue<'c>,
    watched: &HashSet<InstructionValue<'c>>,
) -> Result<()> {
    let predecessors = predecessors(function);
    // What was merged inside a side makes the side itself mergeable no more: its block has a branch.
    for head in function.get_basic_block_iter() {
        let Some(diamond) = find(head, &predecessors) else { continue };
        let all = || diamond.sides.iter().flat_map(|side| side.get_instructions());
        if all().any(|i| watched.contains(&i)) || watched.contains(&diamond.branch) {
            continue;
        }
        merge(cx, numbers, &diamond)?;
    }
    Ok(())
}

fn predecessors<'c>(function: FunctionValue<'c>) -> HashMap<BasicBlock<'c>, Vec<BasicBlock<'c>>> {
    let mut found: HashMap<BasicBlock<'c>, Vec<BasicBlock<'c>>> = HashMap::new();
    for block in function.get_basic_block_iter() {
        let terminator = block.get_terminator();
        let targets = terminator.iter().flat_map(|t| t.get_operands().flatten().filter_map(Operand::block));
        for target in targets {
            found.entry(target).or_default().push(block);
        }
    }
    found
}

fn find<'c>(
    head: BasicBlock<'c>,
    predecessors: &HashMap<BasicBlock<'c>, Vec<BasicBlock<'c>>>,
) -> Option<Diamond<'c>> {
    let branch = head.get_terminator().filter(|t| t.get_opcode() == Op::Br && t.get_num_operands() == 3)?;
    let condition = branch.get_operand(0)?.value()?.into_int_value();
    // The false side comes first.
    let (no, yes) = (branch.get_operand(1)?.block()?, branch.get_operand(2)?.block()?);
    let alone = |side: BasicBlock<'c>| predecessors.get(&side).is_some_and(|p| p[..] == [head]);
    let end = |side: BasicBlock<'c>| {
        let last = side.get_terminator().filter(|t| t.get_opcode() == Op::Br && t.get_num_operands() == 1)?;
        last.get_operand(0)?.block()
    };
    let is_side = |side| alone(side) && only_computes(side);
    let (meet, from, sides) = if yes == no {
        return None;
    } else if is_side(yes) && end(yes) == Some(no) {
        (no, [yes, head], vec![yes])
    } else if is_side(no) && end(no) == Some(yes) {
        (yes, [head, no], vec![no])
    } else if is_side(yes) && is_side(no) && end(yes).is_some() && end(yes) == end(no) {
        (end(yes)?, [yes, no], vec![yes, no])
    } else {
        return None;
    };
    if meet == head || predecessors.get(&meet)?.len() != 2 {
        return None;
    }
    let mut phis = meet.get_instructions().take_while(|i| i.get_opcode() == Op::Phi);
    let phi = phis.next()?;
    let incoming = phi::incoming_values(phi);
    let values = from.map(|block| incoming.iter().find(|(_, from)| *from == block).map(|(value, _)| *value));
    let [Some(if_so), Some(if_not)] = values else { return None };
    let fits = |v: &BasicValueEnum| {
        let wide = types::wide_width(v.get_type()).is_some();
        let narrow = v.is_int_value() && types::scalar_width(v.get_type()).is_some_and(|w| w > 1);
        narrow || wide
    };
    let constant = |v: &BasicValueEnum| v.is_int_value() && v.into_int_value().is_const();
    let useful = fits(&if_so) && if_so != if_not && !(constant(&if_so) && constant(&if_not));
    (phis.next().is_none() && useful).then_some(Diamond {
        branch,
        condition,
        sides,
        phi,
        values: [if_so, if_not],
    })
}

/// Could the block's code run although its turn never comes, unnoticed?
fn only_computes(side: BasicBlock) -> bool {
    let mut code = side.get_instructions().filter(|i| !i.is_terminator());
    side.get_instructions().count() <= MAX_SIDE + 1
        && code.all(|i| match i.get_opcode() {
            Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor => is_number(i),
            Op::ZExt | Op::SExt | Op::Trunc | Op::ICmp | Op::Select => is_number(i),
            // By a known number of bits: one that depends on the input is checked where it stands.
            Op::Shl | Op::LShr | Op::AShr => {
                let amount = i.get_operand(1).and_then(Operand::value);
                is_number(i) && amount.is_some_and(|a| a.is_int_value() && a.into_int_value().is_const())
            }
            _ => false,
        })
}

fn is_number(instruction: InstructionValue) -> bool {
    instruction.get_type().is_int_type()
}

fn merge<'c>(cx: &Cx<'_, 'c>, numbers: &mut Numbers<'c>, diamond: &Diamond<'c>) -> Result<()> {
    cx.builder.position_before(&diamond.branch);
    for side in &diamond.sides {
        let code: Vec<InstructionValue> = side.get_instructions().filter(|i| !i.is_terminator()).collect();
        for instruction in code {
            instruction.remove_from_basic_block();
            cx.builder.insert_instruction(&instruction, None);
        }
    }
    let [if_so, if_not] = diamond.values;
    let chosen = cx.builder.build_select(diamond.condition, if_so, if_not, "chosen")?;
    let phi = diamond.phi;
    // A choice by a known condition is no instruction, and its branch is no condition either.
    let Some(select) = chosen.as_instruction_value() else { return Ok(()) };
    phi.replace_all_uses_with(&select);
    phi.erase_from_basic_block();
    if let Some(site) = numbers.sites.get(&diamond.branch).copied() {
        numbers.sites.insert(select, site);
        numbers.merged.insert(diamond.branch);
    }
    Ok(())
}
