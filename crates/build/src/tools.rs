//! The foreign programs that a build needs: clang, the LLVM tools, the native compiler.
//!
//! In: `PATH` and the `PARALLAX_*` variables. Out: names of programs to start.
//! What always holds: clang and the LLVM tools are of one major version, [`LLVM_MAJOR`].

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::{is_about_room, BuildError};
use crate::observe;

/// The LLVM release whose bitcode the whole project reads.
pub const LLVM_MAJOR: u32 = 19;
/// Names the compiler of native objects; set by `--native-cc`.
pub const ENV_NATIVE_CC: &str = "PARALLAX_NATIVE_CC";
/// The same for C++; derived from the C compiler's name if unset.
pub const ENV_NATIVE_CXX: &str = "PARALLAX_NATIVE_CXX";

/// Names under which build systems call a compiler without asking which.
pub const COMPILER_NAMES: &[&str] = &["cc", "gcc", "clang", "c++", "g++", "clang++"];

/// Which compiler driver is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    C,
    Cxx,
}

/// The clang that makes bitcode.
pub fn clang(language: Language) -> PathBuf {
    llvm_tool(match language {
        Language::C => "clang",
        Language::Cxx => "clang++",
    })
}

/// An LLVM program by its plain name: the one with the version in its name if there is one.
pub fn llvm_tool(name: &str) -> PathBuf {
    let versioned = format!("{name}-{LLVM_MAJOR}");
    find_program(&versioned).or_else(|| find_program(name)).unwrap_or_else(|| versioned.into())
}

/// The compiler that makes native objects and links, with the arguments that are part of its name
/// (`ccache gcc`, `gcc -m64`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    pub program: PathBuf,
    pub arguments: Vec<String>,
}

impl Compiler {
    /// Words separated by white space. The program is looked up at once, because during a build `gcc` on `PATH` may be the
    /// wrapper itself.
    pub fn parse(text: &str) -> Compiler {
        let mut words = text.split_whitespace().map(str::to_string);
        let name = words.next().unwrap_or_default();
        Compiler { program: find_program(&name).unwrap_or_else(|| name.into()), arguments: words.collect() }
    }

    /// The one that the environment names, or under whose name the wrapper was called, or clang.
    pub fn native(language: Language) -> Compiler {
        let named = |variable| env::var(variable).ok().filter(|v| !v.trim().is_empty());
        let cxx_of_cc = || named(ENV_NATIVE_CC).and_then(|cc| cxx_companion(&cc));
        let named = match language {
            Language::C => named(ENV_NATIVE_CC),
            Language::Cxx => named(ENV_NATIVE_CXX).or_else(cxx_of_cc),
        };
        let unnamed = || called_as().unwrap_or_else(|| clang(language));
        named.map_or_else(
            || Compiler { program: unnamed(), arguments: Vec::new() },
            |text| Compiler::parse(&text),
        )
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

/// The compiler that the build thinks it is calling, if the wrapper was put in the place of `gcc`, say.
fn called_as() -> Option<PathBuf> {
    let name = env::args_os().next()?;
    let name = Path::new(&name).file_name()?.to_str()?.to_string();
    COMPILER_NAMES.contains(&name.as_str()).then(|| find_program(&name))?
}

/// `g++-12` for `gcc-12`, `clang++` for `clang`, with the same directory and arguments.
fn cxx_companion(cc: &str) -> Option<String> {
    let is_compiler = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name == "cc" || ["gcc", "clang", "g++"].iter().any(|part| name.contains(part))
    };
    let word = cc.split_whitespace().find(is_compiler)?;
    let (directory, name) = word.rsplit_once('/').map_or(("", word), |(d, n)| (&word[..d.len() + 1], n));
    let cxx = match name {
        _ if name.contains("++") => name.to_string(),
        _ if name.contains("clang") => name.replacen("clang", "clang++", 1),
        _ if name.contains("gcc") => name.replacen("gcc", "g++", 1),
        _ => "c++".to_string(),
    };
    Some(cc.replacen(word, &format!("{directory}{cxx}"), 1))
}

/// First executable of this name on `PATH`; a name with a slash is taken as it is.
pub fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Path::new(name).is_file().then(|| name.into());
    }
    let path = env::var_os("PATH")?;
    // During a build, usual names of compilers lead to the wrapper, that is, to this program.
    let own = env::current_exe().and_then(fs::canonicalize).ok();
    let is_other = |candidate: &PathBuf| own.is_none() || fs::canonicalize(candidate).ok() != own;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|file| is_executable(file) && is_other(file))
}

/// A regular file that somebody may execute.
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// First line of `--version`: part of every cache key.
pub fn version_of(program: &Path) -> Result<String, BuildError> {
    let output = run(Command::new(program).arg("--version"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().to_string())
}

/// Runs a tool to its end with no input and captured output; the status is the caller's to judge.
pub fn run(command: &mut Command) -> Result<Output, BuildError> {
    observe::dies_with_us(command).stdin(Stdio::null()).output().map_err(|source| BuildError::Tool {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })
}

/// As [`run`], but an unsuccessful status is an error with the tool's own message.
pub fn run_checked(command: &mut Command) -> Result<Output, BuildError> {
    let output = run(command)?;
    if output.status.success() {
        return Ok(output);
    }
    let message = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
    if is_about_room(&message) {
        let path = env::temp_dir();
        return Err(BuildError::NoRoom { path, detail: message });
    }
    Err(BuildError::ToolFailed { command: show(command), status: output.status, message })
}

/// A command as a person would type it (unusual characters not quoted).
pub fn show(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|part| part.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cxx_compiler_follows_from_the_c_compiler() {
        let companion = |cc: &str| cxx_companion(cc).unwrap_or_default();
        assert_eq!(companion("gcc-12"), "g++-12");
        assert_eq!(companion("/opt/bin/clang-19"), "/opt/bin/clang++-19");
        assert_eq!(companion("ccache gcc -m64"), "ccache g++ -m64");
        assert_eq!(companion("cc"), "c++");
        assert_eq!(cxx_companion("tcc"), None);
    }

    #[test]
    fn a_compiler_may_have_arguments() {
        let compiler = Compiler::parse("no-such-ccache gcc -m64");
        assert_eq!(compiler.program, Path::new("no-such-ccache"));
        assert_eq!(compiler.arguments, ["gcc", "-m64"]);
    }

    #[test]
    fn a_program_that_is_not_there_is_not_found() {
        assert_eq!(find_program("no-such-program-anywhere"), None);
    }
}
