//! A build from sources to a [`Version`], cached by content.
//!
//! In: a [`Request`]. Out: a [`Version`] in the cache.
//! What always holds: an entry of the cache is complete (its `built.json` is written last, by a rename) or is
//! removed by the next build; two builds of the same thing wait for each other; the user's sources are not written; a
//! tree is built once, however many of its programs are asked for.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use crate::cache::{hash_file, Cache};
use crate::collect::{collect, Version};
use crate::error::{AtPath, BuildError};
use crate::home::Home;
use crate::product::{self, Built, Chosen};
use crate::source::{Prepared, Source};
use crate::tools::{self, Compiler, Language};
use crate::{bitcode, cache, git};

/// Names the wrapper, should it be neither beside this program nor on `PATH`.
pub const ENV_WRAPPER: &str = "PARALLAX_WRAPPER";

/// How much of the log of a failed build goes into the message.
pub const LOG_TAIL_LINES: usize = 30;

/// How often a build command that runs is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Variables of the environment that change what a build makes.
const BUILD_VARIABLES: &[&str] = &["CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "LIBS", "PATH"];

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
    /// Compiler of native objects, if not clang.
    pub native_cc: Option<String>,
    /// Copy `.git` too, for builds that ask git for their version.
    pub with_git: bool,
    /// The wrapper, if not where it is usually found.
    pub wrapper: Option<PathBuf>,
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
            native_cc: None,
            with_git: false,
            wrapper: None,
            stop: Stop::default(),
            started: Started::default(),
        }
    }
}

/// Builds, or finds the result of the same build in the cache.
pub fn build(request: &Request, cache: &Cache) -> Result<Version, BuildError> {
    if matches!(request.source, Source::Tree(_) | Source::Git { .. }) && request.command.is_none() {
        return Err(BuildError::NoBuildCommand { source_name: request.source.name() });
    }
    let wrapper = find_wrapper(request)?;
    let key = key(request, cache, &wrapper)?;
    let entry = Entry { directory: cache.directory("builds")?.join(&key) };
    let program = request.program.as_deref().unwrap_or("");
    if let Some(version) = entry.read(program) {
        return Ok(version);
    }
    let lock = entry.lock()?;
    // Somebody else may have built it while we waited.
    if let Some(version) = entry.read(program) {
        return Ok(version);
    }
    sweep(cache);
    let job = Job { request, cache, wrapper, entry: &entry, lock: &lock };
    if let Some(built) = entry.built().filter(|_| !entry.version_file(program).exists()) {
        // Built before, for another program.
        let collected = job.collect(&built);
        let misnamed = collected.as_ref().is_err_and(BuildError::is_about_the_choice);
        // With any other error, parts of what was built have been cleaned away.
        if collected.is_ok() || misnamed {
            return collected;
        }
    }
    let made = job.make();
    if made.as_ref().is_err_and(|error| !matches!(error, BuildError::BuildFailed { .. })) {
        // What a build command left is for the user to look at; where none ran to its end there is nothing to see.
        let _ = fs::remove_dir_all(&entry.directory);
    }
    job.collect(&made?)
}

/// Hash of everything that the result depends on.
fn key(request: &Request, cache: &Cache, wrapper: &Path) -> Result<String, BuildError> {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &str| {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    };
    add(&request.source.content_hash(cache, request.with_git)?);
    match &request.patch {
        Some(patch) if patch.is_file() => add(&hash_file(patch)?),
        Some(patch) => return Err(BuildError::NoSuchFile(patch.clone())),
        None => add(""),
    }
    add(request.command.as_deref().unwrap_or(""));
    let native = request.native_cc.as_deref().map(Compiler::parse);
    let native = native.unwrap_or_else(|| Compiler::native(Language::C));
    add(&native.arguments.join(" "));
    add(&tools::version_of(&native.program)?);
    add(&tools::version_of(&tools::clang(Language::C))?);
    add(&hash_file(wrapper)?);
    for variable in BUILD_VARIABLES {
        add(&std::env::var(variable).unwrap_or_default());
    }
    Ok(hasher.finalize().to_hex()[..32].to_string())
}

