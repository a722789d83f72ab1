//! One step backwards: over an edge, an instruction, a call.
//!
//! Always holds: the condition before is implied by whatever execution satisfies the condition after.

use super::cond::{either, Cell, Cond, Term};
use super::memory::{plain_callees, resolve, Write};
use super::ranges::Ranges;
use super::require::require;
use super::Context;
use crate::calls::is_long_jump;
use crate::ir::*;

pub struct Stepper<'a, 'c> {
    context: &'c Context<'a>,
    /// Conditions at the beginning of blocks, for ways that stay inside; what calls are entered with.
    inside: &'c [Option<Cond>],
}

impl<'a, 'c> Stepper<'a, 'c> {
    pub fn new(context: &'c Context<'a>, inside: &'c [Option<Cond>]) -> Self {
        Stepper { context, inside }
    }

    /// cond(b → s) ∧ in(s), at the end of b.
    pub fn edge(&self, block: BlockId, successor: u32, next: &Cond) -> Option<Cond> {
        let program = self.context.program;
        let to = program.successors(block)[successor as usize];
        let mut cond = self.over_phis(block, to, next)?;
        let terminator = program.terminator(block);
        let operands = program.operands(terminator);
        let met = match program.inst(terminator).op {
            Op::CondBr if program.successors(block)[0] != program.successors(block)[1] => {
                let wanted = Ranges::single(1, u64::from(successor == 0));
                require(program, &mut cond, operands[0], &wanted)
            }
            Op::Switch => match program.operand_bits(operands[0]) {
                Some(bits) => {
                    let value = |o: &Operand| match o {
                        Operand::Int { value, .. } => Some(*value),
                        _ => None,
                    };
                    let set = match successor {
                        0 => Ranges::except(bits, operands[1..].iter().filter_map(value)),
                        case => match value(&operands[case as usize]) {
                            Some(v) => Ranges::single(bits, v),
                            None => Ranges::full(bits),
                        },
                    };
                    require(program, &mut cond, operands[0], &set)
                }
                None => true,
            },
            _ => true,
        };
        met.then_some(cond)
    }

    /// Phis of the next block stand for what comes from this one.
    fn over_phis(&self, from: BlockId, to: BlockId, next: &Cond) -> Option<Cond> {
        let program = self.context.program;
        let insts = program.block(to).insts;
        let is_phi = |o: Operand| match o {
            Operand::Inst(i) => insts.contains(i) && matches!(program.inst(i).op, Op::Phi { .. }),
            _ => false,
        };
        let incoming = |o: Operand| {
            let Operand::Inst(phi) = o else { return o };
            let place = program.phi_blocks(phi).iter().position(|b| *b == from);
            place.map_or(Operand::Metadata, |p| program.operands(phi)[p])
        };
        let mut cond = next.clone();
        let named = |t: Term| match t {
            Term::Register(r) => is_phi(r),
            Term::Memory(cell) => is_phi(cell.base),
        };
        let replaced = cond.take_all(named);
        replaced
            .into_iter()
            .all(|(term, set)| match term {
                Term::Register(r) => require(program, &mut cond, incoming(r), &set),
                Term::Memory(cell) => self.require_cell(&mut cond, incoming(cell.base), cell, &set),
            })
            .then_some(cond)
    }

    /// The cell at the same place behind another base.
    fn require_cell(&self, cond: &mut Cond, base: Operand, cell: Cell, set: &Ranges) -> bool {
        match resolve(self.context.program, base) {
            (base @ (Operand::Global(_) | Operand::Inst(_) | Operand::Arg { .. }), Some(distance)) => {
                let offset = cell.offset.wrapping_add(distance);
                cond.insert(Term::Memory(Cell { base, offset, bits: cell.bits }), set)
            }
            // Reading or writing there ends the program, or its place is not known.
            _ => true,
        }
    }

    /// From the end of a block to its beginning. Conditions behind calls of the program's functions go to `behind`.
    pub fn block(
        &self,
        block: BlockId,
        at_end: Option<Cond>,
        behind: &mut Vec<(InstId, Cond)>,
    ) -> Option<Cond> {
        let program = self.context.program;
        let mut cond = at_end;
        for inst in program.block(block).insts.iter().rev() {
            let op = program.inst(inst).op;
            if matches!(op, Op::Phi { .. }) {
                break;
            }
            if op.call().is_some() {
                cond = self.call(inst, cond, behind);
            } else if let Some(c) = cond.take() {
                cond = self.plain(inst, c);
            }
        }
        cond
    }

    fn plain(&self, inst: InstId, mut cond: Cond) -> Option<Cond> {
        let program = self.context.program;
        if !self.over_writes(inst, &mut cond) {
            return None;
        }
        let met = match (cond.take(Term::Register(Operand::Inst(inst))), program.inst(inst).op) {
            (Some(set), Op::Load { volatile: false, .. }) => {
                let address = program.operands(inst)[0];
                let cell = Cell { base: address, offset: 0, bits: set.bits() };
                self.require_cell(&mut cond, address, cell, &set)
            }
            _ => true,
        };
        self.forget_base(inst, &mut cond);
        met.then_some(cond)
    }

