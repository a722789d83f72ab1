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

/// Is the process that started this one, which has the same user and is not confined, out of reach of its signals? Then so is everybody else
/// outside. (The first process of a machine or container is no evidence: it may have another user.)
pub fn parent_is_out_of_reach() -> bool {
    // SAFETY: signal 0 only asks.
    unsafe {
        let parent = libc::getppid();
        parent > 1 && libc::kill(parent, 0) != 0 && super::errno() == libc::EPERM
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

/// Nobody without capabilities may look into a process that is not "dumpable", take its descriptors or trace it. What
/// the server is, its children are not to be able to touch, and they have the same user.
pub fn hide_from_runs() {
    // SAFETY: plain numbers only.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) };
}

/// In a child: as every process is.
pub fn show_to_own_kind() {
    // SAFETY: plain numbers only.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0) };
}

/// A timer can send any signal, `SIGCONT` too, and so continue a process that is stopped: a stage has none. (Programs that want
/// timers get no stage; see `LASTING` in the instrumenter.) False: the kernel has no system-call filters, or may not use them here.
pub fn forbid_timers() -> bool {
    const LOAD_WORD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const JUMP_IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    // The number of the call is the first word that the filter sees; tables of other architectures are
    // refused by the filter of all runs.
    let mut steps = [
        step(LOAD_WORD, 0, 0, 0),
        step(JUMP_IF_EQUAL, 0, 1, libc::SYS_timer_create as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: the program and its steps live through the call, which copies them.
    unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0 }
}
