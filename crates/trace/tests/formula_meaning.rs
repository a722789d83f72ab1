//! A formula means what its label means: the text is read back and computed with unbounded
//! integers, on expressions that stay within their width.

use fastrand::Rng;
use parallax_trace::format::*;
use parallax_trace::formula::{FormulaLimits, Printer};
use parallax_trace::request::{Input, Source};
use parallax_trace::synth::Synth;
use std::collections::HashMap;

const BYTES: usize = 4;

/// Reads formulas over `stdin[0]` to `stdin[3]`. `None`: a notation that needs widths to be understood.
struct Reader<'a> {
    text: &'a str,
    bytes: [u8; BYTES],
    names: &'a HashMap<String, String>,
}

impl Reader<'_> {
    fn evaluate(text: &str, bytes: [u8; BYTES], names: &HashMap<String, String>) -> Option<i128> {
        let mut reader = Reader { text, bytes, names };
        let value = reader.choice()?;
        assert_eq!(reader.text, "", "left over of {text}");
        Some(value)
    }

    fn eat(&mut self, token: &str) -> bool {
        match self.text.strip_prefix(token) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn choice(&mut self) -> Option<i128> {
        let mut value = self.comparison()?;
        loop {
            if self.eat(" && ") {
                value = (value & self.comparison()?).min(1);
            } else if self.eat(" || ") {
                value = (value | self.comparison()?).min(1);
            } else if self.eat(" ? ") {
                let yes = self.comparison()?;
                assert!(self.eat(" : "), "{}", self.text);
                let no = self.comparison()?;
                value = if value != 0 { yes } else { no };
            } else {
                return Some(value);
            }
        }
    }

    fn comparison(&mut self) -> Option<i128> {
        let left = self.binary(0)?;
        if self.eat(" in {") {
            return Some(self.set(left)?.into());
        }
        if self.eat(" not in {") {
            return Some((!self.set(left)?).into());
        }
        for (sign, holds) in COMPARISONS {
            if self.eat(sign) {
                let right = self.binary(0)?;
                let mut result = holds(left, right);
                if *sign == " <= " && self.eat(" <= ") {
                    result &= right <= self.binary(0)?;
                }
                return Some(result.into());
            }
        }
        Some(left)
    }

    fn set(&mut self, value: i128) -> Option<bool> {
        let mut found = false;
        while !self.eat("}") {
            let low = self.atom()?;
            let high = if self.eat("..") { self.atom()? } else { low };
            found |= (low..=high).contains(&value);
            self.eat(", ");
        }
        Some(found)
    }

    fn binary(&mut self, level: usize) -> Option<i128> {
        const LEVELS: [&[&str]; 4] =
            [&[" & ", " | ", " ^ "], &[" << ", " >> "], &[" + ", " - "], &[" * ", " / ", " % "]];
        let Some(signs) = LEVELS.get(level) else { return self.atom() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.eat(sign)) {
            let right = self.binary(level + 1)?;
            left = match sign.trim() {
                "&" => left & right,
                "|" => left | right,
                "^" => left ^ right,
                "<<" => left << right,
                ">>" => left >> right,
                "+" => left + right,
                "-" => left - right,
                "*" => left * right,
                "/" => left / right,
                _ => left % right,
            };
        }
        Some(left)
    }

    fn atom(&mut self) -> Option<i128> {
        if self.eat("!") {
            return Some((self.atom()? == 0).into());
        }
        if self.eat("(") {
            let value = self.choice()?;
            assert!(self.eat(")"), "no closing parenthesis before {}", self.text);
            return Some(value);
        }
        if self.eat("true for any ") {
            self.atom()?;
            return Some(1);
        }
        for (word, value) in [("true", 1), ("false", 0)] {
            if self.eat(word) {
                return Some(value);
            }
        }
        if self.eat("stdin[") {
            let at = self.number()?;
            assert!(self.eat("]"));
            return Some(self.bytes[at as usize].into());
        }
        if self.eat("$") {
            let name = format!("${}", self.number()?);
            return Reader::evaluate(&self.names[&name], self.bytes, self.names);
        }
        if self.eat("'") {
            return Some(self.character());
        }
        self.number()
    }

    fn character(&mut self) -> i128 {
        let escaped = self.eat("\\");
        let c = self.text.as_bytes()[0];
        self.text = &self.text[1..];
        assert!(self.eat("'"));
        match (escaped, c) {
            (true, b'0') => 0,
            (true, b'n') => 10,
            (true, b't') => 9,
            (true, b'r') => 13,
            _ => c.into(),
        }
    }

    fn number(&mut self) -> Option<i128> {
        let negative = self.eat("-");
        let radix = if self.eat("0x") { 16 } else { 10 };
        let end = self.text.bytes().take_while(|b| char::from(*b).is_digit(radix)).count();
        let value = i128::from_str_radix(&self.text[..end], radix).ok()?;
        self.text = &self.text[end..];
        Some(if negative { -value } else { value })
    }
}

/// A byte compared as a signed one.
fn signed(byte: i128) -> i128 {
    i128::from(byte as u8 as i8)
}

