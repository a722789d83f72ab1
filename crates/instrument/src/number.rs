//! Numbering: functions, blocks, sites and edges of the cleaned-up module, with their source places.
//!
//! In: the module with debug information, models linked in. Out: a [`ProgramMap`] for readers and
//! the numbers by instruction for the emitter. Depends on the module only, not on the mode.

use crate::gaps::{self, called, Called};
use inkwell::module::Module;
use inkwell::values::{
    AnyValueEnum, BasicValueEnum, FunctionValue, InstructionOpcode as Op, InstructionValue, Operand,
};
use parallax_trace::sites::*;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub struct Numbers<'c> {
    pub map: ProgramMap,
    pub sites: HashMap<InstructionValue<'c>, u32>,
    /// First edge number of a function (its entry edge).
    pub entry_edge: HashMap<FunctionValue<'c>, u32>,
    /// First edge number of a terminator with several successors.
    pub branch_edges: HashMap<InstructionValue<'c>, u32>,
    /// Conditions that move a pointer.
    pub steps: HashSet<InstructionValue<'c>>,
    /// Branches that are not part of the path; see [`crate::merge`].
    pub merged: HashSet<InstructionValue<'c>>,
    files: HashMap<String, u32>,
}

/// Instructions to be watched: function name and index of the instruction in the function.
pub type Watch = std::collections::BTreeSet<(String, u32)>;

/// Numbers of `module` go on where `before` (the models' map) ends.
pub fn number<'c>(module: &Module<'c>, before: ProgramMap, watch: &Watch) -> Numbers<'c> {
    let files = before.files.iter().cloned().zip(0..).collect();
    let mut n = Numbers { map: before, files, ..Numbers::default() };
    let defined: Vec<_> = module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect();
    for function in &defined {
        n.function(*function);
    }
    // Watched sites come last, so that watching does not change the other numbers.
    for function in &defined {
        n.watched(*function, watch);
    }
    n
}

impl<'c> Numbers<'c> {
    fn file(&mut self, name: String) -> u32 {
        let next = self.files.len() as u32;
        let number = *self.files.entry(name.clone()).or_insert(next);
        if number == next {
            self.map.files.push(name);
        }
        number
    }

    fn function(&mut self, function: FunctionValue<'c>) {
        let name = function.get_name().to_string_lossy().into_owned();
        let place = gaps::function_place(function);
        let line = place.as_ref().map_or(0, |p| p.1);
        let file = place.map(|p| self.file(p.0));
        let number = self.map.functions.len() as u32;
        self.map.functions.push(FunctionInfo { model: crate::models::is_model(&name), name, file, line });
        let first_block = self.map.blocks.len() as u32;
        let blocks: HashMap<_, _> =
            function.get_basic_block_iter().enumerate().map(|(i, b)| (b, first_block + i as u32)).collect();
        self.entry_edge.insert(function, self.map.edges.len() as u32);
        self.map.edges.push(EdgeInfo { from: first_block, to: first_block });
        let mut index = 0;
        for block in function.get_basic_block_iter() {
            let block_number = blocks[&block];
            let line =
                block.get_instructions().find_map(|i| i.get_debug_location()).map_or(0, |l| l.get_line());
            self.map.blocks.push(BlockInfo { function: number, line });
            for instruction in block.get_instructions() {
                self.instruction(instruction, block_number, index);
                index += 1;
            }
            if let Some(t) = block.get_terminator() {
                self.edges(t, block_number, &|b| blocks[&b]);
            }
        }
    }

    fn instruction(&mut self, instruction: InstructionValue<'c>, block: u32, index: u32) {
        let Some(kind) = site_kind(instruction) else { return };
        let mut info = site_info(instruction, kind, block, index);
        if kind == SiteKind::Switch {
            info.cases = switch_cases(instruction);
        }
        if kind == SiteKind::Call {
            if let Called::Function(f) = called(instruction) {
                info.callee = Some(f.get_name().to_string_lossy().into_owned());
            }
        }
        if matches!(instruction.get_opcode(), Op::ZExt | Op::SExt) {
            self.steps.insert(instruction);
        }
        self.sites.insert(instruction, self.map.sites.len() as u32);
        self.map.sites.push(info);
    }