    /// Nothing is known of what a pointer led to before it was computed. (A variable of the function does not exist then.)
    fn forget_base(&self, inst: InstId, cond: &mut Cond) {
        cond.take_all(|t| matches!(t, Term::Memory(c) if c.base == Operand::Inst(inst)));
    }

    /// False if a write makes the condition false.
    fn over_writes(&self, inst: InstId, cond: &mut Cond) -> bool {
        let program = self.context.program;
        let op = program.inst(inst).op;
        let writes =
            matches!(op, Op::Store { .. } | Op::CmpXchg { .. } | Op::AtomicRmw { .. }) || op.call().is_some();
        if !writes {
            return true;
        }
        let cells: Vec<Cell> = cond
            .terms()
            .filter_map(|(t, _)| match t {
                Term::Memory(cell) => Some(cell),
                Term::Register(_) => None,
            })
            .collect();
        for cell in cells {
            match self.context.memory.write(program, inst, cell) {
                Write::No => {}
                Write::May => {
                    cond.take(Term::Memory(cell));
                }
                Write::Exactly(value) => {
                    let set = cond.take(Term::Memory(cell));
                    if set.is_some_and(|s| !require(program, cond, value, &s)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Over a call by the short cut, or into what it calls.
    fn call(&self, site: InstId, after: Option<Cond>, behind: &mut Vec<(InstId, Cond)>) -> Option<Cond> {
        let context = self.context;
        let program = context.program;
        let mut before = None;
        if let Some(mut cond) = after.filter(|_| context.returns.goes_on(program, context.calls, site)) {
            behind.push((site, cond.clone()));
            let possible = match cond.take(Term::Register(Operand::Inst(site))) {
                Some(set) => context.results.may_be(program, context.calls, site, &set),
                None => true,
            };
            if possible && self.over_writes(site, &mut cond) {
                self.forget_base(site, &mut cond);
                before = Some(cond);
            }
        }
        if context.calls.callees(site).iter().any(|f| is_long_jump(program, *f)) {
            // Whatever holds behind a call of `setjmp`, it is not followed to here.
            return Some(Cond::default());
        }
        for (callee, plain) in plain_callees(program, context.calls, site) {
            let entry = program.func(callee).entry().and_then(|e| self.inside[e.index()].as_ref());
            if let Some(entry) = entry {
                before = either(before, self.entered(site, entry, plain));
            }
        }
        before
    }

    /// The condition at a function's entry, at a call of it. `plain`: the call's arguments are the function's.
    pub fn entered(&self, site: InstId, entry: &Cond, plain: bool) -> Option<Cond> {
        let program = self.context.program;
        let arguments = program.call_arguments(site);
        let given = |o: Operand| match o {
            Operand::Arg { index, .. } if plain => arguments.get(index as usize).copied(),
            _ => None,
        };
        let mut cond = Cond::default();
        let met = entry.terms().all(|(term, set)| match term {
            Term::Register(r) => given(r).is_none_or(|o| require(program, &mut cond, o, set)),
            Term::Memory(cell) if matches!(cell.base, Operand::Global(_)) => cond.insert(term, set),
            Term::Memory(cell) => {
                given(cell.base).is_none_or(|base| self.require_cell(&mut cond, base, cell, set))
            }
        });
        met.then_some(cond)
    }

    /// Where the program ends, what runs at exit is entered.
    pub fn at_exit(&self) -> Option<Cond> {
        let entries =
            self.context.calls.at_exit().iter().filter_map(|f| self.context.program.func(*f).entry());
        let conditions = entries.filter_map(|e| self.inside[e.index()].as_ref());
        conditions.fold(None, |all, entry| either(all, Some(globals_only(entry))))
    }

    /// The condition behind a call, at the end of what was called.
    pub fn returned(&self, site: InstId, behind: &Cond, result: Option<Operand>) -> Option<Cond> {
        let program = self.context.program;
        let mut cond = Cond::default();
        let met = behind.terms().all(|(term, set)| match (term, result) {
            (Term::Register(Operand::Inst(i)), Some(result)) if i == site => {
                require(program, &mut cond, result, set)
            }
            (Term::Memory(cell), _) if matches!(cell.base, Operand::Global(_)) => cond.insert(term, set),
            _ => true,
        });
        met.then_some(cond)
    }
}

/// What a condition says of global variables.
fn globals_only(cond: &Cond) -> Cond {
    let mut global = cond.clone();
    global.take_all(|t| !matches!(t, Term::Memory(Cell { base: Operand::Global(_), .. })));
    global
}
