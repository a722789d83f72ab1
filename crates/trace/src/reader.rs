//! Decoding: an arena and the inputs of its run in, a checked view of the trace out.
//!
//! Nothing is copied: nodes, events and tables stay where the run left them, until
//! [`Trace::into_owned`] takes a snapshot (the next run reuses the arena).
//!
//! Always holds: a decoded trace is well formed ([`crate::validate`]): every length, label, width
//! and table offset has been checked, so nothing that reads a [`Trace`] can go out of bounds. An
//! arena that is not well formed is an error value, never a panic.

use crate::format::*;
use crate::request::Input;
use crate::validate;
use std::borrow::Cow;
use thiserror::Error;

/// Why an arena is not a trace. Anything but [`DecodeError::Misaligned`] and
/// [`DecodeError::Version`] means that the program under test wrote over the arena, or a bug in the runtime.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DecodeError {
    #[error("the trace is {0} bytes long, too short for its header")]
    Short(usize),
    #[error("the trace does not start with its magic number: the program under test wrote over it")]
    Magic,
    #[error(
        "the trace has format {0}, this Parallax reads format {FORMAT_VERSION}: instrument the program again"
    )]
    Version(u32),
    #[error("the trace is not aligned to 8 bytes in memory")]
    Misaligned,
    #[error("the {region} of the trace do not lie inside it")]
    Region { region: &'static str },
    #[error("the trace says that its {region} hold more than there is room for")]
    Length { region: &'static str },
    #[error("node {label} of the trace is not a valid expression: {reason}")]
    Node { label: Label, reason: &'static str },
    #[error("the event at byte {offset} of the trace is not valid: {reason}")]
    Event { offset: usize, reason: &'static str },
}

/// One decoded event. Labels are 0 where the value was concrete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'t> {
    /// `label` had the value `taken`.
    Branch {
        site: u32,
        label: Label,
        taken: bool,
        context: u32,
    },
    /// `case`: index of the case taken in the site's list, `None` for the default.
    Switch {
        site: u32,
        label: Label,
        case: Option<u32>,
        context: u32,
    },
    /// `guard`: a `GUARD_*`.
    Guard {
        site: u32,
        label: Label,
        held: bool,
        context: u32,
        guard: u16,
    },
    /// `reason`: a `CONCRETE_*`.
    Concrete {
        site: u32,
        label: Label,
        reason: u16,
        context: u32,
    },
    Escape {
        site: u32,
        label: Label,
        function: &'t [u8],
    },
    EndOfInput {
        input: u32,
        offset: u32,
    },
    Output {
        fd: u32,
        file: bool,
        site: u32,
        bytes: OutputBytes<'t>,
    },
    Watch {
        site: u32,
        label: Label,
        value: u64,
        context: u32,
    },
    Options {
        style: u32,
        table: &'t [u8],
    },
    Compare {
        label: Label,
        token: &'t [u8],
    },
    Note {
        note: u32,
    },
    Read {
        input: u32,
        offset: u32,
        len: u32,
    },
}

/// The bytes of an output event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputBytes<'t>(&'t [u8]);

/// One byte of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputByte {
    Concrete(u8),
    Symbolic(Label),
}

impl<'t> OutputBytes<'t> {
    pub fn len(&self) -> usize {
        self.0.len() / 4
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = OutputByte> + 't {
        self.0.chunks_exact(4).map(|word| match word_u32(word) {
            w if w & OUTPUT_SYMBOLIC != 0 => OutputByte::Symbolic(w & !OUTPUT_SYMBOLIC),
            w => OutputByte::Concrete(w as u8),
        })
    }
}

/// A table that was read through a symbolic index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table<'t> {
    pub address: u64,
    pub bytes: &'t [u8],
    /// Empty, or four bytes for each byte of the table.
    labels: &'t [u8],
}

impl Table<'_> {
    /// The label of byte `i`, 0 if it is concrete.
    pub fn label(&self, i: usize) -> Label {
        i.checked_mul(4).and_then(|at| self.labels.get(at..)?.get(..4)).map_or(0, word_u32)
    }

    pub fn is_symbolic(&self) -> bool {
        !self.labels.is_empty()
    }
}

