//! Integers of 65 to 128 bits, as a lower word of 64 bits and an upper one of the rest: every operation becomes
//! operations on words, because expressions are at most 64 bits wide.
//!
//! In: operators, and for each operand the labels of its words (lower in the low half) and the words. Out:
//! the labels of the result's words likewise. Signatures are repeated in `stubs.c` and the instrumenter's `abi.rs`.
//!
//! Always holds: the result's expressions have its value on every input for which the guards recorded hold. Where both
//! operands are known to be sign-extended from 64 bits, operations are those of 64 bits: that is what nearly all
//! such code computes with.

use crate::events;
use crate::state::state;
use crate::tls::tls;
use crate::word::Word;
use crate::{abi, nodes, range};
use parallax_trace::format::*;

const SIGN: u64 = 63;

/// A value of 128 bits.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    pub lo: Word,
    pub hi: Word,
}

pub fn tracing() -> bool {
    state().is_on() && tls().off == 0
}

/// Two labels in one number.
fn pair(labels: u64) -> (u32, u32) {
    (labels as u32, (labels >> 32) as u32)
}

impl Wide {
    /// An operand of `w` bits; its words hold nothing above.
    pub fn operand(labels: u64, (lo, hi): (u64, u64), w: u8) -> Wide {
        let (low, high) = pair(labels);
        let upper = Word::new(high, hi, w - 64).extend(Op::ZExt, 64);
        Wide { lo: Word::new(low, lo, 64), hi: upper }
    }

    /// An operand of `w` bits, sign-extended.
    pub fn signed_operand(labels: u64, (lo, hi): (u64, u64), w: u8) -> Wide {
        let (low, high) = pair(labels);
        let upper = Word::new(high, hi, w - 64).extend(Op::SExt, 64);
        Wide { lo: Word::new(low, lo, 64), hi: upper }
    }

    fn constant(value: u128) -> Wide {
        Wide { lo: Word::constant(64, value as u64), hi: Word::constant(64, (value >> 64) as u64) }
    }

    /// The labels of the lowest `w` bits.
    fn labels(self, w: u8) -> u64 {
        let hi = self.hi.extract(0, w - 64);
        u64::from(self.lo.label) | u64::from(hi.label) << 32
    }

    fn sign_extended(lo: Word) -> Wide {
        let bounds = lo.bounds().signed;
        let hi = match (bounds.0 >= 0, bounds.1 < 0) {
            (true, _) => Word::constant(64, 0),
            (_, true) => Word::constant(64, u64::MAX),
            _ => lo.with(Op::AShr, SIGN),
        };
        Wide { lo, hi }
    }

    /// Is it sign-extended from its lower word on every input, as far as can be seen?
    fn is_sign_extended(self) -> bool {
        let bounds = self.lo.bounds().signed;
        match (self.hi.label, self.hi.value) {
            (0, 0) => bounds.0 >= 0,
            (0, u64::MAX) => bounds.1 < 0,
            (0, _) => false,
            (label, _) => is_sign_of(label, self.lo.label),
        }
    }

    fn is_zero_extended(self) -> bool {
        self.hi == Word::constant(64, 0)
    }

    fn each(self, op: Op, other: Wide) -> Wide {
        Wide { lo: self.lo.op(op, other.lo), hi: self.hi.op(op, other.hi) }
    }

    pub fn add(self, other: Wide) -> Wide {
        let lo = self.lo.op(Op::Add, other.lo);
        let (a, b) = (self.lo.bounds().signed, other.lo.bounds().signed);
        let fits = a.0.checked_add(b.0).is_some() && a.1.checked_add(b.1).is_some();
        if fits && self.is_sign_extended() && other.is_sign_extended() {
            return Wide::sign_extended(lo);
        }
        let carry = lo.op(Op::Ult, self.lo).extend(Op::ZExt, 64);
        Wide { lo, hi: self.hi.op(Op::Add, other.hi).op(Op::Add, carry) }
    }

    pub fn sub(self, other: Wide) -> Wide {
        let lo = self.lo.op(Op::Sub, other.lo);
        let (a, b) = (self.lo.bounds().signed, other.lo.bounds().signed);
        let fits = a.0.checked_sub(b.1).is_some() && a.1.checked_sub(b.0).is_some();
        if fits && self.is_sign_extended() && other.is_sign_extended() {
            return Wide::sign_extended(lo);
        }
        let borrow = self.lo.op(Op::Ult, other.lo).extend(Op::ZExt, 64);
        Wide { lo, hi: self.hi.op(Op::Sub, other.hi).op(Op::Sub, borrow) }
    }

