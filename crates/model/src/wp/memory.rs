//! What may write where, without knowledge of pointers: enough for flags and options in variables and fields.
//!
//! In: a program and its call graph. Out: [`Memory`], which says of an instruction and a cell whether the instruction writes it.
//!
//! Always holds: `No` is certain. A variable whose address goes nowhere but into loads, stores and address computations is written only where it is named.

use super::cond::Cell;
use crate::calls::{is_plain_call, CallGraph};
use crate::ir::*;
use crate::points_to::SparseSet;
use std::collections::HashSet;

/// What an instruction does to a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Write {
    No,
    May,
    /// Exactly this value is written to exactly this cell.
    Exactly(Operand),
}

/// Knowledge about writes. The analysis of pointers can give a sharper one.
pub trait Memory {
    fn write(&self, program: &Program, inst: InstId, cell: Cell) -> Write;
}

/// From the code alone.
pub struct PlainMemory {
    /// Globals and allocas whose address is known everywhere it is used.
    escaped: HashSet<Operand>,
    /// For every function the globals that it or what it calls writes by name.
    written: Vec<SparseSet>,
    /// Functions that, or whose callees, write through pointers or call code outside the program.
    wild: Vec<bool>,
    callees: Vec<(InstId, Vec<FuncId>)>,
}

/// The base of an address and its distance from it, if that is constant.
pub fn resolve(program: &Program, address: Operand) -> (Operand, Option<i64>) {
    let (mut at, mut offset) = (address, Some(0i64));
    loop {
        let (gep, base) = match at {
            Operand::Inst(i) => match program.inst(i).op {
                Op::Gep(gep) => (gep, program.operands(i)[0]),
                _ => return (at, offset),
            },
            Operand::Const(c) => match &program.constant(c).kind {
                ConstKind::Gep { gep, operands } => (*gep, operands[0]),
                _ => return (at, offset),
            },
            _ => return (at, offset),
        };
        let gep = program.gep(gep);
        offset = offset.filter(|_| gep.terms.is_empty()).map(|o| o.wrapping_add(gep.offset));
        at = base;
    }
}

/// A variable with a name of its own, as opposed to whatever a pointer leads to.
fn is_object(program: &Program, base: Operand) -> bool {
    match base {
        Operand::Global(_) => true,
        Operand::Inst(i) => matches!(program.inst(i).op, Op::Alloca { .. }),
        _ => false,
    }
}

/// Where an instruction writes: address, bytes if known, value if it is one whole value.
fn writes(program: &Program, inst: InstId) -> Option<(Operand, Option<u64>, Option<Operand>)> {
    let operands = program.operands(inst);
    match program.inst(inst).op {
        Op::Store { .. } => Some((operands[1], stored_bytes(program, operands[0]), Some(operands[0]))),
        Op::CmpXchg { .. } | Op::AtomicRmw { .. } => Some((operands[0], None, None)),
        Op::Call { callee: Callee::Intrinsic(f), .. } => {
            let name = &program.func(f).name;
            let copies = ["llvm.memcpy", "llvm.memmove", "llvm.memset", "llvm.va_"];
            copies.iter().any(|c| name.starts_with(c)).then(|| (operands[0], None, None))
        }
        _ => None,
    }
}

fn stored_bytes(program: &Program, value: Operand) -> Option<u64> {
    program.operand_bits(value).map(|bits| u64::from(bits.div_ceil(8)))
}

impl PlainMemory {
    pub fn new(program: &Program, calls: &CallGraph) -> Self {
        let callees = calls.sites().iter().map(|s| (*s, calls.callees(*s).to_vec())).collect();
        let n = program.functions.len();
        let mut memory = PlainMemory {
            escaped: escaped(program),
            written: vec![SparseSet::default(); n],
            wild: program.functions.iter().map(|f| !f.is_defined() && !f.intrinsic).collect(),
            callees,
        };
        memory.own_writes(program);
        memory.close(program, calls);
        memory
    }

    fn own_writes(&mut self, program: &Program) {
        for inst in program.inst_ids() {
            let f = program.func_of(inst).index();
            match (writes(program, inst), program.inst(inst).op.call()) {
                (Some((address, ..)), _) => match resolve(program, address).0 {
                    Operand::Global(g) => {
                        self.written[f].insert(g.0);
                    }
                    base if is_object(program, base) => {}
                    _ => self.wild[f] = true,
                },
                (None, Some((Callee::Asm(_), ..))) => self.wild[f] = true,
                _ => {}
            }
        }
    }

