//! Did the change go into the program that is compared at all?
//!
//! In: two built versions, the pieces of their sources that differ. Out: words for the user, if nothing of what changed is part of the program.
//!
//! Always holds: where it cannot be told (a header, a file that is included), nothing is said.

use crate::native::Native;
use parallax_build::elf;
use parallax_build::record::{decode, ObjectRecord, OBJECT_SECTION};
use parallax_report::changes::Piece;
use std::collections::BTreeSet;
use std::path::Path;

/// Files that a compiler is called with. Others become part of programs by being included.
const COMPILED: [&str; 5] = ["c", "cc", "cpp", "cxx", "C"];
/// Most files that are named.
const LISTED: usize = 5;

/// `roots`: the trees of both versions.
pub fn warning(pieces: &[Piece], natives: &[Native; 2], roots: [&Path; 2]) -> Option<String> {
    let changed: BTreeSet<&str> = pieces.iter().map(|piece| piece.file.as_str()).collect();
    let is_compiled =
        |file: &str| Path::new(file).extension().is_some_and(|e| COMPILED.iter().any(|c| e == *c));
    if changed.is_empty() || !changed.iter().all(|file| is_compiled(file)) {
        return None;
    }
    let mut sources = BTreeSet::new();
    for (native, root) in natives.iter().zip(roots) {
        sources.extend(compiled_into(native, root));
    }
    // Without a record nothing is known.
    if sources.is_empty() || changed.iter().any(|file| sources.contains(*file)) {
        return None;
    }
    let listed: Vec<&str> = changed.iter().copied().take(LISTED).collect();
    let more = if changed.len() > LISTED { ", …" } else { "" };
    Some(format!(
        "nothing of what changed ({}{more}) is part of the program {}: it is in something else that the build makes; --program chooses another program",
        listed.join(", "),
        natives[1].program
    ))
}

/// Sources of a program and of the shared objects of its build, relative to the tree.
fn compiled_into(native: &Native, root: &Path) -> BTreeSet<String> {
    let files = std::iter::once(&native.binary).chain(native.home.shared.iter().map(|object| &object.path));
    let mut sources = BTreeSet::new();
    for file in files {
        let content = std::fs::read(file).unwrap_or_default();
        for record in decode::<ObjectRecord>(&elf::section(&content, OBJECT_SECTION)) {
            let path = Path::new(&record.directory).join(&record.source);
            let path = path.canonicalize().unwrap_or(path);
            let relative =
                root.canonicalize().ok().and_then(|root| Some(path.strip_prefix(root).ok()?.to_owned()));
            sources.extend(relative.map(|path| path.to_string_lossy().into_owned()));
        }
    }
    sources
}
