//! What a loop of the program takes in one round: the stretch of input that could be there once more.
//!
//! A branch that is met again and again, each time about other bytes of the same input, walks over that input. The
//! bytes between two meetings are an element (a digit, a continuation byte, a record, a nested bracket); repeating one makes the loop
//! go round more often, which no solver can ask for because the number of rounds is not part of any condition.
//!
//! In: a path. Out: stretches of input, and test cases in which they stand several times.

use crate::expressions::Expressions;
use crate::inputs::edited;
use crate::path::{Path, Step};
use parallax_execute::TestCase;
use parallax_trace::request::Source;
use std::collections::BTreeMap;

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
/// How often more; on runs that execute the change, where a number of rounds may be what matters, in smaller steps.
const REPEATS: &[usize] = &[1, 8, 40];
const FINE_REPEATS: &[usize] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 31, 40];

/// The elements that loops of this run took in, those of loops with the least `distance` first.
pub fn stretches(path: &Path, expressions: &Expressions, distance: &dyn Fn(&Step) -> u32) -> Vec<Stretch> {
    let mut walks: BTreeMap<(u32, u32), (u32, Vec<(u32, u32)>)> = BTreeMap::new();
    for step in &path.steps {
        if let Some(first) = expressions.first_byte(step.holds) {
            let (_, walk) =
                walks.entry((step.site, step.context)).or_insert_with(|| (distance(step), Vec::new()));
            if walk.last() != Some(&first) {
                walk.push(first);
            }
        }
    }
    let mut found: BTreeMap<Stretch, u32> = BTreeMap::new();
    for (distance, walk) in walks.values() {
        for pair in walk.windows(2) {
            let ((input, from), (other, to)) = (pair[0], pair[1]);
            if input == other && from < to && (to - from) as usize <= MAX_STRETCH {
                if let Some(source) = expressions.source(input) {
                    let stretch = Stretch { source, from: from as usize, to: to as usize };
                    let least = found.entry(stretch).or_insert(*distance);
                    *least = (*least).min(*distance);
                }
            }
        }
    }
    thinned(found)
}

/// Not more than the limit: the nearest, and of those at the same distance some from everywhere.
fn thinned(found: BTreeMap<Stretch, u32>) -> Vec<Stretch> {
    let mut by_distance: BTreeMap<u32, Vec<Stretch>> = BTreeMap::new();
    for (stretch, distance) in found {
        by_distance.entry(distance).or_default().push(stretch);
    }
    let mut out = Vec::new();
    for list in by_distance.into_values() {
        let room = MAX_STRETCHES - out.len();
        if room == 0 {
            break;
        }
        let every = list.len().div_ceil(room);
        out.extend(list.into_iter().step_by(every));
    }
    out
}

/// Each stretch several times more: the first ones often before the last ones at all.
pub fn repeated(test: &TestCase, stretches: &[Stretch], fine: bool) -> Vec<TestCase> {
    let repeats = if fine { FINE_REPEATS } else { REPEATS };
    let mut pairs: Vec<(usize, usize)> =
        (0..stretches.len()).flat_map(|s| (0..repeats.len()).map(move |r| (s, r))).collect();
    pairs.sort_by_key(|(s, r)| s + r);
    let longer = |(s, r): (usize, usize)| {
        let stretch = &stretches[s];
        edited(test, &stretch.source, |bytes| {
            let end = stretch.to.min(bytes.len());
            if stretch.from < end {
                let element = bytes[stretch.from..end].repeat(repeats[r]);
                bytes.splice(end..end, element);
            }
        })
    };
    pairs.into_iter().map(longer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_repeated_where_it_stands() {
        let mut test = TestCase::default();
        test.stdin = b"a12z".to_vec();
        let one = Stretch { source: Source::Stdin, from: 1, to: 2 };
        let all: Vec<Vec<u8>> = repeated(&test, &[one], false).into_iter().map(|t| t.stdin).collect();
        assert_eq!(all[0], b"a112z");
        assert_eq!(all[1], b"a1111111112z");
    }
}