    fn edges(
        &mut self,
        terminator: InstructionValue<'c>,
        from: u32,
        number: &dyn Fn(inkwell::basic_block::BasicBlock<'c>) -> u32,
    ) {
        let mut targets: Vec<_> = terminator.get_operands().flatten().filter_map(Operand::block).collect();
        if targets.len() < 2 {
            return;
        }
        if terminator.get_opcode() == Op::Br {
            targets.reverse();
        }
        self.branch_edges.insert(terminator, self.map.edges.len() as u32);
        for target in targets {
            self.map.edges.push(EdgeInfo { from, to: number(target) });
        }
    }

    fn watched(&mut self, function: FunctionValue<'c>, watch: &Watch) {
        let name = function.get_name().to_string_lossy().into_owned();
        if !watch.iter().any(|(f, _)| *f == name) {
            return;
        }
        let all = function.get_basic_block_iter().flat_map(|b| b.get_instructions());
        for (index, instruction) in all.enumerate() {
            if watch.contains(&(name.clone(), index as u32)) && !self.sites.contains_key(&instruction) {
                let site = site_info(instruction, SiteKind::Other, 0, index as u32);
                self.sites.insert(instruction, self.map.sites.len() as u32);
                self.map.sites.push(site);
            }
        }
    }
}

fn site_info(instruction: InstructionValue, kind: SiteKind, block: u32, index: u32) -> SiteInfo {
    let location = instruction.get_debug_location();
    SiteInfo {
        kind,
        block,
        instruction: index,
        line: location.as_ref().map_or(0, |l| l.get_line()),
        column: location.as_ref().map_or(0, |l| l.get_column()),
        cases: Vec::new(),
        callee: None,
    }
}

/// A condition that is added to a pointer (`p += c == '-'`).
fn is_boolean_step(extension: InstructionValue) -> bool {
    let from = extension.get_operand(0).and_then(Operand::value);
    let boolean = matches!(from, Some(BasicValueEnum::IntValue(v)) if v.get_type().get_bit_width() == 1);
    boolean && moves_pointer(extension, CASTS_FOLLOWED)
}

/// Casts between a condition and the pointer that it moves.
const CASTS_FOLLOWED: u32 = 2;

fn moves_pointer(value: InstructionValue, casts: u32) -> bool {
    let mut uses = std::iter::successors(value.get_first_use(), |u| u.get_next_use());
    uses.any(|u| match u.get_user() {
        AnyValueEnum::PointerValue(p) => {
            p.as_instruction().is_some_and(|i| i.get_opcode() == Op::GetElementPtr)
        }
        AnyValueEnum::IntValue(v) if casts > 0 => v
            .as_instruction()
            .is_some_and(|i| matches!(i.get_opcode(), Op::ZExt | Op::SExt) && moves_pointer(i, casts - 1)),
        _ => false,
    })
}

fn site_kind(instruction: InstructionValue) -> Option<SiteKind> {
    match instruction.get_opcode() {
        Op::Br if instruction.get_num_operands() > 1 => Some(SiteKind::Branch),
        Op::Switch => Some(SiteKind::Switch),
        Op::Load | Op::AtomicRMW | Op::AtomicCmpXchg => Some(SiteKind::Load),
        Op::Store => Some(SiteKind::Store),
        Op::Call => Some(SiteKind::Call),
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::Shl | Op::LShr | Op::AShr => {
            Some(SiteKind::Arithmetic)
        }
        Op::ZExt | Op::SExt if is_boolean_step(instruction) => Some(SiteKind::Other),
        Op::Select => Some(SiteKind::Other),
        Op::SIToFP | Op::UIToFP | Op::InsertElement | Op::ShuffleVector => Some(SiteKind::Other),
        _ => None,
    }
}

/// Case values of a switch, zero-extended, in order.
pub fn switch_cases(switch: InstructionValue) -> Vec<u64> {
    let values = switch.get_operands().flatten().filter_map(Operand::value).skip(1);
    values.filter_map(|v| v.into_int_value().get_zero_extended_constant()).collect()
}
