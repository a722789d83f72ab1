//! What the C models of libc functions may ask (see `libc/plx.h`).
//!
//! A hook is called like an instrumented function: labels of its arguments are in the thread-local
//! block. Always holds: every hook takes them, so none is left for the next callee.

use crate::state::state;
use crate::tls::{take_args, tls};
use crate::{events, nodes, shadow};
use parallax_trace::format::*;
use std::ffi::CStr;

fn tracing() -> bool {
    state().is_on() && tls().off == 0
}

/// A model goes on with the real function, which sees the bytes behind a pointer and not the label that the
/// pointer itself may have: that one is made concrete here. (Models that follow labelled pointers do not ask.)
fn pin_pointer(labels: Option<[u32; 8]>, argument: usize) {
    if let (Some(labels), true) = (labels, tracing()) {
        if labels[argument] != 0 {
            events::concrete(CONCRETE_LOAD_ADDRESS, u32::MAX, labels[argument]);
        }
    }
}

#[no_mangle]
pub extern "C" fn __plx_symbolic(p: usize, n: usize) -> i32 {
    pin_pointer(take_args(), 0);
    (tracing() && shadow::any(p, n)) as i32
}

#[no_mangle]
pub extern "C" fn __plx_symbolic_value(_value: u64) -> i32 {
    take_args().is_some_and(|l| l[0] != 0) as i32
}

#[no_mangle]
pub extern "C" fn __plx_copy_labels(to: usize, from: usize, n: usize) {
    pin_pointer(take_args(), 1);
    shadow::copy(to, from, n);
}

#[no_mangle]
pub extern "C" fn __plx_clear_labels(p: usize, n: usize) {
    take_args();
    shadow::clear(p, n);
}

#[no_mangle]
pub extern "C" fn __plx_concrete(value: u64) -> u64 {
    if let Some(labels) = take_args() {
        __plx_note_concrete(labels[0]);
    }
    value
}

fn __plx_note_concrete(label: u32) {
    if tracing() {
        events::concrete(CONCRETE_LIBC, u32::MAX, label);
    }
}

/// # Safety
/// `name` is a NUL-terminated string.
#[no_mangle]
pub unsafe extern "C" fn __plx_escape(name: *const libc::c_char, p: usize, n: usize) {
    take_args();
    if tracing() {
        let label = shadow::first(p, n);
        if label != 0 {
            // SAFETY: a string constant of the model.
            events::escape(unsafe { CStr::from_ptr(name) }.to_bytes(), u32::MAX, label);
        }
    }
}

/// # Safety
/// `name` is a NUL-terminated string.
#[no_mangle]
pub unsafe extern "C" fn __plx_escape_value(name: *const libc::c_char, _value: u64) {
    let labels = take_args();
    if let (Some(labels), true) = (labels, tracing()) {
        if labels[1] != 0 {
            // SAFETY: a string constant of the model.
            events::escape(unsafe { CStr::from_ptr(name) }.to_bytes(), u32::MAX, labels[1]);
        }
    }
}

/// # Safety
/// `p` points to `n` readable bytes.
#[no_mangle]
pub unsafe extern "C" fn __plx_output(fd: i32, p: usize, n: usize) {
    pin_pointer(take_args(), 1);
    if tracing() && n > 0 {
        crate::input::written(fd);
        // SAFETY: see above.
        let bytes = unsafe { std::slice::from_raw_parts(p as *const u8, n) };
        events::output(fd, fd > 2, bytes, |i| shadow::checked(p + i, bytes[i]));
    }
}

/// Longest token kept of a comparison.
const MAX_TOKEN: usize = 64;

/// # Safety
/// `a` and `b` point to `n` readable bytes each.
#[no_mangle]
pub unsafe extern "C" fn __plx_compared(a: usize, b: usize, n: usize) {
    take_args();
    let n = n.min(MAX_TOKEN);
    if !tracing() || n == 0 {
        return;
    }
    let (la, lb) = (shadow::first(a, n), shadow::first(b, n));
    let (label, other) = match (la, lb) {
        (0, 0) => return,
        (l, 0) => (l, b),
        (0, l) => (l, a),
        _ => return,
    };
    // SAFETY: see above.
    let token = unsafe { std::slice::from_raw_parts(other as *const u8, n) };
    events::emit(RawEvent { kind: KIND_COMPARE, x: label, z: n as u32, ..RawEvent::default() }, token);
}

/// `struct option` of getopt.h.
#[repr(C)]
pub struct LongOption {
    name: *const libc::c_char,
    has_arg: i32,
    flag: *mut i32,
    val: i32,
}

/// # Safety
/// `shorts` is a string or null, `longs` a table ended by an entry without name, or null.
#[no_mangle]
pub unsafe extern "C" fn __plx_options(style: i32, shorts: *const libc::c_char, longs: *const LongOption) {
    take_args();
    if !tracing() {
        return;
    }
    let mut text = Vec::new();
    // SAFETY: see above.
    unsafe {
        if !shorts.is_null() {
            text.extend_from_slice(CStr::from_ptr(shorts).to_bytes());
        }
        let mut at = longs;
        while !at.is_null() && !(*at).name.is_null() {
            text.push(b'\n');
            text.extend_from_slice(CStr::from_ptr((*at).name).to_bytes());
            text.extend_from_slice(format!("\t{}\t{}", (*at).has_arg, (*at).val).as_bytes());
            at = at.add(1);
        }
    }
    let event = RawEvent { kind: KIND_OPTIONS, x: style as u32, z: text.len() as u32, ..RawEvent::default() };
    events::emit(event, &text);
}

/// The exit status: one byte of output, with its label.
pub fn exit_status(status: i32, label: u32) {
    if tracing() {
        let byte = [status as u8];
        let label = if label == 0 { 0 } else { nodes::extract(label, 0, 8) };
        events::output(OUTPUT_EXIT as i32, false, &byte, |_| label);
    }
}
