//! Which differences are one entry of the result.
//!
//! In: a confirmed difference. Out: what it comes from ([`Root`]): a changed text, moved lines, or a change of what the program computes;
//! and whether two differences come from the same.
//!
//! Always holds: a crash, a hang or a broken limit never shares an entry with anything else, nor does a difference in what the
//! versions compute with one in their wording. Another exit status shares an entry with other output of the same cause only if the versions went
//! different ways on one of them: then both are consequences of that. Where they went the same way, each is a change of its own.

use crate::aspect::{Aspect, Aspects};
use crate::cause::{Causes, Seen, OR};
use crate::expected::{Expectations, Expected};
use crate::judge::Case;
use crate::rules::Rules;
use crate::signature::{signature, told};
use parallax_trace::Trace;
use std::collections::BTreeSet;

/// What a difference comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// Numbers of lines of the programs' own sources.
    Lines,
    /// A text of the program that was changed, or a value that differs on every input.
    Wording { text: Expected, cause: Option<String> },
    /// Something that the program computes.
    Change(Change),
}

/// A difference in what the versions compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub class: Class,
    /// The versions took the same decisions in all code that they have in common.
    pub same_way: bool,
    pub cause: Option<String>,
    pub signature: String,
}

impl Change {
    /// May two differences be consequences of one change, for all that they are?
    fn is_compatible(&self, other: &Change) -> bool {
        let mild = |class: Class| matches!(class, Class::Ends(Aspect::Exit) | Class::Prints);
        let known = self.cause.is_some() && other.cause.is_some();
        self.class == other.class
            || known && mild(self.class) && mild(other.class) && !(self.same_way && other.same_way)
    }

    /// Is it known which change is behind it?
    pub fn is_certain(&self) -> bool {
        self.cause.as_ref().is_some_and(|cause| !cause.contains(OR))
    }

    /// Is it other output of one certain change, and of this one? A value that is printed on every input shows elsewhere, too.
    fn prints_by(&self, cause: Option<&str>) -> bool {
        self.class == Class::Prints && self.is_certain() && self.cause.as_deref() == cause
    }

    /// Have two differences the same candidates for their cause?
    fn is_as_uncertain(&self, other: &Change) -> bool {
        !self.is_certain() && self.class == other.class && self.cause == other.cause
    }

    fn joins(&self, other: &Change) -> bool {
        let alike = || is_alike(&self.signature, &other.signature);
        self.is_compatible(other)
            && match (&self.cause, &other.cause) {
                (Some(a), Some(b)) => a == b && self.is_certain() || overlap(a, b) && alike(),
                (None, None) => alike(),
                // Where a cause cannot be told, only the same look says that it is the same.
                _ => self.signature == other.signature,
            }
    }

    fn may_join(&self, other: &Change) -> bool {
        let may = |a: &String, b: &String| overlap(a, b) || self.signature == other.signature;
        self.is_compatible(other)
            && self.cause.as_ref().zip(other.cause.as_ref()).is_none_or(|(a, b)| may(a, b))
    }

    /// Is `other` the same, with a cause that is told at least as closely?
    fn is_told_by(&self, other: &Change) -> bool {
        let within = match (&self.cause, &other.cause) {
            (Some(cause), Some(found)) => is_within(found, cause),
            (Some(_), None) => false,
            (None, _) => true,
        };
        self.class == other.class && self.signature == other.signature && within
    }
}

/// How the versions end, if that differs, or that only their output does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Ends(Aspect),
    Prints,
}

impl Class {
    fn of(aspects: &Aspects) -> Class {
        match aspects.first() {
            Some(first) if first.is_ending() => Class::Ends(*first),
            _ => Class::Prints,
        }
    }
}

impl Root {
    pub fn cause(&self) -> Option<&str> {
        match self {
            Root::Lines => None,
            Root::Wording { cause, .. } | Root::Change(Change { cause, .. }) => cause.as_deref(),
        }
    }

    /// Do two differences belong to one entry?
    pub fn joins(&self, other: &Root) -> bool {
        match (self, other) {
            (Root::Lines, Root::Lines) => true,
            (Root::Wording { text: a, cause: x }, Root::Wording { text: b, cause: y }) => {
                a == b || x.is_some() && x == y
            }
            (Root::Change(a), Root::Change(b)) => a.joins(b),
            (Root::Wording { text: Expected::Constant { .. }, cause }, Root::Change(change))
            | (Root::Change(change), Root::Wording { text: Expected::Constant { .. }, cause }) => {
                change.prints_by(cause.as_deref())
            }
            _ => false,
        }
    }

