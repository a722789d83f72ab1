//! From the command line as typed to what is to be done: files read, names split, kinds decided.
//!
//! In: [`TraceArgs`]. Out: [`TraceJob`], or a message that says what is wrong and what to do.
//!
//! Always holds: afterwards no file that the command line names is read again, except the program's.

use crate::args::{BuildArgs, Format, InputArgs, InputKind, LimitArgs, ModeArg, TraceArgs};
use crate::error::CliError;
use crate::input_files::{stays_inside, InputFiles};
use crate::reading::read;
use parallax_execute::TestCase;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One run to make and to show.
#[derive(Debug)]
pub struct TraceJob {
    pub target: Target,
    pub build: BuildArgs,
    pub inputs: Inputs,
    pub symbolic: SymbolicKinds,
    pub format: Format,
    pub mode: ModeArg,
    pub show: usize,
    pub time: Duration,
    pub limits: LimitArgs,
}

/// What is to be traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// One C file.
    File(PathBuf),
    /// A tree to build.
    Directory(PathBuf),
    /// A revision of the repository around a directory.
    Revision { directory: PathBuf, revision: String },
    /// A program that was built with `parallax-cc`.
    Program(PathBuf),
}

/// A test case, read from disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    pub arguments: Vec<Vec<u8>>,
    pub stdin: Vec<u8>,
    /// Paths relative to the run's directory.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// What the user should know about them.
    pub warnings: Vec<String>,
    /// Arguments that look like files and name none.
    pub unnamed: Vec<String>,
}

/// Which kinds of inputs are symbolic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolicKinds {
    pub arguments: bool,
    pub stdin: bool,
    pub files: bool,
    pub env: bool,
}

pub fn trace(args: TraceArgs) -> Result<TraceJob, CliError> {
    let target = target(&args.program)?;
    no_build_command(&args.build, &target)?;
    let inputs = Inputs::read(&args.inputs)?;
    for warning in inputs.warnings.iter().cloned().chain(inputs.unnamed.iter().map(|name| unnamed(name))) {
        eprintln!("parallax: warning: {warning}");
    }
    Ok(TraceJob {
        target,
        build: args.build,
        inputs,
        symbolic: symbolic(args.symbolic.as_deref()),
        format: args.format,
        mode: args.mode,
        show: args.show,
        time: args.time,
        limits: args.limits,
    })
}

/// A C file and a program that is built already need no build command.
pub fn no_build_command(build: &BuildArgs, target: &Target) -> Result<(), CliError> {
    if build.build.is_some() && matches!(target, Target::File(_) | Target::Program(_)) {
        return Err(CliError::usage("--build is for directories and git:REV; leave it out"));
    }
    Ok(())
}

/// What PROGRAM, OLD or NEW names.
pub fn target(name: &OsStr) -> Result<Target, CliError> {
    if let Some(revision) = name.to_str().and_then(|n| n.strip_prefix("git:")) {
        return Ok(Target::Revision { directory: PathBuf::from("."), revision: revision.to_owned() });
    }
    let path = PathBuf::from(name);
    let kind = fs::metadata(&path).map_err(|source| CliError::Read {
        what: "PROGRAM",
        path: path.clone(),
        source,
    })?;
    Ok(match path.extension().and_then(OsStr::to_str) {
        _ if kind.is_dir() => Target::Directory(path),
        Some("c") => Target::File(path),
        _ => Target::Program(path),
    })
}

/// What is said of an argument that looks like a file and names none.
pub fn unnamed(argument: &str) -> String {
    format!(
        "the argument `{argument}` looks like a file, and there is none of that name here; the program gets the name alone"
    )
}

/// Which kinds of inputs the options make symbolic.
pub fn symbolic(kinds: Option<&[InputKind]>) -> SymbolicKinds {
    let has = |kind| kinds.is_none_or(|kinds| kinds.contains(&kind));
    SymbolicKinds {
        arguments: has(InputKind::Argv),
        stdin: has(InputKind::Stdin),
        files: has(InputKind::Files),
        env: has(InputKind::Env),
    }
}

impl SymbolicKinds {
    pub fn for_runs(self) -> parallax_execute::Symbolic {
        let SymbolicKinds { arguments, stdin, files, env } = self;
        parallax_execute::Symbolic { arguments, stdin, files, env }
    }
}

