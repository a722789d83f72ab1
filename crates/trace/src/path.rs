//! The path condition of a trace, and whether it holds.
//!
//! In: a trace, and the program map's sites (for the values of switch cases). Out: conditions in the
//! order in which the run met them.
//!
//! Always holds: an input that fulfils every condition, and on whose path nothing was made concrete or
//! escaped, takes the same path. Pins (values that were made concrete) are a class of their own:
//! with them the path is fixed more tightly than the program asks for.

use crate::eval::{bytes_of, Values};
use crate::format::*;
use crate::reader::{Event, Trace};
use crate::request::Input;
use crate::sites::SiteInfo;

/// What a condition asks of the value of its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    Equals(u64),
    /// A switch that took its default: none of these.
    NoneOf(Vec<u64>),
}

impl Expect {
    pub fn holds(&self, value: u64) -> bool {
        match self {
            Expect::Equals(wanted) => value == *wanted,
            Expect::NoneOf(cases) => !cases.contains(&value),
        }
    }
}

/// Where a condition comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Branch,
    Switch,
    /// A `GUARD_*`.
    Guard(u16),
    /// A value made concrete, a `CONCRETE_*`.
    Pin(u16),
}

/// One condition of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub label: Label,
    pub expect: Expect,
    pub site: u32,
    pub context: u32,
    pub origin: Origin,
    /// Number of the event in the trace.
    pub event: usize,
}

/// Something in a trace that contradicts the run it was made by: a bug in Parallax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The condition has this value on the run's own input.
    Condition { condition: Condition, value: Option<u64> },
    /// The value recorded in a node is not what its expression gives.
    Node { label: Label, recorded: u64, value: Option<u64> },
    /// A switch says that it took a case that its site does not have.
    Case { event: usize, site: u32, case: u32 },
}

impl Trace<'_> {
    /// The path condition.
    pub fn conditions(&self, sites: &[SiteInfo]) -> Vec<Condition> {
        self.events().enumerate().filter_map(|(n, event)| self.condition(n, &event, sites)).collect()
    }

    /// The condition that an event stands for, if any.
    pub fn condition(&self, number: usize, event: &Event, sites: &[SiteInfo]) -> Option<Condition> {
        let made = |label, expect, site, context, origin| {
            Some(Condition { label, expect, site, context, origin, event: number })
        };
        match *event {
            Event::Branch { site, label, taken, context } => {
                made(label, Expect::Equals(taken.into()), site, context, Origin::Branch)
            }
            Event::Guard { site, label, held, context, guard } => {
                made(label, Expect::Equals(held.into()), site, context, Origin::Guard(guard))
            }
            Event::Switch { site, label, case, context } => {
                made(label, self.switch_expects(label, site, case, sites), site, context, Origin::Switch)
            }
            Event::Concrete { site, label, reason, context } if label != 0 => {
                let value = self.nodes()[label as usize].value;
                made(label, Expect::Equals(value), site, context, Origin::Pin(reason))
            }
            _ => None,
        }
    }

    /// A switch whose cases are not known is pinned to its value: too tight, never wrong.
    fn switch_expects(&self, label: Label, site: u32, case: Option<u32>, sites: &[SiteInfo]) -> Expect {
        let node = &self.nodes()[label as usize];
        let cases = sites.get(site as usize).map(|s| &s.cases[..]).filter(|cases| !cases.is_empty());
        let cut = |value: u64| value & mask(node.width);
        match (cases, case) {
            (Some(cases), None) => Expect::NoneOf(cases.iter().map(|v| cut(*v)).collect()),
            (Some(cases), Some(n)) => {
                Expect::Equals(cases.get(n as usize).map_or(node.value, |value| cut(*value)))
            }
            (None, _) => Expect::Equals(node.value),
        }
    }

    /// Every condition and every node against the run's own input.
    pub fn check_self(&self, sites: &[SiteInfo]) -> Vec<Violation> {
        let inputs = bytes_of(self.inputs());
        let values = self.eval_all(&inputs);
        let nodes = (1..self.nodes().len() as Label).filter_map(|label| {
            let (recorded, value) = (self.nodes()[label as usize].value, values.get(label));
            (value != Some(recorded)).then_some(Violation::Node { label, recorded, value })
        });
        let conditions = self.conditions(sites).into_iter().filter_map(|condition| {
            let value = values.get(condition.label);
            let holds = value.is_some_and(|v| condition.expect.holds(v));
            (!holds).then_some(Violation::Condition { condition, value })
        });
        nodes.chain(self.missing_cases(sites)).chain(conditions).collect()
    }

    fn missing_cases<'s>(&'s self, sites: &'s [SiteInfo]) -> impl Iterator<Item = Violation> + 's {
        self.events().enumerate().filter_map(move |(event, e)| match e {
            Event::Switch { site, case: Some(case), .. } => {
                let known = sites.get(site as usize).is_none_or(|s| (case as usize) < s.cases.len());
                (!known).then_some(Violation::Case { event, site, case })
            }
            _ => None,
        })
    }

    /// Do all conditions hold on other inputs (same order, any lengths)? A condition over a byte that
    /// does not exist there does not hold. Pins count only if `pins` is set.
    pub fn holds_on(&self, inputs: &[Input], sites: &[SiteInfo], pins: bool) -> bool {
        let bytes = bytes_of(inputs);
        self.lengths_hold(inputs) && self.holds_with(&self.eval_all(&bytes), sites, pins)
    }

    /// Are other inputs as long as this run asks for? An input whose end it met must end there, and
    /// what it has read must be there.
    pub fn lengths_hold(&self, inputs: &[Input]) -> bool {
        let length = |input: u32| inputs.get(input as usize).map(|i| i.bytes.len() as u64);
        let as_here = |input: u32| length(input) == Some(self.inputs()[input as usize].bytes.len() as u64);
        inputs.len() == self.inputs().len()
            && self.events().all(|event| match event {
                Event::EndOfInput { input, .. } => as_here(input),
                Event::Read { input, offset, len } => {
                    length(input).is_some_and(|n| u64::from(offset) + u64::from(len) <= n)
                }
                _ => true,
            })
    }

    /// Like [`Trace::holds_on`], with values at hand.
    pub fn holds_with(&self, values: &Values, sites: &[SiteInfo], pins: bool) -> bool {
        self.events().enumerate().filter_map(|(n, event)| self.condition(n, &event, sites)).all(|c| {
            (matches!(c.origin, Origin::Pin(_)) && !pins)
                || values.get(c.label).is_some_and(|value| c.expect.holds(value))
        })
    }
}
