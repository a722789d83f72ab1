//! What differs in two aligned functions.
//!
//! In: an aligned pair of functions, which globals are altered. Out: changed instructions of the new version, each with a reason;
//! deleted ones of the old version, each with its place in the new one.
//!
//! Always holds: whatever differs is accounted for once, where it happens. An instruction that uses the result of an
//! added one, or used that of a deleted one, is not changed by that alone; a value that a phi takes along an edge belongs to the end of
//! the block that the edge leaves; a change of an allocation belongs to its users.

use crate::align::Alignment;
use crate::flow;
use crate::layout;
use crate::norm::Norm;
use crate::order;
use crate::params;
use crate::places::Places;
use parallax_model::*;
use std::collections::{BTreeMap, BTreeSet};

/// Why an instruction counts as changed. The first that holds is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Another operation, other operands, other successors.
    Modified,
    /// Not in the old version.
    Added,
    /// In another order with what has effects.
    Moved,
    /// Uses a variable whose first value or type is another.
    Initialiser,
    /// Uses a structure whose members lie elsewhere, and is otherwise the same.
    Layout,
}

/// Globals that are not what they were, by new (resp. old) id.
#[derive(Clone, Debug, Default)]
pub struct Altered {
    pub new: BTreeMap<GlobalId, Reason>,
}

/// The differences of one pair of functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionDiff {
    /// Of the new version.
    pub changed: BTreeMap<InstId, Reason>,
    /// Edges of the new version along which a phi takes another value.
    pub edges: BTreeSet<(BlockId, BlockId)>,
    /// Of the old version, with the instruction of the new one that stands where they were.
    pub deleted: BTreeMap<InstId, InstId>,
}

impl FunctionDiff {
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.deleted.is_empty()
    }

    fn mark(&mut self, inst: InstId, reason: Reason) {
        let known = self.changed.entry(inst).or_insert(reason);
        *known = (*known).min(reason);
    }
}

/// Phis, allocations and markers of their life do nothing by themselves.
pub fn is_passive(program: &Program, inst: InstId) -> bool {
    let op = program.inst(inst).op;
    let marker = || match op.call() {
        Some((Callee::Intrinsic(f), ..)) => program.func(f).name.starts_with("llvm.lifetime"),
        _ => false,
    };
    matches!(op, Op::Phi { .. } | Op::Alloca { .. }) || marker()
}

/// Two versions and what is known about how they belong together.
pub struct Refiner<'a, 'p> {
    pub old: &'a Norm<'p>,
    pub new: &'a Norm<'p>,
    pub alignment: &'a Alignment,
    pub altered: &'a Altered,
}

impl Refiner<'_, '_> {
    pub fn function(&self, f: FuncId, g: FuncId) -> FunctionDiff {
        let mut diff = FunctionDiff::default();
        let params = params::pair(self.old.program, self.new.program, f, g);
        for j in self.new.program.func(g).insts.iter() {
            self.instruction(j, &params, &mut diff);
        }
        let places = Places::new(self, f, g);
        for i in self.old.program.func(f).insts.iter() {
            let gone = self.alignment.insts[i.index()].is_none();
            if gone && !is_passive(self.old.program, i) && !flow::is_seam(self, i) {
                diff.deleted.insert(i, places.of(i));
            }
        }
        for j in order::broken(self, g) {
            diff.mark(j, Reason::Moved);
        }
        self.joins(f, g, &places, &mut diff);
        diff
    }

    fn instruction(&self, j: InstId, params: &params::Params, diff: &mut FunctionDiff) {
        let op = self.new.program.inst(j).op;
        let Some(i) = self.alignment.insts_back[j.index()] else {
            if !is_passive(self.new.program, j) && !flow::is_new_seam(self, j) {
                diff.mark(j, Reason::Added);
            }
            return;
        };
        match op {
            Op::Phi { .. } => self.phi(i, j, params, diff),
            Op::Alloca { .. } => {
                if let Some(reason) = self.detail(i, j) {
                    self.users(j).into_iter().for_each(|user| diff.mark(user, reason));
                }
            }
            _ if is_passive(self.new.program, j) => {}
            _ => {
                if let Some(reason) = self.pair(i, j, params) {
                    diff.mark(j, reason);
                }
            }
        }
    }

