//! Does a version agree with itself?
//!
//! In: two rounds of runs of one version on the same test cases. Out: the aspects in which they differ.

use crate::aspect::Aspects;
use crate::rules::Rules;
use parallax_execute::Run;

/// Compared aspects in which a version differs from itself on any of the test cases.
pub fn unstable(rules: &Rules, first: &[Run], second: &[Run]) -> Aspects {
    first.iter().zip(second).flat_map(|(a, b)| rules.differing(a, b)).collect()
}
