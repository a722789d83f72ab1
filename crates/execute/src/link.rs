//! One fork server and the conversation with it.
//!
//! In: a program, an arena, how much confinement. Out: a running server with its scratch directory,
//! and a [`Reply`] for every [`Command`].
//!
//! Always holds: dropping the value ends the server and everything below it.

use crate::executor::{Confinement, Kind, Options};
use crate::litter::host_directory;
use crate::place::Place;
use crate::runner::{Level, Order};
use crate::scratch::Scratch;
use crate::warden::Guard;
use crate::{confine, sys, Arena, Error};
use parallax_trace::control::*;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How often waits look at the interrupt flag.
const POLL: Duration = Duration::from_millis(20);
/// How long a server may take to end a run after its time is up.
const GRACE: Duration = Duration::from_secs(5);
/// How long a server may take to end after being told to.
const QUIT_TIME: Duration = Duration::from_secs(5);
const TOO_LARGE: &str = "it takes too much memory, or too many processes, before its first run";
/// Bytes of a server's own complaints that are shown.
const DETAIL_BYTES: u64 = 2000;

pub struct Link {
    process: Process,
    guard: Guard,
    /// The server is gone, or is not to be asked again.
    pub is_lost: bool,
    reply: OwnedFd,
    pub scratch: Scratch,
    pub confinement: Confinement,
    /// Where the program is in a run, if not where it is.
    pub place: Option<Place>,
}

/// The runner's process and the pipe that keeps it alive.
struct Process {
    child: Child,
    command: Option<OwnedFd>,
}

/// How a conversation ends badly.
pub enum Silence {
    /// The server is gone.
    Gone,
    /// It said nothing in time.
    Late,
    Interrupted,
    /// Its processes have more than they may: `LIMIT_*` bits.
    Over(u32),
}

/// Starts a server with as much confinement as there is.
pub fn start(program: &Path, kind: Kind, options: &Options, arena: &Arena) -> Result<Link, Error> {
    if options.unconfined {
        return start_at(Level::None, program, kind, options, arena);
    }
    let version = sys::landlock_version();
    if version < confine::LANDLOCK_MINIMUM {
        return Err(Error::NoConfinement { missing: "no Landlock".into() });
    }
    let first = if options.namespaces {
        match start_at(Level::Namespaces, program, kind, options, arena) {
            Err(Error::NoConfinement { missing }) => missing,
            other => return other,
        }
    } else {
        "namespaces: not wanted".to_string()
    };
    if version < confine::LANDLOCK_SIGNALS {
        let wanted = confine::LANDLOCK_SIGNALS;
        let missing = format!("{first}; without them Landlock {wanted} would do, this one is {version}");
        return Err(Error::NoConfinement { missing });
    }
    start_at(Level::Landlock, program, kind, options, arena).map_err(|error| match error {
        Error::NoConfinement { missing } => Error::NoConfinement { missing: format!("{first}; {missing}") },
        other => other,
    })
}

