//! Ranges of values: the least and the greatest that every expression can have.
//!
//! In: expressions and what is left of the bytes. Out: an unsigned range for each.
//!
//! Always holds: a value that the expression has on any bytes of these domains lies in its range.

use crate::bytes::Domains;
use crate::expr::*;
use crate::pool::Pool;
use parallax_trace::format::{mask, sign_extend, Op};
use rustc_hash::FxHashMap;

/// Unsigned, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub low: u64,
    pub high: u64,
}

impl Range {
    fn full(width: u8) -> Range {
        Range { low: 0, high: mask(width) }
    }

    fn truth(always: bool, never: bool) -> Range {
        Range { low: always.into(), high: (!never).into() }
    }

    fn exact(self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    fn disjoint(self, other: Range) -> bool {
        self.high < other.low || other.high < self.low
    }

    /// As signed numbers, if the range does not wrap there.
    fn signed(self, width: u8) -> Option<(i64, i64)> {
        let (low, high) = (sign_extend(self.low, width), sign_extend(self.high, width));
        (low <= high).then_some((low, high))
    }
}

/// The ranges of everything in a cone (ascending).
pub fn ranges(pool: &Pool, cone: &[ExprId], domains: &Domains) -> FxHashMap<ExprId, Range> {
    let mut known: FxHashMap<ExprId, Range> = FxHashMap::default();
    for id in cone {
        let node = pool.node(*id);
        let range = match node.op {
            Op::Const => Range { low: node.num, high: node.num },
            Op::Input => byte_range(domains, VarId(node.num as u32)),
            _ => {
                let mut args = [Range::full(64); 3];
                for (i, arg) in node.operands().iter().enumerate() {
                    // Operands come first in a cone.
                    args[i] = known.get(arg).copied().unwrap_or(Range::full(pool.width(*arg)));
                }
                step(pool, node, args)
            }
        };
        known.insert(*id, range);
    }
    known
}

fn byte_range(domains: &Domains, var: VarId) -> Range {
    let set = domains.get(var);
    let (low, high) = (set.iter().next(), set.iter().last());
    Range { low: low.unwrap_or(0).into(), high: high.unwrap_or(255).into() }
}

fn step(pool: &Pool, node: &Node, [a, b, c]: [Range; 3]) -> Range {
    let width = node.width;
    let full = Range::full(width);
    // The result of an operation that is monotonic and stays inside the width, or anything.
    let inside = |low: Option<u64>, high: Option<u64>| match (low, high) {
        (Some(low), Some(high)) if high <= mask(width) => Range { low, high },
        _ => full,
    };
    match node.op {
        Op::Add => inside(a.low.checked_add(b.low), a.high.checked_add(b.high)),
        Op::Sub if a.low >= b.high => Range { low: a.low - b.high, high: a.high - b.low },
        Op::Mul => inside(a.low.checked_mul(b.low), a.high.checked_mul(b.high)),
        Op::UMulHigh => {
            let high = |x: u64, y: u64| (u128::from(x) * u128::from(y) >> width) as u64;
            Range { low: high(a.low, b.low), high: high(a.high, b.high) }
        }
        Op::SMulHigh => match (a.signed(width), b.signed(width)) {
            (Some(a), Some(b)) => signed_high(a, b, width),
            _ => full,
        },
        Op::UDiv if b.low > 0 => Range { low: a.low / b.high, high: a.high / b.low },
        Op::URem if b.low > 0 => Range { low: 0, high: a.high.min(b.high - 1) },
        Op::URem | Op::LShr => Range { low: 0, high: a.high },
        Op::And => Range { low: 0, high: a.high.min(b.high) },
        Op::Or => Range { low: a.low.max(b.low), high: ones_above(a.high | b.high) },
        Op::Xor => Range { low: 0, high: ones_above(a.high | b.high) },
        Op::ZExt => a,
        Op::SExt => sign_extended(a, pool.width(node.args[0]), width),
        Op::Extract => extracted(a, node.num, width),
        Op::Concat => {
            let shift = pool.width(node.args[1]);
            Range { low: a.low << shift | b.low, high: a.high << shift | b.high }
        }
        Op::Ite => match a.exact() {
            Some(1) => b,
            Some(_) => c,
            None => Range { low: b.low.min(c.low), high: b.high.max(c.high) },
        },
        Op::Read => read(pool.table(TableId(node.num as u32)), a, width),
        op if is_predicate(op) => predicate(pool, node, a, b),
        _ => full,
    }
}

/// Of the products of the ends the least and the greatest, if both have one sign.
fn signed_high(a: (i64, i64), b: (i64, i64), width: u8) -> Range {
    let product = |x: i64, y: i64| (i128::from(x) * i128::from(y)) >> width;
    let ends = [product(a.0, b.0), product(a.0, b.1), product(a.1, b.0), product(a.1, b.1)];
    let (low, high) = ends.iter().fold((i128::MAX, i128::MIN), |(l, h), p| (l.min(*p), h.max(*p)));
    match (low < 0) == (high < 0) {
        true => Range { low: low as u64 & mask(width), high: high as u64 & mask(width) },
        false => Range::full(width),
    }
}

/// The smallest number of the form 0…01…1 that is not less.
fn ones_above(value: u64) -> u64 {
    u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}

fn sign_extended(a: Range, from: u8, to: u8) -> Range {
    match a.signed(from) {
        // Both ends have one sign: the order of unsigned numbers is kept.
        Some((low, high)) if (low < 0) == (high < 0) => {
            Range { low: low as u64 & mask(to), high: high as u64 & mask(to) }
        }
        _ => Range::full(to),
    }
}

fn extracted(a: Range, low_bit: u64, width: u8) -> Range {
    let (low, high) = (a.low >> low_bit, a.high >> low_bit);
    // Only if nothing above the extracted bits changes within the range.
    if low & !mask(width) == high & !mask(width) {
        return Range { low: low & mask(width), high: high & mask(width) };
    }
    Range::full(width)
}

/// Reads at more places than this are not looked at one by one.
const READ_PLACES: u64 = 4096;

fn read(table: &[u8], index: Range, width: u8) -> Range {
    if index.high - index.low >= READ_PLACES {
        return Range::full(width);
    }
    let values = (index.low..=index.high).map(|i| read_table(table, i, width));
    let start = Range { low: mask(width), high: 0 };
    values.fold(start, |r, v| Range { low: r.low.min(v), high: r.high.max(v) })
}

fn predicate(pool: &Pool, node: &Node, a: Range, b: Range) -> Range {
    let width = pool.width(node.args[0]);
    let same = a.exact().is_some() && a == b;
    let signed = || a.signed(width).zip(b.signed(width));
    match node.op {
        Op::Eq => Range::truth(same, a.disjoint(b)),
        Op::Ne => Range::truth(a.disjoint(b), same),
        Op::Ult => Range::truth(a.high < b.low, a.low >= b.high),
        Op::Ule => Range::truth(a.high <= b.low, a.low > b.high),
        Op::Slt => signed().map_or(Range::full(1), |(a, b)| Range::truth(a.1 < b.0, a.0 >= b.1)),
        Op::Sle => signed().map_or(Range::full(1), |(a, b)| Range::truth(a.1 <= b.0, a.0 > b.1)),
        Op::UMulOverflow => {
            let over = |x: u64, y: u64| u128::from(x) * u128::from(y) > u128::from(mask(width));
            Range::truth(over(a.low, b.low), !over(a.high, b.high))
        }
        _ => Range::full(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Truths;
    use crate::eval::eval;
    use crate::query::{Constraint, Query};
    use crate::random::{Random, OPERATORS};

    #[test]
    fn every_value_of_a_random_expression_lies_in_its_range() {
        let mut narrow = 0;
        for seed in 0..4000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (low, high) = (rng.u8(..100), rng.u8(100..));
            let vars: Vec<Var> = (0..2).map(|offset| Var { input: 0, offset }).collect();
            let mut pool = Pool::new();
            let mut bounds = Vec::new();
            for var in &vars {
                let byte = pool.byte(*var);
                let (low, high) = (pool.constant(8, low.into()), pool.constant(8, high.into()));
                bounds.push(Constraint { expr: pool.binary(Op::Ult, byte, low), holds: false });
                bounds.push(Constraint { expr: pool.binary(Op::Ult, high, byte), holds: false });
            }
            let mut below = |n: u64| rng.u64(..n);
            let mut random = Random::new(&mut below, vars);
            let op = OPERATORS[random.below(OPERATORS.len() as u64) as usize];
            let expr = random.any(&mut pool, op, 2);
            let domains = Truths::default().domains(&Query::new(&pool, &bounds, &|_| None));
            let range = ranges(&pool, &pool.cone(&[expr]), &domains)[&expr];
            narrow += u32::from(range != Range::full(pool.width(expr)));
            for _ in 0..20 {
                let bytes = [rng.u8(low..=high), rng.u8(low..=high)];
                let value = eval(&pool, expr, &|var| bytes[pool.var(var).offset as usize]);
                assert!(range.low <= value && value <= range.high, "seed {seed}: {value} not in {range:?}");
            }
        }
        assert!(narrow > 500, "ranges say nothing: {narrow}");
    }
}
