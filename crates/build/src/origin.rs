//! Which tree a program was built in.
//!
//! In: the path of a program. Out: the root of the private copy of the sources that it was built in, if it was built here.

use crate::entry::BUILT;
use std::path::{Path, PathBuf};

/// The private copy in which a program was built: everything that the program may find relative to itself is below.
pub fn tree_of(program: &Path) -> Option<PathBuf> {
    let is_root = |directory: &&Path| {
        directory.parent().is_some_and(|entry| entry.join(BUILT).is_file()) && directory.is_dir()
    };
    program.ancestors().skip(1).find(is_root).map(Path::to_owned)
}
