//! Random changes of shape, for when the systematic ones have been tried: several at once, from all that runs have
//! taught (options, tokens, what other test cases hold).
//!
//! In: test cases worth changing, hints, a source of random numbers. Out: a test case that may be worth
//! running. The same seed of the random numbers gives the same test cases.

use crate::inputs::{self, edited};
use crate::mutate::Hints;
use fastrand::Rng;
use parallax_execute::TestCase;
use parallax_trace::request::Source;

/// Changes made at once, at most.
const MAX_CHANGES: usize = 5;
/// Bytes that programs like to treat differently.
pub const SPECIAL: &[u8] = b"\0\n 09aZ-/,.:+*%=_()[]{}\"'\\#\x7f\xff\x01\x80";
/// Longest block that is copied, removed or repeated.
const MAX_BLOCK: usize = 32;
/// Stretches of one kind of character get lengths up to this, or up to what they had.
const LENGTHS: usize = 9;
/// Numbers that stand for a word now and then.
const NUMBERS: [&str; 10] = ["0", "1", "2", "3", "5", "9", "10", "-1", "100", "256"];
/// How often something is repeated.
const REPEATS: [usize; 5] = [1, 2, 4, 9, 33];

/// One of the test cases, and a changed copy of it.
pub fn changed<'c>(
    corpus: &'c [TestCase],
    hints: &Hints,
    random: &mut Rng,
    max_input: usize,
) -> Option<(&'c TestCase, TestCase)> {
    let from = pick(corpus, random)?;
    let mut test = from.clone();
    for _ in 0..random.usize(1..=MAX_CHANGES) {
        test = match random.u8(0..8) {
            0 | 1 => with_option(test, hints, random),
            2 => with_argument(test, corpus, random),
            3 => with_token(test, hints, random),
            4 | 5 => with_pieces(test, corpus, random),
            _ => with_bytes(test, corpus, random),
        };
    }
    (test != *from && inputs::longest(&test) <= max_input).then_some((from, test))
}

/// Newer test cases know more, and short ones are run faster: they are taken more often.
fn pick<'c>(corpus: &'c [TestCase], random: &mut Rng) -> Option<&'c TestCase> {
    let n = corpus.len().checked_sub(1)?;
    let mut new = || {
        let back = random.usize(0..=n).min(random.usize(0..=n));
        &corpus[n - back]
    };
    let (one, other) = (new(), new());
    Some(if inputs::longest(one) <= inputs::longest(other) { one } else { other })
}

fn with_option(mut test: TestCase, hints: &Hints, random: &mut Rng) -> TestCase {
    let Some(option) = hints.options.get(random.usize(..hints.options.len().max(1))) else { return test };
    let at = if random.bool() { 0 } else { random.usize(0..=test.argv.len()) };
    test.argv.splice(at..at, option.iter().cloned());
    test
}

/// Arguments removed, doubled, exchanged, taken from another test case.
fn with_argument(mut test: TestCase, corpus: &[TestCase], random: &mut Rng) -> TestCase {
    let n = test.argv.len();
    match random.u8(0..4) {
        0 if n > 0 => drop(test.argv.remove(random.usize(..n))),
        1 if n > 0 => {
            let copy = test.argv[random.usize(..n)].clone();
            test.argv.insert(random.usize(..=n), copy);
        }
        2 if n > 1 => test.argv.swap(random.usize(..n), random.usize(..n)),
        _ => {
            let others = corpus.get(random.usize(..corpus.len().max(1))).map(|t| &t.argv);
            if let Some(other) = others.filter(|o| !o.is_empty()) {
                test.argv.insert(random.usize(..=n), other[random.usize(..other.len())].clone());
            }
        }
    }
    test
}

fn with_token(test: TestCase, hints: &Hints, random: &mut Rng) -> TestCase {
    let Some((source, offset, token)) = nth(&hints.tokens, random) else { return test };
    let anywhere = random.bool();
    edited(&test, source, |bytes| {
        let at = if anywhere { random.usize(..=bytes.len()) } else { (*offset as usize).min(bytes.len()) };
        let end = if random.bool() { (at + token.len()).min(bytes.len()) } else { at };
        bytes.splice(at..end, token.iter().copied());
    })
}

