//! Texts of the programs that are not the same in both versions.
//!
//! In: the binaries of both versions; a piece of what one of them printed. Out: whether that piece stands in a text which only that
//! version has, so that it was the text that was changed and not what the program computes.
//!
//! Always holds: a text that both versions have explains nothing.

use std::collections::{BTreeSet, HashSet};

/// Shorter sequences of printable bytes are not taken for texts.
const SHORTEST: usize = 2;
/// Most bytes of changed texts that are looked through.
const MOST: usize = 1 << 20;
/// A piece with a word of so many letters says where it comes from by itself; any other needs its surroundings.
const TELLING: usize = 3;
/// The least length of a piece together with its surroundings.
const SURROUNDED: usize = 3;

/// What only one of the versions can print as it stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wording {
    /// By version: its own texts, each with a NUL before and behind it.
    own: [Vec<u8>; 2],
}

impl Wording {
    pub fn new(old: &[u8], new: &[u8]) -> Wording {
        let (a, b) = (texts(old), texts(new));
        Wording { own: [own(&a, &b), own(&b, &a)] }
    }

    /// Does the piece `range` of a line come from a text that only this version has?
    pub fn explains(&self, side: usize, line: &[u8], range: std::ops::Range<usize>) -> bool {
        let piece = trimmed(&line[range.clone()]);
        if piece.is_empty() {
            return true;
        }
        let letters = piece.split(|b| !b.is_ascii_alphabetic()).map(<[u8]>::len).max();
        if letters.is_some_and(|letters| letters >= TELLING) {
            return self.has(side, piece);
        }
        let (before, after) = around(line, &range);
        let with = |from: usize, to: usize| {
            let piece = trimmed(&line[from..to]);
            piece.len() >= SURROUNDED && self.has(side, piece)
        };
        with(before[1], range.end) || with(range.start, after[1]) || with(before[0], after[0])
    }

    fn has(&self, side: usize, piece: &[u8]) -> bool {
        contains(&self.own[side], piece)
    }
}

/// Where the first and the second token before and behind a range begin and end.
fn around(line: &[u8], range: &std::ops::Range<usize>) -> ([usize; 2], [usize; 2]) {
    let starts = tokens(line).map(|token| token.start).collect::<Vec<_>>();
    let at = starts.partition_point(|start| *start < range.start);
    let before = |n: usize| starts.get(at.wrapping_sub(n)).copied().unwrap_or(0);
    let ends: Vec<usize> = tokens(line).map(|token| token.end).filter(|end| *end > range.end).collect();
    let after = |n: usize| ends.get(n).copied().unwrap_or(line.len());
    ([before(1), before(2)], [after(0), after(1)])
}

/// Words and numbers; everything else is a token for each byte.
pub(crate) fn tokens(line: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let mut at = 0;
    line.chunk_by(move |a, b| word(*a) && word(*b) && a.is_ascii_digit() == b.is_ascii_digit()).map(
        move |token| {
            at += token.len();
            at - token.len()..at
        },
    )
}

/// `puts` adds the newline that the text does not have.
fn trimmed(piece: &[u8]) -> &[u8] {
    let end = piece.iter().rposition(|b| *b != b'\n').map_or(0, |last| last + 1);
    &piece[..end]
}

pub(crate) fn contains(text: &[u8], piece: &[u8]) -> bool {
    let Some(first) = piece.first() else { return true };
    let mut rest = text;
    while let Some(at) = rest.iter().position(|b| b == first) {
        if rest[at..].starts_with(piece) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

/// Strings as C has them: text up to a NUL.
fn texts(binary: &[u8]) -> HashSet<&[u8]> {
    let is_text = |b: &u8| !b.is_ascii_control() || b"\n\t\r\x0b\x0c\x1b\x07\x08".contains(b);
    let strings = binary.split(|b| *b == 0).filter(|string| string.len() >= SHORTEST);
    // What stands before a string in a section is not always text: the string is what follows the last byte that is none.
    let tail = |string: &'_ [u8]| string.iter().rposition(|b| !is_text(b)).map_or(0, |at| at + 1);
    strings.map(|string| &string[tail(string)..]).filter(|string| string.len() >= SHORTEST).collect()
}

/// The texts of one version that are not in the other, not even as the end of a longer one: linkers share those.
fn own(texts: &HashSet<&[u8]>, others: &HashSet<&[u8]>) -> Vec<u8> {
    let reversed = |text: &[u8]| text.iter().rev().copied().collect::<Vec<u8>>();
    let ends: BTreeSet<Vec<u8>> = others.iter().map(|text| reversed(text)).collect();
    let is_end = |text: &[u8]| {
        let text = reversed(text);
        ends.range(text.clone()..).next().is_some_and(|longer| longer.starts_with(&text))
    };
    let mut own: Vec<&[u8]> = texts.difference(others).filter(|text| !is_end(text)).copied().collect();
    own.sort_unstable();
    let mut joined = vec![0];
    for text in own.into_iter().take_while({
        let mut all = 0;
        move |text| {
            all += text.len();
            all <= MOST
        }
    }) {
        joined.extend_from_slice(text);
        joined.push(0);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wording() -> Wording {
        Wording::new(
            b"\x7fELF\0error: bad %s\0count: %d\0tool v1.0\n\0",
            b"\x7fELF\0Error: bad %s\0count: %d\0tool v1.1\n\0",
        )
    }

    #[track_caller]
    fn explains(side: usize, line: &str, piece: &str) -> bool {
        let at = line.find(piece).unwrap();
        wording().explains(side, line.as_bytes(), at..at + piece.len())
    }

    #[test]
    fn words_of_a_changed_text_are_explained_and_words_of_others_are_not() {
        assert!(explains(0, "error: bad x\n", "error") && explains(1, "Error: bad x\n", "Error"));
        assert!(!explains(1, "error: bad x\n", "error"));
        assert!(!explains(0, "count: 5\n", "count"));
    }

    #[test]
    fn a_number_is_explained_only_with_its_surroundings() {
        assert!(explains(0, "tool v1.0\n", "0") && explains(1, "tool v1.1\n", "1\n"));
        assert!(!explains(0, "count: 0\n", "0") && !explains(1, "count: 1\n", "1"));
    }

    #[test]
    fn the_end_of_a_longer_text_is_no_text_of_its_own() {
        let wording = Wording::new(b"\0say goodbye\0", b"\0say goodbye\0goodbye\0");
        assert!(!wording.explains(1, b"goodbye\n", 0..7));
    }
}
