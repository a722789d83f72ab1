//! What a child of the server gives up before it is a run.

use super::check;

/// `_LINUX_CAPABILITY_VERSION_3`, from linux/capability.h.
const CAPABILITY_VERSION_3: u32 = 0x2008_0522;
/// `LANDLOCK_SCOPE_SIGNAL`, from linux/landlock.h.
const LANDLOCK_SCOPE_SIGNAL: u64 = 1 << 1;

/// Without a PID namespace only a Landlock domain of its own keeps a confined run from killing the server.
pub fn hide_server() {
    // `struct landlock_ruleset_attr`: file system, network, scopes.
    let attributes = [0, 0, LANDLOCK_SCOPE_SIGNAL];
    // SAFETY: the attributes live through the call and have the size that is passed. A server that is not
    // confined, or a kernel that cannot do this, leaves things as they were.
    unsafe {
        if libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 {
            let size = std::mem::size_of_val(&attributes);
            let ruleset = libc::syscall(libc::SYS_landlock_create_ruleset, attributes.as_ptr(), size, 0);
            if ruleset >= 0 {
                libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0);
                libc::close(ruleset as i32);
            }
        }
    }
}

/// Gives up what the server keeps for itself, so that the program under test has no capability.
pub fn drop_capabilities() {
    let header: [u32; 2] = [CAPABILITY_VERSION_3, 0];
    let none = [0u32; 6];
    // SAFETY: header and data have the layout and size that capset wants for version 3.
    unsafe {
        check(libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
        check(libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) as i32);
    }
}
