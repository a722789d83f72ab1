//! Infix text of nodes.
//!
//! In: labels that [`Printer::prepare`] has seen. Out: text and how tightly it binds.
//!
//! Always holds: recursion goes only into operands without a name, so it is no deeper than
//! [`super::FormulaLimits::terms`].

use super::{character, input_name, Printer};
use crate::format::*;

/// Text and how tightly it binds: higher needs fewer parentheses.
pub(super) type Text = (String, u8);

const LOGIC: u8 = 0;
const COMPARE: u8 = 1;
const BITS: u8 = 2;
const SHIFT: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const ATOM: u8 = 6;

/// Consecutive bytes of one input, read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteRun {
    input: u32,
    /// Offset of the least and of the most significant byte.
    low: u32,
    high: u32,
}

impl Printer<'_> {
    pub(super) fn value_text(&self, label: Label) -> Text {
        match self.names.get(&label) {
            Some(number) => (format!("${number}"), ATOM),
            None => self.unnamed_text(label),
        }
    }

    /// A value, in parentheses unless it is a single thing.
    pub(super) fn operand_text(&self, label: Label) -> String {
        self.inside(label, ATOM)
    }

    fn inside(&self, label: Label, at_least: u8) -> String {
        let (text, binds) = self.value_text(label);
        if binds >= at_least {
            text
        } else {
            format!("({text})")
        }
    }

    pub(super) fn unnamed_text(&self, label: Label) -> Text {
        let Some((op, node)) = self.trace.node(label) else { return ("?".to_owned(), ATOM) };
        if let Some(run) = self.byte_run(label).filter(|_| op == Op::Concat) {
            return self.run_text(run);
        }
        match op {
            Op::Const => (number(node.value, node.width), ATOM),
            Op::Input => (self.byte_name(node.a, node.b), ATOM),
            Op::ZExt | Op::SExt | Op::Extract => self.cast_text(op, node),
            Op::Concat => match self.constant(node.a) {
                Some(0) => self.value_text(node.b),
                _ => (format!("concat({}, {})", self.value_text(node.a).0, self.value_text(node.b).0), ATOM),
            },
            Op::Read => self.read_text(node),
            Op::Ite if node.width > 1 => {
                let condition = self.condition_text(node.a, true);
                let branches = (self.inside(node.b, BITS), self.inside(node.c, BITS));
                (format!("{} ? {} : {}", wrap(condition, COMPARE), branches.0, branches.1), LOGIC)
            }
            _ if node.width == 1 => self.unnamed_condition(label, true),
            _ => self.binary_text(op, node),
        }
    }

    fn binary_text(&self, op: Op, node: &Node) -> Text {
        let plain = self.never_negative(node.a) && self.never_negative(node.b);
        let mark = |symbol: &'static str, marked: &'static str| if plain { symbol } else { marked };
        let (symbol, binds) = match op {
            Op::Add => return self.sum_text(node),
            Op::Sub => ("-", SUM),
            Op::Mul => ("*", PRODUCT),
            Op::UDiv => (mark("/", "/u"), PRODUCT),
            Op::SDiv => (mark("/", "/s"), PRODUCT),
            Op::URem => (mark("%", "%u"), PRODUCT),
            Op::SRem => (mark("%", "%s"), PRODUCT),
            Op::Shl => ("<<", SHIFT),
            Op::LShr => (mark(">>", ">>u"), SHIFT),
            Op::AShr => (mark(">>", ">>s"), SHIFT),
            Op::And => ("&", BITS),
            Op::Or => ("|", BITS),
            Op::Xor => ("^", BITS),
            op if op.is_float() => return (self.real_text(op, node), ATOM),
            Op::UMulHigh => return (self.call_text("mul_high_u", node), ATOM),
            Op::SMulHigh => return (self.call_text("mul_high_s", node), ATOM),
            _ => return ("?".to_owned(), ATOM),
        };
        let right = match (self.constant(node.b), binds) {
            (Some(value), BITS) => hexadecimal(value),
            (Some(value), SUM) => self.offset_text(node.a, value, node.width),
            _ => self.inside(node.b, binds + 1),
        };
        let left = self.inside(node.a, if binds == BITS || binds == SHIFT { ATOM } else { binds });
        (format!("{left} {symbol} {right}"), binds)
    }

    fn call_text(&self, name: &str, node: &Node) -> String {
        format!("{name}({}, {})", self.value_text(node.a).0, self.value_text(node.b).0)
    }

    /// A sum; adding a negative constant is a subtraction.
    fn sum_text(&self, node: &Node) -> Text {
        let left = self.inside(node.a, SUM);
        let text = match self.constant(node.b) {
            Some(value) if sign_extend(value, node.width) < 0 => {
                let magnitude = value.wrapping_neg() & mask(node.width);
                format!("{left} - {}", self.offset_text(node.a, magnitude, node.width))
            }
            _ => format!("{left} + {}", self.inside(node.b, SUM + 1)),
        };
        (text, SUM)
    }

    /// A number added to or taken from a character: `'0'`, `'a'` and `'A'` are shown as such.
    fn offset_text(&self, beside: Label, value: u64, width: u8) -> String {
        if self.is_character(beside) && [b'0', b'a', b'A'].map(u64::from).contains(&value) {
            return character(value).unwrap_or_default();
        }
        number(value, width)
    }

    /// A change of width, left out where it does not change the number that is shown.
    fn cast_text(&self, op: Op, node: &Node) -> Text {
        let (inner, inner_width) = (node.a, self.width(node.a));
        let bound = self.info[inner as usize].bound;
        let is_atom = || self.value_text(inner).1 == ATOM;
        let silent = match op {
            Op::ZExt => bound < mask(inner_width) || inner_width == 1 || is_atom(),
            Op::SExt => self.never_negative(inner),
            _ => node.b == 0 && (bound <= mask(node.width) || self.is_widened(inner, node.width)),
        };
        if silent {
            return self.value_text(inner);
        }
        let text = self.value_text(inner).0;
        let text = match op {
            Op::ZExt => format!("u{}({text})", node.width),
            Op::SExt => format!("i{}({text})", node.width),
            _ if node.b == 0 => {
                format!("u{}({})", node.width, self.low_text(inner, node.width).unwrap_or(text))
            }
            _ => format!("bits({text}, {}..{})", node.b, node.b + u32::from(node.width)),
        };
        (text, ATOM)
    }

    /// A sum that is about to be cut to `width` bits, of something that was widened from as many: the
    /// widening makes no difference.
    fn low_text(&self, label: Label, width: u8) -> Option<String> {
        let (op, sum) = self.trace.node(label)?;
        let offset = match (op, sign_extend(self.constant(sum.b)?, sum.width)) {
            (Op::Add, offset) => offset,
            (Op::Sub, offset) => offset.checked_neg()?,
            _ => return None,
        };
        let named = self.names.contains_key(&label) || self.names.contains_key(&sum.a);
        let (_, widened) = self.trace.node(sum.a).filter(|_| !named && self.is_widened(sum.a, width))?;
        let sign = if offset < 0 { '-' } else { '+' };
        let amount = self.offset_text(widened.a, offset.unsigned_abs(), 64);
        Some(format!("{} {sign} {amount}", self.inside(widened.a, SUM)))
    }

    /// Was this made from `width` bits by extending them?
    fn is_widened(&self, label: Label, width: u8) -> bool {
        matches!(self.trace.node(label), Some((Op::ZExt | Op::SExt, n))
            if self.width(n.a) == width && !self.names.contains_key(&label))
    }

    fn read_text(&self, node: &Node) -> Text {
        let table = self.tables.get(&node.b).map_or(0, |n| *n);
        let index = self.value_text(node.a).0;
        match node.width {
            8 => (format!("T{table}[{index}]"), ATOM),
            width => (format!("T{table}.u{width}[{index}]"), ATOM),
        }
    }

    fn byte_name(&self, input: u32, offset: u32) -> String {
        let name = self.trace.inputs().get(input as usize).map_or_else(|| "?".to_owned(), input_name);
        format!("{name}[{offset}]")
    }

    fn run_text(&self, run: ByteRun) -> Text {
        let (order, from, to) =
            if run.low < run.high { ("le", run.low, run.high) } else { ("be", run.high, run.low) };
        let name = self.trace.inputs().get(run.input as usize).map_or_else(|| "?".to_owned(), input_name);
        let bits = (to - from + 1) * 8;
        (format!("{order}{bits}({name}[{from}..{}])", to + 1), ATOM)
    }

    /// Consecutive bytes of one input, ascending or descending. At most eight, so at most eight deep.
    pub(super) fn byte_run(&self, label: Label) -> Option<ByteRun> {
        let (op, node) = self.trace.node(label)?;
        match op {
            Op::Input => Some(ByteRun { input: node.a, low: node.b, high: node.b }),
            Op::Concat => {
                let (high, low) = (self.byte_run(node.a)?, self.byte_run(node.b)?);
                let joined = ByteRun { input: low.input, low: low.low, high: high.high };
                let rising =
                    low.high.checked_add(1) == Some(high.low) && low.low <= low.high && high.low <= high.high;
                let falling =
                    high.low.checked_add(1) == Some(low.high) && low.low >= low.high && high.low >= high.high;
                (low.input == high.input && (rising || falling)).then_some(joined)
            }
            _ => None,
        }
    }

    /// The value of a constant node.
    fn constant(&self, label: Label) -> Option<u64> {
        self.trace.node(label).filter(|(op, _)| *op == Op::Const).map(|(_, node)| node.value)
    }

    /// Is this a character: an input byte, perhaps widened?
    fn is_character(&self, label: Label) -> bool {
        match self.trace.node(label) {
            Some((Op::Input, _)) => true,
            Some((Op::ZExt | Op::SExt, node)) => {
                matches!(self.trace.node(node.a), Some((Op::Input, _)))
            }
            _ => false,
        }
    }

    // ---- conditions ----

    /// A one-bit label that has the value `held`.
    pub(super) fn condition_text(&self, label: Label, held: bool) -> Text {
        match self.names.get(&label) {
            Some(number) => (format!("{}${number}", if held { "" } else { "!" }), ATOM),
            None => self.unnamed_condition(label, held),
        }
    }

    fn unnamed_condition(&self, label: Label, held: bool) -> Text {
        let Some((op, node)) = self.trace.node(label) else { return ("?".to_owned(), ATOM) };
        if node.width != 1 {
            return (self.equals_text(label, held.into(), true), COMPARE);
        }
        match op {
            Op::Const => ((if (node.value == 1) == held { "true" } else { "false" }).to_owned(), ATOM),
            Op::Eq | Op::Ne => self.equality_text(node, (op == Op::Eq) == held),
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => self.order_text(op, node, held),
            Op::Xor if self.constant(node.b) == Some(1) => self.condition_text(node.a, !held),
            Op::And | Op::Or => {
                let word = if (op == Op::And) == held { "&&" } else { "||" };
                self.junction_text((node.a, held), word, (node.b, held))
            }
            Op::Ite if self.constant(node.b) == Some(1) => {
                let word = if held { "||" } else { "&&" };
                self.junction_text((node.a, held), word, (node.c, held))
            }
            Op::Ite if self.constant(node.c) == Some(0) => {
                let word = if held { "&&" } else { "||" };
                self.junction_text((node.a, held), word, (node.b, held))
            }
            Op::Ite => {
                let part = |label, held| wrap(self.condition_text(label, held), COMPARE);
                let (c, a, b) = (part(node.a, true), part(node.b, held), part(node.c, held));
                (format!("{c} ? {a} : {b}"), LOGIC)
            }
            _ => {
                let text = self.odd_condition_text(op, node);
                (if held { text } else { format!("!{text}") }, ATOM)
            }
        }
    }

    fn junction_text(&self, a: (Label, bool), word: &str, b: (Label, bool)) -> Text {
        let part = |(label, held)| wrap(self.condition_text(label, held), COMPARE);
        (format!("{} {word} {}", part(a), part(b)), LOGIC)
    }

    /// One-bit operators that have no infix form.
    fn odd_condition_text(&self, op: Op, node: &Node) -> String {
        match op {
            Op::Extract => format!("bit({}, {})", self.value_text(node.a).0, node.b),
            op if op.is_float() => self.real_text(op, node),
            Op::UMulOverflow => self.call_text("mul_overflows_u", node),
            Op::SMulOverflow => self.call_text("mul_overflows_s", node),
            Op::ZExt | Op::SExt => wrap(self.condition_text(node.a, true), ATOM),
            _ => format!("({})", self.binary_text(op, node).0),
        }
    }

    fn equality_text(&self, node: &Node, equal: bool) -> Text {
        for (side, other) in [(node.a, node.b), (node.b, node.a)] {
            if let Some(value) = self.constant(other) {
                return match self.truth(side).filter(|_| value <= 1) {
                    Some(condition) => self.condition_text(condition, (value == 1) == equal),
                    None => (self.equals_text(side, value, equal), COMPARE),
                };
            }
        }
        let (a, b) = self.same_narrowing(node.a, node.b).unwrap_or((node.a, node.b));
        let sign = if equal { "==" } else { "!=" };
        (format!("{} {sign} {}", self.inside(a, SHIFT), self.inside(b, SHIFT)), COMPARE)
    }

    /// The one-bit label that this is, perhaps widened with zeros.
    fn truth(&self, label: Label) -> Option<Label> {
        match self.trace.node(label)? {
            (_, node) if node.width == 1 => Some(label),
            (Op::ZExt, node) if self.width(node.a) == 1 => Some(node.a),
            _ => None,
        }
    }

    pub(super) fn equals_text(&self, label: Label, value: u64, equal: bool) -> String {
        let sign = if equal { "==" } else { "!=" };
        let (label, value) = self.narrowed(label, value);
        format!("{} {sign} {}", self.inside(label, SHIFT), self.constant_beside(label, value))
    }

    /// The operand before it was widened, and the constant likewise, if the constant fits.
    fn narrowed(&self, label: Label, value: u64) -> (Label, u64) {
        if let (Some((op @ (Op::ZExt | Op::SExt), node)), None) =
            (self.trace.node(label), self.names.get(&label))
        {
            let inner = self.width(node.a);
            let low = value & mask(inner);
            let back = if op == Op::ZExt { low } else { sign_extend(low, inner) as u64 & mask(node.width) };
            if back == value && inner > 1 {
                return self.narrowed(node.a, low);
            }
        }
        (label, value)
    }

    /// The operand before it was widened, if all these constants fit.
    pub(super) fn narrowed_for_all(&self, label: Label, values: &[u64]) -> Label {
        let mut shown = values.iter().map(|v| self.narrowed(label, *v).0);
        let first = shown.next().unwrap_or(label);
        if shown.all(|s| s == first) {
            first
        } else {
            label
        }
    }

    /// Both operands before they were widened in the same way from the same width.
    fn same_narrowing(&self, a: Label, b: Label) -> Option<(Label, Label)> {
        let ((op_a, node_a), (op_b, node_b)) = (self.trace.node(a)?, self.trace.node(b)?);
        let same = op_a == op_b
            && matches!(op_a, Op::ZExt | Op::SExt)
            && self.width(node_a.a) == self.width(node_b.a)
            && !self.names.contains_key(&a)
            && !self.names.contains_key(&b);
        same.then_some((node_a.a, node_b.a))
    }

    pub(super) fn constant_beside(&self, label: Label, value: u64) -> String {
        let (label, value) = self.narrowed(label, value);
        let as_character = self.is_character(label).then(|| character(value)).flatten();
        as_character.unwrap_or_else(|| number(value, self.width(label)))
    }

    /// `<`, `<=` and, when it did not hold, `>=`, `>`; ranges where a sum is compared.
    fn order_text(&self, op: Op, node: &Node, held: bool) -> Text {
        if let Some(range) = self.range_text(op, node, held) {
            return range;
        }
        let signed = matches!(op, Op::Slt | Op::Sle);
        let plain = (self.never_negative(node.a) && self.never_negative(node.b))
            || (!signed && self.width(node.a) == 8);
        let mut symbol = match (op, held) {
            (Op::Ult | Op::Slt, true) => "<",
            (Op::Ult | Op::Slt, false) => ">=",
            (_, true) => "<=",
            (_, false) => ">",
        };
        let constant_first = self.constant(node.a).is_some();
        if constant_first {
            symbol = match symbol {
                "<" => ">",
                ">=" => "<=",
                "<=" => ">=",
                _ => "<",
            };
        }
        let mark = if plain { "" } else { ["u", "s"][usize::from(signed)] };
        let (left, right) = if constant_first { (node.b, node.a) } else { (node.a, node.b) };
        let (left, right) = self.sides(left, right, signed);
        (format!("{left} {symbol}{mark} {right}"), COMPARE)
    }

    fn sides(&self, left: Label, right: Label, signed: bool) -> (String, String) {
        if let Some(value) = self.constant(right) {
            let (left, value) = self.narrowed(left, value);
            let shown = if self.is_character(left) {
                self.constant_beside(left, value)
            } else if signed {
                number(value, self.width(left))
            } else {
                unsigned(value)
            };
            return (self.inside(left, SHIFT), shown);
        }
        let (left, right) = self.same_narrowing(left, right).unwrap_or((left, right));
        (self.inside(left, SHIFT), self.inside(right, SHIFT))
    }

    /// `x - low <u size`, in any of its four forms, is `low <= x <= high`.
    fn range_text(&self, op: Op, node: &Node, held: bool) -> Option<Text> {
        let (shifted, limit, inside) = match (op, self.constant(node.a), self.constant(node.b)) {
            (Op::Ult, None, Some(limit)) => (node.a, limit.checked_sub(1)?, held),
            (Op::Ule, None, Some(limit)) => (node.a, limit, held),
            (Op::Ult, Some(limit), None) => (node.b, limit, !held),
            (Op::Ule, Some(limit), None) => (node.b, limit.checked_sub(1)?, !held),
            _ => return None,
        };
        let (op, sum) = self.trace.node(shifted).filter(|_| !self.names.contains_key(&shifted))?;
        let low = match (op, self.constant(sum.b)?) {
            (Op::Add, value) => value.wrapping_neg() & mask(sum.width),
            (Op::Sub, value) => value,
            _ => return None,
        };
        let high = low.checked_add(limit).filter(|high| *high <= mask(sum.width) >> 1)?;
        let (from, to) = (self.narrowed(sum.a, low), self.narrowed(sum.a, high));
        let x = if from.0 == to.0 { from.0 } else { sum.a };
        let bound = |value| match self.is_character(x).then(|| character(value)).flatten() {
            Some(character) => character,
            None => unsigned(value),
        };
        let (x, low, high) = (self.inside(x, SHIFT), bound(low), bound(high));
        let text = format!("{low} <= {x} <= {high}");
        Some(if inside { (text, COMPARE) } else { (format!("!({text})"), ATOM) })
    }
}

fn wrap((text, binds): Text, at_least: u8) -> String {
    if binds >= at_least {
        text
    } else {
        format!("({text})")
    }
}

/// A number; values with the sign bit set are shown as negative ones.
fn number(value: u64, width: u8) -> String {
    match sign_extend(value, width) {
        signed if width > 8 && signed < 0 => signed.to_string(),
        _ => unsigned(value),
    }
}

/// Numbers that are long in decimal are shown in hexadecimal.
fn unsigned(value: u64) -> String {
    if value < 1_000_000 {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

fn hexadecimal(value: u64) -> String {
    if value < 10 {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}
