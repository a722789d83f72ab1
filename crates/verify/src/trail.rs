//! A run as verification keeps it: every condition and every output over the pool that both versions share.
//!
//! In: a trace. Out: a [`Trail`]: the conditions in the order in which they were met, values that were made concrete among them, the outputs
//! of each channel, and why the conditions may not be the whole reason for what the run did.
//!
//! Always holds: a trail without reasons to doubt it ([`Trail::doubts`]) does the same on every input of its shape on which its conditions
//! hold: every value that the input decides and the program looks at is in a condition or an output.

use crate::names::Names;
use parallax_search::Traced;
use parallax_solve::{ExprId, Importer, Pool};
use parallax_trace::format::*;
use parallax_trace::path::{Condition, Expect, Origin};
use parallax_trace::reader::{Event, OutputByte};
use parallax_trace::request::Source;
use parallax_trace::sites::ProgramMap;
use std::collections::{BTreeMap, BTreeSet};

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub holds: ExprId,
    /// What the condition is about; at the same place of the tree it is the same.
    pub value: ExprId,
    pub expect: Expect,
    pub site: u32,
    /// The value has one bit: there are two ways out.
    pub is_bit: bool,
    /// A value that was made concrete.
    pub is_pin: bool,
}

impl Step {
    /// Can no input satisfy this one and the other? Both are about the same value.
    pub fn excludes(&self, other: &Step) -> bool {
        match (&self.expect, &other.expect) {
            (Expect::Equals(a), Expect::Equals(b)) => a != b,
            (Expect::Equals(a), Expect::NoneOf(list)) | (Expect::NoneOf(list), Expect::Equals(a)) => {
                list.contains(a)
            }
            (Expect::NoneOf(_), Expect::NoneOf(_)) => false,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited,
    Signal(i32),
    /// A limit ended it, or it was not made at all.
    Cut(String),
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    pub steps: Vec<Step>,
    /// Output by descriptor; the exit status is one of them.
    pub outputs: BTreeMap<u32, Vec<ExprId>>,
    /// Why this may not be all, each once.
    pub doubts: BTreeSet<String>,
    /// Values that were made concrete.
    pub pins: usize,
    /// Inputs whose end was met: with another length the run may do something else.
    pub ends: BTreeSet<Source>,
}

/// Signals that a program sends itself at a place that the conditions decide; others come of behaviour that the language does not define.
const DEFINED_SIGNALS: [i32; 2] = [6, 13];

impl Trail {
    pub fn of(traced: &Traced, ended: &Ended, map: &ProgramMap, names: &mut Names, pool: &mut Pool) -> Trail {
        let mut trail = Trail::default();
        trail.doubt_ending(traced, ended);
        let numbers: Vec<u32> = traced.inputs.iter().map(|input| names.number(&input.source)).collect();
        let mut importer = Importer::renamed(&traced.trace, numbers);
        for label in terminators(traced) {
            let nul = pool.constant(8, 0);
            importer.replace(label, nul);
        }
        for (number, event) in traced.trace.events().enumerate() {
            match event {
                Event::Escape { function, label, .. } if label != 0 => {
                    let function = String::from_utf8_lossy(function);
                    trail.doubts.insert(format!("input went into {function}, which is not seen through"));
                }
                Event::EndOfInput { input, .. } => {
                    trail.ends.extend(traced.inputs.get(input as usize).map(|input| input.source.clone()));
                }
                Event::Note { note } => trail.doubts.extend(note_doubt(note).map(str::to_owned)),
                Event::Output { fd, bytes, .. } => {
                    for byte in bytes.iter() {
                        trail.print(fd, byte, traced, &mut importer, pool);
                    }
                }
                _ => {
                    if let Some(condition) = traced.trace.condition(number, &event, &map.sites) {
                        trail.take(&condition, &mut importer, pool);
                    }
                }
            }
        }
        trail
    }

    fn doubt_ending(&mut self, traced: &Traced, ended: &Ended) {
        let mut doubt = |applies: bool, text: String| {
            if applies {
                self.doubts.insert(text);
            }
        };
        match ended {
            Ended::Exited => {}
            Ended::Signal(n) => {
                doubt(!DEFINED_SIGNALS.contains(n), format!("a version ended with signal {n}"))
            }
            Ended::Cut(why) => doubt(true, why.clone()),
        }
        let (trace, header) = (&traced.trace, traced.trace.header());
        doubt(trace.is_cut(), "the trace is cut: there was no room for more of it".to_owned());
        doubt(trace.flag(FLAG_THREADS), "a version started threads".to_owned());
        doubt(trace.flag(FLAG_FORKED), "a version started processes".to_owned());
        doubt(header.stale > 0, "memory was changed by code that is not seen through".to_owned());
        doubt(
            header.inconsistent > 0,
            "conditions of the trace were not those of the run: a bug in Parallax".to_owned(),
        );
        doubt(
            !trace.flag(FLAG_STARTED) && *ended == Ended::Exited,
            "a version did not reach its main".to_owned(),
        );
    }

    fn take(&mut self, condition: &Condition, importer: &mut Importer, pool: &mut Pool) {
        let is_pin = matches!(condition.origin, Origin::Pin(_));
        self.pins += usize::from(is_pin);
        let Some(value) = importer.expr(pool, condition.label) else {
            self.doubts.insert("a condition is too large to be expressed".to_owned());
            return;
        };
        let holds = match &condition.expect {
            Expect::Equals(wanted) => pool.eq_const(value, *wanted),
            Expect::NoneOf(cases) => {
                let mut none = pool.truth(true);
                for case in cases {
                    let is = pool.eq_const(value, *case);
                    let is_not = pool.not(is);
                    none = pool.binary(Op::And, none, is_not);
                }
                none
            }
        };
        match pool.as_const(holds) {
            Some(1) => {}
            Some(_) => {
                self.doubts.insert("a condition contradicts its run: a bug in Parallax".to_owned());
            }
            None => self.steps.push(Step {
                holds,
                value,
                expect: condition.expect.clone(),
                site: condition.site,
                is_bit: pool.width(value) == 1,
                is_pin,
            }),
        }
    }

    fn print(
        &mut self,
        fd: u32,
        byte: OutputByte,
        traced: &Traced,
        importer: &mut Importer,
        pool: &mut Pool,
    ) {
        let expr = match byte {
            OutputByte::Concrete(value) => pool.constant(8, value.into()),
            OutputByte::Symbolic(label) => match importer.expr(pool, label) {
                Some(expr) => expr,
                None => {
                    self.doubts.insert("an output is too large to be expressed".to_owned());
                    let value = traced.trace.nodes().get(label as usize).map_or(0, |node| node.value);
                    pool.constant(8, value)
                }
            },
        };
        self.outputs.entry(fd).or_default().push(expr);
    }
}

/// The bytes behind the ends of arguments: a program may look at them, and within a shape they are always NUL.
fn terminators(traced: &Traced) -> Vec<Label> {
    let labels = 1..traced.trace.nodes().len() as Label;
    let is_end = |label: &Label| {
        let Some((Op::Input, node)) = traced.trace.node(*label) else { return false };
        let input = traced.inputs.get(node.a as usize);
        input.is_some_and(|input| node.b as usize >= input.bytes.len())
    };
    labels.filter(is_end).collect()
}

fn note_doubt(note: u32) -> Option<&'static str> {
    Some(match note {
        NOTE_THREAD => "a version started threads",
        NOTE_FORK => "a version started processes",
        NOTE_SIGNAL => "a version handled a signal",
        NOTE_EXEC => "a version started another program",
        NOTE_INPUT_WRITTEN => "a version wrote to its own input",
        _ => return None,
    })
}
