//! Floating point in the bit-blaster: comparisons as circuits, everything else by lemmas on demand.
//!
//! In: a solution of the clauses in which an operator has bits that it does not compute. Out: clauses that hold for the operator and not for this
//! solution. Most operators keep order: from `x + y = r` follows that no smaller `x` and `y` have a larger sum, so one lemma rules out
//! half of a quadrant and not one point (lemmas on demand: de Moura and Rueß 2002; on monotonic functions they converge as bisection does).
//!
//! Always holds: every clause is true of [`parallax_trace::float::apply`] on all inputs.

use super::gates::{Clauses, Gates, Lit};
use super::Blaster;
use crate::expr::{operate, ExprId, Node};
use crate::pool::Pool;
use parallax_trace::float::{infinity, order, Math1};
use parallax_trace::format::Op;

/// How values of an operand or result are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Real,
    Unsigned,
    Signed,
}

/// An operator at one place.
pub struct Point {
    id: ExprId,
    operands: [u64; 3],
    right: u64,
}

/// An operand that a function rises or falls with, inside bounds (as values in the operand's order).
struct Direction {
    at: usize,
    order: Order,
    rising: bool,
    /// The function keeps order only from here, and only up to here.
    from: Option<u64>,
    to: Option<u64>,
}

impl<C: Clauses> Gates<C> {
    /// `a < b` of bits of floating-point numbers.
    pub fn real_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (top, zero) = (a.len() - 1, self.constant(0, a.len() - 1));
        let (negative_a, negative_b) = (a[top], b[top]);
        let (less, greater) = (self.ult(&a[..top], &b[..top]), self.ult(&b[..top], &a[..top]));
        let same_sign = self.choose(negative_a, greater, less);
        let nothing_a = self.eq(&a[..top], &zero);
        let nothing_b = self.eq(&b[..top], &zero);
        let nothing = self.and(nothing_a, nothing_b);
        let crossing = self.and(negative_a, -nothing);
        let differ = self.xor(negative_a, negative_b);
        let result = self.choose(differ, crossing, same_sign);
        let numbers = self.both_numbers(a, b);
        self.and(result, numbers)
    }

    pub fn real_equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (top, zero) = (a.len() - 1, self.constant(0, a.len() - 1));
        let same = self.eq(a, b);
        let magnitude = self.eq(&a[..top], &b[..top]);
        let nothing = self.eq(&a[..top], &zero);
        let zeros = self.and(magnitude, nothing);
        let either = self.or(same, zeros);
        let numbers = self.both_numbers(a, b);
        self.and(either, numbers)
    }

    pub fn real_at_most(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (less, equal) = (self.real_less(a, b), self.real_equal(a, b));
        self.or(less, equal)
    }

    fn both_numbers(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let top = a.len() - 1;
        let infinite = self.constant(infinity(a.len() as u8) as u64, top);
        let (x, y) = (self.ult(&infinite, &a[..top]), self.ult(&infinite, &b[..top]));
        self.and(-x, -y)
    }

    fn at_most(&mut self, order: Order, a: &[Lit], b: &[Lit]) -> Lit {
        match order {
            Order::Real => self.real_at_most(a, b),
            Order::Unsigned => -self.ult(b, a),
            Order::Signed => -self.slt(b, a),
        }
    }
}

/// Is this bit pattern a finite number?
fn is_finite(bits: u64, width: u8) -> bool {
    let magnitude = if width == 32 { 0x7fff_ffff } else { i64::MAX as u64 };
    ((bits & magnitude) as i64) < infinity(width)
}

