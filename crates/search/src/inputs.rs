//! Test cases as bytes with names: reading, changing, growing and shrinking them.
//!
//! Always holds: what comes out is a test case that can be run: arguments contain no NUL, nothing outgrows the limit.

use parallax_execute::TestCase;
use parallax_trace::request::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Bytes put in at once because a solver wanted them there.
const MAX_INSERTED: usize = 4;

/// Bytes of the variable that stands for a number written in an input.
pub const NUMBER_BYTES: u32 = 4;

/// Numbers for inputs that mean the same in every run: the same argument, file or variable, or a number
/// written at the same place of one.
#[derive(Default)]
pub struct Names {
    numbers: BTreeMap<Source, u32>,
    written: BTreeMap<(u32, u32, Base), u32>,
    /// Inputs with numbers that can only be hexadecimal: there, single digits probably are, too.
    hexadecimal: BTreeSet<u32>,
    list: Vec<Name>,
}

enum Name {
    Input(Source),
    /// The number that begins at an offset of an input.
    Written(u32, u32, Base),
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base {
    Ten,
    Sixteen,
}

impl Base {
    pub const BOTH: [Base; 2] = [Base::Ten, Base::Sixteen];

    pub fn radix(self) -> u64 {
        match self {
            Base::Ten => 10,
            Base::Sixteen => 16,
        }
    }

    /// Longer numbers do not fit the variable that stands for them.
    pub fn max_digits(self) -> usize {
        match self {
            Base::Ten => 9,
            Base::Sixteen => 8,
        }
    }

    pub fn is_digit(self, byte: &u8) -> bool {
        (*byte as char).is_digit(self.radix() as u32)
    }

    /// 0 for what is no digit.
    pub fn value(self, digit: u8) -> u64 {
        (digit as char).to_digit(self.radix() as u32).unwrap_or(0).into()
    }
}

/// What is to be changed in a test case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub bytes: BTreeMap<(Source, u32), u8>,
    /// New values for the numbers that begin at these places.
    pub numbers: BTreeMap<(Source, u32, Base), i32>,
}

impl Names {
    pub fn number(&mut self, source: &Source) -> u32 {
        if let Some(n) = self.numbers.get(source) {
            return *n;
        }
        let n = self.list.len() as u32;
        self.numbers.insert(source.clone(), n);
        self.list.push(Name::Input(source.clone()));
        n
    }

    /// The same for a number that is written in an input.
    pub fn written(&mut self, input: u32, from: u32, base: Base) -> u32 {
        *self.written.entry((input, from, base)).or_insert_with(|| {
            self.list.push(Name::Written(input, from, base));
            self.list.len() as u32 - 1
        })
    }

    /// A number of so many digits was found to be of this base.
    pub fn note_base(&mut self, input: u32, base: Base, digits: usize) {
        if base == Base::Sixteen && digits > 1 {
            self.hexadecimal.insert(input);
        }
    }

    /// Which base a single digit of an input is probably of.
    pub fn likely_base(&self, input: u32) -> Base {
        match self.hexadecimal.contains(&input) {
            true => Base::Sixteen,
            false => Base::Ten,
        }
    }

    /// Which input this is; `None` for a number written in one.
    pub fn source(&self, number: u32) -> Option<&Source> {
        match self.list.get(number as usize)? {
            Name::Input(source) => Some(source),
            Name::Written(..) => None,
        }
    }

    pub fn is_written(&self, number: u32) -> bool {
        matches!(self.list.get(number as usize), Some(Name::Written(..)))
    }

    /// The present value of a variable.
    pub fn byte(&self, test: &TestCase, input: u32, offset: u32) -> Option<u8> {
        match self.list.get(input as usize)? {
            Name::Input(source) => byte(test, source, offset),
            Name::Written(..) => self.value(test, input)?.to_le_bytes().get(offset as usize).copied(),
        }
    }

    /// The present value of a number that is written in an input.
    pub fn value(&self, test: &TestCase, number: u32) -> Option<i32> {
        match self.list.get(number as usize)? {
            Name::Input(_) => None,
            Name::Written(input, from, base) => number_at(test, self.source(*input)?, *from, *base),
        }
    }

    /// What a solver's values mean for a test case.
    pub fn changes(&self, test: &TestCase, values: impl IntoIterator<Item = ((u32, u32), u8)>) -> Changes {
        let mut changes = Changes::default();
        for ((input, offset), value) in values {
            match self.list.get(input as usize) {
                Some(Name::Input(source)) => drop(changes.bytes.insert((source.clone(), offset), value)),
                Some(Name::Written(of, from, base)) => {
                    let Some(source) = self.source(*of) else { continue };
                    let now = number_at(test, source, *from, *base).unwrap_or(0);
                    let number = changes.numbers.entry((source.clone(), *from, *base)).or_insert(now);
                    let mut bytes = number.to_le_bytes();
                    if let Some(byte) = bytes.get_mut(offset as usize) {
                        *byte = value;
                    }
                    *number = i32::from_le_bytes(bytes);
                }
                None => {}
            }
        }
        changes
    }
}

