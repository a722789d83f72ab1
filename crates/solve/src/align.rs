//! What the lowest bits of a value always are: an index into an array of structs is a multiple of their size.
//!
//! In: an expression. Out: how many of its lowest bits are known, and what they are.
//!
//! Always holds: every value of the expression ends in these bits.

use crate::expr::{ExprId, Node};
use crate::pool::Pool;
use parallax_trace::format::{mask, Op};

/// Operators looked through, at most.
const MAX_DEPTH: u32 = 12;

/// The lowest bits of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowBits {
    /// How many are known, up to 64.
    count: u8,
    bits: u64,
}

impl LowBits {
    const UNKNOWN: LowBits = LowBits { count: 0, bits: 0 };

    fn of(count: u8, bits: u64) -> LowBits {
        LowBits { count, bits: if count == 0 { 0 } else { bits & mask(count) } }
    }

    fn at_most(self, count: u8) -> LowBits {
        LowBits::of(self.count.min(count), self.bits)
    }

    /// Can a value be this one?
    pub fn allow(self, value: u64) -> bool {
        LowBits::of(self.count, value) == self
    }

    fn zeros(self) -> u8 {
        self.bits.trailing_zeros().min(self.count.into()) as u8
    }
}

/// The lowest bits of an expression.
pub fn low_bits(pool: &Pool, id: ExprId) -> LowBits {
    within(pool, id, MAX_DEPTH)
}

fn within(pool: &Pool, id: ExprId, depth: u32) -> LowBits {
    let node = pool.node(id);
    if depth == 0 {
        return LowBits::UNKNOWN;
    }
    let arg = |i: usize| within(pool, node.args[i], depth - 1);
    let found = match node.op {
        Op::Const => LowBits::of(node.width, node.num),
        Op::Add => {
            let (a, b) = (arg(0), arg(1));
            LowBits::of(a.count.min(b.count), a.bits.wrapping_add(b.bits))
        }
        Op::Sub => {
            let (a, b) = (arg(0), arg(1));
            LowBits::of(a.count.min(b.count), a.bits.wrapping_sub(b.bits))
        }
        Op::Mul => product(arg(0), arg(1)),
        Op::Shl => shifted(pool, node, arg(0)),
        Op::And => either_way(arg(0), arg(1)),
        Op::ZExt | Op::SExt => arg(0),
        Op::Extract if node.num == 0 => arg(0),
        Op::Concat => joined(pool, node, arg(0), arg(1)),
        Op::Ite => {
            let (a, b) = (arg(1), arg(2));
            let alike = (a.bits ^ b.bits).trailing_zeros() as u8;
            a.at_most(b.count.min(alike))
        }
        _ => LowBits::UNKNOWN,
    };
    found.at_most(node.width)
}

/// What is a multiple of 2ⁿ, times what is known up to bit m, is known up to bit n + m.
fn product(a: LowBits, b: LowBits) -> LowBits {
    let count = (a.zeros() + b.count).min(b.zeros() + a.count).min(64);
    LowBits::of(count, a.bits.wrapping_mul(b.bits))
}

fn shifted(pool: &Pool, node: &Node, a: LowBits) -> LowBits {
    match pool.as_const(node.args[1]) {
        Some(by) if by < 64 => LowBits::of((a.count + by as u8).min(64), a.bits << by),
        _ => LowBits::UNKNOWN,
    }
}

/// Bits that are 0 in one operand are 0 in the result.
fn either_way(a: LowBits, b: LowBits) -> LowBits {
    let both = a.count.min(b.count);
    let count = both.max(a.zeros()).max(b.zeros());
    LowBits::of(count, a.bits & b.bits)
}

fn joined(pool: &Pool, node: &Node, high: LowBits, low: LowBits) -> LowBits {
    let width = pool.width(node.args[1]);
    match low.count >= width {
        true => LowBits::of(
            (width + high.count).min(64),
            high.bits.checked_shl(width.into()).unwrap_or(0) | low.bits,
        ),
        false => low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Program;
    use crate::expr::Var;

    /// A random expression over two bytes, of the operators that matter here.
    fn expression(pool: &mut Pool, random: &mut fastrand::Rng, depth: u32) -> ExprId {
        if depth == 0 {
            let byte = pool.byte(Var { input: 0, offset: random.u32(..2) });
            let wide = pool.zext(byte, 64);
            let constant = pool.constant(64, random.u64(..1 << 20) >> random.u32(..20));
            return if random.bool() { wide } else { constant };
        }
        let (a, b) = (expression(pool, random, depth - 1), expression(pool, random, depth - 1));
        match random.u8(..8) {
            0 => pool.binary(Op::Add, a, b),
            1 => pool.binary(Op::Sub, a, b),
            2 => pool.binary(Op::Mul, a, b),
            3 => pool.binary(Op::And, a, b),
            4 => {
                let by = pool.constant(64, random.u64(..70));
                pool.binary(Op::Shl, a, by)
            }
            5 => {
                let condition = pool.eq(a, b);
                pool.ite(condition, a, b)
            }
            6 => {
                let (high, low) = (pool.extract(a, 0, 40), pool.extract(b, 0, 24));
                pool.concat(high, low)
            }
            _ => {
                let low = pool.extract(a, 0, 16);
                pool.sext(low, 64)
            }
        }
    }

    #[test]
    fn every_value_ends_in_the_bits_that_are_known() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut some = 0;
        for _ in 0..2000 {
            for mut pool in [Pool::new(), Pool::without_rules()] {
                let depth = random.u32(1..5);
                let e = expression(&mut pool, &mut random, depth);
                let known = low_bits(&pool, e);
                some += u32::from(known.count > 0 && pool.as_const(e).is_none());
                let mut program = Program::new(&pool, &[e]);
                for _ in 0..20 {
                    let bytes: [u8; 2] = [random.u8(..), random.u8(..)];
                    let value = program.run_one(&|v| bytes[pool.var(v).offset as usize]);
                    assert!(known.allow(value), "{known:?} {value:x}");
                }
            }
        }
        assert!(some > 500, "{some}");
    }

    #[test]
    fn an_index_into_an_array_of_structs_is_a_multiple_of_their_size() {
        let mut pool = Pool::new();
        let byte = pool.byte(Var { input: 0, offset: 0 });
        let (index, size, field) = (pool.zext(byte, 64), pool.constant(64, 24), pool.constant(64, 4));
        let start = pool.binary(Op::Mul, index, size);
        let at = pool.binary(Op::Add, start, field);
        assert_eq!(low_bits(&pool, at), LowBits { count: 3, bits: 4 });
    }
}
