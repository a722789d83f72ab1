//! Unconditional jumps that came or went because blocks were split or joined.
//!
//! In: a jump of one version without a counterpart. Out: is it a seam, that is, does it lead from code to what followed that
//! code anyway?
//!
//! Always holds: a jump that is alone in its block is no seam; it stands for the way that leads through it.

use crate::refine::{is_passive, Refiner};
use parallax_model::*;

type Map<'m> = &'m dyn Fn(InstId) -> Option<InstId>;

/// Of the old version.
pub fn is_seam(refiner: &Refiner, i: InstId) -> bool {
    let forward = |i: InstId| refiner.alignment.insts[i.index()];
    let back = |j: InstId| refiner.alignment.insts_back[j.index()];
    leads_on(refiner.old.program, refiner.new.program, i, &forward, &back)
}

/// Of the new version.
pub fn is_new_seam(refiner: &Refiner, j: InstId) -> bool {
    let forward = |i: InstId| refiner.alignment.insts[i.index()];
    let back = |j: InstId| refiner.alignment.insts_back[j.index()];
    leads_on(refiner.new.program, refiner.old.program, j, &back, &forward)
}

/// Does a jump of `here` lead to the code that follows, in `there`, what stands before the jump?
fn leads_on(here: &Program, there: &Program, jump: InstId, other: Map, back: Map) -> bool {
    if !matches!(here.inst(jump).op, Op::Br) {
        return false;
    }
    let block = here.inst(jump).block;
    let real = |i: &InstId| !is_passive(here, *i);
    let before = here.block(block).insts.iter().rev().filter(|i| *i != jump).find(real);
    let Some(last) = before else { return false };
    // The code before the jump may be added or deleted, and the jump with it.
    let Some(to) = other(last) else { return true };
    let kept = |k: &InstId| *k > to && !is_passive(there, *k) && back(*k).is_some();
    let next = there.block(there.inst(to).block).insts.iter().find(kept);
    let begin = |s: &BlockId| here.block(*s).insts.iter().filter(real).find_map(other);
    // Where either side begins with code that is only there, that code is the change.
    match (next, here.successors(block).iter().find_map(begin)) {
        (Some(next), Some(head)) => head == next,
        _ => true,
    }
}