/// The trace of one run.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    header: Header,
    nodes: Cow<'a, [Node]>,
    events: Cow<'a, [u8]>,
    tables: Cow<'a, [u8]>,
    coverage: Cow<'a, [u8]>,
    inputs: Cow<'a, [Input]>,
}

impl<'a> Trace<'a> {
    /// Checks everything; `inputs` are those of the request that the run was given.
    pub fn decode(arena: &'a [u8], inputs: &'a [Input]) -> Result<Trace<'a>, DecodeError> {
        let header = read_header(arena)?;
        let region = |region, offset: u64, len: u64, capacity: u64| {
            if len > capacity {
                return Err(DecodeError::Length { region });
            }
            let start = usize::try_from(offset).ok();
            let end = offset.checked_add(len).and_then(|end| usize::try_from(end).ok());
            start.zip(end).and_then(|(s, e)| arena.get(s..e)).ok_or(DecodeError::Region { region })
        };
        let node_bytes = |n: u64| n.checked_mul(size_of::<Node>() as u64).unwrap_or(u64::MAX);
        let nodes = region(
            "nodes",
            header.nodes_offset,
            node_bytes(header.nodes_len),
            node_bytes(header.nodes_capacity),
        )?;
        let trace = Trace {
            header,
            nodes: Cow::Borrowed(bytemuck::try_cast_slice(nodes).map_err(|_| DecodeError::Misaligned)?),
            events: region("events", header.events_offset, header.events_len, header.events_capacity)?.into(),
            tables: region("tables", header.tables_offset, header.tables_len, header.tables_capacity)?.into(),
            coverage: region(
                "coverage counters",
                header.coverage_offset,
                header.coverage_capacity,
                header.coverage_capacity,
            )?
            .into(),
            inputs: Cow::Borrowed(inputs),
        };
        validate::nodes(&trace)?;
        validate::events(&trace)?;
        Ok(trace)
    }

    /// A snapshot that outlives the arena.
    pub fn into_owned(self) -> Trace<'static> {
        Trace {
            header: self.header,
            nodes: Cow::Owned(self.nodes.into_owned()),
            events: Cow::Owned(self.events.into_owned()),
            tables: Cow::Owned(self.tables.into_owned()),
            coverage: Cow::Owned(self.coverage.into_owned()),
            inputs: Cow::Owned(self.inputs.into_owned()),
        }
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        size_of_val(&self.nodes[..]) + self.events.len() + self.tables.len() + self.coverage.len()
    }

    /// The header as the run left it: flags and counters.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Is this `FLAG_*` set?
    pub fn flag(&self, flag: u32) -> bool {
        self.header.flags & flag != 0
    }

    /// Was anything dropped because a region was full?
    pub fn is_cut(&self) -> bool {
        self.header.flags & (FLAG_NODES_FULL | FLAG_EVENTS_FULL | FLAG_TABLES_FULL) != 0
            || self.header.dropped_events != 0
    }

    /// All nodes; the index is the label, node 0 is unused.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of a label that came from this trace, and its operator; `None` for label 0.
    pub fn node(&self, label: Label) -> Option<(Op, &Node)> {
        let node = self.nodes.get(label as usize)?;
        Some((Op::from_u8(node.op)?, node))
    }

    /// The inputs of the run.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Edge counters; the index is the edge number of the program map.
    pub fn coverage(&self) -> &[u8] {
        &self.coverage
    }

    /// The edges that were taken, and how often each; 255 is that often or more. Never 0: counters stop at 255.
    pub fn edges_taken(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        // Most are not taken: whole words of zeros are passed over at once.
        const WORD: usize = 8;
        let words =
            (0..).step_by(WORD).zip(self.coverage.chunks(WORD)).filter(|(_, w)| w.iter().any(|n| *n > 0));
        words.flat_map(|(first, word)| (first..).zip(word.iter().copied())).filter(|(_, count)| *count > 0)
    }

    /// Every event in the order in which it happened.
    pub fn events(&self) -> Events<'_> {
        Events { bytes: &self.events, at: 0 }
    }

    /// The table at this offset, if it lies inside the tables region.
    pub fn table(&self, offset: u32) -> Option<Table<'_>> {
        let bytes = self.tables.get(offset as usize..)?;
        let (head, rest) = bytes.split_at_checked(size_of::<TableHeader>())?;
        let header: TableHeader = bytemuck::pod_read_unaligned(head);
        let len = header.len as usize;
        let content = rest.get(..len)?;
        let labels = match header.symbolic {
            0 => &[][..],
            1 => rest.get(len.next_multiple_of(4)..)?.get(..len.checked_mul(4)?)?,
            _ => return None,
        };
        Some(Table { address: header.address, bytes: content, labels })
    }
}

