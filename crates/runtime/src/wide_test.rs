//! Checks that what `wide` and `wide_overflow` make of an operation on 65 to 128 bits has the value of the operation on
//! *every* input for which its guards hold: random operations on random operands, against Rust's own 128 bits.

use crate::expressions_test::{arena, evaluate, Bytes, Random, INPUTS};
use crate::intrinsics::*;
use crate::state::{state, ALONE};
use crate::wide::*;
use crate::wide_overflow::__plx_rt_wide_overflow;
use crate::{nodes, shadow};
use parallax_trace::format::*;

/// A value of 1 to 128 bits: the labels of its words, and what it is on each input.
#[derive(Clone)]
struct Value {
    labels: u64,
    w: u8,
    on: Vec<u128>,
}

fn mask_wide(w: u8) -> u128 {
    u128::MAX >> (128 - w)
}

fn signed(v: u128, w: u8) -> i128 {
    let shift = 128 - u32::from(w);
    ((v << shift) as i128) >> shift
}

impl Value {
    fn constant(v: u128, w: u8, n: usize) -> Value {
        Value { labels: 0, w, on: vec![v & mask_wide(w); n] }
    }

    fn lo(&self) -> u64 {
        self.on[0] as u64
    }

    fn hi(&self) -> u64 {
        (self.on[0] >> 64) as u64
    }

    /// What the labels say on an input; words without one are as in the run.
    fn evaluate(&self, bytes: &Bytes) -> u128 {
        let word = |label: u32, value: u64| if label == 0 { value } else { evaluate(label, bytes) };
        let lo = word(self.labels as u32, self.lo());
        let hi = word((self.labels >> 32) as u32, self.hi());
        u128::from(lo) | u128::from(hi) << 64
    }

    fn check(&self, inputs: &[Bytes], held: &[bool], what: &str) {
        for ((bytes, expected), held) in inputs.iter().zip(&self.on).zip(held) {
            assert!(!held || self.evaluate(bytes) == *expected, "{what} of {} bits on {bytes:?}", self.w);
        }
        for (label, w) in
            [(self.labels as u32, self.w.min(64)), ((self.labels >> 32) as u32, self.w.max(65) - 64)]
        {
            assert!(label == 0 || nodes::width(label) == w, "{what}: width of a word");
        }
    }
}

/// Guards since event `first`: on which inputs do they all hold? Nothing is known but for this run where a value was made
/// concrete.
fn guarded(first: usize, inputs: &[Bytes]) -> Vec<bool> {
    let s = state();
    let count = s.events_len.get() / EVENT_BYTES;
    // SAFETY: the events are those of the test's arena, all without payload.
    let events: Vec<RawEvent> = (first..count)
        .map(|i| unsafe { *(s.events.get().add(i * EVENT_BYTES) as *const RawEvent) })
        .collect();
    let lost = events.iter().any(|e| e.kind == KIND_CONCRETE);
    let holds = |bytes: &Bytes| {
        events.iter().filter(|e| e.kind == KIND_GUARD).all(|e| evaluate(e.y, bytes) == u64::from(e.flag))
    };
    inputs.iter().enumerate().map(|(i, bytes)| i == 0 || (!lost && holds(bytes))).collect()
}

const OPS: [Op; 20] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Mul,
    Op::UDiv,
    Op::SDiv,
    Op::URem,
    Op::SRem,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Eq,
    Op::Ne,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
];

fn reference(op: Op, a: u128, b: u128, w: u8) -> u128 {
    let (x, y) = (signed(a, w), signed(b, w));
    let value = match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(0),
        Op::URem => a.checked_rem(b).unwrap_or(0),
        Op::SDiv if y == 0 => 0,
        Op::SDiv => x.wrapping_div(y) as u128,
        Op::SRem if y == 0 => 0,
        Op::SRem => x.wrapping_rem(y) as u128,
        Op::Shl => a.checked_shl(b as u32).unwrap_or(0),
        Op::LShr => a.checked_shr(b as u32).unwrap_or(0),
        Op::AShr => x.checked_shr(b as u32).unwrap_or(0) as u128,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Eq => (a == b).into(),
        Op::Ne => (a != b).into(),
        Op::Ult => (a < b).into(),
        Op::Ule => (a <= b).into(),
        Op::Slt => (x < y).into(),
        _ => (x <= y).into(),
    };
    value & mask_wide(w)
}

