//! The one global state of a run: where the arena is and what has been appended to it.
//!
//! In: the arena mapped by the fork server (or nothing, when the program is started by hand).
//! Out: append-only nodes, events and tables. Always holds: only the thread that entered `main`
//! appends (other threads have `tls.off` set, and look at `on` only), so nothing here is locked; counters are
//! published after the bytes they count. A signal handler may come at any moment and use the state too, so
//! nobody has it for himself: every field is a cell, and no reference to what is in one outlives the change that it is for.

use parallax_trace::format::{Header, Node, EVENT_BYTES, RECORD_WORK};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything the runtime knows during a run.
pub struct State {
    pub header: Cell<*mut Header>,
    pub nodes: Cell<*mut Node>,
    pub nodes_len: Cell<u32>,
    pub nodes_capacity: Cell<u32>,
    pub events: Cell<*mut u8>,
    pub events_len: Cell<usize>,
    pub events_capacity: Cell<usize>,
    pub tables: Cell<*mut u8>,
    pub tables_len: Cell<usize>,
    pub tables_capacity: Cell<usize>,
    /// Hash table of node numbers, 0 for free; a power of two, at most half full. Empty until there is an arena.
    pub buckets: RefCell<Vec<u32>>,
    /// Offsets of the newest table snapshots, for reuse.
    pub last_tables: RefCell<Vec<u32>>,
    /// Bounds of the first nodes, as far as anybody asked (see `range`).
    pub bounds: RefCell<Vec<crate::range::Bounds>>,
    /// How many changes of nodes, events or tables are under way (see `process`).
    pub busy: Cell<u32>,
    /// False: nothing is recorded (no arena, a forked child, or before `main`).
    on: AtomicBool,
}

struct Global(State);
// SAFETY: see the module documentation: one thread uses the cells, others the atomic flag only.
unsafe impl Sync for Global {}

static STATE: Global = Global(State::empty());

/// One test at a time: the state is the process's.
#[cfg(test)]
pub static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// The state. Shared: whoever is interrupted by a signal handler, which asks for it too, has nothing but cells.
#[inline]
pub fn state() -> &'static State {
    &STATE.0
}

impl State {
    /// Nothing recorded, nothing to record into.
    const fn empty() -> State {
        State {
            header: Cell::new(std::ptr::null_mut()),
            nodes: Cell::new(std::ptr::null_mut()),
            nodes_len: Cell::new(1),
            nodes_capacity: Cell::new(0),
            events: Cell::new(std::ptr::null_mut()),
            events_len: Cell::new(0),
            events_capacity: Cell::new(0),
            tables: Cell::new(std::ptr::null_mut()),
            tables_len: Cell::new(0),
            tables_capacity: Cell::new(0),
            buckets: RefCell::new(Vec::new()),
            last_tables: RefCell::new(Vec::new()),
            bounds: RefCell::new(Vec::new()),
            busy: Cell::new(0),
            on: AtomicBool::new(false),
        }
    }

    /// Is anything recorded?
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Nothing is recorded any more.
    pub fn stop(&self) {
        self.on.store(false, Ordering::Relaxed);
    }

    /// As before the first run.
    #[cfg(test)]
    pub fn clear(&self) {
        self.stop();
        self.nodes_len.set(1);
        (self.events_len.set(0), self.tables_len.set(0), self.busy.set(0));
        (self.last_tables.borrow_mut().clear(), self.bounds.borrow_mut().clear());
    }

    /// Start recording into the arena at `base`.
    ///
    /// # Safety
    /// `base` is a mapped arena whose header describes it truly, and stays mapped.
    pub unsafe fn attach(&self, base: *mut u8) {
        // SAFETY: the caller promises a valid header and regions.
        unsafe {
            let header = base as *mut Header;
            self.header.set(header);
            self.nodes.set(base.add((*header).nodes_offset as usize) as *mut Node);
            self.nodes_capacity.set((*header).nodes_capacity.min(1 << 31) as u32);
            self.events.set(base.add((*header).events_offset as usize));
            self.events_capacity.set((*header).events_capacity as usize);
            self.tables.set(base.add((*header).tables_offset as usize));
            self.tables_capacity.set((*header).tables_capacity as usize);
            (*header).nodes_len = 1;
        }
        self.buckets.replace(vec![0; 1 << 10]);
        self.on.store(self.nodes_capacity.get() > 1, Ordering::Relaxed);
    }

    /// A change begins that a signal handler must not see half done.
    pub fn enter(&self) {
        self.busy.set(self.busy.get() + 1);
    }

    /// It is done: signals that came in between are delivered.
    pub fn leave(&self) {
        self.busy.set(self.busy.get() - 1);
        if self.busy.get() == 0 {
            crate::process::deliver_postponed();
        }
    }

    pub fn set_flag(&self, flag: u32) {
        if !self.header.get().is_null() {
            // SAFETY: attached.
            unsafe { (*self.header.get()).flags |= flag }
        }
    }

    /// Something is recorded.
    pub fn spend(&self) {
        // SAFETY: as below.
        unsafe { (*self.header.get()).work_left = (*self.header.get()).work_left.wrapping_sub(RECORD_WORK) }
    }

    pub fn count_inconsistent(&self) {
        // SAFETY: only reached while recording, so attached.
        unsafe { (*self.header.get()).inconsistent = (*self.header.get()).inconsistent.saturating_add(1) }
    }

    pub fn count_stale(&self) {
        // SAFETY: as above.
        unsafe { (*self.header.get()).stale = (*self.header.get()).stale.saturating_add(1) }
    }

    pub fn count_dropped_event(&self) {
        // SAFETY: as above.
        unsafe { (*self.header.get()).dropped_events = (*self.header.get()).dropped_events.saturating_add(1) }
    }

    /// Room for `bytes` more event bytes (a multiple of the record size), or null when full.
    pub fn reserve_events(&self, bytes: usize) -> *mut u8 {
        debug_assert_eq!(bytes % EVENT_BYTES, 0);
        if self.events_len.get() + bytes > self.events_capacity.get() {
            return std::ptr::null_mut();
        }
        // SAFETY: inside the events region by the check above.
        unsafe { self.events.get().add(self.events_len.get()) }
    }

    /// Publish `bytes` event bytes written at the place `reserve_events` gave.
    pub fn publish_events(&self, bytes: usize) {
        self.events_len.set(self.events_len.get() + bytes);
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::Release);
        // SAFETY: attached, since a reservation succeeded.
        unsafe { (*self.header.get()).events_len = self.events_len.get() as u64 }
    }

    pub fn publish_nodes(&self) {
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::Release);
        // SAFETY: attached, since a node was written.
        unsafe { (*self.header.get()).nodes_len = self.nodes_len.get() as u64 }
    }

    /// The node of a label.
    #[inline]
    pub fn node(&self, label: u32) -> Node {
        debug_assert!(label != 0 && label < self.nodes_len.get());
        // SAFETY: labels are only made by `intern`, so they are below `nodes_len`.
        unsafe { *self.nodes.get().add(label as usize) }
    }
}
