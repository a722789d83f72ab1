//! What a difference is, where a golden version says what is right.
//!
//! In: a difference, and what the golden version did on its test case, twice. Out: a [`Class`].

use crate::judge::Case;
use crate::rules::Rules;
use parallax_execute::Run;

/// Which version is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The old one: it did what the golden version does.
    Regression,
    /// The new one.
    Progression,
    /// Neither.
    IncompleteFix,
    /// The golden version gives no answer: it differs from itself here.
    Unclear,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Regression => "regression",
            Class::Progression => "progression",
            Class::IncompleteFix => "incomplete fix",
            Class::Unclear => "unclear",
        }
    }
}

/// Compares in the aspects in which the versions differ, and only in them.
pub fn classify(rules: &Rules, case: &Case, golden: [&Run; 2]) -> Class {
    let mut rules = rules.clone();
    case.unstable.iter().for_each(|(_, part)| rules.leave_out(part));
    let alike = |a: &Run, b: &Run| rules.differing(a, b).is_disjoint(&case.aspects);
    if !alike(golden[0], golden[1]) {
        return Class::Unclear;
    }
    match (alike(&case.old, golden[0]), alike(&case.new, golden[0])) {
        (true, false) => Class::Regression,
        (false, true) => Class::Progression,
        (false, false) => Class::IncompleteFix,
        (true, true) => Class::Unclear,
    }
}
