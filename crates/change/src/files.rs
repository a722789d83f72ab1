//! Which source file of the old version is which of the new one.
//!
//! In: both programs. Out: [`Files`]. Files of one path are the same; a file that is only in one version is the one of the other version that most of
//! its functions, by name, are in: `old.c` and `new.c`, or a tree that was built elsewhere.
//!
//! Always holds: one to one.

use parallax_model::*;
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Debug, Default)]
pub struct Files {
    /// By old file.
    to_new: Vec<Option<FileId>>,
}

impl Files {
    pub fn new(old: &Program, new: &Program) -> Files {
        let mut files = Files { to_new: vec![None; old.files.len()] };
        let by_path: HashMap<&str, FileId> =
            new.files.iter().enumerate().map(|(i, path)| (plain(path), FileId::from_index(i))).collect();
        for (i, path) in old.files.iter().enumerate() {
            files.to_new[i] = by_path.get(plain(path)).copied();
        }
        let mut taken: Vec<FileId> = files.to_new.iter().flatten().copied().collect();
        for (_, a, b) in votes(old, new) {
            if files.to_new[a.index()].is_none() && !taken.contains(&b) {
                files.to_new[a.index()] = Some(b);
                taken.push(b);
            }
        }
        files
    }

    pub fn to_new(&self, old: FileId) -> Option<FileId> {
        self.to_new[old.index()]
    }
}

/// Pairs of files that hold functions of the same names, the most first.
fn votes(old: &Program, new: &Program) -> Vec<(std::cmp::Reverse<u32>, FileId, FileId)> {
    let mut homes: HashMap<&str, Vec<FileId>> = HashMap::new();
    for f in new.defined_functions() {
        let function = new.func(f);
        homes.entry(function.display_name()).or_default().extend(function.file);
    }
    let mut votes: BTreeMap<(FileId, FileId), u32> = BTreeMap::new();
    for f in old.defined_functions() {
        let function = old.func(f);
        let Some(file) = function.file else { continue };
        for home in homes.get(function.display_name()).into_iter().flatten() {
            *votes.entry((file, *home)).or_default() += 1;
        }
    }
    let mut ranked: Vec<_> = votes.into_iter().map(|((a, b), n)| (std::cmp::Reverse(n), a, b)).collect();
    ranked.sort_unstable();
    ranked
}

/// A file's name without what says nothing.
fn plain(file: &str) -> &str {
    file.strip_prefix("./").unwrap_or(file)
}
