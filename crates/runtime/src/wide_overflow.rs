//! Overflow flags of arithmetic on integers of 65 to 128 bits (`__builtin_add_overflow` on operands of different
//! signs computes in 65 bits).
//!
//! In and out: as in [`crate::wide`]. Always holds: the flag has its value on every input for which the guards recorded hold.

use crate::intrinsics::*;
use crate::wide::{tracing, Wide};
use crate::word::Word;
use parallax_trace::format::{Op, CONCRETE_WIDE};

/// Label of the overflow flag. `what`: number of the flag among the intrinsics, then the width.
#[no_mangle]
pub extern "C" fn __plx_rt_wide_overflow(
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
    let (number, w) = (what & 0xff, (what >> 8) as u8);
    let unsigned = matches!(number, UADD_OVERFLOW | USUB_OVERFLOW | UMUL_OVERFLOW);
    let operand = if unsigned { Wide::operand } else { Wide::signed_operand };
    let (a, b) = (operand(la, (alo, ahi), w), operand(lb, (blo, bhi), w));
    let flag = match number {
        SADD_OVERFLOW | SSUB_OVERFLOW => signed_sum(number, a, b, w),
        UADD_OVERFLOW if w == 128 => a.add(b).compare(Op::Ult, a),
        UADD_OVERFLOW => a.add(b).is_beyond(w),
        USUB_OVERFLOW => a.compare(Op::Ult, b),
        _ => return product(a, b, w, unsigned, site).map_or(0, |flag| flag.label.into()),
    };
    flag.label.into()
}

fn signed_sum(number: u32, a: Wide, b: Wide, w: u8) -> Word {
    let result = if number == SADD_OVERFLOW { a.add(b) } else { a.sub(b) };
    if w < 128 {
        return result.is_beyond_signed(w);
    }
    // Of a sum: its sign is neither operand's. Of a difference: the operands' signs differ, and its sign is not the first one's.
    let second = if number == SADD_OVERFLOW { result.hi } else { a.hi };
    let signs = a.hi.op(Op::Xor, result.hi).op(Op::And, b.hi.op(Op::Xor, second));
    signs.with(Op::Slt, 0)
}

/// Of operands that fit into a word, signed or not: then 128 bits hold the product.
fn product(a: Wide, b: Wide, w: u8, unsigned: bool, site: u32) -> Option<Word> {
    let signed = |x: Wide| !unsigned && x.fits(true);
    if ![a, b].iter().all(|x| x.fits(false) || signed(*x)) {
        a.lose(CONCRETE_WIDE, site);
        b.lose(CONCRETE_WIDE, site);
        return None;
    }
    let positive = [a, b].iter().all(|x| !signed(*x));
    [a, b].iter().for_each(|x| x.keep_narrow(signed(*x), site));
    let result = a.mul(b);
    Some(match (positive, unsigned) {
        (true, true) if w == 128 => Word::constant(1, 0),
        (true, true) => result.is_beyond(w),
        (true, false) => result.is_beyond(w - 1),
        (false, _) if w == 128 => Word::constant(1, 0),
        (false, _) => result.is_beyond_signed(w),
    })
}

impl Wide {
    /// Is any bit from `w` (64 to 127) on set?
    fn is_beyond(self, w: u8) -> Word {
        self.hi.with(Op::LShr, u64::from(w) - 64).with(Op::Ne, 0)
    }

    /// Is it more than `w` (65 to 127) bits can hold with their sign?
    fn is_beyond_signed(self, w: u8) -> Word {
        self.hi.op(Op::Ne, self.hi.extract(0, w - 64).extend(Op::SExt, 64))
    }
}
