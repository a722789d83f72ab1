//! The functions behind what instrumented code calls (`stubs.c` answers the common "nothing symbolic here"
//! itself). Signatures are repeated there and in the instrumenter's `abi.rs`. Values come as zero-extended 64-bit integers; labels of 0 mean concrete.
//!
//! Always holds: with tracing off (another thread, a forked child, no arena) every function answers
//! "concrete" and changes nothing but shadow labels to 0.

use crate::objects;
use crate::state::state;
use crate::tls::{tls, MAX_VA_OVERFLOW};
use crate::{events, nodes, shadow};
use parallax_trace::format::*;

#[inline]
fn tracing() -> bool {
    state().is_on() && tls().off == 0
}

pub(crate) fn op(number: u32) -> Op {
    // The instrumenter only emits valid numbers; a wrong one must not become a wrong expression.
    Op::from_u8(number as u8).unwrap_or_else(|| std::process::abort())
}

/// Arithmetic or comparison. `what`: operator in the low byte, operand width in the next.
#[no_mangle]
pub extern "C" fn __plx_rt_binary(what: u32, la: u32, lb: u32, a: u64, b: u64, site: u32) -> u32 {
    if !tracing() {
        return 0;
    }
    let (op, w) = (op(what), (what >> 8) as u8);
    let (la, lb_was) = (nodes::operand(la, w, a), lb);
    let lb = nodes::operand(lb, w, b);
    match op {
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem if lb_was != 0 => {
            let ok = nodes::binary(Op::Ne, w, lb, nodes::constant(w, 0));
            events::condition(KIND_GUARD, GUARD_DIVISOR, site, ok, true);
        }
        Op::Shl | Op::LShr | Op::AShr if b >= w as u64 => {
            // Undefined in C; what the machine did is not what the expression says.
            events::concrete(CONCRETE_INTRINSIC, site, if lb_was != 0 { lb } else { la });
            return 0;
        }
        Op::Shl | Op::LShr | Op::AShr if lb_was != 0 => {
            let ok = nodes::binary(Op::Ult, w, lb, nodes::constant(w, w as u64));
            events::condition(KIND_GUARD, GUARD_SHIFT, site, ok, true);
        }
        _ => {}
    }
    nodes::binary(op, w, la, lb)
}

/// Extension or truncation. `what`: operator, then the width of the result.
#[no_mangle]
pub extern "C" fn __plx_rt_cast(what: u32, label: u32) -> u32 {
    if !tracing() {
        return 0;
    }
    let w = (what >> 8) as u8;
    match op(what) {
        Op::Extract => nodes::extract(label, 0, w),
        op => nodes::extend(op, label, w),
    }
}

/// `condition ? a : b` with a symbolic condition.
#[no_mangle]
pub extern "C" fn __plx_rt_select(w: u32, lc: u32, la: u32, lb: u32, a: u64, b: u64) -> u32 {
    if !tracing() {
        return 0;
    }
    let w = w as u8;
    nodes::ite(lc, nodes::operand(la, w, a), nodes::operand(lb, w, b))
}

/// Address arithmetic: label of `base + index * scale`, `index` sign-extended from `w` bits.
#[no_mangle]
pub extern "C" fn __plx_rt_offset(lbase: u32, base: u64, lindex: u32, index: u64, scale: u64) -> u32 {
    if !tracing() {
        return 0;
    }
    if lindex == 0 {
        let offset = index.wrapping_mul(scale);
        return nodes::binary(Op::Add, 64, lbase, nodes::constant(64, offset));
    }
    let wide = nodes::extend(Op::SExt, lindex, 64);
    let scaled = nodes::binary(Op::Mul, 64, wide, nodes::constant(64, scale));
    if scaled == 0 {
        return lbase;
    }
    nodes::binary(Op::Add, 64, scaled, nodes::operand(lbase, 64, base))
}

/// Is any of the bytes symbolic? (The fast copy's second look, after the page table.)
#[no_mangle]
pub extern "C" fn __plx_rt_probe(address: usize, len: u64) -> u32 {
    (tls().off == 0 && shadow::any(address, len as usize)) as u32
}

/// Label of a loaded value of `w` bits.
#[no_mangle]
pub extern "C" fn __plx_rt_load(address: usize, laddress: u32, w: u32, value: u64, site: u32) -> u32 {
    if !tracing() {
        return 0;
    }
    let len = w.div_ceil(8) as usize;
    let label = if laddress != 0 {
        objects::symbolic_load(address, laddress, len, value, site)
    } else {
        shadow::load(address, len, value)
    };
    if label != 0 && nodes::width(label) as u32 != w {
        return nodes::extract(label, 0, w as u8);
    }
    label
}

