//! Decoding: chunks of a run and the program's map in, events out.
//!
//! In: the arena after a run ([`chunks`]) or single chunks as they are streamed, in order of their sequence for each
//! thread. Out: [`Event`]s, handed to a closure so that tens of millions a second are possible.
//!
//! Always holds: whatever the chunks contain (the program under test may have written over them), decoding ends, stays in
//! bounds and either gives events or an error.

use super::map::{DependenceMap, Step, StepKind};
use super::records::*;
use crate::format::Header;
use thiserror::Error;

/// Why a chunk is not one. Both mean that the program under test wrote over it, or that the map is another program's.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ChunkError {
    #[error("word {at} of chunk {sequence} is no record ({word:#x}): the program wrote over its trace")]
    Record { sequence: u64, at: usize, word: u64 },
    #[error("the record at word {at} of chunk {sequence} is cut off: the program wrote over its trace")]
    CutOff { sequence: u64, at: usize },
    #[error("the trace does not hold the chunks that its header tells of")]
    Table,
}

/// A stretch of what one thread did.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'t> {
    pub thread: u32,
    pub sequence: u64,
    pub words: &'t [u64],
}

/// What happened. `at` is the number of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Enter {
        function: u32,
    },
    Block {
        block: u32,
    },
    Load {
        at: u32,
        address: u64,
        bytes: u64,
    },
    Store {
        at: u32,
        address: u64,
        bytes: u64,
    },
    /// `memcpy` and its like, as an intrinsic of the program's own code.
    Copy {
        at: u32,
        to: u64,
        from: u64,
        bytes: u64,
    },
    Fill {
        at: u32,
        address: u64,
        bytes: u64,
    },
    /// A call. `callee`: a function number, [`EXTERNAL`] and an index into the external names, or `None` where a
    /// pointer (`address`, otherwise 0) leads to no function that the program speaks of.
    Call {
        at: u32,
        callee: Option<u32>,
        address: u64,
    },
    Return {
        at: u32,
    },
    /// A call that can return more than once (`setjmp`) has returned: control is here now, wherever it was.
    Again {
        at: u32,
    },
    /// A variable on the stack begins to live.
    Stack {
        at: u32,
        address: u64,
        bytes: u64,
    },
    /// A struct argument passed by value begins to live.
    Argument {
        function: u32,
        argument: u32,
        address: u64,
        bytes: u64,
    },
    Assembler {
        at: u32,
    },
    /// The result of an instruction; of a pointer the address, of a number of less than 64 bits its bits. Only where values are recorded.
    Value {
        at: u32,
        value: u64,
    },
    Parameter {
        function: u32,
        parameter: u32,
        value: u64,
    },
    /// What code without instrumentation did during the call `at` ([`NO_CALL`] if none is known).
    Outside {
        at: u32,
        effect: Effect,
    },
    Global {
        global: u32,
        address: u64,
        bytes: u64,
    },
    Function {
        function: u32,
        address: u64,
    },
    Given {
        address: u64,
        bytes: u64,
    },
    Signal {
        signal: u32,
    },
}

impl Event {
    /// The instruction of the program that did it.
    pub fn instruction(&self) -> Option<u32> {
        match *self {
            Event::Load { at, .. }
            | Event::Store { at, .. }
            | Event::Copy { at, .. }
            | Event::Fill { at, .. }
            | Event::Call { at, .. }
            | Event::Return { at }
            | Event::Again { at }
            | Event::Value { at, .. }
            | Event::Stack { at, .. }
            | Event::Assembler { at } => Some(at),
            Event::Outside { at, .. } => Some(at).filter(|a| *a != NO_CALL),
            _ => None,
        }
    }
}

/// See [`Event::Outside`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Reads { address: u64, bytes: u64 },
    Writes { address: u64, bytes: u64 },
    Copies { to: u64, from: u64, bytes: u64 },
    Allocates { address: u64, bytes: u64 },
    Frees { address: u64 },
}

/// Stands for the instruction where there is none.
pub const NO_CALL: u32 = u32::MAX;

