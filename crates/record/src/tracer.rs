//! Follows everything that a suite starts, and call by call what the programs to record do.
//!
//! In: the first process of the suite, a child of the calling thread that asked to be traced. Out: every invocation when it ends.
//!
//! Always holds: processes that have nothing to do with a recorded program run at full speed between forks and executions. When the suite has ended, what it leaves
//! running is killed, and invocations among that are told as [`Ended::Left`].

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;

use crate::invocation::{Ended, Invocation};
use crate::look::{self, Entered};
use crate::open::Open;
use crate::programs::Programs;
use crate::resume::{go_on, is_at_beginning, next_event, Until};

/// What the tracer gives, one after the other.
pub type Sink<'s> = &'s mut dyn FnMut(Invocation);

/// How many executions were seen of what is not recorded, by name: for saying what there was instead.
pub type Others = BTreeMap<PathBuf, u64>;
/// Most names of them.
const MOST_OTHERS: usize = 1000;

#[derive(Default)]
struct Process {
    /// The innermost invocation that it belongs to.
    invocation: Option<u64>,
    /// The call that it is in.
    entered: Option<Entered>,
}

pub struct Tracer<'s> {
    suite: Pid,
    pub programs: Programs,
    pub tree: PathBuf,
    /// Most bytes of a stream or file.
    pub most: u64,
    sink: Sink<'s>,
    processes: HashMap<Pid, Process>,
    /// Children whose birth was told before they were seen.
    born: HashMap<Pid, Option<u64>>,
    pub open: HashMap<u64, Open>,
    begun: u64,
    others: Others,
}

/// How the suite ended.
pub struct Traced {
    pub status: Option<ExitStatus>,
    /// It was executed at all.
    pub started: bool,
    pub others: Others,
    /// Processes that were still there at its end.
    pub left: usize,
}

