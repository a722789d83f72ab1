//! A build from sources to a [`Version`], cached by content.
//!
//! In: a [`Request`]. Out: a [`Version`] in the cache.
//! What always holds: what comes from the cache is what the build would make now: sources, patch, command, compilers, environment and every file that
//! the build looked at are the same, and nothing of it was damaged ([`crate::entry`]). The user's sources are not written; a tree is built
//! once, however many of its programs are asked for.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use crate::cache::{hash_file, Cache};
use crate::collect::{examine, Version};
use crate::entry::{self, About, Entry, Shelf};
use crate::error::{is_about_room, AtPath, BuildError};
use crate::extra::{Extra, ENV_EXTRA};
use crate::home::Home;
use crate::looked::Inputs;
use crate::observe::{self, Seen};
use crate::product::{self, Built, Chosen};
use crate::source::{Prepared, Source};
use crate::tools::{self, Compiler, Language};
use crate::{bitcode, cache, environment, git, library, source, storage};

/// Names the wrapper, should it be neither beside this program nor on `PATH`.
pub const ENV_WRAPPER: &str = "PARALLAX_WRAPPER";

/// How much of the log of a failed build goes into the message.
pub const LOG_TAIL_LINES: usize = 30;

/// What to build, and how.
#[derive(Clone, Debug)]
pub struct Request {
    pub source: Source,
    /// Applied to the private copy.
    pub patch: Option<PathBuf>,
    /// Run by the shell in the private copy; a single file has a default.
    pub command: Option<String>,
    /// The program among what the build makes: its path, or its name if that is unique. May be left out if
    /// there is only one.
    pub program: Option<String>,
    /// Functions are wanted, not a program: a library will do, and a single file is only compiled.
    pub library: bool,
    /// Compiler of native objects, if not clang.
    pub native_cc: Option<String>,
    /// What is added to every call of the compiler; then that is a clang.
    pub extra: Option<Extra>,
    /// Copy `.git` too, for builds that ask git for their version.
    pub with_git: bool,
    /// The wrapper, if not where it is usually found.
    pub wrapper: Option<PathBuf>,
    /// Build even if the cache has it, once in this process.
    pub rebuild: bool,
    /// Ends the build command, and with it the build.
    pub stop: Stop,
    /// Told when the build command starts.
    pub started: Started,
}

/// Is told where the log of a build command is, when that starts. Nobody, by default.
#[derive(Clone, Default)]
pub struct Started(Option<Arc<dyn Fn(&Path) + Send + Sync>>);

impl Started {
    pub fn tell(listener: impl Fn(&Path) + Send + Sync + 'static) -> Started {
        Started(Some(Arc::new(listener)))
    }
}

impl std::fmt::Debug for Started {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_tuple("Started").field(&self.0.is_some()).finish()
    }
}

/// Says when a build is to end early. Never, by default.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    pub fn when(asked: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Some(Arc::new(asked)))
    }

    fn is_asked(&self) -> bool {
        self.0.as_ref().is_some_and(|asked| asked())
    }
}

impl std::fmt::Debug for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_tuple("Stop").field(&self.is_asked()).finish()
    }
}

impl Request {
    pub fn new(source: Source) -> Request {
        Request {
            source,
            patch: None,
            command: None,
            program: None,
            library: false,
            native_cc: None,
            extra: None,
            with_git: false,
            wrapper: None,
            rebuild: false,
            stop: Stop::default(),
            started: Started::default(),
        }
    }
}

/// When this process began to build: what was made later is new enough for [`Request::rebuild`].
static BEGAN: OnceLock<SystemTime> = OnceLock::new();

