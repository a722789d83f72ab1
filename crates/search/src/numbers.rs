//! Numbers instead of their digits.
//!
//! What a program computes from `7` has no value above 9, so no solver finds the 300 that a branch waits for: how
//! many digits there are is decided by other branches. Here an expression that is the value of all the digits that
//! stand together in an input is replaced by a variable of its own, conditions on those digits are left out,
//! and the answer is written back with as many digits as it takes (and a sign).
//!
//! In: a trace and its expressions. Out: the same expressions over numbers.
//!
//! Numbers are decimal or hexadecimal: which, the expression says, not the text.
//!
//! Always holds: an expression is taken for a number only if it is the value of its digits on all digits that were
//! tried. What comes out is a guess all the same (a program may count digits): the run shows it.

use crate::inputs::{Base, Names, NUMBER_BYTES};
use crate::Traced;
use parallax_solve::{ExprId, Importer, Pool, Program, Var, VarId};
use parallax_trace::format::{mask, Op};
use parallax_trace::request::Input;
use parallax_trace::Trace;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Longest stretch that is looked at; see [`Base::max_digits`].
const MAX_DIGITS: usize = 9;
/// Operations in a row between a digit and the value of its number at most. What loops and recursion make of a few digits is deeper,
/// and looking at each of its values would take time quadratic in the number of rounds.
const MAX_DEPTH: u32 = 128;
/// Digits tried before an expression is believed to be their value.
const TRIALS: u64 = 8;

/// What becomes of an expression when numbers replace digits.
pub enum Form {
    /// It stays the same.
    Same,
    /// It is about the digits themselves.
    Text,
    Is(ExprId),
}

/// A stretch of text that may be a number.
type Stretch = (Range<u32>, Base);

/// All stretches in the inputs of a run that may be numbers, with nothing of theirs left out, by input and first digit.
fn written_in(inputs: &[Input]) -> BTreeMap<(u32, u32), Vec<Stretch>> {
    let mut found: BTreeMap<(u32, u32), Vec<Stretch>> = BTreeMap::new();
    for (input, text) in (0..).zip(inputs).filter(|(_, i)| i.symbolic) {
        for base in Base::BOTH {
            let mut from = 0;
            for part in text.bytes.chunk_by(|a, b| base.is_digit(a) == base.is_digit(b)) {
                let to = from + part.len();
                if base.is_digit(&part[0]) && part.len() <= base.max_digits() {
                    let stretch = (from as u32..to as u32, base);
                    found.entry((input, from as u32)).or_default().push(stretch);
                }
                from = to;
            }
        }
    }
    found
}

/// Which stretch of an input a label is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Nothing,
    /// Input, first and last byte.
    Stretch(u32, u32, u32),
    TooMuch,
}

impl Reach {
    fn and(self, other: Reach) -> Reach {
        match (self, other) {
            (Reach::Nothing, any) | (any, Reach::Nothing) => any,
            (Reach::Stretch(i, a, b), Reach::Stretch(j, c, d))
                if i == j && b.max(d) - a.min(c) < MAX_DIGITS as u32 =>
            {
                Reach::Stretch(i, a.min(c), b.max(d))
            }
            _ => Reach::TooMuch,
        }
    }
}

/// The expressions of one trace over numbers.
pub struct Numbers<'t> {
    importer: Importer<'t>,
    /// What is in each label.
    holds: Vec<Holds>,
}

/// What a label is made of.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Holds {
    number: bool,
    /// Digits that were replaced elsewhere by their value.
    text: bool,
}

