//! The two versions of a comparison: found, built, instrumented.
//!
//! In: the command line of `parallax diff`. Out: two builds, both with the same `argv[0]`.
//!
//! Always holds: both are built with the same command; a patch goes onto the new one only.

use crate::args::BuildArgs;
use crate::config::Config;
use crate::diff_args::DiffArgs;
use crate::engine;
use crate::error::CliError;
use crate::pulse::Pulse;
use crate::resolve::{self, Target};
use parallax_build::{Cache, Extra, Version};
use parallax_execute::Interrupt;
use parallax_instrument::Instrumented;
use parallax_oracle::Region;
use parallax_report::changes::{self, Piece, Sources};
use parallax_trace::format::Mode;
use std::ffi::OsString;
use std::path::Path;

/// What the versions are called in messages.
pub const WHICH: [&str; 2] = ["old", "new"];
/// The name under which the versions run if they have none in common.
const COMMON_NAME: &str = "program";
/// Memory that instrumenting takes, as a multiple of the bitcode's size: 195 on SQLite, less on small programs.
const OF_BITCODE: u64 = 200;

/// One version before it is built.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub target: Target,
    pub build: BuildArgs,
    /// As the user names it.
    pub name: String,
}

/// Which versions are compared. With neither named: the merge base, and the working tree.
pub fn wanted(args: &DiffArgs, config: Option<&Config>) -> Result<[Wanted; 2], CliError> {
    let build = BuildArgs { library: args.function.function.is_some(), ..args.build.clone() };
    named([args.old.as_ref(), args.new.as_ref()], &build, config)
}

/// The same for any command that compares versions.
pub fn named(
    names: [Option<&OsString>; 2],
    build: &BuildArgs,
    config: Option<&Config>,
) -> Result<[Wanted; 2], CliError> {
    let from_config = |key| config.map_or(Ok(None), |config: &Config| config.version(key));
    let (old, new) = match names {
        [None, None] => (from_config("old")?, from_config("new")?),
        [old, new] => (old.cloned(), new.cloned()),
    };
    let without_patch = BuildArgs { patch: None, ..build.clone() };
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) => (resolve::target(&old)?, resolve::target(&new)?),
        (Some(old), None) if build.patch.is_some() => (resolve::target(&old)?, resolve::target(&old)?),
        (None, None) if config.is_some() || (build.build.is_some() && is_in_repository()) => {
            in_repository(config.map_or(Path::new("."), |c| &c.directory))?
        }
        _ => {
            return Err(CliError::usage(
                "name OLD and NEW; or OLD and a --patch; or neither, in a repository with a parallax.toml or with --build",
            ))
        }
    };
    Ok([one(old, without_patch)?, one(new, build.clone())?])
}

fn one(target: Target, build: BuildArgs) -> Result<Wanted, CliError> {
    resolve::no_build_command(&build, &target)?;
    let patched = build.patch.as_ref().map_or(String::new(), |patch| format!(" + {}", patch.display()));
    let name = engine::name(&target) + &patched;
    Ok(Wanted { target, build, name })
}

fn is_in_repository() -> bool {
    let here = std::env::current_dir();
    here.is_ok_and(|here| here.ancestors().any(|above| above.join(".git").exists()))
}

fn in_repository(directory: &Path) -> Result<(Target, Target), CliError> {
    let base = parallax_build::merge_base(directory)?;
    eprintln!(
        "parallax: comparing {} (merge base with {}) with the working tree",
        base.revision, base.branch
    );
    let old = Target::Revision { directory: directory.to_owned(), revision: base.revision };
    Ok((old, Target::Directory(directory.to_owned())))
}

/// Both versions, built.
pub fn build(wanted: &[Wanted; 2], interrupt: &Interrupt, cache: &Cache) -> Result<[Version; 2], CliError> {
    let pulse = Pulse::new(wanted[1].build.verbose);
    let one = |i: usize| {
        let (Wanted { target, build, name }, which) = (&wanted[i], WHICH[i]);
        let beat = pulse.begin(format!("building {which} ({name})"));
        let built = engine::version(target, build, interrupt, cache, &beat);
        built.map_err(|error| error.of_version(which, name))
    };
    let [old, new] = in_parallel(one);
    drop(pulse);
    // A build that Control-C ended failed for no reason of its own.
    if interrupt.is_set() {
        return Err(parallax_execute::Error::Interrupted.into());
    }
    let versions = match (old, new) {
        (Ok(old), Ok(new)) => [old, new],
        (Err(old), Err(new)) => return Err(CliError::of_both(old, new)),
        (Err(error), _) | (_, Err(error)) => return Err(error),
    };
    versions.iter().for_each(engine::warn);
    Ok(versions)
}

