//! The memory of one version: which object a byte belongs to, what is in it, and whether that differs from the other version.
//!
//! In: what the run did, in order. Out: objects of addresses, content, nodes of bytes.
//!
//! Always holds: an object has a number that may be used again when it is gone, so whoever keeps a number keeps its generation with it; content that is not
//! known (libc wrote it, the run began with it) is never taken for zero.

use crate::graph::{NodeId, NONE};
use parallax_model::{ConstKind, GlobalId, InstId, Operand, Program};
use parallax_trace::dependence::Shadow;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Global(GlobalId),
    /// By the instruction that made room for it.
    Stack(InstId),
    /// By the call.
    Heap(Option<InstId>),
    /// A structure passed by value.
    Argument,
    /// Arguments and environment of the program.
    Given,
}

/// An object at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectId {
    pub number: u32,
    generation: u32,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub what: What,
    pub address: u64,
    pub bytes: u64,
    generation: u32,
    /// The same object of the other version.
    pub partner: Option<ObjectId>,
}

/// Pages of 4096 bytes whose content is followed; of the rest it is unknown.
const PAGES: usize = 1 << 13;
/// Known content of a byte.
const KNOWN: u16 = 0x100;
/// Bytes of a copy whose content is followed; of larger ones it is unknown afterwards.
const LARGE_COPY: u64 = 1 << 20;

pub struct Memory {
    /// Objects by their first byte; they never overlap.
    owner: BTreeMap<u64, u32>,
    content: Shadow<u16>,
    taint: Shadow<NodeId>,
    objects: Vec<Object>,
    heap: FxHashMap<u64, ObjectId>,
    globals: FxHashMap<GlobalId, ObjectId>,
    free: Vec<u32>,
    tainted: bool,
}

impl Default for Memory {
    fn default() -> Memory {
        let none = Object { what: What::Given, address: 0, bytes: 0, generation: 0, partner: None };
        Memory {
            owner: BTreeMap::new(),
            content: Shadow::limited(PAGES),
            taint: Shadow::limited(PAGES),
            objects: vec![none],
            heap: FxHashMap::default(),
            globals: FxHashMap::default(),
            free: Vec::new(),
            tainted: false,
        }
    }
}

impl Memory {
    /// The object of an address, and where in it that is.
    pub fn object(&self, address: u64) -> Option<(ObjectId, u64)> {
        let (start, number) = self.owner.range(..=address).next_back()?;
        let object = &self.objects[*number as usize];
        let (start, number) = (*start, *number);
        if address - start >= object.bytes.max(1) {
            return None;
        }
        let id = ObjectId { number, generation: object.generation };
        Some((id, address - start))
    }

