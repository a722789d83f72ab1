//! Where in the new version deleted code was.
//!
//! In: an aligned pair of functions. Out: for every old instruction, the instruction of the new version that stands where it was:
//! the next one of its block that is still there, or the nearest in the blocks after it, or the last one before it, or the first of
//! the function.

use crate::refine::{is_passive, Refiner};
use parallax_model::*;
use std::collections::VecDeque;

pub struct Places {
    start: usize,
    /// By old instruction, from the start of the function.
    of: Vec<InstId>,
}

impl Places {
    pub fn new(refiner: &Refiner, f: FuncId, g: FuncId) -> Places {
        let program = refiner.old.program;
        let function = program.func(f);
        let kept = |i: InstId| refiner.alignment.insts[i.index()].filter(|_| !is_passive(program, i));
        let landing = landings(program, f, &kept);
        let first = refiner.new.program.func(g).insts.start;
        let start = function.insts.start as usize;
        let mut of = vec![InstId(first); function.insts.len()];
        for (n, block) in function.blocks.iter().enumerate() {
            let after = program
                .successors(block)
                .iter()
                .find_map(|s| landing[s.index() - function.blocks.start as usize]);
            let insts = program.block(block).insts;
            let last = || insts.iter().rev().find_map(kept);
            let mut next = after.or_else(last).or(landing[n]);
            for i in insts.iter().rev() {
                if let Some(place) = next {
                    of[i.index() - start] = place;
                }
                next = kept(i).or(next);
            }
        }
        Places { start, of }
    }

    pub fn of(&self, i: InstId) -> InstId {
        self.of[i.index() - self.start]
    }
}

/// For every block, the first kept instruction of it or of the nearest block after it.
fn landings(program: &Program, f: FuncId, kept: &dyn Fn(InstId) -> Option<InstId>) -> Vec<Option<InstId>> {
    let blocks = program.func(f).blocks;
    let place = |b: BlockId| b.index() - blocks.start as usize;
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); blocks.len()];
    for block in blocks.iter() {
        program.successors(block).iter().for_each(|s| before[place(*s)].push(block));
    }
    let mut landing: Vec<Option<InstId>> =
        blocks.iter().map(|b| program.block(b).insts.iter().find_map(kept)).collect();
    let mut queue: VecDeque<BlockId> = blocks.iter().filter(|b| landing[place(*b)].is_some()).collect();
    while let Some(block) = queue.pop_front() {
        for p in &before[place(block)] {
            if landing[place(*p)].is_none() {
                landing[place(*p)] = landing[place(block)];
                queue.push_back(*p);
            }
        }
    }
    landing
}
