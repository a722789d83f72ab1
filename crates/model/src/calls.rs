//! The call graph: what each call may call, and whether it can come back.
//!
//! In: a program, and somebody who knows where pointers lead ([`CallGraph::new`]); or nobody, and then every function of a fitting type whose
//! address is taken is assumed ([`CallGraph::coarse`]). Out: callees of calls, callers of functions, and [`Returns`].
//!
//! Always holds: nothing that can be called is missing, if the resolver misses nothing. A function whose address is handed to a function outside the program
//! is called there.

use crate::graph::Csr;
use crate::ir::*;
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Debug)]
pub struct CallGraph {
    /// All calls but those of intrinsics and assembly, in order.
    sites: Vec<InstId>,
    /// Which set of callees each has; equal sets are one.
    set_of: Vec<u32>,
    sets: Vec<Vec<FuncId>>,
    /// Places in `sites` by callee.
    callers: Csr,
    at_exit: Vec<FuncId>,
}

impl CallGraph {
    /// `resolve`: the callees of an indirect call.
    pub fn new(program: &Program, mut resolve: impl FnMut(InstId) -> Vec<FuncId>) -> Self {
        let at_exit = exit_handlers(program);
        let mut known: HashMap<Vec<FuncId>, u32> = HashMap::new();
        let (mut sites, mut set_of, mut sets) = (Vec::new(), Vec::new(), Vec::new());
        for site in program.inst_ids() {
            let Some((callee, ..)) = program.inst(site).op.call() else { continue };
            let mut callees = match callee {
                Callee::Direct(f) => {
                    let runs: &[FuncId] = if runs_handlers(program, site, f) { &at_exit } else { &[] };
                    with_callbacks(program, site, f).into_iter().chain(runs.iter().copied()).collect()
                }
                Callee::Indirect => resolve(site),
                Callee::Intrinsic(_) | Callee::Asm(_) => continue,
            };
            callees.sort();
            callees.dedup();
            let next = sets.len() as u32;
            let set = *known.entry(callees.clone()).or_insert(next);
            if set == next {
                sets.push(callees);
            }
            sites.push(site);
            set_of.push(set);
        }
        let pairs = set_of
            .iter()
            .zip(0u32..)
            .flat_map(|(set, site)| sets[*set as usize].iter().map(move |f: &FuncId| (f.0, site)));
        let callers = Csr::new(program.functions.len(), pairs.clone());
        CallGraph { sites, set_of, sets, callers, at_exit }
    }

    /// Without knowledge of pointers: by type.
    pub fn coarse(program: &Program) -> Self {
        let taken: Vec<FuncId> = program.func_ids().filter(|f| program.func(*f).address_taken).collect();
        let mut by_type: BTreeMap<TypeId, Vec<FuncId>> = BTreeMap::new();
        Self::new(program, |site| {
            let Some((_, signature, _)) = program.inst(site).op.call() else { return Vec::new() };
            let fits = |f: &&FuncId| compatible(program, signature, program.func(**f).ty);
            by_type.entry(signature).or_insert_with(|| taken.iter().filter(fits).copied().collect()).clone()
        })
    }

    /// Functions that run when the program ends by `exit` or by returning from `main`.
    pub fn at_exit(&self) -> &[FuncId] {
        &self.at_exit
    }

    pub fn sites(&self) -> &[InstId] {
        &self.sites
    }

    fn place(&self, site: InstId) -> Option<usize> {
        self.sites.binary_search(&site).ok()
    }

    /// What a call may call; empty for what is no call of a function.
    pub fn callees(&self, site: InstId) -> &[FuncId] {
        self.place(site).map_or(&[], |place| &self.sets[self.set_of[place] as usize])
    }

    /// The calls that may call a function.
    pub fn callers(&self, callee: FuncId) -> impl Iterator<Item = InstId> + '_ {
        self.callers.of(callee.index()).iter().map(|place| self.sites[*place as usize])
    }

    /// The number of a call's set of callees, and the sets: many calls share one.
    pub fn callee_set(&self, site: InstId) -> Option<u32> {
        self.place(site).map(|place| self.set_of[place])
    }

    pub fn callee_sets(&self) -> &[Vec<FuncId>] {
        &self.sets
    }
}

/// What registers a function to be run at exit, and what runs those functions.
const REGISTER_HANDLERS: [&str; 4] = ["atexit", "on_exit", "at_quick_exit", "__cxa_atexit"];
const RUN_HANDLERS: [&str; 10] = [
    "exit",
    "quick_exit",
    "err",
    "errx",
    "verr",
    "verrx",
    "argp_error",
    "argp_usage",
    "argp_failure",
    "argp_parse",
];
/// These exit unless their first argument is 0.
const MAY_RUN_HANDLERS: [&str; 2] = ["error", "error_at_line"];

fn runs_handlers(program: &Program, site: InstId, callee: FuncId) -> bool {
    let name = program.func(callee).name.as_str();
    let stays = || matches!(program.call_arguments(site).first(), Some(Operand::Int { value: 0, .. }));
    !program.func(callee).is_defined()
        && (RUN_HANDLERS.contains(&name) || MAY_RUN_HANDLERS.contains(&name) && !stays())
}

