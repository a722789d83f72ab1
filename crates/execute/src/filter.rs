//! The system-call filter of every confined run.
//!
//! In: which holes of the kernel's other mechanisms must be closed. Out: BPF programs.
//!
//! Always holds: a refused call fails with `EACCES`, as it would for lack of permission; calls that are hidden, and all of the
//! x32 table, fail as on a kernel that has none of them; calls of another architecture's table end the process. The server has the same
//! filter.

use seccompiler::{
    sock_filter, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// What the filter must do because nothing else does.
#[derive(Clone, Copy)]
pub struct Strength {
    /// There are no namespaces: the run sees files and processes of others. Owners, modes, times and attributes of files (Landlock
    /// ignores them; read-only mounts do not), locks on files, and all processes but the calling one.
    pub shared: bool,
    /// Truncation by name (Landlock before version 3).
    pub truncation: bool,
}

/// Numbers of the x32 table on x86-64 have this bit; no other number is as large.
const X32: u32 = 0x4000_0000;

/// Never allowed.
const REFUSED: &[i64] = &[
    // Network; `socketpair` stays where it reaches nobody.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Things that would outlive the run, or that belong to others.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_perf_event_open,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    // Pages in a pipe that are in no process any more.
    libc::SYS_vmsplice,
    // File systems and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_settimeofday,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[i64] = &[];

const ATTRIBUTES: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_FCHMODAT2,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
];
/// Newer than the `libc` crate's tables; the same number on all architectures.
const SYS_OPEN_TREE_ATTR: i64 = 467;
const SYS_FCHMODAT2: i64 = 452;
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;

#[cfg(target_arch = "x86_64")]
const ATTRIBUTES_HERE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const ATTRIBUTES_HERE: &[i64] = &[];

/// Calls that look as if the kernel did not have them. The flags of `clone3` cannot be looked at; libc then uses `clone`, whose
/// flags can. Memory of a file without a name is in no file system of limited size and need be mapped in no process: it could
/// not be counted.
const HIDDEN: &[i64] = &[libc::SYS_clone3, libc::SYS_memfd_create, libc::SYS_memfd_secret];

/// Calls that set something of the process that is named by their first argument, which libc makes with the number of a thread too.
const OF_A_THREAD: &[i64] = &[
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];
/// The same, where nobody needs any but the calling process.
const OF_A_PROCESS: &[i64] = &[libc::SYS_prlimit64, libc::SYS_migrate_pages, libc::SYS_move_pages];
/// The server's number where it has a namespace of its own.
const SERVER: u64 = 1;
/// `IOPRIO_WHO_USER`, from linux/ioprio.h.
const IOPRIO_WHO_USER: u64 = 3;
/// Bits of a socket's type that are not flags.
const SOCKET_TYPE: u64 = 0xf;
/// Of `fcntl`: what others would notice about a file, and a signal that continues a process which has to stay stopped.
const F_SETSIG: u64 = 10;
const FILE_WATCHES: [u64; 2] = [libc::F_SETLEASE as u64, libc::F_NOTIFY as u64];
/// `F_SETPIPE_SZ`: pipes are counted with the size that they are made with.
const PIPE_SIZE: u64 = 1031;
/// `F_SET_RW_HINT` and `F_SET_FILE_RW_HINT`.
const FILE_HINTS: [u64; 2] = [1036, 1038];
const FILE_LOCKS: [u64; 4] =
    [libc::F_SETLK as u64, libc::F_SETLKW as u64, libc::F_OFD_SETLK as u64, libc::F_OFD_SETLKW as u64];
/// Of `ioctl`: input into a terminal as if typed, its selection and console.
const TERMINAL: [u64; 3] = [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCCONS];
/// Requests of terminals and of all descriptors. All others are of devices and of file systems: some of them change a file that is
/// open for reading, its attributes, or a directory (a subvolume of btrfs), and Landlock sees none of that.
const PLAIN_REQUESTS: std::ops::RangeInclusive<u64> = 0x5400..=0x54ff;
/// Descriptors that are on their way between two sockets are in no table, and with them all that their buffers hold.
const PASSING: [i64; 2] = [libc::SYS_sendmsg, libc::SYS_sendmmsg];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// All filters, as programs for the kernel.
pub fn programs(strength: Strength) -> Result<Vec<BpfProgram>, seccompiler::Error> {
    let absent = SeccompAction::Errno(libc::ENOSYS as u32);
    let hidden = HIDDEN.iter().map(|call| (*call, Vec::new())).collect();
    let mut programs = vec![hide_x32(), compile(hidden, absent)?];
    if strength.shared {
        programs.push(compile(pretended()?, SeccompAction::Errno(0))?);
        programs.push(compile(unknown_requests()?, SeccompAction::Errno(libc::ENOTTY as u32))?);
    }
    programs.push(compile(refused(strength)?, SeccompAction::Errno(libc::EACCES as u32))?);
    Ok(programs)
}

/// The last one, for when the runner itself has passed on its descriptor.
pub fn no_passing() -> Result<BpfProgram, seccompiler::Error> {
    let rules = PASSING.iter().map(|call| (*call, Vec::new())).collect();
    compile(rules, SeccompAction::Errno(libc::EACCES as u32))
}

fn compile(rules: Rules, action: SeccompAction) -> Result<BpfProgram, seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()?)
}