/// A version once more, with something added to what its compiler is told.
pub fn beside(
    wanted: &Wanted,
    what: &'static str,
    extra: Extra,
    interrupt: &Interrupt,
    cache: &Cache,
) -> Result<Version, CliError> {
    let pulse = Pulse::new(wanted.build.verbose);
    let beat = pulse.begin(format!("building the {what} version"));
    let made = engine::version_with(&wanted.target, &wanted.build, Some(extra), interrupt, cache, &beat);
    made.map_err(|error| error.of_version(what, &wanted.name))
}

/// What changed in the text of the sources. The sources of programs that were built before are not known.
pub fn pieces(wanted: &[Wanted; 2], built: &[Version; 2]) -> Vec<Piece> {
    sources(wanted, built).map_or(Vec::new(), |[old, new]| changes::pieces(&old, &new))
}

/// The sources of both versions; a single file has the name of the new one in both.
pub fn sources(wanted: &[Wanted; 2], built: &[Version; 2]) -> Option<[Sources; 2]> {
    let name = file_name(&wanted[1].target);
    let sources = |i: usize| -> Option<Sources> {
        match &wanted[i].target {
            Target::File(path) => Some(changes::single(path, &name)),
            Target::Directory(_) | Target::Revision { .. } => Some(changes::sources(&built[i].source_root)),
            Target::Program(_) => None,
        }
    };
    Some([sources(0)?, sources(1)?])
}

/// The same, as the program maps name the files.
pub fn regions(wanted: &[Wanted; 2], pieces: &[Piece]) -> Vec<Region> {
    let [old, new] = [file_name(&wanted[0].target), file_name(&wanted[1].target)];
    let region = |piece: &Piece| {
        let in_old = if piece.file == new { old.clone() } else { piece.file.clone() };
        Region {
            files: [in_old, piece.file.clone()],
            lines: [piece.old_lines, piece.new_lines],
            ..Region::default()
        }
    };
    pieces.iter().map(region).collect()
}

/// The name of a single file; nothing for anything else.
fn file_name(target: &Target) -> String {
    match target {
        Target::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        _ => String::new(),
    }
}

/// Both versions with the symbolic runtime inside: at once, unless that would take more memory than `own_memory`.
pub fn instrument(
    versions: &[Version; 2],
    own_memory: u64,
    cache: &Cache,
) -> Result<[Instrumented; 2], CliError> {
    let pulse = Pulse::new(false);
    let _beat = pulse.begin("instrumenting both versions");
    let make = |i: usize| engine::instrumented(&versions[i], Mode::Symbolic, cache);
    let size = |version: &Version| std::fs::metadata(&version.bitcode).map_or(0, |metadata| metadata.len());
    let together = versions.iter().map(size).sum::<u64>().saturating_mul(OF_BITCODE);
    if together <= own_memory {
        let [old, new] = in_parallel(make);
        return Ok([old?, new?]);
    }
    let old = make(0)?;
    parallax_execute::trim_memory();
    Ok([old, make(1)?])
}

pub fn in_parallel<T: Send>(make: impl Fn(usize) -> T + Sync) -> [T; 2] {
    std::thread::scope(|scope| {
        let old = scope.spawn(|| make(0));
        let new = make(1);
        match old.join() {
            Ok(old) => [old, new],
            // The panic's own message has been printed.
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// `argv[0]` of both versions.
pub fn common_name(old: &Path, new: &Path) -> Vec<u8> {
    match (old.file_name(), new.file_name()) {
        (Some(a), Some(b)) if a == b => a.as_encoded_bytes().to_vec(),
        _ => COMMON_NAME.into(),
    }
}
