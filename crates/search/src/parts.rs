//! What a test case has and its seed has not: from the first byte that differs to the last, and the lines that this is a part of.
//!
//! In: test cases. Out: their parts, and test cases with a part of another.

use crate::goal::RunId;
use crate::inputs::{self, edited};
use crate::knowledge::Knowledge;
use parallax_execute::TestCase;
use parallax_trace::request::Source;
use std::collections::BTreeSet;

/// The longest part.
const MAX_LENGTH: usize = 64;

/// A part of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub source: Source,
    /// Where it stood.
    pub at: usize,
    pub bytes: Vec<u8>,
}

impl Part {
    /// The test case with this part, at each place where it may belong. `own`: a part that the test case has already.
    pub fn put_into<'p>(
        &'p self,
        test: &'p TestCase,
        own: &Part,
        max: usize,
    ) -> impl Iterator<Item = TestCase> + 'p {
        let text = inputs::bytes(test, &self.source).filter(|text| text.len() + self.bytes.len() <= max);
        let all = text.map(|text| places(text, own)).unwrap_or_default();
        all.into_iter().map(move |at| {
            edited(test, &self.source, |bytes| drop(bytes.splice(at..at, self.bytes.iter().copied())))
        })
    }
}

/// Before the word of its own, behind it, and where the line begins or ends in which it stands.
fn places(text: &[u8], own: &Part) -> BTreeSet<usize> {
    let (from, to) = (own.at.min(text.len()), (own.at + own.bytes.len()).min(text.len()));
    let (start, end) = lines_around(text, from, to);
    [from, to, start, end].into()
}

/// From the beginning of the line that one place is in to behind the end of the line that the other is in.
fn lines_around(text: &[u8], from: usize, to: usize) -> (usize, usize) {
    let start = text[..from].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let is_behind = to > start && text[to - 1] == b'\n';
    let end = text[to..].iter().position(|b| *b == b'\n').map_or(text.len(), |at| to + at + 1);
    (start, if is_behind { to } else { end })
}

/// The parts of a run's test case that its seed has not.
pub fn new_in(run: RunId, known: &Knowledge) -> Vec<Part> {
    let mut seed = run;
    while let Some(from) = known.run(seed).made.of {
        seed = from;
    }
    let (seed, test) = (&known.run(seed).test, &known.run(run).test);
    inputs::sources(test).into_iter().flat_map(|source| between(seed, test, source)).collect()
}

fn between(seed: &TestCase, test: &TestCase, source: Source) -> Vec<Part> {
    let (Some(old), Some(new)) = (inputs::bytes(seed, &source), inputs::bytes(test, &source)) else {
        return vec![];
    };
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, rest) = (&old[same..], &new[same..]);
    let behind = old.iter().rev().zip(rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (from, to) = (same, new.len() - behind);
    let (start, end) = lines_around(new, from, to);
    let mut lines = new[start..end].to_vec();
    if matches!(source, Source::Stdin | Source::File(_)) && lines.last() != Some(&b'\n') {
        lines.push(b'\n');
    }
    let part = Part { source: source.clone(), at: from, bytes: new[from..to].to_vec() };
    let lines = Part { source, at: start, bytes: lines };
    let is_short = |part: &Part| from < to && part.bytes.len() <= MAX_LENGTH;
    [part, lines].into_iter().filter(is_short).collect()
}
