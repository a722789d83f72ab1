//! The one global state of a run: where the arena is and what has been appended to it.
//!
//! In: the arena mapped by the fork server (or nothing, when the program is started by hand).
//! Out: append-only nodes, events and tables. Always holds: only the thread that entered `main`
//! appends (other threads have `tls.off` set), so nothing here is locked; counters are
//! published after the bytes they count.

use parallax_trace::format::{Header, Node, EVENT_BYTES};
use std::cell::UnsafeCell;

/// Everything the runtime knows during a run.
pub struct State {
    pub header: *mut Header,
    pub nodes: *mut Node,
    pub nodes_len: u32,
    pub nodes_capacity: u32,
    pub events: *mut u8,
    pub events_len: usize,
    pub events_capacity: usize,
    pub tables: *mut u8,
    pub tables_len: usize,
    pub tables_capacity: usize,
    /// Hash table of node numbers, 0 for free; a power of two, at most half full.
    pub buckets: Vec<u32>,
    /// Offsets of the newest table snapshots, for reuse.
    pub last_tables: Vec<u32>,
    /// Bounds of the first nodes, as far as anybody asked (see `range`).
    pub bounds: Vec<crate::range::Bounds>,
    /// How many changes of nodes, events or tables are under way (see `process`).
    pub busy: u32,
    /// False: nothing is recorded (no arena, a forked child, or before `main`).
    pub on: bool,
}

struct Global(UnsafeCell<State>);
// SAFETY: see the module documentation: one thread uses the state.
unsafe impl Sync for Global {}

static STATE: Global = Global(UnsafeCell::new(State::empty()));

/// One test at a time: the state is the process's.
#[cfg(test)]
pub static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// The state, for the traced thread.
#[inline]
#[allow(clippy::mut_from_ref)]
pub fn state() -> &'static mut State {
    // SAFETY: single-threaded by construction (other threads return before they get here, `off`);
    // signal handlers run on the same thread and only append.
    unsafe { &mut *STATE.0.get() }
}

impl State {
    /// Nothing recorded, nothing to record into.
    pub const fn empty() -> State {
        State {
            header: std::ptr::null_mut(),
            nodes: std::ptr::null_mut(),
            nodes_len: 1,
            nodes_capacity: 0,
            events: std::ptr::null_mut(),
            events_len: 0,
            events_capacity: 0,
            tables: std::ptr::null_mut(),
            tables_len: 0,
            tables_capacity: 0,
            buckets: Vec::new(),
            last_tables: Vec::new(),
            bounds: Vec::new(),
            busy: 0,
            on: false,
        }
    }

    /// Start recording into the arena at `base`.
    ///
    /// # Safety
    /// `base` is a mapped arena whose header describes it truly, and stays mapped.
    pub unsafe fn attach(&mut self, base: *mut u8) {
        // SAFETY: the caller promises a valid header and regions.
        unsafe {
            let header = base as *mut Header;
            self.header = header;
            self.nodes = base.add((*header).nodes_offset as usize) as *mut Node;
            self.nodes_capacity = (*header).nodes_capacity.min(1 << 31) as u32;
            self.events = base.add((*header).events_offset as usize);
            self.events_capacity = (*header).events_capacity as usize;
            self.tables = base.add((*header).tables_offset as usize);
            self.tables_capacity = (*header).tables_capacity as usize;
            (*header).nodes_len = 1;
        }
        self.buckets = vec![0; 1 << 10];
        self.on = self.nodes_capacity > 1;
    }

    /// A change begins that a signal handler must not see half done.
    pub fn enter(&mut self) {
        self.busy += 1;
    }

    /// It is done: signals that came in between are delivered.
    pub fn leave(&mut self) {
        self.busy -= 1;
        if self.busy == 0 {
            crate::process::deliver_postponed();
        }
    }

    pub fn set_flag(&mut self, flag: u32) {
        if !self.header.is_null() {
            // SAFETY: attached.
            unsafe { (*self.header).flags |= flag }
        }
    }

    pub fn count_inconsistent(&mut self) {
        // SAFETY: only reached while recording, so attached.
        unsafe { (*self.header).inconsistent += 1 }
    }

    pub fn count_stale(&mut self) {
        // SAFETY: as above.
        unsafe { (*self.header).stale = (*self.header).stale.saturating_add(1) }
    }

    pub fn count_dropped_event(&mut self) {
        // SAFETY: as above.
        unsafe { (*self.header).dropped_events = (*self.header).dropped_events.saturating_add(1) }
    }

    /// Room for `bytes` more event bytes (a multiple of the record size), or null when full.
    pub fn reserve_events(&mut self, bytes: usize) -> *mut u8 {
        debug_assert_eq!(bytes % EVENT_BYTES, 0);
        if self.events_len + bytes > self.events_capacity {
            return std::ptr::null_mut();
        }
        // SAFETY: inside the events region by the check above.
        unsafe { self.events.add(self.events_len) }
    }

    /// Publish `bytes` event bytes written at the place `reserve_events` gave.
    pub fn publish_events(&mut self, bytes: usize) {
        self.events_len += bytes;
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::Release);
        // SAFETY: attached, since a reservation succeeded.
        unsafe { (*self.header).events_len = self.events_len as u64 }
    }

    pub fn publish_nodes(&mut self) {
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::Release);
        // SAFETY: attached, since a node was written.
        unsafe { (*self.header).nodes_len = self.nodes_len as u64 }
    }

    /// The node of a label.
    #[inline]
    pub fn node(&self, label: u32) -> Node {
        debug_assert!(label != 0 && label < self.nodes_len);
        // SAFETY: labels are only made by `intern`, so they are below `nodes_len`.
        unsafe { *self.nodes.add(label as usize) }
    }
}
