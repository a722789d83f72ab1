//! Functions that allocate for their callers (`xmalloc` and its like), so that each call of them is an allocation site.
//!
//! In: a program. Out: which functions return memory that is fresh at each call and that nothing else knows of.
//!
//! Always holds: a wrapper returns only what an allocation (or another wrapper) gave it in the same call, null, or the memory that it was
//! given to resize; it keeps no pointer to it, so that objects of different calls cannot meet inside the wrapper.

use crate::ir::*;
use crate::summaries::{summary, Effect, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// An allocation that a wrapper leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub alloc: InstId,
    /// The call in the wrapper that leads to it; none: the allocation itself is in the wrapper.
    pub through: Option<InstId>,
    /// How many bytes.
    pub size: Size,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Unknown,
    Constant(u64),
    /// As many as a parameter of the wrapper says.
    Param(u32),
}

/// What a wrapper gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wrapper {
    pub sites: Vec<Site>,
    /// Parameters whose memory may be given back, resized.
    pub resized: Vec<u32>,
    /// Parameters whose memory is copied to the fresh memory.
    pub copied: Vec<u32>,
    /// Calls that do this copying.
    copies: Vec<InstId>,
    /// The wrapper itself reads the fresh memory.
    reads: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Wrappers {
    found: FxHashMap<FuncId, Wrapper>,
    /// Functions that only look at a parameter and return it.
    identities: FxHashMap<FuncId, u32>,
    /// Calls in wrappers whose copying is done where the wrapper is called.
    postponed: FxHashSet<InstId>,
}

/// Wrappers of wrappers of … are looked for this often.
const LEVELS: usize = 4;

impl Wrappers {
    pub fn find(program: &Program) -> Wrappers {
        let users = Users::of(program);
        let identities =
            program.defined_functions().filter_map(|f| Some((f, identity(program, f)?))).collect();
        let mut wrappers = Wrappers { identities, ..Wrappers::default() };
        for _ in 0..LEVELS {
            let before = wrappers.found.len();
            let candidates: Vec<FuncId> =
                program.defined_functions().filter(|f| !wrappers.found.contains_key(f)).collect();
            let mut added = Vec::new();
            for func in candidates {
                if let Some(wrapper) = wrappers.examine(program, &users, func) {
                    added.push((func, wrapper));
                }
            }
            for (_, wrapper) in &added {
                let calls = wrapper.sites.iter().map(|s| s.through.unwrap_or(s.alloc));
                wrappers.postponed.extend(calls.chain(wrapper.copies.iter().copied()));
            }
            wrappers.found.extend(added);
            if wrappers.found.len() == before {
                break;
            }
        }
        wrappers
    }

    pub fn get(&self, func: FuncId) -> Option<&Wrapper> {
        self.found.get(&func)
    }

    /// Is what this call copies from a parameter copied by the callers of the wrapper that it is in?
    pub fn is_postponed(&self, call: InstId) -> bool {
        self.postponed.contains(&call)
    }

