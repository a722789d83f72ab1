//! Two texts, cut into pieces, and the texts between them.
//!
//! In: the old and the new content of a file. Out: its hunks; and the old content with any of them applied.
//!
//! Always holds: with no hunk applied a text is the old one, with all of them the new one, byte by byte.

use similar::{capture_diff_slices_deadline, Algorithm, DiffOp};
use std::ops::Range;
use std::time::{Duration, Instant};

/// After this the comparison of one file is done less well.
const TIME: Duration = Duration::from_secs(1);

/// Lines of the old text, from 0, and the lines of the new one that take their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// A file that is not the same.
#[derive(Clone, Debug)]
pub struct Patchable {
    old: Vec<u8>,
    new: Vec<u8>,
    pub hunks: Vec<Hunk>,
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

impl Patchable {
    /// A file with NUL bytes is one piece.
    pub fn new(old: Vec<u8>, new: Vec<u8>) -> Patchable {
        let (a, b) = (lines(&old), lines(&new));
        let hunks = if old.contains(&0) || new.contains(&0) {
            vec![Hunk { old: 0..a.len(), new: 0..b.len() }]
        } else {
            let deadline = Some(Instant::now() + TIME);
            between(&capture_diff_slices_deadline(Algorithm::Patience, &a, &b, deadline), &a, &b)
        };
        Patchable { old, new, hunks }
    }

    /// The old text with those hunks applied that are chosen.
    pub fn with(&self, chosen: impl Fn(usize) -> bool) -> Vec<u8> {
        let (old, new) = (lines(&self.old), lines(&self.new));
        let (mut text, mut at) = (Vec::new(), 0);
        for (number, hunk) in self.hunks.iter().enumerate() {
            text.extend(old[at..hunk.old.start].concat());
            let part = if chosen(number) { &new[hunk.new.clone()] } else { &old[hunk.old.clone()] };
            text.extend(part.concat());
            at = hunk.old.end;
        }
        text.extend(old[at..].concat());
        text
    }
}

/// What is between the parts that are the same. The places of deletions and insertions are not used: `similar` 2.7 gives some of them wrong.
fn between(ops: &[DiffOp], a: &[&[u8]], b: &[&[u8]]) -> Vec<Hunk> {
    let (mut hunks, mut old, mut new) = (Vec::new(), 0, 0);
    let mut part = |old_end: usize, new_end: usize, len: usize| {
        if old < old_end || new < new_end {
            hunks.push(Hunk { old: old..old_end, new: new..new_end });
        }
        (old, new) = (old_end + len, new_end + len);
        (old, new)
    };
    let mut reached = (0, 0);
    for op in ops {
        let DiffOp::Equal { old_index, new_index, len } = *op else { continue };
        let same = a.get(old_index..old_index + len) == b.get(new_index..new_index + len);
        if same && old_index >= reached.0 && new_index >= reached.1 {
            reached = part(old_index, new_index, len);
        }
    }
    part(a.len(), b.len(), 0);
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_of_hunks_takes_exactly_these_lines() {
        let old = b"a\nb\nc\nd\ne\n".to_vec();
        let new = b"a\nB\nc\nd\nd2\ne".to_vec();
        let file = Patchable::new(old.clone(), new.clone());
        assert_eq!(file.with(|_| false), old);
        assert_eq!(file.with(|_| true), new);
        assert_eq!(file.hunks.len(), 2);
        assert_eq!(file.with(|hunk| hunk == 0), b"a\nB\nc\nd\ne\n");
    }

    #[test]
    fn random_texts_come_out_whole_at_both_ends() {
        fastrand::seed(3);
        for _ in 0..300 {
            let text = || {
                (0..fastrand::usize(0..30))
                    .map(|_| *b"ab\n\r".get(fastrand::usize(0..4)).unwrap())
                    .collect::<Vec<u8>>()
            };
            let (old, new) = (text(), text());
            let file = Patchable::new(old.clone(), new.clone());
            assert_eq!((file.with(|_| false), file.with(|_| true)), (old, new));
        }
    }
}