/// The number whose digits begin here, as the bits of its variable.
fn number_at(test: &TestCase, source: &Source, from: u32, base: Base) -> Option<i32> {
    let text = bytes(test, source)?.get(from as usize..)?;
    let digits = text.iter().take_while(|b| base.is_digit(b)).count();
    let value = u32::from_str_radix(std::str::from_utf8(&text[..digits]).ok()?, base.radix() as u32).ok()?;
    (base == Base::Sixteen || i32::try_from(value).is_ok()).then_some(value as i32)
}

/// The bytes of an input of a test case.
pub fn bytes<'t>(test: &'t TestCase, source: &Source) -> Option<&'t [u8]> {
    match source {
        Source::Argument(n) => test.argv.get((*n as usize).checked_sub(1)?).map(|v| &v[..]),
        Source::Stdin => Some(&test.stdin),
        Source::File(path) => {
            test.files.iter().find(|f| f.0.as_os_str().as_bytes() == &path[..]).map(|f| &f.1[..])
        }
        Source::Env(name) => test.env.iter().find(|e| e.0 == *name).map(|e| &e.1[..]),
    }
}

/// The byte at an offset; the terminator of a string is one of its bytes.
pub fn byte(test: &TestCase, source: &Source, offset: u32) -> Option<u8> {
    let bytes = bytes(test, source)?;
    match bytes.get(offset as usize) {
        None if is_string(source) && offset as usize == bytes.len() => Some(0),
        found => found.copied(),
    }
}

fn is_string(source: &Source) -> bool {
    matches!(source, Source::Argument(_) | Source::Env(_))
}

/// Change one input as a whole.
pub fn edited(test: &TestCase, source: &Source, edit: impl FnOnce(&mut Vec<u8>)) -> TestCase {
    let mut test = test.clone();
    let place = match source {
        Source::Argument(n) => (*n as usize).checked_sub(1).and_then(|n| test.argv.get_mut(n)),
        Source::Stdin => Some(&mut test.stdin),
        Source::File(path) => {
            let path = PathBuf::from(std::ffi::OsString::from_vec(path.clone()));
            test.files.iter_mut().find(|f| f.0 == path).map(|f| &mut f.1)
        }
        Source::Env(name) => test.env.iter_mut().find(|e| e.0 == *name).map(|e| &mut e.1),
    };
    if let Some(bytes) = place {
        edit(bytes);
        if is_string(source) {
            // A string ends at its first NUL.
            if let Some(end) = bytes.iter().position(|b| *b == 0) {
                bytes.truncate(end);
            }
        }
    }
    test
}

/// Set single bytes. Writing to the terminator of a string makes it longer.
pub fn with_bytes(test: &TestCase, changes: &BTreeMap<(Source, u32), u8>) -> TestCase {
    let mut result = test.clone();
    for ((source, offset), value) in changes {
        result = edited(&result, source, |bytes| {
            let at = *offset as usize;
            if at < bytes.len() {
                bytes[at] = *value;
            } else if at == bytes.len() && *value != 0 {
                bytes.push(*value);
            }
        });
    }
    result
}

/// All changes: first the bytes, then the numbers, from the back, because they may become longer or shorter.
pub fn with_changes(test: &TestCase, changes: &Changes) -> TestCase {
    let mut result = with_bytes(test, &changes.bytes);
    for ((source, from, base), value) in changes.numbers.iter().rev() {
        result = edited(&result, source, |bytes| match base {
            Base::Ten => write_number(bytes, *from as usize, *value),
            Base::Sixteen => write_hexadecimal(bytes, *from as usize, *value as u32),
        });
    }
    result
}

/// Writes a number over the digits that begin here, with as many of them if it takes fewer: fields of dates and records have a width, and
/// hardly a program minds zeros. Minus before a sign is none, and a sign before minus gives way to it.
fn write_number(bytes: &mut Vec<u8>, from: usize, value: i32) {
    let rest = bytes.get(from..).unwrap_or_default();
    let to = from + rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_sign = |at: usize| !bytes[..at].last().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b')');
    let sign = from.checked_sub(1).filter(|at| is_sign(*at)).map(|at| bytes[at]);
    let (from, value) = match sign {
        Some(b'-') if value < 0 => (from - 1, i64::from(value).abs()),
        Some(b'+') if value < 0 => (from - 1, value.into()),
        _ => (from, value.into()),
    };
    let width = if value < 0 { 0 } else { to - from };
    bytes.splice(from..to, format!("{value:0width$}").into_bytes());
}

/// The same for a number of another base, with letters like those that stand there.
fn write_hexadecimal(bytes: &mut Vec<u8>, from: usize, value: u32) {
    let rest = bytes.get(from..).unwrap_or_default();
    let width = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let capital = bytes.iter().any(|b| matches!(b, b'A'..=b'F'));
    let digits = if capital { format!("{value:0width$X}") } else { format!("{value:0width$x}") };
    bytes.splice(from..from + width, digits.into_bytes());
}

