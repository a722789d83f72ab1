//! The slow copy: clones of the original instructions, with labels computed beside values.

use crate::calls;
use crate::cx::Result;
use crate::emit::{Emitter, Labelled};
use crate::fast::{rebuild_branch, result_value};
use crate::memory;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{InstructionOpcode as Op, *};
use inkwell::IntPredicate;
use parallax_trace::format as f;

impl<'c> Emitter<'_, 'c> {
    pub fn emit_slow(&mut self) -> Result<()> {
        for b in 0..self.body.blocks.len() {
            let mut segment = 0;
            self.local.clear();
            self.cx.builder.position_at_end(self.slow[b][0]);
            for i in self.body.blocks[b].insts.clone() {
                if self.body.insts[i].value.is_terminator() {
                    self.slow_terminator(b, i)?;
                } else if self.body.insts[i].op != Op::Phi {
                    self.slow_instruction(i)?;
                }
                if self.body.insts[i].splits {
                    segment += 1;
                    self.cx.builder.build_unconditional_branch(self.slow[b][segment])?;
                    self.cx.builder.position_at_end(self.slow[b][segment]);
                    self.local.clear();
                }
            }
        }
        Ok(())
    }

    /// The original terminators and phis have done their duty.
    pub fn bury(&mut self) -> Result<()> {
        let grave = self.cx.context.append_basic_block(self.function, "grave");
        self.cx.builder.position_at_end(grave);
        for inst in &self.body.insts {
            if inst.value.get_parent().is_none() {
                self.cx.builder.insert_instruction(&inst.value, None);
                inst.value.erase_from_basic_block();
            }
        }
        self.cx.builder.build_unreachable()?;
        Ok(())
    }

    /// A clone of the instruction with the slow copy's operands, not yet inserted.
    pub fn clone_mapped(&mut self, i: usize) -> Result<InstructionValue<'c>> {
        let original = self.body.insts[i].value;
        let clone = original.explicit_clone();
        for k in 0..original.get_num_operands() {
            if let Some(Operand::Value(v)) = original.get_operand(k) {
                if v.as_instruction_value().is_some_and(|v| self.body.index.contains_key(&v)) {
                    let mapped = self.operand(v)?;
                    clone.set_operand(k, mapped.value);
                } else if self.here(v) != v {
                    clone.set_operand(k, self.here(v));
                }
            }
        }
        Ok(clone)
    }

    fn slow_instruction(&mut self, i: usize) -> Result<()> {
        let op = self.body.insts[i].op;
        let clone = self.clone_mapped(i)?;
        if op == Op::Call {
            let labels = calls::slow_call(self, i, clone)?;
            return self.define(i, clone, labels);
        }
        match op {
            Op::Store => memory::slow_store(self, i)?,
            Op::AtomicRMW | Op::AtomicCmpXchg => memory::slow_atomic(self, i)?,
            _ => {}
        }
        self.cx.builder.insert_instruction(&clone, None);
        let labels = match op {
            Op::Store => vec![],
            Op::AtomicRMW | Op::AtomicCmpXchg => vec![self.cx.zero(); self.body.insts[i].leaves.len()],
            Op::Alloca => {
                memory::new_stack_object(self, clone)?;
                vec![self.cx.zero()]
            }
            Op::Load => match result_value(clone) {
                Some(value) => memory::slow_load(self, i, value)?,
                None => vec![],
            },
            _ => self.expression(i, clone)?,
        };
        self.define(i, clone, labels)
    }

    fn define(&mut self, i: usize, clone: InstructionValue<'c>, labels: Vec<IntValue<'c>>) -> Result<()> {
        let Some(value) = result_value(clone) else { return Ok(()) };
        if self.body.insts[i].needs_slot {
            self.spill(i, value, &labels)?;
        }
        if self.watched.contains(&self.body.insts[i].value) {
            let label = labels.first().copied().unwrap_or(self.cx.zero());
            self.watch(i, Some((value, label)))?;
        }
        self.local.insert(i, Labelled { value, labels });
        Ok(())
    }

    /// Operand `k` of the original instruction, in the slow copy.
    pub fn nth(&mut self, i: usize, k: u32) -> Result<Labelled<'c>> {
        let operand = self.body.insts[i].value.get_operand(k).and_then(Operand::value);
        let operand = operand.ok_or_else(|| crate::error::Error::Invalid("missing operand".into()))?;
        self.operand(operand)
    }

    /// Labels of an instruction that neither touches memory nor calls.
    fn expression(&mut self, i: usize, clone: InstructionValue<'c>) -> Result<Vec<IntValue<'c>>> {
        let inst = self.body.insts[i].clone();
        if let Some(labels) = crate::float::expression(self, i, clone)? {
            return Ok(labels);
        }
        if let Some(labels) = crate::wide::expression(self, i)? {
            return Ok(labels);
        }
        match inst.op {
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::UDiv
            | Op::SDiv
            | Op::URem
            | Op::SRem
            | Op::Shl
            | Op::LShr
            | Op::AShr
            | Op::And
            | Op::Or
            | Op::Xor
                if inst.leaves.len() == 1 =>
            {
                Ok(vec![self.binary(i, binary_op(inst.op), false)?])
            }
            Op::ICmp if inst.leaves.len() == 1 => self.comparison(i),
            Op::ZExt
            | Op::SExt
            | Op::Trunc
            | Op::PtrToInt
            | Op::IntToPtr
            | Op::BitCast
            | Op::Freeze
            | Op::AddrSpaceCast
                if inst.leaves.len() == 1 =>
            {
                self.cast(i)
            }
            Op::Select => self.select(i),
            Op::GetElementPtr if inst.leaves.len() == 1 => crate::address::offset(self, i),
            Op::ExtractValue => self.extract_value(i),
            Op::InsertValue => self.insert_value(i),
            _ => self.lose_operands(i),
        }
    }

    /// Anything else (`long double`, vectors, …): the result is concrete, and the trace says so.
    pub fn lose_operands(&mut self, i: usize) -> Result<Vec<IntValue<'c>>> {
        let inst = self.body.insts[i].clone();
        let reason = match inst.op {
            op if crate::float::is_float(op) || op == Op::BitCast => f::CONCRETE_FLOAT,
            Op::InsertElement | Op::ExtractElement | Op::ShuffleVector => f::CONCRETE_VECTOR,
            _ => f::CONCRETE_WIDE,
        };
        for k in 0..inst.value.get_num_operands() {
            if inst.value.get_operand(k).is_some_and(Operand::is_value) {
                for label in self.nth(i, k)?.labels {
                    self.concretise(label, reason, inst.site)?;
                }
            }
        }
        Ok(vec![self.cx.zero(); inst.leaves.len()])
    }

    /// Record that a label is dropped here, if it is one.
    pub fn concretise(&self, label: IntValue<'c>, reason: u16, site: u32) -> Result<()> {
        let cx = self.cx;
        if label.is_const() {
            return Ok(());
        }
        let reason = cx.label(reason as u32);
        cx.call(cx.abi.concretise, &[reason.into(), label.into(), cx.label(site).into()])
    }

    pub fn binary(&mut self, i: usize, op: f::Op, swapped: bool) -> Result<IntValue<'c>> {
        let cx = self.cx;
        let (mut a, mut b) = (self.nth(i, 0)?, self.nth(i, 1)?);
        if swapped {
            std::mem::swap(&mut a, &mut b);
        }
        let (Some(la), Some(lb)) = (a.labels.first().copied(), b.labels.first().copied()) else {
            return Ok(cx.zero());
        };
        let width = crate::types::scalar_width(a.value.get_type()).unwrap_or(64);
        let site = self.body.insts[i].site;
        cx.label_of(&[la, lb], cx.abi.binary, || {
            let what = cx.label(op as u32 | width << 8);
            let (x, y) = (cx.as_word(a.value)?, cx.as_word(b.value)?);
            Ok(vec![what.into(), la.into(), lb.into(), x.into(), y.into(), cx.label(site).into()])
        })
    }

    fn comparison(&mut self, i: usize) -> Result<Vec<IntValue<'c>>> {
        let (op, swapped) = self.comparison_op(i);
        Ok(vec![self.binary(i, op, swapped)?])
    }

    /// The operator of a comparison, and whether its operands change places.
    pub fn comparison_op(&self, i: usize) -> (f::Op, bool) {
        use IntPredicate::*;
        match self.body.insts[i].value.get_icmp_predicate().unwrap_or(EQ) {
            EQ => (f::Op::Eq, false),
            NE => (f::Op::Ne, false),
            ULT => (f::Op::Ult, false),
            ULE => (f::Op::Ule, false),
            SLT => (f::Op::Slt, false),
            SLE => (f::Op::Sle, false),
            UGT => (f::Op::Ult, true),
            UGE => (f::Op::Ule, true),
            SGT => (f::Op::Slt, true),
            SGE => (f::Op::Sle, true),
        }
    }

    fn cast(&mut self, i: usize) -> Result<Vec<IntValue<'c>>> {
        let cx = self.cx;
        let from = self.nth(i, 0)?;
        let Some(label) = from.labels.first().copied().filter(|_| from.labels.len() == 1) else {
            return self.lose_operands(i);
        };
        let have = crate::types::scalar_width(from.value.get_type()).unwrap_or(64);
        let want = self.body.insts[i].leaves[0].width;
        if have == want {
            return Ok(vec![label]);
        }
        if self.numbers.steps.contains(&self.body.insts[i].value) && !label.is_const() {
            // It moves a pointer: a branch, so that the pointer stays concrete.
            let chosen = cx.builder.build_int_z_extend(from.value.into_int_value(), cx.i32(), "c")?;
            let site = cx.label(self.body.insts[i].site);
            cx.call(cx.abi.branch, &[site.into(), label.into(), chosen.into()])?;
            return Ok(vec![cx.zero()]);
        }
        let op = match self.body.insts[i].op {
            Op::SExt => f::Op::SExt,
            _ if want < have => f::Op::Extract,
            _ => f::Op::ZExt,
        };
        let label = cx.label_of(&[label], cx.abi.cast, || {
            Ok(vec![cx.label(op as u32 | want << 8).into(), label.into()])
        })?;
        Ok(vec![label])
    }

    fn select(&mut self, i: usize) -> Result<Vec<IntValue<'c>>> {
        let cx = self.cx;
        let (c, a, b) = (self.nth(i, 0)?, self.nth(i, 1)?, self.nth(i, 2)?);
        let leaves = self.body.insts[i].leaves.clone();
        let (Some(lc), BasicValueEnum::IntValue(condition)) = (c.labels.first().copied(), c.value) else {
            return self.lose_operands(i);
        };
        let site = self.body.insts[i].site;
        let chosen = cx.builder.build_int_z_extend(condition, cx.i32(), "c")?;
        if let (BasicValueEnum::PointerValue(_), false) = (a.value, lc.is_const()) {
            // A branch like any other: what is behind a pointer that depends on the input could not be known.
            cx.call(cx.abi.branch, &[cx.label(site).into(), lc.into(), chosen.into()])?;
            return Ok(vec![cx
                .builder
                .build_select(condition, a.labels[0], b.labels[0], "l")?
                .into_int_value()]);
        }
        if leaves.len() != 1 || !leaves[0].path.is_empty() {
            self.concretise(lc, f::CONCRETE_WIDE, site)?;
        }
        let mut labels = Vec::new();
        for (k, leaf) in leaves.iter().enumerate() {
            let (la, lb) = (a.labels[k], b.labels[k]);
            if !leaf.path.is_empty() {
                labels.push(cx.builder.build_select(condition, la, lb, "l")?.into_int_value());
                continue;
            }
            labels.push(cx.label_of(&[lc, la, lb], cx.abi.select, || {
                let (x, y) = (cx.as_word(a.value)?, cx.as_word(b.value)?);
                let width = cx.label(leaf.width);
                let site = cx.label(site);
                let labels = [lc.into(), la.into(), lb.into()];
                Ok([&[width.into()], &labels[..], &[x.into(), y.into(), chosen.into(), site.into()]].concat())
            })?);
        }
        Ok(labels)
    }

    fn extract_value(&mut self, i: usize) -> Result<Vec<IntValue<'c>>> {
        let inst = self.body.insts[i].clone();
        let whole = self.nth(i, 0)?;
        let path = inst.value.get_indices();
        let all = crate::types::leaves(whole.value.get_type());
        let labels: Vec<_> = all
            .iter()
            .zip(&whole.labels)
            .filter(|(leaf, _)| leaf.path.starts_with(&path))
            .map(|(_, l)| *l)
            .collect();
        Ok(if labels.len() == inst.leaves.len() { labels } else { vec![self.cx.zero(); inst.leaves.len()] })
    }

    fn insert_value(&mut self, i: usize) -> Result<Vec<IntValue<'c>>> {
        let inst = self.body.insts[i].clone();
        let (whole, part) = (self.nth(i, 0)?, self.nth(i, 1)?);
        let path = inst.value.get_indices();
        let mut parts = part.labels.iter();
        let mut labels = Vec::new();
        for (k, leaf) in inst.leaves.iter().enumerate() {
            let old = whole.labels.get(k).copied().unwrap_or(self.cx.zero());
            let replaced = leaf.path.starts_with(&path);
            labels.push(if replaced { parts.next().copied().unwrap_or(self.cx.zero()) } else { old });
        }
        Ok(labels)
    }

    fn slow_terminator(&mut self, b: usize, i: usize) -> Result<()> {
        let cx = self.cx;
        let inst = self.body.insts[i].clone();
        let targets = self.body.blocks[b].successors.clone();
        match (inst.op, targets.len()) {
            (Op::Return, _) => return self.slow_return(i),
            (_, 0) => {
                let clone = self.clone_mapped(i)?;
                cx.builder.insert_instruction(&clone, None);
                return Ok(());
            }
            (_, 1) => return self.slow_edge(b, targets[0]),
            _ => {}
        }
        let condition = self.nth(i, 0)?;
        let mut label = condition.labels.first().copied().unwrap_or(cx.zero());
        if condition.labels.len() > 1 {
            // A switch by more than 64 bits: the cases of a site are words.
            self.lose_operands(i)?;
            label = cx.zero();
        }
        let value = condition.value.into_int_value();
        if inst.op == Op::Br && !label.is_const() && !self.numbers.merged.contains(&inst.value) {
            let taken = cx.builder.build_int_z_extend(value, cx.i32(), "taken")?;
            cx.call(cx.abi.branch, &[cx.label(inst.site).into(), label.into(), taken.into()])?;
        }
        let edges: Vec<BasicBlock<'c>> = targets.iter().map(|_| cx.new_block("slow.edge")).collect();
        rebuild_branch(self, inst.value, Some(value), &edges)?;
        let first = self.numbers.branch_edges[&inst.value];
        let local = self.local.clone();
        for (k, (edge, target)) in edges.iter().zip(&targets).enumerate() {
            self.local = local.clone();
            cx.builder.position_at_end(*edge);
            cx.count_edge(first + k as u32)?;
            if inst.op == Op::Switch {
                self.switch_event(inst.site, label, value, k)?;
            }
            self.slow_edge(b, *target)?;
        }
        Ok(())
    }

    fn switch_event(
        &self,
        site: u32,
        label: IntValue<'c>,
        value: IntValue<'c>,
        successor: usize,
    ) -> Result<()> {
        let cx = self.cx;
        if label.is_const() {
            return Ok(());
        }
        let case = if successor == 0 { u32::MAX } else { successor as u32 - 1 };
        let word = cx.as_word(value.into())?;
        cx.call(cx.abi.switch, &[cx.label(site).into(), label.into(), cx.label(case).into(), word.into()])
    }

    /// Go from block `from` to block `to`: what flows into its phis, all read before any is written.
    fn slow_edge(&mut self, from: usize, to: usize) -> Result<()> {
        let origin = self.body.blocks[from].block;
        let phis: Vec<usize> =
            self.body.blocks[to].insts.clone().take_while(|i| self.body.insts[*i].op == Op::Phi).collect();
        let mut moves = Vec::new();
        for phi in phis {
            let incoming = crate::phi::incoming_values(self.body.insts[phi].value);
            if let Some((value, _)) = incoming.into_iter().find(|(_, b)| *b == origin) {
                moves.push((phi, self.operand(value)?));
            }
        }
        for (phi, incoming) in moves {
            self.spill(phi, incoming.value, &incoming.labels)?;
        }
        self.cx.builder.build_unconditional_branch(self.slow[to][0])?;
        Ok(())
    }

    fn slow_return(&mut self, i: usize) -> Result<()> {
        let cx = self.cx;
        self.leave_variadic()?;
        if self.body.insts[i].value.get_num_operands() > 0 {
            let result = self.nth(i, 0)?;
            calls::give_results(self, &result.labels)?;
        }
        let clone = self.clone_mapped(i)?;
        cx.builder.insert_instruction(&clone, None);
        Ok(())
    }
}

pub fn binary_op(op: Op) -> f::Op {
    match op {
        Op::Add => f::Op::Add,
        Op::Sub => f::Op::Sub,
        Op::Mul => f::Op::Mul,
        Op::UDiv => f::Op::UDiv,
        Op::SDiv => f::Op::SDiv,
        Op::URem => f::Op::URem,
        Op::SRem => f::Op::SRem,
        Op::Shl => f::Op::Shl,
        Op::LShr => f::Op::LShr,
        Op::AShr => f::Op::AShr,
        Op::And => f::Op::And,
        Op::Or => f::Op::Or,
        _ => f::Op::Xor,
    }
}
