//! The shape of a difference, by which differences are grouped.
//!
//! In: a test case, two runs that differ, and in which aspects. Out: a line of text. What stems from the input
//! (words of it, numbers, anything that is not a word of the programs) is left out, so that a thousand inputs with one cause
//! have one signature. The same for people, where the two sides never read the same: what differs is then shown as it is.

use crate::aspect::{Aspect, Aspects};
use crate::rules::Rules;
use parallax_execute::{Content, FileChange, Outcome, Run, TestCase};
use std::collections::BTreeSet;

/// Shorter words are not taken for words of a program: any short sequence of bytes is in a binary somewhere.
const SHORTEST_WORD: usize = 3;
/// Most parts of a line that go into a signature.
const MAX_PARTS: usize = 24;

/// Parts after which a list repeats itself: an element, a comma, a space.
const LONGEST_PERIOD: usize = 3;

/// Words in the strings of a program.
pub fn words_of(binary: &[u8]) -> BTreeSet<Vec<u8>> {
    let words = binary.split(|b| !b.is_ascii_alphabetic());
    words.filter(|word| word.len() >= SHORTEST_WORD).map(<[u8]>::to_vec).collect()
}

/// Bytes of a line that are shown before and from the first one that differs.
const SHOWN_BEFORE: usize = 20;
const SHOWN_BEHIND: usize = 40;

/// How the runs differ. How they ended comes first; with it goes what was said on standard error, or else the
/// first of standard output, standard error and files that differs.
pub(crate) fn signature(rules: &Rules, test: &TestCase, old: &Run, new: &Run, aspects: &Aspects) -> String {
    written(rules, test, old, new, aspects, |detail| detail.shapes.clone())
}

/// The same for people.
pub(crate) fn told(rules: &Rules, test: &TestCase, old: &Run, new: &Run, aspects: &Aspects) -> String {
    written(rules, test, old, new, aspects, |detail| match detail.shapes[0] == detail.shapes[1] {
        true => detail.texts.clone(),
        false => detail.shapes.clone(),
    })
}

fn written(
    rules: &Rules,
    test: &TestCase,
    old: &Run,
    new: &Run,
    aspects: &Aspects,
    sides: impl Fn(&Detail) -> [String; 2],
) -> String {
    let mut parts = Vec::new();
    let ending = aspects.iter().any(|aspect| aspect.is_ending());
    if ending {
        parts.push(format!("{} -> {}", ended(&old.outcome), ended(&new.outcome)));
    }
    let aspect = match ending {
        true => aspects.get(&Aspect::Stderr),
        false => aspects.first(),
    };
    if let Some((aspect, detail)) =
        aspect.and_then(|aspect| Some((aspect, detail(rules, test, old, new, *aspect)?)))
    {
        let [a, b] = sides(&detail);
        parts.push(format!("{aspect}: {a} -> {b}"));
    }
    parts.join("; ")
}

/// The first place where two outputs differ, as shapes and as it is.
struct Detail {
    shapes: [String; 2],
    texts: [String; 2],
}

fn detail(rules: &Rules, test: &TestCase, old: &Run, new: &Run, aspect: Aspect) -> Option<Detail> {
    let shape = Shape { rules, inputs: inputs(test) };
    match aspect {
        Aspect::Stdout => Some(shape.first_difference(&rules.stdout(old), &rules.stdout(new))),
        Aspect::Stderr => Some(shape.first_difference(&rules.stderr(old), &rules.stderr(new))),
        Aspect::Files => Some(shape.files(&rules.changes(old), &rules.changes(new))),
        _ => None,
    }
}

fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("exit {status}"),
        Outcome::Signaled(signal) => format!("signal {signal}"),
        Outcome::TimedOut => "time-out".to_owned(),
        Outcome::TooManyProcesses => "too many processes".to_owned(),
        Outcome::TooMuchMemory => "too much memory".to_owned(),
        Outcome::TooMuchWork => "too much work".to_owned(),
        Outcome::TooMuchOutput => "too much output".to_owned(),
        Outcome::FileTooLarge => "too large a file".to_owned(),
        Outcome::Lost => "lost".to_owned(),
    }
}

/// All that the test case brings, in lower case.
fn inputs(test: &TestCase) -> Vec<Vec<u8>> {
    let files = test.files.iter().flat_map(|(path, bytes)| [path.as_os_str().as_encoded_bytes(), bytes]);
    let env = test.env.iter().map(|(_, value)| &value[..]);
    let all = test.argv.iter().map(Vec::as_slice).chain([&test.stdin[..]]).chain(files).chain(env);
    all.map(<[u8]>::to_ascii_lowercase).collect()
}

struct Shape<'r> {
    rules: &'r Rules,
    inputs: Vec<Vec<u8>>,
}

