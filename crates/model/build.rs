//! Gives the crate a name for the state of its sources, which stored models carry.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    for path in entries.flatten().map(|e| e.path()) {
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

fn main() {
    println!("cargo:rerun-if-changed=src");
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    files.sort();
    let mut hash = DefaultHasher::new();
    for file in files {
        std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display())).hash(&mut hash);
    }
    println!("cargo:rustc-env=PARALLAX_MODEL=model-{:016x}", hash.finish());
}