fn refused(strength: Strength) -> Result<Rules, seccompiler::Error> {
    let mut rules = Rules::new();
    let mut refuse = |calls: &[i64]| rules.extend(calls.iter().map(|call| (*call, Vec::new())));
    refuse(REFUSED);
    refuse(REFUSED_HERE);
    if strength.shared {
        refuse(ATTRIBUTES);
        refuse(ATTRIBUTES_HERE);
    }
    if strength.truncation {
        refuse(&[libc::SYS_truncate, libc::SYS_openat2]);
        refuse_truncating_open(&mut rules)?;
    }
    let new_user = libc::CLONE_NEWUSER as u64;
    rules.insert(libc::SYS_clone, vec![masked(0, new_user, new_user)?]);
    refuse_reaching_sockets(&mut rules)?;
    refuse_other_processes(&mut rules, strength)?;
    refuse_on_descriptors(&mut rules, strength)?;
    Ok(rules)
}

/// A pair that is connected for good reaches nobody else; one of datagrams can send to every listener.
fn refuse_reaching_sockets(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let connected = [libc::SOCK_STREAM as u64, libc::SOCK_SEQPACKET as u64];
    let mut pairs = vec![differs(0, libc::AF_UNIX as u64)?];
    for kind in (0..=SOCKET_TYPE).filter(|kind| !connected.contains(kind)) {
        pairs.push(masked(1, SOCKET_TYPE, kind)?);
    }
    rules.insert(libc::SYS_socketpair, pairs);
    let address = SeccompCondition::new(4, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    rules.insert(libc::SYS_sendto, vec![SeccompRule::new(vec![address])?]);
    Ok(())
}

/// Limits, priorities and places of other processes. In its own namespace a run sees only its own and the server.
fn refuse_other_processes(rules: &mut Rules, strength: Strength) -> Result<(), seccompiler::Error> {
    for call in OF_A_THREAD {
        let rule = if strength.shared { differs(0, 0)? } else { equals(0, SERVER)? };
        rules.insert(*call, vec![rule]);
    }
    for call in OF_A_PROCESS {
        rules.insert(*call, vec![differs(0, 0)?]);
    }
    rules.insert(libc::SYS_setpriority, vec![differs(1, 0)?, equals(0, libc::PRIO_USER as u64)?]);
    rules.insert(libc::SYS_ioprio_set, vec![differs(1, 0)?, equals(0, IOPRIO_WHO_USER)?]);
    Ok(())
}

fn refuse_on_descriptors(rules: &mut Rules, strength: Strength) -> Result<(), seccompiler::Error> {
    let second = |values: &[u64]| values.iter().map(|v| equals(1, *v)).collect::<Result<Vec<_>, _>>();
    let mut fcntl = second(&FILE_WATCHES)?;
    fcntl.push(equals(1, PIPE_SIZE)?);
    fcntl.push(SeccompRule::new(vec![is(1, F_SETSIG)?, is(2, libc::SIGCONT as u64)?])?);
    if strength.shared {
        fcntl.extend(second(&FILE_HINTS)?);
    }
    rules.insert(libc::SYS_fcntl, fcntl);
    rules.insert(libc::SYS_ioctl, second(&TERMINAL)?);
    Ok(())
}

/// Locks succeed and lock nothing: a file that can only be read can be locked, and then others wait.
fn pretended() -> Result<Rules, seccompiler::Error> {
    let locks = FILE_LOCKS.iter().map(|lock| equals(1, *lock)).collect::<Result<Vec<_>, _>>()?;
    Ok(BTreeMap::from([(libc::SYS_flock, Vec::new()), (libc::SYS_fcntl, locks)]))
}

/// Requests that no file of a run knows.
fn unknown_requests() -> Result<Rules, seccompiler::Error> {
    let compared = |operator, value: u64| {
        let condition = SeccompCondition::new(1, SeccompCmpArgLen::Dword, operator, value)?;
        Ok::<_, seccompiler::Error>(SeccompRule::new(vec![condition])?)
    };
    let rules = vec![
        compared(SeccompCmpOp::Lt, *PLAIN_REQUESTS.start())?,
        compared(SeccompCmpOp::Gt, *PLAIN_REQUESTS.end())?,
    ];
    Ok(BTreeMap::from([(libc::SYS_ioctl, rules)]))
}

/// The x32 table has numbers of its own for the same calls: none of it, as on most kernels.
fn hide_x32() -> BpfProgram {
    const LOAD_WORD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const JUMP_IF_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        // The number of the call is the first word that a filter sees.
        step(LOAD_WORD, 0, 0, 0),
        step(JUMP_IF_AT_LEAST, 0, 1, X32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

/// `open(O_RDONLY | O_TRUNC)` truncates without asking for the right to write.
fn refuse_truncating_open(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let mask = (libc::O_ACCMODE | libc::O_TRUNC) as u64;
    let value = (libc::O_RDONLY | libc::O_TRUNC) as u64;
    rules.insert(libc::SYS_openat, vec![masked(2, mask, value)?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![masked(1, mask, value)?]);
    Ok(())
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompRule, seccompiler::Error> {
    let operator = SeccompCmpOp::MaskedEq(mask);
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
    Ok(SeccompRule::new(vec![condition])?)
}

fn equals(argument: u8, value: u64) -> Result<SeccompRule, seccompiler::Error> {
    Ok(SeccompRule::new(vec![is(argument, value)?])?)
}

fn differs(argument: u8, value: u64) -> Result<SeccompRule, seccompiler::Error> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)?;
    Ok(SeccompRule::new(vec![condition])?)
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::Error> {
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)?)
}
