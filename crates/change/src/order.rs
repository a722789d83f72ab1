//! Instructions that stand in another order than before.
//!
//! In: an aligned pair of functions. Out: those instructions of the new version that moved and whose move matters.
//!
//! Always holds: a computation without effects may move freely; so may accesses to variables that are certainly different ones, past
//! each other. Everything else that moved is changed.

use crate::refine::{is_passive, Refiner};
use parallax_model::*;

pub fn broken(refiner: &Refiner, g: FuncId) -> Vec<InstId> {
    let program = refiner.new.program;
    let moved = |j: &InstId| refiner.alignment.moved[j.index()] && has_effect(program, *j);
    program.func(g).insts.iter().filter(moved).filter(|j| matters(refiner, *j)).collect()
}

/// Does it read or write memory, or decide where control goes?
fn has_effect(program: &Program, inst: InstId) -> bool {
    let op = program.inst(inst).op;
    let divides = matches!(op, Op::Binary(BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem));
    let touches = matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. }
            | Op::Fence
            | Op::VaArg
    );
    let calls = op.call().is_some() && !is_passive(program, inst);
    divides || touches || calls || op.is_terminator()
}

/// Does the instruction stand on the other side of one that it does not commute with, or in another block?
fn matters(refiner: &Refiner, j: InstId) -> bool {
    let (old, new) = (refiner.old.program, refiner.new.program);
    // Only what is aligned can have moved.
    let Some(i) = refiner.alignment.insts_back[j.index()] else { return false };
    let (p, q) = (old.inst(i).block, new.inst(j).block);
    if refiner.alignment.blocks[p.index()] != Some(q) || new.inst(j).op.is_terminator() {
        return true;
    }
    let exchanged = |k: InstId| {
        let Some(before) = refiner.alignment.insts_back[k.index()] else { return false };
        old.inst(before).block == p && (k < j) != (before < i)
    };
    let others = new.block(q).insts.iter().filter(|k| *k != j && has_effect(new, *k));
    others.filter(|k| exchanged(*k)).any(|k| !commute(new, j, k))
}

/// Accesses to different variables, or two loads.
fn commute(program: &Program, a: InstId, b: InstId) -> bool {
    let access = |i: InstId| match program.inst(i).op {
        Op::Load { volatile: false, atomic: false } => {
            Some((false, object(program, program.operands(i)[0])?))
        }
        Op::Store { volatile: false, atomic: false } => {
            Some((true, object(program, program.operands(i)[1])?))
        }
        _ => None,
    };
    match (access(a), access(b)) {
        (Some((false, _)), Some((false, _))) => true,
        (Some((_, x)), Some((_, y))) => x != y,
        _ => false,
    }
}

/// The variable that an address certainly lies in.
fn object(program: &Program, mut address: Operand) -> Option<Operand> {
    // A chain of address computations has no cycle without a phi.
    loop {
        match address {
            Operand::Global(_) => return Some(address),
            Operand::Inst(i) => match program.inst(i).op {
                Op::Alloca { .. } => return Some(address),
                Op::Gep(_) => address = *program.operands(i).first()?,
                _ => return None,
            },
            _ => return None,
        }
    }
}
