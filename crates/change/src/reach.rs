//! What can be executed before and after changed code.
//!
//! In: the new program with its call graph. Out: how far blocks are from the start of the program; which blocks can be executed
//! after given ones.
//!
//! Always holds: a way first leaves functions for their callers, then enters functions, so that none enters a function by one call and
//! leaves it by another.

use parallax_model::calls::{is_long_jump, CallGraph, Returns};
use parallax_model::*;
use std::collections::VecDeque;

/// Functions that return a second time, which clang says of them only where it takes them for its own (not with `-fno-builtin`).
const SET_JUMP: [&str; 4] = ["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];

/// The control flow of the whole program.
pub struct World<'p> {
    pub program: &'p Program,
    pub calls: &'p CallGraph,
    pub returns: &'p Returns,
}

impl World<'_> {
    /// Where execution begins: constructors, then `main`; without a `main`, every function that nobody calls.
    pub fn starts(&self) -> Vec<FuncId> {
        let program = self.program;
        let main = program.function_named("main").filter(|f| program.func(*f).is_defined());
        let mut starts: Vec<FuncId> = program.constructors.iter().copied().chain(main).collect();
        if main.is_none() {
            let uncalled = |f: &FuncId| self.calls.callers(*f).next().is_none();
            starts.extend(program.defined_functions().filter(uncalled));
        }
        starts.retain(|f| program.func(*f).is_defined());
        starts
    }

    /// Does a call jump behind calls of `setjmp`?
    pub fn jumps_far(&self, site: InstId) -> bool {
        self.calls.callees(site).iter().any(|f| is_long_jump(self.program, *f))
    }

    /// Calls behind which a far jump can land.
    pub fn landings(&self) -> Vec<InstId> {
        let by_name = |f: FuncId| SET_JUMP.contains(&self.program.func(f).name.as_str());
        let lands = |i: &InstId| match self.program.inst(*i).op.call() {
            Some((Callee::Direct(f), _, flags)) => flags.returns_twice || by_name(f),
            Some((_, _, flags)) => flags.returns_twice,
            None => false,
        };
        self.program.inst_ids().filter(lands).collect()
    }

    /// Calls of a block up to where execution cannot go on, and whether its end is reached.
    pub fn calls_of(&self, block: BlockId) -> (Vec<InstId>, bool) {
        let end = self.returns.end_of(self.program, self.calls, block);
        let last = end.unwrap_or(self.program.terminator(block));
        let calls = self.program.block(block).insts.iter().filter(|i| *i <= last);
        (calls.filter(|i| !self.calls.callees(*i).is_empty()).collect(), end.is_none())
    }

    /// For every block, the least number of branches on a way from the start of the program.
    pub fn from_start(&self) -> Vec<Option<u32>> {
        let program = self.program;
        let mut found: Vec<Option<u32>> = vec![None; program.blocks.len()];
        let mut queue: VecDeque<(u32, BlockId)> = VecDeque::new();
        queue.extend(self.starts().iter().filter_map(|f| Some((0, program.func(*f).entry()?))));
        while let Some((distance, block)) = queue.pop_front() {
            if found[block.index()].is_some() {
                continue;
            }
            found[block.index()] = Some(distance);
            let (calls, ends) = self.calls_of(block);
            for callee in calls.iter().flat_map(|site| self.calls.callees(*site)) {
                program.func(*callee).entry().into_iter().for_each(|b| queue.push_front((distance, b)));
            }
            let next = if ends { program.successors(block) } else { &[] };
            let mut kinds = next.to_vec();
            kinds.sort_unstable();
            kinds.dedup();
            for s in &kinds {
                if kinds.len() > 1 {
                    queue.push_back((distance + 1, *s));
                } else {
                    queue.push_front((distance, *s));
                }
            }
        }
        found
    }

    /// Blocks that can be executed after one of `from` began.
    pub fn after(&self, from: &[BlockId]) -> Vec<bool> {
        let program = self.program;
        // Up: the caller may be gone back to. Down: it comes back to where it was called.
        let mut up = vec![false; program.blocks.len()];
        let mut down = vec![false; program.blocks.len()];
        // Executed from some call on; in a loop it may still be executed as a whole.
        let mut partly = vec![false; program.blocks.len()];
        let mut pending: Vec<(BlockId, bool)> = Vec::new();
        let follow =
            |block: BlockId, rising: bool, calls_from: Option<InstId>, pending: &mut Vec<(BlockId, bool)>| {
                let (calls, ends) = self.calls_of(block);
                for site in calls.into_iter().filter(|site| calls_from.is_none_or(|after| *site > after)) {
                    let callees = self.calls.callees(site).iter();
                    pending.extend(callees.filter_map(|f| Some((program.func(*f).entry()?, false))));
                }
                if ends {
                    pending.extend(program.successors(block).iter().map(|s| (*s, rising)));
                }
                ends && program.successors(block).is_empty()
            };
        let landings = self.landings();
        let sites = self.calls.sites().iter().filter(|site| !landings.is_empty() && self.jumps_far(**site));
        let mut jumping: Vec<BlockId> = sites.map(|site| program.inst(*site).block).collect();
        let mut left: Vec<bool> = vec![false; program.functions.len()];
        let mut leaving: Vec<FuncId> = Vec::new();
        for block in from {
            if follow(*block, true, None, &mut pending) {
                leaving.push(program.block(*block).func);
            }
        }
        loop {
            while let Some((block, rising)) = pending.pop() {
                let seen = if rising { &mut up } else { &mut down };
                if std::mem::replace(&mut seen[block.index()], true) {
                    continue;
                }
                if follow(block, rising, None, &mut pending) && rising {
                    leaving.push(program.block(block).func);
                }
            }
            let executed =
                |b: &BlockId| up[b.index()] || down[b.index()] || partly[b.index()] || from.contains(b);
            if jumping.iter().any(executed) {
                jumping.clear();
                // As behind a call that came back.
                for site in &landings {
                    let block = program.inst(*site).block;
                    partly[block.index()] = true;
                    if follow(block, true, Some(*site), &mut pending) {
                        leaving.push(program.block(block).func);
                    }
                }
                continue;
            }
            let Some(f) = leaving.pop() else { break };
            if std::mem::replace(&mut left[f.index()], true) {
                continue;
            }
            for site in self.calls.callers(f) {
                // The rest of the caller's block is executed, and so it is after.
                let block = program.inst(site).block;
                partly[block.index()] = true;
                if follow(block, true, Some(site), &mut pending) {
                    leaving.push(program.block(block).func);
                }
            }
        }
        (0..partly.len()).map(|b| up[b] || down[b] || partly[b]).collect()
    }
}
