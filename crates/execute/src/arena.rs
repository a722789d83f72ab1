//! The memory that an instrumented run writes and the engine reads.
//!
//! In: sizes. Out: a memory file, mapped, with a valid header.
//!
//! Always holds: the regions lie inside the mapping, aligned to pages, in the order that
//! [`parallax_trace::format`] gives. Between runs nobody else writes. Where the regions are, the engine knows by itself: what a run wrote there
//! is not read.

use crate::stream::Stream;
use crate::sys;
use crate::Error;
use parallax_trace::format::{Header, Node, FORMAT_VERSION, HEADER_BYTES, MAGIC};
use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

const PAGE: u64 = 4096;
/// Bytes of a trace whose memory is kept for the next one: to give it back would take longer than to write it again.
const LITTLE: u64 = 4 << 20;

/// How much a run may record. Memory is used only as far as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaSizes {
    /// Bytes of an encoded test case.
    pub request: u64,
    /// Edges.
    pub coverage: u64,
    /// Bytes of events.
    pub events: u64,
    /// Expression nodes.
    pub nodes: u64,
    /// Bytes of table snapshots.
    pub tables: u64,
}

impl Default for ArenaSizes {
    fn default() -> Self {
        ArenaSizes {
            request: 256 << 20,
            coverage: 256 << 10,
            events: 256 << 20,
            nodes: 16 << 20,
            tables: 64 << 20,
        }
    }
}

impl ArenaSizes {
    /// For programs that record nothing.
    pub fn native() -> Self {
        ArenaSizes { coverage: 0, events: 0, nodes: 0, tables: 0, ..ArenaSizes::default() }
    }

    /// Room for the counters of a program with so many edges, and no more: they are cleared before every run.
    pub fn with_edges(self, edges: usize) -> Self {
        ArenaSizes { coverage: (edges as u64).next_multiple_of(PAGE), ..self }
    }
}

/// A mapped arena.
pub struct Arena {
    file: OwnedFd,
    start: *mut u8,
    len: usize,
    /// The last request, as the engine wrote it.
    request: Vec<u8>,
}

// SAFETY: the mapping belongs to the value; shared access only reads, and writes need `&mut self`.
unsafe impl Send for Arena {}
unsafe impl Sync for Arena {}

impl Arena {
    pub fn new(sizes: &ArenaSizes) -> Result<Arena, Error> {
        Arena::map(sizes).map_err(|source| Error::Setup { what: "the trace memory", source })
    }

