//! Sequences of what the program is known to understand.
//!
//! A program that keeps state (a database, a machine, a reader of records) shows a wrong state only after the right commands in
//! the right order. Each command alone is found by the other lanes; here they are put in a row at random, as stateful property-based testing
//! does, some few of them in each row so that the same meet often.
//!
//! In: test cases that executed code of the program for the first time. Out: test cases in which an input is a sequence of their
//! lines, their words, or their whole texts.

use crate::havoc::{is_end, pieces};
use crate::inputs::{self, edited};
use fastrand::Rng;
use parallax_execute::TestCase;
use parallax_trace::request::Source;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Pieces of one kind that are kept: the first so many, and as many of the latest.
const KEPT: usize = 16;
/// Longest piece.
const MAX_PIECE: usize = 32;
/// Pieces in a row, and how many different ones.
const LENGTH: RangeInclusive<usize> = 2..=24;
const FEW: RangeInclusive<usize> = 2..=8;
/// Rows that are longer than this, in bytes, end: what is computed from much input takes long to understand.
const MAX_ROW: usize = 120;
/// By how much the pieces that suit an input are taken more often than others.
const SUITABLE: usize = 3;

/// What one input of the program is made of.
#[derive(Default)]
struct Known {
    lines: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    /// Whole texts, of inputs that are no text.
    wholes: Vec<Vec<u8>>,
    has_lines: bool,
}

#[derive(Default)]
pub struct Vocabulary {
    known: BTreeMap<Source, Known>,
}

impl Vocabulary {
    /// What a test case that did something new is made of.
    pub fn learn(&mut self, test: &TestCase, is_seed: bool) {
        for source in inputs::sources(test) {
            let Some(text) = inputs::bytes(test, &source).filter(|text| !text.is_empty()) else { continue };
            let known = self.known.entry(source).or_default();
            known.has_lines |= text.iter().any(is_end);
            let lines: Vec<Vec<u8>> = pieces(text, true).into_iter().map(with_end).collect();
            if lines.len() == 1 || is_seed {
                add(&mut known.lines, lines);
                add(&mut known.words, pieces(text, false));
            } else {
                // What is new about several lines is the one that is unknown; if all are known, their order, and if
                // several are not, misprints.
                let mut unknown = lines.into_iter().filter(|line| !known.lines.contains(line));
                if let (Some(line), None) = (unknown.next(), unknown.next()) {
                    add(&mut known.lines, [line]);
                }
            }
            if !text.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) {
                add(&mut known.wholes, [text.to_vec()]);
            }
        }
    }

    /// The test case with one of its inputs made anew.
    pub fn sequence(&self, from: &TestCase, random: &mut Rng, max_input: usize) -> Option<TestCase> {
        let list: Vec<(&Source, &Vec<Vec<u8>>)> = self
            .known
            .iter()
            .filter(|(source, _)| inputs::bytes(from, source).is_some())
            .flat_map(|(source, known)| known.by_worth().map(move |pieces| (source, pieces)))
            .filter(|(_, pieces)| pieces.len() > 1)
            .collect();
        let (source, known) = list.get(random.usize(..list.len().max(1)))?;
        let text = row(known, random);
        (text.len() <= max_input).then(|| edited(from, source, |bytes| *bytes = text))
    }
}

impl Known {
    /// Its kinds of pieces, each as often as it is to be taken.
    fn by_worth(&self) -> impl Iterator<Item = &Vec<Vec<u8>>> {
        let (lines, words) = if self.has_lines { (SUITABLE, 1) } else { (1, SUITABLE) };
        let times = |pieces, n| std::iter::repeat_n(pieces, n);
        times(&self.lines, lines).chain(times(&self.words, words)).chain(times(&self.wholes, SUITABLE))
    }
}

fn add(known: &mut Vec<Vec<u8>>, more: impl IntoIterator<Item = Vec<u8>>) {
    for piece in more.into_iter().filter(|piece| piece.len() <= MAX_PIECE) {
        if !known.contains(&piece) {
            known.push(piece);
        }
        if known.len() > 2 * KEPT {
            known.remove(KEPT);
        }
    }
}

/// Some few of the pieces, in any order, each any number of times.
fn row(known: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut few: Vec<&Vec<u8>> = known.iter().collect();
    random.shuffle(&mut few);
    few.truncate(random.usize(FEW));
    let mut text: Vec<u8> = Vec::new();
    for _ in 0..random.usize(LENGTH) {
        if text.len() > MAX_ROW {
            break;
        }
        let next = few[random.usize(..few.len())];
        // Two words are two.
        let runs_on = |last: &u8| last.is_ascii_alphanumeric() && next[0].is_ascii_alphanumeric();
        if text.last().is_some_and(runs_on) {
            text.push(b' ');
        }
        text.extend_from_slice(next);
    }
    text
}

fn with_end(mut line: Vec<u8>) -> Vec<u8> {
    if !line.last().is_some_and(is_end) {
        line.push(b'\n');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_input(text: &[u8]) -> TestCase {
        TestCase { stdin: text.to_vec(), ..TestCase::default() }
    }

    fn all(vocabulary: &Vocabulary, from: &TestCase, seed: u64) -> Vec<Vec<u8>> {
        let mut random = Rng::with_seed(seed);
        (0..300).filter_map(|_| vocabulary.sequence(from, &mut random, 4096)).map(|t| t.stdin).collect()
    }

    #[test]
    fn commands_that_were_found_one_by_one_come_in_every_order() {
        let mut vocabulary = Vocabulary::default();
        for line in ["set a 1\n", "get a", "undo\n"] {
            vocabulary.learn(&with_input(line.as_bytes()), false);
        }
        let rows = all(&vocabulary, &with_input(b""), 1);
        for start in ["set a 1\nundo\nget a\n", "undo\nset a 1\nget a\n", "get a\nget a\n"] {
            assert!(rows.iter().any(|row| row.starts_with(start.as_bytes())), "{start:?} is missing");
        }
        assert_eq!(
            rows,
            all(&vocabulary, &with_input(b""), 1),
            "another result with the same random numbers"
        );
    }

    #[test]
    fn of_several_lines_only_the_new_one_is_learned() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.learn(&with_input(b"one\ntwo\n"), true);
        for several in ["one\nthree\ntwo", "one\nfo\nfiv\n", "two\none\n"] {
            vocabulary.learn(&with_input(several.as_bytes()), false);
        }
        let lines = &vocabulary.known[&Source::Stdin].lines;
        assert_eq!(lines, &[b"one\n".to_vec(), b"two\n".to_vec(), b"three\n".to_vec()]);
    }

    #[test]
    fn records_that_are_no_text_stay_whole_and_words_stay_apart() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.learn(&with_input(b"\x7eA\x01"), false);
        vocabulary.learn(&with_input(b"\x7eB\x02"), false);
        let rows = all(&vocabulary, &with_input(b""), 3);
        assert!(rows.contains(&b"\x7eA\x01\x7eB\x02".to_vec()));
        let known = [b"8005".to_vec(), b"ff00".to_vec()];
        let row = row(&known, &mut Rng::with_seed(1));
        assert!(row.split(|b| *b == b' ').all(|word| known.iter().any(|k| k == word)), "{row:?}");
    }
}