fn with_bytes(test: TestCase, corpus: &[TestCase], random: &mut Rng) -> TestCase {
    let mut sources = inputs::sources(&test);
    // Nothing reads standard input that is empty in every test case worth keeping.
    sources.retain(|s| *s != Source::Stdin || corpus.iter().any(|t| !t.stdin.is_empty()));
    let Some(source) = sources.get(random.usize(..sources.len().max(1))).cloned() else { return test };
    let other = corpus.get(random.usize(..corpus.len().max(1)));
    let other = other.and_then(|t| inputs::bytes(t, &source)).unwrap_or_default().to_vec();
    edited(&test, &source, |bytes| change(bytes, &other, random))
}

/// Words or lines doubled, removed, exchanged, taken from another test case.
fn with_pieces(test: TestCase, corpus: &[TestCase], random: &mut Rng) -> TestCase {
    let sources = inputs::sources(&test);
    let Some(source) = sources.get(random.usize(..sources.len().max(1))).cloned() else { return test };
    let other = corpus.get(random.usize(..corpus.len().max(1)));
    let other = other.and_then(|t| inputs::bytes(t, &source)).unwrap_or_default().to_vec();
    let by_line = random.bool();
    edited(&test, &source, |bytes| {
        let (mut list, others) = (pieces(bytes, by_line), pieces(&other, by_line));
        match random.u8(0..4) {
            0 if !by_line => put_number(&mut list, random),
            _ => change_pieces(&mut list, &others, random),
        }
        *bytes = list.concat();
    })
}

/// Lines or statements with their ends, or words with what stands before them.
pub fn pieces(text: &[u8], by_line: bool) -> Vec<Vec<u8>> {
    let is_word = |b: &u8| b.is_ascii_alphanumeric();
    let same = |a: &u8, b: &u8| if by_line { !is_end(a) } else { is_word(b) || !is_word(a) };
    text.chunk_by(same).map(<[u8]>::to_vec).collect()
}

/// Does a line or a statement end here?
pub fn is_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b';')
}

/// A number in the place of a word, or as another one behind it.
fn put_number(words: &mut Vec<Vec<u8>>, random: &mut Rng) {
    let Some(at) = words.len().checked_sub(1).map(|last| random.usize(..=last)) else { return };
    let word = &words[at];
    let number = NUMBERS[random.usize(..NUMBERS.len())];
    let start = word.iter().position(u8::is_ascii_alphanumeric).unwrap_or(word.len());
    if random.bool() {
        words[at] = [&word[..start], number.as_bytes()].concat();
    } else {
        let before = if start == 0 { b" " } else { &word[start - 1..start] };
        words.insert(at + 1, [before, number.as_bytes()].concat());
    }
}

fn change_pieces(list: &mut Vec<Vec<u8>>, others: &[Vec<u8>], random: &mut Rng) {
    let n = list.len();
    match random.u8(0..5) {
        0 | 1 if n > 0 => {
            let copy = list[random.usize(..n)].clone();
            list.insert(random.usize(..=n), copy);
        }
        2 if n > 0 => drop(list.remove(random.usize(..n))),
        3 if n > 1 => list.swap(random.usize(..n), random.usize(..n)),
        _ if !others.is_empty() => {
            let piece = others[random.usize(..others.len())].clone();
            list.insert(random.usize(..=n), piece);
        }
        _ => {}
    }
}

/// One change of a string of bytes.
fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Rng) {
    let n = bytes.len();
    let (from, to) = block(n, random);
    match random.u8(0..12) {
        0 if n > 0 => bytes[random.usize(..n)] = SPECIAL[random.usize(..SPECIAL.len())],
        1 if n > 0 => {
            let at = random.usize(..n);
            bytes[at] = bytes[at].wrapping_add(random.u8(..)) ^ (1 << random.u8(..8)) >> random.u8(..8);
        }
        2 => drop(bytes.drain(from..to)),
        3 | 4 => {
            let copy = bytes[from..to].repeat(REPEATS[random.usize(..REPEATS.len())]);
            let at = if random.bool() { from } else { random.usize(..=n) };
            bytes.splice(at..at, copy);
        }
        5 => {
            let (a, b) = block(other.len(), random);
            let at = random.usize(..=n);
            bytes.splice(at..at, other[a..b].iter().copied());
        }
        6 | 7 if n > 0 => {
            let copy = bytes[from..to].to_vec();
            let at = random.usize(..n);
            let end = (at + copy.len()).min(n);
            bytes.splice(at..end, copy);
        }
        8 | 9 if n > 0 => resize(bytes, random.usize(..n), random),
        10 => {
            let at = random.usize(..=n);
            bytes.insert(at, SPECIAL[random.usize(..SPECIAL.len())]);
        }
        _ => {
            let at = random.usize(..=n);
            bytes.insert(at, random.u8(..));
        }
    }
}

