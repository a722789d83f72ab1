//! What a recorded program does, call by call.
//!
//! In: a process of an invocation, stopped at the beginning or the end of a system call. Out: what that says about the invocation.
//!
//! Always holds: files are looked at before the call that names them is made. Bytes are noted when they have been moved, and as many as were. A call that would
//! move bytes of a standard stream within the kernel, unseen, is refused as kernels refuse it that do not have it; programs then read and write.

use std::fs;
use std::path::PathBuf;

use nix::sys::ptrace;
use nix::unistd::Pid;

use crate::calls::{call, Call};
use crate::invocation::Oddity;
use crate::invocation::Source;
use crate::meet::Eye;
use crate::memory;
use crate::open::{descriptor, Identity, Open};
use crate::tracer::Tracer;

/// Most bytes that are taken from the memory of a program at once; a call that moves more is noted as unseen.
const MOST_AT_ONCE: u64 = 256 << 20;

/// A call that has begun and has to be looked at when it ends.
pub enum Entered {
    Reads {
        gathered: bool,
        from: (Source, Identity),
        buffer: u64,
        count: u64,
    },
    Writes {
        gathered: bool,
        to: i32,
        what: (Source, Identity),
        buffer: u64,
        count: u64,
    },
    /// It is not made: its result.
    Refused {
        result: i32,
    },
}

/// What is known of an invocation before it does anything: where it is.
pub fn start(tracer: &mut Tracer, pid: Pid, invocation: u64) {
    let Some(open) = tracer.open.get(&invocation) else { return };
    let directory = open.invocation.directory.clone();
    meet(tracer, pid, invocation, &directory.join("."));
}

pub fn enter(tracer: &mut Tracer, pid: Pid, invocation: u64) -> Option<Entered> {
    let registers = ptrace::getregs(pid).ok()?;
    let arguments = [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9];
    let number = |at: usize| arguments[at] as i32;
    let (buffer, count) = (arguments[1], arguments[2]);
    match call(registers.orig_rax as libc::c_long) {
        Call::Names(paths) => {
            for (directory, at) in paths {
                let from = directory.map_or(libc::AT_FDCWD, |at| arguments[at] as i32);
                if let Some(path) = named(pid, from, arguments[*at]) {
                    meet(tracer, pid, invocation, &path);
                }
            }
            None
        }
        Call::Lists => {
            if let Ok(directory) = fs::read_link(format!("/proc/{pid}/fd/{}", number(0))) {
                list(tracer, pid, invocation, &directory);
            }
            None
        }
        Call::Reads { gathered } => {
            Some(Entered::Reads { gathered, from: descriptor(pid, number(0))?, buffer, count })
        }
        Call::Writes { gathered } => {
            let (to, what) = (number(0), descriptor(pid, number(0))?);
            Some(Entered::Writes { gathered, to, what, buffer, count })
        }
        Call::Moves { from, to } => {
            let ends = [from, to].into_iter().flatten().filter_map(|at| descriptor(pid, number(at)));
            let ends: Vec<_> = ends.collect();
            let mut followed = false;
            tracer.each(invocation, |open| followed |= ends.iter().any(|end| open.follows(*end)));
            followed.then(|| refuse(pid, libc::EINVAL)).flatten()
        }
        Call::Receives => {
            let what = descriptor(pid, number(0))?;
            unseen(tracer, invocation, "it sends or receives through a socket", |open| open.follows(what));
            None
        }
        Call::Bypasses => refuse(pid, libc::ENOSYS),
        Call::Other => None,
    }
}

pub fn leave(tracer: &mut Tracer, pid: Pid, invocation: u64, entered: &Entered) {
    let Ok(mut registers) = ptrace::getregs(pid) else { return };
    let moved = registers.rax as i64;
    match *entered {
        Entered::Refused { result } => {
            registers.rax = i64::from(result) as u64;
            // It may have been killed meanwhile.
            let _ = ptrace::setregs(pid, registers);
        }
        Entered::Reads { gathered, from, buffer, count } if moved > 0 => {
            if let Some(bytes) = bytes(pid, gathered, buffer, count, moved) {
                tracer.each(invocation, |open| open.read(from, &bytes));
            } else {
                unseen(tracer, invocation, "a read of it", |open| open.follows(from));
            }
        }
        Entered::Writes { gathered, to, what, buffer, count } if moved > 0 => {
            let mut followed = false;
            tracer.each(invocation, |open| followed |= open.follows(what));
            if !followed {
                return;
            }
            match bytes(pid, gathered, buffer, count, moved) {
                Some(bytes) => tracer.each(invocation, |open| open.wrote(to, what, &bytes)),
                None => unseen(tracer, invocation, "a write of it", |_| true),
            }
        }
        _ => {}
    }
}

fn bytes(pid: Pid, gathered: bool, buffer: u64, count: u64, moved: i64) -> Option<Vec<u8>> {
    let len = u64::try_from(moved).ok().filter(|len| *len <= MOST_AT_ONCE)? as usize;
    if gathered {
        memory::gathered(pid, buffer, count, len)
    } else {
        memory::bytes(pid, buffer, len)
    }
}

/// The kernel makes no call of this number, and its result is put in place at its end.
fn refuse(pid: Pid, error: i32) -> Option<Entered> {
    let mut registers = ptrace::getregs(pid).ok()?;
    registers.orig_rax = u64::MAX;
    ptrace::setregs(pid, registers).ok()?;
    Some(Entered::Refused { result: -error })
}

fn unseen(tracer: &mut Tracer, invocation: u64, what: &'static str, concerns: impl Fn(&Open) -> bool) {
    tracer.each(invocation, |open| {
        if concerns(open) {
            open.invocation.oddities.insert(Oddity::Unseen(what));
        }
    });
}

/// The path at an address, absolute. An empty one means the descriptor itself, which was opened before.
fn named(pid: Pid, from: i32, address: u64) -> Option<PathBuf> {
    let path = memory::path(pid, address).filter(|path| !path.as_os_str().is_empty())?;
    if path.is_absolute() {
        return Some(path);
    }
    let link = match from {
        libc::AT_FDCWD => format!("/proc/{pid}/cwd"),
        number => format!("/proc/{pid}/fd/{number}"),
    };
    Some(fs::read_link(link).ok()?.join(path))
}

fn meet(tracer: &mut Tracer, pid: Pid, invocation: u64, path: &std::path::Path) {
    let (tree, most) = (tracer.tree.clone(), tracer.most);
    let root = PathBuf::from(format!("/proc/{pid}/root"));
    let eye = Eye { root: &root, tree: &tree, most };
    tracer.each(invocation, |open| eye.meet(open, path));
}

fn list(tracer: &mut Tracer, pid: Pid, invocation: u64, directory: &std::path::Path) {
    let (tree, most) = (tracer.tree.clone(), tracer.most);
    let root = PathBuf::from(format!("/proc/{pid}/root"));
    let eye = Eye { root: &root, tree: &tree, most };
    tracer.each(invocation, |open| {
        eye.meet(open, directory);
        eye.list(open, directory);
    });
}
