//! Parts of what a version prints that are not the same each time, and how to look past them.
//!
//! In: what the same version printed twice on the same input. Out: [`Unstable`] parts, as small as can be told; texts without them.
//!
//! Always holds: with what [`learn`] gives, the two texts that it was learnt from are equal.

use crate::aspect::Aspect;
use regex::bytes::Regex;
use std::fmt;
use std::path::{Path, PathBuf};

/// Lines that differ before a text as a whole counts as unstable.
const MOST_LINES: usize = 64;
/// Digits from which on a number is expected to keep its length: seconds since 1970, addresses.
const LONG_NUMBER: usize = 6;
/// Letters from which on a word tells a line from others.
const TELLING: usize = 2;

/// Something in which a version differs from itself.
#[derive(Clone, Debug)]
pub struct Unstable {
    pub aspect: Aspect,
    /// Which file, if the aspect is [`Aspect::Files`] and it is not about all of them.
    file: Option<PathBuf>,
    part: Part,
}

#[derive(Clone, Debug)]
enum Part {
    Whole,
    /// Which line comes first.
    Order,
    /// Parts of lines that look like `pattern`; only in line `number` (from 0), if nothing else tells the line from others.
    Line {
        number: Option<usize>,
        pattern: Regex,
        shape: String,
    },
}

impl PartialEq for Unstable {
    fn eq(&self, other: &Unstable) -> bool {
        let same_part = match (&self.part, &other.part) {
            (Part::Whole, Part::Whole) | (Part::Order, Part::Order) => true,
            (Part::Line { number: n, pattern: p, .. }, Part::Line { number: m, pattern: q, .. }) => {
                n == m && p.as_str() == q.as_str()
            }
            _ => false,
        };
        same_part && self.aspect == other.aspect && self.file == other.file
    }
}

impl Eq for Unstable {}

/// What it is, without the aspect: "the order of lines".
impl fmt::Display for Unstable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "file {}: ", file.display())?;
        }
        match &self.part {
            Part::Whole => f.write_str("all of it"),
            Part::Order => f.write_str("the order of lines"),
            Part::Line { number: Some(number), shape, .. } => write!(f, "line {}: \"{shape}\"", number + 1),
            Part::Line { number: None, shape, .. } => write!(f, "lines like \"{shape}\""),
        }
    }
}

impl Unstable {
    pub(crate) fn whole(aspect: Aspect) -> Unstable {
        Unstable { aspect, file: None, part: Part::Whole }
    }

    /// The lines that vary can be told from others, so that what was learnt on one test case holds for all.
    pub fn holds_elsewhere(&self) -> bool {
        matches!(self.part, Part::Line { number: None, .. })
    }

    /// Nothing of the aspect is left.
    pub fn is_whole(&self) -> bool {
        matches!(self.part, Part::Whole)
    }
}

/// The lines of a text, each with its newline if it has one.
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

/// A text without what is unstable in it.
pub(crate) fn masked(masks: &[Unstable], aspect: Aspect, file: Option<&Path>, text: Vec<u8>) -> Vec<u8> {
    let ours: Vec<&Unstable> =
        masks.iter().filter(|mask| mask.aspect == aspect && mask.file.as_deref() == file).collect();
    if ours.is_empty() {
        return text;
    }
    let mut lines = lines(&text);
    for (number, line) in lines.iter_mut().enumerate() {
        let end = if line.ends_with(b"\n") { line.len() - 1 } else { line.len() };
        let fits = |mask: &&&Unstable| match &mask.part {
            Part::Line { number: only, pattern, .. } => {
                only.is_none_or(|only| only == number) && pattern.is_match(&line[..end])
            }
            _ => false,
        };
        if let Some(Unstable { part: Part::Line { shape, .. }, .. }) = ours.iter().find(fits) {
            line.splice(..end, shape.bytes());
        }
    }
    if ours.iter().any(|mask| matches!(mask.part, Part::Order)) {
        lines.sort();
    }
    lines.concat()
}

