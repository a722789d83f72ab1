//! Who sees to it that limits hold and that nothing is left, whatever becomes of a server.
//!
//! The server is the first to look at a run, and ends it. But the server of an instrumented program shares its process with the program's
//! libraries, which may take it over; so nobody relies on it alone. Two others look from outside, where no program reaches: the process that
//! started the server ([`stand_by`]), which everything below falls to when its parent has gone, and the engine ([`Guard`]).
//!
//! In: the process that started a server. Out: limits that are exceeded; at the end, no process.
//!
//! Always holds: neither asks the server about anything.

use crate::server::census::Census;
use crate::sys;
use parallax_trace::control::{Command, FD_COMMAND, FD_LAST, FD_REPLY};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// How often the engine looks, while it waits and between runs.
const EVERY: Duration = Duration::from_millis(40);
/// Beyond what a run may have: the server itself, and what a run may exceed its limits by until the server has seen it, on a busy machine
/// too. Processes are many times as many: a run that forks without end is the server's to end, and goes on with the same server.
const MORE_PROCESSES: u32 = 64;
const TIMES_PROCESSES: u64 = 4;
const MORE_BYTES: u64 = 256 << 20;
/// What a server may have before its first run.
const AT_START: Allowance = Allowance { processes: MORE_PROCESSES, bytes: 1 << 30 };

/// Ends with the process `first`, or ends it when the engine is gone; and everything that it left.
pub fn stand_by(first: i32) -> i32 {
    // The engine must see the server's end of the conversation close when the server ends.
    let _ = sys::close_range(FD_REPLY as u32, FD_LAST as u32);
    if let Ok(pidfd) = sys::pidfd_open(first) {
        let mut watched = [(pidfd.as_raw_fd(), libc::POLLIN, 0), (FD_COMMAND, 0, 0)];
        while !sys::poll(&mut watched, -1) {}
    }
    sys::kill_and_wait(first);
    let mut rest = Below::new(std::process::id() as i32);
    while sys::reap() {
        rest.census.each_descendant(sys::kill);
        std::thread::yield_now();
    }
    0
}

/// All processes below one.
struct Below {
    census: Census,
    /// The table of the census.
    _room: Vec<u64>,
}

// SAFETY: the table belongs to this value, and to no thread.
unsafe impl Send for Below {}

impl Below {
    fn new(root: i32) -> Below {
        // Words are aligned well enough for a table of numbers.
        let mut room = vec![0u64; Census::BYTES / 8 + 1];
        Below { census: Census::new(room.as_mut_ptr().cast(), root), _room: room }
    }
}

/// What all processes below the one that started a server may have together; 0 is without limit.
#[derive(Clone, Copy)]
struct Allowance {
    processes: u32,
    bytes: u64,
}

impl Allowance {
    fn of(command: &Command) -> Allowance {
        let more = |number: u64, slack: u64| if number == 0 { 0 } else { number.saturating_add(slack) };
        let bytes = command.total_memory_bytes;
        Allowance {
            processes: more(u64::from(command.max_processes) * TIMES_PROCESSES, MORE_PROCESSES.into())
                .min(u32::MAX.into()) as u32,
            bytes: more(bytes, MORE_BYTES.max(bytes / 4)),
        }
    }
}

/// The engine's own look at the processes of a server.
pub struct Guard {
    below: Below,
    looked: Instant,
    allowance: Allowance,
}

impl Guard {
    /// `runner`: the process that the engine started.
    pub fn new(runner: i32) -> Guard {
        Guard { below: Below::new(runner), looked: Instant::now(), allowance: AT_START }
    }

    /// From now on there is a run with these limits.
    pub fn expect(&mut self, command: &Command) {
        self.allowance = Allowance::of(command);
    }

    /// `LIMIT_*` bits of what is exceeded; looks now and then only.
    pub fn look(&mut self) -> u32 {
        if self.looked.elapsed() < EVERY {
            return 0;
        }
        let Allowance { processes, bytes } = self.allowance;
        let over = self.below.census.resident_over(processes, bytes);
        self.looked = Instant::now();
        over
    }
}
