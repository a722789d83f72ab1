//! `parallax.toml`: options that a tree brings with it.
//!
//! In: the arguments of the command line, and the file in the current directory or the nearest one above it. Out: the
//! arguments with those of the file added that the command line does not give.
//!
//! Always holds: a key is the name of an option, or `old`, `new` or `arguments`; any other is an error that names
//! those there are. Paths in the file are relative to its directory.

use crate::diff_args::DiffArgs;
use crate::error::CliError;
use clap::Args;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use toml::Value;

pub const FILE: &str = "parallax.toml";

/// Options whose values are paths.
const PATHS: [&str; 5] = ["stdin", "seeds", "out", "patch", "record-queries"];
/// What is not an option on the command line.
const POSITIONAL: [&str; 3] = ["old", "new", "arguments"];

/// A file that was found.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it lies.
    pub directory: PathBuf,
    values: toml::Table,
}

impl Config {
    /// The nearest file at or above `directory`; not above the repository that holds it.
    pub fn find(directory: &Path) -> Result<Option<Config>, CliError> {
        for above in directory.ancestors() {
            let path = above.join(FILE);
            // A directory or a link that leads nowhere is a mistake that reading it will name.
            if path.symlink_metadata().is_ok() {
                return Config::read(&path).map(Some);
            }
            if above.join(".git").exists() {
                break;
            }
        }
        Ok(None)
    }

    fn read(path: &Path) -> Result<Config, CliError> {
        let text = fs::read_to_string(path).map_err(|source| CliError::Read {
            what: "configuration",
            path: path.to_owned(),
            source,
        })?;
        let values: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| CliError::usage(format!("{}: {error}", path.display())))?;
        let known = known_keys();
        if let Some(unknown) = values.keys().find(|key| !known.contains(key)) {
            let known = known.join(", ");
            return Err(CliError::usage(format!(
                "{}: no option `{unknown}`; there are: {known}",
                path.display()
            )));
        }
        Ok(Config { directory: path.parent().unwrap_or(Path::new(".")).to_owned(), values })
    }

    /// The command line of a command (without the first two words), completed with the options that it has.
    pub fn complete(
        &self,
        typed: &[OsString],
        known: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<OsString>, CliError> {
        let split = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
        let (typed, arguments) = typed.split_at(split);
        let mut line = Vec::new();
        for (key, value) in self.values.iter().filter(|(key, _)| !POSITIONAL.contains(&key.as_str())) {
            if known(key) && !typed.iter().any(|word| is_option(word, key)) {
                line.extend(self.option(key, value)?);
            }
        }
        line.extend_from_slice(typed);
        if arguments.is_empty() && known("arguments") {
            if let Some(value) = self.values.get("arguments") {
                line.push("--".into());
                line.extend(strings("arguments", value)?.into_iter().map(OsString::from));
            }
        }
        line.extend_from_slice(arguments);
        Ok(line)
    }

    /// `old` or `new`.
    pub fn version(&self, key: &str) -> Result<Option<OsString>, CliError> {
        let Some(value) = self.values.get(key) else { return Ok(None) };
        let text = single(key, value)?;
        Ok(Some(if text.starts_with("git:") { text.into() } else { self.directory.join(text).into() }))
    }

    fn option(&self, key: &str, value: &Value) -> Result<Vec<OsString>, CliError> {
        match value {
            Value::Boolean(false) => Ok(Vec::new()),
            Value::Boolean(true) => Ok(vec![format!("--{key}").into()]),
            value => Ok(strings(key, value)?.into_iter().map(|text| self.assignment(key, &text)).collect()),
        }
    }

    fn assignment(&self, key: &str, text: &str) -> OsString {
        let mut word = OsString::from(format!("--{key}="));
        match (PATHS.contains(&key), text.split_once('=')) {
            (true, _) => word.push(self.directory.join(text)),
            _ if key == "golden" && !text.starts_with("git:") => word.push(self.directory.join(text)),
            (false, Some((name, path))) if key == "file" => {
                word.push(format!("{name}="));
                word.push(self.directory.join(path));
            }
            _ => word.push(text),
        }
        word
    }
}

fn known_keys() -> Vec<String> {
    let command = DiffArgs::augment_args(clap::Command::new("diff"));
    let options = command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned));
    options.chain(POSITIONAL.map(str::to_owned)).collect()
}

fn is_option(word: &OsStr, key: &str) -> bool {
    let Some(name) = word.to_str().and_then(|word| word.strip_prefix("--")) else { return false };
    name.split('=').next() == Some(key)
}

fn strings(key: &str, value: &Value) -> Result<Vec<String>, CliError> {
    match value {
        Value::Array(values) => values.iter().map(|value| single(key, value)).collect(),
        value => Ok(vec![single(key, value)?]),
    }
}

fn single(key: &str, value: &Value) -> Result<String, CliError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        _ => Err(CliError::usage(format!("{FILE}: `{key}` must be a string, a number, or a list of them"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(file: &str, typed: &[&str]) -> Result<Vec<String>, CliError> {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(FILE), file).unwrap();
        let config = Config::find(directory.path())?.unwrap();
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        let root = format!("{}/", directory.path().display());
        let line = config.complete(&typed, &|_| true)?;
        Ok(line.into_iter().map(|word| word.into_string().unwrap().replace(&root, "<root>/")).collect())
    }

    #[test]
    fn options_of_the_file_are_added_and_the_command_line_wins() {
        let file = "build = 'make'\ntime = '5s'\nruns = 7\nignore = ['a', 'b']\nunconfined = true\n";
        let line = completed(file, &["x", "--time=9s", "--", "--build", "y"]).unwrap();
        let options = ["--build=make", "--ignore=a", "--ignore=b", "--runs=7", "--unconfined"];
        let mut sorted = line[..5].to_vec();
        sorted.sort();
        assert_eq!(sorted, options);
        assert_eq!(line[5..], ["x", "--time=9s", "--", "--build", "y"]);
    }

    #[test]
    fn paths_are_relative_to_the_file_and_arguments_can_be_left_out() {
        let line = completed("seeds = 'tests'\narguments = ['-u', 3]\n", &[]).unwrap();
        assert_eq!(line, ["--seeds=<root>/tests", "--", "-u", "3"]);
        let line = completed("file = ['n=data']\nunconfined = false\n", &["--", "z"]).unwrap();
        assert_eq!(line, ["--file=n=<root>/data", "--", "z"]);
    }

    #[test]
    fn an_unknown_key_is_named_with_those_there_are() {
        let error = completed("tiem = '5s'\n", &[]).unwrap_err();
        assert_eq!(error.exit_code().number(), 2);
        let text = error.to_string();
        assert!(text.contains("`tiem`") && text.contains("time"), "{text}");
        assert!(completed("time = [[1]]\n", &[]).is_err());
        assert!(completed("time = \n", &[]).unwrap_err().to_string().contains(FILE));
    }
}
