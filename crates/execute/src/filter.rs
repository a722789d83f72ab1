//! The system-call filter of every confined run.
//!
//! In: which holes of the kernel's other mechanisms must be closed. Out: BPF programs.
//!
//! Always holds: a refused call fails with `EACCES`, as it would for lack of permission; calls of
//! another architecture's table end the process.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;

/// What the filter must do because nothing else does.
#[derive(Clone, Copy)]
pub struct Strength {
    /// Owners, modes, times and attributes of files (Landlock ignores them; read-only mounts do not).
    pub attributes: bool,
    /// Truncation by name (Landlock before version 3).
    pub truncation: bool,
}

/// Bit that selects the x32 table on x86-64.
const X32: i64 = 0x4000_0000;

/// Never allowed.
const REFUSED: &[i64] = &[
    // Network; `socketpair` stays, it reaches nobody.
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Things that would outlive the run.
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_perf_event_open,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
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

/// The filter as a program for the kernel.
pub fn program(strength: Strength) -> Result<BpfProgram, seccompiler::Error> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut refuse = |calls: &[i64]| {
        for call in calls {
            rules.insert(*call, Vec::new());
            if cfg!(target_arch = "x86_64") {
                rules.insert(*call | X32, Vec::new());
            }
        }
    };
    refuse(REFUSED);
    refuse(REFUSED_HERE);
    if strength.attributes {
        refuse(ATTRIBUTES);
        refuse(ATTRIBUTES_HERE);
    }
    if strength.truncation {
        refuse(&[libc::SYS_truncate, libc::SYS_openat2]);
        refuse_truncating_open(&mut rules)?;
    }
    let new_user = libc::CLONE_NEWUSER as u64;
    rules.insert(libc::SYS_clone, vec![masked(0, new_user, new_user)?]);
    let refusal = SeccompAction::Errno(libc::EACCES as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture()?)?;
    Ok(BpfProgram::try_from(filter)?)
}

/// A filter cannot look at the flags of `clone3`. This one says that there is no such call; then libc uses
/// `clone`, whose flags can be looked at.
pub fn hide_clone3() -> Result<BpfProgram, seccompiler::Error> {
    let rules = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let absent = SeccompAction::Errno(libc::ENOSYS as u32);
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, absent, architecture()?)?.try_into()?)
}

fn architecture() -> Result<TargetArch, seccompiler::Error> {
    Ok(TargetArch::try_from(std::env::consts::ARCH)?)
}

/// `open(O_RDONLY | O_TRUNC)` truncates without asking for the right to write.
fn refuse_truncating_open(rules: &mut BTreeMap<i64, Vec<SeccompRule>>) -> Result<(), seccompiler::Error> {
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