    fn map(sizes: &ArenaSizes) -> io::Result<Arena> {
        let header = layout(sizes).ok_or(io::ErrorKind::InvalidInput)?;
        let len = header.tables_offset + header.tables_capacity;
        let file = sys::memory_file(c"parallax-arena", len)?;
        let len = len as usize;
        // SAFETY: a new mapping of a file of that length; it stays until drop. Everything is zero, and
        // the header fits (HEADER_BYTES is at least its size).
        let start = unsafe {
            let (protection, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
            let start = libc::mmap(std::ptr::null_mut(), len, protection, flags, file.as_raw_fd(), 0);
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            start.cast::<Header>().write(header);
            start.cast::<u8>()
        };
        Ok(Arena { file, start, len, request: Vec::new() })
    }

    /// Everything, header first.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: mapped until drop. The server writes only during a run, which holds the executor
        // mutably, so nobody has this slice then.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }

    pub fn header(&self) -> Header {
        // SAFETY: the mapping starts with a header; any bit pattern is a valid one.
        unsafe { self.start.cast::<Header>().read() }
    }

    /// What the last run was given: the engine's own copy.
    pub fn request(&self) -> &[u8] {
        &self.request
    }

    /// For taking chunks away during a run.
    pub(crate) fn stream(&mut self) -> Stream {
        // SAFETY: mapped until drop, and the header was laid out by `map` or `put_request`; the executor
        // keeps the value only during a run.
        unsafe { Stream::new(self.start) }
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Lays out the header anew, because a run may have written to it, and stores the request.
    /// `work`: what the run may do; 0 for no limit. `stream`: chunks of a dependence trace will be taken away while the program runs.
    pub(crate) fn put_request(
        &mut self,
        sizes: &ArenaSizes,
        request: &[u8],
        (work, stream): (u64, bool),
    ) -> Result<(), Error> {
        let too_large = || Error::TestCase {
            reason: format!("{} bytes; the limit is {} (arena size `request`)", request.len(), sizes.request),
        };
        let mut header =
            layout(sizes).filter(|h| request.len() as u64 <= h.request_capacity).ok_or_else(too_large)?;
        header.request_len = request.len() as u64;
        self.request.clear();
        self.request.extend_from_slice(request);
        header.nodes_len = 1;
        header.chunk_stream = stream.into();
        header.work_limit = work;
        // SAFETY: `&mut self` and no run under way; the request fits its region by the check above.
        unsafe {
            self.start.cast::<Header>().write(header);
            let at = self.start.add(header.request_offset as usize);
            std::ptr::copy_nonoverlapping(request.as_ptr(), at, request.len());
        }
        Ok(())
    }

    /// Bytes of the last run's trace, as far as they fit their regions.
    pub fn trace_bytes(&self) -> u64 {
        let header = self.header();
        let nodes = header.nodes_len.clamp(1, header.nodes_capacity.max(1)) - 1;
        let events = header.events_len.min(header.events_capacity);
        nodes * size_of::<Node>() as u64 + events + header.tables_len.min(header.tables_capacity)
    }

    /// Gives the memory of the last run's trace back to the machine, unless it is little. No run is under way; the trace is empty afterwards.
    pub(crate) fn forget_trace(&mut self) {
        if self.trace_bytes() <= LITTLE {
            return;
        }
        let header = Header { events_len: 0, nodes_len: 1, tables_len: 0, ..self.header() };
        let from = header.events_offset as usize;
        // SAFETY: the regions of the trace are the end of the mapping, aligned to pages, and `&mut self` means that nobody looks at them. A
        // kernel that cannot do it leaves them as they are.
        unsafe {
            libc::madvise(self.start.add(from).cast(), self.len - from, libc::MADV_REMOVE);
            self.start.cast::<Header>().write(header);
        }
    }

    #[cfg(test)]
    pub(crate) fn fill_events(&mut self, bytes: u64) {
        let header = Header { events_len: bytes, ..self.header() };
        // SAFETY: the region has this many bytes.
        unsafe {
            std::ptr::write_bytes(self.start.add(header.events_offset as usize), 1, bytes as usize);
            self.start.cast::<Header>().write(header);
        }
    }

    /// After a run: the layout is the engine's again, whatever the run wrote over it. Its counts and flags stay, for the reader
    /// to check.
    pub(crate) fn restore_layout(&mut self, sizes: &ArenaSizes, work_limit: u64) {
        let (Some(ours), theirs) = (layout(sizes), self.header()) else { return };
        let header = Header {
            request_len: self.request.len() as u64,
            events_len: theirs.events_len,
            nodes_len: theirs.nodes_len,
            tables_len: theirs.tables_len,
            flags: theirs.flags,
            inconsistent: theirs.inconsistent,
            stale: theirs.stale,
            dropped_events: theirs.dropped_events,
            chunks: theirs.chunks,
            work_limit,
            work_left: theirs.work_left,
            ..ours
        };
        // SAFETY: the mapping starts with a header, and no run is under way.
        unsafe { self.start.cast::<Header>().write(header) };
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: unmaps what `map` mapped; no slice outlives `self`.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}

/// `None` if the sizes are beyond what an address can hold.
fn layout(sizes: &ArenaSizes) -> Option<Header> {
    let mut at = HEADER_BYTES as u64;
    let mut region = |bytes: u64| {
        let start = at;
        at = at.checked_add(bytes)?.checked_next_multiple_of(PAGE)?;
        (at <= isize::MAX as u64).then_some(start)
    };
    let node_bytes = sizes.nodes.checked_mul(size_of::<Node>() as u64)?;
    Some(Header {
        magic: MAGIC,
        version: FORMAT_VERSION,
        request_offset: region(sizes.request)?,
        request_capacity: sizes.request,
        coverage_offset: region(sizes.coverage)?,
        coverage_capacity: sizes.coverage,
        events_offset: region(sizes.events)?,
        events_capacity: sizes.events,
        nodes_offset: region(node_bytes)?,
        nodes_capacity: sizes.nodes,
        tables_offset: region(sizes.tables)?,
        tables_capacity: sizes.tables,
        ..Header::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_follow_each_other_without_overlap() {
        let header = Arena::new(&ArenaSizes { request: 5000, ..ArenaSizes::default() }).unwrap().header();
        let regions = [
            (0, HEADER_BYTES as u64),
            (header.request_offset, header.request_capacity),
            (header.coverage_offset, header.coverage_capacity),
            (header.events_offset, header.events_capacity),
            (header.nodes_offset, header.nodes_capacity * size_of::<Node>() as u64),
            (header.tables_offset, header.tables_capacity),
        ];
        for pair in regions.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:?}");
            assert_eq!(pair[1].0 % PAGE, 0);
        }
    }

    #[test]
    fn a_run_cannot_move_the_regions() {
        let sizes = ArenaSizes::default();
        let mut arena = Arena::new(&sizes).unwrap();
        let before = arena.header();
        // SAFETY: the header is whole words, at the start of the mapping.
        unsafe { std::slice::from_raw_parts_mut(arena.start, size_of::<Header>()).fill(0xff) };
        arena.restore_layout(&sizes, 0);
        let after = arena.header();
        assert_eq!((after.flags, after.nodes_len), (u32::MAX, u64::MAX));
        let counts =
            Header { events_len: 0, nodes_len: 0, tables_len: 0, flags: 0, inconsistent: 0, ..after };
        let counts = Header { stale: 0, dropped_events: 0, chunks: 0, work_left: 0, ..counts };
        assert_eq!(bytes_of(&counts), bytes_of(&before));
    }

    fn bytes_of(header: &Header) -> Vec<u8> {
        // SAFETY: a header is plain data without padding.
        unsafe { std::slice::from_raw_parts((&raw const *header).cast(), size_of::<Header>()).to_vec() }
    }

    #[test]
    fn sizes_beyond_the_address_space_are_an_error() {
        let sizes = ArenaSizes { nodes: u64::MAX / 2, ..ArenaSizes::default() };
        assert!(matches!(Arena::new(&sizes), Err(Error::Setup { .. })));
    }

    #[test]
    fn a_request_that_does_not_fit_is_refused() {
        let sizes = ArenaSizes { request: 10, ..ArenaSizes::native() };
        let mut arena = Arena::new(&sizes).unwrap();
        assert!(arena.put_request(&sizes, &[0; 10], (0, false)).is_ok());
        assert!(matches!(arena.put_request(&sizes, &[0; 11], (0, false)), Err(Error::TestCase { .. })));
    }
}
