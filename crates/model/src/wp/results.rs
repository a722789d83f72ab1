//! Which values a call can give back, where the callee returns constants.

use super::ranges::Ranges;
use crate::calls::{is_plain_call, CallGraph};
use crate::ir::*;

/// How many values a result may be put together from.
const MAX_PARTS: usize = 32;

/// Results of all functions; none: anything.
pub struct Results {
    of: Vec<Option<Ranges>>,
}

impl Results {
    pub fn new(program: &Program) -> Self {
        Results { of: program.func_ids().map(|f| results(program, f)).collect() }
    }

    /// Can the call give a value of this set?
    pub fn may_be(&self, program: &Program, calls: &CallGraph, site: InstId, set: &Ranges) -> bool {
        let given: Vec<FuncId> =
            calls.callees(site).iter().copied().filter(|f| is_plain_call(program, site, *f)).collect();
        // A pointer of which nothing is known may lead anywhere.
        given.is_empty()
            || given.into_iter().any(|f| match &self.of[f.index()] {
                Some(values) if values.bits() == set.bits() => !values.intersect(set).is_empty(),
                _ => true,
            })
    }
}

fn results(program: &Program, f: FuncId) -> Option<Ranges> {
    let function = program.func(f);
    let mut pending: Vec<Operand> = Vec::new();
    for block in function.blocks.iter() {
        let terminator = program.terminator(block);
        if program.inst(terminator).op == Op::Ret {
            pending.push(*program.operands(terminator).first()?);
        }
    }
    let mut seen: Vec<InstId> = Vec::new();
    let mut values: Option<Ranges> = None;
    while let Some(operand) = pending.pop() {
        let one = match operand {
            Operand::Int { bits, value } => Ranges::single(bits, value),
            Operand::Null => Ranges::single(u64::BITS, 0),
            Operand::Global(_) | Operand::Func(_) => Ranges::satisfying(u64::BITS, IntPredicate::Ne, 0),
            Operand::Inst(i) if seen.contains(&i) => continue,
            Operand::Inst(i) => {
                seen.push(i);
                match program.inst(i).op {
                    Op::Phi { .. } => pending.extend_from_slice(program.operands(i)),
                    Op::Select => pending.extend_from_slice(&program.operands(i)[1..]),
                    Op::Cast(CastOp::ZExt) => {
                        let bits = program.operand_bits(program.operands(i)[0])?;
                        let largest = u64::MAX >> (64 - bits);
                        let wide = program.operand_bits(operand)?;
                        values = merge(values, Ranges::of(wide, vec![(0, largest)]));
                    }
                    _ => return None,
                }
                if pending.len() + seen.len() > MAX_PARTS {
                    return None;
                }
                continue;
            }
            _ => return None,
        };
        values = merge(values, one);
    }
    values
}

fn merge(values: Option<Ranges>, more: Ranges) -> Option<Ranges> {
    Some(values.map_or(more.clone(), |v| v.union(&more)))
}
