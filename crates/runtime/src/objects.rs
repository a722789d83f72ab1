//! Which object does an address lie in? And: reads through a symbolic address.
//!
//! Objects of known extent are the program's globals (the instrumenter emits a table), the
//! character-class tables of libc, arrays on the stack, and heap blocks (their starts are marked in a
//! bit table by the allocation wrappers). A read through a symbolic address inside such an object becomes a read
//! of a snapshot, with a guard that the address stays inside; anything else is made concrete and
//! the trace says so.

use crate::shadow::{self, STARTS};
use crate::state::state;
use crate::{events, nodes};
use parallax_trace::format::*;

/// Objects larger than this are not snapshotted: the address is made concrete instead.
pub const MAX_TABLE: usize = 4096;

/// As emitted by the instrumenter.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GlobalObject {
    pub start: usize,
    pub len: usize,
}

extern "C" {
    static __plx_globals: [GlobalObject; 0];
    static __plx_globals_len: u64;
    fn __ctype_b_loc() -> *const *const u16;
    fn __ctype_tolower_loc() -> *const *const i32;
    fn __ctype_toupper_loc() -> *const *const i32;
}

/// Mark or unmark the start of a heap block.
pub fn mark_start(address: usize, live: bool) {
    if address == 0 || address >> 47 != 0 {
        return;
    }
    let byte = (STARTS + (address >> 7)) as *mut u8;
    let bit = 1u8 << ((address >> 4) & 7);
    // SAFETY: the bit table covers all of user space.
    unsafe {
        if live {
            *byte |= bit
        } else {
            *byte &= !bit
        }
    }
}

fn is_start(address: usize) -> bool {
    // SAFETY: as above.
    unsafe { *((STARTS + (address >> 7)) as *const u8) >> ((address >> 4) & 7) & 1 == 1 }
}

fn heap_object(address: usize) -> Option<(usize, usize)> {
    if address >> 47 != 0 {
        return None;
    }
    let mut start = address & !15;
    for _ in 0..=MAX_TABLE / 16 {
        if is_start(start) {
            // SAFETY: the bit is set only between allocation and release of a block at `start`.
            let len = unsafe { libc::malloc_usable_size(start as *mut libc::c_void) };
            return (address < start + len).then_some((start, len));
        }
        start = start.checked_sub(16)?;
    }
    None
}

fn global_object(address: usize) -> Option<(usize, usize)> {
    // SAFETY: the instrumenter defines both symbols consistently.
    let globals = unsafe {
        std::slice::from_raw_parts(
            std::ptr::addr_of!(__plx_globals) as *const GlobalObject,
            __plx_globals_len as usize,
        )
    };
    // The linker decides the order, so the table is not sorted; symbolic addresses are rare enough.
    globals.iter().find(|g| address >= g.start && address < g.start + g.len).map(|g| (g.start, g.len))
}

/// Entries of [`__plx_stack_objects`], a power of two.
const STACK_OBJECTS: usize = 1024;

/// Arrays on the stack, each in the bucket of its address, written by instrumented code at function entry.
/// An entry may be out of date; then the extent is wrong, which does no harm: the snapshot is of what is
/// in memory, and the guard keeps the index inside it.
#[no_mangle]
pub static mut __plx_stack_objects: [GlobalObject; STACK_OBJECTS] =
    [GlobalObject { start: 0, len: 0 }; STACK_OBJECTS];

fn stack_object(address: usize) -> Option<(usize, usize)> {
    let mark = 0u8;
    // Everything above this frame is readable stack, everything below is not in use.
    if address < std::ptr::addr_of!(mark) as usize {
        return None;
    }
    (0..=MAX_TABLE / 16).find_map(|back| {
        let bucket = ((address >> 4).wrapping_sub(back)) & (STACK_OBJECTS - 1);
        // SAFETY: the bucket is below the length; a plain copy.
        let o = unsafe { __plx_stack_objects[bucket] };
        (o.start <= address && address < o.start + o.len).then_some((o.start, o.len))
    })
}

