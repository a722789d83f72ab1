//! The end of every process of a run.
//!
//! Always holds: only processes of the run are signalled; when [`Server::kill_rest`] returns there are none.

use super::*;

impl Server {
    /// Kills every process of the run that can be seen now; `leader` is its process group.
    pub(super) fn kill_all(&mut self, leader: i32) {
        // SAFETY: signals to processes; no memory is involved. Where -1 means more than the run, only descendants are
        // signalled, one by one: processes that multiply faster than that get away until the next round.
        unsafe {
            if self.reaches_own_only {
                libc::kill(-1, libc::SIGKILL);
            } else {
                if leader > 1 {
                    libc::kill(-leader, libc::SIGKILL);
                }
                self.census.each_descendant(|pid| {
                    libc::kill(pid, libc::SIGKILL);
                });
            }
        }
    }

    /// Orphans come to the server, which is first in its namespace or a subreaper: as long as it has
    /// children, something of the run is alive.
    pub(super) fn kill_rest(&mut self, leader: i32) {
        loop {
            // SAFETY: a null status pointer is allowed.
            let got = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
            if got == 0 {
                self.kill_all(leader);
                // SAFETY: as above. Everything that was seen is dying, so this returns.
                unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) };
            } else if got < 0 && errno() == libc::ECHILD {
                return;
            }
        }
    }
}
