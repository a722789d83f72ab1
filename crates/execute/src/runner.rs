//! The process between the engine and a program under test.
//!
//! In: an order on the command line and the descriptors of [`parallax_trace::control`]. Out: a
//! [`Hello`], then this process is a confined fork server: the instrumented program itself, or, for a
//! native program, the same loop with an `exec` in every child.
//!
//! Always holds: when the engine goes away, everything here ends. Nothing of the program under test
//! runs before the confinement is in force.

use crate::place::Place;
use crate::server;
use crate::{confine, sys, view, warden};
use parallax_trace::control::*;
use parallax_trace::format::FORMAT_VERSION;
use parallax_trace::request::{Request, Source};
use std::ffi::{CString, OsString};
use std::fmt::Display;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Descriptors that a program under test may have open.
const MAX_OPEN_FILES: u64 = 1024;
/// Files and directories in a scratch file system.
const SCRATCH_FILES: u64 = 65_536;
/// Stack of a program under test, and with it the room for its arguments.
const STACK_BYTES: u64 = 8 << 20;
/// Exit status when the set-up failed; the reason is on standard error.
const EXIT_SETUP: i32 = 120;

/// How much confinement the engine asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Namespaces, read-only mounts, Landlock, filter; scratch is a file system of its own.
    Namespaces,
    /// Landlock and filter; scratch is a directory of the host.
    Landlock,
    /// Limits only.
    None,
}

/// What the engine wants from a runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub level: Level,
    pub instrumented: bool,
    /// See [`crate::Options::moving_addresses`].
    pub moving_addresses: bool,
    pub program: PathBuf,
    /// See [`crate::Home::place`].
    pub place: Option<PathBuf>,
    /// `LD_LIBRARY_PATH` of a server that is the program itself; empty for none.
    pub library_path: OsString,
    /// The path that all versions of a native program have in common, if there is one.
    pub common: Option<Place>,
    /// Size of the scratch file system, with [`Level::Namespaces`].
    pub scratch_bytes: u64,
    /// The scratch directory as the run sees it.
    pub scratch: PathBuf,
}

impl Order {
    pub fn to_args(&self) -> Vec<OsString> {
        let level = match self.level {
            Level::Namespaces => "namespaces",
            Level::Landlock => "landlock",
            Level::None => "none",
        };
        let kind = if self.instrumented { "instrumented" } else { "native" };
        let addresses = if self.moving_addresses { "moving" } else { "fixed" };
        let mut args = vec![
            level.into(),
            kind.into(),
            addresses.into(),
            self.scratch_bytes.to_string().into(),
            self.scratch.clone().into(),
            self.program.clone().into(),
            self.place.clone().unwrap_or_default().into(),
            self.library_path.clone(),
        ];
        if let Some(place) = &self.common {
            let disturbance = place.disturbance.map_or(String::new(), |number| number.to_string());
            args.extend([
                place.mount.clone().into(),
                place.tree.clone().into(),
                place.name.clone(),
                disturbance.into(),
            ]);
        }
        args
    }

    fn from_args(args: impl Iterator<Item = OsString>) -> Option<Order> {
        let args: Vec<OsString> = args.collect();
        let [level, kind, addresses, bytes, scratch, program, place, library_path, common @ ..] =
            args.as_slice()
        else {
            return None;
        };
        let common = match common {
            [] => None,
            [mount, tree, name, disturbance] => Some(Place {
                mount: mount.into(),
                program: program.into(),
                tree: tree.into(),
                name: name.clone(),
                disturbance: disturbance.to_str()?.parse().ok(),
            }),
            _ => return None,
        };
        let level = match level.to_str()? {
            "namespaces" => Level::Namespaces,
            "landlock" => Level::Landlock,
            "none" => Level::None,
            _ => return None,
        };
        Some(Order {
            level,
            instrumented: kind == "instrumented",
            moving_addresses: addresses == "moving",
            program: program.into(),
            place: Some(place).filter(|place| !place.is_empty()).map(PathBuf::from),
            library_path: library_path.clone(),
            common,
            scratch_bytes: bytes.to_str()?.parse().ok()?,
            scratch: scratch.into(),
        })
    }
}

