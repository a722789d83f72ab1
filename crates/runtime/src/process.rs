//! Threads, forks, signals and the end of the program.
//!
//! Only the thread that entered `main` of the traced process records. A signal handler records
//! too: a signal that comes while the runtime changes its tables is delivered as soon as that is done.

use crate::state::state;
use crate::tls::{take_args, tls, Tls};
use crate::{dependence, events, hooks};
use libc::{c_int, c_void};
use parallax_trace::format::*;
use std::sync::atomic::{AtomicBool, Ordering};

type Start = extern "C" fn(*mut c_void) -> *mut c_void;

extern "C" fn start_thread(boxed: *mut c_void) -> *mut c_void {
    tls().off = 1;
    // SAFETY: made by `__plx_libc_pthread_create` for this one call.
    let (start, argument) = *unsafe { Box::from_raw(boxed as *mut (Start, *mut c_void)) };
    start(argument)
}

/// # Safety
/// As pthread_create.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    take_args();
    if tls().off == 0 {
        state().set_flag(FLAG_THREADS);
        events::note(NOTE_THREAD);
    }
    let boxed = Box::into_raw(Box::new((start, argument))) as *mut c_void;
    // SAFETY: forwarded; the new thread owns `boxed`.
    unsafe { libc::pthread_create(thread, attributes, start_thread, boxed) }
}

/// # Safety
/// As fork. vfork comes here too: a function that returns twice cannot be wrapped otherwise.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_fork() -> libc::pid_t {
    state().set_flag(FLAG_FORKED);
    events::note(NOTE_FORK);
    // SAFETY: forwarded.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        state().stop();
    }
    pid
}

/// # Safety
/// As vfork.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_vfork() -> libc::pid_t {
    // SAFETY: forwarded.
    unsafe { __plx_libc_fork() }
}

/// The program is about to be replaced by another (`libc/exec.c`).
#[no_mangle]
pub extern "C" fn __plx_exec() {
    if tls().off == 0 {
        events::note(NOTE_EXEC);
    }
}

/// The program has done everything it does.
pub fn finished() {
    if state().is_on() || dependence::on() {
        state().set_flag(FLAG_FINISHED);
    }
}

fn leaving(status: c_int) {
    let label = take_args().map_or(0, |l| l[0]);
    if tls().off == 0 {
        hooks::exit_status(status, label);
    }
}

/// # Safety
/// As exit.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_exit(status: c_int) -> ! {
    leaving(status);
    // SAFETY: forwarded.
    unsafe { libc::exit(status) }
}

/// # Safety
/// As _exit.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc__exit(status: c_int) -> ! {
    leaving(status);
    finished();
    // SAFETY: forwarded.
    unsafe { libc::_exit(status) }
}

/// # Safety
/// As _Exit.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc__Exit(status: c_int) -> ! {
    // SAFETY: forwarded.
    unsafe { __plx_libc__exit(status) }
}

const SIGNALS: usize = 65;
/// The program's own handlers, by signal.
static mut HANDLERS: [usize; SIGNALS] = [0; SIGNALS];

/// A signal that came while the runtime was busy.
static mut POSTPONED: [Option<libc::siginfo_t>; SIGNALS] = [None; SIGNALS];
static ANY_POSTPONED: AtomicBool = AtomicBool::new(false);

/// Signals that the runtime or the kernel cannot go on from: their handler is called at once.
fn is_fault(signal: c_int) -> bool {
    matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL | libc::SIGTRAP)
}

/// What the kernel calls for every signal that the program handles.
extern "C" fn trampoline(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let here = tls().off == 0;
    if here && state().busy.get() != 0 && !is_fault(signal) {
        // SAFETY: the array is as long as there are signals; this thread is the only one that records. The
        // kernel's signal frame has room for the information even where the program did not ask for it.
        unsafe { POSTPONED[signal as usize] = Some(*info) };
        return ANY_POSTPONED.store(true, Ordering::Relaxed);
    }
    handle(signal, info, context);
}

/// The runtime is no longer busy.
pub fn deliver_postponed() {
    if !ANY_POSTPONED.swap(false, Ordering::Relaxed) {
        return;
    }
    for signal in 1..SIGNALS {
        // SAFETY: as in `trampoline`; a handler that does not return leaves nothing behind here.
        if let Some(mut info) = unsafe { POSTPONED[signal].take() } {
            // SAFETY: an all-zero context: the interrupted registers are the runtime's own.
            let mut context: libc::ucontext_t = unsafe { std::mem::zeroed() };
            handle(signal as c_int, &mut info, std::ptr::addr_of_mut!(context) as *mut c_void);
        }
    }
}

/// Calls the program's handler with a clean thread-local block, whatever was interrupted.
fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let t = tls();
    // SAFETY: a plain copy of plain data; written back below.
    let saved: Tls = unsafe { std::ptr::read(t) };
    (t.args, t.ret, t.va) = (0, 0, 0);
    t.byval = [0; crate::tls::MAX_BYVAL];
    if state().busy.get() != 0 {
        t.off = 1;
    }
    if t.off == 0 {
        events::note(NOTE_SIGNAL);
    }
    // SAFETY: the handler was given by the program for this signal; the three-argument call is
    // compatible with a one-argument handler in this ABI.
    unsafe {
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
            std::mem::transmute(HANDLERS[signal as usize]);
        let before = dependence::enter_handler(signal, &raw const saved as usize);
        handler(signal, info, context);
        dependence::leave_handler(before);
        std::ptr::write(tls(), saved);
    }
}

fn is_handler(h: usize) -> bool {
    h != libc::SIG_DFL && h != libc::SIG_IGN && h != libc::SIG_ERR
}

/// # Safety
/// As sigaction.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    take_args();
    let valid = (1..SIGNALS as c_int).contains(&signal);
    // SAFETY: forwarded, with the handler replaced by the trampoline.
    unsafe {
        if !valid {
            return libc::sigaction(signal, new, old);
        }
        let before = HANDLERS[signal as usize];
        let mut changed: libc::sigaction;
        let mut given = new;
        if !new.is_null() && is_handler((*new).sa_sigaction) {
            changed = *new;
            changed.sa_sigaction = trampoline as *const () as usize;
            given = &changed;
            HANDLERS[signal as usize] = (*new).sa_sigaction;
        }
        let r = libc::sigaction(signal, given, old);
        if r != 0 {
            HANDLERS[signal as usize] = before;
        } else if !old.is_null() {
            crate::shadow::clear(old as usize, std::mem::size_of::<libc::sigaction>());
            if (*old).sa_sigaction == trampoline as *const () as usize {
                (*old).sa_sigaction = before;
            }
        }
        r
    }
}

/// # Safety
/// As signal.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_signal(signal: c_int, handler: usize) -> usize {
    take_args();
    let valid = (1..SIGNALS as c_int).contains(&signal);
    // SAFETY: forwarded, with the handler replaced by the trampoline.
    unsafe {
        if !valid {
            return libc::signal(signal, handler);
        }
        let before = HANDLERS[signal as usize];
        let given = if is_handler(handler) {
            HANDLERS[signal as usize] = handler;
            trampoline as *const () as usize
        } else {
            handler
        };
        let old = libc::signal(signal, given);
        if old == libc::SIG_ERR {
            HANDLERS[signal as usize] = before;
        }
        if old == trampoline as *const () as usize {
            before
        } else {
            old
        }
    }
}
