//! Lines of the source that instructions stand for.
//!
//! In: instructions of a function. Out: their lines.
//!
//! Always holds: where a program has debug information, code that lost its own line, as a constant that only a jump carries, has the line of what is executed before it.

use crate::changes::Lines;
use parallax_model::*;
use std::collections::{BTreeSet, VecDeque};

/// The lines of instructions, of the function's own file if some are there.
pub fn lines(program: &Program, insts: &[InstId], f: FuncId) -> Lines {
    let file = program.func(f).file;
    let mut at: Vec<Loc> = insts.iter().filter_map(|i| own(program, *i)).collect();
    if at.is_empty() {
        at = insts.iter().filter_map(|i| before(program, *i)).collect();
    }
    let in_file: BTreeSet<u32> = at.iter().filter(|loc| Some(loc.file) == file).map(|loc| loc.line).collect();
    let lines = if in_file.is_empty() { at.iter().map(|loc| loc.line).collect() } else { in_file };
    Lines { file: file.map(|f| program.file(f).to_owned()), lines: lines.into_iter().collect() }
}

fn own(program: &Program, inst: InstId) -> Option<Loc> {
    program.loc(inst).filter(|loc| loc.line > 0).copied()
}

/// The place of the nearest code on the way to an instruction that has one.
pub fn before(program: &Program, inst: InstId) -> Option<Loc> {
    let function = program.func(program.func_of(inst));
    // Without debug information there is nothing to find, however far one looks.
    function.file?;
    let start = program.inst(inst).block;
    let in_block = |block: BlockId| program.block(block).insts.iter().rev();
    if let Some(loc) = in_block(start).filter(|i| *i < inst).find_map(|i| own(program, i)) {
        return Some(loc);
    }
    let mut seen = BTreeSet::from([start]);
    let mut pending = VecDeque::from([start]);
    while let Some(block) = pending.pop_front() {
        let leads = |from: &BlockId| program.successors(*from).contains(&block);
        for from in function.blocks.iter().filter(leads) {
            if let Some(loc) = in_block(from).find_map(|i| own(program, i)) {
                return Some(loc);
            }
            if seen.insert(from) {
                pending.push_back(from);
            }
        }
    }
    None
}