/// What must be left out so that these two are equal.
pub(crate) fn learn(aspect: Aspect, file: Option<&Path>, a: &[u8], b: &[u8]) -> Vec<Unstable> {
    let unstable = |part| Unstable { aspect, file: file.map(Path::to_owned), part };
    let (x, y) = (lines(a), lines(b));
    let mut found = Vec::new();
    if sorted(&x) == sorted(&y) {
        return vec![unstable(Part::Order)];
    }
    for (number, (p, q)) in x.iter().zip(&y).enumerate().filter(|(_, (p, q))| p != q) {
        let mask = unstable(line(number, p, q));
        if !found.contains(&mask) {
            found.push(mask);
        }
    }
    let apply = |masks: &[Unstable], text: &[u8]| masked(masks, aspect, file, text.to_vec());
    if x.len() != y.len() || found.len() > MOST_LINES || apply(&found, a) != apply(&found, b) {
        return vec![unstable(Part::Whole)];
    }
    found
}

fn sorted(lines: &[Vec<u8>]) -> Vec<&Vec<u8>> {
    let mut sorted: Vec<_> = lines.iter().collect();
    sorted.sort();
    sorted
}

/// A piece of a line: a word, or anything else by itself.
fn tokens(line: &[u8]) -> Vec<&[u8]> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    line.strip_suffix(b"\n").unwrap_or(line).chunk_by(|a, b| word(*a) && word(*b)).collect()
}

/// How a line looks that was printed in two ways.
fn line(number: usize, a: &[u8], b: &[u8]) -> Part {
    let (x, y) = (tokens(a), tokens(b));
    let is_word = |token: &[u8]| token[0].is_ascii_alphanumeric() || token[0] == b'_';
    let alike = x.len() == y.len() && x.iter().zip(&y).all(|(p, q)| p == q || (is_word(p) && is_word(q)));
    let look = if alike { Look::of_words(&x, &y) } else { Look::of_ends(&x, &y) };
    let number = (!look.telling).then_some(number);
    // Literals are escaped, and the rest is written here.
    match Regex::new(&format!("(?s-u)^{}$", look.pattern)) {
        Ok(pattern) => Part::Line { number, pattern, shape: look.shape },
        Err(_) => Part::Whole,
    }
}

/// A pattern in the making.
#[derive(Default)]
struct Look {
    pattern: String,
    shape: String,
    /// There is a word in it that tells the line from others.
    telling: bool,
}

impl Look {
    fn literal(&mut self, token: &[u8]) {
        let letters = token.iter().filter(|b| b.is_ascii_alphabetic()).count();
        self.telling |= letters >= TELLING;
        for byte in token {
            self.pattern.push_str(&format!("\\x{byte:02x}"));
        }
        self.shape.push_str(&String::from_utf8_lossy(token));
    }

    fn anything(&mut self, pattern: &str) {
        self.pattern.push_str(pattern);
        self.shape.push('*');
    }

    /// The same punctuation, some words different.
    fn of_words(a: &[&[u8]], b: &[&[u8]]) -> Look {
        let mut loose: Vec<bool> = a.iter().zip(b).map(|(p, q)| p != q).collect();
        widen(a, &mut loose);
        let mut look = Look::default();
        for ((p, q), loose) in a.iter().zip(b).zip(loose) {
            if loose {
                look.anything(&word_pattern(p, q));
            } else {
                look.literal(p);
            }
        }
        look
    }

    /// The same beginning and the same end.
    fn of_ends(a: &[&[u8]], b: &[&[u8]]) -> Look {
        let start = a.iter().zip(b).take_while(|(p, q)| p == q).count();
        let room = a.len().min(b.len()) - start;
        let end = a.iter().rev().zip(b.iter().rev()).take(room).take_while(|(p, q)| p == q).count();
        let mut look = Look::default();
        a[..start].iter().for_each(|token| look.literal(token));
        look.anything(".*");
        a[a.len() - end..].iter().for_each(|token| look.literal(token));
        look
    }
}

/// The seconds of a clock changed; its minutes will.
fn widen(tokens: &[&[u8]], loose: &mut [bool]) {
    let number = |i: usize| tokens.get(i).is_some_and(|token| token.iter().all(u8::is_ascii_digit));
    let joined = |i: usize| tokens.get(i).is_some_and(|token| [&b":"[..], b".", b"-", b"/"].contains(token));
    for _ in 0..tokens.len() {
        let before = loose.to_vec();
        for i in 0..tokens.len() {
            let beside =
                |j: usize, between: usize| before.get(j) == Some(&true) && number(j) && joined(between);
            if number(i) && (beside(i + 2, i + 1) || (i >= 2 && beside(i - 2, i - 1))) {
                loose[i] = true;
            }
        }
        if before == loose {
            return;
        }
    }
}

