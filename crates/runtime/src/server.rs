//! The fork server: inside every instrumented program, and inside the runner for native ones.
//!
//! In: commands and an arena on the descriptors of [`parallax_trace::control`]. Out: one forked
//! child for every command, in which [`serve`] returns, and one reply when the run is over. Or, if the
//! command allows it and the program can do it (`stage.rs`), one child in which [`serve`] returns for
//! every command.
//!
//! Always holds: the server allocates nothing once it has started, so the heap that a run finds is
//! the same in every run; when a reply is sent, every process of the run is dead, but for a stage, which then is the only
//! one and is stopped; the program sees descriptors 0, 1 and 2 only, and nothing that it does to them or to memory can make
//! the server say that a run has ended which has not.

use parallax_trace::control::*;
use parallax_trace::format::{Header, FORMAT_VERSION, UNLIMITED_WORK};
use parallax_trace::request::Request;
use std::mem::size_of;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

// The path is given because `parallax-execute` includes this file too.
#[path = "server/census.rs"]
pub mod census;
use census::Census;
#[path = "server/killing.rs"]
mod killing;
#[path = "server/rights.rs"]
mod rights;
#[path = "server/staged.rs"]
pub mod staged;
#[path = "server/wait.rs"]
mod wait;
use staged::{Mailbox, Stage};
use wait::{Children, Event};

/// How long a run goes on before its processes are counted for the first time, and how often after.
const CENSUS_EVERY: Duration = Duration::from_millis(5);
/// So many times the processes that a run may have can it make before they are counted.
const MOST_AT_ONCE: u64 = 8;
/// Exit status of a server that cannot go on (the engine sees it as a dead server).
const EXIT_BROKEN: i32 = 121;

static ARENA: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static ARENA_LEN: AtomicUsize = AtomicUsize::new(0);
/// A page shared with the children.
static MAILBOX: AtomicPtr<Mailbox> = AtomicPtr::new(std::ptr::null_mut());
const MAILBOX_BYTES: usize = 4096;
/// The kernel lets signals of this process reach its descendants only (the runner's word, see [`signals_are_scoped`]).
static SCOPED: AtomicBool = AtomicBool::new(false);
/// After the version that a server is asked for: see [`SCOPED`].
pub const SCOPED_MARK: char = 's';
/// In a child that runs one test case after another.
static IS_STAGE: AtomicBool = AtomicBool::new(false);

/// What an instrumented program adds to the server.
pub struct Hooks {
    /// Called once, when the arena is there.
    pub attached: fn(),
    /// Remembers the process as it is, and returns once for every run, in the process as it was: whether there can be another
    /// run after this one.
    pub mark: Option<fn() -> bool>,
}

impl Hooks {
    /// Nothing is added.
    pub const NONE: Hooks = Hooks { attached: || (), mark: None };
}

/// Serves if the engine asked for it. `None`: this is an ordinary run of the program.
/// `Some`: this is a child, set up for the test case in the request.
pub fn serve(hooks: Hooks) -> Option<Request> {
    // SAFETY: the name is NUL-terminated; the result is null or a C string that nobody changes
    // while this runs, because the program has not started yet.
    let asked = unsafe {
        let value = libc::getenv(c"PARALLAX_SERVE".as_ptr());
        if value.is_null() {
            return None;
        }
        std::ffi::CStr::from_ptr(value)
    };
    Some(serve_as(asked.to_bytes(), hooks))
}

/// Serves an engine that wants this version. Returns only in children.
pub fn serve_as(version: &[u8], hooks: Hooks) -> Request {
    // Nothing is allocated here: the allocator may be the program's own.
    let text = std::str::from_utf8(version).unwrap_or_default();
    if text.ends_with(SCOPED_MARK) {
        signals_are_scoped();
    }
    let version = text.trim_end_matches(SCOPED_MARK).parse().ok();
    if version != Some(FORMAT_VERSION) {
        broken(b"parallax: program and engine are of different versions; instrument the program again\n");
    }
    let request = serve_here(hooks);
    staged::forget_mailbox();
    request
}

/// Serves unconditionally; returns only in children.
pub fn serve_here(hooks: Hooks) -> Request {
    let mut server = Server::attach(hooks.mark);
    (hooks.attached)();
    if !send(&READY) {
        broken(b"parallax: fork server has nobody to speak to\n");
    }
    loop {
        let command = match receive() {
            Some(command) => command,
            None => quit(),
        };
        match command.command {
            COMMAND_RUN => {
                if let Some(request) = server.run(&command) {
                    return request;
                }
            }
            _ => quit(),
        }
    }
}

