//! Everything that can go wrong in a build, in words for the user.
//!
//! What always holds: a message says what went wrong, where, and what to do about it.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{path}: {source}{}", advice(.source), path = .path.display())]
    File { path: PathBuf, source: io::Error },

    #[error("cannot start {program}: {source}; `parallax doctor` says how to get it")]
    Tool { program: String, source: io::Error },

    #[error("{command}\nfailed ({status}):\n{message}")]
    ToolFailed { command: String, status: ExitStatus, message: String },

    #[error("{path}: no such file", path = .0.display())]
    NoSuchFile(PathBuf),

    #[error(
        "{path}: a script ({interpreter}), not a program; name the program that it starts",
        path = .path.display()
    )]
    Script { path: PathBuf, interpreter: String },

    #[error("{path}: not an ELF program", path = .0.display())]
    NotElf(PathBuf),

    #[error("{path}: an object or archive, not a linked program; name the program it goes into", path = .0.display())]
    NotLinked(PathBuf),

    #[error(
        "{path}: holds no record of its bitcode: it was not built with CC=parallax-cc, or everything but \
         code and data was stripped from it (llvm-strip does that, strip does not); build it with \
         parallax-cc, and name the program before it is stripped",
        path = .0.display()
    )]
    NotInstrumented(PathBuf),

    #[error(
        "{path}: no object of this program has bitcode:\n{table}",
        path = .path.display()
    )]
    NoBitcodeAtAll { path: PathBuf, table: String },

    #[error(
        "{program}: its bitcode cannot be linked into one module:\n{message}",
        program = .program.display()
    )]
    ModuleLink { program: PathBuf, message: String },

    #[error(
        "the build failed ({status}): {command}\nin {directory}, which is kept for you to look at; the whole log is {log}\n{tail}",
        directory = .directory.display(),
        log = .log.display()
    )]
    BuildFailed { command: String, directory: PathBuf, log: PathBuf, status: ExitStatus, tail: String },

    #[error("{path}: a 32-bit file; Parallax compares 64-bit programs: build without -m32", path = .path.display())]
    Of32Bits { path: PathBuf },

    #[error("no room left on the disk of {path}; {ROOM}\n{detail}", path = .path.display())]
    NoRoom { path: PathBuf, detail: String },

    #[error("the build was stopped")]
    Stopped,

    #[error("{source_name}: a directory needs a build command (--build CMD, or `build` in parallax.toml)")]
    NoBuildCommand { source_name: String },

    #[error("the build made no program {program}; {made}\nbuild command: {command}")]
    NoSuchProgram { program: String, made: String, command: String },

    #[error(
        "{program}: built before, without parallax-cc, and the build command left it as it was; begin the \
         command with a clean-up, such as `make clean &&`\nbuild command: {command}"
    )]
    BuiltBefore { program: String, command: String },

    #[error("the build made {count} programs or libraries; name one with --program: {made}")]
    WhichProgram { count: usize, made: String },

    #[error(
        "the build made a library and no program: {libraries}\nParallax compares programs, and with --function NAME single functions of a library. Let the build make one that uses the library: its \
         tests or examples (often switched off by default), or a small driver of your own that reads its input and calls the library, such \
         as\n  {example}\nwith your driver.c in your home directory; --program PATH names the program if there are several"
    )]
    Library { libraries: String, example: String },

    #[error("{patch}: does not apply to {tree}:\n{message}", patch = .patch.display())]
    Patch { patch: PathBuf, tree: String, message: String },

    #[error("{directory}: not inside a git repository; run parallax in one, or name a directory instead of git:{revision}", directory = .directory.display())]
    NotARepository { directory: PathBuf, revision: String },

    #[error("git:{revision}: no such revision in {repository}; `git fetch` it, or see `git branch -a` and `git tag`", repository = .repository.display())]
    NoSuchRevision { repository: PathBuf, revision: String },

    #[error("git:{revision}: not in {repository}, which is a shallow clone; fetch the history with `git fetch --unshallow`", repository = .repository.display())]
    Shallow { repository: PathBuf, revision: String },

    #[error("{repository}: neither the remote names a default branch, nor is there a branch main or master; name OLD and NEW", repository = .repository.display())]
    NoDefaultBranch { repository: PathBuf },

    #[error("{repository}: the current commit and {branch} have no common ancestor; in a shallow clone `git fetch --unshallow` gets it", repository = .repository.display())]
    NoMergeBase { repository: PathBuf, branch: String },

    #[error("the driver of the function does not compile; clang says:\n{message}")]
    Driver { message: String },

    #[error(
        "{program}: its functions cannot be linked into a program of their own:\n{message}\nLet the build make a program or a shared library \
         that holds everything the function needs, and name it with --program"
    )]
    DriverLink { program: String, message: String },

    #[error("parallax-cc is not beside this program nor on PATH; install it with `cargo install`, or set PARALLAX_WRAPPER to it")]
    NoWrapper,
}

impl BuildError {
    /// The build itself is fine; another program can be named.
    pub(crate) fn is_about_the_choice(&self) -> bool {
        matches!(
            self,
            BuildError::NoSuchProgram { .. } | BuildError::WhichProgram { .. } | BuildError::Library { .. }
        )
    }
}

/// What to do about a full disk.
const ROOM: &str = "make room, remove what is not needed from the cache with `parallax cache clean`, or name a directory on another disk with PARALLAX_CACHE";

fn advice(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => format!("; {ROOM}"),
        _ => String::new(),
    }
}

/// Does a message of a tool say that there is no room?
pub(crate) fn is_about_room(message: &str) -> bool {
    ["No space left on device", "Disk quota exceeded"].iter().any(|words| message.contains(words))
}

/// Puts the path into an I/O error.
pub(crate) trait AtPath<T> {
    fn at(self, path: impl Into<PathBuf>) -> Result<T, BuildError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, path: impl Into<PathBuf>) -> Result<T, BuildError> {
        self.map_err(|source| BuildError::File { path: path.into(), source })
    }
}
