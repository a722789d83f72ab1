//! The beginning of an instrumented program: shadow tables before any of its code runs, then `main`,
//! which serves runs if the engine asks for it or just runs the program.

use crate::state::state;
use crate::tls::{layout_agrees, tls};
use crate::{dependence, hooks, input, process, server, shadow, stage};
use libc::{c_char, c_int, c_void};
use parallax_trace::format::{Header, FLAG_STARTED};

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

/// Before all constructors of the program.
#[used]
#[link_section = ".preinit_array"]
static PREINIT: extern "C" fn() = reserve_tables;

extern "C" fn reserve_tables() {
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
    // SAFETY: the instrumenter defines it.
    let stays = unsafe { __plx_stays } != 0 && !dependence::enabled();
    let mark = stays.then_some(stage::mark as fn() -> bool);
    let Some(request) = server::serve(server::Hooks { attached, mark }) else {
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
        on_exit(finished, std::ptr::null_mut());
        state().set_flag(FLAG_STARTED);
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

/// Lay the arena's coverage region over the program's edge counters.
///
/// # Safety
/// `arena` is the arena, mapped shared.
unsafe fn map_counters(arena: *mut u8) {
    // SAFETY: the counters are page-aligned, whole pages, and used for nothing else; a zero old length
    // makes mremap duplicate a shared mapping.
    unsafe {
        let header = &*(arena as *const Header);
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
