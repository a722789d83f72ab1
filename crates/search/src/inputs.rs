//! Test cases as bytes with names: reading, changing, growing and shrinking them.
//!
//! Always holds: what comes out is a test case that can be run: arguments contain no NUL, nothing outgrows the limit.

use parallax_execute::TestCase;
use parallax_trace::request::Source;
use std::collections::BTreeMap;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Bytes put in at once because a solver wanted them there.
const MAX_INSERTED: usize = 4;

/// Numbers for inputs that mean the same in every run: the same argument, file or variable.
#[derive(Default)]
pub struct Names {
    numbers: BTreeMap<Source, u32>,
    list: Vec<Source>,
}

impl Names {
    pub fn number(&mut self, source: &Source) -> u32 {
        if let Some(n) = self.numbers.get(source) {
            return *n;
        }
        let n = self.list.len() as u32;
        self.numbers.insert(source.clone(), n);
        self.list.push(source.clone());
        n
    }

    pub fn source(&self, number: u32) -> Option<&Source> {
        self.list.get(number as usize)
    }
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
