//! The engine's handle on a program: runs it on test cases.
//!
//! In: a program and [`Options`], then test cases with [`Limits`]. Out: [`Run`]s.
//!
//! Always holds: one run at a time; a server that dies is replaced before the next run; a run never sees what
//! an earlier one left.

use crate::home::{self, Home};
use crate::link::{self, Link, Silence};
use crate::place::Place;
use crate::stream::Sink;
use crate::{Arena, ArenaSizes, Error, Interrupt, Limits, Outcome, Run, TestCase, RUNNER_SUBCOMMAND};
use parallax_trace::control::*;
use parallax_trace::format::FLAG_WORK_DONE;
use parallax_trace::request::{Input, Request, Source};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Memory that the shadow of a program's memory may take, as a multiple of its own.
const SHADOW_FACTOR: u64 = 5;

/// What kind of program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As the user's compiler made it.
    Native,
    /// With Parallax's runtime inside.
    Instrumented,
}

/// What is in force for the runs of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// Namespaces, all files of the host read-only and through overlays, Landlock and a system-call filter.
    Namespaces,
    /// The same, but some file systems of the host can be shown only as they are, read-only.
    SharedFiles,
    /// Landlock and a system-call filter; changing owners, modes, times and attributes of files is refused.
    Landlock,
    /// Limits only.
    None,
}

impl Confinement {
    /// What a program that means harm can do all the same.
    pub fn not_promised(self) -> &'static [&'static str] {
        match self {
            Confinement::Namespaces => &[],
            Confinement::SharedFiles => &[
                "what others write to named pipes on some file systems",
                "locks on files of some file systems",
            ],
            Confinement::Landlock => &[
                "what others write to named pipes",
                "the disk, with files in the run's directory without end (each is limited)",
                "names and numbers of foreign processes",
            ],
            Confinement::None => &["everything that you can"],
        }
    }
}

/// Which inputs are symbolic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbolic {
    pub arguments: bool,
    pub stdin: bool,
    pub files: bool,
    pub env: bool,
}

impl Symbolic {
    const NOTHING: Symbolic = Symbolic { arguments: false, stdin: false, files: false, env: false };
}

impl Default for Symbolic {
    fn default() -> Self {
        Symbolic { arguments: true, stdin: true, files: true, env: true }
    }
}

/// Settings of an executor.
#[derive(Clone, Debug)]
pub struct Options {
    /// Program and first arguments that end in [`crate::runner_main`]; by default this very program with
    /// the hidden subcommand.
    pub runner: Option<Vec<OsString>>,
    /// `argv[0]`; by default the program's file name. Set it to the same for all versions.
    pub argv0: Option<Vec<u8>>,
    /// Environment that is not an input. `HOME` and `TMPDIR` are added, below the scratch directory.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Where programs are at home, whichever of them is run.
    pub homes: Vec<Home>,
    pub symbolic: Symbolic,
    /// By default [`ArenaSizes::native`] or [`ArenaSizes::default`], by kind.
    pub arena: Option<ArenaSizes>,
    /// Bytes in all files of a run together (where the scratch directory is a file system of its own).
    pub scratch_bytes: u64,
    /// Use namespaces where the kernel has them; without them confinement takes Landlock 6 or newer.
    pub namespaces: bool,
    /// No confinement, only limits.
    pub unconfined: bool,
    /// Addresses are chosen anew for every run of a native program, so that output that depends on them shows.
    pub moving_addresses: bool,
    /// The program reserves far more addresses than it uses (sanitizers do): what each process reserves is not limited, only what all
    /// of them hold.
    pub reserves_much: bool,
    /// The tree that a native program was built in; by default its directory. Where there are namespaces, the program runs at a
    /// path that all versions have in common, among links to what is beside it in its tree.
    pub tree: Option<PathBuf>,
    /// A native program finds other things in memory that it has not written, for every number other ones, and runs on other
    /// processors, so that output that depends on that shows.
    pub disturbance: Option<u64>,
    /// One process may run many test cases, its memory put back in between: an instrumented program does several times as many
    /// in the same time.
    pub may_stay: bool,
    pub interrupt: Interrupt,
    /// How long a server may take to start.
    pub start_time: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            runner: None,
            argv0: None,
            env: default_environment(),
            homes: Vec::new(),
            symbolic: Symbolic::default(),
            arena: None,
            scratch_bytes: 256 << 20,
            namespaces: true,
            unconfined: false,
            moving_addresses: false,
            reserves_much: false,
            tree: None,
            disturbance: None,
            may_stay: false,
            interrupt: Interrupt::new(),
            start_time: Duration::from_secs(10),
        }
    }
}

