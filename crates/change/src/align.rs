//! Which instruction of an old function is which of the new one.
//!
//! In: a pair of functions. Out: their part of [`Alignment`]. First whole expressions are aligned in the order of the code, then
//! expressions that moved, then single instructions in what is left between, the likest first; allocations of locals are
//! aligned by their users, because the order of declarations means nothing. Blocks follow from their instructions.
//!
//! Always holds: the alignment is one to one; a version is aligned with itself completely; only instructions of the
//! same kind are aligned. It may be wrong, never inconsistent: [`crate::refine`] says what differs in what is aligned.

use crate::norm::{hash, Norm};
use crate::refine::is_passive;
use imara_diff::intern::{InternedInput, TokenSource};
use imara_diff::{diff, Algorithm};
use parallax_model::*;
use std::collections::HashMap;
use std::ops::Range;

/// Old and new instructions and blocks, program-wide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// By old instruction.
    pub insts: Vec<Option<InstId>>,
    /// By new instruction.
    pub insts_back: Vec<Option<InstId>>,
    pub blocks: Vec<Option<BlockId>>,
    pub blocks_back: Vec<Option<BlockId>>,
    /// By new instruction: aligned out of the order of the rest.
    pub moved: Vec<bool>,
}

impl Alignment {
    pub fn new(old: &Program, new: &Program) -> Alignment {
        Alignment {
            insts: vec![None; old.insts.len()],
            insts_back: vec![None; new.insts.len()],
            blocks: vec![None; old.blocks.len()],
            blocks_back: vec![None; new.blocks.len()],
            moved: vec![false; new.insts.len()],
        }
    }

    fn link(&mut self, old: InstId, new: InstId) {
        self.insts[old.index()] = Some(new);
        self.insts_back[new.index()] = Some(old);
    }

    /// Links two instructions, whatever they were linked with before.
    fn relink(&mut self, old: InstId, new: InstId) {
        if let Some(other) = self.insts[old.index()].take() {
            self.insts_back[other.index()] = None;
        }
        if let Some(other) = self.insts_back[new.index()].take() {
            self.insts[other.index()] = None;
        }
        self.moved[new.index()] = false;
        self.link(old, new);
    }

    fn link_block(&mut self, old: BlockId, new: BlockId) {
        self.blocks[old.index()] = Some(new);
        self.blocks_back[new.index()] = Some(old);
    }
}

/// Two functions that are the same, instruction by instruction: aligned at once.
pub fn align_same(alignment: &mut Alignment, old: &Norm, new: &Norm, f: FuncId, g: FuncId) -> bool {
    let (a, b) = (old.program.func(f), new.program.func(g));
    if !same(old, new, a, b) {
        return false;
    }
    a.insts.iter().zip(b.insts.iter()).for_each(|(i, j)| alignment.link(i, j));
    a.blocks.iter().zip(b.blocks.iter()).for_each(|(p, q)| alignment.link_block(p, q));
    true
}

/// Is the code the same, numbered from the start of each function?
pub fn same(old: &Norm, new: &Norm, a: &Function, b: &Function) -> bool {
    if a.insts.len() != b.insts.len() || a.blocks.len() != b.blocks.len() {
        return false;
    }
    let (p, q) = (old.program, new.program);
    let blocks = a.blocks.iter().zip(b.blocks.iter()).all(|(x, y)| {
        let place =
            |f: &Function, s: &[BlockId]| -> Vec<u32> { s.iter().map(|s| s.0 - f.blocks.start).collect() };
        p.block(x).insts.len() == q.block(y).insts.len()
            && place(a, p.successors(x)) == place(b, q.successors(y))
    });
    let operand = |(o, n): (&Operand, &Operand)| match (o, n) {
        (Operand::Inst(i), Operand::Inst(j)) => i.0 - a.insts.start == j.0 - b.insts.start,
        (o, n) => old.operand(*o) == new.operand(*n),
    };
    let inst = |(i, j): (InstId, InstId)| {
        let (x, y) = (p.operands(i), q.operands(j));
        let from = p.phi_blocks(i).iter().map(|s| s.0 - a.blocks.start);
        old.shallow(i) == new.shallow(j)
            && x.len() == y.len()
            && (old.tells_source(i) || x.iter().zip(y).all(operand))
            && from.eq(q.phi_blocks(j).iter().map(|s| s.0 - b.blocks.start))
    };
    blocks && a.insts.iter().zip(b.insts.iter()).all(inst)
}

