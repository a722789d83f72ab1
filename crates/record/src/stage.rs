//! The process that becomes the suite: it takes the private copy to the place of the tree, asks to be traced, and executes the command.
//!
//! In: the command line that [`Order::arguments`] makes, in a fresh process. Out: the suite in this process's place, or an exit status below and a message on
//! standard error.
//!
//! Always holds: the mount is in a namespace of its own; no other process sees it, and it is gone with the last process of the suite.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::mount::{mount, MsFlags};
use nix::sched::{unshare, CloneFlags};
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::unistd::{getgid, getppid, getuid};

/// The hidden subcommand behind which `parallax` must call [`stage_main`].
pub const STAGE_SUBCOMMAND: &str = "__record-stage";
/// No mount namespace to be had.
pub const EXIT_NO_NAMESPACE: i32 = 121;
/// The suite cannot be traced.
pub const EXIT_NOT_TRACED: i32 = 122;
/// The command cannot be executed.
pub const EXIT_NO_COMMAND: i32 = 127;
const EXIT_SETUP: i32 = 120;

/// What the stage is to do.
pub struct Order<'o> {
    /// The process that traces.
    pub parent: u32,
    /// Where the private copy is to be seen, and where it lies; none if the suite runs in the tree itself.
    pub copy: Option<(&'o Path, &'o Path)>,
    pub directory: &'o Path,
    pub command: &'o [OsString],
}

impl Order<'_> {
    /// For the command line of the stage, after the subcommand.
    pub fn arguments(&self) -> Vec<OsString> {
        let (place, copy) = self.copy.unwrap_or((Path::new(""), Path::new("")));
        let first = [self.parent.to_string().into(), place.into(), copy.into(), self.directory.into()];
        first.into_iter().chain(self.command.iter().cloned()).collect()
    }
}

/// `args` without program name and subcommand. Comes back only if the suite cannot be started: with the exit status.
pub fn stage_main(args: impl Iterator<Item = OsString>) -> i32 {
    let args: Vec<OsString> = args.collect();
    let [parent, place, copy, directory, program, arguments @ ..] = &args[..] else {
        eprintln!("parallax: the stage is started by Parallax itself, not by hand");
        return EXIT_SETUP;
    };
    match prepare(parent, Path::new(place), Path::new(copy), Path::new(directory)) {
        Ok(()) => {
            let error = Command::new(program).args(arguments).exec();
            eprintln!("parallax: {}: {error}", PathBuf::from(program).display());
            EXIT_NO_COMMAND
        }
        Err((status, message)) => {
            eprintln!("parallax: {message}");
            status
        }
    }
}

fn prepare(parent: &OsString, place: &Path, copy: &Path, directory: &Path) -> Result<(), (i32, String)> {
    let setup = |what: &str, error: &dyn std::fmt::Display| (EXIT_SETUP, format!("{what}: {error}"));
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).map_err(|e| setup("parent death signal", &e))?;
    if parent.to_str() != Some(&getppid().to_string()) {
        return Err((EXIT_SETUP, "the recorder is gone".to_owned()));
    }
    if !place.as_os_str().is_empty() {
        enter_namespace().map_err(|error| (EXIT_NO_NAMESPACE, format!("no mount namespace: {error}")))?;
        let none: Option<&Path> = None;
        mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)
            .and_then(|()| mount(Some(copy), place, none, MsFlags::MS_BIND, none))
            .map_err(|error| (EXIT_NO_NAMESPACE, format!("{}: mount: {error}", place.display())))?;
    }
    // The directory of before is below the mount, out of sight.
    std::env::set_current_dir(directory).map_err(|e| setup(&directory.display().to_string(), &e))?;
    ptrace::traceme().map_err(|error| (EXIT_NOT_TRACED, format!("ptrace: {error}")))
}

/// Root needs no user namespace, and without one file owners keep their names.
fn enter_namespace() -> Result<(), std::io::Error> {
    if unshare(CloneFlags::CLONE_NEWNS).is_ok() {
        return Ok(());
    }
    let (uid, gid) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}
