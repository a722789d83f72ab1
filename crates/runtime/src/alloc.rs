//! Allocation and block copies as the program calls them: the real functions, with labels kept right.
//!
//! Always holds: a block handed out carries no labels (but `realloc` keeps those of the kept part), and
//! its start is marked in the bit table until it is freed.

use crate::objects::mark_start;
use crate::state::state;
use crate::tls::{take_args, tls};
use crate::{events, nodes, shadow};
use libc::{c_int, c_void, size_t};
use parallax_trace::format::CONCRETE_SIZE;

/// The size argument (number `index`) has to be concrete.
fn concrete_size(index: usize) -> Option<[u32; 8]> {
    let labels = take_args()?;
    if state().is_on() && tls().off == 0 {
        events::concrete(CONCRETE_SIZE, u32::MAX, labels[index]);
    }
    Some(labels)
}

fn fresh(p: *mut c_void) -> *mut c_void {
    if !p.is_null() {
        mark_start(p as usize, true);
        // SAFETY: a live block of malloc.
        shadow::clear(p as usize, unsafe { libc::malloc_usable_size(p) });
    }
    p
}

/// # Safety
/// As malloc.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_malloc(n: size_t) -> *mut c_void {
    concrete_size(0);
    // SAFETY: forwarded.
    fresh(unsafe { libc::malloc(n) })
}

/// # Safety
/// As calloc.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_calloc(n: size_t, size: size_t) -> *mut c_void {
    if let Some(labels) = concrete_size(0) {
        if state().is_on() && tls().off == 0 {
            events::concrete(CONCRETE_SIZE, u32::MAX, labels[1]);
        }
    }
    // SAFETY: forwarded.
    fresh(unsafe { libc::calloc(n, size) })
}

/// # Safety
/// As realloc.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_realloc(p: *mut c_void, n: size_t) -> *mut c_void {
    concrete_size(1);
    if p.is_null() {
        // SAFETY: forwarded.
        return fresh(unsafe { libc::malloc(n) });
    }
    // SAFETY: forwarded; the old block is live until realloc succeeds.
    unsafe {
        let old = libc::malloc_usable_size(p);
        let symbolic = shadow::any(p as usize, old);
        let labels: Vec<u32> = match symbolic {
            true => (0..old).map(|i| shadow::get(p as usize + i)).collect(),
            false => Vec::new(),
        };
        mark_start(p as usize, false);
        let new = libc::realloc(p, n);
        if new.is_null() {
            mark_start(p as usize, n != 0);
            return new;
        }
        shadow::clear(p as usize, old);
        fresh(new);
        for (i, label) in labels.iter().take(n).enumerate() {
            shadow::set(new as usize + i, *label);
        }
        new
    }
}

/// # Safety
/// As reallocarray.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_reallocarray(p: *mut c_void, n: size_t, size: size_t) -> *mut c_void {
    if let Some(labels) = concrete_size(1) {
        if state().is_on() && tls().off == 0 {
            events::concrete(CONCRETE_SIZE, u32::MAX, labels[2]);
        }
    }
    match n.checked_mul(size) {
        // SAFETY: forwarded.
        Some(total) => unsafe { __plx_libc_realloc(p, total) },
        None => {
            // SAFETY: errno is always there.
            unsafe { *libc::__errno_location() = libc::ENOMEM };
            std::ptr::null_mut()
        }
    }
}

/// # Safety
/// As free.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_free(p: *mut c_void) {
    take_args();
    if !p.is_null() {
        mark_start(p as usize, false);
    }
    // SAFETY: forwarded.
    unsafe { libc::free(p) }
}

/// # Safety
/// As posix_memalign.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_posix_memalign(out: *mut *mut c_void, align: size_t, n: size_t) -> c_int {
    concrete_size(2);
    // SAFETY: forwarded.
    let r = unsafe { libc::posix_memalign(out, align, n) };
    if r == 0 {
        shadow::clear(out as usize, 8);
        // SAFETY: filled in by posix_memalign.
        fresh(unsafe { *out });
    }
    r
}

/// # Safety
/// As aligned_alloc.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_aligned_alloc(align: size_t, n: size_t) -> *mut c_void {
    concrete_size(1);
    // SAFETY: forwarded.
    fresh(unsafe { libc::aligned_alloc(align, n) })
}

/// # Safety
/// As memalign.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_memalign(align: size_t, n: size_t) -> *mut c_void {
    concrete_size(1);
    // SAFETY: forwarded.
    fresh(unsafe { libc::memalign(align, n) })
}

/// # Safety
/// As memmove; memcpy shares it.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_memmove(to: *mut c_void, from: *const c_void, n: size_t) -> *mut c_void {
    concrete_size(2);
    shadow::copy(to as usize, from as usize, n);
    // SAFETY: forwarded.
    unsafe { libc::memmove(to, from, n) }
}

/// # Safety
/// As memcpy.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_memcpy(to: *mut c_void, from: *const c_void, n: size_t) -> *mut c_void {
    // SAFETY: forwarded.
    unsafe { __plx_libc_memmove(to, from, n) }
}

/// # Safety
/// As __memcpy_chk.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc___memcpy_chk(
    to: *mut c_void,
    from: *const c_void,
    n: size_t,
    _room: size_t,
) -> *mut c_void {
    // SAFETY: forwarded.
    unsafe { __plx_libc_memmove(to, from, n) }
}

/// # Safety
/// As __memmove_chk.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc___memmove_chk(
    to: *mut c_void,
    from: *const c_void,
    n: size_t,
    _room: size_t,
) -> *mut c_void {
    // SAFETY: forwarded.
    unsafe { __plx_libc_memmove(to, from, n) }
}

/// # Safety
/// As mempcpy.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_mempcpy(to: *mut c_void, from: *const c_void, n: size_t) -> *mut c_void {
    // SAFETY: forwarded.
    unsafe { __plx_libc_memmove(to, from, n).add(n) }
}

/// # Safety
/// As bcopy.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_bcopy(from: *const c_void, to: *mut c_void, n: size_t) {
    // SAFETY: forwarded.
    unsafe { __plx_libc_memmove(to, from, n) };
}

/// # Safety
/// As memset.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_memset(to: *mut c_void, byte: c_int, n: size_t) -> *mut c_void {
    let label = concrete_size(2).map_or(0, |l| l[1]);
    if label != 0 && state().is_on() && tls().off == 0 {
        let label = nodes::extract(label, 0, 8);
        (0..n).for_each(|i| shadow::set(to as usize + i, label));
    } else {
        shadow::clear(to as usize, n);
    }
    // SAFETY: forwarded.
    unsafe { libc::memset(to, byte, n) }
}

/// # Safety
/// As __memset_chk.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc___memset_chk(
    to: *mut c_void,
    byte: c_int,
    n: size_t,
    _room: size_t,
) -> *mut c_void {
    // SAFETY: forwarded.
    unsafe { __plx_libc_memset(to, byte, n) }
}

/// # Safety
/// As bzero.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_bzero(to: *mut c_void, n: size_t) {
    concrete_size(1);
    shadow::clear(to as usize, n);
    // SAFETY: forwarded.
    unsafe { libc::memset(to, 0, n) };
}

/// # Safety
/// As explicit_bzero.
#[no_mangle]
pub unsafe extern "C" fn __plx_libc_explicit_bzero(to: *mut c_void, n: size_t) {
    // SAFETY: forwarded.
    unsafe { __plx_libc_bzero(to, n) };
}