/// Said by whoever has put this process into a Landlock domain that keeps signals inside.
pub fn signals_are_scoped() {
    SCOPED.store(true, Ordering::Relaxed);
}

/// Start and length of the arena, once [`serve`] has attached to it.
pub fn arena() -> Option<(*mut u8, usize)> {
    let start = ARENA.load(Ordering::Relaxed);
    (!start.is_null()).then(|| (start, ARENA_LEN.load(Ordering::Relaxed)))
}

/// In a child: the run cannot start, because of `errno`.
pub fn not_started(errno: i32) -> ! {
    let mailbox = MAILBOX.load(Ordering::Relaxed);
    // SAFETY: null or the shared page mapped by `Server::attach`, which is never unmapped.
    unsafe {
        if !mailbox.is_null() {
            (&raw mut (*mailbox).start_error).write_volatile(errno);
        }
        libc::_exit(127)
    }
}

struct Server {
    arena: *mut u8,
    mailbox: *mut Mailbox,
    children: Children,
    census: Census,
    /// First process of a PID namespace: everything it can see is its own.
    first: bool,
    /// All that a signal to everybody reaches is the run's.
    reaches_own_only: bool,
    /// What `RLIMIT_DATA` counts already.
    data_bytes: u64,
    keep_pid: bool,
    /// See [`Hooks::mark`].
    mark: Option<fn() -> bool>,
    stage: Option<Stage>,
    /// So many stages in a row had one run only.
    short_lived: u32,
}

impl Server {
    fn attach(mark: Option<fn() -> bool>) -> Server {
        // SAFETY: plain system calls; `stat` is written by fstat before it is read.
        let (arena, len) = unsafe {
            let mut stat: libc::stat = std::mem::zeroed();
            if libc::fstat(FD_ARENA, &mut stat) != 0 || (stat.st_size as usize) < size_of::<Header>() {
                broken(b"parallax: fork server started without an arena\n");
            }
            let len = stat.st_size as usize;
            (map(len, libc::MAP_SHARED, FD_ARENA), len)
        };
        ARENA.store(arena, Ordering::Relaxed);
        ARENA_LEN.store(len, Ordering::Relaxed);
        let mailbox = map(MAILBOX_BYTES, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1) as *mut Mailbox;
        MAILBOX.store(mailbox, Ordering::Relaxed);
        let table = map(Census::BYTES, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1);
        // SAFETY: getpid touches no memory.
        let mut census = Census::new(table, unsafe { libc::getpid() });
        // SAFETY: fcntl and getpid touch no memory.
        let (keep_pid, first) =
            unsafe { (libc::fcntl(FD_LAST_PID, libc::F_GETFD) >= 0, libc::getpid() == 1) };
        rights::hide_from_runs();
        let data_bytes = census::own_data_bytes();
        let children = Children::new();
        // Without process numbers of its own the server cannot see that a run has made no other process.
        let mark = mark.filter(|_| first && keep_pid);
        census.own.mapped = census::own_mapped_bytes();
        if mark.is_some() {
            census.own.shared = staged::KEPT_BYTES as u64;
        }
        let reaches_own_only = first || (SCOPED.load(Ordering::Relaxed) && rights::parent_is_out_of_reach());
        let (stage, short_lived) = (None, 0);
        Server {
            arena,
            mailbox,
            children,
            census,
            first,
            reaches_own_only,
            data_bytes,
            keep_pid,
            mark,
            stage,
            short_lived,
        }
    }

    /// One run; `Some` in the child.
    fn run(&mut self, command: &Command) -> Option<Request> {
        self.reset();
        let started = Instant::now();
        let mut reply = match self.mark.filter(|_| command.may_stay != 0) {
            Some(mark) => match self.run_on_stage(mark, command, started) {
                Ok(request) => return Some(request),
                Err(reply) => reply,
            },
            None => match self.fork() {
                0 => return Some(self.become_run(command)),
                pid => self.supervise(pid, command, started),
            },
        };
        reply.wall_us = started.elapsed().as_micros() as u64;
        if !send(&reply) {
            quit();
        }
        None
    }

    /// 0 in the child.
    fn fork(&mut self) -> i32 {
        // A stage has the process number that the run is to have.
        self.end_stage();
        // SAFETY: the server is single-threaded unless the program's own constructors started
        // threads, and those do not survive a fork either way; pointers are to live locals.
        unsafe {
            if self.keep_pid {
                libc::pwrite(FD_LAST_PID, b"1".as_ptr().cast(), 1, 0);
            }
            libc::fork()
        }
    }

