//! The beginning of an instrumented program: shadow tables before any of its code runs, then `main`,
//! which serves runs if the engine asks for it or just runs the program.

use crate::state::state;
use crate::tls::{layout_agrees, tls};
use crate::{dependence, hooks, input, process, server, shadow};
use libc::{c_char, c_int};
use parallax_trace::format::{Header, FLAG_STARTED};

extern "C" {
    /// The program's own `main`, renamed by the instrumenter.
    fn __plx_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int;
    static mut __plx_counters: [u8; 0];
    static __plx_counters_len: u64;
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
    let Some(request) = server::serve() else {
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
                map_counters(arena);
            }
        }
        let v = input::prepare(request);
        dependence::given_strings(v.argv);
        dependence::given_strings(v.envp);
        environ = v.envp;
        program_invocation_name = *v.argv;
        program_invocation_short_name = after_last_slash(*v.argv);
        libc::atexit(process::finished);
        state().set_flag(FLAG_STARTED);
        let status = __plx_main(v.argc, v.argv, v.envp);
        let t = tls();
        let label = if t.ret != 0 { t.ret_label[0] } else { 0 };
        t.ret = 0;
        hooks::exit_status(status, label);
        status
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
