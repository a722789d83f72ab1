//! The server's side of a process that runs one test case after another (`stage.rs` is the other side).
//!
//! Always holds: a stage runs with the limits of the command that it was forked for; while no run is under way it waits, and
//! touches neither arena nor files. One that ends during a run is that run's end, with its status.

use super::*;

/// A stage that ends after its first run costs more than a forked run. After so many of them in a row there are no more.
const TOO_SHORT_LIVED: u32 = 8;

/// What a child tells the server.
#[repr(C)]
pub struct Mailbox {
    /// The errno of a run that could not start, else 0.
    pub start_error: i32,
    /// Of a run that a stage has ended.
    pub status: i32,
    pub cpu_us: u64,
    /// 1: this program cannot run one test case after another.
    pub cannot_stay: u32,
}

/// A child that waits for [`FD_BEGIN`] before each of its runs.
#[derive(Clone, Copy)]
pub struct Stage {
    pid: i32,
    pidfd: i32,
    memory_bytes: u64,
    file_bytes: u64,
    runs: u32,
}

/// Makes the descriptors that server and stage speak over.
pub fn open_descriptors() -> bool {
    // SAFETY: plain system calls on descriptors that are nobody else's.
    unsafe {
        [FD_BEGIN, FD_ENDED].into_iter().all(|number| {
            let fd = libc::eventfd(0, 0);
            fd >= 0 && libc::dup2(fd, number) == number && libc::close(fd) == 0
        })
    }
}

/// In a stage, between a run's last action and the next run: the run has ended. False: nobody listens.
pub fn run_ended(status: i32, cpu_us: u64) -> bool {
    let mailbox = MAILBOX.load(Ordering::Relaxed);
    // SAFETY: a stage has the mailbox of the server that forked it.
    unsafe {
        (&raw mut (*mailbox).status).write_volatile(status);
        (&raw mut (*mailbox).cpu_us).write_volatile(cpu_us);
    }
    signal(FD_ENDED)
}

fn signal(fd: i32) -> bool {
    let one = 1u64;
    // SAFETY: eight bytes that live through the call.
    unsafe { libc::write(fd, (&raw const one).cast(), size_of::<u64>()) == size_of::<u64>() as isize }
}

/// Waits for, and forgets, a signal.
fn wait(fd: i32) -> bool {
    let mut count = 0u64;
    loop {
        // SAFETY: eight bytes that live through the call.
        let got = unsafe { libc::read(fd, (&raw mut count).cast(), size_of::<u64>()) };
        if got == size_of::<u64>() as isize {
            return true;
        }
        if errno() != libc::EINTR {
            return false;
        }
    }
}

/// Forgets a signal that nobody waited for.
fn drain(fd: i32) {
    if wait_for(-1, fd, Duration::ZERO) == Event::Ended {
        wait(fd);
    }
}

impl Server {
    /// One run; `Ok` in the child, for every run of it.
    pub(super) fn run_on_stage(
        &mut self,
        mark: fn() -> bool,
        command: &Command,
        started: Instant,
    ) -> Result<Request, Reply> {
        let mut stage = match self.stage.filter(|stage| stage.suits(command)) {
            Some(stage) => stage,
            None => match self.fork() {
                0 => return Ok(self.become_stage(mark, command)),
                pid if pid < 0 => return Err(self.supervise(pid, command, started)),
                pid => Stage::new(pid, command),
            },
        };
        if stage.pidfd < 0 {
            return Err(self.bury(stage.pid, stage.pidfd, LIMIT_NOT_STARTED));
        }
        stage.runs += 1;
        self.stage = Some(stage);
        signal(FD_BEGIN);
        match self.watch(stage.pidfd, FD_ENDED, command, started) {
            (Event::Ended, _) => {
                wait(FD_ENDED);
                Err(self.ended_run())
            }
            (_, limits) => Err(self.lost_stage(stage, limits)),
        }
    }

    /// What a stage said about the run that it has ended.
    fn ended_run(&self) -> Reply {
        // SAFETY: the mailbox is mapped for the life of the process.
        unsafe {
            let mailbox = &raw const *self.mailbox;
            let status = (&raw const (*mailbox).status).read_volatile();
            let cpu_us = (&raw const (*mailbox).cpu_us).read_volatile();
            Reply { status, cpu_us, ..Reply::default() }
        }
    }

    /// A run ended with its process, or has to.
    fn lost_stage(&mut self, stage: Stage, limits: u32) -> Reply {
        self.stage = None;
        [FD_BEGIN, FD_ENDED].into_iter().for_each(drain);
        self.short_lived = if stage.runs == 1 { self.short_lived + 1 } else { 0 };
        // SAFETY: the mailbox is mapped for the life of the process.
        let cannot = unsafe { (&raw const (*self.mailbox).cannot_stay).read_volatile() } != 0;
        if cannot || self.short_lived >= TOO_SHORT_LIVED {
            self.mark = None;
        }
        self.bury(stage.pid, stage.pidfd, limits)
    }

    /// Ends the stage that there is, between runs.
    pub(super) fn end_stage(&mut self) {
        if let Some(stage) = self.stage.take() {
            // SAFETY: a child that has not been waited for.
            unsafe { libc::kill(stage.pid, libc::SIGKILL) };
            self.bury(stage.pid, stage.pidfd, 0);
        }
    }

    /// In the child: waits for runs. Returns for every one.
    fn become_stage(&self, mark: fn() -> bool, command: &Command) -> Request {
        self.leave_server(command);
        // SAFETY: nobody uses these descriptors in the child.
        unsafe {
            check(libc::syscall(libc::SYS_close_range, FD_ARENA, FD_REPLY, 0) as i32);
            libc::close(FD_LAST_PID);
        }
        if !mark() {
            // SAFETY: the mailbox is mapped for the life of the process.
            unsafe { (&raw mut (*self.mailbox).cannot_stay).write_volatile(1) };
        }
        if !wait(FD_BEGIN) {
            not_started(errno());
        }
        let request = self.request();
        take_place(&request);
        request
    }
}

impl Stage {
    fn new(pid: i32, command: &Command) -> Stage {
        let Command { memory_bytes, file_bytes, .. } = *command;
        Stage { pid, pidfd: pidfd_open(pid), memory_bytes, file_bytes, runs: 0 }
    }

    /// Is it alive, with the limits that a run is to have?
    fn suits(&self, command: &Command) -> bool {
        self.memory_bytes == command.memory_bytes
            && self.file_bytes == command.file_bytes
            && wait_for(self.pidfd, -1, Duration::ZERO) != Event::Gone
    }
}
