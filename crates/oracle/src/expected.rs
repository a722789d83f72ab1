//! What of a difference is only another wording, or the number of a line that moved.
//!
//! In: what both versions printed. Out: what the old version would have printed in the words of the new one, and a list of what was put in
//! other words. What still differs then is a difference of its own, and not hidden by the other any more.
//!
//! Always holds: only pieces are replaced that stand in texts which the other version does not have, that are lines of the source which
//! moved, or that differ in the same way on every input; so what the programs compute from their input is never replaced. The answer depends
//! on nothing but the two versions, what they printed, and what they printed on the inputs of [`Expectations::learn_constants`].

use crate::cause::Region;
use crate::constants::{Constants, Place, Spot, Stream};
use crate::lines_moved::LinesMoved;
use crate::wording::{tokens, Wording};
use parallax_execute::{Content, FileChange, Run};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Two sequences of lines, or of tokens, are aligned if the product of their lengths is at most this. Others are compared in order.
const MOST_COMPARED: usize = 1 << 20;

/// Something that is known to be different, and is nothing that the programs compute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// A text of the program was changed: what stood there, and what stands there now.
    Wording { old: Vec<u8>, new: Vec<u8> },
    /// A piece of output that is no text of the program and differs in the same way on every input.
    Constant { old: Vec<u8>, new: Vec<u8> },
    /// The number of a line of the program's own source, or the name of the source.
    Line,
}

/// Collects what is found in a comparison of two outputs.
#[derive(Default)]
struct Sink {
    found: BTreeSet<Expected>,
    /// What nothing explains, if that is asked for.
    left: Option<Vec<Spot>>,
}

/// Knows the texts and the lines of both versions.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    wording: Wording,
    lines: LinesMoved,
    constants: Constants,
}

impl Expectations {
    /// `binaries`: of the old and the new version. `sources`: the old version's, under the names that the regions have for them.
    pub fn new(
        binaries: [&[u8]; 2],
        regions: Vec<Region>,
        sources: &BTreeMap<String, Vec<u8>>,
    ) -> Expectations {
        Expectations {
            wording: Wording::new(binaries[0], binaries[1]),
            lines: LinesMoved::new(regions, sources),
            constants: Constants::default(),
        }
    }

    /// Learns what differs on every input, from the runs of both versions on some that are not the same.
    pub fn learn_constants(&mut self, runs: &[[Run; 2]]) {
        let left = |[old, new]: &[Run; 2]| {
            let mut sink = Sink { left: Some(Vec::new()), ..Sink::default() };
            self.text(&old.stdout.bytes, &new.stdout.bytes, Some(Stream::Stdout), &mut sink);
            self.text(&old.stderr.bytes, &new.stderr.bytes, Some(Stream::Stderr), &mut sink);
            sink.left.unwrap_or_default()
        };
        let inputs: Vec<Vec<Spot>> = runs.iter().map(left).collect();
        self.constants = Constants::learn(&inputs);
    }

    /// The old version's run in the words of the new one.
    pub fn reworded(&self, old: &Run, new: &Run) -> (Run, BTreeSet<Expected>) {
        let mut run = old.clone();
        let mut sink = Sink::default();
        run.stdout.bytes = self.text(&old.stdout.bytes, &new.stdout.bytes, Some(Stream::Stdout), &mut sink);
        run.stderr.bytes = self.text(&old.stderr.bytes, &new.stderr.bytes, Some(Stream::Stderr), &mut sink);
        for file in &mut run.files {
            let Some((path, text)) = content(file) else { continue };
            let other = new.files.iter().filter_map(|file| {
                let mut file = file.clone();
                content(&mut file).filter(|(p, _)| *p == path).map(|(_, text)| text.clone())
            });
            if let Some(other) = other.into_iter().next() {
                *text = self.text(text, &other, None, &mut sink);
            }
        }
        (run, sink.found)
    }

    /// Are two pieces of output the same but for what is expected?
    pub(crate) fn same(&self, old: &[u8], new: &[u8]) -> bool {
        old == new || self.text(old, new, None, &mut Sink::default()) == new
    }

    /// One text in the words of the other. `stream`: what it is the whole of, if it is.
    fn text(&self, old: &[u8], new: &[u8], stream: Option<Stream>, sink: &mut Sink) -> Vec<u8> {
        if old == new {
            return old.to_vec();
        }
        let (a, b) = (lines(old), lines(new));
        let place = |line: usize| {
            stream.map(|stream| Place {
                stream,
                from_start: line,
                from_end: a.len().saturating_sub(line + 1),
            })
        };
        let mut out = Vec::with_capacity(old.len());
        for (x, y) in blocks(&a, &b) {
            if a[x.clone()] == b[y.clone()] {
                a[x].iter().for_each(|line| out.extend_from_slice(line));
            } else if x.len() == y.len() {
                for (line, new) in x.zip(&b[y]) {
                    out.extend(self.piece(a[line], new, place(line), sink));
                }
            } else {
                let place = place(x.start);
                out.extend(self.piece(&a[x].concat(), &b[y].concat(), place, sink));
            }
        }
        out
    }

