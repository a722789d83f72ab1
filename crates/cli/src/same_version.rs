//! Two versions that are one: nothing could be learned from comparing them.
//!
//! In: what is to be compared. Out: an error that says what to do, if it is the same twice.
//!
//! Always holds: versions at different places are never refused, whatever they hold; nor is one with a patch.

use crate::error::CliError;
use crate::resolve::Target;
use crate::versions::Wanted;
use parallax_build::{commit, is_clean};
use std::path::Path;

/// `out`: where results go; what an earlier run left there is no change of the tree.
pub fn refuse(wanted: &[Wanted; 2], out: &Path) -> Result<(), CliError> {
    let [old, new] = wanted;
    if new.build.patch.is_some() {
        return Ok(());
    }
    match (&old.target, &new.target) {
        (Target::Revision { .. }, Target::Revision { .. }) => same_commit(&old.target, &new.target),
        (revision @ Target::Revision { .. }, Target::Directory(tree))
        | (Target::Directory(tree), revision @ Target::Revision { .. }) => {
            unchanged_tree(revision, tree, out)
        }
        (Target::File(a), Target::File(b))
        | (Target::Directory(a), Target::Directory(b))
        | (Target::Program(a), Target::Program(b)) => same_path(a, b),
        _ => Ok(()),
    }
}

fn same_commit(a: &Target, b: &Target) -> Result<(), CliError> {
    let (Some((_, one)), Some((_, other))) = (resolved(a)?, resolved(b)?) else { return Ok(()) };
    if one != other {
        return Ok(());
    }
    Err(CliError::usage(format!(
        "OLD and NEW are the same commit ({}): there is nothing to compare; name two commits, such as git:HEAD~1 and git:HEAD",
        short(&one)
    )))
}

/// A commit, and the tree that is checked out from it and was not changed.
fn unchanged_tree(revision: &Target, tree: &Path, out: &Path) -> Result<(), CliError> {
    let Some((directory, wanted)) = resolved(revision)? else { return Ok(()) };
    let is_same_place = match (directory.canonicalize(), tree.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    // A tree that is no repository has no commit.
    if !is_same_place || commit(tree, "HEAD").ok().as_ref() != Some(&wanted) || !is_clean(tree, out)? {
        return Ok(());
    }
    Err(CliError::usage(format!(
        "OLD and NEW are the same commit ({}): it is checked out, and the working tree has no changes; check out the branch \
         that has the changes, or name two commits: parallax diff git:HEAD~1 git:HEAD",
        short(&wanted)
    )))
}

fn same_path(a: &Path, b: &Path) -> Result<(), CliError> {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(one), Ok(other)) if one == other => Err(CliError::usage(format!(
            "OLD and NEW are the same: {}; name two versions, or the one and a --patch",
            one.display()
        ))),
        _ => Ok(()),
    }
}

fn resolved(target: &Target) -> Result<Option<(&Path, String)>, CliError> {
    match target {
        Target::Revision { directory, revision } => Ok(Some((directory, commit(directory, revision)?))),
        _ => Ok(None),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}
