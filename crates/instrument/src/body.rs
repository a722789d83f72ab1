//! A function as the instrumenter sees it before changing anything: blocks, instructions, where
//! the fast copy may have to leave for the slow one, and what is live there.
//!
//! Always holds: indices are dense and in layout order; `needs_slot` and `live_after` speak of the
//! original code, so both copies can rely on them.

use crate::gaps::{called, points_to_constant, Called};
use crate::types;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionOpcode as Op, InstructionValue, Operand};
use std::collections::HashMap;

/// One instruction of the original body.
#[derive(Clone)]
pub struct Inst<'c> {
    pub value: InstructionValue<'c>,
    pub op: Op,
    pub block: usize,
    /// Part of its block: a block is cut after every place where a symbolic value can come in.
    pub segment: usize,
    pub leaves: Vec<types::Leaf>,
    /// The fast copy looks for symbolic data after this instruction.
    pub splits: bool,
    /// Used in another segment or by a phi.
    pub needs_slot: bool,
    pub site: u32,
}

/// A block: the range of its instructions and the number of its segments.
pub struct Block<'c> {
    pub block: BasicBlock<'c>,
    pub insts: std::ops::Range<usize>,
    pub segments: usize,
    pub successors: Vec<usize>,
}

pub struct Body<'c> {
    pub blocks: Vec<Block<'c>>,
    pub insts: Vec<Inst<'c>>,
    pub index: HashMap<InstructionValue<'c>, usize>,
    /// Allocas of the entry block with constant size: shared by both copies.
    pub allocas: Vec<InstructionValue<'c>>,
}

impl<'c> Body<'c> {
    /// Record a function. `site` gives the site number of an instruction.
    pub fn record(function: FunctionValue<'c>, site: &HashMap<InstructionValue<'c>, u32>) -> Body<'c> {
        let numbers: HashMap<BasicBlock, usize> =
            function.get_basic_block_iter().enumerate().map(|(i, b)| (b, i)).collect();
        let mut body = Body { blocks: vec![], insts: vec![], index: HashMap::new(), allocas: vec![] };
        for (number, block) in function.get_basic_block_iter().enumerate() {
            body.record_block(number, block, &numbers, site);
        }
        body.mark_slots();
        body
    }

    fn record_block(
        &mut self,
        number: usize,
        block: BasicBlock<'c>,
        numbers: &HashMap<BasicBlock<'c>, usize>,
        site: &HashMap<InstructionValue<'c>, u32>,
    ) {
        let start = self.insts.len();
        let mut segment = 0;
        for value in block.get_instructions() {
            let op = value.get_opcode();
            if op == Op::Alloca && number == 0 && is_constant_size(value) {
                self.allocas.push(value);
                continue;
            }
            let leaves = types::basic(value.get_type()).map(types::leaves).unwrap_or_default();
            let splits = splits(value, op, !leaves.is_empty());
            self.index.insert(value, self.insts.len());
            self.insts.push(Inst {
                value,
                op,
                block: number,
                segment,
                leaves,
                splits,
                needs_slot: false,
                site: site.get(&value).copied().unwrap_or(u32::MAX),
            });
            segment += splits as usize;
        }
        let insts = start..self.insts.len();
        let successors = block.get_terminator().map(|t| successors(t, numbers)).unwrap_or_default();
        self.blocks.push(Block { block, insts, segments: segment + 1, successors });
    }

    /// The instructions an instruction uses, phi operands included.
    pub fn operands(&self, inst: usize) -> Vec<usize> {
        operands(self.insts[inst].value).filter_map(|v| self.index.get(&v).copied()).collect()
    }

    fn mark_slots(&mut self) {
        for user in 0..self.insts.len() {
            let at = (self.insts[user].block, self.insts[user].segment);
            let phi = self.insts[user].op == Op::Phi;
            for used in self.operands(user) {
                if phi || (self.insts[used].block, self.insts[used].segment) != at {
                    self.insts[used].needs_slot = true;
                }
            }
            self.insts[user].needs_slot |= phi;
        }
    }
}