    /// Functions do what their callees do.
    fn close(&mut self, program: &Program, calls: &CallGraph) {
        let mut pending: Vec<FuncId> = program.func_ids().collect();
        let mut waits = vec![true; pending.len()];
        while let Some(f) = pending.pop() {
            waits[f.index()] = false;
            let (written, wild) = (self.written[f.index()].clone(), self.wild[f.index()]);
            if written.is_empty() && !wild {
                continue;
            }
            let mut callers: Vec<usize> = calls.callers(f).map(|s| program.func_of(s).index()).collect();
            callers.sort_unstable();
            callers.dedup();
            for caller in callers {
                let wilder = wild && !self.wild[caller];
                self.wild[caller] |= wild;
                let more = self.written[caller].union(&written) || wilder;
                if more && !std::mem::replace(&mut waits[caller], true) {
                    pending.push(FuncId::from_index(caller));
                }
            }
        }
    }

    fn call_writes(&self, program: &Program, site: InstId, cell: Cell) -> bool {
        let known = self.callees.binary_search_by_key(&site, |c| c.0).ok();
        let callees = known.map_or(&[][..], |place| &self.callees[place].1);
        let wild = callees.is_empty() || callees.iter().any(|f| self.wild[f.index()]);
        match cell.base {
            Operand::Global(g) => {
                let outside = program.global(g).external();
                let named = callees.iter().any(|f| self.written[f.index()].contains(g.0));
                named || (wild && (outside || self.escaped.contains(&cell.base)))
            }
            base if is_object(program, base) => self.escaped.contains(&base),
            // Whatever a pointer leads to may be a global that is written by name.
            _ => wild || callees.iter().any(|f| !self.written[f.index()].is_empty()),
        }
    }

    /// Can two bases be the same object?
    fn may_meet(&self, program: &Program, a: Operand, b: Operand) -> bool {
        match (is_object(program, a), is_object(program, b)) {
            (true, true) => a == b,
            (true, false) => self.escaped.contains(&a) || is_outside(program, a),
            (false, true) => self.escaped.contains(&b) || is_outside(program, b),
            (false, false) => true,
        }
    }
}

fn is_outside(program: &Program, base: Operand) -> bool {
    matches!(base, Operand::Global(g) if program.global(g).external())
}

impl Memory for PlainMemory {
    fn write(&self, program: &Program, inst: InstId, cell: Cell) -> Write {
        let Some((address, bytes, value)) = writes(program, inst) else {
            return match program.inst(inst).op.call() {
                Some((Callee::Intrinsic(_), ..)) | None => Write::No,
                Some((Callee::Asm(_), ..)) => Write::May,
                Some(_) if self.call_writes(program, inst, cell) => Write::May,
                Some(_) => Write::No,
            };
        };
        let (base, offset) = resolve(program, address);
        if !self.may_meet(program, base, cell.base) {
            return Write::No;
        }
        let (Some(offset), true) = (offset, base == cell.base) else { return Write::May };
        let cell_end = cell.offset + i64::from(cell.bits.div_ceil(8));
        let starts_behind = offset >= cell_end;
        let ends_before = bytes.is_some_and(|b| offset + b as i64 <= cell.offset);
        match value {
            _ if starts_behind || ends_before => Write::No,
            Some(v) if offset == cell.offset && program.operand_bits(v) == Some(cell.bits) => {
                Write::Exactly(v)
            }
            _ => Write::May,
        }
    }
}

/// Intrinsics that keep no address.
const HARMLESS: [&str; 6] =
    ["llvm.memcpy", "llvm.memmove", "llvm.memset", "llvm.lifetime", "llvm.va_", "llvm.objectsize"];

/// Objects whose address goes elsewhere than into loads, stores and address computations.
fn escaped(program: &Program) -> HashSet<Operand> {
    let mut escaped = HashSet::new();
    let mut pending: Vec<Operand> = program.globals.iter().filter_map(|g| g.initialiser).collect();
    for inst in program.inst_ids() {
        let op = program.inst(inst).op;
        for (i, operand) in program.operands(inst).iter().enumerate() {
            let harmless = match op {
                Op::Load { .. } | Op::ICmp(_) => true,
                Op::Gep(_) => i == 0,
                Op::Store { .. } => i == 1,
                Op::CmpXchg { .. } | Op::AtomicRmw { .. } => i == 0,
                Op::Call { callee: Callee::Intrinsic(f), .. } => {
                    HARMLESS.iter().any(|name| program.func(f).name.starts_with(name))
                }
                _ => false,
            };
            if !harmless {
                pending.push(*operand);
            }
        }
    }
    let mut seen = HashSet::new();
    while let Some(operand) = pending.pop() {
        let base = resolve(program, operand).0;
        if is_object(program, base) {
            escaped.insert(base);
        }
        if let Operand::Const(c) = operand {
            if seen.insert(c) {
                pending.extend_from_slice(program.constant(c).kind.operands());
            }
        }
    }
    escaped
}

/// Callees of a call whose parameters get the call's arguments.
pub(super) fn plain_callees<'a>(
    program: &'a Program,
    calls: &'a CallGraph,
    site: InstId,
) -> impl Iterator<Item = (FuncId, bool)> + 'a {
    let defined = calls.callees(site).iter().filter(|f| program.func(**f).is_defined());
    defined.map(move |f| (*f, is_plain_call(program, site, *f)))
}