/// The runner's `main`; `args` without program name and subcommand. Gives the exit status.
pub fn runner_main(args: impl Iterator<Item = OsString>) -> i32 {
    let Some(order) = Order::from_args(args) else {
        eprintln!("parallax: the runner is started by Parallax itself, not by hand");
        return EXIT_SETUP;
    };
    match run(&order) {
        Ok(status) => status,
        Err(failure) => {
            eprintln!("{failure}");
            EXIT_SETUP
        }
    }
}

/// What failed, for the engine to show.
struct Failure(String);

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Says which step an error belongs to.
fn step<T, E: Display>(what: &str, result: Result<T, E>) -> Result<T, Failure> {
    result.map_err(|e| Failure(format!("{what}: {e}")))
}

fn run(order: &Order) -> Result<i32, Failure> {
    step("descriptors", prepare_descriptors())?;
    step("process settings", sys::make_process_plain(order.moving_addresses))?;
    if let Some(number) = order.common.as_ref().and_then(|place| place.disturbance) {
        step("processors", sys::use_processors(number))?;
    }
    step("core limit", sys::limit(libc::RLIMIT_CORE, 0))?;
    step("descriptor limit", sys::limit(libc::RLIMIT_NOFILE, MAX_OPEN_FILES))?;
    step("stack limit", sys::limit(libc::RLIMIT_STACK, STACK_BYTES))?;
    if order.level == Level::Namespaces {
        step("namespaces", confine::enter_namespaces())?;
    } else {
        step("subreaper", sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0))?;
    }
    if let Some(first) = step("fork", sys::fork())? {
        return Ok(warden::stand_by(first));
    }
    step("parent death signal", sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as u64, 0))?;
    if order.level != Level::Namespaces {
        step("subreaper", sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0))?;
    }
    confine_and_greet(order)?;
    if order.instrumented {
        start_instrumented(order)
    } else {
        if order.level == Level::Landlock {
            server::signals_are_scoped();
        }
        run_native(&server::serve_here(server::Hooks::NONE))
    }
}

/// Nothing of the engine's but the descriptors of the protocol.
fn prepare_descriptors() -> io::Result<()> {
    sys::close_range(3, FD_FIRST as u32 - 1)?;
    sys::close_range(FD_LAST_PID as u32, u32::MAX)?;
    let null = std::fs::File::open("/dev/null")?;
    sys::dup_to(null.as_raw_fd(), 0)?;
    sys::dup_to(null.as_raw_fd(), 1)?;
    sys::dup_to(FD_STDERR, 2)
}

/// Sets up the scratch directory and the confinement, and tells the engine what is in force.
fn confine_and_greet(order: &Order) -> Result<(), Failure> {
    let mut hello = Hello { magic: HELLO, confinement: 0 };
    let mut attached = None;
    let mut writable = vec![order.scratch.clone()];
    let mut readable = Vec::new();
    if order.level == Level::Landlock {
        readable = step("places to read", confine::readable_places(&order.scratch, &order.program))?;
    }
    if order.level == Level::Namespaces {
        if step("mounts", view::enter(&order.scratch, order.scratch_bytes, SCRATCH_FILES))? {
            hello.confinement |= CONFINED_OVERLAY;
        }
        let visible: Vec<&Path> = std::iter::once(&*order.program).chain(order.place.as_deref()).collect();
        writable.extend(step("temporary files", confine::mount_temporary(&order.scratch, &visible))?);
        if let Some(place) = &order.place {
            step("the program's place", confine::mount_program(&order.program, place))?;
        }
        attached = Some(step("scratch directory", sys::open_path(&order.scratch))?);
        if let Some(common) = &order.common {
            step("the common path of all versions", common.furnish())?;
        }
        hello.confinement |= CONFINED_NAMESPACES;
    }
    let keep_pid = order.level == Level::Namespaces && open_last_pid();
    if order.level != Level::None {
        step("capabilities", confine::drop_capabilities(keep_pid))?;
        step("Landlock", confine::landlock(&writable, &readable))?;
        step("system-call filter", confine::filter(order.level == Level::Namespaces))?;
        hello.confinement |= CONFINED_LANDLOCK;
    }
    step("greeting", sys::send_with_fd(FD_REPLY, &hello, attached.as_ref().map(AsFd::as_fd)))?;
    if order.level != Level::None {
        step("last system-call filter", confine::forbid_passing())?;
    }
    Ok(())
}

