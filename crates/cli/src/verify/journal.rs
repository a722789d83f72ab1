//! What is remembered of a verification, so that another one goes on from it.
//!
//! In: entries, as they are made. Out: `partitions/journal.jsonl` in the output directory: a line that says what was verified, then a line for each entry;
//! and, for `--resume`, what is there.
//!
//! Always holds: a line that is not whole is not read; a journal of other versions or bounds is refused; a journal that is taken over is in the new
//! directory before anything else happens.

use crate::diff::Comparison;
use crate::error::CliError;
use crate::verify_args::VerifyArgs;
use parallax_verify::Entry;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Below the output directory.
pub const DIRECTORY: &str = "partitions";
const FILE: &str = "journal.jsonl";

/// What is verified. Another identity, another verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Hashes of what was built: the native program and its bitcode.
    old: String,
    new: String,
    /// The first test case, and the options that decide what is explored and compared.
    options: String,
}

impl Identity {
    pub fn of(comparison: &Comparison, args: &VerifyArgs) -> Result<Identity, CliError> {
        let built = |i: usize| {
            let version = &comparison.built[i];
            hash(&[&version.native, &version.bitcode])
        };
        let seed = comparison.tests();
        let VerifyArgs { partitions, max_input, min_input, max_shapes, oracle, .. } = args;
        let options = format!(
            "{partitions:?} {min_input} {max_input} {max_shapes} {:?} {:?} {:?} {seed:?}",
            args.kinds(),
            oracle.ignore,
            oracle.compare,
        );
        Ok(Identity { old: built(0)?, new: built(1)?, options })
    }

    /// What of this is not as it was there.
    fn changed(&self, before: &Identity) -> Option<&'static str> {
        [
            (self.old != before.old, "the old version has changed"),
            (self.new != before.new, "the new version has changed"),
            (self.options != before.options, "the first input or the options are others"),
        ]
        .into_iter()
        .find_map(|(changed, what)| changed.then_some(what))
    }
}

fn hash(paths: &[&PathBuf]) -> Result<String, CliError> {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        let content = fs::read(path).map_err(|source| CliError::Read {
            what: "what was built",
            path: (*path).clone(),
            source,
        })?;
        hasher.write(&content);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Where the journal of a result is: its own, or, should taking it over have been interrupted, that of the one before.
fn place(out: &Path) -> Option<PathBuf> {
    let mut old = out.as_os_str().to_owned();
    old.push(".old");
    [out.to_owned(), PathBuf::from(old)]
        .into_iter()
        .map(|directory| directory.join(DIRECTORY).join(FILE))
        .find(|path| fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0))
}

/// Is there anything to go on from?
pub fn check(out: &Path) -> Result<(), CliError> {
    place(out).map(drop).ok_or_else(|| {
        CliError::usage(format!(
            "--resume: {} holds no verification to go on with; leave --resume out, or name its directory with --out",
            out.display()
        ))
    })
}

/// The entries of an earlier verification of the same.
pub fn read(out: &Path, identity: &Identity) -> Result<Vec<Entry>, CliError> {
    check(out)?;
    let path = place(out).unwrap_or_default();
    let text = fs::read_to_string(&path).map_err(|source| CliError::Read {
        what: "the journal of the verification",
        path: path.clone(),
        source,
    })?;
    let mut lines = text.lines();
    let before: Option<Identity> = lines.next().and_then(|line| serde_json::from_str(line).ok());
    let Some(before) = before else {
        return Err(CliError::usage(format!(
            "--resume: {} is damaged; verify anew, without --resume",
            path.display()
        )));
    };
    if let Some(what) = identity.changed(&before) {
        return Err(CliError::usage(format!(
            "--resume: {what} since {} was made, so what was shown there is not about these versions and inputs; verify anew, without --resume",
            out.display()
        )));
    }
    Ok(lines.map_while(|line| serde_json::from_str(line).ok()).collect())
}

/// See the module.
pub struct Journal {
    file: File,
    path: PathBuf,
    written: HashSet<String>,
}

impl Journal {
    /// `known`: what is taken over.
    pub fn begin(out: &Path, identity: &Identity, known: &[Entry]) -> Result<Journal, CliError> {
        let directory = out.join(DIRECTORY);
        let path = directory.join(FILE);
        let mut text = serde_json::to_string(identity)? + "\n";
        let mut written = HashSet::new();
        for entry in known {
            let line = serde_json::to_string(entry)?;
            text.push_str(&line);
            text.push('\n');
            written.insert(line);
        }
        let made = fs::create_dir_all(&directory)
            .and_then(|()| fs::write(directory.join(".journal.new"), &text))
            .and_then(|()| fs::rename(directory.join(".journal.new"), &path))
            .and_then(|()| File::options().append(true).open(&path));
        let file = made.map_err(CliError::Write)?;
        Ok(Journal { file, path, written })
    }

    /// An entry that is there already is not written again.
    pub fn keep(&mut self, entry: &Entry) -> Result<(), CliError> {
        let line = serde_json::to_string(entry)?;
        if self.written.insert(line.clone()) {
            self.file.write_all((line + "\n").as_bytes()).map_err(|error| {
                CliError::Write(std::io::Error::new(
                    error.kind(),
                    format!("{}: {error}", self.path.display()),
                ))
            })?;
        }
        Ok(())
    }
}
