//! What `parallax blame` shows.
//!
//! In: the pieces of a change, and which sets of them a difference needs. Out: one document, and the same as text.

use crate::blame_args::BlameArgs;
use parallax_oracle::{Needed, Pieces};
use parallax_report::hunks::Hunk;
use parallax_report::SCHEMA;
use serde::Serialize;
use std::ops::Range;

/// The document of `--format json`.
#[derive(Serialize)]
pub struct Document {
    pub schema: &'static str,
    pub test: String,
    pub needed: Vec<Vec<String>>,
    /// Of `needed`, those with which alone the old version does exactly what the new one does.
    pub same_as_new: Vec<Vec<String>>,
    /// Pieces of `needed` without which the rest does not compile: nothing more is known of them.
    pub for_building: Vec<String>,
    pub pieces: Vec<PieceView>,
    pub not_built: Vec<Vec<String>>,
    /// How many sets were built or tried to be built.
    pub tried: usize,
    /// Neither `--builds` nor `--time` cut the search short.
    pub complete: bool,
}

/// A piece of the change: neighbouring lines.
#[derive(Clone, Debug, Serialize)]
pub struct PieceView {
    pub id: String,
    pub file: String,
    pub old_lines: Vec<usize>,
    pub new_lines: Vec<usize>,
}

impl PieceView {
    pub fn new(number: usize, file: &str, hunk: &Hunk) -> PieceView {
        let lines = |range: &Range<usize>| range.clone().map(|line| line + 1).collect();
        PieceView {
            id: id(number),
            file: file.to_owned(),
            old_lines: lines(&hunk.old),
            new_lines: lines(&hunk.new),
        }
    }

    /// As people look for it: in the new version, if it is there.
    fn place(&self) -> String {
        let (lines, mark) = match self.new_lines.is_empty() {
            true => (&self.old_lines, " (old)"),
            false => (&self.new_lines, ""),
        };
        match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first != last => format!("{}:{first}-{last}{mark}", self.file),
            (Some(line), _) => format!("{}:{line}{mark}", self.file),
            _ => self.file.clone(),
        }
    }
}

fn id(number: usize) -> String {
    format!("p{}", number + 1)
}

fn ids(pieces: &Pieces) -> Vec<String> {
    pieces.iter().map(|piece| id(*piece)).collect()
}

/// A set in a line.
pub fn names(pieces: &Pieces) -> String {
    ids(pieces).join(" ")
}

pub fn document(args: &BlameArgs, pieces: &[PieceView], found: &Needed, same: &[Pieces]) -> Document {
    let all: Pieces = (0..pieces.len()).collect();
    let same = found.sets.iter().filter(|set| **set == all || same.contains(set));
    let without = |set: &Pieces, piece: usize| set - &Pieces::from([piece]);
    let only_builds = |piece: &usize| {
        let mut sets = found.sets.iter().filter(|set| set.contains(piece));
        sets.any(|set| found.not_built.contains(&without(set, *piece)))
    };
    Document {
        schema: SCHEMA,
        test: args.test.display().to_string(),
        needed: found.sets.iter().map(ids).collect(),
        same_as_new: same.map(ids).collect(),
        for_building: all.iter().copied().filter(only_builds).map(id).collect(),
        pieces: pieces.to_vec(),
        not_built: found.not_built.iter().map(ids).collect(),
        tried: found.tried,
        complete: found.complete,
    }
}

pub fn human(document: &Document) -> String {
    let place = |id: &String| {
        let piece = document.pieces.iter().find(|piece| piece.id == *id);
        piece.map_or(String::new(), |piece| format!("{id} {}", piece.place()))
    };
    let mut text = match document.needed.len() {
        0 => format!("No set of pieces was found that shows the difference of {}.\n", document.test),
        _ => format!("The difference of {} needs\n", document.test),
    };
    for (number, set) in document.needed.iter().enumerate() {
        let or = if number == 0 { "  " } else { "  or " };
        text += &format!("{or}{}\n", set.iter().map(place).collect::<Vec<_>>().join(" + "));
        let builds = set.iter().filter(|id| document.for_building.contains(id));
        let builds: Vec<&str> = builds.map(String::as_str).collect();
        if !builds.is_empty() {
            text += &format!("     without {} the rest does not compile\n", builds.join(", "));
        }
        if !document.same_as_new.contains(set) {
            text += "     with this alone the difference looks the same, and is not to the last byte\n";
        }
    }
    text += &format!("{} pieces, {} sets tried", document.pieces.len(), document.tried);
    if !document.not_built.is_empty() {
        let sets: Vec<String> = document.not_built.iter().map(|set| set.join(" ")).collect();
        text += &format!("; did not compile, and were not counted: {}", sets.join(", "));
    }
    if !document.complete {
        text += "; cut short by --builds or --time: there may be smaller sets, and others";
    }
    text + "\n"
}
