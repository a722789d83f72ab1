//! The beginning of an instrumented program: shadow tables, and the fork server if the engine asks for it, before any of its code
//! runs; then, in every run, its constructors and `main`.
//!
//! Always holds: no code of the program runs in the server. (What the loader itself calls is an exception: functions that choose
//! other functions, `ifunc`, and libraries in the place of libc.)

use crate::state::state;
use crate::tls::{layout_agrees, tls};
use crate::{dependence, hooks, input, process, server, shadow, stage, work};
use libc::{c_char, c_int, c_void};
use parallax_trace::format::{Header, FLAG_STARTED, HEADER_BYTES};
use parallax_trace::request::Request;
use std::cell::UnsafeCell;
use std::ffi::CStr;

extern "C" {
    /// The program's own `main`, renamed by the instrumenter.
    fn __plx_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int;
    static mut __plx_counters: [u8; 0];
    static __plx_counters_len: u64;
    /// The program does nothing that outlives the memory of a run (the instrumenter's word).
    static __plx_stays: u8;
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    static mut environ: *mut *mut c_char;
    static mut program_invocation_name: *mut c_char;
    static mut program_invocation_short_name: *mut c_char;
}

/// The test case of this process, from before the constructors until `main`.
struct Waiting(UnsafeCell<Option<Request>>);
// SAFETY: written before there can be a second thread, taken once, by the thread that enters `main`.
unsafe impl Sync for Waiting {}
static WAITING: Waiting = Waiting(UnsafeCell::new(None));

type Start = extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char);

/// Before all constructors of the program and of its libraries.
#[used]
#[link_section = ".preinit_array"]
static BEFORE_CONSTRUCTORS: Start = before_constructors;

/// The first constructor of the program, after those of its libraries.
#[used]
#[link_section = ".init_array.00000"]
static FIRST_CONSTRUCTOR: Start = give_environment;

extern "C" fn before_constructors(_: c_int, _: *mut *mut c_char, envp: *mut *mut c_char) {
    reserve_tables();
    // SAFETY: the environment that the process was started with.
    let Some(version) = (unsafe { take_variable(envp, b"PARALLAX_SERVE=") }) else { return };
    // SAFETY: the instrumenter defines it.
    let stays = unsafe { __plx_stays } != 0 && !dependence::enabled();
    let mark = stays.then_some(stage::mark as fn() -> bool);
    let request = server::serve_as(version, server::Hooks { attached, mark });
    // SAFETY: see `Waiting`; the handler is a function of this library.
    unsafe {
        *WAITING.0.get() = Some(request);
        // Handlers run in reverse order: this one after those of all constructors and the destructors of all libraries.
        on_exit(finished, std::ptr::null_mut());
    }
}

/// The variables that are the same for all runs; libc has just set its own idea of the environment.
extern "C" fn give_environment(_: c_int, _: *mut *mut c_char, _: *mut *mut c_char) {
    // SAFETY: see `Waiting`; `main` comes later.
    if let Some(request) = unsafe { &*WAITING.0.get() } {
        let env = input::environment(request);
        // SAFETY: no other thread has been started by the program.
        unsafe { environ = env };
    }
}

/// Removes a variable from an environment, where it was, and gives its value.
///
/// # Safety
/// `envp` is a list of C strings that ends with null, and stays.
unsafe fn take_variable(envp: *mut *mut c_char, name: &[u8]) -> Option<&'static [u8]> {
    let mut at = envp;
    // SAFETY: up to the null at the end of the list.
    unsafe {
        while !(*at).is_null() {
            if let Some(value) = CStr::from_ptr(*at).to_bytes().strip_prefix(name) {
                while !(*at).is_null() {
                    *at = *at.add(1);
                    at = at.add(1);
                }
                return Some(value);
            }
            at = at.add(1);
        }
    }
    None
}

fn reserve_tables() {
    if !layout_agrees() || !shadow::reserve() {
        let message = b"parallax runtime: cannot reserve the shadow tables (address space limit?)\n";
        // SAFETY: writes a constant and leaves.
        unsafe {
            libc::write(2, message.as_ptr() as *const libc::c_void, message.len());
            libc::_exit(70);
        }
    }
}

/// # Safety
/// Called by the C start-up code only.
#[no_mangle]
pub unsafe extern "C" fn main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: see `Waiting`.
    let Some(request) = (unsafe { (*WAITING.0.get()).take() }) else {
        // SAFETY: the program's main, as the C start-up code would call it; no thread of it runs yet.
        return unsafe {
            dependence::record_into_file();
            dependence::given_strings(argv);
            dependence::given_strings(envp);
            __plx_main(argc, argv, envp)
        };
    };
    // SAFETY: the server hands out a mapped arena; the names live as long as the run.
    unsafe {
        if let Some((arena, _)) = server::arena() {
            if dependence::enabled() {
                dependence::attach(arena);
            } else {
                state().attach(arena);
            }
        }
        let v = input::prepare(request);
        dependence::given_strings(v.argv);
        dependence::given_strings(v.envp);
        environ = v.envp;
        program_invocation_name = *v.argv;
        program_invocation_short_name = after_last_slash(*v.argv);
        state().set_flag(FLAG_STARTED);
        work::begin();
        let status = __plx_main(v.argc, v.argv, v.envp);
        let t = tls();
        let label = if t.ret != 0 { t.ret_label[0] } else { 0 };
        t.ret = 0;
        hooks::exit_status(status, label);
        status
    }
}

/// Runs last of all exit handlers.
extern "C" fn finished(status: c_int, _: *mut c_void) {
    process::finished();
    stage::end(status);
}

/// The server has an arena, for all runs.
fn attached() {
    if let Some((arena, _)) = server::arena().filter(|_| !dependence::enabled()) {
        // SAFETY: the server maps it shared, and for good.
        unsafe { map_counters(arena) };
    }
}

/// Lay the arena's coverage region over the program's edge counters, and its header over the page in which work is counted.
///
/// # Safety
/// `arena` is the arena, mapped shared.
unsafe fn map_counters(arena: *mut u8) {
    // SAFETY: the counters and the page are page-aligned, whole pages, and used for nothing else; a zero old length
    // makes mremap duplicate a shared mapping.
    unsafe {
        let header = &*(arena as *const Header);
        libc::mremap(
            arena.cast(),
            0,
            HEADER_BYTES,
            libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED,
            work::header().cast::<libc::c_void>(),
        );
        let len = (__plx_counters_len.min(header.coverage_capacity) as usize) & !4095;
        if len > 0 {
            libc::mremap(
                arena.add(header.coverage_offset as usize) as *mut libc::c_void,
                0,
                len,
                libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED,
                std::ptr::addr_of_mut!(__plx_counters) as *mut libc::c_void,
            );
        }
    }
}

/// # Safety
/// `s` is a NUL-terminated string.
unsafe fn after_last_slash(s: *mut c_char) -> *mut c_char {
    // SAFETY: see above.
    unsafe {
        let slash = libc::strrchr(s, b'/' as c_int);
        if slash.is_null() {
            s
        } else {
            slash.add(1)
        }
    }
}
