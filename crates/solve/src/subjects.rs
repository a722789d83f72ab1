//! Traces like those of real programs, made by hand: for trying solvers before there are recorded queries.
//!
//! In: a source of numbers. Out: a trace with the branches that a parser of some kind would have taken on a
//! random input, and the queries that a concolic search asks of it: keep the path up to a branch, turn
//! that branch around.
//!
//! Always holds: every branch went the way that the trace's own input says.

use crate::import::Importer;
use crate::pool::Pool;
use crate::query::Constraint;
use crate::random::Source;
use parallax_trace::format::{Label, Op};
use parallax_trace::request::{Input, Source as Origin};
use parallax_trace::synth::Synth;
use parallax_trace::Trace;

/// Makes the nodes and branches of one run.
pub type Kind = fn(&mut Subject);

/// The kinds of programs.
pub const KINDS: [(&str, Kind); 12] = [
    ("keywords", keywords),
    ("number", number),
    ("classes", classes),
    ("checksum", checksum),
    ("crc", crc),
    ("varint", varint),
    ("chunks", chunks),
    ("dispatch", dispatch),
    ("arithmetic", arithmetic),
    ("joint", joint),
    ("hex", hex),
    ("order", order),
];

/// One program run in the making.
pub struct Subject<'r> {
    synth: Synth,
    below: Source<'r>,
    sites: u32,
}

/// A trace of this kind.
pub fn trace(kind: Kind, below: Source) -> Trace<'static> {
    const LETTERS: &[u8] = b"0123456789abcdefXYZ -+=.%\n";
    let len = 12 + below(21);
    let text = (0..len).map(|_| match below(8) {
        0 => below(256) as u8,
        1..=4 => b'0' + below(10) as u8,
        _ => LETTERS[below(LETTERS.len() as u64) as usize],
    });
    let input = Input { source: Origin::Stdin, bytes: text.collect(), symbolic: true };
    let mut subject = Subject { synth: Synth::new(vec![input]), below, sites: 0 };
    kind(&mut subject);
    subject.synth.trace()
}

/// For each branch of a trace: the path to it, and it the other way round.
pub fn flips(pool: &mut Pool, trace: &Trace) -> Vec<Vec<Constraint>> {
    let mut importer = Importer::new(trace);
    let mut path: Vec<Constraint> = Vec::new();
    let mut queries = Vec::new();
    for condition in trace.conditions(&[]) {
        // Branches are conditions with one constraint.
        let Some(taken) = importer.condition(pool, &condition).and_then(|mut c| c.pop()) else { continue };
        queries.push(path.iter().copied().chain([taken.negated()]).collect());
        path.push(taken);
    }
    queries
}

impl Subject<'_> {
    fn len(&self) -> u32 {
        self.synth.inputs()[0].bytes.len() as u32
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.below)(n)
    }

    fn value(&self, label: Label) -> u64 {
        self.synth.nodes()[label as usize].value
    }

    fn width(&self, label: Label) -> u8 {
        self.synth.nodes()[label as usize].width
    }

    fn byte(&mut self, offset: u32) -> Label {
        self.synth.input(0, offset)
    }

    /// A byte as C's `int`.
    fn int(&mut self, offset: u32) -> Label {
        let byte = self.byte(offset);
        self.synth.node(Op::ZExt, 32, byte, 0, 0)
    }

    fn op(&mut self, op: Op, a: Label, b: Label) -> Label {
        let width = if crate::expr::is_predicate(op) { 1 } else { self.width(a) };
        self.synth.node(op, width, a, b, 0)
    }

    fn op_constant(&mut self, op: Op, a: Label, value: u64) -> Label {
        let constant = self.synth.constant(self.width(a), value);
        self.op(op, a, constant)
    }

    /// A branch; the way it went.
    fn branch(&mut self, condition: Label) -> bool {
        self.sites += 1;
        self.synth.branch(self.sites, condition);
        self.value(condition) == 1
    }

    fn test(&mut self, op: Op, a: Label, value: u64) -> bool {
        let condition = self.op_constant(op, a, value);
        self.branch(condition)
    }

    /// Digits from an offset on, as `strtol` reads them: the value and the offset after them.
    fn decimal(&mut self, mut at: u32) -> (Label, u32) {
        let mut value = self.synth.constant(32, 0);
        let end = self.len().min(at + 9);
        while at < end {
            let character = self.int(at);
            let digit = self.op_constant(Op::Sub, character, b'0'.into());
            if !self.test(Op::Ult, digit, 10) {
                break;
            }
            let tens = self.op_constant(Op::Mul, value, 10);
            value = self.op(Op::Add, tens, digit);
            at += 1;
        }
        (value, at)
    }

    /// A number of several bytes, highest first.
    fn big_endian(&mut self, at: u32, bytes: u32) -> Label {
        let mut value = self.synth.constant(32, 0);
        for i in 0..bytes {
            let shifted = self.op_constant(Op::Shl, value, 8);
            let byte = self.int(at + i);
            value = self.op(Op::Or, shifted, byte);
        }
        value
    }
}

