//! The system calls that the standard library lacks, as safe functions.
//!
//! In: plain values. Out: `io::Result`. Always holds: no caller needs `unsafe` to set up a process.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// The error that a negative result stands for.
pub fn check(result: i64) -> io::Result<i64> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// A path for the kernel; a NUL byte in it is an error.
pub fn c_path(path: &Path) -> io::Result<CString> {
    c_name(path.as_os_str())
}

/// The same for one name.
pub fn c_name(name: &OsStr) -> io::Result<CString> {
    CString::new(name.as_bytes()).map_err(|_| io::ErrorKind::InvalidInput.into())
}

/// An anonymous memory file of `len` bytes.
pub fn memory_file(name: &CStr, len: u64) -> io::Result<OwnedFd> {
    // SAFETY: the name is NUL-terminated; the descriptor is new and owned by nobody else.
    let fd = unsafe {
        OwnedFd::from_raw_fd(check(libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC).into())? as RawFd)
    };
    // SAFETY: no memory is involved.
    check(unsafe { libc::ftruncate(fd.as_raw_fd(), len as i64) }.into())?;
    Ok(fd)
}

pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    // SAFETY: the kernel writes two descriptors, both new.
    unsafe {
        check(libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC).into())?;
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}

pub fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: the kernel writes two descriptors, both new.
    unsafe {
        check(libc::socketpair(libc::AF_UNIX, kind, 0, fds.as_mut_ptr()).into())?;
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}

/// Makes `fd` available as `number` in the program about to be started. Async-signal-safe.
pub fn dup_to(fd: RawFd, number: RawFd) -> io::Result<()> {
    // SAFETY: no memory is involved. dup2 clears close-on-exec.
    check(unsafe { libc::dup2(fd, number) }.into()).map(drop)
}

/// A second descriptor for the same file, numbered `at_least` or more, closed on exec.
pub fn dup_above(fd: BorrowedFd, at_least: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor is new.
    unsafe {
        let new = check(libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, at_least).into())?;
        Ok(OwnedFd::from_raw_fd(new as RawFd))
    }
}

pub fn close_range(first: u32, last: u32) -> io::Result<()> {
    // SAFETY: called by the runner before it owns any descriptor in the range.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) }).map(drop)
}

/// Plain data that goes through a socket or pipe as it is in memory.
///
/// # Safety
/// No padding, and every bit pattern valid.
pub unsafe trait Message: Copy + Default {}
// SAFETY: all are `repr(C)` or primitive, made of integers, without padding.
unsafe impl Message for u32 {}
unsafe impl Message for parallax_trace::control::Hello {}
unsafe impl Message for parallax_trace::control::Command {}
unsafe impl Message for parallax_trace::control::Reply {}

/// Writes a message; never raises SIGPIPE for the reader of a socket that is gone.
pub fn write_message<M: Message>(fd: BorrowedFd, message: &M) -> io::Result<()> {
    let len = size_of::<M>();
    // SAFETY: `message` is `len` readable bytes.
    let sent = check(unsafe { libc::write(fd.as_raw_fd(), (&raw const *message).cast(), len) } as i64)?;
    if sent as usize == len {
        Ok(())
    } else {
        Err(io::ErrorKind::WriteZero.into())
    }
}

/// Sends a message with, perhaps, a descriptor attached.
pub fn send_with_fd<M: Message>(socket: RawFd, message: &M, fd: Option<BorrowedFd>) -> io::Result<()> {
    let mut data = libc::iovec { iov_base: (&raw const *message as *mut M).cast(), iov_len: size_of::<M>() };
    // Room for one descriptor: the kernel closes what does not fit, so that nobody can fill our table.
    let mut control = [0u64; 4];
    // SAFETY: `header` points to live buffers of the given sizes; the control buffer is aligned and
    // large enough for one descriptor.
    unsafe {
        let mut header: libc::msghdr = std::mem::zeroed();
        header.msg_iov = &mut data;
        header.msg_iovlen = 1;
        if let Some(fd) = fd {
            header.msg_control = control.as_mut_ptr().cast();
            header.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as usize;
            let part = libc::CMSG_FIRSTHDR(&header);
            (*part).cmsg_level = libc::SOL_SOCKET;
            (*part).cmsg_type = libc::SCM_RIGHTS;
            (*part).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as usize;
            libc::CMSG_DATA(part).cast::<RawFd>().write_unaligned(fd.as_raw_fd());
        }
        check(libc::sendmsg(socket, &header, libc::MSG_NOSIGNAL) as i64).map(drop)
    }
}