/// The chunks of the last run in `arena`, in the order in which they were taken.
pub fn chunks<'a>(arena: &'a [u8], header: &Header) -> Result<Vec<Chunk<'a>>, ChunkError> {
    let (start, capacity) = (header.events_offset as usize, header.events_capacity as usize);
    let region =
        start.checked_add(capacity).and_then(|end| arena.get(start..end)).ok_or(ChunkError::Table)?;
    let count = slots(capacity);
    let table: &[Slot] =
        bytemuck::try_cast_slice(&region[..count * size_of::<Slot>()]).map_err(|_| ChunkError::Table)?;
    let words: &[u64] = bytemuck::try_cast_slice(&region[table_bytes(count)..][..count * CHUNK_BYTES])
        .map_err(|_| ChunkError::Table)?;
    let used = |s: &Slot| s.state != SLOT_FREE && (1..=header.chunks).contains(&s.sequence);
    let mut found: Vec<Chunk> = table
        .iter()
        .zip(words.chunks_exact(CHUNK_BYTES / 8))
        .filter(|(slot, _)| used(slot))
        .map(|(slot, words)| Chunk { thread: slot.thread, sequence: slot.sequence, words })
        .collect();
    found.sort_by_key(|c| c.sequence);
    Ok(found)
}

/// An activation of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub function: u32,
    /// The newest call, [`NO_CALL`] before the first.
    pub call: u32,
}

/// Where an event happened: the thread, and its activations, outermost first. A function that is entered is already
/// there, one that returns no more.
#[derive(Clone, Copy, Debug)]
pub struct At<'s> {
    pub thread: u32,
    pub stack: &'s [Frame],
}

/// Turns chunks into events.
pub struct Decoder<'m> {
    map: &'m DependenceMap,
    /// Words of each segment after the header.
    lengths: Vec<u32>,
    /// Stack of each thread.
    threads: Vec<Vec<Frame>>,
    /// Functions by address.
    functions: std::collections::HashMap<u64, u32>,
}

/// More threads than this share the stack of the last one.
pub(super) const MAX_THREADS: usize = 1 << 16;