    pub fn mul(self, other: Wide) -> Wide {
        let lo = self.lo.op(Op::Mul, other.lo);
        let (a, b) = (self.lo.bounds(), other.lo.bounds());
        if self.is_sign_extended() && other.is_sign_extended() {
            if range::signed_product(a.signed, b.signed).is_some() {
                return Wide::sign_extended(lo);
            }
            return Wide { lo, hi: self.lo.op(Op::SMulHigh, other.lo) };
        }
        let high = match a.unsigned.1.checked_mul(b.unsigned.1) {
            Some(_) => Word::constant(64, 0),
            None => self.lo.op(Op::UMulHigh, other.lo),
        };
        let crossed = self.lo.op(Op::Mul, other.hi).op(Op::Add, self.hi.op(Op::Mul, other.lo));
        Wide { lo, hi: high.op(Op::Add, crossed) }
    }

    /// Shifts by less than 128, which a guard has made sure of.
    fn shift(self, op: Op, by: Word) -> Wide {
        if by.is_symbolic() {
            let (a, b) = (self.shift_within(op, by), self.shift_beyond(op, by));
            let small = by.with(Op::Ult, 64);
            return Wide { lo: small.choose(a.lo, b.lo), hi: small.choose(a.hi, b.hi) };
        }
        match by.value {
            0 => self,
            1..64 => self.shift_within(op, by),
            _ => self.shift_beyond(op, by),
        }
    }

    /// By less than 64: a word shifted by 64, the rest of a shift by 0, is 0.
    fn shift_within(self, op: Op, by: Word) -> Wide {
        let rest = Word::constant(64, 64).op(Op::Sub, by);
        match op {
            Op::Shl => {
                let hi = self.hi.op(Op::Shl, by).op(Op::Or, self.lo.op(Op::LShr, rest));
                Wide { lo: self.lo.op(Op::Shl, by), hi }
            }
            _ => {
                let lo = self.lo.op(Op::LShr, by).op(Op::Or, self.hi.op(Op::Shl, rest));
                Wide { lo, hi: self.hi.op(op, by) }
            }
        }
    }

    /// By 64 or more.
    fn shift_beyond(self, op: Op, by: Word) -> Wide {
        let more = by.with(Op::Sub, 64);
        match op {
            Op::Shl => Wide { lo: Word::constant(64, 0), hi: self.lo.op(Op::Shl, more) },
            Op::AShr => Wide { lo: self.hi.op(op, more), hi: self.hi.with(op, SIGN) },
            _ => Wide { lo: self.hi.op(op, more), hi: Word::constant(64, 0) },
        }
    }

    /// A comparison, of one bit.
    pub fn compare(self, op: Op, other: Wide) -> Word {
        if self.is_sign_extended() && other.is_sign_extended() {
            // Sign extension keeps both orders.
            return self.lo.op(op, other.lo);
        }
        if let Some(result) = self.compare_product(op, other) {
            return result;
        }
        match op {
            Op::Eq => self.hi.op(Op::Eq, other.hi).op(Op::And, self.lo.op(Op::Eq, other.lo)),
            Op::Ne => self.hi.op(Op::Ne, other.hi).op(Op::Or, self.lo.op(Op::Ne, other.lo)),
            _ => {
                let signed = matches!(op, Op::Slt | Op::Sle);
                let below = self.hi.op(if signed { Op::Slt } else { Op::Ult }, other.hi);
                let last = if matches!(op, Op::Slt | Op::Ult) { Op::Ult } else { Op::Ule };
                let level = self.hi.op(Op::Eq, other.hi).op(Op::And, self.lo.op(last, other.lo));
                below.op(Op::Or, level)
            }
        }
    }

    /// Of a signed product of words and a sign-extended value: if the product fits into a word, the lower words decide, and
    /// if it does not, its sign. Solvers know overflow better than upper halves.
    fn compare_product(self, op: Op, other: Wide) -> Option<Word> {
        let ((a, b), product_is_left) = match (self.factors(Op::SMulHigh), other.factors(Op::SMulHigh)) {
            (Some(factors), _) if other.is_sign_extended() => (factors, true),
            (_, Some(factors)) if self.is_sign_extended() => (factors, false),
            _ => return None,
        };
        let negative = a.op(Op::Xor, b).with(Op::Slt, 0);
        let beyond = match op {
            Op::Eq | Op::Ne => Word::constant(1, (op == Op::Ne).into()),
            Op::Slt | Op::Sle if product_is_left => negative,
            Op::Slt | Op::Sle => negative.with(Op::Xor, 1),
            _ => return None,
        };
        Some(a.op(Op::SMulOverflow, b).choose(beyond, self.lo.op(op, other.lo)))
    }