/// Receives a message and the descriptor attached to it. `None`: the other side is gone.
pub fn receive_with_fd<M: Message>(socket: BorrowedFd) -> io::Result<Option<(M, Option<OwnedFd>)>> {
    let mut message = M::default();
    let mut data = libc::iovec { iov_base: (&raw mut message).cast(), iov_len: size_of::<M>() };
    let mut control = [0u64; 4];
    // SAFETY: `header` points to live buffers of the given sizes; a descriptor that arrives is new.
    unsafe {
        let mut header: libc::msghdr = std::mem::zeroed();
        header.msg_iov = &mut data;
        header.msg_iovlen = 1;
        header.msg_control = control.as_mut_ptr().cast();
        header.msg_controllen = libc::CMSG_LEN(size_of::<RawFd>() as u32) as usize;
        let got = check(libc::recvmsg(socket.as_raw_fd(), &mut header, libc::MSG_CMSG_CLOEXEC) as i64)?;
        let part = libc::CMSG_FIRSTHDR(&header);
        let fd = if !part.is_null() && (*part).cmsg_type == libc::SCM_RIGHTS {
            Some(OwnedFd::from_raw_fd(libc::CMSG_DATA(part).cast::<RawFd>().read_unaligned()))
        } else {
            None
        };
        match got as usize {
            0 => Ok(None),
            n if n == size_of::<M>() => Ok(Some((message, fd))),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Whether `fd` has something to read, or hung up, within `wait`. A signal counts as "not yet".
pub fn readable(fd: BorrowedFd, wait: Duration) -> bool {
    poll(&mut [(fd.as_raw_fd(), libc::POLLIN, 0)], wait.as_millis() as i32)
}

/// Polls `(descriptor, events, result)`; true if one of them has something.
pub fn poll<const N: usize>(fds: &mut [(RawFd, i16, i16); N], timeout_ms: i32) -> bool {
    let mut entries = fds.map(|(fd, events, _)| libc::pollfd { fd, events, revents: 0 });
    // SAFETY: `entries` lives through the call.
    let n = unsafe { libc::poll(entries.as_mut_ptr(), N as libc::nfds_t, timeout_ms) };
    for (fd, entry) in fds.iter_mut().zip(&entries) {
        fd.2 = entry.revents;
    }
    n > 0
}

pub fn open_path(path: &Path) -> io::Result<OwnedFd> {
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
    let path = c_path(path)?;
    // SAFETY: the path is NUL-terminated; the descriptor is new.
    unsafe { Ok(OwnedFd::from_raw_fd(check(libc::open(path.as_ptr(), flags).into())? as RawFd)) }
}

pub fn unshare(flags: i32) -> io::Result<()> {
    // SAFETY: no memory is involved.
    check(unsafe { libc::unshare(flags) }.into()).map(drop)
}

pub fn ids() -> (u32, u32) {
    // SAFETY: never fails.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

pub fn mount(source: &CStr, target: &Path, kind: &CStr, flags: u64, data: Option<&CStr>) -> io::Result<()> {
    let target = c_path(target)?;
    let data = data.map_or(std::ptr::null(), |d| d.as_ptr().cast());
    // SAFETY: all strings are NUL-terminated and live through the call.
    check(unsafe { libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, data) }.into())
        .map(drop)
}

/// Takes away what is mounted at `target`, with everything below.
pub fn unmount(target: &Path) -> io::Result<()> {
    let target = c_path(target)?;
    // SAFETY: the path is NUL-terminated.
    check(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) }.into()).map(drop)
}

/// Makes a mounted directory the root, and takes the old one away.
pub fn change_root(root: &Path) -> io::Result<()> {
    let root = c_path(root)?;
    // SAFETY: the paths are NUL-terminated. The old root is put over the new one, and goes from there.
    unsafe {
        check(libc::chdir(root.as_ptr()).into())?;
        check(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()))?;
        check(libc::umount2(c".".as_ptr(), libc::MNT_DETACH).into())?;
        check(libc::chdir(c"/".as_ptr()).into()).map(drop)
    }
}

/// Makes every mount read-only.
pub fn mount_everything_read_only() -> io::Result<()> {
    const AT_RECURSIVE: i32 = 0x8000;
    const MOUNT_ATTR_RDONLY: u64 = 1;
    // `struct mount_attr`: set, clear, propagation, user namespace.
    let attributes = [MOUNT_ATTR_RDONLY, 0, 0, 0];
    // SAFETY: the path is NUL-terminated; the attributes have the size that is passed.
    check(unsafe {
        let size = std::mem::size_of_val(&attributes);
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            c"/".as_ptr(),
            AT_RECURSIVE,
            attributes.as_ptr(),
            size,
        )
    })
    .map(drop)
}

