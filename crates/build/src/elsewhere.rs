//! Shared libraries that two programs were linked with and that neither build made.
//!
//! In: two built versions. Out: libraries that were found at other places, in words.
//!
//! Always holds: a library inside a build's own tree is not looked at here, because all files of the trees are compared; one that the system has is the same for both programs. What
//! remains must be the same file for both, because nothing else is known about what such a library loads in turn.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::args::{Argument, Invocation, Role};
use crate::collect::Version;
use crate::elf::{self, FileKind};
use crate::record::{decode, LinkRecord, LINK_SECTION};

/// A version and the bytes of its program.
type Program<'a> = (&'a Version, &'a [u8]);

pub(crate) fn differences(programs: [Program; 2]) -> Vec<String> {
    let [old, new] = programs.map(libraries);
    let mut found = Vec::new();
    for (name, path) in &old {
        match new.get(name) {
            Some(other) if other == path => {}
            Some(other) => {
                found.push(format!("shared library {name}: {} against {}", path.display(), other.display()));
            }
            None => {
                found.push(format!("shared library {} is linked in the old version only", path.display()))
            }
        }
    }
    let only_new = new.iter().filter(|(name, _)| !old.contains_key(*name));
    found.extend(
        only_new
            .map(|(_, path)| format!("shared library {} is linked in the new version only", path.display())),
    );
    found
}

/// Where the link found shared libraries outside the tree, by their names.
fn libraries((version, content): Program) -> BTreeMap<String, PathBuf> {
    let links: Vec<LinkRecord> = decode(&elf::section(content, LINK_SECTION));
    let mut found = BTreeMap::new();
    for link in &links {
        let invocation = Invocation::parse(&link.arguments);
        let directory = Path::new(&link.directory);
        let search: Vec<PathBuf> =
            invocation.arguments.iter().filter_map(|a| a.value("-L")).map(|l| directory.join(l)).collect();
        for argument in &invocation.arguments {
            let Some(path) = file_of(argument, directory, &search) else { continue };
            let path = fs::canonicalize(&path).unwrap_or(path);
            let own = fs::canonicalize(&version.source_root).is_ok_and(|root| path.starts_with(root));
            let shared = || elf::kind_of(&fs::read(&path).unwrap_or_default()) == FileKind::Shared;
            if !own && shared() {
                found.insert(path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path);
            }
        }
    }
    found
}

/// The file that an argument of a link names, if it is one that somebody pointed at.
fn file_of(argument: &Argument, directory: &Path, search: &[PathBuf]) -> Option<PathBuf> {
    if argument.role == Role::LinkInput {
        return Some(directory.join(argument.head()));
    }
    let name = argument.value("-l").filter(|_| argument.role == Role::LinkFlag)?;
    let name = name.strip_prefix(':').map_or_else(|| format!("lib{name}.so"), str::to_owned);
    search.iter().map(|place| place.join(&name)).find(|path| path.is_file())
}