/// The same bytes put before those that [`with_bytes`] would write over, if they stand together: what a sign, a
/// bracket or an escape needs, which a solver cannot know.
pub fn with_inserted(test: &TestCase, changes: &BTreeMap<(Source, u32), u8>) -> Option<TestCase> {
    let ((source, at), _) = changes.first_key_value()?;
    let together = changes.keys().zip(*at..).all(|((s, offset), next)| s == source && *offset == next);
    let last = *at as usize + changes.len();
    let inside = bytes(test, source).is_some_and(|b| last <= b.len());
    (together && inside && changes.len() <= MAX_INSERTED).then(|| {
        edited(test, source, |bytes| {
            drop(bytes.splice(*at as usize..*at as usize, changes.values().copied()))
        })
    })
}

/// The length of the longest input.
pub fn longest(test: &TestCase) -> usize {
    sources(test).iter().filter_map(|s| bytes(test, s)).map(|b| b.len()).max().unwrap_or(0)
}

/// How much there is to a test case: its bytes, and one for each argument.
pub fn size(test: &TestCase) -> usize {
    sources(test).iter().filter_map(|s| bytes(test, s)).map(|b| b.len()).sum::<usize>() + test.argv.len()
}

/// Bytes of memory that a test case takes, about.
pub fn footprint(test: &TestCase) -> usize {
    // A vector, its allocation, and what an allocator adds.
    const PIECE: usize = 48;
    let pieces = test.argv.len() + 2 * (test.files.len() + test.env.len());
    size(test) + pieces * PIECE + size_of::<TestCase>()
}

/// All inputs of a test case.
pub fn sources(test: &TestCase) -> Vec<Source> {
    let mut list: Vec<Source> = (1..=test.argv.len() as u32).map(Source::Argument).collect();
    list.push(Source::Stdin);
    list.extend(test.files.iter().map(|f| Source::File(f.0.as_os_str().as_bytes().to_vec())));
    list.extend(test.env.iter().map(|e| Source::Env(e.0.clone())));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_with_as_many_digits_as_they_take_and_no_fewer_than_before() {
        let mut test = TestCase::default();
        test.stdin = b"7-12 -5".to_vec();
        let change = |numbers: &[(u32, i32)]| {
            let numbers = numbers.iter().map(|(at, v)| ((Source::Stdin, *at, Base::Ten), *v)).collect();
            with_changes(&test, &Changes { numbers, ..Changes::default() }).stdin
        };
        assert_eq!(change(&[(0, 700), (2, 3)]), b"700-03 -5");
        assert_eq!(change(&[(2, -3)]), b"7--3 -5");
        assert_eq!(change(&[(6, -30), (0, -1)]), b"-1-12 30");
        let step = TestCase::with_args(["+3m"]);
        let numbers = BTreeMap::from([((Source::Argument(1), 1, Base::Ten), -17)]);
        assert_eq!(with_changes(&step, &Changes { numbers, ..Changes::default() }).argv, [b"-17m".to_vec()]);
    }

    #[test]
    fn hexadecimal_numbers_keep_their_letters() {
        let write = |text: &[u8], value| {
            let mut text = text.to_vec();
            write_hexadecimal(&mut text, 1, value);
            text
        };
        assert_eq!(write(b":1f ", 0xabc), b":abc ");
        assert_eq!(write(b":1F ", 0xabc), b":ABC ");
        assert_eq!(write(b":001 ", 0xc), b":00c ");
    }

    #[test]
    fn values_of_single_bytes_become_one_number() {
        let mut names = Names::default();
        let input = names.number(&Source::Argument(1));
        let number = names.written(input, 1, Base::Ten);
        let test = TestCase::with_args(["x300"]);
        assert_eq!(names.byte(&test, number, 0), Some(300u32.to_le_bytes()[0]));
        assert_eq!(names.byte(&test, input, 0), Some(b'x'));
        let changes = names.changes(&test, [((number, 1), 0), ((input, 0), b'y')]);
        assert_eq!(changes.numbers[&(Source::Argument(1), 1, Base::Ten)], 300 & 0xff);
        assert_eq!(with_changes(&test, &changes).argv, [b"y044".to_vec()]);
    }

    #[test]
    fn a_written_terminator_lengthens_a_string_and_a_nul_shortens_it() {
        let test = TestCase::with_args(["ab", "cd"]);
        let one = |offset, value| BTreeMap::from([((Source::Argument(1), offset), value)]);
        assert_eq!(with_bytes(&test, &one(2, b'c')).argv[0], b"abc");
        assert_eq!(with_bytes(&test, &one(1, 0)).argv[0], b"a");
        assert_eq!(with_bytes(&test, &one(0, b'x')).argv, [b"xb".to_vec(), b"cd".to_vec()]);
        assert_eq!(byte(&test, &Source::Argument(2), 2), Some(0));
        assert_eq!(byte(&test, &Source::Argument(2), 3), None);
    }
}
