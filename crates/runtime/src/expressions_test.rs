//! Checks that what `nodes`, `range`, `intrinsics` and `shadow` make of an operation has the value of the
//! operation on *every* input, not only on the run's own: random operations on random operands, evaluated on
//! other inputs both directly and through the nodes.

use crate::intrinsics::{self, __plx_rt_intrinsic};
use crate::state::{state, ALONE};
use crate::tls::Tls;
use crate::{nodes, shadow};
use parallax_trace::format::*;

// What the C part and the instrumenter provide in a real program.
static mut BLOCK: std::mem::MaybeUninit<Tls> = std::mem::MaybeUninit::zeroed();
#[no_mangle]
extern "C" fn __plx_tls_here() -> *mut Tls {
    std::ptr::addr_of_mut!(BLOCK).cast()
}
#[no_mangle]
extern "C" fn __plx_tls_size() -> u32 {
    std::mem::size_of::<Tls>() as u32
}
#[no_mangle]
static __plx_globals: [crate::objects::GlobalObject; 0] = [];
#[no_mangle]
static __plx_globals_len: u64 = 0;

pub const INPUTS: usize = 6;
pub type Bytes = [u8; INPUTS];

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    /// Small numbers, numbers near the ends, and anything.
    pub fn value(&mut self, w: u8) -> u64 {
        let v = match self.below(4) {
            0 => self.below(4),
            1 => 0u64.wrapping_sub(self.below(4)),
            2 => 1 << self.below(64),
            _ => self.next(),
        };
        v & mask(w)
    }
    pub fn bytes(&mut self) -> Bytes {
        std::array::from_fn(|_| self.value(8) as u8)
    }
}

pub fn arena() -> Vec<u64> {
    let nodes = 1 << 16;
    let mut memory = vec![0u64; (HEADER_BYTES + (1 << 16) + nodes * 24) / 8];
    let header = Header {
        magic: MAGIC,
        version: FORMAT_VERSION,
        events_offset: HEADER_BYTES as u64,
        events_capacity: 1 << 16,
        nodes_offset: (HEADER_BYTES + (1 << 16)) as u64,
        nodes_capacity: nodes as u64,
        ..Header::default()
    };
    // SAFETY: the memory is larger than a header and aligned for it; it outlives the test's use of the state.
    unsafe {
        memory.as_mut_ptr().cast::<Header>().write(header);
        state().clear();
        state().attach(memory.as_mut_ptr().cast());
    }
    memory
}

/// The value of a label on other inputs.
pub fn evaluate(label: u32, bytes: &Bytes) -> u64 {
    let n = state().node(label);
    let value = |l: u32| evaluate(l, bytes);
    let op = nodes::op_of(&n);
    match op {
        Op::Const => n.value,
        Op::Input => bytes[n.b as usize] as u64,
        Op::ZExt | Op::SExt => apply(op, n.width, nodes::width(n.a), value(n.a), 0, 0).unwrap(),
        Op::Extract => apply(op, n.width, nodes::width(n.a), value(n.a), n.b as u64, 0).unwrap(),
        Op::Concat => {
            apply(op, n.width, nodes::width(n.a), value(n.a), value(n.b), nodes::width(n.b) as u64).unwrap()
        }
        Op::Ite => apply(op, n.width, 1, value(n.a), value(n.b), value(n.c)).unwrap(),
        _ => apply(op, n.width, nodes::width(n.a), value(n.a), value(n.b), 0).unwrap(),
    }
}

/// A value of the simulated program: its label (0: concrete), width, and what it is on each input.
#[derive(Clone)]
struct Value {
    label: u32,
    w: u8,
    on: Vec<u64>,
}

