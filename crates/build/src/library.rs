//! A version that is no program: a library, or the object of a single file, of which functions are called.
//!
//! In: an archive, a shared library or an object that was made with the wrapper. Out: a [`Version`] whose `native` cannot be started:
//! [`crate::drive()`] makes a program of it.
//!
//! What always holds: all objects of an archive are in the module, whether anything refers to them or not.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::collect::{Collected, Version};
use crate::elf::{self, FileKind};
use crate::error::{AtPath, BuildError};
use crate::home::Home;
use crate::link::{LinkItem, LinkLine};
use crate::product::library_records;
use crate::record::{decode, ObjectRecord, OBJECT_SECTION};

/// Libraries that belong to C itself, and are linked whether they are named or not: an archive does not say what it needs.
const ALWAYS: [&str; 1] = ["m"];

/// The version; and whether the cache still has all the bitcode that the build left in it.
pub(crate) fn examine(library: &Path, cache: &Cache) -> Result<(Version, bool), BuildError> {
    let content = fs::read(library).at(library)?;
    let records: Vec<ObjectRecord> = match elf::kind_of(&content) {
        FileKind::Object => decode(&elf::section(&content, OBJECT_SECTION)),
        _ => library_records(library).unwrap_or_default(),
    };
    if records.is_empty() {
        return Err(BuildError::NotInstrumented(library.to_path_buf()));
    }
    let mut collected = Collected::new(cache);
    let extra = collected.records(&records);
    if collected.bitcode.is_empty() {
        let table = collected.missing.iter().map(|m| format!("  {m}\n")).collect();
        return Err(BuildError::NoBitcodeAtAll { path: library.to_path_buf(), table });
    }
    let line = LinkLine { items: items(extra, &content), cxx: false };
    let linked = collected.link(library, &line, &[])?;
    let version = Version {
        program: library.display().to_string(),
        native: library.to_path_buf(),
        home: Home::default(),
        bitcode: linked.path,
        link: line,
        without_bitcode: collected.missing,
        unresolved: linked.unresolved,
        source_root: records.first().map(|record| PathBuf::from(&record.directory)).unwrap_or_default(),
        command: None,
    };
    Ok((version, !collected.lost))
}

/// Objects without bitcode, what a shared library says that it needs, and what C itself needs.
fn items(extra: Vec<PathBuf>, content: &[u8]) -> Vec<LinkItem> {
    let mut items: Vec<LinkItem> = extra.into_iter().map(LinkItem::Object).collect();
    for name in elf::needed(content) {
        let plain = name.strip_prefix("lib").and_then(|name| name.split(".so").next());
        items.extend(plain.filter(|plain| *plain != "c").map(|plain| LinkItem::Library(plain.to_owned())));
    }
    for name in ALWAYS {
        let item = LinkItem::Library(name.to_owned());
        if !items.contains(&item) {
            items.push(item);
        }
    }
    items
}