fn find_wrapper(request: &Request) -> Result<PathBuf, BuildError> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("parallax-cc"));
    let named = std::env::var_os(ENV_WRAPPER).map(PathBuf::from);
    let candidates = [request.wrapper.clone(), named, beside(), tools::find_program("parallax-cc")];
    let wrapper = candidates.into_iter().flatten().find(|path| tools::is_executable(path));
    let wrapper = wrapper.ok_or(BuildError::NoWrapper)?;
    fs::canonicalize(&wrapper).at(wrapper)
}

/// One directory of the cache.
struct Entry {
    directory: PathBuf,
}

/// The name of the file that says that a build failed: its tree and log are kept until it is tried again, or until others have failed since.
const FAILED: &str = "failed";
/// Failed builds that are kept.
pub const FAILED_KEPT: usize = 8;
/// The name of the file that says that a build is complete.
pub(crate) const BUILT: &str = "built.json";
/// The directory of an entry with links to libraries under the names that the loader looks for.
pub(crate) const ALIASES: &str = "lib";

impl Entry {
    fn tree(&self) -> PathBuf {
        self.directory.join("tree")
    }

    fn version_file(&self, program: &str) -> PathBuf {
        let hash = blake3::hash(program.as_bytes()).to_hex();
        self.directory.join(format!("version-{}.json", &hash[..16]))
    }

    fn built(&self) -> Option<Built> {
        let text = fs::read_to_string(self.directory.join(BUILT)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Held until the file is closed, by us and by every process that inherited it.
    fn lock(&self) -> Result<File, BuildError> {
        let path = self.directory.with_extension("lock");
        let file = File::create(&path).at(&path)?;
        file.lock().at(&path)?;
        Ok(file)
    }

    /// A complete result. One whose files have been cleaned away counts as absent.
    fn read(&self, program: &str) -> Option<Version> {
        let text = fs::read_to_string(self.version_file(program)).ok()?;
        let version: Version = serde_json::from_str(&text).ok()?;
        let complete = version.native.is_file()
            && version.bitcode.is_file()
            && version.link.extra_objects().iter().all(|path| path.is_file());
        complete.then_some(version)
    }
}

/// Removes what interrupted builds left behind, and all but the last failed ones.
fn sweep(cache: &Cache) {
    let Ok(entries) = fs::read_dir(cache.root().join("builds")) else { return };
    let entries = entries.filter_map(Result::ok).map(|entry| entry.path());
    let unfinished = entries.filter(|entry| entry.is_dir() && !entry.join(BUILT).exists());
    let time = |entry: &Path| fs::metadata(entry.join(FAILED)).and_then(|mark| mark.modified()).ok();
    let mut unfinished: Vec<_> = unfinished.map(|entry| (time(&entry), entry)).collect();
    unfinished.sort_by(|a, b| b.cmp(a));
    for (number, (failed, entry)) in unfinished.into_iter().enumerate() {
        if failed.is_some() && number < FAILED_KEPT {
            continue;
        }
        let Ok(lock) = File::open(entry.with_extension("lock")) else { continue };
        // Whoever builds it now holds its lock; who held it a moment ago may have finished the build.
        if lock.try_lock().is_ok() && !entry.join(BUILT).exists() {
            let _ = fs::remove_dir_all(&entry);
        }
    }
}

struct Job<'a> {
    request: &'a Request,
    cache: &'a Cache,
    wrapper: PathBuf,
    entry: &'a Entry,
    lock: &'a File,
}

impl Job<'_> {
    fn make(&self) -> Result<Built, BuildError> {
        let _ = fs::remove_dir_all(&self.entry.directory);
        let tree = self.entry.tree();
        let prepared = self.request.source.prepare(&tree, self.cache, self.request.with_git)?;
        if let Some(patch) = &self.request.patch {
            git::apply(patch, &tree, &self.request.source.name())?;
        }
        let command = self.request.command.clone().or(prepared.default_command.clone());
        let command =
            command.ok_or_else(|| BuildError::NoBuildCommand { source_name: self.request.source.name() })?;
        let sources = product::sources_in(&tree);
        self.execute(&command, &prepared)?;
        let built = Built { directory: prepared.directory, command, sources };
        self.write(&built, &self.entry.directory.join(BUILT))?;
        Ok(built)
    }