/// What glibc's `malloc` fills memory with; of the same length in every run.
const FILL_MEMORY: &str = "MALLOC_PERTURB_";
const FILL_NOTHING: &str = "000";
/// Whether the loader looks up all functions before the program starts. Where it does so in the midst of a run, it leaves the same
/// things on the stack each time.
const BIND_AT_START: &str = "LD_BIND_NOW";

/// The environment of every run.
pub fn default_environment() -> Vec<(Vec<u8>, Vec<u8>)> {
    let path = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
    [
        ("PATH", path),
        ("LC_ALL", "C"),
        ("TZ", "UTC0"),
        ("TERM", "dumb"),
        (FILL_MEMORY, FILL_NOTHING),
        (BIND_AT_START, ""),
    ]
    .map(|(n, v)| (n.into(), v.into()))
    .to_vec()
}

/// What of it is otherwise for a disturbance.
fn disturbed_environment(number: u64) -> Vec<(Vec<u8>, Vec<u8>)> {
    // Three digits: a number that begins with 0 would be octal.
    let fill = (100 + number % 156).to_string();
    vec![(FILL_MEMORY.into(), fill.into()), (BIND_AT_START.into(), "1".into())]
}

impl Options {
    pub(crate) fn home(&self, program: &Path) -> Home {
        home::of(&self.homes, program).cloned().unwrap_or_default()
    }

    pub(crate) fn runner_command(&self) -> Result<(PathBuf, Vec<OsString>), Error> {
        if let Some([program, arguments @ ..]) = self.runner.as_deref() {
            return Ok((program.into(), arguments.to_vec()));
        }
        let this = std::env::current_exe().map_err(|source| Error::Setup { what: "the runner", source })?;
        Ok((this, vec![RUNNER_SUBCOMMAND.into()]))
    }
}

/// Runs one program.
pub struct Executor {
    program: PathBuf,
    kind: Kind,
    options: Options,
    sizes: ArenaSizes,
    arena: Arena,
    link: Option<Link>,
}