fn exit_handlers(program: &Program) -> Vec<FuncId> {
    let mut found = program.destructors.clone();
    for site in program.inst_ids() {
        let Some((Callee::Direct(f), ..)) = program.inst(site).op.call() else { continue };
        if REGISTER_HANDLERS.contains(&program.func(f).name.as_str()) {
            found.extend(with_callbacks(program, site, f).into_iter().filter(|g| *g != f));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Does the program end where this block ends?
pub(crate) fn ends_program(program: &Program, block: BlockId) -> bool {
    let returns = program.inst(program.terminator(block)).op == Op::Ret;
    returns && program.func(program.block(block).func).name == "main"
}

/// The callee itself; where it is outside the program, also the functions handed to it.
fn with_callbacks(program: &Program, site: InstId, callee: FuncId) -> Vec<FuncId> {
    let mut callees = vec![callee];
    if !program.func(callee).is_defined() {
        callees.extend(program.call_arguments(site).iter().filter_map(|a| match a {
            Operand::Func(f) => Some(*f),
            _ => None,
        }));
    }
    callees
}

/// Is `callee` called by this call itself, and not by a function outside the program that it was handed to?
pub fn is_plain_call(program: &Program, site: InstId, callee: FuncId) -> bool {
    match program.inst(site).op.call() {
        Some((Callee::Direct(f), ..)) => f == callee,
        Some((Callee::Indirect, ..)) => true,
        _ => false,
    }
}

/// C programs call functions by types that differ in more than one would like (no prototype, a cast of the pointer): as many parameters must fit.
pub(crate) fn compatible(program: &Program, call: TypeId, function: TypeId) -> bool {
    if call == function {
        return true;
    }
    match (program.signature(call), program.signature(function)) {
        (Some((_, given, open)), Some((_, taken, variadic))) => {
            given.len() == taken.len() || (variadic && given.len() >= taken.len()) || open
        }
        _ => false,
    }
}

/// Functions of the C library that do not return, whatever their declaration says.
const NEVER_RETURN: [&str; 14] = [
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "__assert_fail",
    "__stack_chk_fail",
    "pthread_exit",
    "err",
    "errx",
];

/// Those that go on after a call of `setjmp`.
const LONG_JUMPS: [&str; 4] = ["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];

pub fn is_long_jump(program: &Program, callee: FuncId) -> bool {
    LONG_JUMPS.contains(&program.func(callee).name.as_str())
}

/// Which functions can return, and after which instructions execution can go on.
#[derive(Clone, Debug)]
pub struct Returns {
    may: Vec<bool>,
}

impl Returns {
    /// The least solution: a function that recurses without end does not return.
    pub fn new(program: &Program, calls: &CallGraph) -> Self {
        let outside = |f: &Function| {
            !f.is_defined() && !f.attributes.noreturn && !NEVER_RETURN.contains(&f.name.as_str())
        };
        let mut returns = Returns { may: program.functions.iter().map(outside).collect() };
        let mut pending: Vec<FuncId> = program.defined_functions().rev().collect();
        while let Some(f) = pending.pop() {
            if returns.may[f.index()] || !returns.reaches_return(program, calls, f) {
                continue;
            }
            returns.may[f.index()] = true;
            pending.extend(calls.callers(f).map(|site| program.func_of(site)));
        }
        returns
    }

    pub fn may_return(&self, f: FuncId) -> bool {
        self.may[f.index()]
    }

    /// Can execution go on behind this instruction?
    pub fn goes_on(&self, program: &Program, calls: &CallGraph, inst: InstId) -> bool {
        let Some((callee, _, flags)) = program.inst(inst).op.call() else { return true };
        if flags.noreturn {
            return false;
        }
        match callee {
            // What it hands functions to comes back even if those do not.
            Callee::Direct(f) => self.may_return(f),
            Callee::Indirect => {
                let callees = calls.callees(inst);
                callees.is_empty() || callees.iter().any(|f| self.may_return(*f))
            }
            Callee::Intrinsic(_) | Callee::Asm(_) => true,
        }
    }

    /// The first instruction of a block behind which execution cannot go on; none if the end of the block is reached.
    pub fn end_of(&self, program: &Program, calls: &CallGraph, block: BlockId) -> Option<InstId> {
        program.block(block).insts.iter().find(|i| !self.goes_on(program, calls, *i))
    }

    fn reaches_return(&self, program: &Program, calls: &CallGraph, f: FuncId) -> bool {
        let function = program.func(f);
        let mut seen = vec![false; function.blocks.len()];
        let mut pending: Vec<BlockId> = function.entry().into_iter().collect();
        while let Some(block) = pending.pop() {
            let place = block.index() - function.blocks.start as usize;
            if std::mem::replace(&mut seen[place], true) || self.end_of(program, calls, block).is_some() {
                continue;
            }
            if matches!(program.inst(program.terminator(block)).op, Op::Ret | Op::Resume) {
                return true;
            }
            pending.extend_from_slice(program.successors(block));
        }
        false
    }
}