/// Forks the runner. It has one thread, so the child may do what it likes. `None` in the child.
pub fn fork() -> io::Result<Option<i32>> {
    // SAFETY: single-threaded by the contract of the runner (checked by its caller).
    let pid = check(unsafe { libc::fork() }.into())?;
    Ok((pid != 0).then_some(pid as i32))
}

pub fn pidfd_open(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor is new.
    unsafe { Ok(OwnedFd::from_raw_fd(check(libc::syscall(libc::SYS_pidfd_open, pid, 0))? as RawFd)) }
}

/// Kills a child and waits for it.
pub fn kill_and_wait(pid: i32) {
    let mut status = 0;
    // SAFETY: `pid` is a child of this process that has not been waited for.
    unsafe {
        libc::kill(pid, libc::SIGKILL);
        libc::waitpid(pid, &mut status, 0);
    }
}

/// Waits for children that have ended; true: there are others.
pub fn reap() -> bool {
    loop {
        // SAFETY: a null status pointer is allowed.
        match unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } {
            0 => return true,
            pid if pid < 0 => return false,
            _ => {}
        }
    }
}

/// Kills a process that is known to be of a run.
pub fn kill(pid: i32) {
    // SAFETY: no memory is involved.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// Kills the process group of a child that leads one; does nothing if it does not.
pub fn kill_group(leader: i32) {
    // SAFETY: `leader` is a child that has not been waited for, so the number is still its own.
    unsafe { libc::kill(-leader, libc::SIGKILL) };
}

pub fn prctl(option: i32, a: u64, b: u64) -> io::Result<i64> {
    // SAFETY: only used with options that take numbers.
    check(unsafe { libc::prctl(option, a, b, 0, 0) }.into())
}

/// Effective, permitted and inheritable capabilities become exactly `mask`.
pub fn set_capabilities(mask: u64) -> io::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION_3, 0];
    let (low, high) = (mask as u32, (mask >> 32) as u32);
    let data = [low, low, low, high, high, high];
    // SAFETY: header and data have the layout and size that capset wants for version 3.
    check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), data.as_ptr()) }).map(drop)
}

/// Same addresses, file modes and signal handling in every run, whoever starts the engine.
/// `moving_addresses`: let the kernel choose addresses anew for every program that is started.
pub fn make_process_plain(moving_addresses: bool) -> io::Result<()> {
    const ADDR_NO_RANDOMIZE: libc::c_ulong = 0x0004_0000;
    // SAFETY: plain numbers; SIG_DFL is a valid disposition; the mask is initialised by sigemptyset.
    unsafe {
        libc::setsid();
        libc::umask(0o022);
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        let addresses = if moving_addresses { 0 } else { ADDR_NO_RANDOMIZE };
        check(libc::personality(addresses).into()).map(drop)
    }
}

/// Keeps this process and its children on all processors, or on one of those that it may use: which, the number says.
pub fn use_processors(number: u64) -> io::Result<()> {
    // SAFETY: the set is plain bits; the kernel writes and reads as many bytes as it has.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        check(libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set).into())?;
        let allowed: Vec<usize> =
            (0..libc::CPU_SETSIZE as usize).filter(|cpu| libc::CPU_ISSET(*cpu, &set)).collect();
        // All of them is one of the choices.
        let Some(cpu) = allowed.get(number as usize % (allowed.len() + 1)) else { return Ok(()) };
        libc::CPU_ZERO(&mut set);
        libc::CPU_SET(*cpu, &mut set);
        check(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set).into()).map(drop)
    }
}

/// Lowers a resource limit to at most `value`.
pub fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    // SAFETY: `limit` is written by getrlimit before it is read.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        check(libc::getrlimit(resource, &mut limit).into())?;
        let value = value.min(limit.rlim_max);
        limit = libc::rlimit { rlim_cur: value, rlim_max: value };
        check(libc::setrlimit(resource, &limit).into()).map(drop)
    }
}

/// Replaces this process. Returns only the error.
pub fn exec(program: &CStr, argv: &[CString], env: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (argv, env) = (pointers(argv), pointers(env));
    // SAFETY: both arrays end with null and their strings outlive the call.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// Version of Landlock in this kernel, 0 if there is none.
pub fn landlock_version() -> u32 {
    const LANDLOCK_CREATE_RULESET_VERSION: u32 = 1;
    // SAFETY: with this flag and a null attribute the call only returns a number.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0usize,
            LANDLOCK_CREATE_RULESET_VERSION,
        )
    };
    version.max(0) as u32
}