impl<'s> Tracer<'s> {
    pub fn new(suite: Pid, programs: Programs, tree: PathBuf, most: u64, sink: Sink<'s>) -> Tracer<'s> {
        Tracer {
            suite,
            programs,
            tree,
            most,
            sink,
            processes: HashMap::new(),
            born: HashMap::new(),
            open: HashMap::new(),
            begun: 0,
            others: Others::new(),
        }
    }

    /// Until nothing of the suite is left. `stopping`: from then on it is killed from outside.
    pub fn run(mut self, stopping: &AtomicBool) -> Traced {
        let mut traced = Traced { status: None, started: false, others: Others::new(), left: 0 };
        while let Some((pid, status)) = next_event() {
            if libc::WIFSTOPPED(status) {
                self.stopped(pid, status);
                traced.started = true;
                continue;
            }
            // What is still there when the suite has ended was left by it, whatever ends it now.
            let killed = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL;
            let stopped = killed && stopping.load(Ordering::Relaxed);
            self.gone(pid, status, traced.status.is_none() && !stopped);
            if pid == self.suite {
                traced.status = Some(ExitStatus::from_raw(status));
                traced.left = self.processes.len();
                for pid in self.processes.keys() {
                    // Gone already, perhaps.
                    let _ = kill(*pid, Signal::SIGKILL);
                }
            }
        }
        let open = std::mem::take(&mut self.open);
        open.into_values().for_each(|open| (self.sink)(open.invocation));
        traced.others = self.others;
        traced
    }

    fn stopped(&mut self, pid: Pid, status: i32) {
        const CALL: i32 = libc::SIGTRAP | 0x80;
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let mut deliver = 0;
        if event != 0 {
            self.event(pid, event);
        } else if signal == CALL {
            self.call(pid);
        } else if !self.processes.contains_key(&pid) {
            // The first stop of a process is ours: the suite's after its execution, a child's at its birth.
            self.greet(pid);
        } else {
            deliver = signal;
        }
        let recorded = self.processes.get(&pid).is_some_and(|process| process.invocation.is_some());
        go_on(pid, if recorded { Until::Call } else { Until::Event }, deliver);
    }

    fn greet(&mut self, pid: Pid) {
        if pid == self.suite {
            let options = Options::PTRACE_O_EXITKILL
                | Options::PTRACE_O_TRACESYSGOOD
                | Options::PTRACE_O_TRACEFORK
                | Options::PTRACE_O_TRACEVFORK
                | Options::PTRACE_O_TRACECLONE
                | Options::PTRACE_O_TRACEEXEC;
            // Fails only if it was killed meanwhile.
            let _ = ptrace::setoptions(pid, options);
            self.processes.insert(pid, Process::default());
            self.executed(pid);
            return;
        }
        let invocation = self.born.remove(&pid).unwrap_or_else(|| self.of_parent(pid));
        self.processes.insert(pid, Process { invocation, entered: None });
    }

    /// The invocation of the process that a new one or a new thread comes from.
    fn of_parent(&self, pid: Pid) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            Some(Pid::from_raw(line.trim().parse().ok()?))
        };
        let group = number("Tgid:")?;
        let from = if group == pid { number("PPid:")? } else { group };
        self.processes.get(&from)?.invocation
    }

    fn event(&mut self, pid: Pid, event: i32) {
        match event {
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                let Ok(child) = ptrace::getevent(pid) else { return };
                let child = Pid::from_raw(child as i32);
                let invocation = self.processes.get(&pid).and_then(|process| process.invocation);
                match self.processes.get_mut(&child) {
                    Some(process) => process.invocation = process.invocation.or(invocation),
                    None => drop(self.born.insert(child, invocation)),
                }
            }
            libc::PTRACE_EVENT_EXEC => {
                // A thread that executes something takes the number of its process.
                if let Ok(former) = ptrace::getevent(pid) {
                    let former = Pid::from_raw(former as i32);
                    if former != pid {
                        self.processes.remove(&former);
                    }
                }
                self.executed(pid);
            }
            _ => {}
        }
    }

    /// A process is about to begin with another program.
    fn executed(&mut self, pid: Pid) {
        let program = self.programs.of(pid);
        let process = self.processes.entry(pid).or_default();
        process.entered = None;
        let Some(program) = program else {
            if let Ok(path) = fs::read_link(format!("/proc/{pid}/exe")) {
                if self.others.len() < MOST_OTHERS || self.others.contains_key(&path) {
                    *self.others.entry(path).or_default() += 1;
                }
            }
            return;
        };
        self.begun += 1;
        let parent = process.invocation.replace(self.begun);
        self.open.insert(self.begun, Open::begin(pid, &program, parent, self.most));
        look::start(self, pid, self.begun);
    }

    /// A process ended.
    fn gone(&mut self, pid: Pid, status: i32, by_itself: bool) {
        let Some(process) = self.processes.remove(&pid) else { return };
        let ended = match () {
            () if !by_itself => Ended::Left,
            () if libc::WIFSIGNALED(status) => Ended::Signaled(libc::WTERMSIG(status)),
            () => Ended::Exited(libc::WEXITSTATUS(status)),
        };
        let mut next = process.invocation;
        while let Some(number) = next {
            next = self.open.get(&number).and_then(|open| open.parent);
            if self.open.get(&number).is_some_and(|open| open.leader == pid) {
                if let Some(mut open) = self.open.remove(&number) {
                    open.invocation.ended = ended;
                    self.released(number, next);
                    (self.sink)(open.invocation);
                }
            }
        }
    }

    /// What an invocation that is over has left running belongs to the one around it, if there is one.
    fn released(&mut self, number: u64, around: Option<u64>) {
        for process in self.processes.values_mut().filter(|process| process.invocation == Some(number)) {
            process.invocation = around;
        }
        for open in self.open.values_mut().filter(|open| open.parent == Some(number)) {
            open.parent = around;
        }
    }

    /// A process of an invocation is at the beginning of a call, or at its end.
    fn call(&mut self, pid: Pid) {
        let Some(process) = self.processes.get_mut(&pid) else { return };
        let Some(invocation) = process.invocation else { return };
        let Some(beginning) = is_at_beginning(pid) else { return };
        let entered = process.entered.take();
        if beginning {
            let entered = look::enter(self, pid, invocation);
            if let Some(process) = self.processes.get_mut(&pid) {
                process.entered = entered;
            }
        } else if let Some(entered) = entered {
            look::leave(self, pid, invocation, &entered);
        }
    }

    /// Does something with an invocation and all around it.
    pub fn each(&mut self, invocation: u64, mut act: impl FnMut(&mut Open)) {
        let mut next = Some(invocation);
        while let Some(open) = next.and_then(|number| self.open.get_mut(&number)) {
            act(open);
            next = open.parent;
        }
    }
}
