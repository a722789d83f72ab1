//! The fast copy: the original instructions, with a look at shadow memory where symbolic data can come in.
//!
//! In coverage mode this is the only copy, without the looks.

use crate::abi::*;
use crate::calls;
use crate::cx::Result;
use crate::emit::Emitter;
use crate::memory;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{InstructionOpcode as Op, *};

impl<'c> Emitter<'_, 'c> {
    pub fn emit_fast(&mut self) -> Result<()> {
        let mut phis = Vec::new();
        // From which blocks control really comes, for the phis: (from, to) -> edge blocks.
        let mut edges: Vec<Vec<BasicBlock<'c>>> = Vec::new();
        for b in 0..self.body.blocks.len() {
            let range = self.body.blocks[b].insts.clone();
            for i in range.clone() {
                self.body.insts[i].value.remove_from_basic_block();
            }
            let mut segment = 0;
            self.cx.builder.position_at_end(self.fast[b][0]);
            for i in range {
                let op = self.body.insts[i].op;
                if op == Op::Phi {
                    phis.push((b, i, self.new_phi(i)?));
                } else if self.body.insts[i].value.is_terminator() {
                    edges.push(self.fast_terminator(b, i)?);
                } else {
                    self.fast_instruction(i)?;
                }
                if self.body.insts[i].splits {
                    segment += 1;
                    if self.cx.symbolic {
                        self.fast_split(b, segment, i)?;
                    } else {
                        self.cx.builder.build_unconditional_branch(self.fast[b][segment])?;
                    }
                    self.cx.builder.position_at_end(self.fast[b][segment]);
                }
            }
        }
        self.connect_phis(&phis, &edges)
    }

    /// A phi in place of the original one, whose incoming blocks cannot be changed. The original is kept
    /// aside: the slow copy reads its operands.
    fn new_phi(&mut self, i: usize) -> Result<PhiValue<'c>> {
        let old = self.body.insts[i].value;
        let ty = self.type_of(i).ok_or_else(|| crate::error::Error::Invalid("phi without type".into()))?;
        let phi = self.cx.builder.build_phi(ty, "phi")?;
        // A phi is an instruction.
        let new = phi.as_instruction();
        old.replace_all_uses_with(&new);
        self.body.index.insert(new, i);
        self.phis_now.insert(i, new);
        Ok(phi)
    }

    fn connect_phis(
        &mut self,
        phis: &[(usize, usize, PhiValue<'c>)],
        edges: &[Vec<BasicBlock<'c>>],
    ) -> Result<()> {
        for (to, i, phi) in phis {
            let incoming = crate::phi::incoming_values(self.body.insts[*i].value);
            for (from, block) in self.body.blocks.iter().enumerate() {
                for (k, target) in block.successors.iter().enumerate() {
                    if target == to {
                        // The verifier guarantees an entry for every predecessor.
                        if let Some((value, _)) = incoming.iter().find(|(_, b)| *b == block.block) {
                            phi.add_incoming(&[(value, edges[from][k])]);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Rebuilds a terminator; gives the block from which each successor is entered.
    fn fast_terminator(&mut self, b: usize, i: usize) -> Result<Vec<BasicBlock<'c>>> {
        let cx = self.cx;
        let old = self.body.insts[i].value;
        let targets: Vec<BasicBlock<'c>> =
            self.body.blocks[b].successors.iter().map(|s| self.fast[*s][0]).collect();
        let here = cx.builder.get_insert_block().unwrap_or(self.fast[b][0]);
        match targets.len() {
            0 | 1 => {
                if old.get_opcode() == Op::Return {
                    self.leave_variadic()?;
                }
                cx.builder.insert_instruction(&old, None);
                Ok(vec![here; targets.len()])
            }
            _ => {
                let first = self.numbers.branch_edges[&old];
                let edges: Vec<_> = targets.iter().map(|_| cx.new_block("edge")).collect();
                rebuild_branch(self, old, None, &edges)?;
                let mut ends = Vec::new();
                for (k, (edge, target)) in edges.iter().zip(&targets).enumerate() {
                    cx.builder.position_at_end(*edge);
                    cx.count_edge(first + k as u32)?;
                    ends.push(cx.builder.get_insert_block().unwrap_or(*edge));
                    cx.builder.build_unconditional_branch(*target)?;
                }
                Ok(ends)
            }
        }
    }

    fn fast_instruction(&mut self, i: usize) -> Result<()> {
        let (value, op) = (self.body.insts[i].value, self.body.insts[i].op);
        if !self.cx.symbolic {
            self.cx.builder.insert_instruction(&value, None);
            return Ok(());
        }
        match op {
            Op::Call => calls::fast_call(self, i)?,
            Op::Store => {
                memory::fast_store(self, value)?;
                self.cx.builder.insert_instruction(&value, None);
            }
            Op::AtomicRMW | Op::AtomicCmpXchg => {
                memory::fast_atomic(self, i)?;
                self.cx.builder.insert_instruction(&value, None);
            }
            Op::Alloca => {
                self.cx.builder.insert_instruction(&value, None);
                memory::new_stack_object(self, value)?;
            }
            Op::Load if self.body.insts[i].leaves.is_empty() => {
                self.cx.builder.insert_instruction(&value, None);
                memory::fast_opaque_load(self, i)?;
            }
            _ => self.cx.builder.insert_instruction(&value, None),
        }
        if self.watched.contains(&value) {
            self.watch(i, None)?;
        }
        Ok(())
    }

    /// Record the value of a watched instruction.
    pub fn watch(&mut self, i: usize, label: Option<(BasicValueEnum<'c>, IntValue<'c>)>) -> Result<()> {
        let cx = self.cx;
        let site = cx.label(self.body.insts[i].site);
        let (value, label) = match label {
            Some(known) => known,
            None => match result_value(self.body.insts[i].value) {
                Some(v) => (v, cx.zero()),
                None => return Ok(()),
            },
        };
        let word = cx.as_word(value)?;
        cx.call(cx.abi.watch, &[site.into(), label.into(), word.into()])
    }

    /// After an instruction through which symbolic data can come in: look, and leave if so.
    fn fast_split(&mut self, b: usize, next: usize, i: usize) -> Result<()> {
        let cx = self.cx;
        let (fast, slow) = (self.fast[b][next], self.slow[b][next]);
        let inst = self.body.insts[i].clone();
        let leave = cx.new_block("leave");
        match inst.op {
            Op::Load => memory::fast_look(self, inst.value, leave, fast)?,
            _ => {
                let symbolic = cx.tls_load(TLS_RET)?;
                let symbolic = cx.is_set(symbolic)?;
                cx.branch_unlikely(symbolic, leave, fast)?;
            }
        }
        cx.builder.position_at_end(leave);
        if self.apart.is_some() {
            return self.leave_apart(i, slow);
        }
        let value = result_value(inst.value);
        let labels = self.entering_labels(i, memory::loaded_from(inst.value), value)?;
        for live in self.live.get(&i).cloned().unwrap_or_default() {
            let Some(value) = result_value(self.current(live)) else { continue };
            let zeros = vec![cx.zero(); self.body.insts[live].leaves.len()];
            self.spill(live, value, &zeros)?;
        }
        if let (Some(value), true) = (value, inst.needs_slot) {
            self.spill(i, value, &labels)?;
        }
        cx.builder.build_unconditional_branch(slow)?;
        Ok(())
    }

    /// Labels of the value with which symbolic data came in, computed on the way to the slow copy.
    pub fn entering_labels(
        &mut self,
        i: usize,
        pointer: Option<BasicValueEnum<'c>>,
        value: Option<BasicValueEnum<'c>>,
    ) -> Result<Vec<IntValue<'c>>> {
        let cx = self.cx;
        if let (Some(pointer), Some(value)) = (pointer, value) {
            return memory::found_labels(self, i, pointer, value);
        }
        let labels = calls::take_results(self, &self.body.insts[i].leaves)?;
        if let Some(context) = self.context {
            cx.tls_store(TLS_CONTEXT, context)?;
        }
        Ok(labels)
    }

    /// The instruction that defines a value in the fast copy: a phi has been replaced.
    pub fn current(&self, i: usize) -> InstructionValue<'c> {
        self.phis_now.get(&i).copied().unwrap_or(self.body.insts[i].value)
    }
}

/// The result of an instruction as a value.
pub fn result_value(i: InstructionValue<'_>) -> Option<BasicValueEnum<'_>> {
    BasicValueEnum::try_from(i.as_any_value_enum()).ok()
}

/// A conditional branch or switch like `old` to other targets; `on`: the condition to use instead.
pub fn rebuild_branch<'c>(
    e: &Emitter<'_, 'c>,
    old: InstructionValue<'c>,
    on: Option<IntValue<'c>>,
    targets: &[BasicBlock<'c>],
) -> Result<()> {
    let original = old.get_operand(0).and_then(Operand::value);
    let Some(condition) = on.or(original.map(|v| v.into_int_value())) else {
        return Err(crate::error::Error::Invalid("branch without condition".into()));
    };
    if old.get_opcode() == Op::Br {
        e.cx.builder.build_conditional_branch(condition, targets[0], targets[1])?;
        return Ok(());
    }
    let values = old.get_operands().flatten().filter_map(Operand::value).skip(1);
    let cases: Vec<_> = values.map(|v| v.into_int_value()).zip(targets[1..].iter().copied()).collect();
    e.cx.builder.build_switch(condition, targets[0], &cases)?;
    Ok(())
}