    /// A line, or several that became more or fewer.
    fn piece(&self, old: &[u8], new: &[u8], place: Option<Place>, sink: &mut Sink) -> Vec<u8> {
        let (a, b): (Vec<_>, Vec<_>) = (tokens(old).collect(), tokens(new).collect());
        let (x, y): (Vec<&[u8]>, Vec<&[u8]>) =
            (a.iter().map(|t| &old[t.clone()]).collect(), b.iter().map(|t| &new[t.clone()]).collect());
        let mut out = Vec::with_capacity(old.len());
        // What is put in other words in this piece, as one change.
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for (i, j) in blocks(&x, &y) {
            let (p, q) = (bytes(&a, &i, old.len()), bytes(&b, &j, new.len()));
            if old[p.clone()] == new[q.clone()] {
                out.extend_from_slice(&old[p]);
            } else if self.lines.explains(&old[..p.start], &old[p.clone()], &new[q.clone()], &old[p.end..]) {
                sink.found.insert(Expected::Line);
                out.extend_from_slice(&new[q]);
            } else if self.is_wording([old, new], [p.clone(), q.clone()]) {
                from.push(old[p].to_vec());
                to.push(new[q.clone()].to_vec());
                out.extend_from_slice(&new[q]);
            } else {
                out.extend_from_slice(self.constant([old, new], [p, q], place, sink));
            }
        }
        if !from.is_empty() {
            let join = |parts: Vec<Vec<u8>>| parts.join(&b"\0"[..]);
            sink.found.insert(Expected::Wording { old: join(from), new: join(to) });
        }
        out
    }

    /// What the new version has for a piece that differs on every input; otherwise what the old one has.
    fn constant<'t>(
        &self,
        [old, new]: [&'t [u8]; 2],
        [p, q]: [Range<usize>; 2],
        place: Option<Place>,
        sink: &mut Sink,
    ) -> &'t [u8] {
        if self.constants.is_empty() && sink.left.is_none() {
            return &old[p];
        }
        let (before, after) = (old[..p.start].to_vec(), old[p.end..].to_vec());
        let spot = Spot { place, before, after, old: old[p.clone()].to_vec(), new: new[q.clone()].to_vec() };
        if self.constants.has(&spot) {
            sink.found.insert(Expected::Constant { old: spot.old, new: spot.new });
            return &new[q];
        }
        if let Some(left) = &mut sink.left {
            left.push(spot);
        }
        &old[p]
    }

    /// Does each side of a replaced piece come from a text that only this side has? Tokens that are on both sides are data that moved.
    fn is_wording(&self, texts: [&[u8]; 2], ranges: [Range<usize>; 2]) -> bool {
        let [old, new] = [0, 1].map(|k| &texts[k][ranges[k].clone()]);
        let inside = |text: &[u8], token: &[u8]| tokens(text).any(|t| text[t] == *token);
        let covered = |side: usize, other: &[u8]| {
            let (text, range) = (texts[side], &ranges[side]);
            let own = &text[range.clone()];
            // Pieces between the data that moved, line by line.
            let mut pieces: Vec<Range<usize>> = Vec::new();
            for token in tokens(own) {
                let bytes = &own[token.clone()];
                let data = bytes[0].is_ascii_alphanumeric() && inside(other, bytes);
                let at = token.start + range.start..token.end + range.start;
                match pieces.last_mut() {
                    _ if data || bytes == b"\n" => pieces.push(at.end..at.end),
                    Some(last) if last.end == at.start => last.end = at.end,
                    _ => pieces.push(at),
                }
            }
            pieces
                .into_iter()
                .all(|piece| self.wording.explains(side, line_of(text, &piece).0, line_of(text, &piece).1))
        };
        let blank = |text: &[u8]| text.iter().all(|b| *b == b'\n');
        !(blank(old) && blank(new)) && covered(0, new) && covered(1, old)
    }
}

/// The line that a range is in, and the range within it.
fn line_of<'t>(text: &'t [u8], range: &Range<usize>) -> (&'t [u8], Range<usize>) {
    let start = text[..range.start].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let end = text[range.end..].iter().position(|b| *b == b'\n').map_or(text.len(), |at| range.end + at);
    (&text[start..end], range.start - start..range.end - start)
}

fn bytes(tokens: &[Range<usize>], range: &Range<usize>, end: usize) -> Range<usize> {
    let at = |i: usize| tokens.get(i).map_or(end, |token| token.start);
    at(range.start)..at(range.end)
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|b| *b == b'\n').collect()
}

fn content(file: &mut FileChange) -> Option<(std::path::PathBuf, &mut Vec<u8>)> {
    match file {
        FileChange::Created { path, content: Content::File(output), .. }
        | FileChange::Modified { path, content: Content::File(output), .. } => {
            Some((path.clone(), &mut output.bytes))
        }
        _ => None,
    }
}

/// Both sequences in blocks: equal ones, and others that stand between them.
fn blocks<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let room = a.len().min(b.len()) - head;
    let tail = a.iter().rev().zip(b.iter().rev()).take(room).take_while(|(x, y)| x == y).count();
    let (x, y) = (head..a.len() - tail, head..b.len() - tail);
    let mut found = vec![(0..head, 0..head)];
    let mut at = (x.start, y.start);
    let mut block = |found: &mut Vec<_>, i: usize, j: usize| {
        if at != (i, j) {
            found.push((at.0..i, at.1..j));
        }
        at = (i + 1, j + 1);
    };
    for (i, j) in common(&a[x.clone()], &b[y.clone()]) {
        let (i, j) = (x.start + i, y.start + j);
        block(&mut found, i, j);
        found.push((i..i + 1, j..j + 1));
    }
    block(&mut found, x.end, y.end);
    found.push((x.end..a.len(), y.end..b.len()));
    found.retain(|(x, y)| !x.is_empty() || !y.is_empty());
    found
}

/// A longest common subsequence, as pairs of positions. Sequences that are too long have none.
fn common<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    if a.len() * b.len() > MOST_COMPARED {
        return Vec::new();
    }
    let mut best = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i][j] = match a[i] == b[j] {
                true => best[i + 1][j + 1] + 1,
                false => best[i + 1][j].max(best[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] && best[i][j] == best[i + 1][j + 1] + 1 {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
