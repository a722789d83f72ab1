//! System calls (x86-64) that show what a program is given and what it does.
//!
//! In: numbers of calls. Out: which of their arguments name files, or what moves bytes where.

use libc::c_long;

/// Where a path is among the arguments: the one that holds the descriptor of the directory that it begins in (none: the working directory), and its own.
type PathAt = (Option<usize>, usize);

/// Calls that name files.
const NAMING: &[(c_long, &[PathAt])] = &[
    (libc::SYS_open, &[(None, 0)]),
    (libc::SYS_creat, &[(None, 0)]),
    (libc::SYS_openat, &[(Some(0), 1)]),
    (libc::SYS_openat2, &[(Some(0), 1)]),
    (libc::SYS_stat, &[(None, 0)]),
    (libc::SYS_lstat, &[(None, 0)]),
    (libc::SYS_newfstatat, &[(Some(0), 1)]),
    (libc::SYS_statx, &[(Some(0), 1)]),
    (libc::SYS_statfs, &[(None, 0)]),
    (libc::SYS_access, &[(None, 0)]),
    (libc::SYS_faccessat, &[(Some(0), 1)]),
    (libc::SYS_faccessat2, &[(Some(0), 1)]),
    (libc::SYS_readlink, &[(None, 0)]),
    (libc::SYS_readlinkat, &[(Some(0), 1)]),
    (libc::SYS_chdir, &[(None, 0)]),
    (libc::SYS_execve, &[(None, 0)]),
    (libc::SYS_execveat, &[(Some(0), 1)]),
    (libc::SYS_unlink, &[(None, 0)]),
    (libc::SYS_unlinkat, &[(Some(0), 1)]),
    (libc::SYS_rmdir, &[(None, 0)]),
    (libc::SYS_mkdir, &[(None, 0)]),
    (libc::SYS_mkdirat, &[(Some(0), 1)]),
    (libc::SYS_mknod, &[(None, 0)]),
    (libc::SYS_mknodat, &[(Some(0), 1)]),
    (libc::SYS_rename, &[(None, 0), (None, 1)]),
    (libc::SYS_renameat, &[(Some(0), 1), (Some(2), 3)]),
    (libc::SYS_renameat2, &[(Some(0), 1), (Some(2), 3)]),
    (libc::SYS_link, &[(None, 0), (None, 1)]),
    (libc::SYS_linkat, &[(Some(0), 1), (Some(2), 3)]),
    (libc::SYS_symlink, &[(None, 1)]),
    (libc::SYS_symlinkat, &[(Some(1), 2)]),
    (libc::SYS_chmod, &[(None, 0)]),
    (libc::SYS_fchmodat, &[(Some(0), 1)]),
    (FCHMODAT2, &[(Some(0), 1)]),
    (libc::SYS_chown, &[(None, 0)]),
    (libc::SYS_lchown, &[(None, 0)]),
    (libc::SYS_fchownat, &[(Some(0), 1)]),
    (libc::SYS_truncate, &[(None, 0)]),
    (libc::SYS_utime, &[(None, 0)]),
    (libc::SYS_utimes, &[(None, 0)]),
    (libc::SYS_futimesat, &[(Some(0), 1)]),
    (libc::SYS_utimensat, &[(Some(0), 1)]),
    (libc::SYS_getxattr, &[(None, 0)]),
    (libc::SYS_lgetxattr, &[(None, 0)]),
    (libc::SYS_listxattr, &[(None, 0)]),
    (libc::SYS_llistxattr, &[(None, 0)]),
];

/// Not among the names that `libc` has.
const FCHMODAT2: c_long = 452;

/// What a call does, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Names files.
    Names(&'static [PathAt]),
    /// Lists the directory of a descriptor.
    Lists,
    /// Takes bytes from a descriptor, into one buffer or several.
    Reads {
        gathered: bool,
    },
    /// Gives bytes to a descriptor.
    Writes {
        gathered: bool,
    },
    /// Moves bytes from one descriptor to another, which are arguments of these numbers, within the kernel.
    Moves {
        from: Option<usize>,
        to: Option<usize>,
    },
    /// Receives bytes in a way that is not followed.
    Receives,
    /// Sets up calls that are made past this table.
    Bypasses,
    Other,
}

pub fn call(number: c_long) -> Call {
    match number {
        libc::SYS_getdents | libc::SYS_getdents64 => Call::Lists,
        libc::SYS_read | libc::SYS_pread64 => Call::Reads { gathered: false },
        libc::SYS_readv | libc::SYS_preadv | libc::SYS_preadv2 => Call::Reads { gathered: true },
        libc::SYS_write | libc::SYS_pwrite64 => Call::Writes { gathered: false },
        libc::SYS_writev | libc::SYS_pwritev | libc::SYS_pwritev2 => Call::Writes { gathered: true },
        libc::SYS_sendfile => Call::Moves { from: Some(1), to: Some(0) },
        libc::SYS_splice | libc::SYS_copy_file_range => Call::Moves { from: Some(0), to: Some(2) },
        libc::SYS_tee => Call::Moves { from: Some(0), to: Some(1) },
        libc::SYS_vmsplice => Call::Moves { from: None, to: Some(0) },
        libc::SYS_recvfrom | libc::SYS_recvmsg | libc::SYS_sendto | libc::SYS_sendmsg => Call::Receives,
        libc::SYS_io_uring_setup => Call::Bypasses,
        _ => {
            let found = NAMING.iter().find(|(known, _)| *known == number);
            found.map_or(Call::Other, |(_, paths)| Call::Names(paths))
        }
    }
}
