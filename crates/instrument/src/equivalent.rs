//! Is there a proof that both versions behave the same, before anything is searched?
//!
//! In: two built versions, and whether a comparison of their models found nothing but other names. Out: the proof in words, or none.
//!
//! Always holds: both programs are linked with the same, and either the native programs are the same bytes, or the code of the whole programs is the same,
//! instruction by instruction, with all constants, and what refers to one thing in one of them refers to one thing in the other. What is looked at comes from the builds, so that changed
//! flags, macros and headers count. Names that something outside may know, places, order of functions, and `__LINE__` in a constant: if in doubt, no proof.

use crate::same::same_code;
use parallax_build::{is_shared, names_outside, LinkItem, Version};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// `unchanged`: what the comparison of the models says. It is fast and takes more for the same; the proof is slow and takes nothing for granted.
pub fn proof(built: [&Version; 2], unchanged: bool) -> Option<&'static str> {
    let [old, new] = built;
    if !same_link(old, new) {
        return None;
    }
    if same_file(&old.native, &new.native) {
        return Some("the native programs are the same, byte for byte");
    }
    let whole = built.iter().all(|version| version.without_bitcode.is_empty());
    let same = || same_code(&old.bitcode, &new.bitcode, names_seen(built).as_ref()).unwrap_or(false);
    (unchanged && whole && same())
        .then_some("the code of both programs is the same, apart from comments, white space, lines and names")
}

/// Names that something outside one of the programs may know them by; none if that cannot be told.
fn names_seen(built: [&Version; 2]) -> Option<BTreeSet<String>> {
    let known = |item: &LinkItem| match item {
        LinkItem::Shared(_) => true,
        // An archive can have code without bitcode that asks the program for a name; only this flag says nothing about names or where libraries are.
        LinkItem::Flag(flag) => flag == "-pthread",
        LinkItem::Library(name) => is_shared(name),
        LinkItem::Object(_) => false,
    };
    if !built.iter().all(|version| version.link.items.iter().all(known)) {
        return None;
    }
    names_outside([&built[0].native, &built[1].native])
}

/// The same libraries and flags, and objects without bitcode that are the same bytes.
fn same_link(old: &Version, new: &Version) -> bool {
    let same = |(a, b): (&LinkItem, &LinkItem)| match (a, b) {
        (LinkItem::Object(a), LinkItem::Object(b)) | (LinkItem::Shared(a), LinkItem::Shared(b)) => {
            same_file(a, b)
        }
        (a, b) => a == b,
    };
    let (a, b) = (&old.link, &new.link);
    a.cxx == b.cxx && a.items.len() == b.items.len() && a.items.iter().zip(&b.items).all(same)
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((fs::read(a), fs::read(b)), (Ok(a), Ok(b)) if a == b)
}
