//! Waiting for children, with a time limit.
//!
//! In: the number of a child. Out: that it has ended, or that it is stopped, as the kernel says.
//!
//! Always holds: nothing that a program under test can write to is asked. `SIGCHLD` is blocked and waited for; a signal that was sent
//! for another reason, or by a run, only has the state of the child looked at once more.

use std::time::Duration;

#[derive(PartialEq)]
pub enum Event {
    /// The process ended.
    Gone,
    /// All threads of the process are stopped.
    Stopped,
    Nothing,
}

/// How this process hears of its children, and what to put back in them.
pub struct Children {
    watched: libc::sigset_t,
    mask: libc::sigset_t,
    action: libc::sigaction,
}

impl Children {
    /// From now on this process is told of its children.
    pub fn new() -> Children {
        // SAFETY: all structures are plain data that the calls fill before they are read.
        unsafe {
            let mut watched: libc::sigset_t = std::mem::zeroed();
            let mut mask: libc::sigset_t = std::mem::zeroed();
            let mut action: libc::sigaction = std::mem::zeroed();
            // A constructor of the program may have said that it does not want to hear of children.
            let mut usual: libc::sigaction = std::mem::zeroed();
            usual.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(libc::SIGCHLD, &usual, &mut action);
            libc::sigemptyset(&mut watched);
            libc::sigaddset(&mut watched, libc::SIGCHLD);
            libc::sigprocmask(libc::SIG_BLOCK, &watched, &mut mask);
            Children { watched, mask, action }
        }
    }

    /// In a child: signals as the program knows them.
    pub fn leave(&self) {
        // SAFETY: both were filled by `new`.
        unsafe {
            libc::sigaction(libc::SIGCHLD, &self.action, std::ptr::null_mut());
            libc::sigprocmask(libc::SIG_SETMASK, &self.mask, std::ptr::null_mut());
        }
    }

    /// What happened to the child `pid` within `wait`, at the latest; that it stopped only if `stops`. A child that has ended
    /// stays to be waited for.
    pub fn wait(&self, pid: i32, stops: bool, wait: Duration) -> Event {
        let wait = libc::timespec { tv_sec: wait.as_secs() as _, tv_nsec: wait.subsec_nanos() as _ };
        // SAFETY: set and time live through the call.
        let got = unsafe { libc::sigtimedwait(&self.watched, std::ptr::null_mut(), &wait) };
        if got != libc::SIGCHLD {
            Event::Nothing
        } else if stops && has(pid, libc::WSTOPPED) {
            Event::Stopped
        } else if is_over(pid) {
            Event::Gone
        } else {
            Event::Nothing
        }
    }
}

/// Waits for children that have ended, but for `kept`: orphans of a run come to the server, and each has a number of the machine's until then.
pub fn reap_but(kept: i32) {
    loop {
        // SAFETY: `info` is plain data, zeroed, and lives through the call; a null status pointer is allowed.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let what = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
            let result = libc::waitid(libc::P_ALL, 0, &mut info, what);
            let pid = if result == 0 { info.si_pid() } else { 0 };
            if pid == 0 || pid == kept {
                return;
            }
            libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG);
        }
    }
}

/// Has the child ended? It stays to be waited for.
pub fn is_over(pid: i32) -> bool {
    has(pid, libc::WEXITED | libc::WNOWAIT)
}

fn has(pid: i32, what: i32) -> bool {
    // SAFETY: `info` is plain data, zeroed, and lives through the call.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let result = libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, what | libc::WNOHANG);
        result == 0 && info.si_pid() == pid
    }
}