impl<'m> Decoder<'m> {
    pub fn new(map: &'m DependenceMap) -> Decoder<'m> {
        let length = |s| map.steps(s).iter().map(|step| step.kind.words() as u32).sum();
        Decoder {
            map,
            lengths: (0..map.segments.len()).map(length).collect(),
            threads: Vec::new(),
            functions: Default::default(),
        }
    }

    /// Hands every event of a chunk to `each`.
    pub fn decode(&mut self, chunk: &Chunk, mut each: impl FnMut(At, Event)) -> Result<(), ChunkError> {
        let thread = (chunk.thread as usize).min(MAX_THREADS);
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, Vec::new);
        }
        let mut stack = std::mem::take(&mut self.threads[thread]);
        let thread_number = chunk.thread;
        let result = self.records(chunk, &mut stack, &mut |stack: &[Frame], event| {
            each(At { thread: thread_number, stack }, event)
        });
        self.threads[thread] = stack;
        result
    }

    fn records(
        &mut self,
        chunk: &Chunk,
        stack: &mut Vec<Frame>,
        each: &mut impl FnMut(&[Frame], Event),
    ) -> Result<(), ChunkError> {
        let sequence = chunk.sequence;
        let mut at = 0;
        while let Some(&word) = chunk.words.get(at).filter(|w| **w != 0) {
            let bad = ChunkError::Record { sequence, at, word };
            let len = if word & RECORD != 0 {
                words(kind(word)).ok_or(bad)?
            } else {
                *self.lengths.get(word as usize - 1).ok_or(bad)? as usize
            };
            let Some(body) = chunk.words.get(at + 1..at + 1 + len) else {
                return Err(ChunkError::CutOff { sequence, at });
            };
            match word & RECORD {
                0 => self.segment(word as usize - 1, body, stack, each),
                _ => self.record(word, body, stack, each),
            }
            at += 1 + len;
        }
        Ok(())
    }

    #[inline]
    fn segment(
        &self,
        number: usize,
        body: &[u64],
        stack: &mut Vec<Frame>,
        each: &mut impl FnMut(&[Frame], Event),
    ) {
        let steps = self.map.steps(number);
        let function = self.map.segments[number];
        if steps.first().is_none_or(|s| s.kind != StepKind::Enter) {
            resume(stack, function);
        }
        let mut rest = body;
        for step in steps {
            // The record's length is the sum of its steps' words.
            let (mine, later) = rest.split_at(step.kind.words());
            rest = later;
            if mine.first() == Some(&0) {
                continue;
            }
            self.step(step, mine, function, stack, each);
        }
    }

    #[inline]
    fn step(
        &self,
        step: &Step,
        words: &[u64],
        function: u32,
        stack: &mut Vec<Frame>,
        each: &mut impl FnMut(&[Frame], Event),
    ) {
        let (at, bytes) = (step.instruction, step.value);
        match step.kind {
            StepKind::Block => each(stack, Event::Block { block: step.value as u32 }),
            StepKind::Load => each(stack, Event::Load { at, address: words[0], bytes }),
            StepKind::Store => each(stack, Event::Store { at, address: words[0], bytes }),
            StepKind::Update => {
                each(stack, Event::Load { at, address: words[0], bytes });
                each(stack, Event::Store { at, address: words[0], bytes })
            }
            StepKind::Enter => {
                stack.push(Frame { function, call: NO_CALL });
                each(stack, Event::Enter { function })
            }
            StepKind::Stack => each(stack, Event::Stack { at, address: words[0], bytes }),
            StepKind::StackDynamic => each(stack, Event::Stack { at, address: words[0], bytes: words[1] }),
            StepKind::Argument => {
                each(stack, Event::Argument { function, argument: at, address: words[0], bytes })
            }
            StepKind::Copy => each(stack, Event::Copy { at, to: words[0], from: words[1], bytes: words[2] }),
            StepKind::Fill => each(stack, Event::Fill { at, address: words[0], bytes: words[1] }),
            StepKind::Call => {
                set_call(stack, at);
                each(stack, Event::Call { at, callee: Some(step.value as u32), address: 0 })
            }
            StepKind::CallPointer => {
                set_call(stack, at);
                let callee = self.functions.get(&words[0]).copied();
                each(stack, Event::Call { at, callee, address: words[0] })
            }
            StepKind::Assembler => each(stack, Event::Assembler { at }),
            StepKind::Again => each(stack, Event::Again { at }),
            StepKind::Value => each(stack, Event::Value { at, value: words[0] ^ VALUE_MASK }),
            StepKind::Parameter => {
                let (function, value) = (step.value as u32, words[0] ^ VALUE_MASK);
                each(stack, Event::Parameter { function, parameter: at, value })
            }
            StepKind::Return => {
                stack.pop();
                each(stack, Event::Return { at })
            }
        }
    }

    #[cold]
    fn record(&mut self, head: u64, body: &[u64], stack: &[Frame], each: &mut impl FnMut(&[Frame], Event)) {
        let payload = head as u32;
        let at = stack.last().map_or(NO_CALL, |f| f.call);
        let effect = match (kind(head), body) {
            (RECORD_READ, &[address, bytes]) => Effect::Reads { address, bytes },
            (RECORD_WRITE, &[address, bytes]) => Effect::Writes { address, bytes },
            (RECORD_COPY, &[to, from, bytes]) => Effect::Copies { to, from, bytes },
            (RECORD_ALLOCATED, &[address, bytes]) => Effect::Allocates { address, bytes },
            (RECORD_FREED, &[address]) => Effect::Frees { address },
            (RECORD_GLOBAL, &[address, bytes]) => {
                return each(stack, Event::Global { global: payload, address, bytes })
            }
            (RECORD_FUNCTION, &[address]) => {
                self.functions.insert(address, payload);
                return each(stack, Event::Function { function: payload, address });
            }
            (RECORD_GIVEN, &[address, bytes]) => return each(stack, Event::Given { address, bytes }),
            // The only kind left with a body that `words` gave.
            _ => return each(stack, Event::Signal { signal: payload }),
        };
        each(stack, Event::Outside { at, effect })
    }
}

/// A part of a function goes on: whatever was called from it is over, by a return or by a jump.
#[inline]
fn resume(stack: &mut Vec<Frame>, function: u32) {
    if stack.last().is_some_and(|f| f.function == function) {
        return;
    }
    match stack.iter().rposition(|f| f.function == function) {
        Some(found) => stack.truncate(found + 1),
        None => stack.push(Frame { function, call: NO_CALL }),
    }
}

#[inline]
fn set_call(stack: &mut [Frame], at: u32) {
    if let Some(frame) = stack.last_mut() {
        frame.call = at;
    }
}
