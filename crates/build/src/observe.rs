//! Runs a command and sees which files it and everything that it starts look at.
//!
//! In: a command, and when to end it early. Out: how it ended, and every path that was opened, listed or asked about.
//!
//! What always holds: no process of the command outlives the call, nor this process, whatever ends it: all of them are traced, and
//! the kernel kills what is traced when the tracer goes away. Where tracing is not permitted the command runs all the same, and
//! the result says that nothing is known ([`Observed::seen`]).
//!
//! A filter of system calls stops a process only where it names a file, so that all else runs at full speed (decision 0022).

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, IoSliceMut};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{kill, killpg, Signal};
use nix::sys::uio::{process_vm_readv, RemoteIoVec};
use nix::unistd::Pid;

/// How often a command that runs is asked to stop.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// Longest path that the kernel takes.
const MAX_PATH: usize = 4096;
const PAGE: usize = 4096;

/// How a command ended, and what it looked at.
#[derive(Debug)]
pub struct Observed {
    pub status: ExitStatus,
    /// It was told to stop.
    pub stopped: bool,
    /// `None` if some of it could not be seen.
    pub seen: Option<Seen>,
}

/// What was looked at, by path: absolute, with links as they were written.
pub type Seen = HashMap<PathBuf, Use>;

/// What was done with a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// The first that was done was to write it: what is in it comes from the command itself.
    pub made: bool,
    /// Its content was read, or a directory's entries.
    pub read: bool,
}

/// Makes a command, with its streams; more than once if it cannot be traced.
pub type Make<'m> = &'m (dyn Fn() -> io::Result<Command> + Sync);

/// Runs a command to its end, or until it is to stop.
pub fn run(make: Make, stop: &(dyn Fn() -> bool + Sync)) -> io::Result<Observed> {
    // The process group of the command, once there is one.
    let group = AtomicI32::new(0);
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // The tracer waits for every child of its thread: it must have no others, such as the servers of programs under test.
        let tracer = scope.spawn(|| run_in(make, &group));
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
        let result = tracer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        result.map(|(status, seen)| Observed { status, stopped: stopped.load(Ordering::Relaxed), seen })
    })
}

fn run_in(make: Make, group: &AtomicI32) -> io::Result<(ExitStatus, Option<Seen>)> {
    match tied(make()?, Some(filter())).spawn() {
        Ok(child) => {
            group.store(child.id() as i32, Ordering::Relaxed);
            Tracer::new(Pid::from_raw(child.id() as i32)).run()
        }
        Err(error) if error.raw_os_error() == Some(NOT_TRACED) => {
            let mut child = tied(make()?, None).spawn()?;
            group.store(child.id() as i32, Ordering::Relaxed);
            Ok((child.wait()?, None))
        }
        Err(error) => Err(error),
    }
}

/// Has a tool die with this process, should that be killed. What the tool starts itself ends when it is done.
pub fn dies_with_us(command: &mut Command) -> &mut Command {
    let us = std::process::id();
    // SAFETY: two system calls, with nothing allocated or locked.
    unsafe { command.pre_exec(move || tie(us)) }
}

/// Has the calling process, a child of the process `parent`, be killed with that; refuses if the parent is gone already.
fn tie(parent: u32) -> io::Result<()> {
    // SAFETY: neither call names memory of ours.
    let (asked, now) = unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL), libc::getppid()) };
    let tied = asked == 0 && u32::try_from(now) == Ok(parent);
    tied.then_some(()).ok_or_else(|| io::Error::from_raw_os_error(libc::ECHILD))
}

/// What a child says that could not ask to be traced.
const NOT_TRACED: i32 = libc::EPERM;

/// Ties a command to this process: its first process dies with us, and, with the filter, asks to be traced.
fn tied(mut command: Command, filter: Option<Vec<libc::sock_filter>>) -> Command {
    command.process_group(0);
    let us = std::process::id();
    // SAFETY: what runs between fork and exec only makes system calls: it neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(move || {
            tie(us)?;
            let Some(filter) = &filter else { return Ok(()) };
            let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
            let done = libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) == 0;
            done.then_some(()).ok_or_else(|| io::Error::from_raw_os_error(NOT_TRACED))
        });
    }
    command
}

