//! Floating point that is a question about integers or about an interval in disguise.
//!
//! In and out: see [`super`]. Rounding to the nearest keeps order: `x * c`, `x + c`, the number nearest to `m * 10^e` never decrease while `x` or `m`
//! grows (or never increase). So a comparison of such a function with a constant holds on one side of a place among all doubles, in
//! order of their values, or among all integers; the place is found by bisection, with the operator itself. Chains of such
//! functions are undone one by one, down to the digits that were read.

use super::Rule;
use crate::expr::{operate, ExprId, Node, UNUSED};
use crate::pool::Pool;
use parallax_trace::float::{at_order, infinity, Math1, Math2};
use parallax_trace::format::{mask, sign_extend, Op};

const COMPARISONS: &[Op] = &[Op::FLt, Op::FLe];

pub(super) const RULES: &[Rule] = &[
    // match:  f(x) < c, f(x) <= c and the other way round, f never decreasing or never increasing
    // result: an interval that x lies in
    Rule { name: "float_monotonic", ops: COMPARISONS, apply: monotonic },
    // match:  f(x) = c, f as above
    // result: c <= f(x) and f(x) <= c
    Rule { name: "float_equal_monotonic", ops: &[Op::FEq], apply: equal_monotonic },
    // match:  |x| < c and the like
    // result: an interval that x lies in, or the two around it
    Rule { name: "float_magnitude", ops: COMPARISONS, apply: magnitude },
    // match:  float(i) < float(j), both exact
    // result: i < j
    Rule { name: "float_of_integers", ops: &[Op::FLt, Op::FLe, Op::FEq], apply: of_integers },
    // match:  x = x, x <= x, x < x, x made from an integer
    // result: true, true, false
    Rule { name: "float_is_number", ops: &[Op::FLt, Op::FLe, Op::FEq], apply: is_number },
    // match:  float(i) + float(j), float(i) - float(j), with room for the sum
    // result: float(i + j), float(i - j)
    Rule { name: "float_sum_of_integers", ops: &[Op::FAdd, Op::FSub], apply: sum_of_integers },
    // match:  int(float(i)), exact
    // result: i
    Rule { name: "float_there_and_back", ops: &[Op::FToS], apply: there_and_back },
    // match:  int(x) < k, k < int(x), signed
    // result: an interval that x lies in, and what does not fit
    Rule { name: "float_to_integer", ops: &[Op::Slt], apply: to_integer },
];

/// What a function is a function of, and how.
struct Function {
    node: Node,
    /// Which operand, and what kind of number it is.
    argument: usize,
    domain: Domain,
}

/// Numbers in their order: places from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Unsigned,
    Signed,
    Real { low: i64 },
}

/// A monotonic function of one operand that is not NaN on all of its domain.
fn function(pool: &Pool, id: ExprId) -> Option<Function> {
    let node = *pool.node(id);
    let constants: Vec<Option<u64>> = node.operands().iter().map(|arg| pool.as_const(*arg)).collect();
    let argument = constants.iter().position(Option::is_none)?;
    let others: Vec<u64> = constants.iter().flatten().copied().collect();
    if others.len() + 1 != constants.len() {
        return None;
    }
    let w = node.width;
    let real = Domain::Real { low: -infinity(w) };
    let value =
        |bits: u64| if w == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    let other = others.first().map(|bits| value(*bits));
    let is_finite = other.is_some_and(f64::is_finite);
    let is_factor = is_finite && other != Some(0.0);
    let domain = match node.op {
        Op::FAdd | Op::FSub if is_finite => real,
        Op::FMul if is_factor => real,
        Op::FDiv if is_factor && argument == 0 => real,
        Op::Xor if (w == 32 || w == 64) && others[0] == 1 << (w - 1) => real,
        Op::FConvert => Domain::Real { low: -infinity(pool.width(node.args[0])) },
        Op::FMath1 => match Math1::from_number(node.num)? {
            Math1::Sqrt => Domain::Real { low: 0 },
            function if function.is_rising() => real,
            _ => return None,
        },
        Op::FMath2 if Math2::from_number(node.num) == Some(Math2::Scale) && argument == 0 => real,
        Op::FFromS => Domain::Signed,
        Op::FFromU => Domain::Unsigned,
        Op::FDecimal if argument == 0 => Domain::Unsigned,
        _ => return None,
    };
    Some(Function { node, argument, domain })
}

impl Function {
    fn operand(&self) -> ExprId {
        self.node.args[self.argument]
    }

    /// First and last place of the domain.
    fn ends(&self, w: u8) -> (i128, i128) {
        match self.domain {
            Domain::Unsigned => (0, mask(w).into()),
            Domain::Signed => (-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1),
            Domain::Real { low } => (low.into(), infinity(w).into()),
        }
    }

