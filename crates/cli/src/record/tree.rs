//! Where a suite runs: the tree, its private copy, and which programs of it are recorded.
//!
//! In: the command line. Out: absolute paths without links.

use crate::error::CliError;
use crate::record_args::RecordArgs;
use parallax_build::see_through;
use parallax_execute::Interrupt;
use parallax_record::{CopyError, CopyLimits, Wanted};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Directories that Parallax itself leaves in a tree.
const OUTPUT_PREFIX: &[u8] = b"parallax-out";
/// A tree this high up holds much that is not the suite's.
const LEAST_DEPTH: usize = 3;

/// Where everything is.
pub struct Place {
    pub tree: PathBuf,
    pub directory: PathBuf,
    pub wanted: Wanted,
    /// As they were named.
    pub named: Vec<PathBuf>,
}

impl Place {
    pub fn of(args: &RecordArgs) -> Result<Place, CliError> {
        let here = |source| CliError::Read { what: "the current directory", path: ".".into(), source };
        let directory = std::env::current_dir().and_then(fs::canonicalize).map_err(here)?;
        let mut wanted = Wanted::default();
        for program in &args.programs {
            wanted_program(program, &directory, &mut wanted)?;
        }
        let tree = match &args.tree {
            Some(tree) => {
                let named = |source| CliError::Read { what: "--tree", path: tree.clone(), source };
                let tree = fs::canonicalize(tree).map_err(named)?;
                if !tree.is_dir() {
                    return Err(CliError::usage(format!("--tree {}: not a directory", tree.display())));
                }
                tree
            }
            None => usual_tree(&directory, &wanted.paths),
        };
        if !args.in_place && !directory.starts_with(&tree) {
            return Err(CliError::usage(format!(
                "--tree {}: the current directory, in which the suite starts, must be in it",
                tree.display()
            )));
        }
        Ok(Place { tree, directory, wanted, named: args.programs.clone() })
    }
}

/// A path, or the name of a file that is to be looked for in the tree.
fn wanted_program(program: &Path, directory: &Path, wanted: &mut Wanted) -> Result<(), CliError> {
    let is_path = program.as_os_str().as_bytes().contains(&b'/');
    let path = directory.join(program);
    if path.is_dir() {
        return Err(CliError::usage(format!(
            "--program {}: a directory; name the program in it",
            program.display()
        )));
    }
    if path.is_file() {
        if !fs::read(&path).is_ok_and(|start| start.starts_with(b"\x7fELF")) && see_through(&path).is_err() {
            return Err(CliError::usage(format!(
                "--program {}: not a program, perhaps a script; name the program that it starts",
                program.display()
            )));
        }
        wanted.paths.push(fs::canonicalize(&path).unwrap_or(path));
    } else if is_path {
        // The suite may build it.
        let plain = parallax_record::without_dots(&path);
        wanted.paths.push(plain);
    } else {
        wanted.names.push(program.as_os_str().to_owned());
    }
    Ok(())
}

/// The repository, or what holds the directory and the programs, as long as that is not half of the machine.
fn usual_tree(directory: &Path, programs: &[PathBuf]) -> PathBuf {
    let repository = directory.ancestors().find(|path| path.join(".git").exists());
    let mut tree = repository.unwrap_or(directory).to_owned();
    for program in programs {
        let common = tree.ancestors().find(|above| program.starts_with(above));
        let common = common.filter(|common| common.components().count() >= LEAST_DEPTH);
        tree = common.map_or(tree.clone(), Path::to_owned);
    }
    tree
}

/// The private copy of the tree, gone when this is dropped.
pub struct PrivateCopy {
    pub path: PathBuf,
}

impl PrivateCopy {
    pub fn make(
        args: &RecordArgs,
        place: &Place,
        path: PathBuf,
        cache: &Path,
        interrupt: &Interrupt,
    ) -> Result<PrivateCopy, CliError> {
        let limits = CopyLimits { bytes: args.limits.max_tree_size, entries: args.limits.max_tree_files };
        let leave_out = |path: &Path| {
            let own = path.parent() == Some(&place.tree)
                && path.is_dir()
                && path.file_name().is_some_and(|name| name.as_bytes().starts_with(OUTPUT_PREFIX));
            own || path == cache
        };
        // Half a copy goes, too.
        let copy = PrivateCopy { path };
        parallax_record::copy(&place.tree, &copy.path, limits, &leave_out, &|| interrupt.is_set()).map_err(
            |error| match error {
                CopyError::Interrupted => parallax_execute::Error::Interrupted.into(),
                error => CliError::from(error),
            },
        )?;
        Ok(copy)
    }
}

impl Drop for PrivateCopy {
    fn drop(&mut self) {
        // A directory that forbids it cannot be emptied. What is left goes with the next run of Parallax.
        if fs::remove_dir_all(&self.path).is_err() {
            open_directories(&self.path);
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn open_directories(path: &Path) {
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_directories(&entry.path());
        }
    }
}