impl Shape<'_> {
    /// The first lines that differ.
    fn first_difference(&self, old: &[u8], new: &[u8]) -> Detail {
        let mut lines = (old.split_inclusive(|b| *b == b'\n'), new.split_inclusive(|b| *b == b'\n'));
        loop {
            match (lines.0.next(), lines.1.next()) {
                (None, None) => {
                    // The bytes that were kept are the same: only one of the outputs was longer.
                    let text = ["as long as is kept", "longer"].map(str::to_owned);
                    return Detail { shapes: text.clone(), texts: text };
                }
                (a, b) if a == b => {}
                (a, b) => return Detail { shapes: [self.line(a), self.line(b)], texts: texts(a, b) },
            }
        }
    }

    fn line(&self, line: Option<&[u8]>) -> String {
        let Some(line) = line else { return "nothing".to_owned() };
        let mut parts: Vec<String> = Vec::new();
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        for run in body.chunk_by(|a, b| class(*a) == class(*b)) {
            parts.push(self.part(run));
            collapse(&mut parts);
        }
        if parts.len() >= MAX_PARTS {
            parts.truncate(MAX_PARTS);
            parts.push("…".to_owned());
        }
        let end = if body.len() == line.len() { " (no newline)" } else { "" };
        format!("\"{}\"{end}", parts.concat())
    }

    /// A run of bytes of one class.
    fn part(&self, run: &[u8]) -> String {
        match class(run[0]) {
            Class::Letter if !self.is_data(run) => String::from_utf8_lossy(run).into_owned(),
            Class::Letter | Class::Digit | Class::Other => "*".to_owned(),
            Class::Space => " ".to_owned(),
            Class::Punctuation => String::from_utf8_lossy(&run[..1]).into_owned(),
        }
    }

    fn is_data(&self, word: &[u8]) -> bool {
        let lower = word.to_ascii_lowercase();
        let in_input = || self.inputs.iter().any(|input| input.windows(lower.len()).any(|w| w == lower));
        word.len() < SHORTEST_WORD || !self.rules.words.contains(word) || in_input()
    }

    /// What became of the first file that differs.
    fn files(&self, old: &[FileChange], new: &[FileChange]) -> Detail {
        let first =
            |of: &[FileChange], from: &[FileChange]| of.iter().find(|change| !from.contains(change)).cloned();
        let (a, b) = (first(old, new), first(new, old));
        let shape = |change: &Option<FileChange>| {
            let what = match change {
                Some(FileChange::Created { .. }) => "created",
                Some(FileChange::Modified { .. }) => "changed",
                Some(FileChange::Deleted { .. }) => "deleted",
                None => "nothing",
            };
            what.to_owned()
        };
        let shapes = [shape(&a), shape(&b)];
        let texts = match (&a, &b) {
            (Some(a), Some(b)) if a.path() == b.path() => {
                let inside = self.first_difference(&left(a), &left(b)).texts;
                inside.map(|text| format!("{} {text}", shown(a.path().as_os_str().as_encoded_bytes(), 0)))
            }
            (a, b) => [a, b].map(|change| {
                let path = change.as_ref().map(|change| change.path().as_os_str().as_encoded_bytes());
                path.map_or("nothing".to_owned(), |path| shown(path, 0))
            }),
        };
        Detail { shapes, texts }
    }
}

/// What is in a file, after its mode.
fn left(change: &FileChange) -> Vec<u8> {
    match change {
        FileChange::Created { mode, content, .. } | FileChange::Modified { mode, content, .. } => {
            let content = match content {
                Content::File(output) => output.bytes.clone(),
                other => format!("{other:?}").into_bytes(),
            };
            [format!("mode {mode:o}\n").into_bytes(), content].concat()
        }
        FileChange::Deleted { .. } => Vec::new(),
    }
}

/// Two lines as they are, cut around the first byte that differs.
fn texts(old: Option<&[u8]>, new: Option<&[u8]>) -> [String; 2] {
    let (a, b) = (old.unwrap_or_default(), new.unwrap_or_default());
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let from = same.saturating_sub(SHOWN_BEFORE);
    [old, new].map(|line| line.map_or("nothing".to_owned(), |line| shown(line, from)))
}

/// Some of the bytes in quotation marks, with escapes.
fn shown(bytes: &[u8], from: usize) -> String {
    let to = bytes.len().min(from + SHOWN_BEFORE + SHOWN_BEHIND);
    let before = if from > 0 { "…" } else { "" };
    let behind = if to < bytes.len() { "…" } else { "" };
    format!("{before}\"{}\"{behind}", bytes[from.min(to)..to].escape_ascii())
}

/// Takes away data that repeats at the end: `1, 2, 3, 4` and `1, 2` have the same shape, and so have `aa` and `a1`.
fn collapse(parts: &mut Vec<String>) {
    for period in 1..=LONGEST_PERIOD {
        let Some(start) = parts.len().checked_sub(2 * period) else { return };
        let (before, last) = parts[start..].split_at(period);
        if before == last && last.iter().any(|part| part == "*") {
            parts.truncate(start + period);
            return;
        }
    }
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Letter,
    Digit,
    Space,
    Punctuation,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b if b.is_ascii_alphabetic() => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        b' ' | b'\t' | b'\r' => Class::Space,
        b if b.is_ascii_punctuation() => Class::Punctuation,
        _ => Class::Other,
    }
}