    fn bits(&self, place: i128, w: u8) -> u64 {
        match self.domain {
            Domain::Real { .. } => at_order(place as i64, w),
            _ => place as u64 & mask(w),
        }
    }

    /// The value at a place.
    fn at(&self, pool: &Pool, place: i128) -> u64 {
        let (mut widths, mut values) = ([0; 3], [0; 3]);
        for (i, arg) in self.node.operands().iter().enumerate() {
            widths[i] = pool.width(*arg);
            values[i] = match i == self.argument {
                true => self.bits(place, widths[i]),
                false => pool.as_const(*arg).unwrap_or(0),
            };
        }
        operate(&self.node, widths, values)
    }

    /// The places for which a condition on the value holds; it does from some place on, or up to some place. `None`: nowhere.
    fn places(&self, pool: &Pool, holds: &dyn Fn(u64) -> bool) -> Option<(i128, i128)> {
        let (first, last) = self.ends(pool.width(self.operand()));
        let at = |place| holds(self.at(pool, place));
        match (at(first), at(last)) {
            (true, true) => Some((first, last)),
            (false, false) => None,
            (begins, _) => {
                // Between them it changes once.
                let (mut low, mut high) = (first, last);
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    if at(middle) == begins {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                Some(if begins { (first, low) } else { (high, last) })
            }
        }
    }

    /// The operand lies between these places.
    fn between(&self, pool: &mut Pool, from: i128, to: i128) -> ExprId {
        let x = self.operand();
        let w = pool.width(x);
        let (first, last) = self.ends(w);
        let op = match self.domain {
            Domain::Unsigned => Op::Ule,
            Domain::Signed => Op::Sle,
            Domain::Real { .. } => Op::FLe,
        };
        let is_end = |place: i128| place.abs() == i128::from(infinity(w));
        let real = matches!(self.domain, Domain::Real { .. });
        let above = (from != first || real && !is_end(from)).then(|| {
            let bound = pool.constant(w, self.bits(from, w));
            pool.binary(op, bound, x)
        });
        let below = (to != last || real && !is_end(to)).then(|| {
            let bound = pool.constant(w, self.bits(to, w));
            pool.binary(op, x, bound)
        });
        match (above, below) {
            (Some(above), Some(below)) => pool.binary(Op::And, above, below),
            (Some(one), None) | (None, Some(one)) => one,
            // Any number: not NaN.
            (None, None) if real => pool.binary(Op::FEq, x, x),
            (None, None) => pool.truth(true),
        }
    }
}

/// A comparison with a constant: the other operand, whether it is the left one, and the constant.
fn with_bound(pool: &Pool, node: &Node) -> Option<(ExprId, bool, u64)> {
    let [a, b, _] = node.args;
    match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(c)) => Some((a, true, c)),
        (Some(c), None) => Some((b, false, c)),
        _ => None,
    }
}

/// Is this comparison true of a value and a bound?
fn compare(op: Op, w: u8, value: u64, left: bool, bound: u64) -> bool {
    let (a, b) = if left { (value, bound) } else { (bound, value) };
    parallax_trace::format::apply(op, 1, w, a, b, 0) == Some(1)
}

fn monotonic(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (value, left, bound) = with_bound(pool, node)?;
    let f = function(pool, value)?;
    let w = pool.width(value);
    match f.places(pool, &|v| compare(node.op, w, v, left, bound)) {
        Some((from, to)) => Some(f.between(pool, from, to)),
        None => Some(pool.truth(false)),
    }
}

fn equal_monotonic(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (value, _, _) = with_bound(pool, node)?;
    function(pool, value)?;
    let [a, b, _] = node.args;
    let below = pool.binary(Op::FLe, a, b);
    let above = pool.binary(Op::FLe, b, a);
    Some(pool.binary(Op::And, below, above))
}

fn magnitude(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let (value, left, bound) = with_bound(pool, node)?;
    let w = pool.width(value);
    // The normal form of `x & 0x7f…`.
    let low = super::as_op(pool, super::as_op(pool, value, Op::ZExt)?.args[0], Op::Extract)?;
    let x = low.args[0];
    if (low.num, low.width + 1, pool.width(x)) != (0, w, w) {
        return None;
    }
    let rest = pool.constant(w, mask(w) >> 1);
    let kept = Node { op: Op::And, width: w, args: [x, rest, UNUSED], num: 0 };
    let holds = |bits: u64| compare(node.op, w, bits, left, bound);
    // |x| as a function of a number that is not negative.
    let identity = Function { node: kept, argument: 0, domain: Domain::Real { low: 0 } };
    let Some((from, to)) = identity.places(pool, &holds) else { return Some(pool.truth(false)) };
    let whole = Function { domain: Domain::Real { low: -infinity(w) }, ..identity };
    if from == 0 {
        return Some(whole.between(pool, -to, to));
    }
    let (low, high) =
        (pool.constant(w, at_order(-(from as i64), w)), pool.constant(w, at_order(from as i64, w)));
    let below = pool.binary(Op::FLe, x, low);
    let above = pool.binary(Op::FLe, high, x);
    Some(pool.binary(Op::Or, below, above))
}

