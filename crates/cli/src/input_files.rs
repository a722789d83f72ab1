//! From the arguments of a seed to the files that they name.
//!
//! In: arguments as they were typed. Out: arguments as the program gets them, the files below its directory, and what the user
//! should know about them.
//!
//! Always holds: a file stays below the run's directory; what a directory holds and the run does not get is in the warnings.

use crate::error::CliError;
use crate::reading::{read, ReadLimits};
use crate::units;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// Most directories inside one another in one that an argument names.
const MAX_DIRECTORY_DEPTH: usize = 16;
/// What a result of Parallax holds; it is no input.
const RESULT: [&str; 2] = ["run.json", "verdicts.json"];

/// Files by their paths in the run's directory, and what the user should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputFiles {
    pub files: Vec<(PathBuf, Vec<u8>)>,
    pub warnings: Vec<String>,
    /// Arguments that look like files and name none.
    pub unnamed: Vec<String>,
}

impl InputFiles {
    /// An argument, with what it names. The program runs in an empty directory: a file or directory named by a relative path is put
    /// there under the same path and the argument stays as it is; any other is put there under its last component, and the
    /// argument becomes that.
    pub fn argument(&mut self, argument: OsString, limits: &ReadLimits) -> Result<Vec<u8>, CliError> {
        let path = PathBuf::from(&argument);
        match fs::metadata(&path) {
            Ok(kind) if kind.is_file() => self.file_argument(&path, limits),
            Ok(kind) if kind.is_dir() => self.directory_argument(&path, limits),
            Ok(_) => Ok(argument.into_vec()),
            Err(error) if is_unreachable(&error) => Err(unreadable(&path, "ARG", error)),
            Err(_) => {
                self.note_unnamed(&argument);
                Ok(argument.into_vec())
            }
        }
    }

    fn file_argument(&mut self, path: &Path, limits: &ReadLimits) -> Result<Vec<u8>, CliError> {
        let content = read(path, "ARG", limits)?;
        if is_word(path) {
            self.warnings.push(format!(
                "the argument `{0}` names a file here, so that file is an input of the program; if it is meant as a word, \
                 run parallax in a directory without a file `{0}`",
                path.display()
            ));
        }
        let name = name_inside(path);
        self.add(name.clone(), content)?;
        Ok(name.into_os_string().into_vec())
    }

    fn directory_argument(&mut self, path: &Path, limits: &ReadLimits) -> Result<Vec<u8>, CliError> {
        let unchanged = || path.as_os_str().as_bytes().to_vec();
        let (name, argument) = if path.components().all(|c| c == Component::CurDir) {
            (PathBuf::new(), unchanged())
        } else if stays_inside(path) {
            (path.components().collect(), unchanged())
        } else {
            let full = path.canonicalize().map_err(|error| unreadable(path, "ARG", error))?;
            match full.file_name() {
                Some(last) => (PathBuf::from(last), last.as_bytes().to_vec()),
                None => {
                    self.not_copied(path, "it is the root of the file system");
                    return Ok(unchanged());
                }
            }
        };
        let mut found = Directory::new(limits);
        if let Err(stop) = found.walk(path, &name, 0) {
            return match stop {
                Stop::TooMuch(reason) => {
                    self.not_copied(path, &reason);
                    Ok(unchanged())
                }
                Stop::Error(error) => Err(error),
            };
        }
        if found.files.is_empty() {
            found.left.push("it has no file, and empty directories are not copied".to_owned());
        }
        for (name, content) in std::mem::take(&mut found.files) {
            self.add(name, content)?;
        }
        self.warnings.extend(found.warning(path));
        Ok(argument)
    }

    fn not_copied(&mut self, path: &Path, reason: &str) {
        self.warnings.push(format!(
            "the directory `{}` is no input of the program, and not in its directory: {reason}",
            path.display()
        ));
    }

    /// The same file twice is one file; two files of one name cannot be, nor a file where a directory must be.
    pub fn add(&mut self, name: PathBuf, content: Vec<u8>) -> Result<(), CliError> {
        for (known, bytes) in &self.files {
            if *known == name && *bytes == content {
                return Ok(());
            }
            if *known == name {
                return Err(CliError::usage(format!(
                    "two different files would both be {} in the directory of the run; rename one",
                    name.display()
                )));
            }
            if known.starts_with(&name) || name.starts_with(known) {
                return Err(CliError::usage(format!(
                    "{} and {} cannot both be in the directory of the run: one would be a directory; rename one",
                    known.display(),
                    name.display()
                )));
            }
        }
        self.files.push((name, content));
        Ok(())
    }

    fn note_unnamed(&mut self, argument: &OsStr) {
        let text = argument.to_string_lossy();
        if fs::symlink_metadata(argument).is_ok() {
            self.warnings.push(format!(
                "the argument `{text}` names a link that leads nowhere; the program gets the name alone"
            ));
        } else if let Some(file) = file_in_option(&text) {
            self.warnings.push(format!(
                "the argument `{text}` names the file {file}, which the program does not get; add `--file {file}={file}`"
            ));
        } else if looks_like_file(&text) {
            self.unnamed.push(text.into_owned());
        }
    }
}

