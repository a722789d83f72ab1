//! Counted work: what a run does is counted while it does it, and a run that has done as much as it may is ended.
//!
//! In: the header's limit, and calls from instrumented code when nothing is left. Out: `work_left` in the header, which instrumented code
//! counts down at every edge, and this library with everything that it records.
//!
//! Always holds: with the same limit the same input ends at the same edge, however busy the machine is. Where there is no arena (a program
//! started by hand) or no limit, no run is ended.

use parallax_trace::format::{Header, FLAG_STARTED, FLAG_WORK_DONE, HEADER_BYTES, UNLIMITED_WORK};
use std::cell::UnsafeCell;

/// The page that instrumented code counts in: the arena's header is mapped over it, so that what was counted survives the process.
#[repr(C, align(4096))]
pub struct Page(UnsafeCell<[u8; HEADER_BYTES]>);
// SAFETY: only used through raw pointers; the counter may lose counts of several threads, and nothing else is shared.
unsafe impl Sync for Page {}

#[no_mangle]
pub static __plx_header: Page = Page(UnsafeCell::new([0; HEADER_BYTES]));

/// The header that instrumented code sees.
pub fn header() -> *mut Header {
    __plx_header.0.get().cast()
}

/// `main` is entered: from here on work counts.
///
/// # Safety
/// The arena's header is mapped over the page, or nothing is.
#[cfg_attr(not(feature = "program"), allow(dead_code))]
pub unsafe fn begin() {
    // SAFETY: the page is as large as a header, which is plain data.
    unsafe {
        let limit = (*header()).work_limit;
        (*header()).work_left = if limit == 0 { UNLIMITED_WORK } else { limit.min(i64::MAX as u64) as i64 };
    }
}

/// Nothing is left: ends the run, or, where there is no limit, gives what is left now.
#[no_mangle]
pub extern "C" fn __plx_work_done() -> i64 {
    // SAFETY: as in `begin`.
    unsafe {
        let header = header();
        if (*header).work_limit == 0 || (*header).flags & FLAG_STARTED == 0 {
            (*header).work_left = UNLIMITED_WORK;
            return UNLIMITED_WORK;
        }
        (*header).flags |= FLAG_WORK_DONE;
    }
    leave()
}

#[cfg(all(feature = "program", not(test)))]
fn leave() -> ! {
    crate::state::state().stop();
    // Returns where the process runs one test case only.
    crate::stage::end(0);
    // SAFETY: ends the process; what it still holds in buffers belongs to a run that is not complete.
    unsafe { libc::_exit(0) }
}

#[cfg(not(all(feature = "program", not(test))))]
fn leave() -> ! {
    std::process::exit(0)
}