fn keywords(s: &mut Subject) {
    for token in ["--help", "0x", "5", "version", "-u", "12", "end"] {
        let start = s.below(4) as u32;
        for (i, wanted) in token.bytes().enumerate() {
            let byte = s.int(start + i as u32);
            if !s.test(Op::Eq, byte, wanted.into()) {
                break;
            }
        }
    }
}

fn number(s: &mut Subject) {
    let start = s.below(3) as u32;
    let (value, _) = s.decimal(start);
    for op in [Op::Slt, Op::Sle, Op::Eq, Op::Ult] {
        let bound = s.below(100_000);
        s.test(op, value, bound);
    }
    let rest = s.op_constant(Op::SRem, value, 7);
    s.test(Op::Eq, rest, 3);
    let pages = s.op_constant(Op::SDiv, value, 60);
    s.test(Op::Slt, pages, 24);
}

fn classes(s: &mut Subject) {
    let class = |c: u8| {
        (u16::from(c.is_ascii_digit()) << 11 | u16::from(c.is_ascii_alphabetic()) << 10)
            | (u16::from(c.is_ascii_whitespace()) << 13 | u16::from(c.is_ascii_punctuation()) << 2)
    };
    let table: Vec<u8> = (0..=255).flat_map(|c| class(c).to_le_bytes()).collect();
    let table = s.synth.table(&table, &[]);
    for at in 0..s.len().min(10) {
        let byte = s.byte(at);
        let wide = s.synth.node(Op::ZExt, 64, byte, 0, 0);
        let offset = s.op_constant(Op::Shl, wide, 1);
        let class = s.synth.node(Op::Read, 16, offset, table, 0);
        let bits = s.op_constant(Op::And, class, [1 << 11, 1 << 10, 1 << 13][(at % 3) as usize]);
        if s.test(Op::Ne, bits, 0) && at % 2 == 0 {
            s.test(Op::Eq, byte, b'7'.into());
        }
    }
}

fn checksum(s: &mut Subject) {
    let (mut a, mut b) = (s.synth.constant(32, 1), s.synth.constant(32, 0));
    let len = 4 + s.below(4) as u32;
    for at in 2..2 + len {
        let byte = s.int(at);
        a = s.op(Op::Add, a, byte);
        a = s.op_constant(Op::URem, a, 65521);
        b = s.op(Op::Add, b, a);
        b = s.op_constant(Op::URem, b, 65521);
    }
    let stored = s.big_endian(0, 2);
    let high = s.op_constant(Op::Shl, b, 16);
    let sum = s.op(Op::Or, high, a);
    let low = s.op_constant(Op::And, sum, 0xffff);
    let equal = s.op(Op::Eq, low, stored);
    s.branch(equal);
    s.test(Op::Ult, sum, 0x0100_0000);
}

fn crc(s: &mut Subject) {
    let entry = |i: u32| (0..8).fold(i, |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 });
    let table: Vec<u8> = (0..256).flat_map(|i| entry(i).to_le_bytes()).collect();
    let table = s.synth.table(&table, &[]);
    let mut crc = s.synth.constant(32, 0xffff_ffff);
    let len = 2 + s.below(3) as u32;
    for at in 0..len {
        let byte = s.int(at);
        let mixed = s.op(Op::Xor, crc, byte);
        let index = s.op_constant(Op::And, mixed, 0xff);
        let wide = s.synth.node(Op::ZExt, 64, index, 0, 0);
        let offset = s.op_constant(Op::Mul, wide, 4);
        let entry = s.synth.node(Op::Read, 32, offset, table, 0);
        let shifted = s.op_constant(Op::LShr, crc, 8);
        crc = s.op(Op::Xor, entry, shifted);
    }
    let kind = s.int(0);
    s.test(Op::Eq, kind, b'P'.into());
    let stored = s.big_endian(len, 2);
    let low = s.op_constant(Op::And, crc, 0xffff);
    let equal = s.op(Op::Eq, low, stored);
    s.branch(equal);
}

