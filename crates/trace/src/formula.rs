//! Readable formulas over input bytes.
//!
//! In: a trace and labels. Out: infix text such as `argv[1][0] == '-'`, and names (`$1`, `$2`, …) for
//! subexpressions that are too long to repeat, `T1`, `T2`, … for tables.
//!
//! Always holds: a name is defined once for the whole trace, so that text is linear in the trace
//! however much its expressions share; recursion is bounded by [`FormulaLimits::terms`]. Formulas are
//! for people: SMT-LIB ([`crate::smtlib`]) is the exact form.
//!
//! The notation is explained in the book (`docs/book/formulas.md`).

mod infix;
mod real;
mod sets;

use crate::format::*;
use crate::path::Expect;
use crate::reader::Trace;
use crate::request::{Input, Source};
use std::collections::HashMap;

/// Limits of the printer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulaLimits {
    /// A subexpression of more operators and leaves than this gets a name.
    pub terms: u32,
    /// A condition on a single byte is shown as a set of values if it has more terms than this, or
    /// looks into a table.
    pub plain_terms: u32,
    /// A condition on a single byte is tried on all 256 values only if it has no more terms than this.
    pub set_terms: u32,
    /// A set of more ranges than this is not shown as a set.
    pub set_ranges: usize,
}

impl Default for FormulaLimits {
    fn default() -> Self {
        FormulaLimits { terms: 40, plain_terms: 6, set_terms: 96, set_ranges: 8 }
    }
}

/// A subexpression with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub formula: String,
}

/// What the printer knows of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Info {
    /// Operators and leaves, named subexpressions counted as one; 0: not looked at yet.
    terms: u32,
    /// The same with no names, saturating.
    weight: u32,
    /// Largest value it can have, as far as is easily seen.
    bound: u64,
    support: Support,
    /// Looks into a table.
    reads: bool,
}

/// Which input bytes a node depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Support {
    #[default]
    None,
    /// The label of the only one.
    One(Label),
    Many,
}

impl Support {
    fn join(self, other: Support) -> Support {
        match (self, other) {
            (Support::None, s) | (s, Support::None) => s,
            (a, b) if a == b => a,
            _ => Support::Many,
        }
    }
}

/// Prints labels of one trace.
pub struct Printer<'t> {
    trace: &'t Trace<'t>,
    limits: FormulaLimits,
    info: Vec<Info>,
    names: HashMap<Label, usize>,
    definitions: Vec<Definition>,
    /// Definitions handed out already.
    told: usize,
    tables: HashMap<u32, usize>,
}