impl Value {
    fn constant(w: u8, v: u64, n: usize) -> Value {
        Value { label: 0, w, on: vec![v & mask(w); n] }
    }
    fn operand(&self) -> u32 {
        nodes::operand(self.label, self.w, self.on[0])
    }
    fn check(&self, inputs: &[Bytes], what: &str) {
        for (bytes, expected) in inputs.iter().zip(&self.on) {
            let got = if self.label == 0 { self.on[0] } else { evaluate(self.label, bytes) };
            assert_eq!(got, *expected, "{what} on {bytes:?}");
        }
        if self.label != 0 {
            let bounds = crate::range::known(self.label);
            for v in &self.on {
                let inside = bounds.unsigned.0 <= *v && *v <= bounds.unsigned.1;
                let signed = sign_extend(*v, self.w);
                let inside_signed = bounds.signed.0 <= signed && signed <= bounds.signed.1;
                assert!(inside && inside_signed, "{what}: {v} is out of bounds");
            }
            assert_eq!(nodes::value(self.label), self.on[0], "{what}: value in this run");
            assert_eq!(nodes::width(self.label), self.w, "{what}: width");
        }
    }
}

const BINARY: [Op; 15] = [
    Op::Add,
    Op::Sub,
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
    Op::UMulHigh,
    Op::SMulHigh,
];
const COMPARISON: [Op; 8] =
    [Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle, Op::UMulOverflow, Op::SMulOverflow];

fn binary(op: Op, a: &Value, b: &Value) -> Value {
    let comparison = COMPARISON.contains(&op);
    let w = if comparison { 1 } else { a.w };
    let on = a.on.iter().zip(&b.on).map(|(x, y)| apply(op, w, a.w, *x, *y, 0).unwrap()).collect();
    let label =
        if a.label == 0 && b.label == 0 { 0 } else { nodes::binary(op, a.w, a.operand(), b.operand()) };
    Value { label, w, on }
}

fn resize(op: Op, a: &Value, w: u8, low: u32) -> Value {
    let on = a.on.iter().map(|x| apply(op, w, a.w, *x, low as u64, 0).unwrap()).collect();
    let label = match op {
        _ if a.label == 0 => 0,
        Op::Extract => nodes::extract(a.label, low, w),
        _ => nodes::extend(op, a.label, w),
    };
    Value { label, w, on }
}

/// Bring an operand to a width.
fn fit(a: &Value, w: u8, r: &mut Random) -> Value {
    match a.w {
        have if have == w => a.clone(),
        have if have > w => resize(Op::Extract, a, w, 0),
        _ if r.below(2) == 0 => resize(Op::ZExt, a, w, 0),
        _ => resize(Op::SExt, a, w, 0),
    }
}

fn through_memory(a: &Value) -> Value {
    let len = a.w.div_ceil(8) as usize;
    let place = [0u64; 2];
    let address = place.as_ptr() as usize;
    shadow::store(address, len, a.label);
    let label = shadow::load(address, len, a.on[0]);
    shadow::clear(address, len);
    let label = if label == 0 { 0 } else { nodes::extract(label, 0, a.w) };
    Value { label, ..a.clone() }
}

type Reference = fn(u64, u64, u8) -> u64;

fn intrinsic(a: &Value, b: &Value, r: &mut Random) -> Option<(Value, &'static str)> {
    let (number, w, name, reference): (u32, u8, _, Reference) = match r.below(13) {
        0 if a.w % 16 == 0 => (intrinsics::BSWAP, a.w, "bswap", |x, _, w| x.swap_bytes() >> (64 - w)),
        1 => (intrinsics::CTPOP, a.w, "ctpop", |x, _, _| x.count_ones() as u64),
        2 => (intrinsics::CTLZ, a.w, "ctlz", |x, _, w| (x.leading_zeros() - (64 - w as u32)) as u64),
        3 => (intrinsics::CTTZ, a.w, "cttz", |x, _, w| x.trailing_zeros().min(w as u32) as u64),
        4 => (intrinsics::ABS, a.w, "abs", |x, _, w| sign_extend(x, w).unsigned_abs()),
        5 => (intrinsics::SMAX, a.w, "smax", |x, y, w| sign_extend(x, w).max(sign_extend(y, w)) as u64),
        6 => (intrinsics::UMIN, a.w, "umin", |x, y, _| x.min(y)),
        7 => (intrinsics::SADD_OVERFLOW, 1, "sadd overflow", |x, y, w| {
            let sum = sign_extend(x, w) as i128 + sign_extend(y, w) as i128;
            (sum != sign_extend(sum as u64, w) as i128) as u64
        }),
        8 => (intrinsics::SSUB_OVERFLOW, 1, "ssub overflow", |x, y, w| {
            let d = sign_extend(x, w) as i128 - sign_extend(y, w) as i128;
            (d != sign_extend(d as u64, w) as i128) as u64
        }),
        9 => (intrinsics::UADD_OVERFLOW, 1, "uadd overflow", |x, y, w| {
            (x as u128 + y as u128 > mask(w) as u128) as u64
        }),
        10 => (intrinsics::USUB_OVERFLOW, 1, "usub overflow", |x, y, _| (x < y) as u64),
        11 => (intrinsics::BITREVERSE, a.w, "bitreverse", |x, _, w| x.reverse_bits() >> (64 - w)),
        12 => (intrinsics::FSHL, a.w, "fshl by 3", |x, y, w| {
            let k = 3 % w as u32;
            if k == 0 {
                x
            } else {
                x << k | y >> (w as u32 - k)
            }
        }),
        _ => return None,
    };
    if a.label == 0 && b.label == 0 {
        return None;
    }
    let what = number | (a.w as u32) << 8;
    let label = __plx_rt_intrinsic(what, a.label, b.label, 0, a.on[0], b.on[0], 3);
    let on = a.on.iter().zip(&b.on).map(|(x, y)| reference(*x, *y, a.w) & mask(w)).collect();
    Some((Value { label, w, on }, name))
}