fn operands<'c>(value: InstructionValue<'c>) -> impl Iterator<Item = InstructionValue<'c>> {
    value.get_operands().flatten().filter_map(|operand| match operand {
        Operand::Value(v) => inkwell::values::BasicValue::as_instruction_value(&v),
        _ => None,
    })
}

/// Does a symbolic value possibly come in through this instruction's result?
fn splits(value: InstructionValue, op: Op, has_leaves: bool) -> bool {
    match op {
        // Constant memory holds nothing symbolic; only an index into it can be, which the fast copy has not.
        Op::Load => {
            has_leaves && !value.get_operand(0).and_then(Operand::value).is_some_and(points_to_constant)
        }
        Op::Call if has_leaves => match called(value) {
            Called::Assembler => false,
            Called::Pointer => true,
            Called::Function(f) => crate::calls::may_return_symbolic(f),
        },
        _ => false,
    }
}

fn is_constant_size(alloca: InstructionValue) -> bool {
    match alloca.get_operand(0) {
        Some(Operand::Value(v)) => v.is_int_value() && v.into_int_value().is_const(),
        _ => true,
    }
}

fn successors(terminator: InstructionValue, numbers: &HashMap<BasicBlock, usize>) -> Vec<usize> {
    let blocks = terminator.get_operands().flatten().filter_map(|o| match o {
        Operand::Block(b) => numbers.get(&b).copied(),
        _ => None,
    });
    let mut list: Vec<usize> = blocks.collect();
    // A conditional branch keeps its false successor first.
    if terminator.get_opcode() == Op::Br && list.len() == 2 {
        list.reverse();
    }
    list
}

/// Set of instruction numbers.
#[derive(Clone, PartialEq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(n: usize) -> Bits {
        Bits(vec![0; n.div_ceil(64)])
    }
    fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
    fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }
    fn union(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                if bits == 0 {
                    return None;
                }
                let i = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                Some(word * 64 + i)
            })
        })
    }
}

/// For every splitting instruction: what is live right after it (itself left out).
pub fn live_after_splits(body: &Body) -> HashMap<usize, Vec<usize>> {
    let n = body.insts.len();
    let mut live_in: Vec<Bits> = vec![Bits::new(n); body.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..body.blocks.len()).rev() {
            let new = transfer(body, b, live_out(body, b, &live_in), &mut |_, _| {});
            if new != live_in[b] {
                live_in[b] = new;
                changed = true;
            }
        }
    }
    let mut result = HashMap::new();
    for b in 0..body.blocks.len() {
        transfer(body, b, live_out(body, b, &live_in), &mut |i, live| {
            result.insert(i, live.iter().filter(|j| *j != i).collect());
        });
    }
    result
}

fn live_out(body: &Body, b: usize, live_in: &[Bits]) -> Bits {
    let mut live = Bits::new(body.insts.len());
    for &s in &body.blocks[b].successors {
        live.union(&live_in[s]);
        for i in body.blocks[s].insts.clone().take_while(|i| body.insts[*i].op == Op::Phi) {
            // What flows into the phi over this edge.
            for (value, from) in crate::phi::incoming(body.insts[i].value) {
                if from == body.blocks[b].block {
                    if let Some(used) = value.and_then(|v| body.index.get(&v)) {
                        live.insert(*used);
                    }
                }
            }
        }
    }
    live
}

/// Backwards through a block; tells `at_split` what is live after each splitting instruction.
fn transfer(body: &Body, b: usize, mut live: Bits, at_split: &mut dyn FnMut(usize, &Bits)) -> Bits {
    for i in body.blocks[b].insts.clone().rev() {
        if body.insts[i].splits {
            at_split(i, &live);
        }
        live.remove(i);
        if body.insts[i].op != Op::Phi {
            for used in body.operands(i) {
                live.insert(used);
            }
        }
    }
    live
}