/// With which operands the function rises or falls around these values, if it does with all that are no constants.
fn directions(pool: &Pool, node: &Node, values: [u64; 3]) -> Option<Vec<Direction>> {
    let width = pool.width(node.args[0]);
    let zero = Some(0);
    let negative = |at: usize| order(values[at], width) < 0;
    let numbers = || (0..node.op.arity()).all(|at| is_finite(values[at], width));
    let free = |at, order, rising| Direction { at, order, rising, from: None, to: None };
    let half = |at: usize, rising, low: Option<u64>, high: Option<u64>| {
        let (from, to) = if negative(at) { (None, high) } else { (low, None) };
        Direction { at, order: Order::Real, rising, from, to }
    };
    let least = Some(1u64);
    let greatest_negative = Some(1 << (width - 1) | 1);
    let real = Order::Real;
    Some(match node.op {
        Op::FAdd if numbers() => vec![free(0, real, true), free(1, real, true)],
        Op::FSub if numbers() => vec![free(0, real, true), free(1, real, false)],
        Op::FMul if numbers() && order(values[0], width) != 0 && order(values[1], width) != 0 => {
            vec![half(0, !negative(1), zero, zero), half(1, !negative(0), zero, zero)]
        }
        Op::FDiv if numbers() && order(values[1], width) != 0 => {
            vec![half(0, !negative(1), zero, zero), half(1, negative(0), least, greatest_negative)]
        }
        Op::FConvert if numbers() => vec![free(0, real, true)],
        Op::FMath1 if numbers() => match Math1::from_number(node.num)? {
            Math1::Sqrt if !negative(0) => vec![half(0, true, zero, zero)],
            Math1::Sqrt => return None,
            function if function.is_rising() => vec![free(0, real, true)],
            _ => return None,
        },
        Op::FFromS => vec![free(0, Order::Signed, true)],
        Op::FFromU => vec![free(0, Order::Unsigned, true)],
        Op::FDecimal => vec![free(0, Order::Unsigned, true), free(1, Order::Signed, true)],
        _ => return None,
    })
}

impl<C: Clauses> Blaster<C> {
    /// The operands of an operator in a solution, and what it computes from them, if that is not what it has there. `bits`: what
    /// the solution says.
    pub fn wrong(&self, pool: &Pool, id: ExprId, bits: &dyn Fn(&[Lit]) -> u64) -> Option<Point> {
        let node = pool.node(id);
        let (mut operands, mut widths) = ([0; 3], [0; 3]);
        for (at, arg) in node.operands().iter().enumerate() {
            (operands[at], widths[at]) = (bits(self.bits(*arg)), pool.width(*arg));
        }
        let right = operate(node, widths, operands);
        (right != bits(self.bits(id))).then_some(Point { id, operands, right })
    }

    /// The lemmas for an operator, its operands and what it computes from them.
    pub fn learn(&mut self, pool: &Pool, point: &Point) {
        let Point { id, operands, right } = *point;
        let node = *pool.node(id);
        let result = self.bits(id).to_vec();
        self.learn_point(&node, &result, operands, right);
        let is_number = node.width < 32 || order(right, node.width).abs() <= infinity(node.width);
        let Some(directions) = directions(pool, &node, operands).filter(|_| is_number) else { return };
        let wanted = self.gates.constant(right, result.len());
        for upper in [true, false] {
            let mut clause = Vec::new();
            for direction in &directions {
                let arg = self.bits(node.args[direction.at]).to_vec();
                let value = operands[direction.at];
                let order = direction.order;
                let bound = self.gates.constant(value, arg.len());
                let below = upper == direction.rising;
                let (a, b) = if below { (&arg, &bound) } else { (&bound, &arg) };
                clause.push(-self.gates.at_most(order, a, b));
                // The other end of where it keeps order.
                if let (Some(from), true) = (direction.from, below) {
                    let from = self.gates.constant(from, arg.len());
                    clause.push(-self.gates.at_most(order, &from, &arg));
                }
                if let (Some(to), false) = (direction.to, below) {
                    let to = self.gates.constant(to, arg.len());
                    clause.push(-self.gates.at_most(order, &arg, &to));
                }
            }
            let (a, b) = if upper { (&result, &wanted) } else { (&wanted, &result) };
            clause.push(self.gates.at_most(Order::Real, a, b));
            self.gates.clauses.clause(&clause);
        }
    }

    /// These very operands give this very result.
    fn learn_point(&mut self, node: &Node, result: &[Lit], operands: [u64; 3], right: u64) {
        let mut same = Vec::new();
        for (at, arg) in node.operands().iter().enumerate() {
            let arg = self.bits(*arg).to_vec();
            let value = self.gates.constant(operands[at], arg.len());
            same.push(-self.gates.eq(&arg, &value));
        }
        for (at, bit) in result.iter().enumerate() {
            let wanted = if right >> at & 1 == 1 { *bit } else { -bit };
            let mut clause = same.clone();
            clause.push(wanted);
            self.gates.clauses.clause(&clause);
        }
    }
}
