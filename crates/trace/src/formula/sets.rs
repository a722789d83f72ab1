//! Conditions on a single byte, shown as the set of values that fulfil them.
//!
//! In: a label that depends on one input byte. Out: `stdin[0] in {'0'..'9', '_'}`, found by trying
//! all 256 values, if that is shorter than the formula.

use super::{character, Printer, Support};
use crate::format::*;
use crate::path::Expect;
use std::ops::RangeInclusive;

impl Printer<'_> {
    pub(super) fn as_set(&self, label: Label, holds: &dyn Fn(u64) -> bool) -> Option<String> {
        let info = self.info.get(label as usize)?;
        let Support::One(input) = info.support else { return None };
        let small = info.weight <= self.limits.set_terms;
        if !small || !(info.reads || info.weight > self.limits.plain_terms) {
            return None;
        }
        let cone = self.trace.cone(label);
        let at = |value: u8| self.trace.eval_cone(&cone, &move |_, _| Some(value));
        let members = (0..=255).map(|value| at(value).map(holds)).collect::<Option<Vec<bool>>>()?;
        let name = self.value_text(input).0;
        set_text(&name, &members, self.limits.set_ranges)
    }

    /// `value == case`, or a value that is none of the cases of a switch.
    pub(super) fn membership(&self, label: Label, expect: &Expect) -> String {
        match expect {
            Expect::Equals(value) => self.equals_text(label, *value, true),
            Expect::NoneOf(values) => match values[..] {
                [value] => self.equals_text(label, value, false),
                _ => {
                    let cases: Vec<_> = values.iter().map(|v| self.constant_beside(label, *v)).collect();
                    let shown = self.narrowed_for_all(label, values);
                    format!("{} not in {{{}}}", self.operand_text(shown), cases.join(", "))
                }
            },
        }
    }
}

fn set_text(name: &str, members: &[bool], max_ranges: usize) -> Option<String> {
    let (inside, outside) = (ranges(members, true), ranges(members, false));
    if outside.is_empty() {
        return Some(format!("true for any {name}"));
    }
    let (ranges, equal, within) =
        if inside.len() <= outside.len() { (inside, "==", "in") } else { (outside, "!=", "not in") };
    if let [range] = &ranges[..] {
        if range.start() == range.end() {
            return Some(format!("{name} {equal} {}", value(*range.start())));
        }
    }
    let text: Vec<_> = ranges
        .iter()
        .map(|r| match r.clone().count() {
            1 => value(*r.start()),
            2 => format!("{}, {}", value(*r.start()), value(*r.end())),
            _ => format!("{}..{}", value(*r.start()), value(*r.end())),
        })
        .collect();
    (ranges.len() <= max_ranges).then(|| format!("{name} {within} {{{}}}", text.join(", ")))
}

fn ranges(members: &[bool], wanted: bool) -> Vec<RangeInclusive<u8>> {
    let mut ranges: Vec<RangeInclusive<u8>> = Vec::new();
    for value in (0..=255u8).filter(|v| members[*v as usize] == wanted) {
        match ranges.last_mut() {
            Some(last) if *last.end() as u16 + 1 == value as u16 => *last = *last.start()..=value,
            _ => ranges.push(value..=value),
        }
    }
    ranges
}

fn value(byte: u8) -> String {
    character(byte.into()).unwrap_or_else(|| byte.to_string())
}