/// Opens what lets the server choose process numbers; without it runs only differ in theirs.
fn open_last_pid() -> bool {
    let file = std::fs::OpenOptions::new().read(true).write(true).open("/proc/sys/kernel/ns_last_pid");
    file.is_ok_and(|f| sys::dup_to(f.as_raw_fd(), FD_LAST_PID).is_ok())
}

fn start_instrumented(order: &Order) -> Result<i32, Failure> {
    let place = order.place.as_ref().filter(|_| order.level == Level::Namespaces);
    let program = place.unwrap_or(&order.program);
    let path = step("program", sys::c_path(program))?;
    let scoped =
        if order.level == Level::Landlock { String::from(server::SCOPED_MARK) } else { String::new() };
    let serve = CString::new(format!("{ENV_SERVE}={FORMAT_VERSION}{scoped}"));
    let mut env = vec![step("environment", serve)?];
    if !order.library_path.is_empty() {
        let variable = [b"LD_LIBRARY_PATH=", order.library_path.as_bytes()].concat();
        env.push(step("environment", CString::new(variable))?);
    }
    let error = sys::exec(&path, std::slice::from_ref(&path), &env);
    Err(Failure(format!("{}: {error}", program.display())))
}

/// In a child of the loop: becomes the program under test.
fn run_native(request: &Request) -> ! {
    let error = exec_request(request).err().and_then(|e| e.raw_os_error());
    server::not_started(error.unwrap_or(libc::EINVAL))
}

fn exec_request(request: &Request) -> io::Result<()> {
    let mut argv = vec![CString::new(request.argv0.clone())?];
    let mut env = Vec::new();
    for variable in &request.fixed_env {
        env.push(CString::new(variable.clone())?);
    }
    for input in &request.inputs {
        match &input.source {
            Source::Argument(_) => argv.push(CString::new(input.bytes.clone())?),
            Source::Env(name) => env.push(CString::new([name, &input.bytes[..]].join(&b'='))?),
            Source::Stdin | Source::File(_) => {}
        }
    }
    let program = sys::c_path(Path::new(std::ffi::OsStr::from_bytes(&request.program)))?;
    Err(sys::exec(&program, &argv, &env))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn an_order_survives_the_command_line() {
        let order = Order {
            level: Level::Landlock,
            instrumented: true,
            moving_addresses: true,
            program: OsString::from_vec(b"/a b/\xff".to_vec()).into(),
            place: Some("/b/c".into()),
            library_path: "/a:/b".into(),
            common: None,
            scratch_bytes: 7,
            scratch: "/tmp/x".into(),
        };
        assert_eq!(Order::from_args(order.to_args().into_iter()), Some(order.clone()));
        assert_eq!(Order::from_args(order.to_args().into_iter().skip(1)), None);
        for disturbance in [None, Some(u64::MAX)] {
            let place = Place {
                mount: "/mnt".into(),
                program: order.program.clone(),
                tree: "/a b".into(),
                name: OsString::from_vec(b"\xfe".to_vec()),
                disturbance,
            };
            assert_eq!(place.inside(), Path::new(OsStr::from_bytes(b"/mnt/\xfe")));
            let order = Order { common: Some(place), ..order.clone() };
            assert_eq!(Order::from_args(order.to_args().into_iter()), Some(order.clone()));
        }
    }
}
