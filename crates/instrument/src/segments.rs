//! Dependence mode: what a function records, before anything is changed.
//!
//! In: the cleaned-up module. Out: the [`DependenceMap`] and, for every segment, where its record is begun and which
//! words are stored where. A segment is a part of a block that runs without a call in between, so that the records of
//! a callee come between those of its caller's segments.
//!
//! Always holds: numbers are those of docs/internals.md; a word is stored before the instruction that it speaks
//! of (for a stack variable on the heap of the frame: right after), so that an access that faults is in the trace.

use crate::gaps::{self, called, Called};
use crate::number::Watch;
use crate::types;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::BasicType;
use inkwell::values::*;
use parallax_trace::dependence::records::{EXTERNAL, MAX_SEGMENT_WORDS, VALUE_MASK};
use parallax_trace::dependence::{DependenceMap, Step, StepKind};
use std::collections::{HashMap, HashSet};

/// One segment's record.
pub struct Segment<'c> {
    pub number: u32,
    /// The record begins before this instruction.
    pub start: InstructionValue<'c>,
    pub words: Vec<Word<'c>>,
}

/// A word of a record: `value * scale ^ mask`, stored before an instruction.
pub struct Word<'c> {
    pub before: InstructionValue<'c>,
    pub value: BasicValueEnum<'c>,
    pub scale: u64,
    pub mask: u64,
}

pub struct Plan<'c> {
    pub map: DependenceMap,
    pub segments: Vec<Segment<'c>>,
}

/// Plans the whole module. Of functions with a watched instruction all values are recorded.
pub fn plan<'c>(module: &Module<'c>, layout: &TargetData, watch: &Watch) -> Plan<'c> {
    let mut planner = Planner {
        layout,
        watched: watch.iter().map(|(function, _)| function.clone()).collect(),
        values: false,
        map: DependenceMap::default(),
        segments: Vec::new(),
        numbers: HashMap::new(),
        open: false,
        function: 0,
        instructions: 0,
        blocks: 0,
    };
    let defined: Vec<_> = module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect();
    planner.numbers = defined.iter().copied().zip(0..).collect();
    for (f, number) in defined.into_iter().zip(0..) {
        planner.function(f, number);
    }
    planner.map.first_block.push(planner.blocks);
    planner.map.first_instruction.push(planner.instructions);
    planner.map.globals = module.get_globals().map(|g| g.get_name().to_string_lossy().into_owned()).collect();
    Plan { map: planner.map, segments: planner.segments }
}

struct Planner<'a, 'c> {
    layout: &'a TargetData,
    /// Functions of which values are recorded; and whether this is one.
    watched: HashSet<String>,
    values: bool,
    map: DependenceMap,
    segments: Vec<Segment<'c>>,
    /// Of functions with a body by position, of others with [`EXTERNAL`] by the order in which they are met.
    numbers: HashMap<FunctionValue<'c>, u32>,
    /// More steps can be added to the last segment.
    open: bool,
    function: u32,
    instructions: u32,
    blocks: u32,
}

/// Is this a debug intrinsic, which has no number?
pub fn is_debug(i: InstructionValue) -> bool {
    i.get_opcode() == InstructionOpcode::Call
        && matches!(called(i), Called::Function(f) if f.get_name().to_bytes().starts_with(b"llvm.dbg."))
}

/// Can this call come back more than once?
fn returns_twice(call: InstructionValue) -> bool {
    let kind = Attribute::get_named_enum_kind_id("returns_twice");
    let of_function = match called(call) {
        Called::Function(f) => f.get_enum_attribute(AttributeLoc::Function, kind).is_some(),
        _ => false,
    };
    let of_call = |site: CallSiteValue| site.get_enum_attribute(AttributeLoc::Function, kind).is_some();
    of_function || CallSiteValue::try_from(call).is_ok_and(of_call)
}