impl Executor {
    /// Starts the fork server, so that a program that cannot be run is known at once.
    pub fn new(program: &Path, kind: Kind, options: Options) -> Result<Executor, Error> {
        let program = find_program(program)?;
        let by_kind = match kind {
            Kind::Native => ArenaSizes::native(),
            Kind::Instrumented => ArenaSizes::default(),
        };
        let sizes = options.arena.unwrap_or(by_kind);
        let arena = Arena::new(&sizes)?;
        let link = Some(link::start(&program, kind, &options, &arena)?);
        Ok(Executor { program, kind, options, sizes, arena, link })
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What the last run recorded.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The last trace is not needed any more.
    pub fn forget_trace(&mut self) {
        self.arena.forget_trace();
    }

    /// What is in force; `None` only between the loss of a server and the next run.
    pub fn confinement(&self) -> Option<Confinement> {
        self.link.as_ref().map(|link| link.confinement)
    }

    /// What a path that a run named is called outside: the tree of a native program is elsewhere there.
    pub fn outside(&self, path: &Path) -> PathBuf {
        let place = self.link.as_ref().and_then(|link| link.place.as_ref());
        place.map_or_else(|| path.to_path_buf(), |place| place.outside(path))
    }

    /// One run in a fresh directory.
    pub fn run(&mut self, test: &TestCase, limits: &Limits) -> Result<Run, Error> {
        self.run_any(test, limits, None)
    }

    /// One run on which no input is symbolic: an instrumented program does it much faster, and records what it
    /// executed but no conditions.
    pub fn run_unobserved(&mut self, test: &TestCase, limits: &Limits) -> Result<Run, Error> {
        let symbolic = std::mem::replace(&mut self.options.symbolic, Symbolic::NOTHING);
        let run = self.run_any(test, limits, None);
        self.options.symbolic = symbolic;
        run
    }

    /// One run of a program in dependence mode, whose chunks go to `each` while it runs (in a thread of its own) and
    /// are not in the arena afterwards: the trace may be longer than its memory.
    pub fn run_streamed(&mut self, test: &TestCase, limits: &Limits, each: Sink) -> Result<Run, Error> {
        self.run_any(test, limits, Some(each))
    }

    fn run_any(&mut self, test: &TestCase, limits: &Limits, each: Option<Sink>) -> Result<Run, Error> {
        test.check()?;
        if self.options.interrupt.is_set() {
            return Err(Error::Interrupted);
        }
        let mut link = match self.link.take() {
            Some(link) => link,
            None => link::start(&self.program, self.kind, &self.options, &self.arena)?,
        };
        let run = self.run_with(&mut link, test, limits, (each, self.options.may_stay));
        // A scratch directory that cannot be emptied, or a server that is gone, is not used again.
        let usable = !link.is_lost && !matches!(run, Err(Error::Interrupted));
        if usable && link.scratch.empty().is_ok() {
            self.link = Some(link);
        } else if !usable {
            // Nobody knows whether everything that could write to this one has ended.
            drop(link);
            self.arena = Arena::new(&self.sizes)?;
        }
        run
    }

    fn run_with(
        &mut self,
        link: &mut Link,
        test: &TestCase,
        limits: &Limits,
        (each, may_stay): (Option<Sink>, bool),
    ) -> Result<Run, Error> {
        link.scratch.fill(test)?;
        let request = self.request(link, test).encode();
        self.arena.put_request(&self.sizes, &request, (limits.work, each.is_some()))?;
        let began = Instant::now();
        let (mut reply, lost) = match self.converse(link, &self.command(limits, may_stay), each) {
            Ok(reply) => (reply, false),
            Err(Silence::Interrupted) => return Err(Error::Interrupted),
            Err(Silence::Gone | Silence::Late) => (Reply::default(), true),
            Err(Silence::Over(limits)) => (Reply { limits, ..Reply::default() }, true),
        };
        if lost {
            reply.wall_us = began.elapsed().as_micros() as u64;
        }
        self.arena.restore_layout(&self.sizes, limits.work);
        if reply.limits & LIMIT_AGAIN != 0 && may_stay {
            let failed = |source| Error::Scratch { action: "empty", path: ".".into(), source };
            link.scratch.empty().map_err(failed)?;
            return self.run_with(link, test, limits, (None, false));
        }
        if reply.limits & LIMIT_NOT_STARTED != 0 {
            let source = io::Error::from_raw_os_error(reply.status);
            return Err(Error::NotStarted { program: self.program.clone(), source });
        }
        let streams = &link.scratch.streams;
        let ((stdout, printed), (stderr, complained)) =
            (streams.stdout(limits.output)?, streams.stderr(limits.output)?);
        let most = writable_bytes(limits);
        let is_full = most > 0 && (printed >= most || complained >= most);
        let outcome = if lost && reply.limits == 0 { Outcome::Lost } else { outcome(&reply, is_full) };
        let is_done = limits.work > 0 && self.arena.header().flags & FLAG_WORK_DONE != 0;
        let outcome = if is_done { Outcome::TooMuchWork } else { outcome };
        // Without its server nobody knows that a run is over: its files are not looked at.
        let (files, files_truncated) =
            if lost { (Vec::new(), true) } else { link.scratch.changes(test, limits) };
        Ok(Run {
            outcome,
            stdout,
            stderr,
            files,
            files_truncated,
            wall: Duration::from_micros(reply.wall_us),
            cpu: Duration::from_micros(reply.cpu_us),
        })
    }

    /// The run itself, with somebody beside it who takes chunks away if they are wanted.
    fn converse(&mut self, link: &mut Link, command: &Command, each: Option<Sink>) -> Result<Reply, Silence> {
        let Some(each) = each else { return link.run(command, &self.options) };
        let stream = self.arena.stream();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| stream.drain(&over, each));
            let reply = link.run(command, &self.options);
            over.store(true, Ordering::Release);
            stream.wake();
            reply
        })
    }

    fn command(&self, limits: &Limits, may_stay: bool) -> Command {
        let total = match self.kind {
            Kind::Native => limits.memory,
            Kind::Instrumented if limits.memory == 0 => 0,
            Kind::Instrumented => limits.memory * SHADOW_FACTOR + self.arena.bytes().len() as u64,
        };
        Command {
            command: COMMAND_RUN,
            max_processes: limits.processes,
            time_ms: limits.time.as_micros().div_ceil(1000) as u64,
            memory_bytes: if self.options.reserves_much { 0 } else { limits.memory },
            file_bytes: writable_bytes(limits),
            total_memory_bytes: total,
            may_stay: may_stay as u64,
        }
    }

    fn request(&self, link: &Link, test: &TestCase) -> Request {
        let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
        let directory = link.scratch.working_directory();
        let own = [
            (b"HOME".to_vec(), bytes(&directory)),
            (b"TMPDIR".to_vec(), bytes(&link.scratch.temporary_directory())),
        ];
        let disturbed = self.options.disturbance.map_or(Vec::new(), disturbed_environment);
        // A later addition replaces an earlier one, and an input replaces what is fixed.
        let mut fixed: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let home = self.options.home(&self.program);
        let inside = |list: &[u8]| link.place.as_ref().map_or(list.to_vec(), |place| place.inside_list(list));
        let at_home: Vec<_> = home.env.iter().map(|(name, list)| (name.clone(), inside(list))).collect();
        for (name, value) in own.iter().chain(&self.options.env).chain(&disturbed).chain(&at_home) {
            fixed.retain(|(n, _)| n != name);
            fixed.push((name.clone(), value.clone()));
        }
        fixed.retain(|(n, _)| !test.env.iter().any(|(name, _)| name == n));
        let file_name = self.program.file_name().unwrap_or_default().as_bytes();
        Request {
            argv0: self.options.argv0.clone().unwrap_or_else(|| file_name.to_vec()),
            directory: bytes(&directory.join(&test.layout.working_directory)),
            root: bytes(&directory),
            streams: bytes(&link.scratch.streams_directory()),
            fixed_env: fixed.into_iter().map(|(name, value)| [name, value].join(&b'=')).collect(),
            inputs: inputs(test, &self.options.symbolic),
            program: bytes(link.place.as_ref().map(Place::inside).as_ref().unwrap_or(&self.program)),
        }
    }
}

