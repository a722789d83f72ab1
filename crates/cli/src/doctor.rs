//! `parallax doctor`: is everything here that is needed?
//!
//! In: this machine. Out: a list, each item there or missing; for a missing one, how to get it. What is
//! only useful does not count as missing.

use crate::error::CliError;
use parallax_build::tools::{find_program, llvm_tool, version_of, LLVM_MAJOR};
use parallax_execute::{Confinement, Executor, Kind, Limits, Options, Outcome, TestCase};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What was found of one thing.
struct Finding {
    name: String,
    /// What there is, or what is wrong and what to do.
    state: Result<String, String>,
    needed: bool,
}

/// Prints the list; an error if something needed is missing.
pub fn doctor(out: &mut dyn Write) -> Result<(), CliError> {
    let findings: Vec<Finding> =
        tools().into_iter().chain([wrapper(), kernel(), confinement(), cache()]).collect();
    let width = findings.iter().map(|f| f.name.len()).max().unwrap_or(0);
    for finding in &findings {
        let (mark, text) = match (&finding.state, finding.needed) {
            (Ok(text), _) => ("ok", text),
            (Err(text), true) => ("MISSING", text),
            (Err(text), false) => ("optional", text),
        };
        writeln!(out, "{mark:8}  {:width$}  {text}", finding.name).map_err(CliError::Write)?;
    }
    match findings.iter().filter(|f| f.needed && f.state.is_err()).count() {
        0 => Ok(()),
        missing => Err(CliError::Machine(missing)),
    }
}

/// Programs of other projects.
fn tools() -> Vec<Finding> {
    let llvm = format!("llvm-{LLVM_MAJOR}");
    let clang = format!("clang-{LLVM_MAJOR}");
    let lld = format!("lld-{LLVM_MAJOR}");
    let of_llvm = [
        ("clang", &clang),
        ("clang++", &clang),
        ("ld.lld", &lld),
        ("opt", &llvm),
        ("llvm-link", &llvm),
        ("llvm-as", &llvm),
        ("llvm-dis", &llvm),
        ("llvm-nm", &llvm),
        ("llvm-ar", &llvm),
        ("llvm-objcopy", &llvm),
    ];
    let mut findings: Vec<Finding> =
        of_llvm.into_iter().map(|(name, package)| llvm_program(name, package)).collect();
    for (name, why) in [
        ("make", "for the build commands of most trees"),
        ("git", "for git:REV"),
        ("patch", "for --patch"),
        ("z3", "for the tests of Parallax itself"),
    ] {
        let found = find_program(name).ok_or_else(|| format!("{why}: apt-get install {name}"));
        let state = found.map(|path| described(&path));
        findings.push(Finding { name: name.to_owned(), state, needed: false });
    }
    findings
}

/// A tool of the LLVM release that Parallax is built with.
fn llvm_program(name: &str, package: &str) -> Finding {
    let install = format!("apt-get install {package}");
    let path = llvm_tool(name);
    let state = match version_of(&path) {
        Ok(version) if is_major(&version, LLVM_MAJOR) => Ok(format!("{} ({version})", path.display())),
        // The first line of some tools names the project only; the name of the file has the release.
        Ok(version) if path.to_string_lossy().ends_with(&format!("-{LLVM_MAJOR}")) => {
            Ok(format!("{} ({version})", path.display()))
        }
        Ok(version) => {
            Err(format!("{} is {version}, release {LLVM_MAJOR} is needed: {install}", path.display()))
        }
        Err(_) => Err(format!("not found: {install}")),
    };
    Finding { name: name.to_owned(), state, needed: true }
}

/// Does a version line such as `Debian clang version 19.1.7` name this release?
fn is_major(version: &str, major: u32) -> bool {
    version
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .any(|word| word.split_once('.').is_some_and(|(first, _)| first.parse() == Ok(major)))
}

fn described(path: &Path) -> String {
    match version_of(path) {
        Ok(version) if !version.is_empty() => format!("{} ({version})", path.display()),
        _ => path.display().to_string(),
    }
}

fn wrapper() -> Finding {
    let beside = std::env::current_exe().ok().map(|exe| exe.with_file_name("parallax-cc"));
    let found = beside.filter(|path| path.is_file()).or_else(|| find_program("parallax-cc"));
    let missing =
        "neither beside parallax nor on PATH: cargo build --workspace, or cargo install --path crates/cli";
    let state = found.map(|path| path.display().to_string()).ok_or_else(|| missing.to_owned());
    Finding { name: "parallax-cc".to_owned(), state, needed: true }
}

fn kernel() -> Finding {
    let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).ok();
    let release = read("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".to_owned());
    let modules = read("/sys/kernel/security/lsm").unwrap_or_else(|| "not readable".to_owned());
    let namespaces = read("/proc/sys/user/max_user_namespaces").unwrap_or_else(|| "none".to_owned());
    let state = Ok(format!("Linux {release}; security modules: {modules}; user namespaces: {namespaces}"));
    Finding { name: "kernel".to_owned(), state, needed: false }
}

/// Runs a program that does nothing, confined: the only honest test.
fn confinement() -> Finding {
    let state = confined_run().map(|confinement| {
        let confinement = confinement.unwrap_or(Confinement::None);
        let in_force = match confinement {
            Confinement::Namespaces => "namespaces, overlays, Landlock, system-call filter",
            Confinement::SharedFiles => "namespaces, read-only mounts, Landlock, system-call filter",
            Confinement::Landlock => "Landlock and system-call filter (no namespaces here)",
            Confinement::None => "limits only",
        };
        match confinement.not_promised() {
            [] => in_force.to_owned(),
            open => format!("{in_force}; not out of reach: {}", open.join("; ")),
        }
    });
    Finding { name: "confinement".to_owned(), state, needed: true }
}

fn confined_run() -> Result<Option<Confinement>, String> {
    let program = find_program("true").ok_or("no program `true` to try it with")?;
    let mut executor =
        Executor::new(&program, Kind::Native, Options::default()).map_err(|error| error.to_string())?;
    let confinement = executor.confinement();
    let run = executor.run(&TestCase::default(), &Limits::default()).map_err(|error| error.to_string())?;
    match run.outcome {
        Outcome::Exited(0) => Ok(confinement),
        other => Err(format!("a confined run of {} ended with {other:?}", program.display())),
    }
}

fn cache() -> Finding {
    let cache = parallax_build::Cache::from_environment();
    let place: PathBuf = cache.root().to_owned();
    let state = cache
        .temporary(".doctor")
        .map(|_| place.display().to_string())
        .map_err(|error| format!("cannot write there ({error}): set PARALLAX_CACHE to a directory"));
    Finding { name: "cache".to_owned(), state, needed: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_read_from_a_version_line() {
        assert!(is_major("Debian clang version 19.1.7 (3~deb12u1)", 19));
        assert!(is_major("Debian LLD 19.1.7 (compatible with GNU linkers)", 19));
        assert!(!is_major("clang version 14.0.19", 19));
        assert!(!is_major("version 119.1", 19));
    }
}
