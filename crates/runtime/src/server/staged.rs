//! The server's side of a process that runs one test case after another (`stage.rs` is the other side).
//!
//! A stage says that its run has ended by stopping itself: the kernel tells its parent, the server. A program that knows this and
//! stops itself has done what it pretends: it does nothing any more until the server continues it.
//!
//! Always holds: a stage runs with the limits of the command that it was forked for; while no run is under way it is stopped, and is
//! the only process that there is besides the server, so that nobody can continue it or act in its place: no process number was given out
//! since its own, and it may set no timer whose signal would continue it. One that ends during a run is that run's end, with its
//! status. What it wrote into the mailbox is a claim: it can change what is reported about this one run, and nothing else.

use super::*;

/// A stage that ends after its first run costs more than a forked run. After so many of them in a row there are no more.
const TOO_SHORT_LIVED: u32 = 8;

/// Bytes of shared memory in which a stage remembers itself, at most.
pub const KEPT_BYTES: usize = 128 << 20;

/// What a child tells the server: a page that both have mapped.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Mailbox {
    /// The errno of a run that could not start, else 0.
    pub start_error: i32,
    /// 1: the run of a stage has ended, with this exit status.
    pub has_ended: u32,
    pub status: i32,
    /// 1: this program cannot run one test case after another.
    pub cannot_stay: u32,
    /// 1: a child that was forked for the run may be looked into by the server, as the server itself may not by others.
    pub is_shown: u32,
}

impl Mailbox {
    pub const EMPTY: Mailbox =
        Mailbox { start_error: 0, has_ended: 0, status: 0, cannot_stay: 0, is_shown: 0 };
}

/// A child that is stopped between its runs.
#[derive(Clone, Copy)]
pub struct Stage {
    pid: i32,
    memory_bytes: u64,
    file_bytes: u64,
    runs: u32,
    /// What it had computed when its last run ended.
    cpu_us: u64,
}

