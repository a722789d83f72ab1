//! What of the old version is what of the new one, as followed runs ask for it.
//!
//! In: two models and their comparison. Out: partners of instructions, blocks, functions; which changes an instruction belongs to, and which stand on its
//! line; where two parted activations meet again.
//!
//! Always holds: an instruction that moved has no partner: where it stands, the other version has nothing; its users are compared instead.

use crate::{NEW, OLD};
use parallax_change::{Change, Comparison, Kind};
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::cfg::Flow;
use parallax_model::summaries::summary;
use parallax_model::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Functions that end the program: what they are given is seen from outside.
const ENDING: [&str; 4] = ["exit", "_exit", "_Exit", "quick_exit"];

pub struct Pairing<'p> {
    pub programs: [&'p Program; 2],
    pub comparison: &'p Comparison,
    sides: [Tables; 2],
    /// Functions that were asked for.
    flows: [RefCell<FxHashMap<FuncId, Rc<Flow>>>; 2],
}

/// What is known of one version.
struct Tables {
    calls: CallGraph,
    returns: Returns,
    /// Changes of an instruction, and of a line.
    insts: FxHashMap<InstId, Vec<u32>>,
    lines: FxHashMap<(FileId, u32), Vec<u32>>,
    globals: FxHashMap<GlobalId, Vec<u32>>,
}