/// Aligns two functions that differ.
pub fn align(alignment: &mut Alignment, old: &Norm, new: &Norm, f: FuncId, g: FuncId) {
    let tokens = (Tokens::new(old, f), Tokens::new(new, g));
    let mut pass = Pass { alignment, a: tokens.0, b: tokens.1 };
    let (from, to) = (0..pass.a.order.len(), 0..pass.b.order.len());
    pass.in_order(from, to, |t, i| t.deep[i]);
    pass.moved();
    for level in 0..2 {
        for (from, to) in pass.gaps() {
            let (from, to) =
                (pass.a.left(pass.alignment, from, true), pass.b.left(pass.alignment, to, false));
            pass.lists(&from, &to, |t, i| if level == 0 { t.shallow[i] } else { t.kind[i] });
        }
    }
    let Pass { a, b, .. } = pass;
    allocas(alignment, old, new, &a, &b);
    let votes = blocks(alignment, old, new, f);
    ends(alignment, old, new, f, &votes);
}

/// How many instructions two blocks share.
type Votes = HashMap<(BlockId, BlockId), u32>;

/// A function as sequences to compare; allocations of locals are left out.
struct Tokens {
    order: Vec<InstId>,
    /// The instruction and what it computes from, two steps far.
    deep: Vec<u64>,
    shallow: Vec<u64>,
    kind: Vec<u64>,
    allocas: Vec<InstId>,
}

impl Tokens {
    fn new(norm: &Norm, func: FuncId) -> Tokens {
        let program = norm.program;
        let function = program.func(func);
        let start = function.insts.start as usize;
        let shallow: Vec<u64> = function.insts.iter().map(|i| norm.shallow(i)).collect();
        let ahead: Vec<u64> = function.blocks.iter().map(|b| content(program, b, &shallow, start)).collect();
        let mut deep = shallow.clone();
        for _ in 0..2 {
            let last = deep.clone();
            for i in function.insts.iter() {
                deep[i.index() - start] = deepen(program, i, &last, start);
            }
        }
        for block in function.blocks.iter() {
            let next: Vec<u64> = program
                .successors(block)
                .iter()
                .map(|s| ahead[s.index() - function.blocks.start as usize])
                .collect();
            let own = ahead[block.index() - function.blocks.start as usize];
            let end = &mut deep[program.terminator(block).index() - start];
            // Jumps are all alike: they are told apart by where they stand and where they lead.
            *end = hash(&(*end, own, next));
        }
        let is_alloca = |i: &InstId| matches!(program.inst(*i).op, Op::Alloca { .. });
        let (allocas, order): (Vec<_>, Vec<_>) = function.insts.iter().partition(is_alloca);
        let pick = |all: &[u64]| order.iter().map(|i| all[i.index() - start]).collect::<Vec<_>>();
        let kind = order.iter().map(|i| norm.kind(*i)).collect();
        Tokens { deep: pick(&deep), shallow: pick(&shallow), kind, order, allocas }
    }

    /// What of a range is not aligned yet.
    fn left(&self, alignment: &Alignment, range: Range<usize>, old: bool) -> Vec<usize> {
        let map = if old { &alignment.insts } else { &alignment.insts_back };
        range.filter(|i| map[self.order[*i].index()].is_none()).collect()
    }
}