/// A load whose value cannot carry a label (floating point, vectors, wide integers, aggregates).
#[no_mangle]
pub extern "C" fn __plx_rt_load_opaque(address: usize, laddress: u32, len: u64, reason: u32, site: u32) {
    if !tracing() {
        return;
    }
    events::concrete(CONCRETE_LOAD_ADDRESS, site, laddress);
    let mut last = 0;
    for i in 0..len as usize {
        // SAFETY: the program has just read these bytes.
        let label = shadow::checked(address + i, unsafe { *((address + i) as *const u8) });
        let origin = if label == 0 { 0 } else { whole(label) };
        if origin != last {
            events::concrete(reason as u16, site, origin);
        }
        last = origin;
    }
}

/// The value a byte is a piece of.
fn whole(label: u32) -> u32 {
    let n = state().node(label);
    if n.op == Op::Extract as u8 {
        n.a
    } else {
        label
    }
}

/// A store of `len` bytes with this label.
#[no_mangle]
pub extern "C" fn __plx_rt_store(address: usize, laddress: u32, len: u64, label: u32, site: u32) {
    if !tracing() {
        return shadow::clear(address, len as usize);
    }
    events::concrete(CONCRETE_STORE_ADDRESS, site, laddress);
    if len <= 8 {
        shadow::store(address, len as usize, label);
    } else {
        shadow::clear(address, len as usize);
    }
}

/// Bytes become concrete (a store in the fast copy, a new stack object).
#[no_mangle]
pub extern "C" fn __plx_rt_clear(address: usize, len: u64) {
    shadow::clear(address, len as usize);
}

/// A symbolic value is used where only a concrete one will do.
#[no_mangle]
pub extern "C" fn __plx_rt_concretise(reason: u32, label: u32, site: u32) {
    if tracing() {
        events::concrete(reason as u16, site, label);
    }
}

/// A conditional branch.
#[no_mangle]
pub extern "C" fn __plx_rt_branch(site: u32, label: u32, taken: u32) {
    if tracing() {
        events::condition(KIND_BRANCH, 0, site, label, taken != 0);
    }
}

/// A switch; `case`: index of the case taken, `u32::MAX` for the default.
#[no_mangle]
pub extern "C" fn __plx_rt_switch(site: u32, label: u32, case: u32, value: u64) {
    if !tracing() {
        return;
    }
    if nodes::value(label) != value {
        return state().count_inconsistent();
    }
    let event = RawEvent { kind: KIND_SWITCH, flag: 0, aux: 0, x: site, y: label, z: tls().context };
    events::emit(event, &case.to_le_bytes());
}

/// A watched instruction has executed.
#[no_mangle]
pub extern "C" fn __plx_rt_watch(site: u32, label: u32, value: u64) {
    if tracing() {
        let event = RawEvent { kind: KIND_WATCH, flag: 0, aux: 0, x: site, y: label, z: tls().context };
        events::emit(event, &value.to_le_bytes());
    }
}

/// An argument of a call of code without instrumentation.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[no_mangle]
pub unsafe extern "C" fn __plx_rt_escape_argument(name: *const libc::c_char, label: u32, site: u32) {
    if tracing() && label != 0 {
        // SAFETY: emitted by the instrumenter as a string constant.
        events::escape(unsafe { std::ffi::CStr::from_ptr(name) }.to_bytes(), site, label);
    }
}

/// How far behind a pointer argument symbolic bytes count as handed over.
const POINTEE_BYTES: usize = 16;

/// A pointer argument of such a call: what it points to may be symbolic.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[no_mangle]
pub unsafe extern "C" fn __plx_rt_escape_pointee(name: *const libc::c_char, address: usize, site: u32) {
    if !tracing() {
        return;
    }
    let label = shadow::first(address, POINTEE_BYTES);
    if label != 0 {
        // SAFETY: as above.
        events::escape(unsafe { std::ffi::CStr::from_ptr(name) }.to_bytes(), site, label);
    }
}

#[repr(C)]
pub struct VaList {
    gp_offset: u32,
    fp_offset: u32,
    overflow: usize,
    save: usize,
}