/// System calls that name a file: which argument the directory is (none: the current one), and which the path.
const NAMING: &[(libc::c_long, Option<usize>, usize)] = &[
    (libc::SYS_open, None, 0),
    (libc::SYS_creat, None, 0),
    (libc::SYS_openat, Some(0), 1),
    (libc::SYS_openat2, Some(0), 1),
    (libc::SYS_stat, None, 0),
    (libc::SYS_lstat, None, 0),
    (libc::SYS_newfstatat, Some(0), 1),
    (libc::SYS_statx, Some(0), 1),
    (libc::SYS_access, None, 0),
    (libc::SYS_faccessat, Some(0), 1),
    (libc::SYS_faccessat2, Some(0), 1),
    (libc::SYS_readlink, None, 0),
    (libc::SYS_readlinkat, Some(0), 1),
];

/// Ways to read files that are not followed: a command that takes one is not fully seen.
const UNFOLLOWED: &[libc::c_long] = &[libc::SYS_io_uring_setup, libc::SYS_open_by_handle_at];

/// Stops for the system calls above and for listings of directories. Code for other kinds of processor passes.
fn filter() -> Vec<libc::sock_filter> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let mut calls: Vec<u32> = NAMING.iter().map(|(number, _, _)| *number as u32).collect();
    calls.extend(UNFOLLOWED.iter().map(|number| *number as u32));
    calls.push(libc::SYS_getdents64 as u32);
    let count = calls.len() as u8;
    // Offsets in `seccomp_data`: 0 the number of the call, 4 the architecture.
    let mut program =
        vec![step(LOAD, 0, 0, 4), step(EQUAL, 0, count + 1, AUDIT_ARCH_X86_64), step(LOAD, 0, 0, 0)];
    for (index, call) in calls.iter().enumerate() {
        program.push(step(EQUAL, count - index as u8, 0, *call));
    }
    program.push(step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW));
    program.push(step(RETURN, 0, 0, libc::SECCOMP_RET_TRACE));
    program
}

/// Follows a command and all that it starts.
struct Tracer {
    shell: Pid,
    known: HashSet<Pid>,
    seen: Seen,
    /// Something happened that is not followed.
    blind: bool,
}

impl Tracer {
    fn new(shell: Pid) -> Tracer {
        Tracer { shell, known: HashSet::new(), seen: Seen::new(), blind: false }
    }

    /// Until the command has ended; what it leaves running is killed.
    fn run(mut self) -> io::Result<(ExitStatus, Option<Seen>)> {
        let mut ended = None;
        while let Some((pid, status)) = next_event() {
            if let Some(status) = self.take(pid, status) {
                ended = Some(status);
                for pid in &self.known {
                    // Gone already, perhaps.
                    let _ = kill(*pid, Signal::SIGKILL);
                }
            }
        }
        let status = ended.ok_or_else(|| io::Error::other("the command was lost"))?;
        Ok((status, (!self.blind).then_some(self.seen)))
    }

    /// One event; the status of the command itself, if it has ended.
    fn take(&mut self, pid: Pid, status: i32) -> Option<ExitStatus> {
        if !libc::WIFSTOPPED(status) {
            self.known.remove(&pid);
            return (pid == self.shell).then(|| ExitStatus::from_raw(status));
        }
        let event = status >> 16;
        if event != 0 {
            self.known.insert(pid);
            if event == libc::PTRACE_EVENT_SECCOMP {
                self.look(pid);
            } else if event == libc::PTRACE_EVENT_EXEC {
                self.executed(pid);
            }
            go_on(pid, 0);
        } else if self.known.insert(pid) {
            // The first stop of a process is ours: the command's after exec, a child's at its birth.
            self.greet(pid);
            go_on(pid, 0);
        } else {
            go_on(pid, libc::WSTOPSIG(status));
        }
        None
    }

