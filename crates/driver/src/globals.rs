//! What a function can reach: functions that it may call, variables that it may read or write.
//!
//! In: a program model and a function. Out: ids, in order. Everything that reachable code refers to counts, also what it only takes the address of.

use parallax_model::{
    Callee, Const, ConstId, DebugTypeId, FuncId, GlobalId, Id, Linkage, Op, Operand, Program,
};
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub struct Reached {
    pub functions: BTreeSet<FuncId>,
    pub globals: BTreeSet<GlobalId>,
}

pub fn reached(program: &Program, from: FuncId) -> Reached {
    let mut walk =
        Walk { program, reached: Reached::default(), pending: vec![from], constants: BTreeSet::new() };
    walk.reached.functions.insert(from);
    while let Some(func) = walk.pending.pop() {
        for inst in program.func(func).insts.iter() {
            if let Some((Callee::Direct(callee), ..)) = program.inst(inst).op.call() {
                walk.function(callee);
            }
            program.operands(inst).iter().for_each(|operand| walk.operand(*operand));
        }
    }
    walk.reached
}

struct Walk<'p> {
    program: &'p Program,
    reached: Reached,
    pending: Vec<FuncId>,
    constants: BTreeSet<ConstId>,
}

impl Walk<'_> {
    fn function(&mut self, func: FuncId) {
        if self.reached.functions.insert(func) {
            self.pending.push(func);
        }
    }

    /// Constants nest; each is looked at once.
    fn operand(&mut self, operand: Operand) {
        let mut pending = vec![operand];
        while let Some(operand) = pending.pop() {
            match operand {
                Operand::Func(func) => self.function(func),
                Operand::Global(global) if self.reached.globals.insert(global) => {
                    pending.extend(self.program.global(global).initialiser);
                }
                Operand::Const(constant) if self.constants.insert(constant) => {
                    pending.extend(self.program.constant(constant).kind.operands());
                }
                _ => {}
            }
        }
    }
}

/// A variable of both versions that the function may read or write.
#[derive(Clone, Debug)]
pub struct Shared {
    pub name: String,
    pub symbols: [String; 2],
    pub types: [DebugTypeId; 2],
}

/// The variables that can be compared: of the program, not constant, and with a type, in both versions.
pub fn shared(programs: [&Program; 2], reached: [&Reached; 2]) -> Vec<Shared> {
    let [old, new] = [0, 1].map(|i| variables(programs[i]));
    let used = |i: usize, id: &GlobalId| reached[i].globals.contains(id);
    let mut found = Vec::new();
    for (name, id, ty) in &old {
        // Two of one name are static in several files: which is which is not known.
        let one =
            |list: &[(String, GlobalId, DebugTypeId)]| list.iter().filter(|o| o.0 == *name).count() == 1;
        let other = new.iter().find(|other| other.0 == *name);
        let (true, true, Some((_, also, other))) = (one(&old), one(&new), other) else { continue };
        if used(0, id) || used(1, also) {
            let symbol = |i: usize, id: GlobalId| programs[i].global(id).name.clone();
            found.push(Shared {
                name: name.clone(),
                symbols: [symbol(0, *id), symbol(1, *also)],
                types: [*ty, *other],
            });
        }
    }
    found
}

fn variables(program: &Program) -> Vec<(String, GlobalId, DebugTypeId)> {
    let wanted = program.global_ids().filter(|id| {
        let global = program.global(*id);
        !global.constant && !global.external() && !global.thread_local && global.linkage != Linkage::Appending
    });
    wanted
        .filter_map(|id| {
            let global = program.global(id);
            Some((global.source_name.clone().unwrap_or_else(|| global.name.clone()), id, global.debug?))
        })
        .collect()
}

/// May anything write to a variable? Its address, and what is computed from it, is followed through the program; where it is stored or passed on, anything may.
pub fn is_written(program: &Program, id: GlobalId) -> bool {
    let mut addresses = BTreeSet::from([Operand::Global(id)]);
    let holds = |constant: &Const, known: &BTreeSet<Operand>| {
        constant.kind.operands().iter().any(|o| known.contains(o))
    };
    let mut before = 0;
    // Each round finds at least one more address, or is the last.
    while before < addresses.len() {
        before = addresses.len();
        for (number, constant) in program.consts.iter().enumerate() {
            if holds(constant, &addresses) {
                addresses.insert(Operand::Const(ConstId::from_index(number)));
            }
        }
        for inst in program.inst_ids() {
            let operands = program.operands(inst);
            let Some(at) = operands.iter().position(|operand| addresses.contains(operand)) else { continue };
            match program.inst(inst).op {
                Op::Load { .. } | Op::ICmp(_) => {}
                // The source of a copy.
                Op::Call { callee: Callee::Intrinsic(_), .. } if at > 0 => {}
                Op::Call { .. } | Op::Store { .. } | Op::Invoke { .. } | Op::AtomicRmw { .. } => return true,
                _ => {
                    addresses.insert(Operand::Inst(inst));
                }
            }
        }
    }
    false
}
