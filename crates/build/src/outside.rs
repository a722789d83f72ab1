//! Which names of two versions of a program can mean something outside them.
//!
//! In: native programs. Out: the names in their dynamic symbol tables and in those of the libraries that they are linked with, and of the C library's mathematical
//! part, whose names compilers know.
//!
//! Always holds: none, rather than too few. A program without a dynamic symbol table (a static one) or with a library that is not found where libraries lie gives no
//! answer.

use crate::elf::needed;
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where the dynamic linker looks if nothing else is said.
const PLACES: [&str; 6] =
    ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// Names that the world outside has, or sees of these programs.
pub fn names_outside(natives: [&Path; 2]) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for native in natives {
        let content = std::fs::read(native).ok()?;
        if symbols(&content, &mut names)? == 0 {
            return None;
        }
        let mut libraries = needed(&content);
        libraries.push("libm.so.6".to_owned());
        for library in libraries {
            symbols(&std::fs::read(place(&library)?).ok()?, &mut names)?;
        }
    }
    Some(names)
}

/// Does `-lNAME` mean a shared library, if nothing is said about where to look?
pub fn is_shared(name: &str) -> bool {
    place(&format!("lib{name}.so")).is_some()
}

fn place(library: &str) -> Option<PathBuf> {
    PLACES.iter().map(|place| Path::new(place).join(library)).find(|path| path.is_file())
}

/// Adds the dynamic symbols of a file; how many it has.
fn symbols(content: &[u8], names: &mut BTreeSet<String>) -> Option<usize> {
    let file = object::File::parse(content).ok()?;
    let mut count = 0;
    for symbol in file.dynamic_symbols() {
        names.insert(symbol.name().ok()?.to_owned());
        count += 1;
    }
    Some(count)
}