/// Digits that a format holds exactly.
fn precision(width: u8) -> u8 {
    if width == 32 {
        24
    } else {
        53
    }
}

/// The integer that this is exactly, and how many bits it has as a signed one.
fn integer(pool: &mut Pool, id: ExprId) -> Option<(ExprId, u8)> {
    let node = *pool.node(id);
    match node.op {
        Op::FFromS => Some((node.args[0], pool.width(node.args[0]))),
        Op::FFromU => {
            let bits = pool.width(node.args[0]) + 1;
            let inner = node.args[0];
            (bits <= 64).then(|| (pool.zext(inner, bits), bits))
        }
        Op::Const if node.width >= 32 => {
            let value = match node.width {
                32 => f64::from(f32::from_bits(node.num as u32)),
                _ => f64::from_bits(node.num),
            };
            let whole = value as i64;
            let is_plain = whole as f64 == value && !(whole == 0 && value.is_sign_negative());
            let bits = 65 - (if whole < 0 { !whole } else { whole }).leading_zeros() as u8;
            is_plain.then(|| (pool.constant(bits, whole as u64), bits))
        }
        _ => None,
    }
    .filter(|(_, bits)| *bits <= precision(node.width) + 1)
}

/// Two integers of one width, with `more` bits than they need, if both are exact and not both are constants.
fn integers(pool: &mut Pool, node: &Node, more: u8) -> Option<[ExprId; 2]> {
    let [a, b, _] = node.args;
    if pool.as_const(a).is_some() && pool.as_const(b).is_some() {
        return None;
    }
    let ((a, wa), (b, wb)) = (integer(pool, a)?, integer(pool, b)?);
    let width = wa.max(wb) + more;
    (width <= 64).then(|| [pool.sext(a, width), pool.sext(b, width)])
}

fn of_integers(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b] = integers(pool, node, 0)?;
    let op = match node.op {
        Op::FLt => Op::Slt,
        Op::FLe => Op::Sle,
        _ => Op::Eq,
    };
    Some(pool.binary(op, a, b))
}

fn is_number(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let made = matches!(pool.node(a).op, Op::FFromS | Op::FFromU | Op::FDecimal);
    (a == b && made).then(|| pool.truth(node.op != Op::FLt))
}

fn sum_of_integers(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b] = integers(pool, node, 1)?;
    if pool.width(a) > precision(node.width) + 1 {
        return None;
    }
    let op = if node.op == Op::FAdd { Op::Add } else { Op::Sub };
    let sum = pool.binary(op, a, b);
    Some(pool.float(Op::FFromS, node.width, [Some(sum), None, None], 0))
}

fn there_and_back(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let id = node.args[0];
    pool.as_const(id).is_none().then_some(())?;
    let (inner, bits) = integer(pool, id)?;
    (bits <= node.width).then(|| pool.sext(inner, node.width))
}

/// What does not fit is the least integer of all, and so less than any other.
fn to_integer(pool: &mut Pool, node: &Node) -> Option<ExprId> {
    let [a, b, _] = node.args;
    let (value, bound, left) = match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(bound)) => (a, bound, true),
        (Some(bound), None) => (b, bound, false),
        _ => return None,
    };
    let inner = super::as_op(pool, value, Op::FToS)?;
    let (w, x) = (inner.width, inner.args[0]);
    let bound = sign_extend(bound, w);
    if w != 32 && w != 64 || left && bound == sign_extend(1 << (w - 1), w) {
        return None;
    }
    // Not less is: `least <= x` and `x` not so large that it does not fit.
    let from = pool.width(x);
    let f = Function { node: inner, argument: 0, domain: Domain::Real { low: -infinity(from) } };
    let limit = |power: i32| 2f64.powi(power);
    let real = |pool: &mut Pool, value: f64| {
        let bits = if from == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        pool.constant(from, bits)
    };
    let last = real(pool, limit(i32::from(w) - 1));
    let last = pool.as_const(last)? as i64 - 1;
    let least = if left { bound } else { bound.checked_add(1)? };
    // Within the range the integer never decreases.
    let holds = |place: i128| sign_extend(f.at(pool, place), w) >= least;
    let (mut low, mut high) = (-i128::from(last), i128::from(last));
    if !holds(high) {
        return Some(pool.truth(left));
    }
    if holds(low) {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    let inside = f.between(pool, high, last.into());
    Some(if left { pool.not(inside) } else { inside })
}
