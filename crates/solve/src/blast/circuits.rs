//! Circuits of the operators on vectors of literals, lowest bit first.
//!
//! In: operands of equal widths. Out: results, as [`parallax_trace::format::apply`] defines them.
//!
//! Programs compute in 64 bits with numbers of 8 or 32: an operand whose upper bits are all its sign is computed with in as
//! few bits as hold the result, which is then extended again ([`Gates::narrowed`]).

use super::gates::{literal, Clauses, Gates, Lit, FALSE, TRUE};

/// Kinds of shifts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    Left,
    Right,
    Signed,
}

/// Cut, or filled up with a literal.
pub fn extended(a: &[Lit], fill: Lit, width: usize) -> Vec<Lit> {
    (0..width).map(|i| a.get(i).copied().unwrap_or(fill)).collect()
}

/// The value, if every bit is known.
fn as_constant(a: &[Lit]) -> Option<u64> {
    a.iter().rev().try_fold(0, |value, bit| match *bit {
        TRUE => Some(value << 1 | 1),
        FALSE => Some(value << 1),
        _ => None,
    })
}

/// Bits that hold the value with its sign: all above are the same literal.
fn significant(a: &[Lit]) -> usize {
    let sign = a.last();
    1 + a.len() - a.iter().rev().take_while(|bit| Some(*bit) == sign).count()
}

/// Bits that hold both with their signs.
fn common(a: &[Lit], b: &[Lit]) -> usize {
    significant(a).max(significant(b))
}

fn negated(a: &[Lit]) -> Vec<Lit> {
    a.iter().map(|bit| -bit).collect()
}

impl<C: Clauses> Gates<C> {
    pub fn constant(&self, value: u64, width: usize) -> Vec<Lit> {
        // Double widths are wider than a word.
        (0..width as u32).map(|i| literal(value.checked_shr(i).unwrap_or(0) & 1 == 1)).collect()
    }

