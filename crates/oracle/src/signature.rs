//! The shape of a difference, by which differences are grouped.
//!
//! In: a test case, two runs that differ, and in which aspects. Out: a line of text. What stems from the input
//! (words of it, numbers, anything that is not a word of the programs) is left out, so that a thousand inputs with one cause
//! have one signature.

use crate::aspect::{Aspect, Aspects};
use crate::rules::Rules;
use parallax_execute::{FileChange, Outcome, Run, TestCase};
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

/// How the runs differ. How they ended comes first; with it goes what was said on standard error, or else the
/// first of standard output, standard error and files that differs.
pub(crate) fn signature(rules: &Rules, test: &TestCase, old: &Run, new: &Run, aspects: &Aspects) -> String {
    let shape = Shape { rules, inputs: inputs(test) };
    let mut parts = Vec::new();
    let ending = aspects.iter().any(|aspect| aspect.is_ending());
    if ending {
        parts.push(format!("{} -> {}", ended(&old.outcome), ended(&new.outcome)));
    }
    let detail = match ending {
        true => aspects.get(&Aspect::Stderr),
        false => aspects.first(),
    };
    match detail {
        Some(Aspect::Stdout) => {
            let (a, b) = (rules.stdout(old), rules.stdout(new));
            parts.push(format!("stdout: {}", shape.first_difference(&a, &b)));
        }
        Some(Aspect::Stderr) => {
            let (a, b) = (rules.stderr(old), rules.stderr(new));
            parts.push(format!("stderr: {}", shape.first_difference(&a, &b)));
        }
        Some(Aspect::Files) => parts.push(format!("files: {}", shape.files(old, new))),
        _ => {}
    }
    parts.join("; ")
}

fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("exit {status}"),
        Outcome::Signaled(signal) => format!("signal {signal}"),
        Outcome::TimedOut => "time-out".to_owned(),
        Outcome::TooManyProcesses => "too many processes".to_owned(),
        Outcome::TooMuchMemory => "too much memory".to_owned(),
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
    /// The first lines that differ, as shapes.
    fn first_difference(&self, old: &[u8], new: &[u8]) -> String {
        let mut lines = (old.split_inclusive(|b| *b == b'\n'), new.split_inclusive(|b| *b == b'\n'));
        loop {
            match (lines.0.next(), lines.1.next()) {
                (None, None) => return "length".to_owned(),
                (a, b) if a == b => {}
                (a, b) => return format!("{} -> {}", self.line(a), self.line(b)),
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
    fn files(&self, old: &Run, new: &Run) -> String {
        let of = |run: &Run, other: &Run| {
            let first = run.files.iter().find(|change| !other.files.contains(change));
            match first {
                Some(FileChange::Created { .. }) => "created",
                Some(FileChange::Modified { .. }) => "changed",
                Some(FileChange::Deleted { .. }) => "deleted",
                None => "nothing",
            }
        };
        format!("{} -> {}", of(old, new), of(new, old))
    }
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
