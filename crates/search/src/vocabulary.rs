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
use crate::words::Compared;
use fastrand::Rng;
use parallax_execute::TestCase;
use parallax_trace::request::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Pieces of one kind that are kept: the first so many, and as many of the latest.
const KEPT: usize = 16;
/// Lines of one command that are kept: the first one, and the latest.
const OF_COMMAND: usize = 3;
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
    /// Lines that begin with a command, and where those of each stand.
    commands: Vec<Vec<u8>>,
    of_command: BTreeMap<Vec<u8>, Vec<usize>>,
    /// Whole texts, of inputs that are no text.
    wholes: Vec<Vec<u8>>,
    has_lines: bool,
}

#[derive(Default)]
pub struct Vocabulary {
    known: BTreeMap<Source, Known>,
}

impl Vocabulary {
    /// Lines of a test case that begin with a word that was compared there. `first`: its run executed code of the program that none had.
    pub fn learn_commands(&mut self, test: &TestCase, compared: &Compared, first: bool) {
        for ((source, offset), words) in compared {
            let Some(text) = inputs::bytes(test, source).filter(|_| !matches!(source, Source::Argument(_)))
            else {
                continue;
            };
            let Some((word, line)) = command_at(text, *offset as usize, words) else { continue };
            self.known.entry(source.clone()).or_default().add_command(word, line, first);
        }
    }

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
    /// One more line of a command, in the place of one of its others if there are enough.
    fn add_command(&mut self, word: &[u8], line: Vec<u8>, first: bool) {
        let of_command = self.of_command.entry(word.to_vec()).or_default();
        if self.commands.contains(&line) || !(first || of_command.is_empty()) {
            return;
        }
        if of_command.len() < OF_COMMAND {
            of_command.push(self.commands.len());
            self.commands.push(line);
        } else {
            of_command[1..].rotate_left(1);
            self.commands[of_command[OF_COMMAND - 1]] = line;
        }
    }

    /// Its kinds of pieces, each as often as it is to be taken.
    fn by_worth(&self) -> impl Iterator<Item = &Vec<Vec<u8>>> {
        let (lines, words) = if self.has_lines { (SUITABLE, 1) } else { (1, SUITABLE) };
        let times = |pieces, n| std::iter::repeat_n(pieces, n);
        times(&self.commands, SUITABLE)
            .chain(times(&self.lines, lines))
            .chain(times(&self.words, words))
            .chain(times(&self.wholes, SUITABLE))
    }
}

/// The line that begins at a place, if it begins with one of these words.
fn command_at<'w>(text: &[u8], at: usize, words: &'w BTreeSet<Vec<u8>>) -> Option<(&'w Vec<u8>, Vec<u8>)> {
    let is_start = at.checked_sub(1).is_none_or(|before| text.get(before).is_some_and(is_end));
    let line = text.get(at..).filter(|_| is_start)?.split_inclusive(is_end).next()?;
    let ends = |word: &Vec<u8>| line.get(word.len()).is_none_or(|next| !next.is_ascii_alphabetic());
    let word = words.iter().find(|word| !word.is_empty() && line.starts_with(word) && ends(word))?;
    (line.len() <= MAX_PIECE).then(|| (word, with_end(line.to_vec())))
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
    fn of_each_command_the_first_line_and_the_latest_are_kept() {
        let mut vocabulary = Vocabulary::default();
        let words = BTreeSet::from([b"del".to_vec(), b"de".to_vec(), b"list".to_vec()]);
        for (text, first) in
            [("del x", false), ("del y", false), ("del 1", true), ("del 2", true), ("del 3", true)]
        {
            let compared = Compared::from([((Source::Stdin, 0), words.clone())]);
            vocabulary.learn_commands(&with_input(text.as_bytes()), &compared, first);
        }
        let compared = Compared::from([((Source::Stdin, 4), words.clone()), ((Source::Stdin, 2), words)]);
        vocabulary.learn_commands(&with_input(b"a;; list;"), &compared, true);
        let commands = &vocabulary.known[&Source::Stdin].commands;
        assert_eq!(commands, &[b"del x\n".to_vec(), b"del 3\n".to_vec(), b"del 2\n".to_vec()]);
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