    /// Makes the arena that of a run that has done nothing yet.
    fn reset(&self) {
        // SAFETY: the arena is mapped, starts with a header, and no child is alive or one that is stopped. Its regions
        // were laid out by the engine inside the mapping. The mailbox is mapped too.
        unsafe {
            let header = &mut *(self.arena as *mut Header);
            header.events_len = 0;
            header.nodes_len = 1;
            header.tables_len = 0;
            header.flags = 0;
            header.inconsistent = 0;
            header.stale = 0;
            header.dropped_events = 0;
            header.work_left = UNLIMITED_WORK;
            let coverage = self.arena.add(header.coverage_offset as usize);
            std::ptr::write_bytes(coverage, 0, header.coverage_capacity as usize);
            self.mailbox.write_volatile(Mailbox::EMPTY);
        }
    }

    /// In the child of one run.
    fn become_run(&self, command: &Command) -> Request {
        self.leave_server(command);
        let request = self.request();
        take_place(&request);
        // SAFETY: nobody uses these descriptors in the child.
        check(unsafe { libc::syscall(libc::SYS_close_range, FD_FIRST, FD_LAST, 0) } as i32);
        request
    }

    /// The test case of this run.
    fn request(&self) -> Request {
        // SAFETY: the engine wrote `request_len` bytes at `request_offset`, inside the mapping,
        // and does not touch them during a run.
        unsafe {
            let header = &*(self.arena as *const Header);
            let bytes = std::slice::from_raw_parts(
                self.arena.add(header.request_offset as usize),
                header.request_len as usize,
            );
            Request::decode(bytes).unwrap_or_else(|| not_started(libc::EPROTO))
        }
    }

    /// In the child: a session of its own, limits, no rights.
    fn leave_server(&self, command: &Command) {
        self.children.leave();
        rights::show_to_own_kind();
        // SAFETY: the mailbox is mapped for the life of the process.
        unsafe { (&raw mut (*self.mailbox).is_shown).write_volatile(1) };
        // SAFETY: plain numbers only.
        unsafe {
            // A session is also a scheduling group: however many processes the run starts, the server keeps
            // its share of the processor.
            libc::setsid();
            if !self.first {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                rights::hide_server();
            }
            if self.keep_pid {
                rights::drop_capabilities();
            }
        }
        self.limit(command);
    }

    fn limit(&self, command: &Command) {
        let set = |what, value: u64| {
            let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
            // SAFETY: `limit` lives through the call.
            check(unsafe { libc::setrlimit(what, &limit) });
        };
        if command.memory_bytes > 0 {
            set(libc::RLIMIT_DATA, self.data_bytes.saturating_add(command.memory_bytes));
        }
        if command.file_bytes > 0 {
            set(libc::RLIMIT_FSIZE, command.file_bytes);
        }
        if command.max_processes > 0 && self.first {
            // Counted in the user namespace of the run; root is not limited so. The census is what decides, long before.
            set(libc::RLIMIT_NPROC, u64::from(command.max_processes) * MOST_AT_ONCE);
        }
    }

    /// Waits for the end of the run, or ends it; then nothing of it is left.
    fn supervise(&mut self, pid: i32, command: &Command, started: Instant) -> Reply {
        if pid < 0 {
            return Reply { status: errno(), limits: LIMIT_NOT_STARTED, ..Reply::default() };
        }
        let (_, limits) = self.watch(pid, false, command, started);
        let reply = self.bury(pid, limits);
        // No code of an instrumented program has run in a process that can write this.
        match self.mail().start_error {
            errno if errno != 0 && reply.limits == 0 => {
                Reply { status: errno, limits: LIMIT_NOT_STARTED, ..reply }
            }
            _ => reply,
        }
    }

