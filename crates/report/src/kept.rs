//! A kept test: a directory that any shell can replay.
//!
//! In: a test case and what each version did. Out: `cmd`, `stdin`, `files/`, `env`, `layout`, `old/`, `new/`, `run.sh`; and a
//! test case read back from such a directory.
//!
//! Always holds: what is written and read back is the same test case, files in the order of their paths. Links and
//! special files in `files/` are refused, not followed: links of a test case stand in `layout`.

use crate::layout;
use crate::script::run_script;
pub use crate::script::Launch;
use parallax_execute::{Content, FileChange, Outcome, Output, Run, TestCase};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    #[error("kept test: {path}: {source}", path = .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("kept test: {path}, line {line}: {problem}", path = .path.display())]
    Line { path: PathBuf, line: usize, problem: &'static str },
    #[error("kept test: {path}: neither a file nor a directory", path = .0.display())]
    Special(PathBuf),
    #[error("kept test: {path}: has more than {most} bytes; set --max-seed-size", path = .path.display())]
    TooLarge { path: PathBuf, most: u64 },
}

trait At<T> {
    fn at(self, path: &Path) -> Result<T, KeptError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, KeptError> {
        self.map_err(|source| KeptError::File { path: path.to_owned(), source })
    }
}

/// Is this directory a kept test?
pub fn is_kept(directory: &Path) -> bool {
    directory.join("cmd").is_file()
}

/// Writes the input part and `run.sh`. `launch`: the name under which the program runs, and where versions are at home.
pub fn write(directory: &Path, test: &TestCase, launch: impl Into<Launch>) -> Result<(), KeptError> {
    fs::create_dir_all(directory).at(directory)?;
    put(&directory.join("cmd"), &lines(test.argv.iter().map(|argument| escape(argument))))?;
    put(&directory.join("stdin"), &test.stdin)?;
    let env = test.env.iter().map(|(name, value)| escape(&[name, &value[..]].join(&b'=')));
    put(&directory.join("env"), &lines(env))?;
    if !test.layout.is_empty() {
        put(&directory.join("layout"), layout::text(&test.layout).as_bytes())?;
    }
    let files = directory.join("files");
    fs::create_dir_all(&files).at(&files)?;
    for (path, bytes) in &test.files {
        put(&files.join(path), bytes)?;
    }
    let script = directory.join("run.sh");
    put(&script, &run_script(test, &launch.into()))?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).at(&script)
}

/// Writes the C file that makes the same call, beside a test of a function.
pub fn write_call(directory: &Path, text: &str) -> Result<(), KeptError> {
    fs::create_dir_all(directory).at(directory)?;
    put(&directory.join("call.c"), text.as_bytes())
}

/// Writes what one version did, to `old` or `new` in the test's directory.
pub fn write_run(directory: &Path, which: &str, run: &Run) -> Result<(), KeptError> {
    let directory = directory.join(which);
    fs::create_dir_all(&directory).at(&directory)?;
    let (exit, signal, limit) = ending(&run.outcome);
    let number = |n: Option<i32>| n.map(|n| format!("{n}\n")).unwrap_or_default();
    put(&directory.join("exit"), number(exit).as_bytes())?;
    put(&directory.join("signal"), number(signal).as_bytes())?;
    if let Some(limit) = limit {
        put(&directory.join("limit"), format!("{limit}\n").as_bytes())?;
    }
    put(&directory.join("stdout"), &run.stdout.bytes)?;
    put(&directory.join("stderr"), &run.stderr.bytes)?;
    let files = directory.join("files");
    fs::create_dir_all(&files).at(&files)?;
    let mut changes = Vec::new();
    for change in &run.files {
        let path = change.path();
        let what = match change {
            FileChange::Created { mode, content, .. } => format!("created {mode:o} {}", describe(content)),
            FileChange::Modified { mode, content, .. } => format!("changed {mode:o} {}", describe(content)),
            FileChange::Deleted { .. } => "deleted - -".to_owned(),
        };
        changes.push(format!("{what} {}", escape(path.as_os_str().as_bytes())));
        let (FileChange::Created { content, .. } | FileChange::Modified { content, .. }) = change else {
            continue;
        };
        if let Content::File(Output { bytes, .. }) = content {
            put(&files.join(path), bytes)?;
        }
    }
    put(&directory.join("changes"), &lines(changes.into_iter()))
}

/// Exit status and signal of a run that [`write_run`] wrote.
pub fn read_ending(directory: &Path, which: &str) -> Result<(Option<i32>, Option<i32>), KeptError> {
    let number = |name: &str| {
        let path = directory.join(which).join(name);
        let text = fs::read_to_string(&path).at(&path)?;
        let problem = "not a number";
        match text.trim() {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| KeptError::Line { path, line: 1, problem }),
        }
    };
    Ok((number("exit")?, number("signal")?))
}

/// The name under which a kept test runs its program, where it is plain text.
pub fn read_name(directory: &Path) -> Option<Vec<u8>> {
    let script = fs::read_to_string(directory.join("run.sh")).ok()?;
    let name = script.lines().find_map(|line| line.strip_prefix("name='")?.strip_suffix('\''))?;
    (!name.contains('\'')).then(|| name.as_bytes().to_vec())
}