fn varint(s: &mut Subject) {
    let mut value = s.synth.constant(32, 0);
    for at in 0..4 {
        let byte = s.int(at);
        let low = s.op_constant(Op::And, byte, 0x7f);
        let shifted = s.op_constant(Op::Shl, low, u64::from(7 * at));
        value = s.op(Op::Or, value, shifted);
        let more = s.op_constant(Op::And, byte, 0x80);
        if !s.test(Op::Ne, more, 0) {
            break;
        }
    }
    let bound = s.below(1 << 20);
    s.test(Op::Ult, value, bound);
    s.test(Op::Eq, value, 300);
    let half = s.op_constant(Op::LShr, value, 1);
    let sign = s.op_constant(Op::And, value, 1);
    let zero = s.synth.constant(32, 0);
    let minus = s.op(Op::Sub, zero, sign);
    let decoded = s.op(Op::Xor, half, minus);
    s.test(Op::Slt, decoded, (-1000i64) as u64);
}

fn chunks(s: &mut Subject) {
    let (mut at, len) = (0, s.len());
    while at + 5 < len {
        let size = s.big_endian(at, 2);
        let kind = s.byte(at + 2);
        s.test(Op::Ult, size, u64::from(len - at));
        for tag in *b"HDE" {
            if s.test(Op::Eq, kind, tag.into()) {
                break;
            }
        }
        let value = s.big_endian(at + 3, 2);
        let area = s.op(Op::Mul, value, size);
        s.test(Op::Ult, area, 1 << 16);
        at += 6;
    }
}

fn dispatch(s: &mut Subject) {
    let mut hash = s.synth.constant(32, 5381);
    let len = 3 + s.below(4) as u32;
    for at in 0..len {
        let byte = s.int(at);
        if s.test(Op::Eq, byte, b' '.into()) {
            break;
        }
        let product = s.op_constant(Op::Mul, hash, 33);
        hash = s.op(Op::Add, product, byte);
    }
    let slot = s.op_constant(Op::URem, hash, 16);
    for wanted in 0..4 {
        if s.test(Op::Eq, slot, wanted) {
            break;
        }
    }
    let slot = s.op_constant(Op::URem, hash, 13);
    s.test(Op::Eq, slot, 5);
}

fn arithmetic(s: &mut Subject) {
    let (price, at) = s.decimal(0);
    let (count, _) = s.decimal((at + 1).min(s.len() - 1));
    let total = s.op(Op::Mul, price, count);
    let bound = s.below(100_000);
    s.test(Op::Slt, price, 1);
    s.test(Op::Slt, total, bound);
    let percent = s.op_constant(Op::SDiv, total, 100);
    s.test(Op::Eq, percent, 42);
    let rest = s.op_constant(Op::SRem, price, 12);
    let less = s.op(Op::Slt, rest, count);
    s.branch(less);
}

fn joint(s: &mut Subject) {
    let (value, at) = s.decimal(0);
    let threshold = s.below(5000);
    let old = s.op_constant(Op::Slt, value, threshold);
    let new = s.op_constant(Op::Sle, value, threshold);
    let differ = s.op(Op::Ne, old, new);
    s.branch(differ);
    let old = s.op_constant(Op::SDiv, value, 8);
    let more = s.op_constant(Op::Add, value, 7);
    let new = s.op_constant(Op::LShr, more, 3);
    let differ = s.op(Op::Ne, old, new);
    s.branch(differ);
    let byte = s.int(at.min(s.len() - 1));
    let old = s.op_constant(Op::Or, byte, 0x20);
    let new = s.op_constant(Op::Add, byte, 0x20);
    let differ = s.op(Op::Ne, old, new);
    s.branch(differ);
}

fn hex(s: &mut Subject) {
    let digit = |c: u8| char::from(c).to_digit(16).map_or(255, |d| d as u8);
    let table: Vec<u8> = (0..=255).map(digit).collect();
    let table = s.synth.table(&table, &[]);
    let mut value = s.synth.constant(32, 0);
    for at in 0..6 {
        let byte = s.byte(at);
        let index = s.synth.node(Op::ZExt, 64, byte, 0, 0);
        let nibble = s.synth.node(Op::Read, 8, index, table, 0);
        if s.test(Op::Eq, nibble, 255) {
            break;
        }
        let wide = s.synth.node(Op::ZExt, 32, nibble, 0, 0);
        let shifted = s.op_constant(Op::Shl, value, 4);
        value = s.op(Op::Or, shifted, wide);
    }
    s.test(Op::Eq, value, 0xbeef);
    s.test(Op::Ult, value, 0x1000);
}

fn order(s: &mut Subject) {
    for at in 0..7 {
        let (a, b) = (s.byte(at), s.byte(at + 1));
        let less = s.op(Op::Ult, a, b);
        s.branch(less);
    }
    let (first, last) = (s.int(0), s.int(7));
    let sum = s.op(Op::Add, first, last);
    s.test(Op::Ult, sum, 200);
}