    fn greet(&mut self, pid: Pid) {
        if pid == self.shell {
            let options = Options::PTRACE_O_EXITKILL
                | Options::PTRACE_O_TRACESECCOMP
                | Options::PTRACE_O_TRACEFORK
                | Options::PTRACE_O_TRACEVFORK
                | Options::PTRACE_O_TRACECLONE
                | Options::PTRACE_O_TRACEEXEC;
            self.blind |= ptrace::setoptions(pid, options).is_err();
            self.executed(pid);
        }
    }

    /// A program was started: it is read, too. One for another kind of processor is not followed.
    fn executed(&mut self, pid: Pid) {
        let Ok(program) = fs::read_link(format!("/proc/{pid}/exe")) else { return };
        const CLASS: usize = 4;
        const CLASS_64: u8 = 2;
        let class = first_bytes(&program).get(CLASS).copied();
        self.blind |= class != Some(CLASS_64);
        self.note(program, Use { made: false, read: true });
    }

    /// A system call that names a file is about to be made.
    fn look(&mut self, pid: Pid) {
        let Ok(registers) = ptrace::getregs(pid) else { return };
        let arguments = [registers.rdi, registers.rsi, registers.rdx, registers.r10];
        let call = registers.orig_rax as libc::c_long;
        if call == libc::SYS_getdents64 {
            if let Ok(directory) = fs::read_link(format!("/proc/{pid}/fd/{}", arguments[0])) {
                self.note(directory, Use { made: false, read: true });
            }
            return;
        }
        self.blind |= UNFOLLOWED.contains(&call);
        let Some((_, directory, path)) = NAMING.iter().find(|(number, _, _)| *number == call) else { return };
        let Some(path) = read_path(pid, arguments[*path] as usize) else { return };
        // An empty path means the descriptor itself, which was opened before.
        if path.as_os_str().is_empty() {
            return;
        }
        let usage = usage(pid, call, &arguments);
        let path = if path.is_absolute() {
            path
        } else {
            let base = directory.map_or(libc::AT_FDCWD, |index| arguments[index] as i32);
            let link = match base {
                libc::AT_FDCWD => format!("/proc/{pid}/cwd"),
                number => format!("/proc/{pid}/fd/{number}"),
            };
            let Ok(base) = fs::read_link(link) else { return };
            base.join(path)
        };
        self.note(path, usage);
    }

    fn note(&mut self, path: PathBuf, usage: Use) {
        self.seen.entry(path).and_modify(|known| known.read |= usage.read).or_insert(usage);
    }
}

/// What a system call does with the file that it names.
fn usage(pid: Pid, call: libc::c_long, arguments: &[u64; 4]) -> Use {
    let flags = match call {
        libc::SYS_open => arguments[1],
        libc::SYS_openat => arguments[2],
        libc::SYS_creat => libc::O_CREAT as u64,
        // The first word of the structure that the third argument points to.
        libc::SYS_openat2 => {
            let word = read_bytes(pid, arguments[2] as usize, 8).and_then(|bytes| bytes.try_into().ok());
            word.map_or(0, u64::from_le_bytes)
        }
        _ => return Use::default(),
    } as i32;
    let written = flags & libc::O_ACCMODE == libc::O_WRONLY || flags & (libc::O_CREAT | libc::O_TRUNC) != 0;
    Use { made: written, read: !written && flags & libc::O_PATH == 0 }
}

/// What happened next to a process that this thread started or traces: its number, and its status as the kernel has it. Nothing, if none
/// is left. (`nix` knows no real-time signals, which threads send each other.)
fn next_event() -> Option<(Pid, i32)> {
    loop {
        let mut status = 0;
        // SAFETY: the status is ours to write. Only what this thread started is waited for: other threads wait for theirs.
        let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL | libc::__WNOTHREAD) };
        if pid > 0 {
            return Some((Pid::from_raw(pid), status));
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return None;
        }
    }
}