/// In an instrumented program, before its code runs: nothing of the server's is left to write to, unless it needs it for the end
/// of its run.
pub fn forget_mailbox() {
    if !IS_STAGE.load(Ordering::Relaxed) {
        let mailbox = MAILBOX.swap(std::ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: mapped by `Server::attach`, and nobody uses it in this process any more.
        unsafe { libc::munmap(mailbox.cast(), MAILBOX_BYTES) };
    }
}

/// In a stage, after a run's last action: the run has ended. Returns when the next one begins.
pub fn run_ended(status: i32) {
    let mailbox = MAILBOX.load(Ordering::Relaxed);
    // SAFETY: a stage has the mailbox of the server that forked it.
    unsafe {
        (&raw mut (*mailbox).status).write_volatile(status);
        (&raw mut (*mailbox).has_ended).write_volatile(1);
        libc::raise(libc::SIGSTOP);
    }
}

impl Server {
    pub(super) fn mail(&self) -> Mailbox {
        // SAFETY: the mailbox is mapped for the life of the process; any bit pattern is a valid one.
        unsafe { self.mailbox.read_volatile() }
    }

    /// Does a stage that is stopped say that its run is over?
    pub(super) fn says_ended(&self) -> bool {
        self.mail().has_ended != 0
    }

    /// One run; `Ok` in the child, for every run of it.
    pub(super) fn run_on_stage(
        &mut self,
        mark: fn() -> bool,
        command: &Command,
        started: Instant,
    ) -> Result<Request, Reply> {
        let mut stage = match self.stage.filter(|stage| stage.suits(command)) {
            Some(stage) => {
                // SAFETY: a child that has not been waited for.
                unsafe { libc::kill(stage.pid, libc::SIGCONT) };
                stage
            }
            None => match self.fork() {
                0 => return Ok(self.become_stage(mark, command)),
                pid if pid < 0 => return Err(self.supervise(pid, command, started)),
                pid => Stage::new(pid, command),
            },
        };
        stage.runs += 1;
        self.stage = Some(stage);
        match self.watch(stage.pid, true, command, started) {
            (Event::Stopped, _) => Err(self.ended_run(stage)),
            (_, limits) => {
                let mut reply = self.lost_stage(stage, limits);
                if self.mail().start_error != 0 && limits == 0 {
                    // Perhaps the program wrote that. A process of its own, where it cannot, shows whether it is true.
                    reply.limits = LIMIT_AGAIN;
                }
                Err(reply)
            }
        }
    }

    /// The end of a run whose stage is stopped. One that has made other processes, whatever became of them, does not stay.
    fn ended_run(&mut self, mut stage: Stage) -> Reply {
        let status = self.mail().status & 0xff00;
        let computed = stage.cpu_time_us();
        let cpu_us = computed.saturating_sub(stage.cpu_us);
        stage.cpu_us = computed;
        if self.is_alone(stage.pid) {
            self.stage = Some(stage);
        } else {
            // SAFETY: a child that has not been waited for.
            unsafe { libc::kill(stage.pid, libc::SIGKILL) };
            self.lost_stage(stage, 0);
        }
        Reply { status, cpu_us, ..Reply::default() }
    }

    /// Was this process the last one to get a number? Threads have numbers too, and nobody but the server can choose one.
    fn is_alone(&self, pid: i32) -> bool {
        let mut text = [0u8; 24];
        // SAFETY: at most the text is written.
        let got = unsafe { libc::pread(FD_LAST_PID, text.as_mut_ptr().cast(), text.len(), 0) };
        let digits = std::str::from_utf8(&text[..got.max(0) as usize]);
        digits.is_ok_and(|digits| digits.trim().parse() == Ok(pid))
    }

    /// A run ended with its process, or has to.
    fn lost_stage(&mut self, stage: Stage, limits: u32) -> Reply {
        self.stage = None;
        self.short_lived = if stage.runs == 1 { self.short_lived + 1 } else { 0 };
        if self.mail().cannot_stay != 0 || self.short_lived >= TOO_SHORT_LIVED {
            self.mark = None;
        }
        self.bury(stage.pid, limits)
    }

    /// Ends the stage that there is, between runs.
    pub(super) fn end_stage(&mut self) {
        if let Some(stage) = self.stage.take() {
            // SAFETY: a child that has not been waited for.
            unsafe { libc::kill(stage.pid, libc::SIGKILL) };
            self.bury(stage.pid, 0);
        }
    }

    /// In the child: returns for every run.
    fn become_stage(&self, mark: fn() -> bool, command: &Command) -> Request {
        self.leave_server(command);
        IS_STAGE.store(true, Ordering::Relaxed);
        // SAFETY: nobody uses these descriptors in the child.
        check(unsafe { libc::syscall(libc::SYS_close_range, FD_FIRST, FD_LAST, 0) } as i32);
        // SAFETY: the mailbox is mapped for the life of the process.
        let cannot_stay = || unsafe { (&raw mut (*self.mailbox).cannot_stay).write_volatile(1) };
        if !rights::forbid_timers() {
            cannot_stay();
            not_started(libc::EPERM);
        }
        if !mark() {
            cannot_stay();
        }
        let request = self.request();
        take_place(&request);
        request
    }
}

impl Stage {
    fn new(pid: i32, command: &Command) -> Stage {
        let Command { memory_bytes, file_bytes, .. } = *command;
        Stage { pid, memory_bytes, file_bytes, runs: 0, cpu_us: 0 }
    }

    /// Was it forked for the run that is under way?
    pub(super) fn is_new(&self) -> bool {
        self.runs == 1
    }

    /// Is it alive, with the limits that a run is to have?
    fn suits(&self, command: &Command) -> bool {
        self.memory_bytes == command.memory_bytes
            && self.file_bytes == command.file_bytes
            && !wait::is_over(self.pid)
    }

    /// The time that it has computed, as the kernel counts it.
    fn cpu_time_us(&self) -> u64 {
        /// `CPUCLOCK_SCHED` of a process, from linux/posix-timers.h.
        const CLOCK_OF_PROCESS: i32 = 2;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` lives through the call.
        unsafe { libc::clock_gettime((!self.pid << 3) | CLOCK_OF_PROCESS, &mut time) };
        time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
    }
}