/// What a variadic function keeps of its call: labels, how many stack slots the call has, where they are.
#[repr(C)]
pub struct VaLabels {
    gp: [u32; 6],
    fp: [u32; 8],
    overflow: [u32; MAX_VA_OVERFLOW],
    slots: u32,
    pad: u32,
    address: usize,
}

/// `va_start` has filled in `list`; `labels`: what [`__plx_rt_va_enter`] kept.
///
/// # Safety
/// Called by instrumented code only, with a live list and label block.
#[no_mangle]
pub unsafe extern "C" fn __plx_rt_va_start(list: *const VaList, labels: *mut VaLabels) {
    // SAFETY: see above.
    let (list, labels) = unsafe { (&*list, &mut *labels) };
    for slot in list.gp_offset as usize / 8..6 {
        store_slot(list.save + 8 * slot, labels.gp[slot]);
    }
    for slot in (list.fp_offset.saturating_sub(48) as usize / 16)..8 {
        shadow::clear(list.save + 48 + 16 * slot, 16);
        store_slot(list.save + 48 + 16 * slot, labels.fp[slot]);
    }
    labels.address = list.overflow;
    for i in 0..labels.slots as usize {
        store_slot(list.overflow + 8 * i, labels.overflow[i]);
    }
}

/// The end of a variadic function: its stack slots belong to the caller again, who fills them without telling.
///
/// # Safety
/// As for [`__plx_rt_va_start`].
#[no_mangle]
pub unsafe extern "C" fn __plx_rt_va_end(labels: *mut VaLabels) {
    // SAFETY: see above.
    let labels = unsafe { &mut *labels };
    if labels.address != 0 {
        shadow::clear(labels.address, 8 * labels.slots as usize);
    }
}

fn store_slot(address: usize, label: u32) {
    shadow::clear(address, 8);
    if label != 0 {
        shadow::store(address, nodes::width(label).div_ceil(8) as usize, label);
    }
}

/// Entry of a variadic function: keep the labels of this call in the function's own frame.
///
/// # Safety
/// `labels` is a block in the frame of the calling instrumented function.
#[no_mangle]
pub unsafe extern "C" fn __plx_rt_va_enter(labels: *mut VaLabels) {
    let t = tls();
    // SAFETY: see above; all-zero is a valid block.
    let labels = unsafe {
        labels.write_bytes(0, 1);
        &mut *labels
    };
    if t.va != 0 {
        labels.gp = t.va_gp;
        labels.fp = t.va_fp;
        labels.overflow = t.va_overflow;
        labels.slots = t.va - 1;
        t.va = 0;
    }
}

/// A struct passed by value has been copied to `to` by the call.
#[no_mangle]
pub extern "C" fn __plx_rt_byval(to: usize, len: u64, slot: u32) {
    let from = std::mem::take(&mut tls().byval[slot as usize]) as usize;
    if from == 0 {
        shadow::clear(to, len as usize);
    } else {
        shadow::copy(to, from, len as usize);
    }
}

/// memcpy or memmove by instrumented code: the labels' part.
#[no_mangle]
pub extern "C" fn __plx_rt_copy(to: usize, from: usize, len: u64) {
    shadow::copy(to, from, len as usize);
}

/// memset by instrumented code: the labels' part.
#[no_mangle]
pub extern "C" fn __plx_rt_fill(to: usize, label: u32, len: u64) {
    let label = if label == 0 || !tracing() { 0 } else { nodes::extract(label, 0, 8) };
    if label == 0 {
        return shadow::clear(to, len as usize);
    }
    (0..len as usize).for_each(|i| shadow::set(to + i, label));
}

/// Label of argument leaf `index`, which the callee takes to be `w` bits wide: caller and callee may
/// disagree about the type in old-style C, and then the label is dropped.
#[no_mangle]
pub extern "C" fn __plx_rt_argument(index: u32, w: u32) -> u32 {
    let t = tls();
    let label = if index < t.args { t.arg_label[index as usize] } else { 0 };
    of_width(label, w)
}

/// Likewise for a result.
#[no_mangle]
pub extern "C" fn __plx_rt_result(index: u32, w: u32) -> u32 {
    let t = tls();
    let label = if index < t.ret { t.ret_label[index as usize] } else { 0 };
    of_width(label, w)
}

fn of_width(label: u32, w: u32) -> u32 {
    if label == 0 || !tracing() {
        return 0;
    }
    if nodes::width(label) as u32 != w {
        events::concrete(CONCRETE_OPAQUE, u32::MAX, label);
        return 0;
    }
    label
}