/// Lets a stopped process go on, with a signal if it was about to get one.
fn go_on(pid: Pid, signal: i32) {
    // SAFETY: no memory is named. Fails if the process was killed meanwhile; its end is reported next.
    unsafe { libc::ptrace(libc::PTRACE_CONT, pid.as_raw(), 0, signal) };
}

fn first_bytes(path: &Path) -> Vec<u8> {
    use std::io::Read;
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(path) {
        let _ = file.take(8).read_to_end(&mut bytes);
    }
    bytes
}

/// A path in the memory of a process.
fn read_path(pid: Pid, address: usize) -> Option<PathBuf> {
    let mut path = Vec::new();
    while path.len() < MAX_PATH {
        let from = address + path.len();
        // Up to the end of the page: the next one need not be there.
        let bytes = read_bytes(pid, from, PAGE - from % PAGE)?;
        if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
            path.extend(&bytes[..end]);
            return Some(PathBuf::from(std::ffi::OsString::from_vec(path)));
        }
        path.extend(bytes);
    }
    None
}

fn read_bytes(pid: Pid, address: usize, len: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; len];
    let remote = [RemoteIoVec { base: address, len }];
    let read = process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &remote).ok()?;
    (read == len).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Observed {
        let script = script.to_string();
        let make = move || {
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(&script);
            Ok(command)
        };
        run(&make, &|| false).unwrap()
    }

    #[test]
    fn other_processes_of_this_thread_are_not_waited_for() {
        let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
        assert!(shell("true").status.success());
        assert!(other.try_wait().unwrap().is_none(), "it is still there");
        other.kill().unwrap();
        other.wait().unwrap();
    }

    #[test]
    fn what_a_command_and_its_children_read_write_and_miss_is_seen() {
        let home = tempfile::tempdir().unwrap();
        let place = |name: &str| home.path().join(name);
        fs::write(place("data with space"), "x").unwrap();
        fs::create_dir(place("listed")).unwrap();
        let script = format!(
            "cd {} && (cat 'data with space' | cat > made) && cat made; ls listed; test -e missing; cat absent; exit 3",
            home.path().display()
        );
        let observed = shell(&script);
        assert_eq!(observed.status.code(), Some(3));
        let seen = observed.seen.expect("tracing is permitted here");
        assert_eq!(seen[&place("data with space")], Use { made: false, read: true });
        assert!(seen[&place("made")].made);
        assert!(seen[&place("listed")].read);
        assert!(!seen[&place("missing")].read);
        assert!(seen[&place("absent")].read);
        assert!(seen.keys().any(|path| path.ends_with("cat")), "programs are read, too");
    }

    #[test]
    fn nothing_of_a_command_outlives_it() {
        let home = tempfile::tempdir().unwrap();
        let pids = home.path().join("pids");
        let script =
            format!("setsid sleep 1000 & echo $! > {0}; sleep 1000 & echo $! >> {0}", pids.display());
        assert!(shell(&script).status.success());
        for pid in fs::read_to_string(pids).unwrap().lines() {
            // Somebody else has yet to take note of its end, perhaps.
            let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_else(|_| ") Z".into());
            assert!(state.contains(") Z") || state.contains(") X"), "{pid} lives: {state}");
        }
    }

    #[test]
    fn a_command_ends_when_it_is_told_to_and_signals_reach_it() {
        let make = || {
            let mut command = Command::new("sleep");
            command.arg("1000");
            Ok(command)
        };
        let observed = run(&make, &|| true).unwrap();
        assert!(observed.stopped);
        assert_eq!(observed.status.signal(), Some(libc::SIGKILL));
        assert_eq!(shell("trap 'exit 7' USR1; kill -USR1 $$; exit 1").status.code(), Some(7));
        assert_eq!(shell("kill -TERM $$").status.signal(), Some(libc::SIGTERM));
        assert_eq!(shell("kill -RTMIN $$; kill -35 $$").status.signal().map(|s| s >= 32), Some(true));
    }
}
