//! How the engine speaks to a fork server (inside an instrumented program) or to the native
//! runner: file descriptors and fixed-size messages.
//!
//! The server is the first process of its own PID namespace where the kernel has them, already
//! confined. For every [`Command`] it resets the arena's counters and
//! forks; the child runs the test case of the arena's request; the server waits within the limits,
//! kills everything the run left behind, and answers with a [`Reply`]. A command that says
//! [`Command::may_stay`] may be given to the child of the command before it instead of a new one: that child stops itself
//! (`SIGSTOP`) when its run has ended, which the kernel tells the server, and is continued for the next. No program under test has a
//! descriptor of this conversation.
//!
//! Order of messages: the runner sends one [`Hello`], the server one [`READY`], then command and
//! reply take turns. An engine that goes away ends the run that is under way.

/// The arena (memory file, read-write).
pub const FD_ARENA: i32 = 190;
/// Commands, engine to server.
pub const FD_COMMAND: i32 = 191;
/// Replies, server to engine.
pub const FD_REPLY: i32 = 192;
/// Where the runner and the server complain (a memory file).
pub const FD_STDERR: i32 = 194;
/// `/proc/sys/kernel/ns_last_pid`, open for reading and writing, where the kernel has it: lets the server give
/// every run the same process number, and see that a run has made no other process.
pub const FD_LAST_PID: i32 = 195;
/// First and last descriptor that must be closed before the program under test runs.
pub const FD_FIRST: i32 = FD_ARENA;
pub const FD_LAST: i32 = FD_LAST_PID;
/// Directory of the standard streams in a scratch directory, and the files in it.
pub const STREAMS: &str = "io";
pub const STREAM_NAMES: [&str; 3] = ["stdin", "stdout", "stderr"];
/// Environment variable that tells the runtime to serve; its value is [`super::format::FORMAT_VERSION`].
pub const ENV_SERVE: &str = "PARALLAX_SERVE";

/// Sent once by the server when it is ready; also the first field of every [`Command`].
pub const READY: u32 = 0x504c_5801;
pub const COMMAND_RUN: u32 = 1;
pub const COMMAND_QUIT: u32 = 2;

/// First field of a [`Hello`].
pub const HELLO: u32 = 0x504c_5802;

/// What the runner could set up. Attached to the message, if `CONFINED_NAMESPACES` is set, is a
/// descriptor of the scratch directory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hello {
    pub magic: u32,
    /// `CONFINED_*` bits.
    pub confinement: u32,
}

/// Own PID, mount, IPC and UTS namespaces; everything but the scratch directory mounted read-only.
pub const CONFINED_NAMESPACES: u32 = 1 << 0;
/// All files of the host are shown through overlays: locks on them and pipes among them are the run's own.
pub const CONFINED_OVERLAY: u32 = 1 << 2;
/// Landlock and the system-call filter will be in force before the program starts.
pub const CONFINED_LANDLOCK: u32 = 1 << 1;

/// One run. Limits of 0 mean "none".
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Command {
    pub command: u32,
    /// Processes alive at once.
    pub max_processes: u32,
    /// Wall-clock limit.
    pub time_ms: u64,
    /// Writable private memory of each process, beyond what Parallax itself reserves.
    pub memory_bytes: u64,
    /// Size of any one file, standard output and error included.
    pub file_bytes: u64,
    /// Resident memory of all processes of the run together, shared pages counted once.
    pub total_memory_bytes: u64,
    /// 1: a process may run this test case after others, its memory put back in between, instead of being forked for it.
    pub may_stay: u64,
}

/// How a run ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// A `waitpid` status.
    pub status: i32,
    /// `LIMIT_*` bits.
    pub limits: u32,
    pub wall_us: u64,
    /// User and system time of the run and its waited-for descendants.
    pub cpu_us: u64,
}

pub const LIMIT_TIME: u32 = 1 << 0;
pub const LIMIT_PROCESSES: u32 = 1 << 1;
/// The run could not be started; `status` holds an errno.
pub const LIMIT_NOT_STARTED: u32 = 1 << 2;
/// The process that ran many test cases failed before this one, as it says: to be asked for again, with a process of its own.
pub const LIMIT_AGAIN: u32 = 1 << 4;
/// All processes together used more than `total_memory_bytes`.
pub const LIMIT_MEMORY: u32 = 1 << 3;
