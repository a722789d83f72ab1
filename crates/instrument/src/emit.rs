//! Rewriting one function into its two copies (docs/internals.md).
//!
//! In: a recorded [`Body`]. Out: the same function with a new entry block and a fast copy made of the
//! original instructions; a slow copy made of clones with labels, in a function of its own where possible
//! ([`crate::apart`]), else in the same one. Values of the slow copy live in stack slots, which the optimiser turns
//! into phis; the fast copy itself never reads them.

use crate::abi::*;
use crate::apart::{can_be_apart, Apart};
use crate::body::{live_after_splits, Body};
use crate::cx::{Cx, Result};
use crate::number::Numbers;
use crate::types;
use inkwell::basic_block::BasicBlock;
use inkwell::types::BasicTypeEnum;
use inkwell::values::*;
use std::collections::{HashMap, HashSet};

/// A value of the slow copy with the labels of its leaves.
#[derive(Clone)]
pub struct Labelled<'c> {
    pub value: BasicValueEnum<'c>,
    pub labels: Vec<IntValue<'c>>,
}

/// Stack slots of a value that crosses segments.
pub struct Slot<'c> {
    pub value: PointerValue<'c>,
    pub labels: Vec<PointerValue<'c>>,
}

pub struct Emitter<'a, 'c> {
    pub cx: &'a Cx<'a, 'c>,
    pub numbers: &'a Numbers<'c>,
    pub function: FunctionValue<'c>,
    pub body: Body<'c>,
    pub live: HashMap<usize, Vec<usize>>,
    /// Functions left as they were.
    pub opaque: &'a HashSet<FunctionValue<'c>>,
    /// Instructions to be watched.
    pub watched: &'a HashSet<InstructionValue<'c>>,
    /// This function is one of Parallax's own models.
    pub model: bool,
    /// New entry block; slots are made here.
    pub entry: BasicBlock<'c>,
    entry_builder: inkwell::builder::Builder<'c>,
    /// Stands in the entry block of the function that holds the slow copy.
    slot_builder: inkwell::builder::Builder<'c>,
    /// First block after the entry.
    begin: Option<BasicBlock<'c>>,
    /// There is a slow copy: symbolic data can come in.
    twofold: bool,
    /// The slow copy is a function of its own.
    pub apart: Option<Apart<'c>>,
    pub fast: Vec<Vec<BasicBlock<'c>>>,
    pub slow: Vec<Vec<BasicBlock<'c>>>,
    slots: HashMap<usize, Slot<'c>>,
    /// The fast copy's phis, by the number of the original one.
    pub phis_now: HashMap<usize, InstructionValue<'c>>,
    /// Label slots of the parameters' leaves.
    pub parameters: Vec<Vec<PointerValue<'c>>>,
    /// What the slow segment being emitted has defined so far.
    pub local: HashMap<usize, Labelled<'c>>,
    /// Calling context of this activation.
    pub context: Option<IntValue<'c>>,
    /// Labels of the variadic part of this call.
    pub va_labels: Option<PointerValue<'c>>,
}

impl<'a, 'c> Emitter<'a, 'c> {
    pub fn new(
        cx: &'a Cx<'a, 'c>,
        numbers: &'a Numbers<'c>,
        function: FunctionValue<'c>,
        opaque: &'a HashSet<FunctionValue<'c>>,
        watched: &'a HashSet<InstructionValue<'c>>,
        model: bool,
    ) -> Self {
        let body = Body::record(function, &numbers.sites);
        let live = if cx.symbolic { live_after_splits(&body) } else { HashMap::new() };
        let first = body.blocks[0].block;
        let entry = cx.context.prepend_basic_block(first, "plx.entry");
        let entry_builder = cx.context.create_builder();
        entry_builder.position_at_end(entry);
        let slot_builder = cx.context.create_builder();
        slot_builder.position_at_end(entry);
        let labelled = |p: BasicValueEnum| !types::leaves(p.get_type()).is_empty();
        let enters = body.insts.iter().any(|i| i.splits) || function.get_param_iter().any(labelled);
        Emitter {
            cx,
            numbers,
            function,
            body,
            live,
            opaque,
            watched,
            model,
            entry,
            entry_builder,
            slot_builder,
            begin: None,
            twofold: cx.symbolic && enters,
            apart: None,
            fast: vec![],
            slow: vec![],
            slots: HashMap::new(),
            phis_now: HashMap::new(),
            parameters: vec![],
            local: HashMap::new(),
            context: None,
            va_labels: None,
        }
    }

    /// Rewrite the function.
    pub fn run(mut self) -> Result<()> {
        self.move_allocas();
        if self.twofold && can_be_apart(&self) {
            let builder = self.cx.context.create_builder();
            builder.position_at_end(self.entry);
            self.slot_builder = self.start_apart(&builder)?;
        }
        self.make_blocks();
        if self.cx.symbolic {
            self.prepare_entry()?;
        }
        self.emit_fast()?;
        self.finish_entry()?;
        if self.twofold {
            if let Some(context) = self.context {
                self.call_apart(context)?;
            }
            self.context = self.context_apart().or(self.context);
            self.emit_slow()?;
            self.enter_apart()?;
        }
        self.bury()?;
        self.close_entry()
    }