impl<'t> Numbers<'t> {
    /// `None` if nothing in this trace is a number. `renamed` and `exact`: how its inputs and labels stand in the pool.
    pub fn find(
        traced: &'t Traced,
        renamed: &[u32],
        names: &mut Names,
        pool: &mut Pool,
        exact: &mut Importer<'t>,
    ) -> Option<Numbers<'t>> {
        let written = written_in(&traced.inputs);
        if written.is_empty() {
            return None;
        }
        let trace = &traced.trace;
        let mut numbers = Numbers {
            importer: Importer::renamed(trace, renamed.to_vec()),
            holds: vec![Holds::default(); trace.nodes().len()],
        };
        let (mut replaced, mut text) = (HashSet::new(), HashSet::new());
        let mut reaches = vec![Reach::Nothing; trace.nodes().len()];
        let mut depths = vec![0u32; trace.nodes().len()];
        for label in 1..trace.nodes().len() as u32 {
            let Some((op, node)) = trace.node(label) else { continue };
            let (mut reach, mut inside, mut below) = (Reach::Nothing, false, 0);
            if op == Op::Input {
                reach = Reach::Stretch(node.a, node.b, node.b);
            }
            trace.operands(label, &mut |operand| {
                reach = reach.and(reaches[operand as usize]);
                inside |= numbers.holds[operand as usize].number;
                below = below.max(depths[operand as usize]);
            });
            depths[label as usize] = below + 1;
            reaches[label as usize] = reach;
            numbers.holds[label as usize].number = inside;
            let Reach::Stretch(input, from, last) = reach else { continue };
            let stretches = written.get(&(input, from)).into_iter().flatten();
            let whole = stretches.filter(|(range, _)| range.end == last + 1).map(|(_, base)| *base);
            let mut bases: Vec<Base> = whole.collect();
            if bases.is_empty() || op == Op::Input || node.width < 8 || below >= MAX_DEPTH {
                continue;
            }
            let Some(expr) = exact.expr(pool, label) else { continue };
            let digits = &traced.inputs[input as usize].bytes[from as usize..=last as usize];
            let found = (renamed[input as usize], from, digits);
            bases.sort_by_key(|base| *base != names.likely_base(renamed[input as usize]));
            if bases.into_iter().any(|base| numbers.replace(label, expr, found, base, names, pool)) {
                replaced.insert(label);
                text.extend((from..=last).map(|offset| (input, offset)));
            }
        }
        numbers.find_text(trace, &replaced, &text);
        (!text.is_empty()).then_some(numbers)
    }

    /// Which labels are about digits (`text`: input and offset of each) and not only about their value.
    fn find_text(&mut self, trace: &Trace, replaced: &HashSet<u32>, text: &HashSet<(u32, u32)>) {
        for label in (1..trace.nodes().len() as u32).filter(|label| !replaced.contains(label)) {
            let Some((op, node)) = trace.node(label) else { continue };
            let mut inside = op == Op::Input && text.contains(&(node.a, node.b));
            trace.operands(label, &mut |operand| inside |= self.holds[operand as usize].text);
            self.holds[label as usize].text = inside;
        }
    }

    /// Put the number in the label's place; `false` if it is none. `found`: input, first digit, and the digits that stand there.
    fn replace(
        &mut self,
        label: u32,
        expr: ExprId,
        (input, from, digits): (u32, u32, &[u8]),
        base: Base,
        names: &mut Names,
        pool: &mut Pool,
    ) -> bool {
        let vars = (from..).zip(digits).map(|(offset, digit)| (pool.var_id(Var { input, offset }), *digit));
        let digits: Vec<(VarId, u8)> = vars.collect();
        let Some(sign) = value_of(pool, expr, &digits, base) else { return false };
        names.note_base(input, base, digits.len());
        let number = variable(pool, names.written(input, from, base));
        let width = pool.width(expr);
        let number = match base {
            _ if width <= 32 => pool.extract(number, 0, width),
            Base::Ten => pool.sext(number, width),
            Base::Sixteen => pool.zext(number, width),
        };
        let value = match sign {
            Sign::Plus => number,
            Sign::Minus => {
                let zero = pool.constant(width, 0);
                pool.binary(Op::Sub, zero, number)
            }
        };
        self.importer.replace(label, value);
        self.holds[label as usize].number = true;
        true
    }

    /// What becomes of a label.
    pub fn form(&mut self, pool: &mut Pool, label: u32) -> Form {
        let holds = self.holds.get(label as usize).copied().unwrap_or_default();
        match holds {
            Holds { text: true, .. } => Form::Text,
            Holds { number: true, .. } => self.importer.expr(pool, label).map_or(Form::Text, Form::Is),
            _ => Form::Same,
        }
    }
}