    /// If it still lives.
    pub fn get(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id.number as usize).filter(|object| object.generation == id.generation)
    }

    pub fn link(&mut self, id: ObjectId, partner: ObjectId) {
        if let Some(object) = self.objects.get_mut(id.number as usize) {
            if object.generation == id.generation {
                object.partner = Some(partner);
            }
        }
    }

    pub fn begin(&mut self, what: What, address: u64, bytes: u64) -> ObjectId {
        // What lay there before is gone, whether or not the run told of it.
        let end = address.saturating_add(bytes.max(1));
        let gone: Vec<ObjectId> = self.overlapping(address, end);
        gone.into_iter().for_each(|id| self.end(id));
        let generation = self.objects.len() as u32;
        let number = self.free.pop().unwrap_or(generation);
        let mut object = Object { what, address, bytes, generation: 0, partner: None };
        if number == generation {
            self.objects.push(object);
        } else {
            object.generation = self.objects[number as usize].generation.wrapping_add(1);
            self.objects[number as usize] = object;
        }
        self.owner.insert(address, number);
        self.content.clear(address, bytes);
        self.clean(address, bytes);
        let id = ObjectId { number, generation: self.objects[number as usize].generation };
        match what {
            What::Heap(_) => drop(self.heap.insert(address, id)),
            What::Global(global) => drop(self.globals.insert(global, id)),
            _ => {}
        }
        id
    }

    fn overlapping(&self, from: u64, to: u64) -> Vec<ObjectId> {
        let around = self.object(from).into_iter().map(|(id, _)| id);
        let inside = self.owner.range(from..to).map(|(_, number)| ObjectId {
            number: *number,
            generation: self.objects[*number as usize].generation,
        });
        let mut found: Vec<ObjectId> = around.chain(inside).collect();
        found.dedup();
        found
    }

    pub fn end(&mut self, id: ObjectId) {
        let Some(object) = self.get(id) else { return };
        let (address, bytes) = (object.address, object.bytes);
        self.owner.remove(&address);
        self.content.clear(address, bytes);
        self.clean(address, bytes);
        let object = &mut self.objects[id.number as usize];
        object.generation = object.generation.wrapping_add(1);
        object.partner = None;
        self.free.push(id.number);
    }

    pub fn freed(&mut self, address: u64) {
        if let Some(id) = self.heap.remove(&address) {
            self.end(id);
        }
    }

    pub fn global(&self, global: GlobalId) -> Option<u64> {
        Some(self.get(self.global_object(global)?)?.address)
    }

    pub fn global_object(&self, global: GlobalId) -> Option<ObjectId> {
        self.globals.get(&global).copied()
    }

    /// A number was written.
    pub fn store(&mut self, address: u64, bytes: u64, value: Option<u64>) {
        match value {
            Some(value) if bytes <= 8 => {
                let content = value.to_le_bytes().map(|byte| KNOWN | u16::from(byte));
                self.content.write(address, &content[..bytes as usize]);
            }
            _ => self.content.clear(address, bytes),
        }
    }

    pub fn fill(&mut self, address: u64, bytes: u64, value: Option<u64>) {
        match value {
            Some(value) => self.content.set(address, bytes, KNOWN | (value & 0xff) as u16),
            None => self.content.clear(address, bytes),
        }
    }

    /// Content and nodes go with the bytes.
    pub fn copy(&mut self, program: &Program, to: u64, from: u64, bytes: u64) {
        if bytes > LARGE_COPY {
            self.content.clear(to, bytes);
        } else {
            let mut content = vec![0; bytes as usize];
            self.content.read(from, &mut content);
            for (byte, at) in content.iter_mut().zip(from..).filter(|(byte, _)| **byte == 0) {
                // What the run began with counts, too.
                *byte = self.initial(program, at).map_or(0, |known| KNOWN | u16::from(known));
            }
            self.content.write(to, &content);
        }
        if self.tainted {
            let mut runs = Vec::new();
            self.taint.runs(from, bytes, |node, n| runs.push((node, n)));
            let mut at = to;
            for (node, n) in runs {
                self.taint.set(at, n, node);
                at += n;
            }
        }
    }

    /// One byte, if it is known.
    pub fn byte(&mut self, program: &Program, address: u64) -> Option<u8> {
        match self.content.get(address) {
            0 => self.initial(program, address),
            known => Some(known as u8),
        }
    }

    fn initial(&mut self, program: &Program, address: u64) -> Option<u8> {
        let (id, offset) = self.object(address)?;
        let What::Global(global) = self.get(id)?.what else { return None };
        match program.global(global).initialiser? {
            Operand::Int { value, bits } if offset < u64::from(bits.div_ceil(8)) => {
                Some((value >> (8 * offset)) as u8)
            }
            Operand::Null => Some(0),
            Operand::Const(constant) => match &program.constant(constant).kind {
                ConstKind::Zero => Some(0),
                ConstKind::Bytes(bytes) => bytes.get(offset as usize).copied(),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn taint(&mut self, address: u64, bytes: u64, node: NodeId) {
        if node == NONE {
            return self.clean(address, bytes);
        }
        self.tainted = true;
        self.taint.set(address, bytes, node);
    }

    pub fn clean(&mut self, address: u64, bytes: u64) {
        if self.tainted {
            self.taint.clear(address, bytes);
        }
    }

    /// The nodes of a range, each once.
    pub fn nodes(&mut self, address: u64, bytes: u64) -> Vec<NodeId> {
        let mut found = Vec::new();
        if self.tainted {
            self.taint.runs(address, bytes, |node, _| {
                if node != NONE && !found.contains(&node) {
                    found.push(node);
                }
            });
        }
        found
    }
}