    fn move_allocas(&mut self) {
        for alloca in &self.body.allocas {
            alloca.remove_from_basic_block();
            self.entry_builder.insert_instruction(alloca, None);
        }
    }

    fn make_blocks(&mut self) {
        let context = self.cx.context;
        let home = self.apart.as_ref().map_or(self.function, |a| a.function);
        for block in &self.body.blocks {
            let mut fast = vec![block.block];
            let mut slow = vec![];
            for s in 0..block.segments {
                if self.twofold {
                    slow.push(context.append_basic_block(home, "slow"));
                }
                if s > 0 {
                    let previous = fast[s - 1];
                    fast.push(context.insert_basic_block_after(previous, "fast"));
                }
            }
            self.fast.push(fast);
            self.slow.push(slow);
        }
    }

    /// Slots of an instruction, made on first use.
    pub fn slot(&mut self, inst: usize) -> Result<&Slot<'c>> {
        if !self.slots.contains_key(&inst) {
            let info = &self.body.insts[inst];
            // Only instructions with a first-class result get here.
            let ty = types::basic(info.value.get_type())
                .ok_or_else(|| crate::error::Error::Invalid("slot for a value without type".into()))?;
            let value = self.slot_builder.build_alloca(ty, "v")?;
            let labels = (0..info.leaves.len())
                .map(|_| self.slot_builder.build_alloca(self.cx.i32(), "l"))
                .collect::<std::result::Result<_, _>>()?;
            self.slots.insert(inst, Slot { value, labels });
        }
        Ok(&self.slots[&inst])
    }

    /// Store a value and its labels into its slots.
    pub fn spill(&mut self, inst: usize, value: BasicValueEnum<'c>, labels: &[IntValue<'c>]) -> Result<()> {
        let builder = self.cx.builder;
        let slot = self.slot(inst)?;
        builder.build_store(slot.value, value)?;
        for (at, label) in slot.labels.iter().zip(labels) {
            builder.build_store(*at, *label)?;
        }
        Ok(())
    }

    /// A value of the slow copy by instruction number.
    pub fn fetch(&mut self, inst: usize) -> Result<Labelled<'c>> {
        if let Some(known) = self.local.get(&inst) {
            return Ok(known.clone());
        }
        let (cx, ty) = (self.cx, types::basic(self.body.insts[inst].value.get_type()));
        let ty = ty.ok_or_else(|| crate::error::Error::Invalid("operand without type".into()))?;
        let slot = self.slot(inst)?;
        let value = cx.builder.build_load(ty, slot.value, "v")?;
        let labels = slot
            .labels
            .iter()
            .map(|at| Ok(cx.builder.build_load(cx.i32(), *at, "l")?.into_int_value()))
            .collect::<Result<_>>()?;
        let known = Labelled { value, labels };
        self.local.insert(inst, known.clone());
        Ok(known)
    }

    /// An operand in the slow copy: instructions from their clones, everything else as it is.
    pub fn operand(&mut self, value: BasicValueEnum<'c>) -> Result<Labelled<'c>> {
        if let Some(inst) = value.as_instruction_value().and_then(|v| self.body.index.get(&v).copied()) {
            return self.fetch(inst);
        }
        let leaves = types::leaves(value.get_type());
        let mut labels = vec![self.cx.zero(); leaves.len()];
        if let Some(parameter) = self.parameter_number(value) {
            for (label, at) in labels.iter_mut().zip(&self.parameters[parameter]) {
                *label = self.cx.builder.build_load(self.cx.i32(), *at, "pl")?.into_int_value();
            }
        }
        Ok(Labelled { value: self.here(value), labels })
    }

    pub fn parameter_number(&self, value: BasicValueEnum<'c>) -> Option<usize> {
        self.function.get_param_iter().position(|p| p == value)
    }

    /// Label slots for the parameters, the calling context, variadic labels, struct arguments.
    fn prepare_entry(&mut self) -> Result<()> {
        let (cx, b) = (self.cx, &self.entry_builder);
        for parameter in self.function.get_param_iter() {
            let slots = types::leaves(parameter.get_type())
                .iter()
                .map(|_| Ok(self.slot_builder.build_alloca(cx.i32(), "pl")?))
                .collect::<Result<Vec<_>>>()?;
            self.parameters.push(slots);
        }
        let at = b.build_struct_gep(cx.abi.tls_type, cx.abi.tls.as_pointer_value(), TLS_CONTEXT, "tls")?;
        self.context = Some(b.build_load(cx.i32(), at, "context")?.into_int_value());
        if self.function.get_type().is_var_arg() {
            let block = cx.i64().array_type(VA_BLOCK_WORDS);
            self.va_labels = Some(b.build_alloca(block, "va.labels")?);
        }
        Ok(())
    }

    /// Before a return: the stack slots of the variadic arguments are the caller's again, who fills them
    /// without telling. Not at `va_end`: a copy of the list may live longer.
    pub fn leave_variadic(&self) -> Result<()> {
        match self.va_labels {
            Some(labels) => self.cx.call(self.cx.abi.va_end, &[labels.into()]),
            None => Ok(()),
        }
    }

    /// Where control first goes: the block after the entry's last one, which is not closed yet because slots
    /// are still being made in it.
    fn finish_entry(&mut self) -> Result<()> {
        let cx = self.cx;
        let begin = cx.context.insert_basic_block_after(self.entry, "plx.begin");
        self.begin = Some(begin);
        cx.builder.position_at_end(begin);
        cx.count_edge(self.numbers.entry_edge[&self.function])?;
        if !cx.symbolic {
            cx.builder.build_unconditional_branch(self.fast[0][0])?;
            return Ok(());
        }
        self.clear_frame()?;
        if self.function.get_param_iter().all(|p| types::leaves(p.get_type()).is_empty()) {
            cx.builder.build_unconditional_branch(self.fast[0][0])?;
            return Ok(());
        }
        let args = cx.tls_load(TLS_ARGS)?;
        let symbolic = cx.is_set(args)?;
        let take = cx.new_block("take.labels");
        cx.branch_unlikely(symbolic, take, self.fast[0][0])?;
        cx.builder.position_at_end(take);
        if self.apart.is_some() {
            return self.go_apart(None, self.slow[0][0]);
        }
        self.take_arguments()?;
        cx.builder.build_unconditional_branch(self.slow[0][0])?;
        Ok(())
    }

    /// All slots are made: from the entry block to the first of the rest.
    fn close_entry(&mut self) -> Result<()> {
        self.cx.builder.position_at_end(self.entry);
        if self.apart.is_none() {
            self.zero_parameter_labels()?;
        }
        if let Some(begin) = self.begin {
            self.cx.builder.build_unconditional_branch(begin)?;
        }
        Ok(())
    }

    pub fn zero_parameter_labels(&self) -> Result<()> {
        for at in self.parameters.iter().flatten() {
            self.cx.builder.build_store(*at, self.cx.zero())?;
        }
        Ok(())
    }

    /// The frame's memory may carry labels of earlier frames.
    fn clear_frame(&mut self) -> Result<()> {
        let cx = self.cx;
        for alloca in &self.body.allocas {
            let Ok(ty) = alloca.get_allocated_type() else { continue };
            let count = match alloca.get_operand(0) {
                Some(Operand::Value(v)) => v.into_int_value().get_zero_extended_constant().unwrap_or(1),
                _ => 1,
            };
            let len = cx.layout.get_abi_size(&ty) * count;
            // The instruction is an alloca, so its value is a pointer.
            if let Ok(pointer) = PointerValue::try_from(*alloca) {
                let address = cx.as_word(pointer.into())?;
                if (2..=MAX_TABLE).contains(&len) && matches!(ty, BasicTypeEnum::ArrayType(_)) {
                    self.announce_array(address, len)?;
                }
                if len <= 4096 {
                    let end = cx.builder.build_int_add(address, cx.word(len.max(1) - 1), "end")?;
                    let first = cx.has_shadow(address)?;
                    let last = cx.has_shadow(end)?;
                    let any = cx.builder.build_or(first, last, "any")?;
                    cx.when(any, || cx.call(cx.abi.clear, &[address.into(), cx.word(len).into()]))?;
                } else {
                    cx.call(cx.abi.clear, &[address.into(), cx.word(len).into()])?;
                }
            }
        }
        if let Some(labels) = self.va_labels {
            cx.call(cx.abi.va_enter, &[labels.into()])?;
        }
        crate::calls::receive_structs(self)
    }

    /// Tell the runtime about an array on the stack, so that reads through a symbolic index know its extent.
    fn announce_array(&self, address: IntValue<'c>, len: u64) -> Result<()> {
        let (cx, b) = (self.cx, self.cx.builder);
        let bucket = b.build_right_shift(address, cx.word(4), false, "bucket")?;
        let bucket = b.build_and(bucket, cx.word(STACK_OBJECTS - 1), "bucket")?;
        let offset = b.build_left_shift(bucket, cx.word(4), "at")?;
        let base = cx.as_word(cx.abi.stack_objects.as_pointer_value().into())?;
        let pointer = cx.context.ptr_type(inkwell::AddressSpace::default());
        for (at, value) in [(0, address), (8, cx.word(len))] {
            let place = b.build_int_add(base, cx.word(at), "at")?;
            let place = b.build_int_add(place, offset, "at")?;
            let place = b.build_int_to_ptr(place, pointer, "at")?;
            b.build_store(place, value)?;
        }
        Ok(())
    }

    /// Values of this type can be stored in slots.
    pub fn type_of(&self, inst: usize) -> Option<BasicTypeEnum<'c>> {
        types::basic(self.body.insts[inst].value.get_type())
    }
}