    /// May they, as far as is known before either is made small?
    pub fn may_join(&self, other: &Root) -> bool {
        match (self, other) {
            (Root::Change(a), Root::Change(b)) => a.may_join(b),
            _ => self.joins(other),
        }
    }

    /// Are they differences of which is known as little, and the same?
    pub fn is_as_uncertain(&self, other: &Root) -> bool {
        matches!((self, other), (Root::Change(a), Root::Change(b)) if a.is_as_uncertain(b))
    }

    /// Is this worse to have than the other?
    pub fn is_more_severe(&self, other: &Root) -> bool {
        matches!((self, other), (Root::Change(a), Root::Change(b)) if a.class < b.class)
    }

    /// What of a test case is this difference, or a closer description of it?
    pub fn shows_in<'c>(&self, case: &'c Case) -> Option<&'c Root> {
        case.roots.iter().find(|found| match (self, found) {
            (Root::Lines, Root::Lines) => true,
            (Root::Wording { text, .. }, Root::Wording { text: found, .. }) => text == found,
            (Root::Change(change), Root::Change(found)) => change.is_told_by(found),
            _ => false,
        })
    }

    /// The same, before it is known what the case comes from: `false` if it cannot be.
    pub fn may_show_in(&self, case: &Case) -> bool {
        match self {
            Root::Lines => case.beyond.is_empty() && case.expected.contains(&Expected::Line),
            Root::Wording { text, .. } => case.beyond.is_empty() && case.expected.contains(text),
            Root::Change(change) => {
                !case.beyond.is_empty()
                    && Class::of(&case.beyond) == change.class
                    && case.signature == change.signature
            }
        }
    }
}

fn parts(cause: &str) -> BTreeSet<&str> {
    cause.split(OR).collect()
}

/// May two causes be the same one?
fn overlap(a: &str, b: &str) -> bool {
    !parts(a).is_disjoint(&parts(b))
}

fn is_within(found: &str, cause: &str) -> bool {
    parts(found).is_subset(&parts(cause))
}

/// Do two signatures have a side in common, that is, a line that one of the versions prints in both?
fn is_alike(a: &str, b: &str) -> bool {
    let sides = |signature: &str| {
        let (before, after) = signature.rsplit_once(" -> ").unwrap_or((signature, ""));
        (before.to_owned(), after.to_owned())
    };
    let ((a, b), (x, y)) = (sides(a), sides(b));
    let says = |side: &str| side.bytes().any(|b| b.is_ascii_alphabetic()) && !side.ends_with("nothing");
    a == x && (says(&a) || b == y) || b == y && says(&b)
}

/// Finds out what a difference comes from, with the traces of both versions on its test case.
pub fn describe(
    case: &mut Case,
    rules: &Rules,
    expectations: &Expectations,
    causes: &Causes,
    traces: [&Trace; 2],
) {
    look(case, rules, expectations);
    let [old, new] = traces;
    let cause = |expected: BTreeSet<Expected>, beyond: bool| {
        causes.of(old, new, expectations, &Seen { expected, beyond })
    };
    if !case.beyond.is_empty() {
        case.cause = cause(case.expected.clone(), true);
        case.roots = vec![Root::Change(Change {
            class: Class::of(&case.beyond),
            same_way: causes.is_same_way(old, new),
            cause: case.cause.clone(),
            signature: case.signature.clone(),
        })];
        return;
    }
    let texts = case.expected.iter().filter(|expected| **expected != Expected::Line);
    let wording =
        |text: &Expected| Root::Wording { text: text.clone(), cause: cause([text.clone()].into(), false) };
    case.roots = texts.map(wording).collect();
    if case.roots.is_empty() {
        case.roots.push(Root::Lines);
    }
    case.cause = case.roots[0].cause().map(str::to_owned);
}

/// What is expected of a difference, what is beyond it, and how that looks.
pub fn look(case: &mut Case, rules: &Rules, expectations: &Expectations) {
    let mut rules = rules.clone();
    case.unstable.iter().for_each(|(_, part)| rules.leave_out(part));
    let (reworded, expected) = expectations.reworded(&case.old, &case.new);
    case.beyond = rules.differing(&reworded, &case.new);
    case.expected = expected;
    let (old, aspects) = match case.beyond.is_empty() {
        true => (&case.old, &case.aspects),
        false => (&reworded, &case.beyond),
    };
    case.signature = signature(&rules, &case.test, old, &case.new, aspects);
    case.told = told(&rules, &case.test, old, &case.new, aspects);
    let both = !case.beyond.is_empty() && !case.expected.is_empty();
    case.reworded = both.then(|| Box::new(reworded));
}
