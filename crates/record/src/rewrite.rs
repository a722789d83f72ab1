//! Absolute paths of the suite's machine in text, made relative.
//!
//! In: which directory becomes what. Out: text in which every path below such a directory begins with its replacement.
//!
//! Always holds: only whole names are replaced, and only where a path begins: `/tmp` is not found in `/var/tmp` nor in `/tmpfile`.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Replacements, the longest path first.
#[derive(Clone, Debug, Default)]
pub struct Rewriter {
    rules: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Rewriter {
    pub fn new(rules: impl IntoIterator<Item = (PathBuf, PathBuf)>) -> Rewriter {
        let bytes = |path: PathBuf| path.as_os_str().as_bytes().to_vec();
        let mut rules: Vec<_> = rules.into_iter().map(|(from, to)| (bytes(from), bytes(to))).collect();
        rules.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        rules.dedup();
        Rewriter { rules }
    }

    pub fn apply(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            match self.rule(text, at) {
                Some((from, to)) => {
                    out.extend(to);
                    at += from.len();
                }
                None => {
                    out.push(text[at]);
                    at += 1;
                }
            }
        }
        out
    }

    /// Would anything be replaced?
    pub fn concerns(&self, text: &[u8]) -> bool {
        (0..text.len()).any(|at| self.rule(text, at).is_some())
    }

    fn rule(&self, text: &[u8], at: usize) -> Option<&(Vec<u8>, Vec<u8>)> {
        if text[at] != b'/' || !begins(text, at) {
            return None;
        }
        let ends = |end: usize| text.get(end).is_none_or(|byte| *byte == b'/' || !is_of_name(*byte));
        self.rules.iter().find(|(from, _)| text[at..].starts_with(from) && ends(at + from.len()))
    }
}

/// Is this slash the first of its path? What stands right before it may be an option (`-f/path`), or else it is a relative path that goes on.
fn begins(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rposition(|byte| !is_of_name(*byte));
    let attached = &text[before.map_or(0, |before| before + 1)..at];
    let in_path = before.is_some_and(|before| text[before] == b'/');
    !in_path && (attached.is_empty() || attached[0] == b'-')
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-+~".contains(&byte) || byte >= 0x80
}

/// The way from one absolute directory to a path; both without links.
pub fn relative(from: &Path, to: &Path) -> PathBuf {
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| "..");
    let way: PathBuf = up.collect::<PathBuf>().join(to.components().skip(common).collect::<PathBuf>());
    if way.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        way
    }
}

/// `a/b/../c` as `a/c`, for files that are not there yet.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_relative_wherever_they_begin_and_nothing_else_does() {
        let rules = [("/t/a", "."), ("/t", ".."), ("/tmp", "../outside/tmp")];
        let rewriter = Rewriter::new(rules.map(|(from, to)| (PathBuf::from(from), PathBuf::from(to))));
        let apply = |text: &str| String::from_utf8(rewriter.apply(text.as_bytes())).unwrap();
        for (text, expected) in [
            ("/t/a/x", "./x"),
            ("-f/t/a/x", "-f./x"),
            ("--file=/t/b:/tmp/q", "--file=../b:../outside/tmp/q"),
            ("/var/tmp/x", "/var/tmp/x"),
            ("/tmpfile /t/ab", "/tmpfile ../ab"),
            ("p: /t/a: no", "p: .: no"),
            ("x/t/a", "x/t/a"),
        ] {
            assert_eq!(apply(text), expected, "{text}");
        }
        assert!(rewriter.concerns(b"in /t") && !rewriter.concerns(b"in t"));
    }

    #[test]
    fn the_way_between_directories() {
        let way = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/a/b", "/a/b/c"), "c");
        assert_eq!(way("/a/b/c", "/a/d"), "../../d");
        assert_eq!(way("/a", "/a"), ".");
    }
}