    /// Does an aligned instruction that is no phi differ, and how?
    fn pair(&self, i: InstId, j: InstId, params: &params::Params) -> Option<Reason> {
        if let Some(reason) = self.detail(i, j) {
            return Some(reason);
        }
        if self.new.tells_source(j) {
            return None;
        }
        let (x, y) = (self.inputs(self.old, i), self.inputs(self.new, j));
        let differ = x.len() != y.len() || x.iter().zip(&y).any(|(x, y)| !self.same_value(*x, *y, params));
        if differ || !self.same_successors(i, j) {
            return Some(Reason::Modified);
        }
        self.mentioned(j)
    }

    /// Is everything but the operands the same?
    fn detail(&self, i: InstId, j: InstId) -> Option<Reason> {
        if self.old.same_detail(i, self.new, j) {
            return None;
        }
        let only_layout = layout::only(self.old.program, i, self.new.program, j);
        Some(if only_layout { Reason::Layout } else { Reason::Modified })
    }

    /// What varies: of an address computation, the base and the indices that are no constants.
    fn inputs(&self, norm: &Norm, inst: InstId) -> Vec<Operand> {
        let operands = norm.program.operands(inst);
        match norm.program.inst(inst).op {
            Op::Gep(gep) => {
                let varying = norm.program.gep(gep).terms.iter().map(|t| operands[t.operand as usize]);
                operands.first().copied().into_iter().chain(varying).collect()
            }
            _ => operands.to_vec(),
        }
    }

    /// Is a value the same, or different only through an instruction that is accounted for elsewhere?
    fn same_value(&self, x: Operand, y: Operand, params: &params::Params) -> bool {
        let added = matches!(y, Operand::Inst(j) if self.alignment.insts_back[j.index()].is_none());
        let deleted = matches!(x, Operand::Inst(i) if self.alignment.insts[i.index()].is_none());
        if added || deleted {
            return true;
        }
        match (x, y) {
            (Operand::Inst(i), Operand::Inst(j)) => self.alignment.insts[i.index()] == Some(j),
            (Operand::Arg { index: i, .. }, Operand::Arg { index: j, .. }) => params.same(i, j),
            (x, y) => self.old.operand(x) == self.new.operand(y),
        }
    }

    fn same_successors(&self, i: InstId, j: InstId) -> bool {
        if !self.new.program.inst(j).op.is_terminator() {
            return true;
        }
        let of = |p: &Program, inst: InstId| p.successors(p.inst(inst).block).to_vec();
        let (x, y) = (of(self.old.program, i), of(self.new.program, j));
        x.len() == y.len() && x.iter().zip(&y).all(|(p, q)| self.same_block(*p, *q))
    }

    /// Do two blocks begin at the same code, as far as it is in both versions?
    pub fn same_block(&self, p: BlockId, q: BlockId) -> bool {
        if self.alignment.blocks[p.index()] == Some(q) {
            return true;
        }
        let forward = |i: InstId| self.alignment.insts[i.index()];
        let backward = |j: InstId| self.alignment.insts_back[j.index()];
        let head = |program: &Program, block: BlockId, other: &dyn Fn(InstId) -> Option<InstId>| {
            let real = |i: &InstId| !is_passive(program, *i);
            program.block(block).insts.iter().filter(real).find_map(other)
        };
        match (head(self.old.program, p, &forward), head(self.new.program, q, &backward)) {
            // All of it deleted or added: that is the change.
            (None, _) | (_, None) => true,
            (Some(to), Some(from)) => {
                self.new.program.inst(to).block == q || self.old.program.inst(from).block == p
            }
        }
    }