impl<'p> Pairing<'p> {
    pub fn new(old: &'p Program, new: &'p Program, comparison: &'p Comparison) -> Pairing<'p> {
        let sides = [Tables::new(old, comparison, OLD), Tables::new(new, comparison, NEW)];
        Pairing { programs: [old, new], comparison, sides, flows: Default::default() }
    }

    pub fn partner(&self, side: usize, inst: InstId) -> Option<InstId> {
        let alignment = &self.comparison.alignment;
        if side == OLD {
            let new = (*alignment.insts.get(inst.index())?)?;
            (!alignment.moved[new.index()]).then_some(new)
        } else {
            let old = (*alignment.insts_back.get(inst.index())?)?;
            (!alignment.moved[inst.index()]).then_some(old)
        }
    }

    pub fn block_partner(&self, side: usize, block: BlockId) -> Option<BlockId> {
        let alignment = &self.comparison.alignment;
        let blocks = if side == OLD { &alignment.blocks } else { &alignment.blocks_back };
        blocks.get(block.index()).copied().flatten()
    }

    pub fn function_partner(&self, side: usize, function: FuncId) -> Option<FuncId> {
        let pairs = &self.comparison.pairs;
        let functions = if side == OLD { &pairs.functions } else { &pairs.functions_back };
        functions.get(function.index()).copied().flatten()
    }

    pub fn global_partner(&self, old: GlobalId) -> Option<GlobalId> {
        self.comparison.pairs.globals.get(old.index()).copied().flatten()
    }

    /// Changes that an instruction is a part of.
    pub fn changes_of(&self, side: usize, inst: InstId) -> &[u32] {
        self.sides[side].insts.get(&inst).map_or(&[], Vec::as_slice)
    }

    /// Changes of a variable's first value.
    pub fn changes_of_global(&self, side: usize, global: GlobalId) -> &[u32] {
        self.sides[side].globals.get(&global).map_or(&[], Vec::as_slice)
    }

    /// Does it stand on a line of the change? Code without a line is taken to be part of what is around it.
    pub fn is_own(&self, change: u32, insts: [Option<InstId>; 2]) -> bool {
        let own = |side: usize| {
            let Some(inst) = insts[side] else { return false };
            if self.changes_of(side, inst).contains(&change) {
                return true;
            }
            let Some(loc) = self.programs[side].loc(inst).filter(|loc| loc.line > 0) else { return false };
            let lines = self.sides[side].lines.get(&(loc.file, loc.line));
            lines.is_some_and(|changes| changes.contains(&change))
        };
        own(NEW) || own(OLD)
    }

    pub fn has_line(&self, insts: [Option<InstId>; 2]) -> bool {
        (0..2)
            .any(|side| insts[side].and_then(|i| self.programs[side].loc(i)).is_some_and(|loc| loc.line > 0))
    }

    pub fn change(&self, number: u32) -> &Change {
        &self.comparison.changes[number as usize]
    }

    /// Is nothing but the place of members changed here?
    pub fn is_layout(&self, inst: InstId) -> bool {
        self.changes_of(NEW, inst).iter().any(|change| self.change(*change).kind == Kind::Layout)
    }

    /// Does a call of it go to the world outside the program?
    pub fn is_output(&self, side: usize, call: InstId) -> bool {
        let program = self.programs[side];
        let Some((Callee::Direct(f), ..)) = program.inst(call).op.call() else { return false };
        let function = program.func(f);
        let name = function.name.as_str();
        !function.is_defined()
            && (ENDING.contains(&name) || summary(name).is_some_and(|s| s.output && !s.input))
    }

    /// The nearest pair of blocks that both activations must come to from these, if they do not leave first.
    pub fn meeting(&self, from: [BlockId; 2]) -> Option<[BlockId; 2]> {
        let old = self.flow(OLD, from[OLD]);
        let new = self.flow(NEW, from[NEW]);
        let mut node = new.cfg.node(from[NEW]);
        while let Some(next) = new.post.idom(node).filter(|next| *next != node) {
            node = next;
            let Some(block) = new.cfg.block(node) else { return None };
            let partner = self.block_partner(NEW, block).or_else(|| {
                let insts = self.programs[NEW].block(block).insts;
                let partner = insts.iter().find_map(|i| self.partner(NEW, i))?;
                Some(self.programs[OLD].inst(partner).block)
            });
            let same_function =
                |b: &BlockId| self.programs[OLD].block(*b).func == self.programs[OLD].block(from[OLD]).func;
            let Some(partner) = partner.filter(same_function) else { continue };
            if partner != from[OLD] && old.post_dominates(partner, from[OLD]) {
                return Some([partner, block]);
            }
        }
        None
    }

    fn flow(&self, side: usize, block: BlockId) -> Rc<Flow> {
        let (program, tables) = (self.programs[side], &self.sides[side]);
        let f = program.block(block).func;
        let mut flows = self.flows[side].borrow_mut();
        flows
            .entry(f)
            .or_insert_with(|| Rc::new(Flow::new(program, &tables.calls, &tables.returns, f)))
            .clone()
    }
}

impl Tables {
    fn new(program: &Program, comparison: &Comparison, side: usize) -> Tables {
        // Where pointers lead does not matter here: an indirect call is taken to come back.
        let calls = CallGraph::new(program, |_| Vec::new());
        let returns = Returns::new(program, &calls);
        let mut tables = Tables {
            calls,
            returns,
            insts: FxHashMap::default(),
            lines: FxHashMap::default(),
            globals: FxHashMap::default(),
        };
        for (change, number) in comparison.changes.iter().zip(0u32..) {
            tables.take(program, change, number, side);
        }
        tables
    }

    fn take(&mut self, program: &Program, change: &Change, number: u32, side: usize) {
        let (insts, lines) = match side {
            OLD => (&change.old_insts, &change.old_lines),
            _ => (&change.new_insts, &change.new_lines),
        };
        for inst in insts {
            self.insts.entry(*inst).or_default().push(number);
            let loc = program.loc(*inst).filter(|loc| loc.line > 0 && lines.lines.contains(&loc.line));
            if let Some(loc) = loc {
                let changes = self.lines.entry((loc.file, loc.line)).or_default();
                if !changes.contains(&number) {
                    changes.push(number);
                }
            }
        }
        let global = if side == OLD { change.old_global } else { change.new_global };
        if let Some(global) = global {
            self.globals.entry(global).or_default().push(number);
        }
    }
}