/// Exit status, signal, and the limit that ended a run, in a word.
pub fn ending(outcome: &Outcome) -> (Option<i32>, Option<i32>, Option<&'static str>) {
    match *outcome {
        Outcome::Exited(status) => (Some(status), None, None),
        Outcome::Signaled(signal) => (None, Some(signal), None),
        Outcome::TimedOut => (None, None, Some("time")),
        Outcome::TooManyProcesses => (None, None, Some("processes")),
        Outcome::TooMuchMemory => (None, None, Some("memory")),
        Outcome::TooMuchWork => (None, None, Some("work")),
        Outcome::TooMuchOutput => (None, None, Some("output")),
        Outcome::FileTooLarge => (None, None, Some("file size")),
        Outcome::Lost => (None, None, Some("the fork server was lost")),
    }
}

fn describe(content: &Content) -> &'static str {
    match content {
        Content::File(Output { truncated: false, .. }) => "file",
        Content::File(_) => "file-cut",
        Content::Directory => "directory",
        Content::Symlink(_) => "link",
        Content::Other => "special",
    }
}

/// Reads the input part, of files of up to `most` bytes each. `stdin`, `env`, `layout` and `files` may be missing, as in tests written by hand.
pub fn read(directory: &Path, most: u64) -> Result<TestCase, KeptError> {
    let mut test = TestCase::default();
    let cmd = directory.join("cmd");
    for (number, line) in file_lines(&content(&cmd, most)?).enumerate() {
        test.argv.push(unescape(line).map_err(|problem| bad_line(&cmd, number, problem))?);
    }
    test.stdin = optional(&directory.join("stdin"), most)?;
    let env = directory.join("env");
    for (number, line) in file_lines(&optional(&env, most)?).enumerate() {
        let bytes = unescape(line).map_err(|problem| bad_line(&env, number, problem))?;
        let at = bytes.iter().position(|b| *b == b'=').filter(|at| *at > 0);
        let at = at.ok_or_else(|| bad_line(&env, number, "not of the form NAME=VALUE"))?;
        test.env.push((bytes[..at].to_vec(), bytes[at + 1..].to_vec()));
    }
    let place = directory.join("layout");
    for (number, line) in file_lines(&optional(&place, most)?).enumerate() {
        layout::read_line(line, &mut test.layout).map_err(|problem| bad_line(&place, number, problem))?;
    }
    let files = directory.join("files");
    if files.exists() {
        read_files(&files, Path::new(""), most, &mut test.files)?;
        test.files.sort();
    }
    Ok(test)
}

fn read_files(
    root: &Path,
    below: &Path,
    most: u64,
    found: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result<(), KeptError> {
    let directory = root.join(below);
    for entry in fs::read_dir(&directory).at(&directory)? {
        let entry = entry.at(&directory)?;
        let (path, kind) = (entry.path(), entry.file_type().at(&directory)?);
        let relative = below.join(entry.file_name());
        if kind.is_dir() {
            read_files(root, &relative, most, found)?;
        } else if kind.is_file() {
            found.push((relative, content(&path, most)?));
        } else {
            return Err(KeptError::Special(path));
        }
    }
    Ok(())
}

fn bad_line(path: &Path, number: usize, problem: &'static str) -> KeptError {
    KeptError::Line { path: path.to_owned(), line: number + 1, problem }
}

fn optional(path: &Path, most: u64) -> Result<Vec<u8>, KeptError> {
    match content(path, most) {
        Err(KeptError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// A regular file of up to `most` bytes. A pipe would be waited for without end.
pub fn content(path: &Path, most: u64) -> Result<Vec<u8>, KeptError> {
    let metadata = fs::metadata(path).at(path)?;
    if !metadata.is_file() {
        return Err(KeptError::Special(path.to_owned()));
    }
    let mut bytes = Vec::new();
    if metadata.len() <= most {
        File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).at(path)?;
    }
    match metadata.len().max(bytes.len() as u64) > most {
        true => Err(KeptError::TooLarge { path: path.to_owned(), most }),
        false => Ok(bytes),
    }
}

fn put(path: &Path, content: &[u8]) -> Result<(), KeptError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).at(parent)?;
    }
    fs::write(path, content).at(path)
}

fn lines(lines: impl Iterator<Item = String>) -> Vec<u8> {
    lines.map(|line| line + "\n").collect::<String>().into_bytes()
}

/// The lines of a file; what stands after the last newline is one too, if there is anything.
fn file_lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split_inclusive(|b| *b == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// One line for any bytes: printable text as it is, everything else and the backslash as `\xNN`.
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::new();
    let hex = |text: &mut String, bytes: &[u8]| {
        bytes.iter().for_each(|b| text.push_str(&format!("\\x{b:02x}")));
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() || c == '\\' {
                hex(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                text.push(c);
            }
        }
        hex(&mut text, chunk.invalid());
    }
    text
}

/// The inverse of [`escape`].
pub fn unescape(line: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((first, tail)) = rest.split_first() {
        if *first != b'\\' {
            out.push(*first);
            rest = tail;
            continue;
        }
        let digits =
            tail.strip_prefix(b"x").and_then(|t| t.get(..2)).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        let digits = digits
            .and_then(|d| std::str::from_utf8(d).ok())
            .ok_or("a backslash begins \\xNN, and nothing else")?;
        out.push(u8::from_str_radix(digits, 16).map_err(|_| "not a hexadecimal number")?);
        rest = &tail[3..];
    }
    Ok(out)
}
