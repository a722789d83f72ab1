//! A run as the search keeps it: conditions and outputs over the shared pool of expressions.
//!
//! In: a trace. Out: a [`Path`]. Both versions' paths use the same pool and the same names for input bytes,
//! so that what the versions compute in the same way is the same expression.

use crate::expressions::{ExprId, Expressions};
use crate::numbers::Form;
use crate::{Budget, Traced};
use parallax_trace::format::CONCRETE_CALL_TARGET;
use parallax_trace::path::{Condition, Expect, Origin};
use parallax_trace::reader::{Event, OutputByte};
use parallax_trace::sites::ProgramMap;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;

/// One condition of a path.
#[derive(Clone, Debug)]
pub struct Step {
    /// Holds on this path.
    pub holds: ExprId,
    pub site: u32,
    pub context: u32,
    /// Which way was taken: the value of a branch's condition, the value of a switch, `u64::MAX` for its default.
    pub way: u64,
    /// How often this site was met in this context up to here, and the same with large numbers taken together.
    pub count: u32,
    pub round: u32,
    pub is_guard: bool,
    /// A call of what the input decides: the address of the function. It is another one in the other version, so that such conditions are
    /// never compared.
    pub calls: Option<ExprId>,
    /// Where it could have gone; paths with the same condition share it.
    pub ways: Arc<Ways>,
}

/// The other ways of a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ways {
    /// Hold on other paths: the other side of a branch, the other cases of a switch.
    pub others: Vec<ExprId>,
    /// For each of these, which of the block's ways out it is, in the order of the map's edges.
    pub leads: Vec<usize>,
    /// And what `way` would be.
    pub other_ways: Vec<u64>,
    /// Bytes that went into the condition, if it cannot be seen from the expression because that has only one
    /// value (`atoi` of one digit is below 300): as (input, offset).
    pub hidden: Vec<(u32, u32)>,
    /// The same over numbers instead of digits, if that is something else.
    pub written: Option<Written>,
}

impl Deref for Step {
    type Target = Ways;

    fn deref(&self) -> &Ways {
        &self.ways
    }
}

/// A condition over numbers; see [`crate::numbers`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Written {
    /// `None` if it is about the digits themselves; then there are no `others`.
    pub holds: Option<ExprId>,
    pub others: Vec<ExprId>,
}

impl Step {
    /// The same condition with the same ways out.
    pub fn is_like(&self, other: &Step) -> bool {
        let same = self.holds == other.holds && self.others == other.others && self.written == other.written;
        same || self.is_call() && other.is_call()
    }

    pub fn is_call(&self) -> bool {
        self.calls.is_some()
    }

    /// What holds over numbers; `None` if the condition is about digits.
    pub fn holds_over_numbers(&self) -> Option<ExprId> {
        self.written.as_ref().map_or(Some(self.holds), |w| w.holds)
    }

    /// What is compared to see whether two versions ask the same; all calls are alike.
    pub fn identity(&self) -> Identity {
        (!self.is_call()).then(|| (self.holds, self.holds_over_numbers()))
    }
}

/// See [`Step::identity`].
pub type Identity = Option<(ExprId, Option<ExprId>)>;

/// What all paths of a version have in common.
#[derive(Default)]
pub struct Common {
    /// The functions that a call at a site was seen to go to.
    callees: HashMap<u32, BTreeSet<u64>>,
    ways: HashSet<Arc<Ways>>,
}

impl Common {
    fn shared(&mut self, ways: Ways) -> Arc<Ways> {
        if let Some(known) = self.ways.get(&ways) {
            return known.clone();
        }
        let ways = Arc::new(ways);
        self.ways.insert(ways.clone());
        ways
    }

    /// Without what no path has any more.
    pub fn without_unused(mut self) -> Common {
        self.ways.retain(|ways| Arc::strong_count(ways) > 1);
        self
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        self.ways.len() as u64 * BYTES_OF_WAYS
    }
}

/// A path with what it printed.
#[derive(Clone, Debug, Default)]
pub struct Path {
    pub steps: Vec<Step>,
    /// Output by descriptor; the exit status is one of them.
    pub outputs: BTreeMap<u32, Vec<Printed>>,
    /// Steps were left out because there were too many.
    pub cut: bool,
}

/// A byte of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed {
    pub exact: ExprId,
    /// Over numbers; `None` if it is one of their digits.
    pub over_numbers: Option<ExprId>,
}

