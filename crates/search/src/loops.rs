//! What a loop of the program takes in one round: the stretch of input that could be there once more.
//!
//! A branch that is met again and again, each time about other bytes of the same input, walks over that input. The
//! bytes between two meetings are an element (a digit, a continuation byte, a record, a nested bracket); repeating one makes the loop
//! go round more often, which no solver can ask for because the number of rounds is not part of any condition.
//!
//! In: a path. Out: stretches of input, and test cases in which they stand several times.

use crate::ask::Mind;
use crate::inputs::edited;
use crate::path::Path;
use parallax_execute::TestCase;
use parallax_trace::request::Source;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of an input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stretch {
    pub source: Source,
    pub from: usize,
    pub to: usize,
}

/// Longest element that is repeated.
const MAX_STRETCH: usize = 64;
/// Stretches tried for one test case.
const MAX_STRETCHES: usize = 24;
/// How often more.
const REPEATS: [usize; 3] = [1, 8, 40];

/// The elements that loops of this run took in.
pub fn stretches(path: &Path, mind: &Mind) -> Vec<Stretch> {
    let mut walks: BTreeMap<(u32, u32), Vec<(u32, u32)>> = BTreeMap::new();
    for step in &path.steps {
        if let Some(first) = mind.first_byte(step.holds) {
            let walk = walks.entry((step.site, step.context)).or_default();
            if walk.last() != Some(&first) {
                walk.push(first);
            }
        }
    }
    let mut found = BTreeSet::new();
    for walk in walks.values() {
        for pair in walk.windows(2) {
            let ((input, from), (other, to)) = (pair[0], pair[1]);
            if input == other && from < to && (to - from) as usize <= MAX_STRETCH {
                if let Some(source) = mind.source(input) {
                    found.insert(Stretch { source, from: from as usize, to: to as usize });
                }
            }
        }
    }
    thinned(found.into_iter().collect())
}

/// Not more than the limit, from everywhere.
fn thinned(list: Vec<Stretch>) -> Vec<Stretch> {
    let every = list.len().div_ceil(MAX_STRETCHES).max(1);
    list.into_iter().step_by(every).collect()
}

/// Each stretch several times more, all of them a little before any of them very often.
pub fn repeated(test: &TestCase, stretches: &[Stretch]) -> Vec<TestCase> {
    let mut out = Vec::new();
    for times in REPEATS {
        for stretch in stretches {
            out.push(edited(test, &stretch.source, |bytes| {
                let end = stretch.to.min(bytes.len());
                if stretch.from < end {
                    let element = bytes[stretch.from..end].repeat(times);
                    bytes.splice(end..end, element);
                }
            }));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_repeated_where_it_stands() {
        let mut test = TestCase::default();
        test.stdin = b"a12z".to_vec();
        let one = Stretch { source: Source::Stdin, from: 1, to: 2 };
        let all: Vec<Vec<u8>> = repeated(&test, &[one]).into_iter().map(|t| t.stdin).collect();
        assert_eq!(all[0], b"a112z");
        assert_eq!(all[1], b"a1111111112z");
    }
}