    fn examine(&self, program: &Program, users: &Users, func: FuncId) -> Option<Wrapper> {
        let f = program.func(func);
        let (result, ..) = program.signature(f.ty)?;
        if !matches!(program.ty(result).kind, TypeKind::Ptr) {
            return None;
        }
        let mut wrapper = Wrapper::default();
        let mut sources = Vec::new();
        for id in f.insts.iter() {
            if matches!(program.inst(id).op, Op::Ret) {
                sources.extend(program.operands(id));
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(operand) = sources.pop() {
            match operand {
                Operand::Null | Operand::Undef(_) => {}
                Operand::Inst(id) if !seen.insert(id) => {}
                Operand::Inst(id) => match program.inst(id).op {
                    Op::Phi { .. } => sources.extend(program.operands(id)),
                    Op::Select => sources.extend(&program.operands(id)[1..]),
                    Op::Freeze => sources.extend(program.operands(id)),
                    Op::Call { callee: Callee::Direct(callee), .. } => {
                        match self.same_as(program, id, callee) {
                            Some(argument) => sources.push(argument),
                            None => {
                                self.source(program, id, callee, &mut wrapper)?;
                                self.stays_inside(program, users, id, &mut wrapper).then_some(())?;
                            }
                        }
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        // Copies are left to the callers, so the wrapper itself would not see what was copied.
        let sees_copies = wrapper.reads && !wrapper.copied.is_empty();
        (!wrapper.sites.is_empty() && !sees_copies).then_some(wrapper)
    }

    /// The argument that a call only gives back.
    fn same_as(&self, program: &Program, call: InstId, callee: FuncId) -> Option<Operand> {
        let f = program.func(callee);
        let index = match self.identities.get(&callee) {
            Some(&index) => index,
            None if f.is_defined() => return None,
            None => {
                let mut returned = summary(&f.name)?.effects.iter().filter_map(|e| match e {
                    Effect::Return(value) => Some(*value),
                    _ => None,
                });
                match (returned.next(), returned.next()) {
                    (Some(Value::Arg(index)), None) => index,
                    _ => return None,
                }
            }
        };
        program.call_arguments(call).get(index as usize).copied()
    }

    /// Notes what a call gives; none if that is not (only) fresh memory.
    fn source(&self, program: &Program, call: InstId, callee: FuncId, wrapper: &mut Wrapper) -> Option<()> {
        let mut resized = Vec::new();
        if let Some(inner) = self.found.get(&callee) {
            for index in &inner.copied {
                if let Some(Operand::Arg { index, .. }) = program.call_arguments(call).get(*index as usize) {
                    wrapper.copied.push(*index);
                }
            }
            let args = program.call_arguments(call);
            wrapper.sites.extend(inner.sites.iter().map(|s| Site {
                through: Some(call),
                size: s.size.seen_from(args),
                ..*s
            }));
            resized.extend(&inner.resized);
        } else {
            let known = summary(&program.func(callee).name).filter(|s| s.allocates())?;
            if program.func(callee).is_defined() {
                return None;
            }
            let size = known.effects.iter().find_map(|e| match e {
                Effect::Return(Value::New { size: [Some(arg), None] }) => Some(Size::Param(*arg)),
                _ => None,
            });
            let size = size.unwrap_or(Size::Unknown).seen_from(program.call_arguments(call));
            wrapper.sites.push(Site { alloc: call, through: None, size });
            for effect in &known.effects {
                if let Effect::Return(Value::Arg(index)) = effect {
                    resized.push(*index);
                }
            }
        }
        for index in resized {
            match program.call_arguments(call).get(index as usize) {
                Some(Operand::Arg { index, .. }) => {
                    if !wrapper.resized.contains(index) {
                        wrapper.resized.push(*index);
                    }
                }
                Some(Operand::Null) => {}
                _ => return None,
            }
        }
        Some(())
    }
}

impl Size {
    /// The size, where a call with these arguments is.
    pub fn seen_from(self, args: &[Operand]) -> Size {
        let Size::Param(index) = self else { return self };
        match args.get(index as usize) {
            Some(Operand::Arg { index, .. }) => Size::Param(*index),
            Some(Operand::Int { value, .. }) => Size::Constant(*value),
            _ => Size::Unknown,
        }
    }
}

/// The parameter that a function gives back and does nothing else with but compare it.
fn identity(program: &Program, func: FuncId) -> Option<u32> {
    let mut found = None;
    for id in program.func(func).insts.iter() {
        let operands = program.operands(id);
        match program.inst(id).op {
            Op::Ret => match (operands.first()?, found) {
                (Operand::Arg { index, .. }, None) => found = Some(*index),
                (Operand::Arg { index, .. }, Some(other)) if *index == other => {}
                _ => return None,
            },
            Op::ICmp(_) => {}
            _ if operands.iter().any(|o| matches!(o, Operand::Arg { .. })) => return None,
            _ => {}
        }
    }
    found
}

/// Who uses the result of each instruction.
struct Users {
    first: Vec<u32>,
    users: Vec<InstId>,
}

impl Users {
    fn of(program: &Program) -> Users {
        let mut first = vec![0u32; program.insts.len() + 1];
        let each = |visit: &mut dyn FnMut(InstId, InstId)| {
            for id in program.inst_ids() {
                for operand in program.operands(id) {
                    if let Operand::Inst(used) = operand {
                        visit(*used, id);
                    }
                }
            }
        };
        each(&mut |used, _| first[used.index() + 1] += 1);
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut users = vec![InstId(0); first.last().copied().unwrap_or(0) as usize];
        let mut next = first.clone();
        each(&mut |used, user| {
            users[next[used.index()] as usize] = user;
            next[used.index()] += 1;
        });
        Users { first, users }
    }

    fn of_inst(&self, id: InstId) -> &[InstId] {
        &self.users[self.first[id.index()] as usize..self.first[id.index() + 1] as usize]
    }
}

impl Wrappers {
    /// Does nothing but the function's result know the pointer?
    fn stays_inside(
        &self,
        program: &Program,
        users: &Users,
        allocated: InstId,
        wrapper: &mut Wrapper,
    ) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = vec![allocated];
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            for &user in users.of_inst(id) {
                let operands = program.operands(user);
                let harmless = match program.inst(user).op {
                    Op::Ret | Op::ICmp(_) => true,
                    Op::Load { .. } => {
                        wrapper.reads = true;
                        true
                    }
                    Op::Store { .. } => operands[0] != Operand::Inst(id),
                    Op::Phi { .. } | Op::Select | Op::Freeze | Op::Gep(_) => {
                        pending.push(user);
                        true
                    }
                    Op::Call { callee: Callee::Intrinsic(callee), .. } => {
                        note_copy(program, user, callee, id, wrapper);
                        true
                    }
                    Op::Call { callee: Callee::Direct(callee), .. } => {
                        note_copy(program, user, callee, id, wrapper);
                        self.harmless_argument(program, user, callee, id, &mut pending)
                    }
                    _ => false,
                };
                if !harmless {
                    return false;
                }
            }
        }
        true
    }

    /// Is a pointer safe as an argument of this call?
    fn harmless_argument(
        &self,
        program: &Program,
        call: InstId,
        callee: FuncId,
        pointer: InstId,
        pending: &mut Vec<InstId>,
    ) -> bool {
        let f = program.func(callee);
        if self.same_as(program, call, callee) == Some(Operand::Inst(pointer)) {
            pending.push(call);
            return true;
        }
        let Some(known) = summary(&f.name).filter(|_| !f.is_defined()) else { return false };
        for (index, argument) in program.call_arguments(call).iter().enumerate() {
            if *argument == Operand::Inst(pointer) {
                if known.keeps(index as u32) {
                    return false;
                }
                if known.returns(index as u32) {
                    pending.push(call);
                }
            }
        }
        true
    }
}

/// Notes that a call copies the memory of a parameter to the start of fresh memory.
fn note_copy(program: &Program, call: InstId, callee: FuncId, fresh: InstId, wrapper: &mut Wrapper) {
    let name = program.func(callee).name.as_str();
    let copies = matches!(name, "memcpy" | "memmove")
        || name.starts_with("llvm.mem") && !name.starts_with("llvm.memset");
    if let (true, [Operand::Inst(to), Operand::Arg { index, .. }, ..]) =
        (copies, program.call_arguments(call))
    {
        if *to == fresh {
            wrapper.copied.push(*index);
            wrapper.copies.push(call);
        }
    }
}