/// One more value from those there are.
fn step(values: &[Value], r: &mut Random, n: usize) -> Option<(Value, String)> {
    let any = |r: &mut Random| values[r.below(values.len() as u64) as usize].clone();
    let a = any(r);
    let b = match r.below(3) {
        0 => Value::constant(a.w, r.value(a.w), n),
        1 if a.w > 1 => fit(&any(r), a.w, r),
        _ => a.clone(),
    };
    Some(match r.below(9) {
        0..=2 => {
            let op = BINARY[r.below(15) as usize];
            let b = match op {
                // The caller of `nodes` keeps shift amounts below the width.
                Op::Shl | Op::LShr | Op::AShr => Value::constant(a.w, r.below(a.w as u64), n),
                _ => b,
            };
            (binary(op, &a, &b), format!("{op:?} of {} bits", a.w))
        }
        3 | 4 => {
            let op = COMPARISON[r.below(8) as usize];
            (binary(op, &a, &b), format!("{op:?} of {} bits", a.w))
        }
        5 => {
            let w = 1 + r.below(64) as u8;
            (fit(&a, w, r), format!("{} to {w} bits", a.w))
        }
        6 => {
            let low = r.below(a.w as u64) as u32;
            let w = 1 + r.below(a.w as u64 - low as u64) as u8;
            (resize(Op::Extract, &a, w, low), format!("bits {low}+{w}"))
        }
        7 => (through_memory(&a), format!("{} bits through memory", a.w)),
        _ if r.below(3) == 0 && a.w > 1 => {
            let c = values.iter().find(|v| v.w == 1 && v.label != 0)?;
            let on = (0..n).map(|i| if c.on[i] == 1 { a.on[i] } else { b.on[i] }).collect();
            (Value { label: nodes::ite(c.label, a.operand(), b.operand()), w: a.w, on }, "ite".into())
        }
        _ => {
            let (v, name) = intrinsic(&a, &b, r)?;
            (v, format!("{name} of {} bits", a.w))
        }
    })
}

#[test]
fn every_operation_has_its_value_on_all_inputs() {
    let _alone = ALONE.lock().unwrap();
    assert!(shadow::reserve() || shadow::get(0x5000_0000) == 0);
    let mut r = Random(0x5EED_0001);
    for _ in 0..1500 {
        let _memory = arena();
        let inputs: Vec<Bytes> = (0..12).map(|_| r.bytes()).collect();
        let mut values: Vec<Value> = (0..INPUTS)
            .map(|i| Value {
                label: nodes::input(0, i as u32, inputs[0][i]),
                w: 8,
                on: inputs.iter().map(|b| b[i] as u64).collect(),
            })
            .collect();
        for _ in 0..24 {
            if let Some((value, what)) = step(&values, &mut r, inputs.len()) {
                value.check(&inputs, &what);
                values.push(value);
            }
        }
        state().stop();
    }
}
