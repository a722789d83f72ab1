//! Tests for the Rust crate trycmd: `NAME.toml`, and `NAME.in/` for files.
//!
//! Always holds: what trycmd has no place for (bytes that are no text, links, modes, signals) is left out with the reason. Its wildcards (`[..]`, `...`) do not occur in what is expected.

use super::{Export, Exported};
use std::path::{Path, PathBuf};

pub fn files(tests: &[Exported], program: &str) -> Export {
    let mut export = Export::default();
    for test in tests {
        match one(test, program) {
            Ok(files) => export.files.extend(files),
            Err(reason) => export.left_out.push((test.name.clone(), reason)),
        }
    }
    export
}

fn one(exported: &Exported, program: &str) -> Result<Vec<(PathBuf, Vec<u8>)>, &'static str> {
    let Exported { name, test, expected, .. } = exported;
    if !test.layout.links.is_empty() || !test.layout.modes.is_empty() || !test.layout.directories.is_empty() {
        return Err("trycmd has no links, modes and empty directories");
    }
    let status = expected.exit.ok_or("trycmd expects no signal by its number")?;
    let (stdout, stderr) = (expectation(&expected.stdout)?, expectation(&expected.stderr)?);
    let mut toml = format!("bin.name = {}\n", quoted(program));
    let words = test.argv.iter().map(|word| text(word).map(quoted)).collect::<Result<Vec<_>, _>>()?;
    toml.push_str(&format!("args = [{}]\n", words.join(", ")));
    toml.push_str(&format!("status.code = {status}\n"));
    toml.push_str(&format!("stdin = {}\n", quoted(text(&test.stdin)?)));
    toml.push_str(&format!("stdout = {}\nstderr = {}\n", quoted(stdout), quoted(stderr)));
    toml.push_str("fs.sandbox = true\n");
    let at = &test.layout.working_directory;
    if at != Path::new("") {
        let at = Path::new(&format!("{name}.in")).join(at);
        toml.push_str(&format!("fs.cwd = {}\n", quoted(at.to_str().ok_or("a name is no text")?)));
    }
    for (variable, value) in &test.env {
        toml.push_str(&format!("env.add.{} = {}\n", quoted(text(variable)?), quoted(text(value)?)));
    }
    let inputs = PathBuf::from(format!("{name}.in"));
    let files = test.files.iter().map(|(path, bytes)| (inputs.join(path), bytes.clone()));
    Ok(std::iter::once((format!("{name}.toml").into(), toml.into_bytes())).chain(files).collect())
}

fn text(bytes: &[u8]) -> Result<&str, &'static str> {
    std::str::from_utf8(bytes).map_err(|_| "trycmd takes text only")
}

fn expectation(bytes: &[u8]) -> Result<&str, &'static str> {
    let text = text(bytes)?;
    let wild = text.contains("[..]") || text.contains("[EXE]") || text.lines().any(|line| line == "...");
    match wild || text.contains('\r') {
        true => Err("what is expected would mean something else to trycmd"),
        false => Ok(text),
    }
}

/// A basic string of TOML.
fn quoted(text: impl AsRef<str>) -> String {
    let mut out = String::from("\"");
    for c in text.as_ref().chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}
