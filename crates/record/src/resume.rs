//! What traced processes do next, and how they go on.
//!
//! In: the processes that the calling thread started or traces. Out: one event at a time.

use std::io;

use nix::unistd::Pid;
use rustix::process::{wait, WaitOptions};

/// What happened next to a process: its number, and its status as the kernel has it. Nothing, if none is left.
pub fn next_event() -> Option<(Pid, i32)> {
    // Threads too; and nothing that other threads of ours have started.
    let options = WaitOptions::from_bits_retain((libc::__WALL | libc::__WNOTHREAD) as u32);
    loop {
        match wait(options) {
            Ok(Some((pid, status))) => {
                return Some((Pid::from_raw(pid.as_raw_nonzero().get()), status.as_raw()))
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// How a process goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To the next call of the system, its beginning or its end.
    Call,
    /// To the next signal, fork, execution or end.
    Event,
}

/// Lets a stopped process go on, with a signal if it was about to get one.
pub fn go_on(pid: Pid, until: Until, signal: i32) {
    let request = match until {
        Until::Call => libc::PTRACE_SYSCALL,
        Until::Event => libc::PTRACE_CONT,
    };
    // SAFETY: no memory is named. (`nix` knows no real-time signals, which threads send each other.)
    let done = unsafe { libc::ptrace(request, pid.as_raw(), 0, signal) };
    // It may have been killed meanwhile; its end is reported next.
    debug_assert!(done == 0 || io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH));
}

/// Is a process that stopped for a call at its beginning? (`nix` asks without saying how large the answer may be, and gets none.)
pub fn is_at_beginning(pid: Pid) -> Option<bool> {
    let mut info = std::mem::MaybeUninit::<libc::ptrace_syscall_info>::zeroed();
    let size = std::mem::size_of::<libc::ptrace_syscall_info>();
    // SAFETY: the kernel writes at most `size` bytes, and all of them may be anything: the structure holds numbers only.
    let info = unsafe {
        let filled = libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, pid.as_raw(), size, info.as_mut_ptr());
        (filled > 0).then(|| info.assume_init())
    };
    info.map(|info| info.op == libc::PTRACE_SYSCALL_INFO_ENTRY)
}