/// The stretch of letters, of digits or of one sign that goes through a place gets another length: how many there are of a kind is what
/// formats are about.
fn resize(bytes: &mut Vec<u8>, at: usize, random: &mut Rng) {
    let kind = |b: u8| match b {
        b if b.is_ascii_alphabetic() => 0,
        b if b.is_ascii_digit() => 1,
        b => 2 + u16::from(b),
    };
    let is_other = |b: &u8| kind(*b) != kind(bytes[at]);
    let from = bytes[..at].iter().rposition(is_other).map_or(0, |last| last + 1);
    let to = bytes[at..].iter().position(is_other).map_or(bytes.len(), |len| at + len);
    let len = random.usize(..=LENGTHS.max(to - from));
    let stretch: Vec<u8> = bytes[from..to].iter().copied().cycle().take(len).collect();
    bytes.splice(from..to, stretch);
}

/// A short stretch of `n` bytes.
fn block(n: usize, random: &mut Rng) -> (usize, usize) {
    if n == 0 {
        return (0, 0);
    }
    let from = random.usize(..n);
    let longest = (n - from).min(MAX_BLOCK);
    // Short ones more often.
    let len = 1 + random.usize(..longest).min(random.usize(..longest));
    (from, from + len)
}

fn nth<'s, T>(set: &'s std::collections::BTreeSet<T>, random: &mut Rng) -> Option<&'s T> {
    set.iter().nth(random.usize(..set.len().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_stands_before_them() {
        let text = |list: Vec<Vec<u8>>| {
            list.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(text(pieces(b"n 1\nu 2 0", false)), ["n", " 1", "\nu", " 2", " 0"]);
        assert_eq!(text(pieces(b"n 1\nu 2 0", true)), ["n 1\n", "u 2 0"]);
    }

    #[test]
    fn a_number_takes_the_place_of_a_word_or_follows_it() {
        let mut random = Rng::with_seed(3);
        let mut all = std::collections::BTreeSet::new();
        for _ in 0..400 {
            let mut words = pieces(b"del a,b", false);
            put_number(&mut words, &mut random);
            all.insert(String::from_utf8_lossy(&words.concat()).into_owned());
        }
        for wanted in ["del 2,b", "del a,1", "del a 2,b", "del a,b,10", "-1 a,b"] {
            assert!(all.contains(wanted), "{wanted} is missing");
        }
    }

    #[test]
    fn stretches_of_one_kind_get_every_length() {
        let mut random = Rng::with_seed(1);
        let mut all = std::collections::BTreeSet::new();
        for _ in 0..300 {
            let mut text = b"AB12===".to_vec();
            resize(&mut text, random.usize(..7), &mut random);
            all.insert(String::from_utf8_lossy(&text).into_owned());
        }
        for wanted in ["AB12", "AB12=", "AB121===", "ABABA12===", "12===", "AB12========="] {
            assert!(all.contains(wanted), "{wanted} is missing");
        }
        assert!(all.iter().all(|text| text.trim_start_matches(char::is_alphabetic).len() <= 14));
    }

    #[test]
    fn the_same_random_numbers_give_the_same_test_cases() {
        let corpus = [TestCase::with_args(["-a", "file"]), TestCase::with_args(["b"])];
        let mut hints = Hints::default();
        hints.options.push(vec![b"-v".to_vec()]);
        let all = |seed| {
            let mut random = Rng::with_seed(seed);
            (0..200)
                .filter_map(|_| changed(&corpus, &hints, &mut random, 64).map(|pair| pair.1))
                .collect::<Vec<_>>()
        };
        assert_eq!(all(7), all(7));
        assert_ne!(all(7), all(8));
        assert!(all(7).iter().any(|t| t.argv.iter().filter(|a| **a == b"-v").count() > 1));
        assert!(all(7).iter().all(|t| t.argv.iter().all(|a| a.len() <= 64 && !a.contains(&0))));
    }
}
