//! Appending events to the arena.
//!
//! Always holds: an event is published only when it is complete, payload included; when the region
//! is full the trace is marked as cut and later events are counted but not written.

use crate::state::state;
use crate::tls::tls;
use parallax_trace::format::*;

/// Append one event with its payload.
pub fn emit(event: RawEvent, payload: &[u8]) {
    let s = state();
    if !s.is_on() {
        return;
    }
    s.enter();
    s.spend();
    append(event, payload);
    s.leave();
}

fn append(event: RawEvent, payload: &[u8]) {
    let s = state();
    let bytes = EVENT_BYTES + padded(payload.len());
    let at = s.reserve_events(bytes);
    if at.is_null() {
        s.set_flag(FLAG_EVENTS_FULL);
        s.count_dropped_event();
        return;
    }
    // SAFETY: `bytes` bytes were reserved at `at`, which is 16-byte aligned.
    unsafe {
        *(at as *mut RawEvent) = event;
        let body = at.add(EVENT_BYTES);
        std::ptr::copy_nonoverlapping(payload.as_ptr(), body, payload.len());
        std::ptr::write_bytes(body.add(payload.len()), 0, padded(payload.len()) - payload.len());
    }
    s.publish_events(bytes);
}

/// A branch or guard on a condition: checked against the value the expression has.
pub fn condition(kind: u8, aux: u16, site: u32, label: u32, taken: bool) {
    if label == 0 || !state().is_on() {
        return;
    }
    if (crate::nodes::value(label) & 1 == 1) != taken {
        state().count_inconsistent();
        return;
    }
    emit(RawEvent { kind, flag: taken as u8, aux, x: site, y: label, z: tls().context }, &[]);
}

pub fn concrete(reason: u16, site: u32, label: u32) {
    if label != 0 {
        emit(
            RawEvent { kind: KIND_CONCRETE, flag: 0, aux: reason, x: site, y: label, z: tls().context },
            &[],
        );
    }
}

pub fn escape(name: &[u8], site: u32, label: u32) {
    emit(RawEvent { kind: KIND_ESCAPE, flag: 0, aux: 0, x: site, y: label, z: name.len() as u32 }, name);
}

pub fn note(note: u32) {
    emit(RawEvent { kind: KIND_NOTE, x: note, ..RawEvent::default() }, &[]);
}

pub fn end_of_input(input: u32, offset: u32) {
    emit(RawEvent { kind: KIND_END_OF_INPUT, x: input, y: offset, ..RawEvent::default() }, &[]);
}

pub fn input_read(input: u32, offset: u32, len: u32) {
    emit(RawEvent { kind: KIND_READ, x: input, y: offset, z: len, ..RawEvent::default() }, &[]);
}

/// Output of `bytes` with `labels` to a descriptor.
pub fn output(fd: i32, is_file: bool, bytes: &[u8], label_at: impl Fn(usize) -> u32) {
    let s = state();
    if !s.is_on() {
        return;
    }
    s.enter();
    append_output(fd, is_file, bytes, label_at);
    s.leave();
}

fn append_output(fd: i32, is_file: bool, bytes: &[u8], label_at: impl Fn(usize) -> u32) {
    let s = state();
    let total = EVENT_BYTES + padded(bytes.len() * 4);
    let at = s.reserve_events(total);
    if at.is_null() {
        s.set_flag(FLAG_EVENTS_FULL);
        s.count_dropped_event();
        return;
    }
    let event = RawEvent {
        kind: KIND_OUTPUT,
        flag: is_file as u8,
        aux: 0,
        x: fd as u32,
        y: bytes.len() as u32,
        z: 0,
    };
    // SAFETY: `total` bytes were reserved at `at`; words are 4-byte aligned there.
    unsafe {
        *(at as *mut RawEvent) = event;
        let words = at.add(EVENT_BYTES) as *mut u32;
        for (i, byte) in bytes.iter().enumerate() {
            let label = label_at(i);
            *words.add(i) = if label != 0 { OUTPUT_SYMBOLIC | label } else { *byte as u32 };
        }
        for i in bytes.len()..padded(bytes.len() * 4) / 4 {
            *words.add(i) = 0;
        }
    }
    s.publish_events(total);
}
