//! Traces made by hand: for the tests of everything that reads traces.
//!
//! In: nodes and events, one call each. Out: an arena as a run would have left it, with the value
//! of each node computed from the inputs.
//!
//! Always holds: as long as the caller passes widths that fit, the arena decodes.

use crate::eval::bytes_of;
use crate::format::*;
use crate::reader::Trace;
use crate::request::Input;

/// An arena in the making.
#[derive(Clone, Debug)]
pub struct Synth {
    inputs: Vec<Input>,
    nodes: Vec<Node>,
    events: Vec<u8>,
    tables: Vec<u8>,
    pub flags: u32,
}

impl Synth {
    pub fn new(inputs: Vec<Input>) -> Synth {
        Synth {
            inputs,
            nodes: vec![Node::default()],
            events: Vec::new(),
            tables: Vec::new(),
            flags: FLAG_STARTED | FLAG_FINISHED,
        }
    }

    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node as given, but for its value, which is computed (except that of a constant).
    pub fn node(&mut self, op: Op, width: u8, a: u32, b: u32, c: u32) -> Label {
        let label = self.nodes.len() as Label;
        self.nodes.push(Node { op: op as u8, width, _pad: 0, a, b, c, value: 0 });
        self.nodes[label as usize].value = self.value(label);
        label
    }

    pub fn constant(&mut self, width: u8, value: u64) -> Label {
        let value = value & mask(width);
        self.nodes.push(Node { op: Op::Const as u8, width, value, ..Node::default() });
        self.nodes.len() as Label - 1
    }

    pub fn input(&mut self, input: u32, offset: u32) -> Label {
        self.node(Op::Input, 8, input, offset, 0)
    }

    /// A table; the result is operand `b` of [`Op::Read`]. `labels` is empty or as long as `bytes`.
    pub fn table(&mut self, bytes: &[u8], labels: &[Label]) -> u32 {
        let offset = self.tables.len() as u32;
        let header =
            TableHeader { len: bytes.len() as u32, symbolic: !labels.is_empty() as u32, address: 0x1000 };
        self.tables.extend_from_slice(bytemuck::bytes_of(&header));
        self.tables.extend_from_slice(bytes);
        self.tables.resize(self.tables.len().next_multiple_of(4), 0);
        labels.iter().for_each(|l| self.tables.extend_from_slice(&l.to_le_bytes()));
        self.tables.resize(self.tables.len().next_multiple_of(8), 0);
        offset
    }

    /// An event; the payload is padded.
    pub fn event(&mut self, event: RawEvent, payload: &[u8]) {
        self.events.extend_from_slice(bytemuck::bytes_of(&event));
        self.events.extend_from_slice(payload);
        self.events.resize(self.events.len().next_multiple_of(EVENT_BYTES), 0);
    }

    /// A branch that went the way its condition says.
    pub fn branch(&mut self, site: u32, label: Label) {
        let flag = self.nodes[label as usize].value as u8;
        self.event(RawEvent { kind: KIND_BRANCH, flag, x: site, y: label, ..RawEvent::default() }, &[]);
    }

    /// The arena, as words so that it is aligned; read it with [`bytes`].
    pub fn arena(&self) -> Vec<u64> {
        let regions: [&[u8]; 3] = [&self.events, bytemuck::cast_slice(&self.nodes), &self.tables];
        let offsets = regions.iter().scan(HEADER_BYTES, |at, region| {
            let start = *at;
            *at += region.len().next_multiple_of(8);
            Some(start as u64)
        });
        let offsets: Vec<u64> = offsets.collect();
        let header = Header {
            magic: MAGIC,
            version: FORMAT_VERSION,
            events_offset: offsets[0],
            events_capacity: self.events.len() as u64,
            events_len: self.events.len() as u64,
            nodes_offset: offsets[1],
            nodes_capacity: self.nodes.len() as u64,
            nodes_len: self.nodes.len() as u64,
            tables_offset: offsets[2],
            tables_capacity: self.tables.len() as u64,
            tables_len: self.tables.len() as u64,
            flags: self.flags,
            ..Header::default()
        };
        let mut bytes = bytemuck::bytes_of(&header).to_vec();
        bytes.resize(HEADER_BYTES, 0);
        for region in regions {
            bytes.extend_from_slice(region);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        bytemuck::pod_collect_to_vec(&bytes)
    }

    /// The finished trace.
    pub fn trace(&self) -> Trace<'static> {
        let arena = self.arena();
        match Trace::decode(bytes(&arena), &self.inputs) {
            Ok(trace) => trace.into_owned(),
            Err(error) => panic!("a trace made by hand does not decode: {error}"),
        }
    }

    fn value(&self, label: Label) -> u64 {
        let node = self.nodes[label as usize];
        let width_of = |label: u32| self.nodes.get(label as usize).map_or(1, |n| n.width);
        let value_of = |label: u32| self.nodes.get(label as usize).map_or(0, |n| n.value);
        match Op::from_u8(node.op) {
            Some(Op::Input) => bytes_of(&self.inputs)(node.a, node.b).unwrap_or(0).into(),
            Some(Op::Read) => self.trace_value(label),
            Some(Op::Extract) => (value_of(node.a) >> node.b) & mask(node.width),
            Some(op) => {
                let c = if op == Op::Concat { width_of(node.b).into() } else { value_of(node.c) };
                apply(op, node.width, width_of(node.a), value_of(node.a), value_of(node.b), c).unwrap_or(0)
            }
            None => 0,
        }
    }

    /// The value of a table read, by way of the evaluator.
    fn trace_value(&self, label: Label) -> u64 {
        let trace = self.trace();
        trace.eval(label, &bytes_of(&self.inputs)).unwrap_or(0)
    }
}

/// The bytes of an arena.
pub fn bytes(arena: &[u64]) -> &[u8] {
    bytemuck::cast_slice(arena)
}