fn start_at(
    level: Level,
    program: &Path,
    kind: Kind,
    options: &Options,
    arena: &Arena,
) -> Result<Link, Error> {
    let home = options.home(program);
    let visible: Vec<&Path> = std::iter::once(program).chain(home.place.as_deref()).collect();
    let (place, host) = match level {
        Level::Namespaces => {
            let place = confine::mount_point(&visible);
            let missing = || Error::NoConfinement { missing: "no place for a scratch file system".into() };
            (place.ok_or_else(missing)?, None)
        }
        _ => {
            let host = host_directory()?;
            (host.path().to_path_buf(), Some(host))
        }
    };
    let common =
        confine::program_mount(&visible).filter(|_| level == Level::Namespaces && kind == Kind::Native);
    let common = common.and_then(|mount| program_place(mount, program, options));
    let order = Order {
        level,
        common: common.clone(),
        instrumented: kind == Kind::Instrumented,
        moving_addresses: options.moving_addresses,
        program: program.to_path_buf(),
        place: home.place.clone(),
        library_path: OsStr::from_bytes(home.library_path()).to_owned(),
        scratch_bytes: options.scratch_bytes,
        scratch: place.clone(),
    };
    let mut starting = spawn(&order, options, arena)?;
    let (attached, in_force) = starting.hello(&order, options)?;
    let unusable = |source| Error::Setup { what: "the scratch directory", source };
    let scratch = match (attached, host) {
        (Some(fd), _) => Scratch::mounted(fd, place, confine::names_kept(&visible)).map_err(unusable)?,
        (None, Some(host)) => Scratch::on_host(host).map_err(unusable)?,
        (None, None) => return Err(starting.runner_failed(options, "sent no scratch directory")),
    };
    starting.ready(program, options)?;
    let confinement = match level {
        Level::Namespaces if in_force & CONFINED_OVERLAY != 0 => Confinement::Namespaces,
        Level::Namespaces => Confinement::SharedFiles,
        Level::Landlock => Confinement::Landlock,
        Level::None => Confinement::None,
    };
    let Starting { process, reply, guard, .. } = starting;
    Ok(Link { process, guard, is_lost: false, reply, scratch, confinement, place: common })
}

/// Where all versions are when they run.
fn program_place(mount: PathBuf, program: &Path, options: &Options) -> Option<Place> {
    let own = program.file_name().unwrap_or_default();
    let name = options.argv0.as_deref().map(OsStr::from_bytes).map(Path::new);
    let directory = program.parent().unwrap_or(Path::new("/"));
    let tree = options.tree.as_ref().and_then(|tree| tree.canonicalize().ok());
    let place = Place {
        mount,
        program: program.to_path_buf(),
        tree: tree.filter(|tree| program.starts_with(tree)).unwrap_or_else(|| directory.to_path_buf()),
        name: name.and_then(Path::file_name).unwrap_or(own).to_owned(),
        disturbance: options.disturbance,
    };
    place.can_be_furnished().then_some(place)
}

/// A runner that has not said everything yet.
struct Starting {
    process: Process,
    guard: Guard,
    reply: OwnedFd,
    stderr: File,
}

fn spawn(order: &Order, options: &Options, arena: &Arena) -> Result<Starting, Error> {
    let setup = |source| Error::Setup { what: "the conversation with the runner", source };
    let (command_read, command) = sys::pipe().map_err(setup)?;
    let (reply, reply_write) = sys::socket_pair().map_err(setup)?;
    let stderr = File::from(sys::memory_file(c"parallax-stderr", 0).map_err(setup)?);
    let ends = [
        (arena.fd(), FD_ARENA),
        (command_read.as_fd(), FD_COMMAND),
        (reply_write.as_fd(), FD_REPLY),
        (stderr.as_fd(), FD_STDERR),
    ];
    // Copies above the protocol's numbers, so that none is overwritten by another's.
    let copies: Vec<(OwnedFd, i32)> = ends
        .iter()
        .map(|(fd, number)| Ok((sys::dup_above(*fd, FD_LAST + 1)?, *number)))
        .collect::<io::Result<_>>()
        .map_err(setup)?;
    let (runner, arguments) = options.runner_command()?;
    let mut process = std::process::Command::new(&runner);
    process.args(arguments).args(order.to_args()).env_clear().current_dir("/");
    process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr.try_clone().map_err(setup)?);
    // SAFETY: dup2 is async-signal-safe, and nothing here allocates or locks.
    unsafe {
        process
            .pre_exec(move || copies.iter().try_for_each(|(fd, number)| sys::dup_to(fd.as_raw_fd(), *number)))
    };
    let child = process.spawn().map_err(|e| Error::Runner { runner, detail: e.to_string() })?;
    let guard = Guard::new(child.id() as i32);
    Ok(Starting { process: Process { child, command: Some(command) }, guard, reply, stderr })
}

