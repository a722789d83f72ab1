//! The trees of two versions.
//!
//! In: where versions come from. Out: directories with their sources, below the directory of fetched subjects.
//!
//! Always holds: sources come from the scripts that fetch them; a fetched tree is not changed except that a driver is
//! put into it; a patch is taken out of a copy.

use super::Origin;
use crate::Result;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names the directory of fetched subjects.
const SUBJECTS_VARIABLE: &str = "PARALLAX_SUBJECTS";

/// Where the fetching scripts put trees.
pub fn directory() -> PathBuf {
    let named = std::env::var_os(SUBJECTS_VARIABLE).map(PathBuf::from);
    named.unwrap_or_else(|| parallax_build::Cache::from_environment().root().join("subjects"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The tree of a version, fetched if it is not there.
pub fn tree(origin: &Origin) -> Result<PathBuf> {
    let tree = match (&origin.debian, &origin.krate) {
        (Some(package), None) => fetched("fetch-debian-sources.sh", package, &package.replace('/', "-"))?,
        (None, Some(wanted)) => fetched("fetch-crate-sources.sh", wanted, &wanted.replacen('=', "-", 1))?,
        _ => return Err(format!("{origin:?}: name either a Debian package or a crate").into()),
    };
    let tree = match &origin.without {
        Some(patch) => without(&tree, patch)?,
        None => tree,
    };
    if let Some(driver) = &origin.driver {
        let content = std::fs::read(root().join("bench/subjects/drivers").join(driver))?;
        let place = tree.join("driver.c");
        if std::fs::read(&place).ok().as_ref() != Some(&content) {
            std::fs::write(place, content)?;
        }
    }
    Ok(tree)
}

fn fetched(script: &str, wanted: &str, name: &str) -> Result<PathBuf> {
    let tree = directory().join("src").join(name);
    if !tree.is_dir() {
        let mut command = Command::new(root().join("scripts").join(script));
        succeed(command.arg(wanted).env(SUBJECTS_VARIABLE, directory()))?;
    }
    Ok(tree)
}

/// A copy of a tree with one of Debian's patches taken out of it.
fn without(tree: &Path, patch: &str) -> Result<PathBuf> {
    let name = format!("{}-without-{patch}", tree.file_name().unwrap_or_default().to_string_lossy());
    let copy = tree.with_file_name(&name);
    if copy.is_dir() {
        return Ok(copy);
    }
    let new = tree.with_file_name(name + ".new");
    let _ = std::fs::remove_dir_all(&new);
    succeed(Command::new("cp").arg("-a").arg(tree).arg(&new))?;
    let patch = std::fs::File::open(tree.join("debian/patches").join(patch))?;
    succeed(Command::new("patch").args(["-R", "-p1", "-s"]).current_dir(&new).stdin(patch))?;
    std::fs::rename(&new, &copy)?;
    Ok(copy)
}

/// Runs a command, whose output is for people.
fn succeed(command: &mut Command) -> Result<()> {
    let status =
        command.stdout(Stdio::from(std::io::stderr())).status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {status}").into())
    }
}