fn ctype_object(address: usize) -> Option<(usize, usize)> {
    // SAFETY: libc's tables, valid for indices -128 to 255.
    let tables = unsafe {
        [
            (*__ctype_b_loc() as usize, 2),
            (*__ctype_tolower_loc() as usize, 4),
            (*__ctype_toupper_loc() as usize, 4),
        ]
    };
    let found =
        tables.iter().find(|(base, unit)| address >= base - 128 * unit && address < base + 256 * unit)?;
    Some((found.0 - 128 * found.1, 384 * found.1))
}

fn object(address: usize) -> Option<(usize, usize)> {
    ctype_object(address)
        .or_else(|| global_object(address))
        .or_else(|| stack_object(address))
        .or_else(|| heap_object(address))
}

/// Copy an object into the tables region; its offset there, or `None` if the region is full.
fn snapshot(start: usize, len: usize) -> Option<u32> {
    let s = state();
    let symbolic = shadow::any(start, len);
    let head = std::mem::size_of::<TableHeader>();
    let content = (len + 3) & !3;
    let bytes = (head + content + if symbolic { len * 4 } else { 0 } + 7) & !7;
    if let Some(old) = s.find_table(start, len, symbolic) {
        return Some(old);
    }
    if s.tables_len.get() + bytes > s.tables_capacity.get() {
        s.set_flag(FLAG_TABLES_FULL);
        return None;
    }
    let offset = s.tables_len.get();
    // SAFETY: `bytes` bytes are free at `offset`; the object is readable memory of the program.
    unsafe {
        let at = s.tables.get().add(offset);
        std::ptr::write_bytes(at, 0, bytes);
        *(at as *mut TableHeader) =
            TableHeader { len: len as u32, symbolic: symbolic as u32, address: start as u64 };
        std::ptr::copy_nonoverlapping(start as *const u8, at.add(head), len);
        if symbolic {
            let labels = at.add(head + content) as *mut u32;
            for i in 0..len {
                *labels.add(i) = shadow::checked(start + i, *((start + i) as *const u8));
            }
        }
        s.tables_len.set(offset + bytes);
        (*s.header.get()).tables_len = s.tables_len.get() as u64;
    }
    if let Ok(mut last) = s.last_tables.try_borrow_mut() {
        last.insert(0, offset as u32);
        last.truncate(REMEMBERED_TABLES);
    }
    Some(offset as u32)
}

/// How many snapshots are looked at for reuse.
const REMEMBERED_TABLES: usize = 8;

impl crate::state::State {
    /// A recent snapshot of the same object with the same content.
    fn find_table(&self, start: usize, len: usize, symbolic: bool) -> Option<u32> {
        if symbolic {
            return None;
        }
        self.last_tables.try_borrow().ok()?.iter().copied().find(|&offset| {
            // SAFETY: offsets in `last_tables` are tables written by `snapshot`.
            unsafe {
                let at = self.tables.get().add(offset as usize);
                let h = &*(at as *const TableHeader);
                let content =
                    std::slice::from_raw_parts(at.add(std::mem::size_of::<TableHeader>()), h.len as usize);
                h.address == start as u64
                    && h.len as usize == len
                    && h.symbolic == 0
                    && content == std::slice::from_raw_parts(start as *const u8, len)
            }
        })
    }
}

/// A load of `len` bytes holding `value` through the symbolic address `address_label`.
pub fn symbolic_load(address: usize, address_label: u32, len: usize, value: u64, site: u32) -> u32 {
    let found = object(address).filter(|(start, size)| *size <= MAX_TABLE && address + len <= start + size);
    let Some((start, size)) = found else {
        events::concrete(CONCRETE_LOAD_ADDRESS, site, address_label);
        return shadow::load(address, len, value);
    };
    state().enter();
    let table = snapshot(start, size);
    state().leave();
    let Some(table) = table else {
        events::concrete(CONCRETE_LOAD_ADDRESS, site, address_label);
        return shadow::load(address, len, value);
    };
    let index = nodes::binary(Op::Sub, 64, address_label, nodes::constant(64, start as u64));
    let last = nodes::constant(64, (size - len) as u64);
    if index != 0 && !crate::range::decided(Op::Ule, 64, index, last) {
        let inside = nodes::binary(Op::Ule, 64, index, last);
        events::condition(KIND_GUARD, GUARD_INDEX, site, inside, true);
    }
    nodes::read(table, index, (len * 8) as u8, value & mask((len * 8) as u8))
}