/// Builds, or finds the result of the same build in the cache.
pub fn build(request: &Request, cache: &Cache) -> Result<Version, BuildError> {
    if matches!(request.source, Source::Tree(_) | Source::Git { .. }) && request.command.is_none() {
        return Err(BuildError::NoBuildCommand { source_name: request.source.name() });
    }
    let began = *BEGAN.get_or_init(SystemTime::now);
    let since = request.rebuild.then_some(began);
    let wrapper = find_wrapper(request)?;
    let sources = request.source.content_hash(cache, request.with_git)?;
    let shelf = Shelf::new(cache, &key(request, &sources, &wrapper)?)?;
    let program = &program_key(request);
    if let Some(version) = shelf.usable(since).and_then(|entry| entry.read(program, cache)) {
        return Ok(version);
    }
    let lock = shelf.lock()?;
    let job = Job { request, cache, wrapper, sources };
    // Somebody else may have built it while we waited.
    if let Some(entry) = shelf.usable(since) {
        if let Some(done) = job.from_before(&entry, program) {
            return done;
        }
    }
    entry::sweep(cache);
    let entry = shelf.fresh()?;
    let made = job.make(&entry, &lock);
    if made.as_ref().is_err_and(|error| !matches!(error, BuildError::BuildFailed { .. })) {
        // What a build command left is for the user to look at; where none ran to its end there is nothing to see.
        shelf.give_up(&entry);
    }
    let (version, _) = job.collect(&entry, &made?)?;
    storage::enforce(cache);
    Ok(version)
}

/// Hash of everything that the result depends on.
/// Files that the build reads elsewhere are not known yet; they are compared when the result is used.
fn key(request: &Request, sources: &str, wrapper: &Path) -> Result<String, BuildError> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&environment::relevant());
    let mut add = |part: &str| {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    };
    add(sources);
    match &request.patch {
        Some(patch) if patch.is_file() => add(&hash_file(patch)?),
        Some(patch) => return Err(BuildError::NoSuchFile(patch.clone())),
        None => add(""),
    }
    add(request.command.as_deref().unwrap_or(""));
    if request.library && matches!(request.source, Source::File(_)) {
        // Compiled by another command than a program.
        add("object");
    }
    if let Some(extra) = &request.extra {
        add(&extra.flags());
    }
    let native = native_cc(request).as_deref().map(Compiler::parse);
    let native = native.unwrap_or_else(|| Compiler::native(Language::C));
    add(&native.arguments.join(" "));
    add(&tools::version_of(&native.program)?);
    add(&tools::version_of(&tools::clang(Language::C))?);
    add(&hash_file(wrapper)?);
    Ok(hasher.finalize().to_hex()[..32].to_string())
}

/// What names the version among those of one build: with or without a program of its own.
fn program_key(request: &Request) -> String {
    let program = request.program.as_deref().unwrap_or("");
    if request.library {
        format!("library {program}")
    } else {
        program.to_owned()
    }
}

/// The compiler of native objects, if one is named.
fn native_cc(request: &Request) -> Option<String> {
    let named = request.native_cc.as_deref();
    match &request.extra {
        Some(_) => Some(Extra::compiler(named)),
        None => named.map(str::to_owned),
    }
}

/// A build that ended well and made no program may have said why.
fn with_log(error: BuildError, log: &Path) -> BuildError {
    match error {
        BuildError::NoSuchProgram { program, made, command } => {
            let made = format!("{made}; what the build printed is in {}", log.display());
            BuildError::NoSuchProgram { program, made, command }
        }
        error => error,
    }
}

fn find_wrapper(request: &Request) -> Result<PathBuf, BuildError> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("parallax-cc"));
    let named = std::env::var_os(ENV_WRAPPER).map(PathBuf::from);
    let candidates = [request.wrapper.clone(), named, beside(), tools::find_program("parallax-cc")];
    let wrapper = candidates.into_iter().flatten().find(|path| tools::is_executable(path));
    let wrapper = wrapper.ok_or(BuildError::NoWrapper)?;
    fs::canonicalize(&wrapper).at(wrapper)
}

struct Job<'a> {
    request: &'a Request,
    cache: &'a Cache,
    wrapper: PathBuf,
    /// Hash of the sources.
    sources: String,
}

