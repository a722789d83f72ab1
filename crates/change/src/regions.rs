//! Changed regions with their inputs and outputs (seed 001, section 4.3): what has to be compared to see an infected state.
//!
//! In: a comparison. Out: for each change of code, on both sides: the values and the memory that the changed code takes in and gives out;
//! and the values that corresponding code after it uses on each side.
//!
//! Always holds: inputs are defined outside the region, outputs are used outside it; both in order, each once.

use crate::changes::Change;
use crate::compare::Comparison;
use parallax_model::*;
use std::collections::{BTreeMap, BTreeSet};

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryUse {
    pub inst: InstId,
    /// None for a call: whatever it reads or writes.
    pub address: Option<Operand>,
}

/// The changed code of one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub insts: Vec<InstId>,
    /// Values from outside: arguments and results of other instructions.
    pub inputs: Vec<Operand>,
    /// Results that are used outside.
    pub outputs: Vec<InstId>,
    pub reads: Vec<MemoryUse>,
    pub writes: Vec<MemoryUse>,
}

/// Two values that would be the same if the change had no effect: what an instruction outside the region uses in each version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Compared {
    pub old_user: InstId,
    pub new_user: InstId,
    pub old: Operand,
    pub new: Operand,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Index of the change.
    pub change: usize,
    pub old: Part,
    pub new: Part,
    pub compared: Vec<Compared>,
}

pub fn regions(old: &Program, new: &Program, comparison: &Comparison) -> Vec<Region> {
    let mut users = (Users::default(), Users::default());
    let mut found = Vec::new();
    for (number, change) in comparison.changes.iter().enumerate() {
        if change.new_insts.is_empty() && change.old_insts.is_empty() {
            continue;
        }
        let old_part = users.0.part(old, &change.old_insts);
        let new_part = users.1.part(new, &change.new_insts);
        let compared = compared(old, new, comparison, change, &mut users);
        found.push(Region { change: number, old: old_part, new: new_part, compared });
    }
    found
}

/// Who uses each result, function by function.
#[derive(Default)]
struct Users {
    known: BTreeMap<FuncId, BTreeMap<InstId, Vec<InstId>>>,
}

impl Users {
    fn of(&mut self, program: &Program, inst: InstId) -> &[InstId] {
        let f = program.func_of(inst);
        let users = self.known.entry(f).or_insert_with(|| {
            let mut users: BTreeMap<InstId, Vec<InstId>> = BTreeMap::new();
            for user in program.func(f).insts.iter() {
                for operand in program.operands(user) {
                    if let Operand::Inst(used) = operand {
                        users.entry(*used).or_default().push(user);
                    }
                }
            }
            users
        });
        users.get(&inst).map_or(&[], Vec::as_slice)
    }

    fn part(&mut self, program: &Program, insts: &[InstId]) -> Part {
        let inside: BTreeSet<InstId> = insts.iter().copied().collect();
        let outside = |o: &Operand| match o {
            Operand::Inst(i) => !inside.contains(i),
            Operand::Arg { .. } => true,
            _ => false,
        };
        let mut part = Part { insts: insts.to_vec(), ..Part::default() };
        let inputs: BTreeSet<Operand> =
            insts.iter().flat_map(|i| program.operands(*i)).filter(|o| outside(o)).copied().collect();
        part.inputs = inputs.into_iter().collect();
        for inst in insts {
            if self.of(program, *inst).iter().any(|user| !inside.contains(user)) {
                part.outputs.push(*inst);
            }
            memory(program, *inst, &mut part);
        }
        part
    }
}

fn memory(program: &Program, inst: InstId, part: &mut Part) {
    let operands = program.operands(inst);
    let at = |n: usize| MemoryUse { inst, address: operands.get(n).copied() };
    let op = program.inst(inst).op;
    match op {
        Op::Load { .. } | Op::VaArg => part.reads.push(at(0)),
        Op::Store { .. } => part.writes.push(at(1)),
        Op::CmpXchg { .. } | Op::AtomicRmw { .. } => {
            part.reads.push(at(0));
            part.writes.push(at(0));
        }
        _ if op.call().is_some() => {
            part.reads.push(MemoryUse { inst, address: None });
            part.writes.push(MemoryUse { inst, address: None });
        }
        _ => {}
    }
}

/// Operands of aligned instructions outside the region that come from inside it on either side.
fn compared(
    old: &Program,
    new: &Program,
    comparison: &Comparison,
    change: &Change,
    users: &mut (Users, Users),
) -> Vec<Compared> {
    let alignment = &comparison.alignment;
    let mut pairs: BTreeSet<(InstId, InstId)> = BTreeSet::new();
    for inst in &change.new_insts {
        let users = users.1.of(new, *inst).iter().filter(|user| !change.new_insts.contains(user));
        pairs.extend(users.filter_map(|user| Some((alignment.insts_back[user.index()]?, *user))));
    }
    for inst in &change.old_insts {
        let users = users.0.of(old, *inst).iter().filter(|user| !change.old_insts.contains(user));
        pairs.extend(users.filter_map(|user| Some((*user, alignment.insts[user.index()]?))));
    }
    let mut found = BTreeSet::new();
    for (old_user, new_user) in pairs {
        for (x, y) in old.operands(old_user).iter().zip(new.operands(new_user)) {
            let from = |o: &Operand, insts: &[InstId]| matches!(o, Operand::Inst(i) if insts.contains(i));
            if from(x, &change.old_insts) || from(y, &change.new_insts) {
                found.insert(Compared { old_user, new_user, old: *x, new: *y });
            }
        }
    }
    found.into_iter().collect()
}
