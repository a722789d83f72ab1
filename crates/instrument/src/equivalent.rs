//! What is known about two versions before anything is searched: are they the same?
//!
//! In: two built versions, and whether a comparison of their models found nothing but other names. Out: a proof in words that the native programs do the same, or that the
//! code that was compared is the same and what differs besides, or nothing.
//!
//! Always holds: a proof says that all that is loaded of the native programs is the same, and all else that their builds leave ([`parallax_build::outside`]). The same code is the code of
//! the whole programs, instruction by instruction, with all constants, and what refers to one thing in one of them refers to one thing in the other. It comes from the builds,
//! so that changed macros and headers count. Names that something outside may know, places, order of functions, and `__LINE__` in a constant: if in doubt, not the same.

use crate::same::{same_code, Depth};
use parallax_build::{is_shared, names_outside, outside, LinkItem, Version};
use std::collections::BTreeSet;
use std::fs;

/// How much of two versions is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// Proven: the native programs do the same on every input. Why, in words.
    Equivalent(&'static str),
    /// The bitcode is the same code; what else differs, in words, at least one thing.
    SameCode(Vec<String>),
    Unknown,
}

/// `unchanged`: what the comparison of the models says. It is fast and takes more for the same; the comparison of the code is slow and takes nothing for granted.
pub fn sameness(built: [&Version; 2], unchanged: bool) -> Sameness {
    let [old, new] = built;
    let outside = outside(built);
    if outside.is_empty() {
        let bytes = built.map(|version| fs::read(&version.native));
        return Sameness::Equivalent(match bytes {
            [Ok(old), Ok(new)] if old == new => "the native programs are the same, byte for byte",
            _ => "all code and data that the native programs load are the same, and so is all else that their builds leave",
        });
    }
    let seen = names_seen(built);
    let same = |depth| same_code([&old.bitcode, &new.bitcode], seen.as_ref(), depth).unwrap_or(false);
    // Flags that differ, and are named, leave their traces in the bitcode of the same code.
    let compiled_otherwise = outside.iter().any(|what| what.starts_with("compiler "));
    if unchanged && (same(Depth::All) || (compiled_otherwise && same(Depth::Instructions))) {
        Sameness::SameCode(outside)
    } else {
        Sameness::Unknown
    }
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
