//! What can be built: a C file, a directory, a git revision.
//!
//! In: what the user wrote for OLD or NEW. Out: a hash of the content, and a private copy of it.
//! What always holds: the original is only read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::error::{AtPath, BuildError};
use crate::git;
use crate::tree;

/// Sources of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// One C file; headers are looked for in its directory.
    File(PathBuf),
    /// A directory with its own build system.
    Tree(PathBuf),
    /// A revision of the repository that holds `directory`; built in the same subdirectory.
    Git { directory: PathBuf, revision: String },
}

/// A private copy of sources, ready to be built.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Where the build command runs: the root of the copy or a directory below it.
    pub directory: PathBuf,
    /// The build command for sources that bring none.
    pub default_command: Option<String>,
}

impl Source {
    /// `git:REV`, a file or a directory, relative to `directory`.
    pub fn parse(text: &str, directory: &Path) -> Result<Source, BuildError> {
        if let Some(revision) = text.strip_prefix("git:") {
            return Ok(Source::Git { directory: directory.to_path_buf(), revision: revision.to_string() });
        }
        let path = directory.join(text);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => Ok(Source::Tree(path)),
            Ok(_) => Ok(Source::File(path)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(BuildError::NoSuchFile(path)),
            Err(error) => Err(error).at(path),
        }
    }

    /// As the user would name it.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) | Source::Tree(path) => path.display().to_string(),
            Source::Git { revision, .. } => format!("git:{revision}"),
        }
    }

    /// Hash of everything that a build can see of the sources.
    pub(crate) fn content_hash(&self, cache: &Cache, with_git: bool) -> Result<String, BuildError> {
        match self {
            Source::File(path) => hash_of_file(path),
            Source::Tree(path) => tree::hash(&tree::Walk { root: path, cache: cache.root(), with_git }),
            Source::Git { directory, revision } => {
                let found = git::find(directory, revision)?;
                Ok(format!("{} {}", found.tree, found.prefix))
            }
        }
    }

    /// Copies the sources to `root`.
    pub(crate) fn prepare(&self, root: &Path, cache: &Cache, with_git: bool) -> Result<Prepared, BuildError> {
        fs::create_dir_all(root).at(root)?;
        match self {
            Source::File(path) => prepare_file(path, root),
            Source::Tree(path) => {
                tree::copy(&tree::Walk { root: path, cache: cache.root(), with_git }, root)?;
                Ok(Prepared { directory: root.to_path_buf(), default_command: None })
            }
            Source::Git { directory, revision } => {
                let found = git::find(directory, revision)?;
                git::check_out(&found, root, cache)?;
                Ok(Prepared { directory: root.join(&found.prefix), default_command: None })
            }
        }
    }
}

fn prepare_file(path: &Path, root: &Path) -> Result<Prepared, BuildError> {
    let name = path.file_name().unwrap_or_default();
    let copy = root.join(name);
    fs::copy(path, &copy).at(path)?;
    let directory = quote(&original_directory(path)?.to_string_lossy());
    let source = quote(&name.to_string_lossy());
    let program = quote(&program_name(path));
    let command = format!("\"$CC\" -g -O1 -iquote {directory} -I {directory} {source} -o {program} -lm");
    Ok(Prepared { directory: root.to_path_buf(), default_command: Some(command) })
}

/// The command that only compiles a single file, in a directory that has a copy of it.
pub(crate) fn command_for_object(path: &Path) -> Result<String, BuildError> {
    let directory = quote(&original_directory(path)?.to_string_lossy());
    let source = quote(&path.file_name().unwrap_or_default().to_string_lossy());
    let object = quote(&object_name(path));
    Ok(format!("\"$CC\" -g -O1 -iquote {directory} -I {directory} -c {source} -o {object}"))
}

/// The object that this command makes.
pub(crate) fn object_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned() + ".o"
}

/// The program that the default command makes of a file.
fn program_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // A file without an extension must not be overwritten by its own program.
    if path.extension().is_some() {
        stem
    } else {
        stem + ".out"
    }
}

fn original_directory(path: &Path) -> Result<PathBuf, BuildError> {
    let absolute = std::path::absolute(path).at(path)?;
    Ok(absolute.parent().map(Path::to_path_buf).unwrap_or_default())
}

/// A private copy of what would be built, with its patch applied. Out: the directory in which the build command would run.
pub fn export(
    source: &Source,
    patch: Option<&Path>,
    to: &Path,
    cache: &Cache,
) -> Result<PathBuf, BuildError> {
    let prepared = source.prepare(to, cache, false)?;
    if let Some(patch) = patch {
        git::apply(patch, to, &source.name())?;
    }
    Ok(prepared.directory)
}

/// The command that makes a program of a single file, in a directory that has a copy of it and of headers; what is not there is looked for beside the
/// original.
pub fn command_for_copy(original: &Path) -> Result<String, BuildError> {
    let directory = quote(&original_directory(original)?.to_string_lossy());
    let source = quote(&original.file_name().unwrap_or_default().to_string_lossy());
    let program = quote(&program_name(original));
    Ok(format!("\"$CC\" -g -O1 -iquote . -I . -iquote {directory} -I {directory} {source} -o {program} -lm"))
}

/// A word for the shell.
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What a file includes is compared with the rest of what its build reads. The same content elsewhere includes other headers.
fn hash_of_file(path: &Path) -> Result<String, BuildError> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(std::path::absolute(path).at(path)?.as_os_str().as_encoded_bytes());
    hasher.update(&[0]).update(&fs::read(path).at(path)?);
    Ok(hasher.finalize().to_hex().to_string())
}
