//! Inputs near an input, many of which keep its path.
//!
//! In: a trace and a source of random numbers. Out: changed copies of its inputs.
//!
//! Always holds: arguments and environment variables never contain a NUL; the number and order of inputs stays.

use parallax_trace::eval::bytes_of;
use parallax_trace::request::{Input, Source};
use parallax_trace::sites::SiteInfo;
use parallax_trace::Trace;

/// Bytes of an input whose values are tried out one by one.
const EXAMINED_BYTES: usize = 16;
/// Bytes changed at once, and bytes by which an input grows at once, at most.
const MAX_CHANGES: usize = 4;

/// A byte and the values that keep every condition, as long as no other byte changes.
struct Free {
    input: usize,
    offset: usize,
    values: Vec<u8>,
}

/// Mutations of the inputs of one trace.
pub struct Mutator {
    base: Vec<Input>,
    free: Vec<Free>,
}

impl Mutator {
    /// Finds out which values of some bytes keep the path condition.
    pub fn new(trace: &Trace, sites: &[SiteInfo], random: &mut fastrand::Rng) -> Mutator {
        let base = trace.inputs().to_vec();
        let mut places = Vec::new();
        for (input, content) in base.iter().enumerate().filter(|(_, i)| i.symbolic) {
            places.extend((0..content.bytes.len()).map(|offset| (input, offset)));
        }
        random.shuffle(&mut places);
        places.truncate(EXAMINED_BYTES);
        let free = places.into_iter().map(|place| Free::find(trace, sites, place)).collect();
        Mutator { base, free }
    }

    /// One changed copy; `None` if the dice came up with no change.
    pub fn mutate(&self, random: &mut fastrand::Rng) -> Option<Vec<Input>> {
        let mut inputs = self.base.clone();
        match random.u32(0..16) {
            0..10 => self.kept_values(&mut inputs, random),
            10 | 11 => self.set_byte(&mut inputs, random),
            12 => rename(&mut inputs, random),
            13 => swap(&mut inputs, random),
            _ => resize(&mut inputs, random),
        }
        let strings = inputs.iter().filter(|i| terminated(i));
        let valid = strings.into_iter().all(|i| !i.bytes.contains(&0));
        (valid && inputs != self.base).then_some(inputs)
    }

    fn kept_values(&self, inputs: &mut [Input], random: &mut fastrand::Rng) {
        for _ in 0..random.usize(1..=MAX_CHANGES) {
            if let Some(free) = random.choice(&self.free) {
                if let Some(value) = random.choice(&free.values) {
                    inputs[free.input].bytes[free.offset] = *value;
                }
            }
        }
    }

    fn set_byte(&self, inputs: &mut [Input], random: &mut fastrand::Rng) {
        let interesting = b"\0\x01\x7f\x80\xff09azAZ-+ \n\t:,\"'%";
        if let Some(free) = random.choice(&self.free) {
            let value = match random.bool() {
                true => random.u8(..),
                false => random.choice(interesting).copied().unwrap_or_default(),
            };
            inputs[free.input].bytes[free.offset] = value;
        }
    }
}

impl Free {
    fn find(trace: &Trace, sites: &[SiteInfo], (input, offset): (usize, usize)) -> Free {
        let lowest = u8::from(terminated(&trace.inputs()[input]));
        let original = bytes_of(trace.inputs());
        let keeps = |value: u8| {
            let changed = |i: u32, o: u32| match (i as usize, o as usize) == (input, offset) {
                true => Some(value),
                false => original(i, o),
            };
            trace.holds_with(&trace.eval_all(&changed), sites, true)
        };
        Free { input, offset, values: (lowest..=u8::MAX).filter(|v| keeps(*v)).collect() }
    }
}

fn terminated(input: &Input) -> bool {
    matches!(input.source, Source::Argument(_) | Source::Env(_))
}

fn pick<'i>(inputs: &'i mut [Input], random: &mut fastrand::Rng) -> Option<&'i mut Input> {
    let symbolic: Vec<&mut Input> = inputs.iter_mut().filter(|i| i.symbolic).collect();
    random.choice(symbolic)
}

/// Every occurrence of one byte in one input becomes another.
fn rename(inputs: &mut [Input], random: &mut fastrand::Rng) {
    let Some(input) = pick(inputs, random) else { return };
    let Some(old) = random.choice(&input.bytes).copied() else { return };
    let new = old.wrapping_add(random.u8(1..=3));
    input.bytes.iter_mut().filter(|b| **b == old).for_each(|b| *b = new);
}

fn swap(inputs: &mut [Input], random: &mut fastrand::Rng) {
    let Some(input) = pick(inputs, random) else { return };
    if input.bytes.len() > 1 {
        let (a, b) = (random.usize(..input.bytes.len()), random.usize(..input.bytes.len()));
        input.bytes.swap(a, b);
    }
}

/// Longer or shorter, at the end or inside.
fn resize(inputs: &mut [Input], random: &mut fastrand::Rng) {
    let Some(input) = pick(inputs, random) else { return };
    let at = match random.bool() {
        true => input.bytes.len(),
        false => random.usize(..=input.bytes.len()),
    };
    let by = random.usize(1..=MAX_CHANGES);
    if random.bool() {
        let added: Vec<u8> = (0..by).map(|_| random.u8(1..=127)).collect();
        input.bytes.splice(at..at, added);
    } else {
        let from = at.saturating_sub(by);
        input.bytes.drain(from..at);
    }
}