/// What is found below a directory.
struct Directory<'l> {
    limits: &'l ReadLimits,
    files: Vec<(PathBuf, Vec<u8>)>,
    bytes: u64,
    executable: usize,
    /// What is not copied, in words.
    left: Vec<String>,
}

/// Why a directory is not copied.
enum Stop {
    TooMuch(String),
    Error(CliError),
}

impl Directory<'_> {
    fn new(limits: &ReadLimits) -> Directory<'_> {
        Directory { limits, files: Vec::new(), bytes: 0, executable: 0, left: Vec::new() }
    }

    fn walk(&mut self, from: &Path, name: &Path, depth: usize) -> Result<(), Stop> {
        if depth > MAX_DIRECTORY_DEPTH {
            return Err(Stop::TooMuch(format!(
                "more than {MAX_DIRECTORY_DEPTH} directories inside one another"
            )));
        }
        let failed = |error| Stop::Error(unreadable(from, "ARG", error));
        let entries = fs::read_dir(from).map_err(failed)?.collect::<io::Result<Vec<_>>>().map_err(failed)?;
        if depth > 0 && entries.is_empty() {
            self.left.push(format!("{} is empty", name.display()));
        }
        let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
        paths.sort();
        for path in paths {
            let name = name.join(path.file_name().unwrap_or_default());
            self.entry(&path, &name, depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, name: &Path, depth: usize) -> Result<(), Stop> {
        let failed = |error| Stop::Error(unreadable(path, "ARG", error));
        let kind = fs::symlink_metadata(path).map_err(failed)?.file_type();
        if kind.is_dir() && RESULT.iter().all(|file| path.join(file).is_file()) {
            self.left.push(format!("{} is a result of Parallax", name.display()));
            return Ok(());
        }
        if kind.is_dir() {
            return self.walk(path, name, depth + 1);
        }
        if kind.is_symlink() {
            self.left.push(format!("{} is a link", name.display()));
            return Ok(());
        }
        if !kind.is_file() {
            self.left.push(format!("{} is no file", name.display()));
            return Ok(());
        }
        let metadata = fs::metadata(path).map_err(failed)?;
        self.bytes += metadata.len();
        let ReadLimits { max_directory_files, max_directory_size, .. } = *self.limits;
        if self.files.len() >= max_directory_files || self.bytes > max_directory_size {
            return Err(Stop::TooMuch(format!(
                "it holds more than {max_directory_files} files or {} (--max-directory-files, --max-directory-size)",
                units::shown(max_directory_size)
            )));
        }
        self.executable += usize::from(metadata.permissions().mode() & 0o111 != 0);
        self.files.push((name.to_owned(), read(path, "ARG", self.limits).map_err(Stop::Error)?));
        Ok(())
    }

    fn warning(&self, path: &Path) -> Option<String> {
        let mut left = self.left.clone();
        if self.executable > 0 {
            left.push(format!("{} of its files can be executed here and not there", self.executable));
        }
        const LISTED: usize = 4;
        let more = left.len().saturating_sub(LISTED);
        left.truncate(LISTED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let what = left.join("; ");
        (!left.is_empty()).then(|| {
            format!("the program does not get all of the directory `{}`: {what}{more}", path.display())
        })
    }
}

fn unreadable(path: &Path, what: &'static str, source: io::Error) -> CliError {
    CliError::Read { what, path: path.to_owned(), source }
}

/// There is something, but nobody can get there.
fn is_unreachable(error: &io::Error) -> bool {
    const ELOOP: i32 = 40;
    error.kind() == io::ErrorKind::PermissionDenied || error.raw_os_error() == Some(ELOOP)
}

fn name_inside(path: &Path) -> PathBuf {
    match path.file_name() {
        Some(last) if !stays_inside(path) => PathBuf::from(last),
        _ => path.to_owned(),
    }
}

/// A relative path without `.` or `..`.
pub fn stays_inside(path: &Path) -> bool {
    path.components().all(|c| matches!(c, Component::Normal(_)))
}

/// A name that could as well be a word or an operator: no directory, no extension.
fn is_word(path: &Path) -> bool {
    path.components().count() == 1 && path.extension().is_none() && !path.is_absolute()
}

/// The existing file that `--option=FILE` names.
fn file_in_option(argument: &str) -> Option<&str> {
    let (option, value) = argument.split_once('=')?;
    (option.starts_with('-') && Path::new(value).is_file()).then_some(value)
}

/// Does an argument look like the path of a file? A directory in front, or an extension; and nothing that paths seldom have.
fn looks_like_file(argument: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-./+,@~#".contains(c);
    if argument.starts_with('-') || argument.ends_with('/') || !argument.chars().all(plain) {
        return false;
    }
    // A fraction, a date, a version; `s/a/b/` and `s,a,b,`.
    let is_number = |text: &str| !text.contains(|c: char| c.is_alphabetic());
    if is_number(argument) || is_substitution(argument) {
        return false;
    }
    let path = Path::new(argument);
    let is_name =
        |text: &str| (1..=8).contains(&text.len()) && text.starts_with(|c: char| c.is_ascii_alphabetic());
    let extension = path.extension().and_then(OsStr::to_str).is_some_and(is_name);
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or("");
    argument.contains('/') || (extension && !is_number(stem))
}

/// A command of `sed` or the like: a letter, and three times the same mark.
fn is_substitution(argument: &str) -> bool {
    let mut letters = argument.chars();
    let (Some(command), Some(mark)) = (letters.next(), letters.next()) else { return false };
    command.is_ascii_lowercase() && !mark.is_alphanumeric() && argument.matches(mark).count() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_words_numbers_and_expressions() {
        for path in ["data/in.txt", "in.txt", "/tmp/x", "../x", "a/b", "main.c", "x.json", "v1.2.tar.gz"] {
            assert!(looks_like_file(path), "{path}");
        }
        for word in [
            "3.14",
            "1/2",
            "2024/01/02",
            "1.2.3",
            "-x.c",
            "--f=x.c",
            "s/a/b/",
            "s/a/b/g",
            "y/ab/cd/",
            "a b.c",
            "http://x.org/a",
            "word",
            "*.c",
            "a=b.c",
            "",
            "x*y/2",
            ".",
            "/",
            "5.e",
        ] {
            assert!(!looks_like_file(word), "{word}");
        }
    }

    fn tree() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("d/sub/empty")).unwrap();
        for (name, content) in [("d/a", "1"), ("d/sub/b", "2")] {
            fs::write(directory.path().join(name), content).unwrap();
        }
        directory
    }

    #[test]
    fn a_directory_is_an_input_with_all_its_files() {
        let root = tree();
        let mut inputs = InputFiles::default();
        let argument = inputs.argument(root.path().join("d").into(), &ReadLimits::default()).unwrap();
        assert_eq!(argument, b"d");
        let expected: [(PathBuf, Vec<u8>); 2] =
            [("d/a".into(), b"1".to_vec()), ("d/sub/b".into(), b"2".to_vec())];
        assert_eq!(inputs.files, expected);
        assert!(inputs.warnings[0].contains("d/sub/empty is empty"), "{:?}", inputs.warnings);
    }

    #[test]
    fn what_a_directory_has_and_the_run_does_not_get_is_said() {
        let root = tree();
        std::os::unix::fs::symlink("..", root.path().join("d/up")).unwrap();
        fs::set_permissions(root.path().join("d/a"), fs::Permissions::from_mode(0o755)).unwrap();
        let mut inputs = InputFiles::default();
        inputs.argument(root.path().join("d").into(), &ReadLimits::default()).unwrap();
        let warning = inputs.warnings.join("\n");
        for part in ["d/up is a link", "1 of its files can be executed"] {
            assert!(warning.contains(part), "{warning}");
        }
    }

    #[test]
    fn a_directory_of_too_many_files_is_left_and_said() {
        let root = tempfile::tempdir().unwrap();
        let given = |most: usize| {
            let limits = ReadLimits { max_directory_files: most, ..ReadLimits::default() };
            let mut inputs = InputFiles::default();
            (inputs.argument(root.path().as_os_str().to_owned(), &limits).unwrap(), inputs)
        };
        for n in 0..8 {
            fs::write(root.path().join(n.to_string()), "").unwrap();
        }
        let (argument, inputs) = given(7);
        assert_eq!(argument, root.path().as_os_str().as_bytes());
        assert!(inputs.files.is_empty() && inputs.warnings[0].contains("more than 7 files"), "{inputs:?}");
        let (_, inputs) = given(8);
        assert_eq!((inputs.files.len(), inputs.warnings.len()), (8, 0), "{inputs:?}");
    }

    #[test]
    fn link_loops_are_errors_with_the_name() {
        let root = tempfile::tempdir().unwrap();
        let link = root.path().join("loop");
        std::os::unix::fs::symlink(&link, &link).unwrap();
        let error = InputFiles::default().argument(link.into(), &ReadLimits::default()).unwrap_err();
        assert_eq!(error.exit_code().number(), 2);
        assert!(error.to_string().contains("loop"), "{error}");
    }

    #[test]
    fn a_file_and_a_directory_of_one_name_cannot_both_be() {
        let mut inputs = InputFiles::default();
        inputs.add("a".into(), vec![]).unwrap();
        let error = inputs.add("a/b".into(), vec![]).unwrap_err();
        assert_eq!(error.exit_code().number(), 2);
    }
}