/// What a block does, apart from where it goes.
fn content(program: &Program, block: BlockId, shallow: &[u64], start: usize) -> u64 {
    let insts = program.block(block).insts.iter();
    let all: Vec<u64> =
        insts.filter(|i| !program.inst(*i).op.is_terminator()).map(|i| shallow[i.index() - start]).collect();
    hash(&all)
}

fn deepen(program: &Program, inst: InstId, last: &[u64], start: usize) -> u64 {
    let mut below: Vec<u64> = program
        .operands(inst)
        .iter()
        .map(|o| match o {
            Operand::Inst(i) => last[i.index() - start],
            _ => 0,
        })
        .collect();
    if matches!(program.inst(inst).op, Op::Phi { .. }) {
        below.sort_unstable();
    }
    hash(&(last[inst.index() - start], below))
}

struct Pass<'a> {
    alignment: &'a mut Alignment,
    a: Tokens,
    b: Tokens,
}

impl Pass<'_> {
    /// The longest common subsequence, roughly.
    fn in_order(&mut self, from: Range<usize>, to: Range<usize>, token: impl Fn(&Tokens, usize) -> u64) {
        self.lists(&from.collect::<Vec<_>>(), &to.collect::<Vec<_>>(), token);
    }

    fn lists(&mut self, from: &[usize], to: &[usize], token: impl Fn(&Tokens, usize) -> u64) {
        let x: Vec<u64> = from.iter().map(|i| token(&self.a, *i)).collect();
        let y: Vec<u64> = to.iter().map(|i| token(&self.b, *i)).collect();
        for (i, j) in common(&x, &y) {
            self.alignment.link(self.a.order[from[i]], self.b.order[to[j]]);
        }
    }

    /// Expressions that are left once on each side.
    fn moved(&mut self) {
        let once = |tokens: &Tokens, left: Vec<usize>| {
            let mut seen: HashMap<u64, Option<usize>> = HashMap::new();
            for i in left {
                seen.entry(tokens.deep[i]).and_modify(|at| *at = None).or_insert(Some(i));
            }
            seen
        };
        let from = once(&self.a, self.a.left(self.alignment, 0..self.a.order.len(), true));
        let to = once(&self.b, self.b.left(self.alignment, 0..self.b.order.len(), false));
        for (token, i) in from {
            if let (Some(i), Some(Some(j))) = (i, to.get(&token)) {
                let (i, j) = (self.a.order[i], self.b.order[*j]);
                self.alignment.link(i, j);
                self.alignment.moved[j.index()] = true;
            }
        }
    }

    /// Ranges between what is aligned in order, on both sides.
    fn gaps(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let place: HashMap<InstId, usize> = self.b.order.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let mut gaps = Vec::new();
        let (mut x, mut y) = (0, 0);
        for (i, id) in self.a.order.iter().enumerate() {
            let Some(to) = self.alignment.insts[id.index()] else { continue };
            let j = place[&to];
            // What moved, or was aligned out of order in a gap, bounds no gap.
            if self.alignment.moved[to.index()] || j < y {
                continue;
            }
            if i > x && j > y {
                gaps.push((x..i, y..j));
            }
            (x, y) = (i + 1, j + 1);
        }
        gaps.push((x..self.a.order.len(), y..self.b.order.len()));
        gaps
    }
}

struct Sequence<'s>(&'s [u64]);

impl<'s> TokenSource for Sequence<'s> {
    type Token = u64;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'s, u64>>;

    fn tokenize(&self) -> Self::Tokenizer {
        self.0.iter().copied()
    }

    fn estimate_tokens(&self) -> u32 {
        self.0.len() as u32
    }
}

/// Pairs of a common subsequence.
fn common(x: &[u64], y: &[u64]) -> Vec<(usize, usize)> {
    let input = InternedInput::new(Sequence(x), Sequence(y));
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0usize, 0usize);
    let mut changes: Vec<(Range<u32>, Range<u32>)> = Vec::new();
    diff(Algorithm::Histogram, &input, |before: Range<u32>, after: Range<u32>| changes.push((before, after)));
    for (before, after) in changes {
        pairs.extend((i..before.start as usize).zip(j..after.start as usize));
        (i, j) = (before.end as usize, after.end as usize);
    }
    pairs.extend((i..x.len()).zip(j..y.len()));
    pairs
}