    /// Ends a run, if `limits` say that it was over one, and everything that it left.
    fn bury(&mut self, pid: i32, limits: u32) -> Reply {
        if limits != 0 {
            self.kill_all(pid);
        }
        let mut reply = Reply { limits, ..Reply::default() };
        // SAFETY: both out-parameters are live and written by wait4 before they are read.
        unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            while libc::wait4(pid, &mut reply.status, 0, &mut usage) < 0 && errno() == libc::EINTR {}
            let micros = |t: libc::timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
            reply.cpu_us = micros(usage.ru_utime) + micros(usage.ru_stime);
        }
        self.kill_rest(pid);
        reply
    }

    /// How it ended, and `LIMIT_*` bits of what made the run end before its time, 0 if it ended by itself. `stops`: it ends by
    /// stopping itself, with a word in the mailbox; a program that stops for reasons of its own goes on waiting.
    fn watch(&mut self, pid: i32, stops: bool, command: &Command, started: Instant) -> (Event, u32) {
        let limit = Duration::from_millis(command.time_ms);
        let mut next_census = CENSUS_EVERY;
        loop {
            let elapsed = started.elapsed();
            if command.time_ms > 0 && elapsed >= limit {
                return (Event::Nothing, LIMIT_TIME);
            }
            wait::reap_but(pid);
            if elapsed >= next_census {
                let is_new = self.stage.is_none_or(|stage| stage.is_new());
                let unseen = Some(pid).filter(|_| is_new && self.mail().is_shown == 0);
                let over = self.census.over(command, self.first, unseen);
                if over != 0 {
                    return (Event::Nothing, over);
                }
                if engine_is_gone() {
                    self.kill_rest(-1);
                    quit();
                }
                next_census = started.elapsed() + CENSUS_EVERY;
            }
            let mut wait = next_census.saturating_sub(elapsed);
            if command.time_ms > 0 {
                wait = wait.min(limit - elapsed);
            }
            match self.children.wait(pid, stops, wait) {
                Event::Nothing => {}
                Event::Stopped if !self.says_ended() => {}
                event => return (event, 0),
            }
        }
    }
}

/// A pipe of which nothing is asked reports only that its writer is gone.
fn engine_is_gone() -> bool {
    let mut commands = libc::pollfd { fd: FD_COMMAND, events: 0, revents: 0 };
    // SAFETY: the entry lives through the call.
    unsafe { libc::poll(&mut commands, 1, 0) > 0 }
}

/// In a child: directory and standard streams of the run.
fn take_place(request: &Request) {
    // SAFETY: the path is NUL-terminated.
    unsafe {
        check(libc::chdir(c_string(&request.directory).as_ptr()));
        // The files that are opened next get these numbers, in order.
        libc::syscall(libc::SYS_close_range, 0, 2, 0);
    }
    let flags = [libc::O_RDONLY, libc::O_RDWR, libc::O_RDWR];
    for (name, flags) in STREAM_NAMES.iter().zip(flags) {
        let path = c_string(&[&request.streams[..], name.as_bytes()].join(&b'/'));
        // SAFETY: the path is NUL-terminated.
        check(unsafe { libc::open(path.as_ptr(), flags) });
    }
}

fn map(len: usize, flags: i32, fd: i32) -> *mut u8 {
    // SAFETY: a new mapping at an address of the kernel's choice harms nobody.
    let at =
        unsafe { libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, fd, 0) };
    if at == libc::MAP_FAILED {
        broken(b"parallax: fork server cannot map memory\n");
    }
    at.cast()
}

/// The next command, or `None` when the engine is gone.
fn receive() -> Option<Command> {
    let mut command = Command::default();
    let want = size_of::<Command>();
    // SAFETY: `command` is plain data of `want` bytes; any bit pattern is a valid `Command`.
    let got = loop {
        let got = unsafe { libc::read(FD_COMMAND, (&raw mut command).cast(), want) };
        if got >= 0 || errno() != libc::EINTR {
            break got;
        }
    };
    (got == want as isize).then_some(command)
}

fn send<T: Copy>(message: &T) -> bool {
    let len = size_of::<T>();
    // SAFETY: messages are plain data without padding; `message` lives through the call.
    unsafe { libc::send(FD_REPLY, (message as *const T).cast(), len, libc::MSG_NOSIGNAL) == len as isize }
}

/// Paths come from the engine, which refuses NUL bytes; one that has them ends there.
fn c_string(bytes: &[u8]) -> std::ffi::CString {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    std::ffi::CString::new(&bytes[..end]).unwrap_or_default()
}

/// In the child: a failed system call means that the run cannot start.
fn check(result: i32) {
    if result < 0 {
        not_started(errno());
    }
}

pub fn errno() -> i32 {
    // SAFETY: libc's errno location is always valid for the calling thread.
    unsafe { *libc::__errno_location() }
}

fn quit() -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

fn broken(message: &[u8]) -> ! {
    // SAFETY: `message` lives through the call; then the process ends.
    unsafe {
        libc::write(2, message.as_ptr().cast(), message.len());
        libc::_exit(EXIT_BROKEN)
    }
}
