//! Versions between the old one and the new one: the old sources with some pieces of the change.
//!
//! In: how both versions are built. Out: the pieces in which they differ; and for any set of them a native program, or that there is none.
//!
//! Always holds: the user's sources are only read; what is built is a private copy, and comes from the cache if it was built before.

use super::view::PieceView;
use crate::engine;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::native::Native;
use crate::resolve::Target;
use crate::run_file::Recipe;
use parallax_build::{Cache, Request, Source, Stop};
use parallax_execute::Interrupt;
use parallax_oracle::Pieces;
use parallax_report::hunks::Patchable;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tempfile::TempDir;

/// What became of a build.
pub enum Outcome {
    Built(Box<Native>),
    NotBuilt,
    /// The time was up.
    Stopped,
}

/// A file that is not the same in both versions.
struct Differing {
    path: PathBuf,
    /// Is it there at all, in the old and the new version?
    exists: [bool; 2],
    text: Patchable,
    /// The number of its first piece.
    first: usize,
}

pub struct Between {
    pub pieces: Vec<PieceView>,
    /// Sources of the new version, in which the files that differ are exchanged.
    work: TempDir,
    files: Vec<Differing>,
    request: Request,
    cache: Cache,
    deadline: Instant,
}

fn trouble(path: &Path) -> impl FnOnce(std::io::Error) -> CliError + '_ {
    move |source| CliError::Read { what: "the sources", path: path.to_owned(), source }
}

impl Between {
    pub fn new(
        recipes: &[Recipe; 2],
        deadline: Instant,
        interrupt: Interrupt,
        cache: &Cache,
    ) -> Result<Between, CliError> {
        let old = cache.temporary_directory()?;
        let work = cache.temporary_directory()?;
        let single = recipes.iter().all(|recipe| recipe.source.is_file());
        let name = recipes[1].source.file_name().unwrap_or_default().to_owned();
        let below = if single {
            copy_file(&recipes[0].source, &old.path().join(&name), old.path())?;
            copy_file(&recipes[1].source, &work.path().join(&name), work.path())?;
            PathBuf::new()
        } else {
            export(&recipes[0], old.path(), cache)?;
            let directory = export(&recipes[1], work.path(), cache)?;
            directory.strip_prefix(work.path()).unwrap_or(Path::new("")).to_owned()
        };
        let (files, pieces) = compare(old.path(), work.path())?;
        let command = match single {
            true => parallax_build::command_for_copy(&recipes[1].source)?,
            false => within(&below, recipes[1].build.as_deref().unwrap_or_default()),
        };
        let program = recipes[1].built_program.as_ref().map(|program| below.join(program));
        let request = Request {
            command: Some(command),
            program: program.map(|program| program.to_string_lossy().into_owned()),
            stop: Stop::when(move || interrupt.is_set() || Instant::now() >= deadline),
            ..Request::new(Source::Tree(work.path().to_owned()))
        };
        Ok(Between { pieces, work, files, request, cache: cache.clone(), deadline })
    }

    /// The native program of the old version with these pieces.
    pub fn build(&mut self, pieces: &Pieces) -> Result<Outcome, CliError> {
        for file in &self.files {
            file.write(self.work.path(), pieces).map_err(trouble(&file.path))?;
        }
        match parallax_build::build(&self.request, &self.cache) {
            Ok(version) => Ok(Outcome::Built(Box::new(Native::of(&version)))),
            Err(_) if Instant::now() >= self.deadline => Ok(Outcome::Stopped),
            Err(error) => {
                let error = CliError::from(error);
                match error.exit_code() {
                    ExitCode::Build => Ok(Outcome::NotBuilt),
                    ExitCode::Interrupted => Ok(Outcome::Stopped),
                    _ => Err(error),
                }
            }
        }
    }
}

impl Differing {
    fn write(&self, root: &Path, pieces: &Pieces) -> std::io::Result<()> {
        let path = root.join(&self.path);
        let count = self.text.hunks.len();
        let chosen = |hunk: usize| pieces.contains(&(self.first + hunk));
        let any = (0..count).any(chosen);
        let exists = match self.exists {
            [true, true] => true,
            [old, new] => {
                if any {
                    new
                } else {
                    old
                }
            }
        };
        if !exists {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, self.text.with(chosen))
    }
}

/// A single file, and the headers beside it.
fn copy_file(from: &Path, to: &Path, directory: &Path) -> Result<(), CliError> {
    fs::copy(from, to).map_err(trouble(from))?;
    let beside = from.parent().unwrap_or(Path::new("."));
    for entry in fs::read_dir(beside).map_err(trouble(beside))?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "h") && path.is_file() {
            fs::copy(&path, directory.join(entry.file_name())).map_err(trouble(&path))?;
        }
    }
    Ok(())
}

fn export(recipe: &Recipe, to: &Path, cache: &Cache) -> Result<PathBuf, CliError> {
    let target = recipe.target().unwrap_or_else(|| Target::Directory(recipe.source.clone()));
    let request = engine::request(&target, &recipe.build_args())
        .map_err(|path| CliError::usage(format!("{}: is no source", path.display())))?;
    Ok(parallax_build::export(&request.source, request.patch.as_deref(), to, cache)?)
}

/// A command that runs in a directory of the tree.
fn within(below: &Path, command: &str) -> String {
    match below.as_os_str().is_empty() {
        true => command.to_owned(),
        false => format!("cd {} && {{ {command}\n}}", parallax_build::quote(&below.to_string_lossy())),
    }
}

fn compare(old: &Path, new: &Path) -> Result<(Vec<Differing>, Vec<PieceView>), CliError> {
    let contents = [contents(old)?, contents(new)?];
    let paths: BTreeSet<&PathBuf> = contents.iter().flat_map(BTreeMap::keys).collect();
    let (mut files, mut pieces) = (Vec::new(), Vec::new());
    for path in paths {
        let [a, b] = [contents[0].get(path), contents[1].get(path)];
        if a == b {
            continue;
        }
        let exists = [a.is_some(), b.is_some()];
        let read = |root: &Path, there: bool| match there {
            true => fs::read(root.join(path)).map_err(trouble(path)),
            false => Ok(Vec::new()),
        };
        let text = Patchable::new(read(old, exists[0])?, read(new, exists[1])?);
        let first = pieces.len();
        for hunk in &text.hunks {
            pieces.push(PieceView::new(pieces.len(), &path.to_string_lossy(), hunk));
        }
        files.push(Differing { path: path.clone(), exists, text, first });
    }
    Ok((files, pieces))
}

/// Hashes of all files below a directory.
fn contents(root: &Path) -> Result<BTreeMap<PathBuf, String>, CliError> {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).map_err(trouble(&directory))?.flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            if kind.is_dir() {
                pending.push(path);
            } else if kind.is_file() {
                let hash = parallax_build::cache::hash_file(&path)?;
                found.insert(path.strip_prefix(root).unwrap_or(&path).to_owned(), hash);
            }
        }
    }
    Ok(found)
}