    /// The words whose product this is, signed or unsigned as the operator of its upper half.
    fn factors(self, high: Op) -> Option<(Word, Word)> {
        if !self.hi.is_symbolic() || !self.lo.is_symbolic() {
            return None;
        }
        let (hi, lo) = (state().node(self.hi.label), state().node(self.lo.label));
        let same = hi.op == high as u8 && lo.op == Op::Mul as u8 && (hi.a, hi.b) == (lo.a, lo.b);
        same.then(|| (Word::of(hi.a), Word::of(hi.b)))
    }

    /// Quotient or remainder of operands that fit into 64 bits.
    fn divide(self, op: Op, other: Wide) -> Wide {
        let lo = self.lo.op(op, other.lo);
        match op {
            Op::UDiv | Op::URem => Wide { lo, hi: Word::constant(64, 0) },
            Op::SRem => Wide::sign_extended(lo),
            _ => {
                // The least number by -1 is the one quotient that does not fit: it is not negative.
                let least = self.lo.with(Op::Eq, i64::MIN as u64);
                let over = least.op(Op::And, other.lo.with(Op::Eq, u64::MAX));
                let (a, b) = (self.lo.bounds().signed, other.lo.bounds().signed);
                let never = a.0 > i64::MIN || b.0 > -1 || b.1 < -1;
                let extended = Wide::sign_extended(lo);
                let hi = over.choose(Word::constant(64, 0), extended.hi);
                Wide { lo, hi: if never { extended.hi } else { hi } }
            }
        }
    }

    /// Does it fit into 64 bits in this run?
    pub fn fits(self, signed: bool) -> bool {
        let sign = (self.lo.value as i64 >> SIGN) as u64;
        self.hi.value == if signed { sign } else { 0 }
    }

    /// A guard that it does, unless it always does.
    pub fn keep_narrow(self, signed: bool, site: u32) {
        let always = if signed { self.is_sign_extended() } else { self.is_zero_extended() };
        if always {
            return;
        }
        let (high, overflow) =
            if signed { (Op::SMulHigh, Op::SMulOverflow) } else { (Op::UMulHigh, Op::UMulOverflow) };
        let narrow = match self.factors(high) {
            Some((a, b)) => a.op(overflow, b).with(Op::Xor, 1),
            None if signed => self.hi.op(Op::Eq, self.lo.with(Op::AShr, SIGN)),
            None => self.hi.with(Op::Eq, 0),
        };
        events::condition(KIND_GUARD, GUARD_WIDTH, site, narrow.label, true);
    }

    pub fn lose(self, reason: u16, site: u32) {
        events::concrete(reason, site, self.lo.label);
        events::concrete(reason, site, self.hi.label);
    }
}

/// Is `label` the sign of `of`, repeated? What was narrower than 128 bits has been cut and extended again.
fn is_sign_of(label: u32, of: u32) -> bool {
    let mut n = state().node(label);
    while n.op == Op::SExt as u8 || (n.op == Op::Extract as u8 && n.b == 0) {
        n = state().node(n.a);
    }
    n.op == Op::AShr as u8 && n.a == of && nodes::is_const(n.b) == Some(SIGN)
}

/// Arithmetic or comparison. `what`: operator in the low byte, width of the operands in the next.
#[no_mangle]
pub extern "C" fn __plx_rt_wide_binary(
    what: u32,
    la: u64,
    lb: u64,
    alo: u64,
    ahi: u64,
    blo: u64,
    bhi: u64,
    site: u32,
) -> u64 {
    if !tracing() {
        return 0;
    }
    let (op, w) = (abi::op(what), (what >> 8) as u8);
    // To the others it makes no difference, and what is sign-extended is simpler.
    let unsigned = matches!(op, Op::UDiv | Op::URem | Op::LShr | Op::Ult | Op::Ule);
    let operand = if unsigned { Wide::operand } else { Wide::signed_operand };
    let (a, b) = (operand(la, (alo, ahi), w), operand(lb, (blo, bhi), w));
    match op {
        Op::Add => a.add(b).labels(w),
        Op::Sub => a.sub(b).labels(w),
        Op::Mul => a.mul(b).labels(w),
        Op::And | Op::Or | Op::Xor => a.each(op, b).labels(w),
        Op::Shl | Op::LShr | Op::AShr => guarded_shift(op, a, Wide::operand(lb, (blo, bhi), w), w, site),
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => guarded_division(op, a, b, w, site),
        _ => a.compare(op, b).label.into(),
    }
}