/// Bytes of the other ways of a condition, with what they point to, about.
const BYTES_OF_WAYS: u64 = 320;
/// Conditions kept of one run.
const MAX_STEPS: usize = 20_000;
/// Events between two looks at the budget.
const LOOK_EVERY: usize = 1024;
/// Output bytes kept of one run.
const MAX_OUTPUT: usize = 4096;
/// The other way of a call: to no function that is known.
const ANOTHER: u64 = u64::MAX;
/// Cases of a switch that are tried.
const MAX_CASES: usize = 64;

impl Path {
    pub fn of(
        traced: &Traced,
        map: &ProgramMap,
        common: &mut Common,
        expressions: &mut Expressions,
        budget: &Budget,
    ) -> Path {
        let mut path = Path::default();
        let mut met: HashMap<(u32, u32), u32> = HashMap::new();
        let mut importer = expressions.importer(traced);
        for (number, event) in traced.trace.events().enumerate() {
            if number % LOOK_EVERY == 0 && budget.is_over() {
                path.cut = true;
                break;
            }
            if let Some(condition) = traced.trace.condition(number, &event, &map.sites) {
                if path.steps.len() >= MAX_STEPS {
                    path.cut = true;
                    continue;
                }
                let count = met.entry((condition.site, condition.context)).or_default();
                *count += 1;
                path.steps.extend(match condition.origin {
                    Origin::Pin(reason) if is_condition(reason) => {
                        call(&condition, *count, common, &mut importer)
                    }
                    _ => step(&condition, *count, (map, &mut *common), &mut importer),
                });
            } else if let Event::Output { fd, bytes, .. } = event {
                let out = path.outputs.entry(fd).or_default();
                for byte in bytes.iter().take(MAX_OUTPUT.saturating_sub(out.len())) {
                    out.push(printed(byte, traced, &mut importer));
                }
            }
        }
        path
    }

    /// Bytes that it takes, about, beside what it shares with others.
    pub fn bytes(&self) -> u64 {
        let printed: usize = self.outputs.values().map(Vec::len).sum();
        (self.steps.len() * size_of::<Step>() + printed * size_of::<Printed>()) as u64
    }

    /// What is printed where; the exit status is a channel of its own.
    pub fn channels(&self) -> impl Iterator<Item = (u32, &[Printed])> {
        self.outputs.iter().map(|(fd, bytes)| (*fd, &bytes[..]))
    }
}

fn printed(byte: OutputByte, traced: &Traced, importer: &mut crate::expressions::Importer) -> Printed {
    let concrete = |importer: &mut crate::expressions::Importer, value| {
        let exact = importer.constant(8, value);
        Printed { exact, over_numbers: Some(exact) }
    };
    match byte {
        OutputByte::Concrete(b) => concrete(importer, b as u64),
        OutputByte::Symbolic(label) => match importer.expr(label) {
            None => concrete(importer, traced.trace.nodes()[label as usize].value),
            Some(exact) => {
                let over_numbers = match importer.form(label) {
                    Form::Same => Some(exact),
                    Form::Text => None,
                    Form::Is(e) => Some(e),
                };
                Printed { exact, over_numbers }
            }
        },
    }
}

/// Rounds of a loop that count as the same: each for itself at first, then ever more together.
fn bucket(count: u32) -> u32 {
    const EXACT: u32 = 16;
    if count <= EXACT {
        count
    } else {
        EXACT + 32 - count.leading_zeros()
    }
}

/// Is a value that was made concrete for this reason a condition of the path nevertheless? Then nothing is lost.
pub fn is_condition(reason: u16) -> bool {
    reason == CONCRETE_CALL_TARGET
}

/// A call of a function that the input decides. The other way is any function that was not called there yet, on this run or an earlier one.
fn call(
    condition: &Condition,
    count: u32,
    common: &mut Common,
    importer: &mut crate::expressions::Importer,
) -> Option<Step> {
    let Expect::Equals(way) = condition.expect else { return None };
    let value = importer.expr(condition.label)?;
    let known = common.callees.entry(condition.site).or_default();
    known.insert(way);
    let holds = importer.equals(value, way);
    let tests: Vec<ExprId> = known.iter().map(|function| importer.equals(value, *function)).collect();
    let any = importer.any(&tests);
    let others = vec![importer.not(any)];
    let ways = Ways { others, leads: vec![0], other_ways: vec![ANOTHER], ..Ways::default() };
    Some(Step {
        holds,
        site: condition.site,
        context: condition.context,
        way,
        count,
        round: bucket(count),
        is_guard: false,
        calls: Some(value),
        ways: common.shared(ways),
    })
}

