//! Changes as `changes.json` and `parallax inspect` show them; and what changed in the text of the sources, line by line.
//!
//! In: the source files of both versions. Out: a list of [`Piece`]s.
//!
//! Pieces are a comparison of text: a comment that changed is one, and the function is not known. Always holds: lines that are
//! in no piece are the same in both versions, in the same order.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffTag, TextDiff};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Ends of the names of files that a C program is made of.
const ENDINGS: [&str; 13] = ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "inc", "def", "tab", "y", "l", "S"];
/// After this the comparison of one file is done less well.
const TIME: Duration = Duration::from_secs(1);
/// Larger files are not looked at.
const LARGEST: u64 = 16 << 20;
/// Depth of directories below which nothing is looked for.
const DEEPEST: usize = 64;

/// Source files by their paths relative to the root.
pub type Sources = BTreeMap<String, Vec<u8>>;

/// One change, as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub file: Option<String>,
    pub function: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    pub kind: String,
    /// Lines with changed code, in order, each once; the first line of a file is 1.
    pub old_lines: Vec<u32>,
    pub new_lines: Vec<u32>,
}

impl Change {
    /// Where it is, as people look for it.
    pub fn place(&self) -> String {
        let Change { file, function, variable, old_lines, new_lines, .. } = self;
        let file = file.as_deref().unwrap_or("an unknown file");
        let at = match (new_lines.first(), old_lines.first()) {
            (Some(line), _) => format!("{file}:{line}"),
            (None, Some(line)) => format!("{file}:{line} (old)"),
            (None, None) => file.to_owned(),
        };
        match function.as_ref().or(variable.as_ref()) {
            Some(name) => format!("{at} ({name})"),
            None => at,
        }
    }

    /// Is a line of it in `FILE:FIRST-LAST`, of the old version with ` (old)` behind it?
    pub fn is_at(&self, cause: &str) -> bool {
        let (place, is_old) = match cause.strip_suffix(" (old)") {
            Some(place) => (place, true),
            None => (cause, false),
        };
        let Some((file, lines)) = place.rsplit_once(':') else { return false };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else { return false };
        let own = if is_old { &self.old_lines } else { &self.new_lines };
        let own_file = self.file.as_deref().unwrap_or_default();
        is_same_file(file, own_file) && own.iter().any(|line| (first..=last).contains(line))
    }
}

/// The same path, or one of them as it is seen from a directory above.
fn is_same_file(a: &str, b: &str) -> bool {
    let below = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    !a.is_empty() && !b.is_empty() && (a == b || below(a, b) || below(b, a))
}

/// One piece of text that is not the same. Lines begin at 1; first and last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub file: String,
    pub kind: &'static str,
    pub old_lines: Option<[u32; 2]>,
    pub new_lines: Option<[u32; 2]>,
}

impl Piece {
    /// As the cause of a difference is named.
    pub fn name(&self) -> String {
        let range = |[first, last]: [u32; 2]| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        match (self.new_lines, self.old_lines) {
            (Some(new), _) => format!("{}:{}", self.file, range(new)),
            (None, Some(old)) => format!("{}:{} (old)", self.file, range(old)),
            (None, None) => self.file.clone(),
        }
    }

    /// The change that it is where nothing better is known.
    pub fn change(&self) -> Change {
        let all =
            |lines: Option<[u32; 2]>| lines.map_or(Vec::new(), |[first, last]| (first..=last).collect());
        Change {
            file: Some(self.file.clone()),
            kind: self.kind.to_owned(),
            old_lines: all(self.old_lines),
            new_lines: all(self.new_lines),
            ..Change::default()
        }
    }
}

/// The document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Changes {
    pub schema: String,
    pub changes: Vec<Change>,
}

/// The source files below a directory. What cannot be read is not there.
pub fn sources(root: &Path) -> Sources {
    let mut found = Sources::new();
    collect(root, "", 0, &mut found);
    found
}

