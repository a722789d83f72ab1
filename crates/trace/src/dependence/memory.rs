//! A program's memory as a trace shows it: which object each byte belongs to, and which instruction wrote it last.
//!
//! In: the events of a run, in order. Out: for every access its object ([`Memory::object`]) and the last writers of what it
//! reads ([`Memory::writers`]). This is the memory half of a dynamic slice; registers and control dependence are the
//! model's to add.
//!
//! Always holds: a byte of an object that has just begun to live has no writer; a byte outside all known objects
//! (buffers of libc, the argument areas of calls) has object 0.

use super::decode::{At, Effect, Event, MAX_THREADS, NO_CALL};
use super::shadow::Shadow;
use std::collections::HashMap;

/// What an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Index 0: no known object.
    None,
    Global(u32),
    /// By the instruction that made room for it.
    Stack(u32),
    /// Handed out during the last of these calls, which the others led to (outermost first).
    Heap(Vec<u32>),
    /// A struct passed by value: function and number of the argument.
    Argument(u32, u32),
    /// Arguments and environment of the program.
    Given,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: ObjectKind,
    pub address: u64,
    pub bytes: u64,
}

/// A write: the instruction, and its number among all writes of the trace, from 1 (0: there was none).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Write {
    pub at: u32,
    pub number: u64,
}

/// How many of the calls that led to an allocation are kept.
pub const CALLS_KEPT: usize = 16;

pub struct Memory {
    objects: Vec<Object>,
    owner: Shadow<u32>,
    writers: Shadow<Write>,
    /// Live heap blocks by address.
    heap: HashMap<u64, u32>,
    /// For each thread the objects of its frames: depth of the frame, object.
    frames: Vec<Vec<(usize, u32)>>,
    /// Numbers of objects that live no more.
    free: Vec<u32>,
    writes: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            objects: vec![Object { kind: ObjectKind::None, address: 0, bytes: 0 }],
            owner: Shadow::default(),
            writers: Shadow::default(),
            heap: HashMap::new(),
            frames: Vec::new(),
            free: Vec::new(),
            writes: 0,
        }
    }
}

impl Memory {
    /// The object that a byte belongs to now.
    pub fn object(&mut self, address: u64) -> u32 {
        self.owner.get(address)
    }

    pub fn describe(&self, object: u32) -> &Object {
        &self.objects[object as usize]
    }

    /// Who wrote the bytes of a range last, each with the number of bytes in a row.
    pub fn writers(&mut self, address: u64, bytes: u64, each: impl FnMut(Write, u64)) {
        self.writers.runs(address, bytes, each);
    }

    /// How many writes there were; the newest has this number.
    pub fn writes(&self) -> u64 {
        self.writes
    }

    /// Takes note of an event. Ask about what an event reads before.
    pub fn event(&mut self, at: At, event: &Event) {
        self.leave_frames(at);
        match *event {
            Event::Store { at, address, bytes } | Event::Fill { at, address, bytes } => {
                self.write(at, address, bytes);
            }
            Event::Copy { at, to, bytes, .. } => self.write(at, to, bytes),
            Event::Stack { at: instruction, address, bytes } => {
                let object = self.begin(ObjectKind::Stack(instruction), address, bytes);
                self.frame_objects(at).push((at.stack.len(), object));
            }
            Event::Argument { function, argument, address, bytes } => {
                let object = self.begin(ObjectKind::Argument(function, argument), address, bytes);
                self.frame_objects(at).push((at.stack.len(), object));
                // The call copied it there.
                let caller = at.stack.len().checked_sub(2).map(|n| at.stack[n].call);
                if let Some(call) = caller.filter(|c| *c != NO_CALL) {
                    self.write(call, address, bytes);
                }
            }
            Event::Global { global, address, bytes } => {
                self.begin(ObjectKind::Global(global), address, bytes);
            }
            Event::Given { address, bytes } => {
                self.begin(ObjectKind::Given, address, bytes);
            }
            Event::Outside { at: call, effect } => self.outside(at, call, effect),
            _ => {}
        }
    }

    fn outside(&mut self, at: At, call: u32, effect: Effect) {
        match effect {
            Effect::Writes { address, bytes } | Effect::Copies { to: address, bytes, .. } => {
                self.write(call, address, bytes)
            }
            Effect::Allocates { address, bytes } => {
                let first = at.stack.len().saturating_sub(CALLS_KEPT);
                let calls = at.stack[first..].iter().map(|frame| frame.call).collect();
                let object = self.begin(ObjectKind::Heap(calls), address, bytes);
                self.heap.insert(address, object);
            }
            Effect::Frees { address } => {
                if let Some(object) = self.heap.remove(&address) {
                    self.end(object);
                }
            }
            Effect::Reads { .. } => {}
        }
    }

    fn write(&mut self, at: u32, address: u64, bytes: u64) {
        self.writes += 1;
        self.writers.set(address, bytes, Write { at, number: self.writes });
    }

    fn begin(&mut self, kind: ObjectKind, address: u64, bytes: u64) -> u32 {
        let object = Object { kind, address, bytes };
        let number = match self.free.pop() {
            Some(number) => {
                self.objects[number as usize] = object;
                number
            }
            None => {
                self.objects.push(object);
                self.objects.len() as u32 - 1
            }
        };
        self.owner.set(address, bytes, number);
        self.writers.clear(address, bytes);
        number
    }

    fn end(&mut self, object: u32) {
        let Object { address, bytes, .. } = self.objects[object as usize];
        self.owner.clear(address, bytes);
        self.writers.clear(address, bytes);
        self.free.push(object);
    }

    fn frame_objects(&mut self, at: At) -> &mut Vec<(usize, u32)> {
        let thread = (at.thread as usize).min(MAX_THREADS);
        if self.frames.len() <= thread {
            self.frames.resize_with(thread + 1, Vec::new);
        }
        &mut self.frames[thread]
    }

    /// Stack variables of functions that were left live no more.
    fn leave_frames(&mut self, at: At) {
        let depth = at.stack.len();
        let live = self.frame_objects(at);
        if live.last().is_none_or(|(d, _)| *d <= depth) {
            return;
        }
        let kept = live.partition_point(|(d, _)| *d <= depth);
        let left: Vec<u32> = live.drain(kept..).map(|(_, object)| object).collect();
        left.into_iter().for_each(|object| self.end(object));
    }
}