fn step(
    condition: &Condition,
    count: u32,
    (map, common): (&ProgramMap, &mut Common),
    importer: &mut crate::expressions::Importer,
) -> Option<Step> {
    let is_guard = match condition.origin {
        Origin::Pin(_) => return None,
        Origin::Guard(_) => true,
        Origin::Branch | Origin::Switch => false,
    };
    let value = importer.expr(condition.label)?;
    let cases: Vec<u64> = match (&condition.expect, condition.origin) {
        (Expect::NoneOf(cases), _) => cases.clone(),
        (_, Origin::Switch) => {
            map.sites.get(condition.site as usize).map(|s| s.cases.clone()).unwrap_or_default()
        }
        _ => vec![],
    };
    let (holds, mut others) = ways_out(value, condition, &cases, importer);
    let hidden = if importer.is_constant(holds) { importer.bytes(condition.label) } else { vec![] };
    let way = match condition.expect {
        Expect::Equals(value) => value,
        Expect::NoneOf(_) => u64::MAX,
    };
    let (mut leads, mut other_ways): (Vec<usize>, Vec<u64>) = other_cases(&condition.expect, &cases).unzip();
    let negated = others.is_empty() || matches!(condition.expect, Expect::Equals(_));
    let written = match importer.form(condition.label) {
        Form::Same => None,
        Form::Text => Some(Written { holds: None, others: vec![] }),
        Form::Is(value) => {
            let (holds, mut others) = ways_out(value, condition, &cases, importer);
            others.extend(negated.then(|| importer.not(holds)));
            Some(Written { holds: Some(holds), others })
        }
    };
    if negated {
        others.push(importer.not(holds));
        // "True" comes before "false".
        leads.push(if cases.is_empty() { way.min(1) as usize } else { 0 });
        other_ways.push(if cases.is_empty() { 1 - way.min(1) } else { u64::MAX });
    }
    let ways = Ways { others, leads, other_ways, hidden, written };
    Some(Step {
        holds,
        site: condition.site,
        context: condition.context,
        way,
        count,
        round: bucket(count),
        is_guard,
        calls: None,
        ways: common.shared(ways),
    })
}

/// The cases of a switch that were not taken, those that are tried, each with its place among the ways out: the default comes before
/// the cases.
fn other_cases<'c>(expect: &'c Expect, cases: &'c [u64]) -> impl Iterator<Item = (usize, u64)> + 'c {
    // Where the default was taken none of the cases was, whatever their values.
    let is_other = move |case: u64| !matches!(expect, Expect::Equals(taken) if *taken == case);
    (1..).zip(cases.iter().copied()).filter(move |(_, case)| is_other(*case)).take(MAX_CASES)
}

/// What holds for the value that a condition is about, and what does where it goes to one of the other cases.
fn ways_out(
    value: ExprId,
    condition: &Condition,
    cases: &[u64],
    importer: &mut crate::expressions::Importer,
) -> (ExprId, Vec<ExprId>) {
    match &condition.expect {
        Expect::Equals(wanted) => {
            let holds = importer.equals(value, *wanted);
            let rest = other_cases(&condition.expect, cases);
            (holds, rest.map(|(_, case)| importer.equals(value, case)).collect())
        }
        Expect::NoneOf(cases) => {
            let mut tests: Vec<ExprId> = cases.iter().map(|c| importer.equals(value, *c)).collect();
            let any = importer.any(&tests);
            tests.truncate(MAX_CASES);
            (importer.not(any), tests)
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A branch of a site that went a way; what it is about is only a number.
    pub fn branch(site: u32, taken: bool, about: u64) -> Step {
        let mut pool = parallax_solve::Pool::new();
        // In a pool with all smaller numbers, each number is another expression.
        let expr = (0..=about).fold(pool.truth(false), |_, number| pool.constant(8, number));
        let other_ways = vec![u64::from(!taken)];
        let ways = Ways { others: vec![expr], leads: vec![0], other_ways, ..Ways::default() };
        Step {
            holds: expr,
            site,
            context: 0,
            way: u64::from(taken),
            count: 1,
            round: 1,
            is_guard: false,
            calls: None,
            ways: Arc::new(ways),
        }
    }

    #[test]
    fn every_case_that_was_not_taken_is_another_way_also_one_of_minus_one() {
        let cases = [7, u64::MAX, 9];
        let others = |expect: Expect| other_cases(&expect, &cases).collect::<Vec<_>>();
        assert_eq!(others(Expect::NoneOf(cases.to_vec())), [(1, 7), (2, u64::MAX), (3, 9)]);
        assert_eq!(others(Expect::Equals(u64::MAX)), [(1, 7), (3, 9)]);
    }
}