/// Locals in memory are who uses them.
fn allocas(alignment: &mut Alignment, old: &Norm, new: &Norm, a: &Tokens, b: &Tokens) {
    let is_new = |i: InstId| matches!(new.program.inst(i).op, Op::Alloca { .. });
    let is_old = |i: InstId| matches!(old.program.inst(i).op, Op::Alloca { .. });
    let mut votes: HashMap<(InstId, InstId), u32> = HashMap::new();
    // Lives begin in the order of the declarations, which means nothing.
    for i in a.order.iter().filter(|i| !is_passive(old.program, **i)) {
        let Some(j) = alignment.insts[i.index()] else { continue };
        for pair in old.program.operands(*i).iter().zip(new.program.operands(j)) {
            if let (Operand::Inst(x), Operand::Inst(y)) = pair {
                if is_old(*x) && is_new(*y) {
                    *votes.entry((*x, *y)).or_default() += 1;
                }
            }
        }
    }
    let same_type = |(x, y): &(InstId, InstId)| old.shallow(*x) == new.shallow(*y);
    let mut ranked: Vec<_> = votes.into_iter().map(|(pair, n)| (n, same_type(&pair), pair)).collect();
    ranked.sort_by_key(|(n, same, pair)| (std::cmp::Reverse((*same, *n)), *pair));
    // Unused ones have no voter: in the order of their types.
    let rest = a.allocas.iter().flat_map(|x| b.allocas.iter().map(move |y| (*x, *y)));
    let rest = rest.filter(same_type).map(|pair| (0, true, pair));
    for (_, _, (x, y)) in ranked.into_iter().chain(rest) {
        if alignment.insts[x.index()].is_none() && alignment.insts_back[y.index()].is_none() {
            alignment.link(x, y);
        }
    }
}

/// A block is the one that most of its instructions are in.
fn blocks(alignment: &mut Alignment, old: &Norm, new: &Norm, f: FuncId) -> Votes {
    let mut votes = Votes::new();
    for i in old.program.func(f).insts.iter() {
        let Some(j) = alignment.insts[i.index()] else { continue };
        let op = old.program.inst(i).op;
        // A phi is often there on both sides of what was put in between.
        if !matches!(op, Op::Phi { .. } | Op::Alloca { .. }) {
            *votes.entry((old.program.inst(i).block, new.program.inst(j).block)).or_default() += 1;
        }
    }
    let mut ranked: Vec<_> = votes.iter().map(|(pair, n)| (*pair, *n)).collect();
    ranked.sort_by_key(|(pair, n)| (std::cmp::Reverse(*n), *pair));
    for ((p, q), _) in ranked {
        if alignment.blocks[p.index()].is_none() && alignment.blocks_back[q.index()].is_none() {
            alignment.link_block(p, q);
        }
    }
    votes
}

/// The end of a block belongs to the block, unless more than it is found elsewhere.
fn ends(alignment: &mut Alignment, old: &Norm, new: &Norm, f: FuncId, votes: &Votes) {
    let supported = |i: Option<InstId>, j: Option<InstId>| match (i, j) {
        (Some(i), Some(j)) => {
            let pair = (old.program.inst(i).block, new.program.inst(j).block);
            votes.get(&pair).is_some_and(|n| *n > 1)
        }
        _ => false,
    };
    for p in old.program.func(f).blocks.iter() {
        let Some(q) = alignment.blocks[p.index()] else { continue };
        let (i, j) = (old.program.terminator(p), new.program.terminator(q));
        let elsewhere = supported(Some(i), alignment.insts[i.index()])
            || supported(alignment.insts_back[j.index()], Some(j));
        if old.kind(i) == new.kind(j) && !elsewhere {
            alignment.relink(i, j);
        }
    }
}