impl<'t> Printer<'t> {
    pub fn new(trace: &'t Trace<'t>, limits: FormulaLimits) -> Printer<'t> {
        Printer {
            trace,
            limits,
            info: vec![Info::default(); trace.nodes().len()],
            names: HashMap::new(),
            definitions: Vec::new(),
            told: 0,
            tables: HashMap::new(),
        }
    }

    /// A one-bit label as a condition that has the value `held`; other labels as values.
    pub fn condition(&mut self, label: Label, held: bool) -> String {
        self.prepare(label);
        self.as_set(label, &|v| (v & 1 == 1) == held).unwrap_or_else(|| self.condition_text(label, held).0)
    }

    /// What a condition of the path asks for.
    pub fn expectation(&mut self, label: Label, expect: &Expect) -> String {
        let width = self.trace.nodes().get(label as usize).map_or(0, |n| n.width);
        if let (1, Expect::Equals(value)) = (width, expect) {
            return self.condition(label, *value == 1);
        }
        self.prepare(label);
        self.as_set(label, &|v| expect.holds(v)).unwrap_or_else(|| self.membership(label, expect))
    }

    /// A value.
    pub fn value(&mut self, label: Label) -> String {
        self.prepare(label);
        self.value_text(label).0
    }

    /// The definitions that formulas since the last call made necessary, in order of definition.
    pub fn new_definitions(&mut self) -> Vec<Definition> {
        let new = self.definitions[self.told..].to_vec();
        self.told = self.definitions.len();
        new
    }

    /// Tables that formulas mention, in order of their numbers: `T1` first.
    pub fn tables(&self) -> Vec<u32> {
        let mut tables: Vec<_> = self.tables.iter().collect();
        tables.sort_by_key(|(_, number)| **number);
        tables.into_iter().map(|(offset, _)| *offset).collect()
    }

    /// Looks at everything that `label` is made of, once, and names what is too long.
    fn prepare(&mut self, label: Label) {
        let mut pending = vec![label];
        while let Some(label) = pending.pop() {
            let Some(info) = self.info.get(label as usize) else { continue };
            if label == 0 || info.terms != 0 {
                continue;
            }
            let mut todo = Vec::new();
            self.trace.operands(label, &mut |operand| {
                if self.info[operand as usize].terms == 0 {
                    todo.push(operand);
                }
            });
            if todo.is_empty() {
                self.look_at(label);
            } else {
                pending.push(label);
                pending.append(&mut todo);
            }
        }
    }

    /// Fills in the information on a node whose operands are done.
    fn look_at(&mut self, label: Label) {
        let Some((op, node)) = self.trace.node(label) else { return };
        let mut info = Info { terms: 1, weight: 1, bound: self.bound(op, node), ..Info::default() };
        info.reads = op == Op::Read;
        if op == Op::Input {
            info.support = Support::One(label);
        }
        let is_run = self.byte_run(label).is_some();
        let trace = self.trace;
        trace.operands(label, &mut |operand| {
            // The entries of a table are not part of the text.
            let in_text = !is_run && (op != Op::Read || operand == node.a);
            if in_text && self.info[operand as usize].terms > self.limits.terms {
                self.give_name(operand);
            }
            let below = self.info[operand as usize];
            let terms = if self.names.contains_key(&operand) { 1 } else { below.terms };
            info.terms = info.terms.saturating_add(terms);
            info.weight = info.weight.saturating_add(below.weight);
            info.support = info.support.join(below.support);
            info.reads |= below.reads;
        });
        if is_run {
            info.terms = 1;
        }
        if op == Op::Read {
            info.terms = 1 + self.info[node.a as usize].terms.min(self.limits.terms);
            let number = self.tables.len() + 1;
            self.tables.entry(node.b).or_insert(number);
        }
        self.info[label as usize] = info;
    }

    fn give_name(&mut self, label: Label) {
        if self.names.contains_key(&label) {
            return;
        }
        let formula = self.unnamed_text(label).0;
        let number = self.definitions.len() + 1;
        self.names.insert(label, number);
        self.definitions.push(Definition { name: format!("${number}"), formula });
    }

    fn bound(&self, op: Op, node: &Node) -> u64 {
        let all = mask(node.width);
        let of = |label: Label| self.info[label as usize].bound;
        let constant = self.trace.node(node.b).filter(|(op, _)| *op == Op::Const).map(|(_, n)| n.value);
        let divisor = constant.filter(|c| *c > 0);
        let shift = constant.map_or(0, |c| c.min(64) as u32);
        let bound = match op {
            Op::Const => node.value,
            Op::ZExt => of(node.a),
            Op::Add => of(node.a).saturating_add(of(node.b)),
            Op::Mul => of(node.a).saturating_mul(of(node.b)),
            Op::And => of(node.a).min(of(node.b)),
            Op::Or | Op::Xor => u64::MAX.checked_shr((of(node.a) | of(node.b)).leading_zeros()).unwrap_or(0),
            Op::URem => divisor.map_or(of(node.a), |d| of(node.a).min(d - 1)),
            Op::UDiv => divisor.map_or(all, |d| of(node.a) / d),
            Op::LShr => of(node.a).checked_shr(shift).unwrap_or(0),
            Op::Shl if of(node.a).leading_zeros() > shift && constant.is_some() => of(node.a) << shift,
            Op::Ite => of(node.b).max(of(node.c)),
            Op::SExt if of(node.a) <= mask(self.width(node.a)) >> 1 => of(node.a),
            Op::Extract if node.b == 0 => of(node.a),
            Op::Extract => of(node.a) >> node.b,
            _ => all,
        };
        bound.min(all)
    }

    fn width(&self, label: Label) -> u8 {
        self.trace.nodes().get(label as usize).map_or(1, |n| n.width)
    }

    /// Can the sign bit never be set?
    fn never_negative(&self, label: Label) -> bool {
        self.info[label as usize].bound <= mask(self.width(label)) >> 1
    }
}

/// The name of an input in formulas: `argv[1]`, `stdin`, `in.txt`, `$HOME`.
pub fn input_name(input: &Input) -> String {
    match &input.source {
        Source::Argument(n) => format!("argv[{n}]"),
        Source::Stdin => "stdin".to_owned(),
        Source::Env(name) => format!("${}", plain(name)),
        Source::File(path) => {
            let name = plain(path);
            let simple = |b: &u8| b.is_ascii_alphanumeric() || b"._-/+,".contains(b);
            if !path.is_empty() && path.iter().all(simple) && name != "stdin" {
                name
            } else {
                format!("\"{name}\"")
            }
        }
    }
}

fn plain(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// A byte as a C character constant, if it has a readable one.
pub fn character(value: u64) -> Option<String> {
    let byte = u8::try_from(value).ok()?;
    Some(match byte {
        0 => "'\\0'".to_owned(),
        b'\t' => "'\\t'".to_owned(),
        b'\n' => "'\\n'".to_owned(),
        b'\r' => "'\\r'".to_owned(),
        b'\'' => "'\\''".to_owned(),
        b'\\' => "'\\\\'".to_owned(),
        b' '..=b'~' => format!("'{}'", byte as char),
        _ => return None,
    })
}
