//! `parallax export`: kept tests for other test frameworks.
//!
//! In: a directory with kept tests. Out: the tests in the format that was asked for, as text to print or in files; what that format cannot hold, on standard error.

use crate::error::CliError;
use crate::seeds;
use crate::units;
use clap::{Args, ValueEnum};
use parallax_report::export::{export as exported, Expectation, Export, Exported, Form};
use parallax_report::kept;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Whose behaviour is expected, unless the user says so: the first that a test has.
const SIDES: [&str; 3] = ["new", "recorded", "old"];

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Kept tests: one, or a directory with some at or below it
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The format
    #[arg(long = "as", value_name = "FORMAT", value_enum)]
    pub form: FormArg,
    /// Write to PATH, which must not exist: a file, for trycmd a directory [default: print]
    #[arg(long, value_name = "PATH")]
    pub write: Option<PathBuf>,
    /// What the program is called in the project: the target for ctest, the binary for trycmd [default: as in the tests]
    #[arg(long, value_name = "NAME")]
    pub program: Option<String>,
    /// Whose behaviour is expected: a directory of the tests [default: new, else recorded, else old]
    #[arg(long, value_name = "SIDE")]
    pub expect: Option<String>,
    /// Bytes of one input, or of one output
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = units::size)]
    pub max_seed_size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    /// One script for any POSIX shell, which prints TAP: `sh FILE BINARY [TEST...]`
    Shell,
    /// One file: `PROGRAM=BINARY bats FILE`
    Bats,
    /// One file to include in a CMakeLists.txt
    Ctest,
    /// A TOML file for each test, for the Rust crate trycmd
    Trycmd,
}

pub fn export(args: &ExportArgs) -> Result<String, CliError> {
    let form = match args.form {
        FormArg::Shell => Form::Shell,
        FormArg::Bats => Form::Bats,
        FormArg::Ctest => Form::CTest,
        FormArg::Trycmd => Form::Trycmd,
    };
    let mut names = BTreeSet::new();
    let (mut tests, mut without) = (Vec::new(), Vec::new());
    for path in seeds::kept_tests(std::slice::from_ref(&args.directory))? {
        let name = name(&path, &args.directory, &mut names);
        match test(&path, name, args)? {
            Ok(test) => tests.push(test),
            Err(reason) => without.push((path.display().to_string(), reason)),
        }
    }
    let program =
        args.program.clone().or_else(|| Some(String::from_utf8_lossy(&tests.first()?.argv0).into_owned()));
    let export = exported(&tests, form, &program.unwrap_or_default());
    let left_out = without.iter().map(|(name, reason)| (name, reason.as_str()));
    for (name, reason) in left_out.chain(export.left_out.iter().map(|(name, reason)| (name, *reason))) {
        eprintln!("parallax: {name} is left out: {reason}");
    }
    if export.files.is_empty() || tests.is_empty() {
        return Err(CliError::usage(format!(
            "{}: no test that can be exported as that; see above",
            args.directory.display()
        )));
    }
    match &args.write {
        None => Ok(printed(&export)),
        Some(path) => write(path, form, &export),
    }
}

/// A test, or why there is none.
fn test(path: &Path, name: String, args: &ExportArgs) -> Result<Result<Exported, String>, CliError> {
    let sides = args.expect.as_deref().map_or(SIDES.to_vec(), |side| vec![side]);
    let Some(side) = sides.iter().find(|side| path.join(side).join("exit").is_file()) else {
        return Ok(Err(format!("it does not say what is expected ({})", sides.join(", "))));
    };
    let (exit, signal) = kept::read_ending(path, side)?;
    if exit.is_none() && signal.is_none() {
        return Ok(Err("a limit ended it".to_owned()));
    }
    let stream = |stream: &str| kept::content(&path.join(side).join(stream), args.max_seed_size);
    let expected = Expectation { exit, signal, stdout: stream("stdout")?, stderr: stream("stderr")? };
    let test = kept::read(path, args.max_seed_size)?;
    let argv0 = kept::read_name(path).or_else(|| Some(args.program.clone()?.into_bytes()));
    Ok(Ok(Exported { name, test, argv0: argv0.unwrap_or_else(|| b"program".to_vec()), expected }))
}

/// From the way below the directory; every name once.
fn name(path: &Path, directory: &Path, names: &mut BTreeSet<String>) -> String {
    let below = path.strip_prefix(directory).ok().filter(|below| *below != Path::new(""));
    let below = below.unwrap_or(Path::new(path.file_name().unwrap_or_default()));
    let below = below.strip_prefix("tests").unwrap_or(below);
    let plain = |byte: u8| if byte.is_ascii_alphanumeric() { byte as char } else { '-' };
    let plain: String = below.as_os_str().as_bytes().iter().map(|byte| plain(*byte)).collect();
    let mut name = plain.clone();
    let mut number = 2;
    while !names.insert(name.clone()) {
        name = format!("{plain}-{number}");
        number += 1;
    }
    name
}

/// Several files with their names; what is no text only by its size.
fn printed(export: &Export) -> String {
    if let [(_, only)] = &export.files[..] {
        return String::from_utf8_lossy(only).into_owned();
    }
    let shown = |(path, bytes): &(PathBuf, Vec<u8>)| match std::str::from_utf8(bytes) {
        Ok(text) => format!("# {}\n{text}\n", path.display()),
        Err(_) => format!("# {}: {} bytes\n", path.display(), bytes.len()),
    };
    export.files.iter().map(shown).collect()
}

fn write(path: &Path, form: Form, export: &Export) -> Result<String, CliError> {
    if path.symlink_metadata().is_ok() {
        return Err(CliError::usage(format!("--write {}: exists; name another place", path.display())));
    }
    for (name, bytes) in &export.files {
        let place = if form == Form::Trycmd { path.join(name) } else { path.to_owned() };
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(CliError::Write)?;
        }
        fs::write(&place, bytes).map_err(CliError::Write)?;
        if form == Form::Shell {
            fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).map_err(CliError::Write)?;
        }
    }
    Ok(format!("{}\n", path.display()))
}