/// The header of an arena of this format.
pub fn read_header(arena: &[u8]) -> Result<Header, DecodeError> {
    let head = arena.get(..size_of::<Header>()).ok_or(DecodeError::Short(arena.len()))?;
    let header: Header = bytemuck::pod_read_unaligned(head);
    if header.magic != MAGIC {
        return Err(DecodeError::Magic);
    }
    if header.version != FORMAT_VERSION {
        return Err(DecodeError::Version(header.version));
    }
    Ok(header)
}

/// Iterator over the events of a [`Trace`].
#[derive(Clone, Debug)]
pub struct Events<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Events<'t> {
    /// Byte offset of the next event in the events region.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// The next event, `None` at the end, or why the record is not one. Labels are not checked.
    pub(crate) fn try_next(&mut self) -> Option<Result<Event<'t>, &'static str>> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let Some((head, rest)) = rest.split_at_checked(EVENT_BYTES) else {
            return Some(Err("record cut off"));
        };
        let raw: RawEvent = bytemuck::pod_read_unaligned(head);
        let len = payload_len(&raw);
        let Some(payload) = rest.get(..len).filter(|_| padded(len) <= rest.len()) else {
            return Some(Err("payload cut off"));
        };
        self.at += EVENT_BYTES + padded(len);
        Some(typed(&raw, payload).ok_or("no such kind of event"))
    }
}

impl<'t> Iterator for Events<'t> {
    type Item = Event<'t>;

    fn next(&mut self) -> Option<Event<'t>> {
        // Decoding has walked the same bytes and found no error.
        self.try_next()?.ok()
    }
}

/// Bytes that follow the record, before padding.
fn payload_len(raw: &RawEvent) -> usize {
    match raw.kind {
        KIND_SWITCH => 4,
        KIND_WATCH => 8,
        KIND_ESCAPE | KIND_OPTIONS | KIND_COMPARE => raw.z as usize,
        KIND_OUTPUT => raw.y as usize * 4,
        _ => 0,
    }
}

fn typed<'t>(raw: &RawEvent, payload: &'t [u8]) -> Option<Event<'t>> {
    let RawEvent { kind, flag, aux, x, y, z } = *raw;
    Some(match kind {
        KIND_BRANCH => Event::Branch { site: x, label: y, taken: flag != 0, context: z },
        KIND_SWITCH => {
            let case = Some(word_u32(payload)).filter(|c| *c != u32::MAX);
            Event::Switch { site: x, label: y, case, context: z }
        }
        KIND_GUARD => Event::Guard { site: x, label: y, held: flag != 0, context: z, guard: aux },
        KIND_CONCRETE => Event::Concrete { site: x, label: y, reason: aux, context: z },
        KIND_ESCAPE => Event::Escape { site: x, label: y, function: payload },
        KIND_END_OF_INPUT => Event::EndOfInput { input: x, offset: y },
        KIND_OUTPUT => Event::Output { fd: x, file: flag != 0, site: z, bytes: OutputBytes(payload) },
        KIND_WATCH => {
            let value = u64::from_le_bytes(payload.try_into().ok()?);
            Event::Watch { site: x, label: y, value, context: z }
        }
        KIND_OPTIONS => Event::Options { style: x, table: payload },
        KIND_COMPARE => Event::Compare { label: x, token: payload },
        KIND_NOTE => Event::Note { note: x },
        KIND_READ => Event::Read { input: x, offset: y, len: z },
        _ => return None,
    })
}

/// A little-endian word; 0 for anything that is not four bytes, which no caller passes.
fn word_u32(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_le_bytes)
}