/// A C file under a name of one's own, and the headers beside it.
pub fn single(file: &Path, name: &str) -> Sources {
    let mut found = Sources::new();
    for entry in file
        .parent()
        .and_then(|directory| fs::read_dir(directory_or_here(directory)).ok())
        .into_iter()
        .flatten()
    {
        let Ok(entry) = entry else { continue };
        let (path, header) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if header.ends_with(".h") {
            found.extend(read(&path).map(|content| (header, content)));
        }
    }
    found.extend(read(file).map(|content| (name.to_owned(), content)));
    found
}

fn directory_or_here(directory: &Path) -> &Path {
    if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    }
}

fn collect(directory: &Path, below: &str, depth: usize, found: &mut Sources) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        // Links are not followed: they could lead anywhere, and in a circle.
        let Ok(kind) = entry.file_type() else { continue };
        let ending = Path::new(&name).extension().and_then(|e| e.to_str());
        if kind.is_dir() && depth < DEEPEST && !name.ends_with(".git") {
            collect(&entry.path(), &format!("{name}/"), depth + 1, found);
        } else if kind.is_file() && ending.is_some_and(|e| ENDINGS.contains(&e)) {
            found.extend(read(&entry.path()).map(|content| (name, content)));
        }
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let small = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LARGEST);
    small.then(|| fs::read(path).ok()).flatten()
}

/// What is different, by file and line.
pub fn pieces(old: &Sources, new: &Sources) -> Vec<Piece> {
    let mut found = Vec::new();
    for file in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let (a, b) = (old.get(file), new.get(file));
        if a != b {
            let text = |content: Option<&Vec<u8>>| content.cloned().unwrap_or_default();
            found.extend(in_file(file, &text(a), &text(b)));
        }
    }
    found
}

fn in_file(file: &str, old: &[u8], new: &[u8]) -> Vec<Piece> {
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).timeout(TIME).diff_lines(old, new);
    let lines = |range: std::ops::Range<usize>| {
        (!range.is_empty()).then(|| [range.start as u32 + 1, range.end as u32])
    };
    let pieces = diff.ops().iter().filter_map(|op| {
        let kind = match op.tag() {
            DiffTag::Equal => return None,
            DiffTag::Delete => "deleted",
            DiffTag::Insert => "added",
            DiffTag::Replace => "modified",
        };
        Some(Piece {
            file: file.to_owned(),
            kind,
            old_lines: lines(op.old_range()),
            new_lines: lines(op.new_range()),
        })
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Sources {
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn every_kind_of_change_has_its_lines() {
        let old = of(&[("a.c", "1\n2\n3\n4\n5\n"), ("gone.c", "x\ny\n"), ("same.h", "z\n")]);
        let new = of(&[("a.c", "1\nTWO\n3\n4\n4.5\n5\n"), ("made.c", "w\n"), ("same.h", "z\n")]);
        let found = pieces(&old, &new);
        let brief: Vec<_> =
            found.iter().map(|c| (c.file.as_str(), c.kind, c.old_lines, c.new_lines)).collect();
        assert_eq!(
            brief,
            [
                ("a.c", "modified", Some([2, 2]), Some([2, 2])),
                ("a.c", "added", None, Some([5, 5])),
                ("gone.c", "deleted", Some([1, 2]), None),
                ("made.c", "added", None, Some([1, 1])),
            ]
        );
        assert_eq!(found[2].change().old_lines, [1, 2]);
    }

    #[test]
    fn only_sources_are_looked_at() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("src/.git")).unwrap();
        for name in ["src/a.c", "src/b.o", "src/Makefile", "src/.git/c.c", "top.h"] {
            fs::write(directory.path().join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(".", directory.path().join("loop")).unwrap();
        let found: Vec<_> = sources(directory.path()).into_keys().collect();
        assert_eq!(found, ["src/a.c", "top.h"]);
    }
}