impl Job<'_> {
    /// What a build from before says: a version of this program, or that there is none. Nothing, if parts of it are gone.
    fn from_before(&self, entry: &Entry, program: &str) -> Option<Result<Version, BuildError>> {
        if let Some(version) = entry.read(program, self.cache) {
            return Some(Ok(version));
        }
        // Built for another program, or a file of the version was damaged.
        match self.collect(entry, &entry.built()?) {
            Ok((version, whole)) => whole.then_some(Ok(version)),
            Err(error) => error.is_about_the_choice().then_some(Err(error)),
        }
    }

    fn make(&self, entry: &Entry, lock: &File) -> Result<Built, BuildError> {
        let tree = entry.tree();
        let prepared = self.request.source.prepare(&tree, self.cache, self.request.with_git)?;
        if let Some(patch) = &self.request.patch {
            git::apply(patch, &tree, &self.request.source.name())?;
        }
        let default = match &self.request.source {
            Source::File(path) if self.request.library => Some(source::command_for_object(path)?),
            _ => prepared.default_command.clone(),
        };
        let command = self.request.command.clone().or(default);
        let command =
            command.ok_or_else(|| BuildError::NoBuildCommand { source_name: self.request.source.name() })?;
        let sources = product::sources_in(&tree);
        let began = SystemTime::now();
        let seen = self.execute(entry, lock, &command, &prepared)?;
        let built = Built { directory: prepared.directory, command: command.clone(), sources };
        let about = About {
            source: self.request.source.name(),
            command,
            made: entry::now(),
            tree: entry.tree_hash(self.cache).unwrap_or_default(),
            inputs: self.inputs(seen, began),
        };
        entry.finish(self.cache, about, &built)?;
        Ok(built)
    }

    /// What the build looked at outside its private copy, if that is certain.
    fn inputs(&self, seen: Option<Seen>, began: SystemTime) -> Option<Inputs> {
        // Somebody may have changed the sources after they were hashed and before they were copied.
        let sources = self.request.source.content_hash(self.cache, self.request.with_git).ok()?;
        (sources == self.sources).then(|| Inputs::of(&seen?, self.cache.root(), began))?
    }

    /// Finds the program and its parts; and whether all of them are still there.
    fn collect(&self, entry: &Entry, built: &Built) -> Result<(Version, bool), BuildError> {
        let chosen = self.choose(built).map_err(|error| with_log(error, &entry.log()))?;
        let examined = match chosen.library {
            true => library::examine(&chosen.native, self.cache),
            false => examine(&chosen.native, self.cache),
        };
        let (mut version, whole) = examined.map_err(|error| self.explain(entry, error, &built.command))?;
        version.home = self.home(entry, &chosen, built)?;
        version.program = chosen.name;
        version.source_root = entry.tree();
        version.command = Some(built.command.clone());
        entry.keep(&program_key(self.request), &version, self.cache)?;
        Ok((version, whole))
    }

    fn choose(&self, built: &Built) -> Result<Chosen, BuildError> {
        match &self.request.source {
            Source::File(path) if self.request.library => {
                let name = source::object_name(path);
                Ok(Chosen { native: built.directory.join(&name), name, library: true })
            }
            _ if self.request.library => built.choose_with_libraries(self.request.program.as_deref()),
            _ => built.choose(self.request.program.as_deref()),
        }
    }

    /// A single file comes with nothing to run beside it.
    fn home(&self, entry: &Entry, chosen: &Chosen, built: &Built) -> Result<Home, BuildError> {
        if chosen.library || matches!(self.request.source, Source::File(_)) {
            return Ok(Home::default());
        }
        let called = built.directory.join(&chosen.name);
        Home::of(&chosen.native, &called, &entry.tree(), &entry.aliases())
    }

    /// A program without records that was in the sources already was not built at all.
    fn explain(&self, entry: &Entry, error: BuildError, command: &str) -> BuildError {
        let (BuildError::NotInstrumented(program), Source::Tree(original)) = (&error, &self.request.source)
        else {
            return error;
        };
        match program.strip_prefix(entry.tree()) {
            Ok(relative) if original.join(relative).exists() => BuildError::BuiltBefore {
                program: relative.display().to_string(),
                command: command.to_string(),
            },
            _ => error,
        }
    }

    /// Runs the build command with the wrapper in place of every compiler; says what it looked at, if that could be seen.
    fn execute(
        &self,
        entry: &Entry,
        lock: &File,
        command: &str,
        prepared: &Prepared,
    ) -> Result<Option<Seen>, BuildError> {
        let log_path = entry.log();
        let log = File::create(&log_path).at(&log_path)?;
        if let Started(Some(listener)) = &self.request.started {
            listener(&log_path);
        }
        let shims = self.make_shims(entry)?;
        let temporaries = self.cache.temporaries()?;
        let shell = || {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(command).current_dir(&prepared.directory);
            environment::prepare(&mut shell);
            shell.env("CC", shims.join("parallax-cc")).env("CXX", shims.join("parallax-c++"));
            shell.env(cache::ENV_CACHE, self.cache.root()).env(bitcode::ENV_SOURCE_ROOT, entry.tree());
            // What a build leaves there goes with this process, however it ends.
            shell.env(cache::ENV_TEMPORARY, &temporaries).env("TMPDIR", &temporaries);
            shell.env("PATH", with_directory_first(&shims));
            if let Some(native) = native_cc(self.request) {
                shell.env(tools::ENV_NATIVE_CC, native);
            }
            shell.env_remove(ENV_EXTRA);
            if let Some(extra) = &self.request.extra {
                shell.env(ENV_EXTRA, extra.flags());
            }
            // Standard input is the lock, which is an empty file: the lock is held until the shell that runs the build is gone.
            shell.stdin(lock.try_clone()?).stderr(log.try_clone()?).stdout(log.try_clone()?);
            Ok(shell)
        };
        let observed = observe::run(&shell, &|| self.request.stop.is_asked())
            .map_err(|source| BuildError::Tool { program: "/bin/sh".into(), source })?;
        if observed.stopped {
            return Err(BuildError::Stopped);
        }
        if observed.status.success() {
            return Ok(observed.seen);
        }
        let tail = log_tail(&String::from_utf8_lossy(&fs::read(&log_path).at(&log_path)?));
        // On a full disk the log has no room for the message either.
        if is_about_room(&tail) || storage::has_little_room(self.cache) {
            return Err(BuildError::NoRoom { path: self.cache.root().to_path_buf(), detail: tail });
        }
        entry.mark_failed()?;
        Err(BuildError::BuildFailed {
            command: command.to_string(),
            directory: prepared.directory.clone(),
            log: log_path,
            status: observed.status,
            tail,
        })
    }

    /// A directory in which every usual name of a compiler is the wrapper: a makefile that says `CC = gcc` is seen through.
    fn make_shims(&self, entry: &Entry) -> Result<PathBuf, BuildError> {
        let directory = entry.directory.join("bin");
        fs::create_dir_all(&directory).at(&directory)?;
        let ours = ["parallax-cc", "parallax-c++"].into_iter();
        let theirs = tools::COMPILER_NAMES.iter().copied().filter(|name| tools::find_program(name).is_some());
        for name in ours.chain(theirs) {
            let link = directory.join(name);
            std::os::unix::fs::symlink(&self.wrapper, &link).at(link)?;
        }
        Ok(directory)
    }
}

fn with_directory_first(directory: &Path) -> std::ffi::OsString {
    let mut path = directory.as_os_str().to_os_string();
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    path
}

/// The end of a log, preceded by the first error if that is not in it: with `make -j` the end is often about something else.
fn log_tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let start = lines.len().saturating_sub(LOG_TAIL_LINES);
    let is_error = |line: &&&str| line.contains("error:") || line.contains("Error ");
    let mut shown: Vec<&str> = Vec::new();
    if !lines[start..].iter().any(|line| line.contains("error:")) {
        shown.extend(lines[..start].iter().filter(is_error).take(1));
    }
    shown.extend(&lines[start..]);
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_shown_even_if_much_follows_it() {
        let log = format!("a.c:1: error: first\n{}", "noise\n".repeat(LOG_TAIL_LINES + 5));
        let tail = log_tail(&log);
        assert!(tail.starts_with("a.c:1: error: first\n"));
        assert_eq!(tail.lines().count(), LOG_TAIL_LINES + 1);
    }
}