fn overflows(number: u32, a: u128, b: u128, w: u8) -> bool {
    let (x, y) = (signed(a, w), signed(b, w));
    let outside = |v: Option<i128>| !v.is_some_and(|v| v == signed(v as u128, w));
    let above = |v: Option<u128>| !v.is_some_and(|v| v & !mask_wide(w) == 0);
    match number {
        SADD_OVERFLOW => outside(x.checked_add(y)),
        SSUB_OVERFLOW => outside(x.checked_sub(y)),
        SMUL_OVERFLOW => outside(x.checked_mul(y)),
        UADD_OVERFLOW => above(a.checked_add(b)),
        USUB_OVERFLOW => a < b,
        _ => above(a.checked_mul(b)),
    }
}

fn binary(op: Op, a: &Value, b: &Value) -> Value {
    let predicate = (Op::Eq..=Op::Sle).contains(&op);
    let w = if predicate { 1 } else { a.w };
    let on = a.on.iter().zip(&b.on).map(|(x, y)| reference(op, *x, *y, a.w) & mask_wide(w)).collect();
    let what = op as u32 | u32::from(a.w) << 8;
    let labels = match a.labels | b.labels {
        0 => 0,
        _ => __plx_rt_wide_binary(what, a.labels, b.labels, a.lo(), a.hi(), b.lo(), b.hi(), 0),
    };
    Value { labels, w, on }
}

fn overflow(a: &Value, b: &Value, number: u32) -> Value {
    let on = a.on.iter().zip(&b.on).map(|(x, y)| overflows(number, *x, *y, a.w).into()).collect();
    let what = number | u32::from(a.w) << 8;
    let labels = match a.labels | b.labels {
        0 => 0,
        _ => __plx_rt_wide_overflow(what, a.labels, b.labels, a.lo(), a.hi(), b.lo(), b.hi(), 0),
    };
    Value { labels, w: 1, on }
}

/// To `w` bits; one of the widths is more than 64.
fn cast(a: &Value, w: u8, r: &mut Random) -> Value {
    let op = match (w > a.w, r.below(2)) {
        (true, 0) => Op::SExt,
        (true, _) => Op::ZExt,
        _ => Op::Extract,
    };
    let extend = |v: &u128| if op == Op::SExt { signed(*v, a.w) as u128 } else { *v };
    let on = a.on.iter().map(|v| extend(v) & mask_wide(w)).collect();
    let what = op as u32 | u32::from(a.w) << 8 | u32::from(w) << 16;
    let labels = if a.labels == 0 { 0 } else { __plx_rt_wide_cast(what, a.labels, a.lo(), a.hi()) };
    Value { labels, w, on }
}

fn select(c: &Value, a: &Value, b: &Value) -> Value {
    let on = (0..c.on.len()).map(|i| if c.on[i] == 1 { a.on[i] } else { b.on[i] }).collect();
    let what = u32::from(a.w) | (c.on[0] as u32) << 8;
    let label = c.labels as u32;
    let labels = __plx_rt_wide_select(what, label, a.labels, b.labels, a.lo(), a.hi(), b.lo(), b.hi(), 0);
    Value { labels, w: a.w, on }
}

fn through_memory(a: &Value) -> Value {
    let place = [0u64; 3];
    let address = place.as_ptr() as usize;
    let len = u64::from(a.w.div_ceil(8));
    __plx_rt_wide_store(address, 0, len, a.labels, 0);
    let labels = __plx_rt_wide_load(address, 0, a.w.into(), a.lo(), a.hi(), 0);
    shadow::clear(address, 16);
    Value { labels, ..a.clone() }
}

