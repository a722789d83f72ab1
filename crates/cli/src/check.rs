//! Everything about a comparison that can be known to be wrong before anything is built.
//!
//! In: the command line of `parallax diff`, and the versions that it names. Out: nothing, or an error that says what is wrong and what
//! to do.
//!
//! Always holds: nothing is built, and nothing but an empty directory for `--record-queries` is left behind.

use crate::args::{BuildArgs, InputKind};
use crate::diff_args::DiffArgs;
use crate::error::CliError;
use crate::resolve::{self, Target};
use crate::same_version;
use crate::seeds::Seed;
use crate::versions::Wanted;
use parallax_build::Cache;
use std::fs::File;
use std::path::{Component, Path};

/// What the paths of a small program's seeds take.
const LEAST_SEARCH_MEMORY: u64 = 1 << 20;

/// Options that need no version to be judged.
pub fn options(args: &DiffArgs) -> Result<(), CliError> {
    crate::strategies::check(&args.search)?;
    let none = |value: bool, text: &str| if value { Err(CliError::usage(text)) } else { Ok(()) };
    none(args.runs == Some(0), "--runs 0: nothing would be tried; give at least 1")?;
    none(args.max_differences == 0, "--max-differences 0: the search would end at once; give at least 1")?;
    none(args.max_input == 0, "--max-input 0: no input could have a byte; give at least 1")?;
    none(
        args.search_memory < LEAST_SEARCH_MEMORY,
        "--search-memory: it would not even hold the paths of the seeds; give at least 1M",
    )?;
    symbolic(args.symbolic.as_deref())?;
    program(&args.build)?;
    if let Some(directory) = &args.record_queries {
        empty_directory(directory)?;
    }
    if let Some(patch) = &args.build.patch {
        readable_file(patch, "--patch")?;
    }
    Ok(())
}

/// `none` is not one of several.
fn symbolic(kinds: Option<&[InputKind]>) -> Result<(), CliError> {
    match kinds {
        Some(kinds) if kinds.len() > 1 && kinds.contains(&InputKind::None) => {
            Err(CliError::usage("--symbolic: `none` stands alone; leave it out, or the others"))
        }
        _ => Ok(()),
    }
}

/// The program that a build makes lies in the tree.
fn program(build: &BuildArgs) -> Result<(), CliError> {
    let Some(path) = &build.built_program else { return Ok(()) };
    let inside = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !inside || path.file_name().is_none() {
        return Err(CliError::usage(format!(
            "--program {}: must be a path inside the tree, relative to it, such as src/prog",
            path.display()
        )));
    }
    Ok(())
}

/// Queries of two searches in one directory would overwrite one another in part.
fn empty_directory(directory: &Path) -> Result<(), CliError> {
    let complain = |what: String| {
        CliError::usage(format!("--record-queries {}: {what}; name a new directory", directory.display()))
    };
    std::fs::create_dir_all(directory).map_err(|error| complain(error.to_string()))?;
    let mut entries = std::fs::read_dir(directory).map_err(|error| complain(error.to_string()))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(complain("it is not empty".to_owned())),
    }
}

fn readable_file(path: &Path, what: &'static str) -> Result<(), CliError> {
    let unreadable = |source| CliError::Read { what, path: path.to_owned(), source };
    let metadata = File::open(path).and_then(|file| file.metadata()).map_err(unreadable)?;
    match metadata.is_file() {
        true => Ok(()),
        false => Err(CliError::usage(format!("{what} {}: is no file", path.display()))),
    }
}

/// The versions, as far as they can be judged before they are built.
pub fn versions(args: &DiffArgs, wanted: &[Wanted; 2]) -> Result<(), CliError> {
    for one in wanted {
        version(&one.target, &one.build)?;
    }
    if let Some(name) = &args.golden {
        let target = resolve::target(name)?;
        let build = BuildArgs { patch: None, ..args.build.clone() };
        version(&target, &build)?;
    }
    if args.build.built_program.is_some() && !wanted.iter().any(|one| is_built(&one.target)) {
        return Err(CliError::usage("--program is for directories and git:REV; leave it out"));
    }
    same_version::refuse(wanted, &args.out)
}

fn version(target: &Target, build: &BuildArgs) -> Result<(), CliError> {
    match target {
        Target::Revision { directory, revision } => {
            parallax_build::commit(directory, revision)?;
        }
        Target::File(path) => readable_file(path, "the C file")?,
        Target::Program(path) => readable_file(path, "the program")?,
        Target::Directory(path) => {
            let unreadable = |source| CliError::Read { what: "the directory", path: path.to_owned(), source };
            std::fs::read_dir(path).map_err(unreadable)?;
        }
    }
    if is_built(target) && build.build.is_none() {
        let source_name = crate::engine::name(target);
        return Err(parallax_build::BuildError::NoBuildCommand { source_name }.into());
    }
    match crate::engine::request(target, build) {
        Ok(request) => Ok(parallax_build::check(&request, &Cache::from_environment())?),
        Err(_built) => Ok(()),
    }
}

fn is_built(target: &Target) -> bool {
    matches!(target, Target::Directory(_) | Target::Revision { .. })
}

/// Seeds that no program can be given.
pub fn seeds(seeds: &[Seed]) -> Result<(), CliError> {
    for seed in seeds {
        let refused = |error| CliError::usage(format!("seed {}: {error}", seed.name));
        seed.test.check().map_err(refused)?;
    }
    Ok(())
}