fn word_pattern(a: &[u8], b: &[u8]) -> String {
    let all = |holds: fn(&u8) -> bool| a.iter().chain(b).all(holds);
    let class = if all(u8::is_ascii_digit) {
        "[0-9]"
    } else if all(u8::is_ascii_hexdigit) {
        "[0-9A-Fa-f]"
    } else {
        "[0-9A-Za-z_]"
    };
    match a.len() == b.len() && a.len() >= LONG_NUMBER {
        true => format!("{class}{{{}}}", a.len()),
        false => format!("{class}+"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt(a: &str, b: &str) -> Vec<String> {
        let masks = learn(Aspect::Stdout, None, a.as_bytes(), b.as_bytes());
        let apply = |text: &str| masked(&masks, Aspect::Stdout, None, text.into());
        if !masks.iter().any(Unstable::is_whole) {
            assert_eq!(apply(a), apply(b), "what was learnt does not help");
        }
        masks.iter().map(Unstable::to_string).collect()
    }

    /// Whether a difference is still seen once the first two texts have been seen.
    fn still_seen(a: &str, b: &str, old: &str, new: &str) -> bool {
        let masks = learn(Aspect::Stdout, None, a.as_bytes(), b.as_bytes());
        let apply = |text: &str| masked(&masks, Aspect::Stdout, None, text.into());
        apply(old) != apply(new)
    }

    #[test]
    fn a_process_number_is_left_out_and_the_rest_of_the_text_is_not() {
        assert_eq!(learnt("pid 17\nsum 5\n", "pid 204\nsum 5\n"), ["lines like \"pid *\""]);
        assert!(still_seen("pid 17\nsum 5\n", "pid 204\nsum 5\n", "pid 1\nsum 5\n", "pid 2\nsum 6\n"));
        assert!(!still_seen("pid 17\nsum 5\n", "pid 204\nsum 5\n", "more\npid 1\n", "more\npid 2\n"));
    }

    #[test]
    fn a_clock_is_left_out_as_a_whole() {
        assert_eq!(learnt("at 10:59:58 ok\n", "at 10:59:59 ok\n"), ["lines like \"at *:*:* ok\""]);
        assert!(!still_seen("at 10:59:58 ok\n", "at 10:59:59 ok\n", "at 10:59:59 ok\n", "at 11:00:00 ok\n"));
        assert!(still_seen("at 10:59:58 ok\n", "at 10:59:59 ok\n", "at 11:00:00 ok\n", "at 11:00:00 bad\n"));
    }

    #[test]
    fn a_number_by_itself_is_left_out_only_in_its_line() {
        assert_eq!(learnt("1731700000\n42\n", "1731700001\n42\n"), ["line 1: \"*\""]);
        assert!(still_seen("1731700000\n42\n", "1731700001\n42\n", "1731700002\n42\n", "1731700003\n43\n"));
    }

    #[test]
    fn an_address_is_left_out_whatever_its_digits() {
        let (a, b) = ("main is at 0x55d0c0de1139\n", "main is at 0x7f00aabb1139\n");
        assert_eq!(learnt(a, b), ["lines like \"main is at *\""]);
    }

    #[test]
    fn an_order_that_changes_is_no_difference_but_what_is_in_it_may_be() {
        assert_eq!(learnt("b\na\nc\n", "c\nb\na\n"), ["the order of lines"]);
        assert!(!still_seen("b\na\n", "a\nb\n", "x\ny\n", "y\nx\n"));
        assert!(still_seen("b\na\n", "a\nb\n", "x\ny\n", "y\nz\n"));
    }

    #[test]
    fn a_text_without_anything_in_common_is_unstable_as_a_whole() {
        assert_eq!(learnt("a\n", "a\nb\n"), ["all of it"]);
    }

    #[test]
    fn any_two_texts_are_equal_with_what_is_learnt_from_them() {
        let mut random = fastrand::Rng::with_seed(11);
        let alphabet = [b"ab1", &b":. "[..], b"\n\0\xff"].concat();
        for _ in 0..5000 {
            let mut text = || -> Vec<u8> {
                (0..random.usize(..12)).map(|_| alphabet[random.usize(..alphabet.len())]).collect()
            };
            let (a, b) = (text(), text());
            let masks = learn(Aspect::Stdout, None, &a, &b);
            let apply = |text: &[u8]| masked(&masks, Aspect::Stdout, None, text.to_vec());
            assert!(masks.iter().any(Unstable::is_whole) || apply(&a) == apply(&b), "{a:?} {b:?} {masks:?}");
        }
    }
}