impl Inputs {
    /// From the options that describe a test case.
    pub fn read(args: &InputArgs) -> Result<Inputs, CliError> {
        let stdin = args.stdin.as_deref().map(|path| read(path, "--stdin", &args.read)).transpose()?;
        let mut inputs = Inputs { stdin: stdin.unwrap_or_default(), ..Inputs::default() };
        let mut named = InputFiles::default();
        for file in &args.files {
            let (name, path) = assignment(file, "--file NAME=PATH")?;
            let name = PathBuf::from(OsString::from_vec(name));
            if !stays_inside(&name) {
                return Err(CliError::usage(format!(
                    "--file {}: the name must be a relative path without `..`",
                    name.display()
                )));
            }
            named.add(name, read(Path::new(OsStr::from_bytes(&path)), "--file", &args.read)?)?;
        }
        for variable in &args.env {
            inputs.env.push(assignment(variable, "--env NAME=VALUE")?);
        }
        for argument in &args.arguments {
            inputs.arguments.push(named.argument(argument.clone(), &args.read)?);
        }
        let InputFiles { files, warnings, mut unnamed } = named;
        // A file that was given with --file is there.
        unnamed.retain(|name| !files.iter().any(|(path, _)| path == Path::new(name)));
        Ok(Inputs { files, warnings, unnamed, ..inputs })
    }

    pub fn test_case(&self) -> TestCase {
        let inputs = self.clone();
        TestCase {
            argv: inputs.arguments,
            stdin: inputs.stdin,
            files: inputs.files,
            env: inputs.env,
            ..TestCase::default()
        }
    }
}

fn assignment(text: &OsStr, usage: &str) -> Result<(Vec<u8>, Vec<u8>), CliError> {
    let bytes = text.as_bytes();
    match bytes.iter().position(|b| *b == b'=') {
        Some(at) if at > 0 => Ok((bytes[..at].to_vec(), bytes[at + 1..].to_vec())),
        _ => Err(CliError::usage(format!("`{}` is not of the form {usage}", text.to_string_lossy()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn job(line: &[&str]) -> Result<TraceJob, CliError> {
        let line = ["parallax", "trace"].iter().chain(line);
        match crate::args::Cli::try_parse_from(line).unwrap().command {
            crate::args::Command::Trace(args) => trace(*args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_argument_that_names_a_file_makes_it_an_input() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("data.txt");
        fs::write(&file, "content").unwrap();
        let job = job(&["Cargo.toml", "--", "-n", file.to_str().unwrap(), "no-such-file"]).unwrap();
        assert_eq!(job.inputs.arguments, [b"-n".to_vec(), b"data.txt".to_vec(), b"no-such-file".to_vec()]);
        assert_eq!(job.inputs.files, [(PathBuf::from("data.txt"), b"content".to_vec())]);
    }

    #[test]
    fn a_relative_file_keeps_its_path() {
        let job = job(&["Cargo.toml", "--", "src/main.rs"]).unwrap();
        assert_eq!(job.inputs.arguments, [b"src/main.rs".to_vec()]);
        assert_eq!(job.inputs.files[0].0, PathBuf::from("src/main.rs"));
    }

    #[test]
    fn two_files_of_one_name_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in [("a", "1"), ("b", "2")] {
            fs::create_dir(directory.path().join(name)).unwrap();
            fs::write(directory.path().join(name).join("f"), content).unwrap();
        }
        let path = |name: &str| directory.path().join(name).join("f").to_str().unwrap().to_owned();
        let error = job(&["Cargo.toml", "--", &path("a"), &path("b")]).unwrap_err();
        assert!(error.to_string().contains("rename one"), "{error}");
    }

    #[test]
    fn chosen_kinds_are_the_only_symbolic_ones() {
        let kinds = job(&["Cargo.toml", "--symbolic", "argv,env"]).unwrap().symbolic;
        assert_eq!(kinds, SymbolicKinds { arguments: true, stdin: false, files: false, env: true });
        let none = job(&["Cargo.toml", "--symbolic", "none"]).unwrap().symbolic;
        assert_eq!(none, SymbolicKinds { arguments: false, stdin: false, files: false, env: false });
    }

    #[test]
    fn bad_names_and_missing_files_are_usage_errors() {
        for bad in [
            vec!["Cargo.toml", "--env", "=x"],
            vec!["Cargo.toml", "--file", "../x=Cargo.toml"],
            vec!["Cargo.toml", "--file", "x"],
            vec!["Cargo.toml", "--stdin", "no-such-file"],
            vec!["no-such-program"],
        ] {
            let error = job(&bad).unwrap_err();
            assert_eq!(error.exit_code().number(), 2, "{bad:?}: {error}");
        }
    }
}