/// The variable for a number.
pub fn variable(pool: &mut Pool, input: u32) -> ExprId {
    let low = pool.byte(Var { input, offset: 0 });
    (1..NUMBER_BYTES).fold(low, |low, offset| {
        let high = pool.byte(Var { input, offset });
        pool.concat(high, low)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// Is an expression the value of these digits, or what is below zero by as much? Each comes with the digit that stands there:
/// the expression is that of a run with one of its kind (0 to 9, small or capital letters).
fn value_of(pool: &Pool, expr: ExprId, digits: &[(VarId, u8)], base: Base) -> Option<Sign> {
    let mut program = Program::new(pool, &[expr]);
    let width = mask(pool.width(expr));
    let mut random = fastrand::Rng::with_seed(digits.len() as u64);
    let mut signs = vec![Sign::Plus, Sign::Minus];
    for _ in 0..TRIALS {
        let text: Vec<u8> = digits.iter().map(|(_, digit)| another_digit(*digit, &mut random)).collect();
        let value = text.iter().fold(0u64, |sum, d| sum * base.radix() + base.value(*d));
        // Others than the digits are not in it: a label's reach is no more than they are.
        let byte = |var: VarId| digits.iter().position(|d| d.0 == var).map_or(0, |at| text[at]);
        let found = program.run_one(&byte);
        signs.retain(|sign| match sign {
            Sign::Plus => found == value & width,
            Sign::Minus => found == value.wrapping_neg() & width,
        });
    }
    signs.first().copied()
}

fn another_digit(digit: u8, random: &mut fastrand::Rng) -> u8 {
    match digit {
        b'a'..=b'f' => random.u8(b'a'..=b'f'),
        b'A'..=b'F' => random.u8(b'A'..=b'F'),
        _ => random.u8(b'0'..=b'9'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_digits_is_told_from_what_is_not() {
        let mut pool = Pool::new();
        let digits: Vec<(VarId, u8)> =
            (0..3).map(|offset| (pool.var_id(Var { input: 0, offset }), b'7')).collect();
        let (ten, zero) = (pool.constant(32, 10), pool.constant(32, u64::from(b'0')));
        let mut value = pool.constant(32, 0);
        let mut sum = value;
        for offset in 0..3 {
            let byte = pool.byte(Var { input: 0, offset });
            let byte = pool.zext(byte, 32);
            let digit = pool.binary(Op::Sub, byte, zero);
            let shifted = pool.binary(Op::Mul, value, ten);
            value = pool.binary(Op::Add, shifted, digit);
            sum = pool.binary(Op::Add, sum, digit);
        }
        let nothing = pool.constant(32, 0);
        let negative = pool.binary(Op::Sub, nothing, value);
        assert_eq!(value_of(&pool, value, &digits, Base::Ten), Some(Sign::Plus));
        assert_eq!(value_of(&pool, negative, &digits, Base::Ten), Some(Sign::Minus));
        assert_eq!(value_of(&pool, sum, &digits, Base::Ten), None);
        assert_eq!(value_of(&pool, value, &digits, Base::Sixteen), None);
    }

    #[test]
    fn hexadecimal_numbers_are_those_of_the_digits_that_stand_there() {
        let mut pool = Pool::new();
        let digits: Vec<(VarId, u8)> = [b'1', b'c']
            .iter()
            .zip(0..)
            .map(|(d, offset)| (pool.var_id(Var { input: 0, offset }), *d))
            .collect();
        let [one, letter] = [0, 1].map(|offset| {
            let byte = pool.byte(Var { input: 0, offset });
            pool.zext(byte, 32)
        });
        let (sixteen, zero, ten) = (
            pool.constant(32, 16),
            pool.constant(32, u64::from(b'0')),
            pool.constant(32, u64::from(b'a' - 10)),
        );
        let high = pool.binary(Op::Sub, one, zero);
        let high = pool.binary(Op::Mul, high, sixteen);
        let low = pool.binary(Op::Sub, letter, ten);
        let value = pool.binary(Op::Add, high, low);
        assert_eq!(value_of(&pool, value, &digits, Base::Sixteen), Some(Sign::Plus));
        assert_eq!(value_of(&pool, value, &digits, Base::Ten), None);
    }

    #[test]
    fn numbers_are_found_whole() {
        let input = Input {
            source: parallax_trace::request::Source::Stdin,
            bytes: b"12 a7,1234567890".to_vec(),
            symbolic: true,
        };
        let found: Vec<Stretch> = written_in(&[input]).into_values().flatten().collect();
        let (ten, sixteen) = (Base::Ten, Base::Sixteen);
        assert_eq!(found, [(0..2, ten), (0..2, sixteen), (3..5, sixteen), (4..5, ten)]);
    }
}
