//! Shadow memory: one label for each byte, in pages that exist only where a symbolic byte was.
//!
//! A flat table of page pointers lies at a fixed address, reserved without memory; instrumented code
//! reads it directly ("is there a shadow page?" is one load). Always holds: if one of the first
//! [`SPILL`] bytes of a page is symbolic, the page before it has a shadow page too, so that the
//! inline check of an access that straddles two pages may look at the first one only.

use crate::nodes;
use crate::state::state;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Address of the page table. Far from where Linux puts programs, heaps, stacks and libraries.
pub const TABLE: usize = 0x1000_0000_0000;
pub const PAGE_BITS: u32 = 12;
const PAGE: usize = 1 << PAGE_BITS;
const ADDRESS_BITS: u32 = 47;
/// Bytes of address space reserved for the table: one pointer for every page.
pub const TABLE_BYTES: usize = 8 << (ADDRESS_BITS - PAGE_BITS);
/// Bit table of heap block starts, one bit for 16 bytes (see `objects`).
pub const STARTS: usize = 0x2000_0000_0000;
pub const STARTS_BYTES: usize = 1 << (ADDRESS_BITS - 4 - 3);
/// Where the pages come from, one after another.
pub const PAGES: usize = 0x3000_0000_0000;
const PAGES_BYTES: usize = 1 << 40;
/// Largest scalar access.
const SPILL: usize = 16;

type Page = [u32; PAGE];

/// Reserve the tables. Called once, before any instrumented code runs.
pub fn reserve() -> bool {
    [(TABLE, TABLE_BYTES), (STARTS, STARTS_BYTES), (PAGES, PAGES_BYTES)].iter().all(|&(at, len)| {
        // SAFETY: a fresh anonymous mapping at a fixed place that replaces nothing.
        let got = unsafe {
            libc::mmap(
                at as *mut libc::c_void,
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        got as usize == at
    })
}

#[inline]
fn entry(page: usize) -> *mut *mut Page {
    // Addresses beyond user space cannot be accessed by the program; the mask keeps us in the table.
    let index = page & ((1 << (ADDRESS_BITS - PAGE_BITS)) - 1);
    (TABLE + index * 8) as *mut *mut Page
}

#[inline]
fn page_of(address: usize) -> *mut Page {
    // SAFETY: the table is mapped before any instrumented code runs.
    unsafe { *entry(address >> PAGE_BITS) }
}

/// How many pages are in use.
static USED: AtomicUsize = AtomicUsize::new(0);

fn page_or_new(address: usize) -> *mut Page {
    let at = entry(address >> PAGE_BITS);
    // SAFETY: table entries are valid pointers or null; an unused page is zeroed, i.e. all concrete.
    unsafe {
        if (*at).is_null() {
            let offset = USED.fetch_add(1, Ordering::Relaxed) * std::mem::size_of::<Page>();
            if offset >= PAGES_BYTES {
                return std::ptr::null_mut();
            }
            *at = (PAGES + offset) as *mut Page;
        }
        *at
    }
}

/// Label of one byte.
#[inline]
pub fn get(address: usize) -> u32 {
    let page = page_of(address);
    if page.is_null() {
        return 0;
    }
    // SAFETY: the index is below the page size.
    unsafe { (*page)[address & (PAGE - 1)] }
}

/// Set the label of one byte.
pub fn set(address: usize, label: u32) {
    let mut page = page_of(address);
    if page.is_null() {
        if label == 0 {
            return;
        }
        page = page_or_new(address);
        if page.is_null() {
            return;
        }
    }
    let offset = address & (PAGE - 1);
    if label != 0 && offset < SPILL && address >= PAGE {
        page_or_new(address - PAGE);
    }
    // SAFETY: the index is below the page size.
    unsafe { (*page)[offset] = label }
}

/// Is any of `len` bytes symbolic?
pub fn any(address: usize, len: usize) -> bool {
    first(address, len) != 0
}

/// The first label among `len` bytes, or 0.
pub fn first(address: usize, len: usize) -> u32 {
    let end = address.saturating_add(len);
    let mut at = address;
    while at < end {
        let page = page_of(at);
        let stop = end.min((at | (PAGE - 1)) + 1);
        if !page.is_null() {
            // SAFETY: `at..stop` lies within one page.
            let labels = unsafe { &(&*page)[at & (PAGE - 1)..][..stop - at] };
            if let Some(label) = labels.iter().find(|l| **l != 0) {
                return *label;
            }
        }
        at = stop;
    }
    0
}

/// Make `len` bytes concrete.
pub fn clear(address: usize, len: usize) {
    let end = address.saturating_add(len);
    let mut at = address;
    while at < end {
        let page = page_of(at);
        let stop = end.min((at | (PAGE - 1)) + 1);
        if !page.is_null() {
            // SAFETY: `at..stop` lies within one page.
            unsafe { (&mut *page)[at & (PAGE - 1)..][..stop - at].fill(0) }
        }
        at = stop;
    }
}

/// Copy the labels of `len` bytes; the ranges may overlap.
pub fn copy(to: usize, from: usize, len: usize) {
    if !any(from, len) {
        clear(to, len);
    } else if to <= from {
        (0..len).for_each(|i| set(to + i, get(from + i)));
    } else {
        (0..len).rev().for_each(|i| set(to + i, get(from + i)));
    }
}

/// The label of a byte that really holds `byte`; a label with another value is out of date,
/// because code without instrumentation wrote there, and is dropped.
pub fn checked(address: usize, byte: u8) -> u32 {
    let label = get(address);
    if label == 0 || nodes::value(label) as u8 == byte {
        return label;
    }
    set(address, 0);
    state().count_stale();
    0
}

/// The expression of the `len ≤ 8` bytes at `address`, which hold `value`; 0 if all are concrete.
pub fn load(address: usize, len: usize, value: u64) -> u32 {
    if !any(address, len) {
        return 0;
    }
    let mut labels = [0u32; 8];
    for (i, label) in labels[..len].iter_mut().enumerate() {
        *label = checked(address + i, (value >> (8 * i)) as u8);
    }
    if labels.iter().all(|l| *l == 0) {
        return 0;
    }
    let mut result = nodes::operand(labels[0], 8, value);
    for (i, label) in labels[..len].iter().enumerate().skip(1) {
        result = nodes::concat(nodes::operand(*label, 8, value >> (8 * i)), result);
    }
    result
}

/// Give the `len ≤ 8` bytes at `address` the bytes of expression `label`.
pub fn store(address: usize, len: usize, label: u32) {
    if label == 0 {
        return clear(address, len);
    }
    if len == 1 {
        return set(address, nodes::extend(parallax_trace::format::Op::ZExt, label, 8));
    }
    let full = nodes::extend(parallax_trace::format::Op::ZExt, label, (len * 8) as u8);
    for i in 0..len {
        set(address + i, nodes::extract(full, 8 * i as u32, 8));
    }
}