    /// The phi takes the same values along the edges that are in both versions; where not, the edge's block is changed.
    fn phi(&self, i: InstId, j: InstId, params: &params::Params, diff: &mut FunctionDiff) {
        let (olds, news) = (self.old.program.operands(i), self.new.program.operands(j));
        let (froms, tos) = (self.old.program.phi_blocks(i), self.new.program.phi_blocks(j));
        for (y, q) in news.iter().zip(tos) {
            let same_edge = |p: &BlockId| self.same_end(*p, *q);
            let Some(at) = froms.iter().position(same_edge) else { continue };
            if !self.same_value(olds[at], *y, params) {
                let end = self.new.program.terminator(*q);
                if self.new.program.successors(*q).len() > 1 && !diff.changed.contains_key(&end) {
                    diff.edges.insert((*q, self.new.program.inst(j).block));
                }
                diff.mark(end, Reason::Modified);
            }
        }
        if let Some(reason) = self.mentioned(j) {
            diff.mark(self.after_phis(j), reason);
        }
    }

    /// Do two blocks end with the same instruction?
    fn same_end(&self, p: BlockId, q: BlockId) -> bool {
        let (i, j) = (self.old.program.terminator(p), self.new.program.terminator(q));
        self.alignment.insts[i.index()] == Some(j)
    }

    fn after_phis(&self, phi: InstId) -> InstId {
        let program = self.new.program;
        let block = program.block(program.inst(phi).block);
        let real = block.insts.iter().find(|i| !matches!(program.inst(*i).op, Op::Phi { .. }));
        // Every block ends with a terminator.
        real.unwrap_or(phi)
    }

    /// A phi that came or went is a change of its block if nothing on the way to it changed.
    fn joins(&self, f: FuncId, g: FuncId, places: &Places, diff: &mut FunctionDiff) {
        let changed_blocks: BTreeSet<BlockId> = diff
            .changed
            .keys()
            .chain(diff.deleted.values())
            .map(|j| self.new.program.inst(*j).block)
            .collect();
        let is_phi = |p: &Program, i: InstId| matches!(p.inst(i).op, Op::Phi { .. });
        let mut marks = Vec::new();
        for j in self.new.program.func(g).insts.iter().filter(|j| is_phi(self.new.program, *j)) {
            let lonely = self.alignment.insts_back[j.index()].is_none();
            let quiet = |b: &BlockId| !changed_blocks.contains(b);
            let near = self.new.program.phi_blocks(j).iter().chain([&self.new.program.inst(j).block]);
            if lonely && near.clone().all(quiet) {
                marks.push((self.after_phis(j), Reason::Added));
            }
        }
        marks.into_iter().for_each(|(j, reason)| diff.mark(j, reason));
        for i in self.old.program.func(f).insts.iter().filter(|i| is_phi(self.old.program, *i)) {
            let lonely = self.alignment.insts[i.index()].is_none();
            let deleted_near = self.old.program.phi_blocks(i).iter().any(|p| {
                self.old.program.block(*p).insts.iter().any(|i| diff.deleted.contains_key(&i))
                    || self.alignment.blocks[p.index()].is_some_and(|q| changed_blocks.contains(&q))
            });
            if lonely && !deleted_near {
                diff.deleted.insert(i, places.of(i));
            }
        }
    }

    /// Uses an altered global, directly or inside a constant.
    fn mentioned(&self, inst: InstId) -> Option<Reason> {
        let operands = self.new.program.operands(inst).iter();
        operands.filter_map(|o| self.altered_in(*o, 0)).min()
    }

    fn altered_in(&self, operand: Operand, depth: u32) -> Option<Reason> {
        let program = self.new.program;
        match operand {
            Operand::Global(g) => self.altered.new.get(&g).copied(),
            Operand::Const(c) if depth < 8 => match &program.constant(c).kind {
                ConstKind::Gep { operands, .. }
                | ConstKind::Aggregate(operands)
                | ConstKind::Other(operands) => {
                    operands.iter().filter_map(|o| self.altered_in(*o, depth + 1)).min()
                }
                ConstKind::Cast { operand, .. } => self.altered_in(*operand, depth + 1),
                ConstKind::Binary { operands, .. } => {
                    operands.iter().filter_map(|o| self.altered_in(*o, depth + 1)).min()
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Who uses an allocation; not the markers of its life.
    fn users(&self, alloca: InstId) -> Vec<InstId> {
        let program = self.new.program;
        let function = program.func(program.func_of(alloca));
        let uses = |i: &InstId| program.operands(*i).contains(&Operand::Inst(alloca));
        function.insts.iter().filter(uses).filter(|i| !is_passive(program, *i)).collect()
    }
}