    pub fn each(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Self, Lit, Lit) -> Lit) -> Vec<Lit> {
        a.iter().zip(b).map(|(a, b)| gate(self, *a, *b)).collect()
    }

    pub fn choose_all(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(a, b)| self.choose(condition, *a, *b)).collect()
    }

    /// Sum with a carry coming in; the carry going out is the second result.
    fn add_with(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
        let mut sum = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let half = self.xor(*a, *b);
            sum.push(self.xor(half, carry));
            carry = self.choose(half, carry, *a);
        }
        (sum, carry)
    }

    /// An operation whose result, a signed number, fits into so many bits.
    fn narrowed(
        &mut self,
        [a, b]: [&[Lit]; 2],
        bits: usize,
        operation: fn(&mut Self, &[Lit], &[Lit]) -> Vec<Lit>,
    ) -> Vec<Lit> {
        let bits = bits.min(a.len());
        let result = operation(self, &a[..bits], &b[..bits]);
        extended(&result, result[bits - 1], a.len())
    }

    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.narrowed([a, b], common(a, b) + 1, |g, a, b| g.add_with(a, b, FALSE).0)
    }

    pub fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.narrowed([a, b], common(a, b) + 1, |g, a, b| g.add_with(a, &negated(b), TRUE).0)
    }

    fn negate_if(&mut self, condition: Lit, a: &[Lit]) -> Vec<Lit> {
        let zero = self.constant(0, a.len());
        let minus = self.sub(&zero, a);
        self.choose_all(condition, &minus, a)
    }

    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.narrowed([a, b], significant(a) + significant(b), Self::rows)
    }

    /// Product modulo 2^width: one addition for each bit of `b` that is not known to be 0.
    fn rows(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let constants = |x: &[Lit]| x.iter().filter(|l| l.abs() == TRUE).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut sum = self.constant(0, a.len());
        for (shift, bit) in b.iter().enumerate().filter(|(_, bit)| **bit != FALSE) {
            let row: Vec<Lit> = a[..a.len() - shift].iter().map(|x| self.and(*x, *bit)).collect();
            let upper = self.add(&sum[shift..], &row);
            sum.splice(shift.., upper);
        }
        sum
    }

    pub fn eq(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let bits = common(a, b);
        let differ = self.each(&a[..bits], &b[..bits], Gates::xor);
        -self.any(&differ)
    }

    pub fn ult(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // From the lowest bit up: the highest bit that differs decides. Sign extension keeps both orders.
        let bits = common(a, b);
        a[..bits].iter().zip(b).fold(FALSE, |less, (a, b)| {
            let differ = self.xor(*a, *b);
            self.choose(differ, *b, less)
        })
    }

    pub fn slt(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // Signed order is unsigned order with the sign bits exchanged.
        let bits = common(a, b);
        let (mut a, mut b) = (a[..bits].to_vec(), b[..bits].to_vec());
        if let (Some(a), Some(b)) = (a.last_mut(), b.last_mut()) {
            std::mem::swap(a, b);
        }
        self.ult(&a, &b)
    }

    pub fn shift(&mut self, a: &[Lit], amount: &[Lit], kind: Shift) -> Vec<Lit> {
        let width = a.len();
        let fill = if kind == Shift::Signed { a[width - 1] } else { FALSE };
        // Bits of the amount that matter; any higher one shifts everything out.
        let stages = width.next_power_of_two().trailing_zeros() as usize;
        let mut value = a.to_vec();
        for (stage, bit) in amount.iter().enumerate().take(stages) {
            let by = 1usize << stage;
            let moved: Vec<Lit> = (0..width)
                .map(|i| match kind {
                    Shift::Left => i.checked_sub(by).map_or(FALSE, |from| value[from]),
                    _ => value.get(i + by).copied().unwrap_or(fill),
                })
                .collect();
            value = self.choose_all(*bit, &moved, &value);
        }
        let beyond = self.any(amount.get(stages..).unwrap_or_default());
        value.into_iter().map(|bit| self.choose(beyond, fill, bit)).collect()
    }

    /// Quotient and remainder, made once for both.
    pub fn udivrem(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        // Positive numbers of fewer bits, unless both fill their width.
        let bits = match (a.last(), b.last()) {
            (Some(&FALSE), Some(&FALSE)) => common(a, b),
            _ => a.len(),
        };
        let key = (a[..bits].to_vec(), b[..bits].to_vec());
        let (quotient, rest) = match self.divisions.get(&key) {
            Some(known) => known.clone(),
            None => {
                let result = self.divide(&key.0, &key.1);
                self.divisions.insert(key, result.clone());
                result
            }
        };
        // Of a division by 0 all ones.
        let ones = if bits < a.len() { -self.any(b) } else { FALSE };
        (extended(&quotient, ones, a.len()), extended(&rest, FALSE, a.len()))
    }

    /// Bit by bit; of a division by 0 all ones and the dividend, as the circuit has it anyway.
    fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let width = a.len();
        // What is left is always less than the divisor, and one bit more after the shift.
        let room = match as_constant(b) {
            Some(c) if c > 0 => 65 - c.leading_zeros() as usize,
            _ => width + 1,
        };
        let divisor = extended(b, FALSE, room);
        let mut rest = self.constant(0, room);
        let mut quotient = vec![FALSE; width];
        for i in (0..width).rev() {
            rest.rotate_right(1);
            rest[0] = a[i];
            let less = self.ult(&rest, &divisor);
            let smaller = self.sub(&rest, &divisor);
            rest = self.choose_all(less, &rest, &smaller);
            quotient[i] = -less;
        }
        (quotient, extended(&rest, FALSE, width))
    }

    /// With one bit more than the operands have, the least number by -1 fits.
    pub fn sdiv(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.narrowed([a, b], common(a, b) + 1, Self::signed_quotient)
    }

    pub fn srem(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.narrowed([a, b], common(a, b) + 1, Self::signed_remainder)
    }

    /// Rounds toward zero; by 0: 1 if negative, else -1, which the rule of signs gives from all ones.
    fn signed_quotient(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (a, b) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let (quotient, _) = self.udivrem(&a, &b);
        let differ = self.xor(sign_a, sign_b);
        self.negate_if(differ, &quotient)
    }

    /// Has the sign of the dividend; by 0 it is the dividend.
    fn signed_remainder(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (a, b) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let (_, rest) = self.udivrem(&a, &b);
        self.negate_if(sign_a, &rest)
    }

    /// Does the product in twice the width differ from the product in the width, extended? It does if the highest bits of the
    /// operands that differ from their signs say so; if they do not, one bit more than the width holds the product.
    pub fn mul_overflow(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
        let width = a.len();
        let fill = |x: &[Lit]| if signed { x[width - 1] } else { FALSE };
        let (signs_a, signs_b) = (vec![fill(a); width], vec![fill(b); width]);
        let (x, y) = (self.each(a, &signs_a, Gates::xor), self.each(b, &signs_b, Gates::xor));
        let limit = width - usize::from(signed);
        let (mut reasons, mut above) = (Vec::with_capacity(width), FALSE);
        for i in 1..width {
            above = self.or(above, x[limit - i]);
            reasons.push(self.and(above, y[i]));
        }
        let (a, b) = (extended(a, fill(a), width + 1), extended(b, fill(b), width + 1));
        let product = self.mul(&a, &b);
        let last = if signed { product[width - 1] } else { FALSE };
        reasons.push(self.xor(product[width], last));
        self.any(&reasons)
    }

    /// The product in twice the width.
    pub fn mul_wide(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> Vec<Lit> {
        let width = a.len();
        let fill = |x: &[Lit]| if signed { x[width - 1] } else { FALSE };
        let (a, b) = (extended(a, fill(a), 2 * width), extended(b, fill(b), 2 * width));
        self.mul(&a, &b)
    }
}
