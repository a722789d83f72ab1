//! What is wrong with sources and a patch, before anything is built.
//!
//! In: a request. Out: nothing, or the error that the build would give after the other version may have been built for minutes.
//!
//! Always holds: nothing is built, and the user's files are only read.

use crate::build::Request;
use crate::cache::Cache;
use crate::error::{AtPath, BuildError};
use crate::git;
use crate::source::Source;
use crate::tree::{self, Walk};

/// Can the sources be read, and does the patch apply to them?
pub fn check(request: &Request, cache: &Cache) -> Result<(), BuildError> {
    if let Source::Tree(root) = &request.source {
        tree::check_readable(&Walk { root, cache: cache.root(), with_git: request.with_git })?;
    }
    match &request.patch {
        Some(patch) if !applies_in_place(request, patch) => {
            let scratch = tempfile::tempdir().at(&std::env::temp_dir())?;
            let tree = scratch.path().join("tree");
            request.source.prepare(&tree, cache, request.with_git)?;
            git::apply(patch, &tree, &request.source.name())
        }
        _ => Ok(()),
    }
}

/// A patch that applies to the user's own tree needs no copy to be tried on.
fn applies_in_place(request: &Request, patch: &std::path::Path) -> bool {
    matches!(&request.source, Source::Tree(root) if git::applies(patch, root))
}