    fn collect(&self, built: &Built) -> Result<Version, BuildError> {
        let chosen = built.choose(self.request.program.as_deref())?;
        let mut version =
            collect(&chosen.native, self.cache).map_err(|error| self.explain(error, &built.command))?;
        version.home = self.home(&chosen, built)?;
        version.program = chosen.name;
        version.source_root = self.entry.tree();
        version.command = Some(built.command.clone());
        let name = self.request.program.as_deref().unwrap_or("");
        self.write(&version, &self.entry.version_file(name))?;
        Ok(version)
    }

    /// A single file comes with nothing to run beside it.
    fn home(&self, chosen: &Chosen, built: &Built) -> Result<Home, BuildError> {
        if matches!(self.request.source, Source::File(_)) {
            return Ok(Home::default());
        }
        let called = built.directory.join(&chosen.name);
        Home::of(&chosen.native, &called, &self.entry.tree(), &self.entry.directory.join(ALIASES))
    }

    fn write(&self, what: &impl serde::Serialize, path: &Path) -> Result<(), BuildError> {
        // Serialisation of paths fails only if they are not UTF-8, which the records already exclude.
        let text = serde_json::to_vec_pretty(what).expect("paths in records are UTF-8");
        let file = self.cache.temporary(".json")?;
        fs::write(file.path(), text).at(file.path())?;
        self.cache.keep(file, path)
    }

    /// A program without records that was in the sources already was not built at all.
    fn explain(&self, error: BuildError, command: &str) -> BuildError {
        let (BuildError::NotInstrumented(program), Source::Tree(original)) = (&error, &self.request.source)
        else {
            return error;
        };
        match program.strip_prefix(self.entry.tree()) {
            Ok(relative) if original.join(relative).exists() => BuildError::BuiltBefore {
                program: relative.display().to_string(),
                command: command.to_string(),
            },
            _ => error,
        }
    }

    /// Runs the build command with the wrapper in place of every compiler.
    fn execute(&self, command: &str, prepared: &Prepared) -> Result<(), BuildError> {
        let log_path = self.entry.directory.join("build.log");
        let log = File::create(&log_path).at(&log_path)?;
        if let Started(Some(listener)) = &self.request.started {
            listener(&log_path);
        }
        let shims = self.make_shims()?;
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).current_dir(&prepared.directory);
        shell.env("CC", shims.join("parallax-cc")).env("CXX", shims.join("parallax-c++"));
        shell.env(cache::ENV_CACHE, self.cache.root()).env(bitcode::ENV_SOURCE_ROOT, self.entry.tree());
        shell.env("PATH", with_directory_first(&shims));
        if let Some(native) = &self.request.native_cc {
            shell.env(tools::ENV_NATIVE_CC, native);
        }
        for variable in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
            // Should Parallax itself have been started by make.
            shell.env_remove(variable);
        }
        // Standard input is the lock, which is an empty file: were we killed, the lock is held until the shell that runs the build
        // is gone.
        shell.stdin(self.lock.try_clone().at(&log_path)?);
        shell.stderr(log.try_clone().at(&log_path)?).stdout(log);
        let status = self.wait_for(shell)?;
        if status.success() {
            return Ok(());
        }
        let tail = log_tail(&String::from_utf8_lossy(&fs::read(&log_path).at(&log_path)?));
        let directory = prepared.directory.clone();
        // Keeps it from being swept away.
        let mark = self.entry.directory.join(FAILED);
        File::create(&mark).at(mark)?;
        Err(BuildError::BuildFailed { command: command.to_string(), directory, log: log_path, status, tail })
    }

    /// Runs the shell in a process group of its own, which ends when the build is stopped.
    fn wait_for(&self, mut shell: Command) -> Result<ExitStatus, BuildError> {
        let failed = |source| BuildError::Tool { program: "/bin/sh".into(), source };
        let mut child = shell.process_group(0).spawn().map_err(failed)?;
        loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                return Ok(status);
            }
            if self.request.stop.is_asked() {
                if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
                    // Fails only if nobody of the group is left.
                    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                }
                child.wait().map_err(failed)?;
                return Err(BuildError::Stopped);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// A directory in which every usual name of a compiler is the wrapper: a makefile that says `CC = gcc` is seen through.
    fn make_shims(&self) -> Result<PathBuf, BuildError> {
        let directory = self.entry.directory.join("bin");
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
