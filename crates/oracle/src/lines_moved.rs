//! Line numbers of a version's own source that it prints: `__LINE__`, assertions, messages that name their place.
//!
//! In: the changed regions and the sources of both versions. Out: whether a number that one version prints is the line which another number,
//! printed by the other version, became; and whether two names are those of one source file.
//!
//! Always holds: numbers are the same place only if the lines moved as the change of the sources says.

use crate::cause::{in_new, Region, NEW, OLD};
use std::collections::{BTreeMap, BTreeSet};

/// Macros of system headers that print where they stand.
const KNOWN: [&[u8]; 4] = [b"assert", b"g_assert", b"static_assert", b"__LINE__"];

/// Where lines went.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinesMoved {
    /// Lines of the old version that print their number, with those of the new version which they became.
    printing: BTreeSet<(u32, u32)>,
    regions: Vec<Region>,
    /// Names of source files, without directories: those that only moved, and pairs that are one file under two names.
    files: BTreeSet<Vec<u8>>,
    renamed: BTreeSet<(Vec<u8>, Vec<u8>)>,
}

impl LinesMoved {
    /// `sources`: by name as in the regions of the old version.
    pub fn new(regions: Vec<Region>, sources: &BTreeMap<String, Vec<u8>>) -> LinesMoved {
        let base = |path: &str| path.rsplit('/').next().unwrap_or(path).as_bytes().to_vec();
        let mut moved = LinesMoved::default();
        let macros = macros(sources);
        for (file, text) in sources {
            moved.files.insert(base(file));
            for (number, line) in (1..).zip(text.split(|b| *b == b'\n')) {
                if words(line).any(|word| macros.contains(word)) {
                    moved.printing.extend(became(&regions, file, number));
                }
            }
        }
        for region in &regions {
            moved.files.insert(base(&region.files[NEW]));
            let pair = (base(&region.files[OLD]), base(&region.files[NEW]));
            if pair.0 != pair.1 {
                moved.renamed.insert(pair);
            }
        }
        moved.regions = regions;
        moved
    }

    /// Are these tokens, at `before` in lines that are the same up to there, one place of the source in two versions?
    pub fn explains(&self, before: &[u8], old: &[u8], new: &[u8], after: &[u8]) -> bool {
        match (number(old), number(new)) {
            (Some(old), Some(new)) => {
                self.printing.contains(&(old, new))
                    || (self.names_file(before) && self.moved(before, old, new))
            }
            _ => self.renamed.iter().any(|(a, b)| {
                let (stem, end) = split(a);
                old == stem && new == split(b).0 && after.starts_with(end)
            }),
        }
    }

    /// The text before a number ends with the name of a source file, and what separates them.
    fn names_file(&self, before: &[u8]) -> bool {
        self.file_before(before).is_some()
    }

    fn file_before(&self, before: &[u8]) -> Option<&Vec<u8>> {
        let end = before.iter().rposition(|b| !b": ,(#[".contains(b)).map_or(0, |last| last + 1);
        let name = before[..end].strip_suffix(b"line").map_or(&before[..end], |rest| {
            let end = rest.iter().rposition(|b| !b": ,(".contains(b)).map_or(0, |last| last + 1);
            &rest[..end]
        });
        self.files.iter().find(|file| name.ends_with(file))
    }

    fn moved(&self, before: &[u8], old: u32, new: u32) -> bool {
        let Some(name) = self.file_before(before) else { return false };
        let names = |region: &Region| region.files.iter().any(|file| file.as_bytes().ends_with(name));
        let files: BTreeSet<&String> =
            self.regions.iter().filter(|region| names(region)).map(|region| &region.files[OLD]).collect();
        files.into_iter().any(|file| became(&self.regions, file, old).any(|line| line == (old, new)))
    }
}

/// The lines of the new version that a line of the old one became, if it moved: one if it did not change, otherwise those of its region.
fn became<'r>(regions: &'r [Region], file: &'r str, line: u32) -> impl Iterator<Item = (u32, u32)> + 'r {
    let inside = |region: &&Region| {
        region.files[OLD] == file
            && region.lines[OLD].is_some_and(|[first, last]| (first..=last).contains(&line))
    };
    let region = regions.iter().find(inside);
    let lines = match region {
        Some(Region { lines: [_, Some([first, last])], .. }) => *first..=*last,
        Some(_) => 1..=0,
        None => {
            let new = in_new(regions, file, line);
            new..=new
        }
    };
    lines.filter(move |new| *new != line).map(move |new| (line, new))
}

/// Names whose use in a line makes the program print the number of the line: `__LINE__` and macros that use one of them.
fn macros(sources: &BTreeMap<String, Vec<u8>>) -> BTreeSet<Vec<u8>> {
    let mut found: BTreeSet<Vec<u8>> = KNOWN.iter().map(|name| name.to_vec()).collect();
    loop {
        let before = found.len();
        for text in sources.values() {
            for definition in definitions(text) {
                let mut words = words(&definition);
                let name = words.nth(1).map(<[u8]>::to_vec);
                if let (Some(name), true) = (name, words.any(|word| found.contains(word))) {
                    found.insert(name);
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// `#define` lines, with those that continue them.
fn definitions(text: &[u8]) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut open = false;
    for line in text.split(|b| *b == b'\n') {
        let start = line.trim_ascii_start();
        if open {
            // An open definition is the last one.
            found.last_mut().into_iter().for_each(|last| last.extend_from_slice(line));
        } else if start.starts_with(b"#") && start[1..].trim_ascii_start().starts_with(b"define") {
            found.push(start[1..].to_vec());
            open = true;
        }
        open = open && line.trim_ascii_end().ends_with(b"\\");
    }
    found
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| !b.is_ascii_alphanumeric() && *b != b'_').filter(|word| !word.is_empty())
}

fn number(token: &[u8]) -> Option<u32> {
    std::str::from_utf8(token).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
}

/// A file's name before and from its last dot on.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    name.split_at(name.iter().rposition(|b| *b == b'.').unwrap_or(name.len()))
}