fn inputs(test: &TestCase, symbolic: &Symbolic) -> Vec<Input> {
    let input = |source, bytes: &[u8], symbolic| Input { source, bytes: bytes.to_vec(), symbolic };
    let mut inputs = Vec::new();
    for (i, argument) in test.argv.iter().enumerate() {
        inputs.push(input(Source::Argument(i as u32 + 1), argument, symbolic.arguments));
    }
    inputs.push(input(Source::Stdin, &test.stdin, symbolic.stdin));
    for (path, bytes) in &test.files {
        inputs.push(input(Source::File(path.as_os_str().as_bytes().to_vec()), bytes, symbolic.files));
    }
    for (name, value) in &test.env {
        inputs.push(input(Source::Env(name.clone()), value, symbolic.env));
    }
    inputs
}

/// An absolute path to an executable file.
fn find_program(program: &Path) -> Result<PathBuf, Error> {
    let path = program.canonicalize().map_err(|_| Error::NoProgram { program: program.to_path_buf() })?;
    let executable = path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    if executable {
        Ok(path)
    } else {
        Err(Error::NotExecutable { program: program.to_path_buf() })
    }
}

/// The kernel has one limit for all files, the captured ones included.
fn writable_bytes(limits: &Limits) -> u64 {
    if limits.output == 0 || limits.file_size == 0 {
        return 0;
    }
    limits.output.max(limits.file_size)
}

fn outcome(reply: &Reply, output_full: bool) -> Outcome {
    let status = reply.status;
    if reply.limits & LIMIT_TIME != 0 {
        Outcome::TimedOut
    } else if reply.limits & LIMIT_PROCESSES != 0 {
        Outcome::TooManyProcesses
    } else if reply.limits & LIMIT_MEMORY != 0 {
        Outcome::TooMuchMemory
    } else if !libc::WIFSIGNALED(status) {
        Outcome::Exited(libc::WEXITSTATUS(status))
    } else if libc::WTERMSIG(status) != libc::SIGXFSZ {
        Outcome::Signaled(libc::WTERMSIG(status))
    } else if output_full {
        Outcome::TooMuchOutput
    } else {
        Outcome::FileTooLarge
    }
}