impl Starting {
    /// Waits for the runner's report; gives the scratch directory's descriptor if there is one, and what is in force.
    fn hello(&mut self, order: &Order, options: &Options) -> Result<(Option<OwnedFd>, u32), Error> {
        match listen::<Hello>(&self.reply, options.start_time, options, &mut self.guard) {
            Ok((hello, fd)) if hello.magic == HELLO => Ok((fd, hello.confinement)),
            Ok(_) => Err(self.runner_failed(options, "is of another version")),
            Err(Silence::Interrupted) => Err(Error::Interrupted),
            Err(Silence::Late) => Err(self.runner_failed(options, "did not answer in time")),
            Err(Silence::Over(_)) => Err(self.runner_failed(options, TOO_LARGE)),
            Err(Silence::Gone) => {
                let detail = self.last_words();
                if order.level == Level::None || detail.is_empty() {
                    Err(self.runner_failed(options, &detail))
                } else {
                    Err(Error::NoConfinement { missing: detail })
                }
            }
        }
    }

    /// Waits for the server.
    fn ready(&mut self, program: &Path, options: &Options) -> Result<(), Error> {
        let detail = match listen::<u32>(&self.reply, options.start_time, options, &mut self.guard) {
            Ok((READY, _)) => return Ok(()),
            Ok(_) => "it is of another version".to_string(),
            Err(Silence::Interrupted) => return Err(Error::Interrupted),
            Err(Silence::Late) => format!("no answer in {:?}", options.start_time),
            Err(Silence::Over(_)) => TOO_LARGE.to_string(),
            Err(Silence::Gone) => self.last_words(),
        };
        Err(Error::DoesNotServe { program: program.to_path_buf(), detail })
    }

    fn runner_failed(&mut self, options: &Options, detail: &str) -> Error {
        match options.runner_command() {
            Ok((runner, _)) => Error::Runner { runner, detail: detail.to_string() },
            Err(error) => error,
        }
    }

    /// What the runner or the program complained about.
    fn last_words(&mut self) -> String {
        let mut bytes = Vec::new();
        let _ = self.stderr.rewind();
        let _ = (&self.stderr).take(DETAIL_BYTES).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).trim().to_string()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The closed pipe tells the server to end everything it started.
        self.command = None;
        let pid = self.child.id() as i32;
        if let Ok(pidfd) = sys::pidfd_open(pid) {
            sys::readable(pidfd.as_fd(), QUIT_TIME);
        }
        sys::kill_group(pid);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Link {
    /// One run. After an error the link is of no further use.
    pub fn run(&mut self, command: &Command, options: &Options) -> Result<Reply, Silence> {
        let answer = self.ask(command, options);
        self.is_lost |= answer.is_err();
        answer
    }

    fn ask(&mut self, command: &Command, options: &Options) -> Result<Reply, Silence> {
        self.guard.expect(command);
        let pipe = self.process.command.as_ref().ok_or(Silence::Gone)?;
        sys::write_message(pipe.as_fd(), command).map_err(|_| Silence::Gone)?;
        let patience = match command.time_ms {
            0 => Duration::MAX,
            ms => Duration::from_millis(ms) + GRACE,
        };
        listen::<Reply>(&self.reply, patience, options, &mut self.guard).map(|(reply, _)| reply)
    }
}

/// The next message, looking at the interrupt flag and at the server's processes while waiting.
fn listen<M: sys::Message>(
    socket: &OwnedFd,
    patience: Duration,
    options: &Options,
    guard: &mut Guard,
) -> Result<(M, Option<OwnedFd>), Silence> {
    let started = Instant::now();
    loop {
        match guard.look() {
            0 => {}
            over => return Err(Silence::Over(over)),
        }
        if sys::readable(socket.as_fd(), POLL) {
            return match sys::receive_with_fd(socket.as_fd()) {
                Ok(Some(message)) => Ok(message),
                _ => Err(Silence::Gone),
            };
        }
        if options.interrupt.is_set() {
            return Err(Silence::Interrupted);
        }
        if started.elapsed() > patience {
            return Err(Silence::Late);
        }
    }
}