/// An operand of `w` bits, more than 64: one there is, extended, or a number.
fn operand(values: &[Value], w: u8, r: &mut Random, n: usize) -> Value {
    let fitting: Vec<&Value> = values.iter().filter(|v| v.w == w || v.w <= 64 && v.w > 1).collect();
    match r.below(4) {
        0 => Value::constant(u128::from(r.value(64)) << r.below(65), w, n),
        1 => Value::constant(signed(r.value(64).into(), 64) as u128, w, n),
        _ => {
            let v = fitting[r.below(fitting.len() as u64) as usize];
            if v.w == w {
                v.clone()
            } else {
                cast(v, w, r)
            }
        }
    }
}

fn step(values: &[Value], r: &mut Random, n: usize) -> Option<(Value, String)> {
    let w = [65, 96, 100, 127, 128, 128, 128][r.below(7) as usize];
    let (a, b) = (operand(values, w, r, n), operand(values, w, r, n));
    Some(match r.below(10) {
        0..=4 => {
            let op = OPS[r.below(20) as usize];
            // Half of the shifts by a number, half by an input of a few bits.
            let b = match op {
                Op::Shl | Op::LShr | Op::AShr if r.below(2) == 0 => {
                    Value::constant(r.below(w.into()).into(), w, n)
                }
                Op::Shl | Op::LShr | Op::AShr => {
                    binary(Op::And, &operand(values, w, r, n), &Value::constant(63, w, n))
                }
                // The program would be dead.
                Op::UDiv | Op::SDiv | Op::URem | Op::SRem if b.on[0] == 0 => return None,
                _ => b,
            };
            (binary(op, &a, &b), format!("{op:?}"))
        }
        5 => {
            let number =
                [SADD_OVERFLOW, SSUB_OVERFLOW, SMUL_OVERFLOW, UADD_OVERFLOW, USUB_OVERFLOW, UMUL_OVERFLOW]
                    [r.below(6) as usize];
            (overflow(&a, &b, number), format!("overflow {number}"))
        }
        6 => {
            let to = 2 + r.below(63) as u8;
            (cast(&a, to, r), format!("{w} to {to} bits"))
        }
        7 => (cast(&a, 65 + r.below(64) as u8, r), format!("{w} to other bits")),
        8 => (through_memory(&a), "memory".into()),
        _ => {
            let c = values.iter().find(|v| v.w == 1 && v.labels != 0)?;
            if a.labels | b.labels == 0 {
                return None;
            }
            (select(c, &a, &b), "select".into())
        }
    })
}

#[test]
fn every_wide_operation_has_its_value_on_all_inputs_that_its_guards_let_in() {
    let _alone = ALONE.lock().unwrap();
    assert!(shadow::reserve() || shadow::get(0x5000_0000) == 0);
    let mut r = Random(0x5EED_0128);
    let (mut let_in, mut all, mut symbolic) = (0, 0, 0);
    for _ in 0..1500 {
        let _memory = arena();
        let inputs: Vec<Bytes> = (0..12).map(|_| r.bytes()).collect();
        let mut held = vec![true; inputs.len()];
        let mut values: Vec<Value> = (0..INPUTS)
            .map(|i| Value {
                labels: nodes::input(0, i as u32, inputs[0][i]).into(),
                w: 8,
                on: inputs.iter().map(|b| b[i].into()).collect(),
            })
            .collect();
        for _ in 0..20 {
            let first = state().events_len.get() / EVENT_BYTES;
            let Some((value, what)) = step(&values, &mut r, inputs.len()) else { continue };
            for (held, new) in held.iter_mut().zip(guarded(first, &inputs)) {
                *held &= new;
            }
            value.check(&inputs, &held, &what);
            let_in += held.iter().filter(|h| **h).count();
            all += held.len();
            symbolic += usize::from(value.labels != 0);
            values.push(value);
        }
        state().stop();
    }
    assert!(let_in * 10 > all * 3 && symbolic > 8000, "{let_in} of {all}, {symbolic} symbolic");
}
