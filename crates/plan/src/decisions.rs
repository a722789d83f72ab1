//! Decisions of a program, and where what they look at gets its values (definition switching: Marinescu and Cadar 2013, section 3.4).
//!
//! In: a version, its calls and what can have written what is read ([`crate::origins`]). Out: for every block that ends in a decision, or that calls through a
//! pointer, its ways, and for each way the places that define a value with which it is taken.
//!
//! Departs from KATCH, which looks at stores to globals and locals in the function of the branch: values are followed through memory that pointers lead
//! to, fields and elements, arguments and results, and to pointers to functions.

use crate::numbers::Numbers;
use crate::origins::{Origins, Value};
use parallax_model::{BlockId, InstId, Op, Operand, Program};
use std::collections::BTreeMap;

/// A place that gives a value to what a decision looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Definition {
    pub block: u32,
    /// If it is the way out of the block that decides which value it is.
    pub edge: Option<u32>,
    /// The block that stores it, if it gets to the decision through memory. May be the same.
    pub store: Option<u32>,
}

/// One way that a decision can go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// The block that it leads to.
    pub to: u32,
    /// The edge; none for a call.
    pub edge: Option<u32>,
    /// With the values from here it is taken.
    pub by: Vec<Definition>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub ways: Vec<Way>,
    /// What else gives it a value: which one is not known.
    pub unknown: Vec<Definition>,
}

/// By block of the map.
pub(crate) fn decisions(
    program: &Program,
    numbers: &Numbers,
    origins: &mut Origins,
) -> BTreeMap<u32, Decision> {
    let mut found = BTreeMap::new();
    for block in program.block_ids() {
        let Some(number) = numbers.of(block) else { continue };
        let decision =
            at_end(program, numbers, origins, block).or_else(|| at_call(program, numbers, origins, block));
        if let Some(decision) =
            decision.filter(|d| !d.unknown.is_empty() || d.ways.iter().any(|w| !w.by.is_empty()))
        {
            found.insert(number, decision);
        }
    }
    found
}

/// Where the conditions by which a block chooses between values, without a branch, get theirs.
pub(crate) fn choices(program: &Program, origins: &mut Origins, block: BlockId) -> Vec<Definition> {
    let is_choice = |inst: &InstId| matches!(program.inst(*inst).op, Op::Select);
    let choices: Vec<InstId> = program.block(block).insts.iter().filter(is_choice).collect();
    let conditions = choices.into_iter().filter_map(|inst| program.operands(inst).first().copied());
    conditions.flat_map(|condition| origins.of(condition)).map(|(_, definition)| definition).collect()
}

/// The end of a block with several ways out.
fn at_end(program: &Program, numbers: &Numbers, origins: &mut Origins, block: BlockId) -> Option<Decision> {
    let (terminator, successors) = (program.terminator(block), program.successors(block));
    let operands = program.operands(terminator);
    let taken = |value: u64| -> usize {
        match program.inst(terminator).op {
            Op::Switch => {
                let is = |case: &Operand| matches!(case, Operand::Int { value: case, .. } if *case == value);
                operands[1..].iter().position(is).map_or(0, |case| case + 1)
            }
            _ => usize::from(value == 0),
        }
    };
    if !matches!(program.inst(terminator).op, Op::CondBr | Op::Switch) {
        return None;
    }
    let way = |(successor, to): (u32, &BlockId)| {
        Some(Way { to: numbers.of(*to)?, edge: numbers.edge(block, successor), by: vec![] })
    };
    let ways: Option<Vec<Way>> = (0..).zip(successors).map(way).collect();
    let mut decision = Decision { ways: ways?, unknown: vec![] };
    for (value, definition) in origins.of(*operands.first()?) {
        let way = match value {
            Some(Value::Int(value)) => decision.ways.get_mut(taken(value)),
            _ => None,
        };
        way.map_or(&mut decision.unknown, |way| &mut way.by).push(definition);
    }
    Some(decision)
}

/// The first call of a block that goes through a pointer.
fn at_call(program: &Program, numbers: &Numbers, origins: &mut Origins, block: BlockId) -> Option<Decision> {
    let call = program.block(block).insts.iter().find_map(|inst| program.called_pointer(inst))?;
    let mut decision = Decision::default();
    for (value, definition) in origins.of(call) {
        let entry = match value {
            Some(Value::Func(f)) => program.func(f).entry().and_then(|entry| numbers.of(entry)),
            _ => None,
        };
        let Some(to) = entry else {
            decision.unknown.push(definition);
            continue;
        };
        match decision.ways.iter_mut().find(|way| way.to == to) {
            Some(way) => way.by.push(definition),
            None => decision.ways.push(Way { to, edge: None, by: vec![definition] }),
        }
    }
    Some(decision)
}