fn guarded_shift(op: Op, a: Wide, by: Wide, w: u8, site: u32) -> u64 {
    if by.hi.value != 0 || by.lo.value >= w.into() {
        // Undefined in C; what the machine did is not what the expression says.
        a.lose(CONCRETE_INTRINSIC, site);
        by.lose(CONCRETE_INTRINSIC, site);
        return 0;
    }
    let zero = by.hi.with(Op::Eq, 0);
    events::condition(KIND_GUARD, GUARD_SHIFT, site, zero.label, true);
    events::condition(KIND_GUARD, GUARD_SHIFT, site, by.lo.with(Op::Ult, w.into()).label, true);
    a.shift(op, by.lo).labels(w)
}

fn guarded_division(op: Op, a: Wide, b: Wide, w: u8, site: u32) -> u64 {
    let signed = matches!(op, Op::SDiv | Op::SRem);
    let not_zero = b.compare(Op::Ne, Wide::constant(0));
    events::condition(KIND_GUARD, GUARD_DIVISOR, site, not_zero.label, true);
    if !a.fits(signed) || !b.fits(signed) {
        a.lose(CONCRETE_WIDE, site);
        b.lose(CONCRETE_WIDE, site);
        return 0;
    }
    a.keep_narrow(signed, site);
    b.keep_narrow(signed, site);
    a.divide(op, b).labels(w)
}

/// Extension or truncation. `what`: operator, width of the operand, width of the result; one of them is wide.
#[no_mangle]
pub extern "C" fn __plx_rt_wide_cast(what: u32, labels: u64, lo: u64, hi: u64) -> u64 {
    if !tracing() {
        return 0;
    }
    let (op, from, to) = (abi::op(what), (what >> 8) as u8, (what >> 16) as u8);
    let whole = match (from > 64, op) {
        (true, Op::SExt) => Wide::signed_operand(labels, (lo, hi), from),
        (true, _) => Wide::operand(labels, (lo, hi), from),
        (false, Op::SExt) => Wide::sign_extended(Word::new(labels as u32, lo, from).extend(Op::SExt, 64)),
        (false, _) => {
            let lo = Word::new(labels as u32, lo, from).extend(Op::ZExt, 64);
            Wide { lo, hi: Word::constant(64, 0) }
        }
    };
    match to > 64 {
        true => whole.labels(to),
        false => whole.lo.extract(0, to).label.into(),
    }
}

/// `condition ? a : b`; `chosen`: the condition.
#[no_mangle]
pub extern "C" fn __plx_rt_wide_select(
    what: u32,
    condition: u32,
    la: u64,
    lb: u64,
    alo: u64,
    ahi: u64,
    blo: u64,
    bhi: u64,
    site: u32,
) -> u64 {
    if !tracing() {
        return 0;
    }
    let (w, chosen) = (what as u8, what >> 8);
    if la | lb == 0 {
        // Between known values it is a branch like any other, as in `__plx_select`.
        events::condition(KIND_BRANCH, 0, site, condition, chosen != 0);
        return 0;
    }
    let condition = Word::new(condition, chosen.into(), 1);
    let (a, b) = (Wide::signed_operand(la, (alo, ahi), w), Wide::signed_operand(lb, (blo, bhi), w));
    let lo = condition.choose(a.lo, b.lo);
    if a.is_sign_extended() && b.is_sign_extended() {
        return Wide::sign_extended(lo).labels(w);
    }
    Wide { lo, hi: condition.choose(a.hi, b.hi) }.labels(w)
}

/// Labels of a loaded value of `w` bits.
#[no_mangle]
pub extern "C" fn __plx_rt_wide_load(
    address: usize,
    laddress: u32,
    w: u32,
    lo: u64,
    hi: u64,
    site: u32,
) -> u64 {
    if !tracing() {
        return 0;
    }
    let above = match laddress {
        0 => 0,
        label => nodes::binary(Op::Add, 64, label, nodes::constant(64, 8)),
    };
    let low = abi::__plx_rt_load(address, laddress, 64, lo, site);
    let high = abi::__plx_rt_load(address + 8, above, w - 64, hi, site);
    u64::from(low) | u64::from(high) << 32
}

/// A store of `len` bytes, 9 to 16, with these labels.
#[no_mangle]
pub extern "C" fn __plx_rt_wide_store(address: usize, laddress: u32, len: u64, labels: u64, site: u32) {
    let (low, high) = pair(labels);
    abi::__plx_rt_store(address, laddress, 8, low, site);
    abi::__plx_rt_store(address + 8, 0, len - 8, high, site);
}
