//! Command lines: option combinations times input files.
//!
//! In: the families of the submodules. Out: [`Line`]s, each a test case, in a fixed order.
//!
//! A word is split at blanks; `'…'` keeps blanks, `\n`, `\t`, `\\` and `\xNN` mean what they mean in C; `<NAME` is standard
//! input from a fixture, `<<TEXT` standard input itself, `@NAME=CONTENT` a file, `NAME=VALUE` in front an
//! environment variable. A word that is a fixture, or ends with `=` and one, brings the file.

mod calculate;
mod coreutils;
mod diffutils;
mod search;

use crate::fixtures;
use parallax_execute::TestCase;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Options and inputs of one program; every option meets `each` of the inputs, in turn.
pub struct Family {
    pub package: &'static str,
    pub program: &'static str,
    pub options: &'static [&'static str],
    pub inputs: &'static [&'static str],
    pub each: usize,
}

/// One command line.
pub struct Line {
    pub text: String,
    pub test: TestCase,
}

/// Every family, grouped by package.
pub fn families() -> Vec<Family> {
    let packages = [diffutils::families(), coreutils::families(), search::families(), calculate::families()];
    packages.into_iter().flatten().collect()
}

impl Family {
    /// All command lines; no two are the same.
    pub fn lines(&self) -> Vec<Line> {
        let mut texts: Vec<String> = Vec::new();
        for (n, option) in self.options.iter().enumerate() {
            for k in 0..self.each.min(self.inputs.len()) {
                let input = self.inputs[(n * self.each + k) % self.inputs.len()];
                let text = format!("{option} {input}").trim().to_owned();
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts.into_iter().map(|text| Line { test: parse(&text), text }).collect()
    }
}

/// The test case that a command line describes.
pub fn parse(text: &str) -> TestCase {
    let mut test = TestCase::default();
    for word in words(text) {
        let name = String::from_utf8_lossy(&word).into_owned();
        let variable = name.split_once('=').filter(|(n, _)| {
            test.argv.is_empty() && !n.is_empty() && n.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
        });
        if let Some((name, value)) = variable {
            test.env.push((name.into(), value.into()));
        } else if word.starts_with(b"<<") {
            test.stdin = word[2..].to_vec();
        } else if let Some((path, content)) = file_content(&word) {
            test.files.push((path, content));
        } else if let Some(content) = name.strip_prefix('<').and_then(fixtures::content) {
            test.stdin = content;
        } else {
            add_file(&mut test, name.rsplit('=').next().unwrap_or_default());
            test.argv.push(word);
        }
    }
    test
}

/// `@NAME=CONTENT`.
fn file_content(word: &[u8]) -> Option<(PathBuf, Vec<u8>)> {
    let rest = word.strip_prefix(b"@")?;
    let at = rest.iter().position(|b| *b == b'=')?;
    Some((OsStr::from_bytes(&rest[..at]).into(), rest[at + 1..].to_vec()))
}

fn add_file(test: &mut TestCase, name: &str) {
    let path = PathBuf::from(name);
    if test.files.iter().all(|(known, _)| *known != path) {
        test.files.extend(fixtures::content(name).map(|content| (path, content)));
    }
}

fn words(text: &str) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quoted = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let add = match byte {
            b'\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
                continue;
            }
            b' ' if !quoted => {
                words.extend(word.take());
                continue;
            }
            b'\\' => escape(&mut bytes),
            other => vec![other],
        };
        word.get_or_insert_default().extend(add);
    }
    words.extend(word);
    words
}

/// The bytes that a text with escapes stands for.
pub fn unescape(text: &str) -> Vec<u8> {
    let mut unescaped = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => unescaped.extend(escape(&mut bytes)),
            other => unescaped.push(other),
        }
    }
    unescaped
}

/// What follows a backslash.
fn escape(bytes: &mut std::str::Bytes) -> Vec<u8> {
    match bytes.next() {
        Some(b'n') => b"\n".to_vec(),
        Some(b't') => b"\t".to_vec(),
        Some(b'\\') => b"\\".to_vec(),
        Some(b'x') => {
            let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16)).unwrap_or_default() as u8;
            vec![digit(bytes.next()) << 4 | digit(bytes.next())]
        }
        Some(other) => vec![b'\\', other],
        None => b"\\".to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn words_quotes_and_fixtures_are_understood() {
        let test = parse("LC_ALL=C -e 's/a b/\\n/' --from=one '' words <nonl");
        assert_eq!(test.env, [(b"LC_ALL".to_vec(), b"C".to_vec())]);
        let words: [&[u8]; 5] = [b"-e", b"s/a b/\n/", b"--from=one", b"", b"words"];
        assert_eq!(test.argv, words);
        assert_eq!(test.stdin, fixtures::content("nonl").unwrap());
        assert_eq!(test.files.len(), 2);
    }

    #[test]
    fn every_fixture_has_content_and_every_name_is_known() {
        assert!(fixtures::NAMES.iter().all(|name| fixtures::content(name).is_some()));
        let lines = families().into_iter().flat_map(|family| family.lines());
        for line in lines {
            let fixture = words(&line.text)
                .into_iter()
                .find(|w| w.starts_with(b"<") && w.get(1).is_some_and(u8::is_ascii_lowercase));
            let known = fixture.is_none_or(|w| w == b"<empty" || !line.test.stdin.is_empty());
            assert!(known, "{}", line.text);
        }
    }

    #[test]
    fn there_are_at_least_three_hundred_different_command_lines() {
        let all: BTreeSet<String> = families()
            .iter()
            .flat_map(|f| f.lines().into_iter().map(|l| format!("{} {}", f.program, l.text)))
            .collect();
        assert!(all.len() >= 300, "{}", all.len());
    }
}