fn operand(i: InstructionValue<'_>, k: u32) -> Option<BasicValueEnum<'_>> {
    i.get_operand(k).and_then(Operand::value)
}

impl<'c> Planner<'_, 'c> {
    fn function(&mut self, f: FunctionValue<'c>, number: u32) {
        self.function = number;
        let name = f.get_name().to_string_lossy().into_owned();
        self.values = self.watched.contains(&name);
        self.map.functions.push(name);
        self.map.first_block.push(self.blocks);
        self.map.first_instruction.push(self.instructions);
        let naked = Attribute::get_named_enum_kind_id("naked");
        let recorded = f.get_enum_attribute(AttributeLoc::Function, naked).is_none();
        for (k, block) in f.get_basic_block_iter().enumerate() {
            let instructions: Vec<InstructionValue<'c>> =
                block.get_instructions().filter(|i| !is_debug(*i)).collect();
            if recorded {
                self.block(f, &instructions, k == 0);
            }
            self.instructions += instructions.len() as u32;
            self.blocks += 1;
        }
    }

    /// The record begins after what must be first in a block, and in the entry block after the stack
    /// variables: code in front of one would make its size dynamic.
    fn block(&mut self, f: FunctionValue<'c>, instructions: &[InstructionValue<'c>], entry: bool) {
        use InstructionOpcode as Op;
        let leading = |i: &InstructionValue| match i.get_opcode() {
            Op::Phi | Op::LandingPad => true,
            Op::Alloca => entry,
            _ => false,
        };
        let first = instructions.iter().position(|i| !leading(i)).unwrap_or(0);
        let start = instructions[first];
        self.begin(start);
        if entry {
            self.step(StepKind::Enter, self.function, self.function.into(), start, []);
        }
        self.step(StepKind::Block, 0, self.blocks.into(), start, []);
        if entry {
            self.arguments(f, start);
        }
        for (k, i) in instructions[..first].iter().enumerate() {
            self.stack(*i, self.instructions + k as u32, start);
            self.result(*i, self.instructions + k as u32, start);
        }
        let mut tail = false;
        for (k, i) in instructions.iter().enumerate().skip(first) {
            if tail {
                break;
            }
            let after = instructions.get(k + 1).copied().unwrap_or(*i);
            self.instruction(*i, self.instructions + k as u32, after);
            tail = matches!(i.get_tail_call_kind(), Ok(LLVMTailCallKind::LLVMTailCallKindMustTail))
                && i.get_opcode() == Op::Call;
            // What must be the last call of a function has nothing behind it, and neither has the end of a block.
            if !tail && after != *i {
                self.result(*i, self.instructions + k as u32, after);
            }
        }
        self.open = false;
    }

    fn begin(&mut self, start: InstructionValue<'c>) {
        let number = self.map.segments.len() as u32;
        self.map.segments.push(self.function);
        self.map.ends.push(self.map.steps.len() as u32);
        self.segments.push(Segment { number, start, words: Vec::new() });
        self.open = true;
    }

    fn step<const N: usize>(
        &mut self,
        kind: StepKind,
        instruction: u32,
        value: u64,
        before: InstructionValue<'c>,
        words: [(BasicValueEnum<'c>, u64); N],
    ) {
        debug_assert_eq!(kind.words(), N);
        let full = self.segments.last().is_none_or(|s| s.words.len() + N + 1 > MAX_SEGMENT_WORDS);
        if !self.open || full {
            self.begin(before);
        }
        self.map.steps.push(Step { kind, instruction, value });
        if let (Some(end), Some(segment)) = (self.map.ends.last_mut(), self.segments.last_mut()) {
            *end = self.map.steps.len() as u32;
            let mask = match kind {
                StepKind::Value | StepKind::Parameter => VALUE_MASK,
                _ => 0,
            };
            segment.words.extend(words.map(|(value, scale)| Word { before, value, scale, mask }));
        }
    }

    /// Structs passed by value are objects of the callee.
    fn arguments(&mut self, f: FunctionValue<'c>, start: InstructionValue<'c>) {
        let kind = Attribute::get_named_enum_kind_id("byval");
        for (k, parameter) in f.get_param_iter().enumerate() {
            let attribute = f.get_enum_attribute(AttributeLoc::Param(k as u32), kind);
            if let Some(bytes) = self.size_named(attribute) {
                self.step(StepKind::Argument, k as u32, bytes, start, [(parameter, 1)]);
            }
            if self.values && self.is_word(parameter) {
                self.step(StepKind::Parameter, k as u32, self.function.into(), start, [(parameter, 1)]);
            }
        }
    }

    /// Can a word hold it: a number or an address?
    fn is_word(&self, value: BasicValueEnum<'c>) -> bool {
        match value {
            BasicValueEnum::IntValue(v) => v.get_type().get_bit_width() <= u64::BITS,
            BasicValueEnum::PointerValue(_) => true,
            BasicValueEnum::FloatValue(v) => matches!(self.layout.get_store_size(&v.get_type()), 4 | 8),
            _ => false,
        }
    }

    /// The value that an instruction computes. A stack variable is told of with its size, an `invoke` has two places behind it.
    fn result(&mut self, i: InstructionValue<'c>, number: u32, after: InstructionValue<'c>) {
        use InstructionOpcode as Op;
        if !self.values || matches!(i.get_opcode(), Op::Alloca | Op::Invoke | Op::CallBr | Op::LandingPad) {
            return;
        }
        let value = match i.as_any_value_enum() {
            AnyValueEnum::IntValue(v) => v.into(),
            AnyValueEnum::PointerValue(v) => v.into(),
            AnyValueEnum::FloatValue(v) => v.into(),
            AnyValueEnum::PhiValue(v) => v.as_basic_value(),
            _ => return,
        };
        if self.is_word(value) {
            self.step(StepKind::Value, number, 0, after, [(value, 1)]);
        }
    }

    /// Size of the type that an attribute names.
    fn size_named(&self, attribute: Option<Attribute>) -> Option<u64> {
        let attribute = attribute?;
        let ty = types::basic(attribute.get_type_value())?;
        Some(self.layout.get_abi_size(&ty))
    }

    fn stack(&mut self, i: InstructionValue<'c>, number: u32, before: InstructionValue<'c>) {
        if i.get_opcode() != InstructionOpcode::Alloca {
            return;
        }
        let (Ok(pointer), Ok(ty)) = (PointerValue::try_from(i), i.get_allocated_type()) else { return };
        let element = self.layout.get_abi_size(&ty.as_basic_type_enum());
        let at = (pointer.into(), 1);
        match operand(i, 0) {
            Some(BasicValueEnum::IntValue(n)) if n.is_const() => {
                let bytes = element.saturating_mul(n.get_zero_extended_constant().unwrap_or(1));
                self.step(StepKind::Stack, number, bytes, before, [at]);
            }
            Some(n) => self.step(StepKind::StackDynamic, number, 0, before, [at, (n, element)]),
            None => self.step(StepKind::Stack, number, element, before, [at]),
        }
    }

    fn access(&mut self, kind: StepKind, i: InstructionValue<'c>, number: u32, address: u32, bytes: u64) {
        if let Some(address) = operand(i, address) {
            self.step(kind, number, bytes, i, [(address, 1)]);
        }
    }

    fn instruction(&mut self, i: InstructionValue<'c>, number: u32, after: InstructionValue<'c>) {
        use InstructionOpcode as Op;
        let size_of_operand =
            |k| operand(i, k).map_or(0, |v: BasicValueEnum| self.layout.get_store_size(&v.get_type()));
        match i.get_opcode() {
            Op::Load => {
                let bytes = types::basic(i.get_type()).map_or(0, |ty| self.layout.get_store_size(&ty));
                self.access(StepKind::Load, i, number, 0, bytes)
            }
            Op::Store => self.access(StepKind::Store, i, number, 1, size_of_operand(0)),
            Op::AtomicRMW | Op::AtomicCmpXchg => {
                self.access(StepKind::Update, i, number, 0, size_of_operand(1))
            }
            Op::Alloca => self.stack(i, number, after),
            Op::Call => {
                self.call(i, number);
                if returns_twice(i) {
                    self.step(StepKind::Again, number, 0, after, []);
                }
            }
            Op::Invoke => self.call(i, number),
            Op::CallBr => self.step(StepKind::Assembler, number, 0, i, []),
            Op::Return => self.step(StepKind::Return, number, 0, i, []),
            _ => {}
        }
    }

    fn call(&mut self, i: InstructionValue<'c>, number: u32) {
        match called(i) {
            Called::Function(f) if f.get_name().to_bytes().starts_with(b"llvm.") => {
                return self.intrinsic(i, &f.get_name().to_string_lossy(), number)
            }
            Called::Assembler => return self.step(StepKind::Assembler, number, 0, i, []),
            Called::Function(f) => {
                self.structs(i, number);
                let callee = self.callee(f);
                self.step(StepKind::Call, number, callee.into(), i, []);
            }
            Called::Pointer => {
                self.structs(i, number);
                let callee = gaps::called_value(i);
                self.step(StepKind::CallPointer, number, 0, i, [(callee, 1)]);
            }
        }
        self.open = false;
    }

    /// A struct passed by value is read by the call.
    fn structs(&mut self, i: InstructionValue<'c>, number: u32) {
        let Ok(site) = CallSiteValue::try_from(i) else { return };
        let kind = Attribute::get_named_enum_kind_id("byval");
        for k in 0..site.count_arguments() {
            let attribute = site.get_enum_attribute(AttributeLoc::Param(k), kind);
            if let Some(bytes) = self.size_named(attribute) {
                self.access(StepKind::Load, i, number, k, bytes);
            }
        }
    }

    fn callee(&mut self, f: FunctionValue<'c>) -> u32 {
        let next = EXTERNAL | self.map.external.len() as u32;
        let number = *self.numbers.entry(f).or_insert(next);
        if number == next {
            self.map.external.push(f.get_name().to_string_lossy().into_owned());
        }
        number
    }

    fn intrinsic(&mut self, i: InstructionValue<'c>, name: &str, number: u32) {
        /// `va_list` of this machine.
        const LIST: u64 = 24;
        let starts = |prefix: &str| name.starts_with(prefix);
        let get = |k| operand(i, k).map(|v| (v, 1));
        if starts("llvm.memcpy") || starts("llvm.memmove") {
            if let (Some(to), Some(from), Some(bytes)) = (get(0), get(1), get(2)) {
                self.step(StepKind::Copy, number, 0, i, [to, from, bytes]);
            }
        } else if starts("llvm.memset") {
            if let (Some(to), Some(bytes)) = (get(0), get(2)) {
                self.step(StepKind::Fill, number, 0, i, [to, bytes]);
            }
        } else if starts("llvm.va_start") {
            self.access(StepKind::Store, i, number, 0, LIST);
        } else if starts("llvm.va_copy") {
            self.access(StepKind::Load, i, number, 1, LIST);
            self.access(StepKind::Store, i, number, 0, LIST);
        }
    }
}
