//! How the engine speaks to a fork server (inside an instrumented program) or to the native
//! runner: file descriptors and fixed-size messages.
//!
//! The server is the first process of its own PID namespace where the kernel has them, already
//! confined. For every [`Command`] it resets the arena's counters, truncates the capture files,
//! forks; the child runs the test case of the arena's request; the server waits within the limits,
//! kills everything the run left behind, and answers with a [`Reply`].

/// The arena (memory file, read-write).
pub const FD_ARENA: i32 = 190;
/// Commands, engine to server.
pub const FD_COMMAND: i32 = 191;
/// Replies, server to engine.
pub const FD_REPLY: i32 = 192;
/// Capture of standard output and standard error (memory files).
pub const FD_STDOUT: i32 = 193;
pub const FD_STDERR: i32 = 194;
/// Environment variable that tells the runtime to serve; its value is [`super::format::FORMAT_VERSION`].
pub const ENV_SERVE: &str = "PARALLAX_SERVE";

/// Sent once by the server when it is ready; also the first field of every [`Command`].
pub const READY: u32 = 0x504c_5801;
pub const COMMAND_RUN: u32 = 1;
pub const COMMAND_QUIT: u32 = 2;

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