type Comparison = (&'static str, fn(i128, i128) -> bool);
const COMPARISONS: &[Comparison] = &[
    (" == ", |a, b| a == b),
    (" != ", |a, b| a != b),
    (" <= ", |a, b| a <= b),
    (" >= ", |a, b| a >= b),
    (" < ", |a, b| a < b),
    (" > ", |a, b| a > b),
    (" <=s ", |a, b| signed(a) <= signed(b)),
    (" >=s ", |a, b| signed(a) >= signed(b)),
    (" <s ", |a, b| signed(a) < signed(b)),
    (" >s ", |a, b| signed(a) > signed(b)),
];

/// Values of 64 bits that are never negative and never overflow.
fn value(synth: &mut Synth, rng: &mut Rng, depth: u32) -> Label {
    if depth == 0 || rng.u8(..5) == 0 {
        let byte = synth.input(0, rng.u32(..BYTES as u32));
        return synth.node(Op::ZExt, 64, byte, 0, 0);
    }
    if rng.u8(..6) == 0 {
        let c = condition(synth, rng, depth - 1);
        let (a, b) = (value(synth, rng, depth - 1), value(synth, rng, depth - 1));
        return synth.node(Op::Ite, 64, c, a, b);
    }
    let a = value(synth, rng, depth - 1);
    let ops = [Op::Add, Op::Mul, Op::And, Op::Or, Op::Xor, Op::LShr, Op::Shl, Op::URem, Op::UDiv];
    let op = ops[rng.usize(..ops.len())];
    let constant = matches!(op, Op::Mul | Op::LShr | Op::Shl | Op::URem | Op::UDiv) || rng.bool();
    let b = if constant { synth.constant(64, rng.u64(1..9)) } else { value(synth, rng, depth - 1) };
    synth.node(op, 64, a, b, 0)
}

fn condition(synth: &mut Synth, rng: &mut Rng, depth: u32) -> Label {
    match rng.u8(..10) {
        0 if depth > 0 => {
            let (a, b) = (condition(synth, rng, depth - 1), condition(synth, rng, depth - 1));
            synth.node([Op::And, Op::Or][rng.usize(..2)], 1, a, b, 0)
        }
        1 if depth > 0 => {
            let (a, one) = (condition(synth, rng, depth - 1), synth.constant(1, 1));
            synth.node(Op::Xor, 1, a, one, 0)
        }
        2 if depth > 0 => {
            let a = condition(synth, rng, depth - 1);
            let wide = synth.node(Op::ZExt, 32, a, 0, 0);
            let zero = synth.constant(32, rng.u64(..2));
            synth.node([Op::Eq, Op::Ne][rng.usize(..2)], 1, wide, zero, 0)
        }
        3 => range(synth, rng),
        4 => signed_byte(synth, rng),
        _ => {
            let ops = [Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle];
            let a = value(synth, rng, depth);
            let b = if rng.bool() { synth.constant(64, rng.u64(..300)) } else { value(synth, rng, depth) };
            compared(synth, rng, &ops, a, b)
        }
    }
}

fn compared(synth: &mut Synth, rng: &mut Rng, ops: &[Op], a: Label, b: Label) -> Label {
    let op = ops[rng.usize(..ops.len())];
    let (a, b) = if rng.bool() { (a, b) } else { (b, a) };
    synth.node(op, 1, a, b, 0)
}

/// A `char`, compared as C does where it is signed.
fn signed_byte(synth: &mut Synth, rng: &mut Rng) -> Label {
    let byte = synth.input(0, rng.u32(..BYTES as u32));
    let wide = synth.node(Op::SExt, 32, byte, 0, 0);
    let value = synth.constant(32, rng.u64(..128));
    compared(synth, rng, &[Op::Eq, Op::Ne, Op::Slt, Op::Sle], wide, value)
}

/// `x - low <u size`, which wraps on purpose.
fn range(synth: &mut Synth, rng: &mut Rng) -> Label {
    let byte = synth.input(0, rng.u32(..BYTES as u32));
    let wide = synth.node([Op::ZExt, Op::SExt][rng.usize(..2)], 32, byte, 0, 0);
    let low = rng.u64(1..100);
    let shifted = if rng.bool() {
        let low = synth.constant(32, low);
        synth.node(Op::Sub, 32, wide, low, 0)
    } else {
        let minus = synth.constant(32, low.wrapping_neg());
        synth.node(Op::Add, 32, wide, minus, 0)
    };
    let size = synth.constant(32, rng.u64(1..28));
    compared(synth, rng, &[Op::Ult, Op::Ule], shifted, size)
}

#[test]
fn a_formula_read_back_has_the_value_of_its_label() {
    let mut rng = Rng::with_seed(9);
    let (mut judged, mut skipped) = (0, 0);
    for round in 0..3000 {
        let stdin = Input { source: Source::Stdin, bytes: vec![rng.u8(..); BYTES], symbolic: true };
        let mut synth = Synth::new(vec![stdin]);
        let label = condition(&mut synth, &mut rng, 3);
        let trace = synth.trace();
        let terms = [4, 12, 40][round % 3];
        let mut printer = Printer::new(&trace, FormulaLimits { terms, ..FormulaLimits::default() });
        let texts = [true, false].map(|held| printer.condition(label, held));
        let definitions = printer.new_definitions();
        let names: HashMap<_, _> = definitions.into_iter().map(|d| (d.name, d.formula)).collect();
        for _ in 0..20 {
            let bytes: [u8; BYTES] = std::array::from_fn(|_| rng.u8(..));
            let value = trace.eval(label, &|_, i| Some(bytes[i as usize])).unwrap();
            for (text, held) in texts.iter().zip([1, 0]) {
                match Reader::evaluate(text, bytes, &names) {
                    Some(read) => {
                        let expected = i128::from(value == held);
                        assert_eq!(read, expected, "{text} on {bytes:?} with {names:?}");
                        judged += 1;
                    }
                    None => skipped += 1,
                }
            }
        }
    }
    assert!(judged > 20 * skipped, "{judged} judged, {skipped} skipped");
}
