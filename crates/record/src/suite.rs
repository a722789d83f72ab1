//! Runs the suite under the tracer.
//!
//! In: a [`Suite`]. Out: invocations to a function while it runs, and at the end how it ended.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use nix::sys::signal::{killpg, Signal};
use nix::unistd::Pid;

use crate::invocation::Invocation;
use crate::programs::{Programs, Wanted};
use crate::stage::{Order, EXIT_NOT_TRACED, EXIT_NO_COMMAND, EXIT_NO_NAMESPACE};
use crate::tracer::{Others, Tracer};

/// How often it is asked whether the suite is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What to run.
pub struct Suite<'s> {
    pub command: &'s [OsString],
    pub tree: PathBuf,
    /// The private copy; none to run in the tree itself.
    pub copy: Option<PathBuf>,
    /// Where the command starts.
    pub directory: PathBuf,
    pub wanted: Wanted,
    pub env: Vec<(OsString, OsString)>,
    /// A directory for copies of programs.
    pub images: PathBuf,
    /// Most bytes of a stream or file of an invocation.
    pub most: u64,
    /// Receives what the suite prints.
    pub log: PathBuf,
    /// How [`stage_main`](crate::stage_main) is reached.
    pub stage: [OsString; 2],
}

/// How it went.
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    /// It was told to stop.
    pub stopped: bool,
    /// What it executed that is not recorded, and how often.
    pub others: Others,
    /// Processes that it had left behind.
    pub left: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: {source}", path = .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{0}: it cannot be executed; what stands after -- is the command that runs the suite")]
    NoCommand(String),
    #[error(
        "the suite cannot be given a private copy of the tree on this machine ({0}); with --in-place it runs in the tree itself, and what it writes \
         there stays"
    )]
    NoNamespace(String),
    #[error("the suite cannot be traced on this machine ({0}): it must permit ptrace (in a container: --cap-add SYS_PTRACE, or a newer runtime)")]
    NotTraced(String),
    #[error("the suite did not start: {0}")]
    Setup(String),
}

/// Runs a suite to its end, or until `stop` says so.
pub fn run(
    suite: &Suite,
    stop: &(dyn Fn() -> bool + Sync),
    sink: &mut (dyn FnMut(Invocation) + Send),
) -> Result<Finished, Error> {
    // The process group of the suite, once there is one.
    let group = AtomicI32::new(0);
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // The tracer waits for every child of its thread: it must have no others.
        let tracer = scope.spawn(|| traced(suite, &group, &stopped, sink));
        while !tracer.is_finished() {
            let group = group.load(Ordering::Relaxed);
            if group != 0 && stop() {
                stopped.store(true, Ordering::Relaxed);
                // Fails only if nobody of the group is left.
                let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        // The panic's own message has been printed.
        let finished = tracer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(Finished { stopped: stopped.load(Ordering::Relaxed), ..finished })
    })
}

fn traced(
    suite: &Suite,
    group: &AtomicI32,
    stopping: &AtomicBool,
    sink: &mut dyn FnMut(Invocation),
) -> Result<Finished, Error> {
    let failed = |source| Error::File { path: suite.log.clone(), source };
    let log = File::create(&suite.log).map_err(failed)?;
    let order = Order {
        parent: std::process::id(),
        copy: suite.copy.as_ref().map(|copy| (suite.tree.as_path(), copy.as_path())),
        directory: &suite.directory,
        command: suite.command,
    };
    let programs =
        Programs::new(&suite.wanted, &suite.tree, suite.copy.as_ref().unwrap_or(&suite.tree), &suite.images);
    let mut command = Command::new(&suite.stage[0]);
    command.env_clear().envs(suite.env.iter().map(|(name, value)| (name, value)));
    command.arg(&suite.stage[1]).args(order.arguments()).process_group(0);
    // A suite in a process group of its own must not wait for a terminal.
    command.stdin(Stdio::null()).stdout(log.try_clone().map_err(failed)?).stderr(log);
    let child = command.spawn().map_err(|error| Error::Setup(error.to_string()))?;
    group.store(child.id() as i32, Ordering::Relaxed);
    let tracer =
        Tracer::new(Pid::from_raw(child.id() as i32), programs, suite.tree.clone(), suite.most, sink);
    let traced = tracer.run(stopping);
    let status = traced.status.ok_or_else(|| Error::Setup("it was lost".to_owned()))?;
    if !traced.started {
        return Err(not_started(suite, status));
    }
    Ok(Finished { status, stopped: false, others: traced.others, left: traced.left })
}

fn not_started(suite: &Suite, status: ExitStatus) -> Error {
    let log = fs::read(&suite.log).unwrap_or_default();
    let message = String::from_utf8_lossy(&log).trim().trim_start_matches("parallax: ").to_owned();
    match status.code() {
        Some(EXIT_NO_COMMAND) => Error::NoCommand(message),
        Some(EXIT_NO_NAMESPACE) => Error::NoNamespace(message),
        Some(EXIT_NOT_TRACED) => Error::NotTraced(message),
        _ => Error::Setup(format!("{message} ({status})")),
    }
}
