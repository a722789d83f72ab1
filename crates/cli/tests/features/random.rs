//! Random programs: functions over all integer types with arithmetic, conditions, arrays, structures and
//! loops on input bytes, compared like the cases that were written by hand.
//!
//! Always holds: no function has undefined behaviour (with `-fwrapv`), and the same seed gives the same text.

use crate::cases::{check_all, Effort};
use crate::support::{testdata, Numbers};
use std::fmt::Write;

const FUNCTIONS: usize = 200;
const EFFORT: Effort = Effort { traced: 1, others: 11 };

const TYPES: [&str; 8] = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"];
/// Likewise with integers of two words, often.
const WIDE_TYPES: [&str; 8] = ["i128", "u128", "i128", "u128", "i32", "u32", "u64", "i64"];
const VARIABLES: u64 = 4;
const STATEMENTS: u64 = 4;
const DEPTH: u32 = 2;

/// One function on its way.
struct Function<'n> {
    kinds: [&'static str; 8],
    numbers: &'n mut Numbers,
    types: Vec<&'static str>,
    /// Number of loops opened so far, for the names of their counters.
    loops: usize,
    /// Some address that is written to depends on the input.
    writes_anywhere: bool,
}

impl Function<'_> {
    fn pick(&mut self, n: u64) -> u64 {
        self.numbers.below(n)
    }

    fn kind(&mut self) -> &'static str {
        self.kinds[self.pick(8) as usize]
    }

    fn variable(&mut self) -> String {
        format!("v{}", self.pick(VARIABLES))
    }

    /// Something that has a value and is not an operation.
    fn leaf(&mut self) -> String {
        match self.pick(9) {
            0 | 1 => format!("in[{}]", self.pick(16)),
            2 => format!("({})in[{}]", self.kind(), self.pick(16)),
            3 => format!("IN({}, {})", self.kind(), self.pick(12)),
            4 => format!("s.{}", ["a", "b", "c", "d"][self.pick(4) as usize]),
            5 => format!("t[{}]", self.pick(8)),
            6 => format!("({})", self.constant()),
            _ => self.variable(),
        }
    }

    fn constant(&mut self) -> String {
        let value = match self.pick(4) {
            0 => self.pick(4) as i64,
            1 => self.pick(256) as i64 - 128,
            2 => 1i64 << self.pick(63),
            _ => self.numbers.next() as i64 >> self.pick(63),
        };
        // The smallest number has no literal of its own.
        format!("{}ll", value.max(-i64::MAX))
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.pick(8) == 0 {
            return self.leaf();
        }
        let a = self.expression(depth - 1);
        let b = self.expression(depth - 1);
        match self.pick(16) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("({a} & {b})"),
            4 => format!("({a} | {b})"),
            5 => format!("({a} ^ {b})"),
            6 => format!("SHIFT_LEFT({a}, {b})"),
            7 => format!("SHIFT_RIGHT({a}, {b})"),
            8 => format!("DIVIDE({a}, {b})"),
            9 => format!("REMAINDER({a}, {b})"),
            10 => format!("({})({a})", self.kind()),
            11 => format!("(~({a}))"),
            12 => format!("({} ? {a} : {b})", self.condition(depth - 1)),
            13 => format!("({})", self.condition(depth - 1)),
            14 => format!("t[({a}) & 7]"),
            _ => format!("mix({a}, {b})"),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        let a = self.expression(depth);
        let b = self.expression(depth);
        match self.pick(10) {
            0 => format!("{a} == {b}"),
            1 => format!("{a} != {b}"),
            2 => format!("{a} < {b}"),
            3 => format!("{a} <= {b}"),
            4 => format!("{a} > {b}"),
            5 => format!("{a} >= {b}"),
            6 => format!("({a} && {b})"),
            7 => format!("({a} || {b})"),
            8 => format!("!({a})"),
            _ => format!("(({a}) & 1)"),
        }
    }

    fn place(&mut self) -> String {
        match self.pick(12) {
            0 | 1 => format!("t[{}]", self.pick(8)),
            2 => {
                self.writes_anywhere = true;
                format!("t[({}) & 7]", self.expression(1))
            }
            3 | 4 => format!("s.{}", ["a", "b", "c", "d"][self.pick(4) as usize]),
            _ => self.variable(),
        }
    }

    fn statement(&mut self, depth: u32, text: &mut String) {
        let kind = if depth == 0 { 0 } else { self.pick(10) };
        match kind {
            0..=5 => {
                let operator = ["=", "+=", "-=", "^=", "*=", "|="][self.pick(6) as usize];
                let (place, value) = (self.place(), self.expression(DEPTH));
                writeln!(text, "{place} {operator} {value};").unwrap();
            }
            6 | 7 => {
                writeln!(text, "if ({}) {{", self.condition(2)).unwrap();
                self.block(depth, text);
                text.push_str("} else {\n");
                self.block(depth, text);
                text.push_str("}\n");
            }
            8 => self.repeated(depth, text),
            _ => self.switched(depth, text),
        }
    }

    fn block(&mut self, depth: u32, text: &mut String) {
        for _ in 0..1 + self.pick(2) {
            self.statement(depth - 1, text);
        }
    }

    fn repeated(&mut self, depth: u32, text: &mut String) {
        self.loops += 1;
        let counter = format!("n{}", self.loops);
        let bound = match self.pick(2) {
            0 => self.pick(4).to_string(),
            _ => format!("(int)(({}) & 3)", self.expression(1)),
        };
        writeln!(
            text,
            "for (int {counter} = 0, end_{counter} = {bound}; {counter} < end_{counter}; {counter}++) {{"
        )
        .unwrap();
        self.block(depth, text);
        text.push_str("}\n");
    }

    fn switched(&mut self, depth: u32, text: &mut String) {
        writeln!(text, "switch (({}) & 3) {{", self.expression(2)).unwrap();
        for case in 0..3 {
            writeln!(text, "case {case}:").unwrap();
            self.block(depth, text);
            if self.pick(3) > 0 {
                text.push_str("break;\n");
            }
        }
        text.push_str("default:\n");
        self.block(depth, text);
        text.push_str("}\n");
    }

    fn body(&mut self) -> String {
        let mut text = String::new();
        for (k, name) in self.types.clone().iter().enumerate() {
            writeln!(text, "{name} v{k} = {};", format_args!("in[{k}]")).unwrap();
        }
        text.push_str("struct part s = {in[0], (i8)in[1], in[2], IN(i16, 3)};\n");
        let element = self.kind();
        writeln!(text, "{element} t[8] = {{1, in[3], 3, (i8)in[4], 5, IN({element}, 5), 7}};").unwrap();
        for _ in 0..STATEMENTS {
            self.statement(1, &mut text);
        }
        for k in 0..VARIABLES {
            writeln!(text, "OUT(v{k});").unwrap();
        }
        text.push_str("OUT((u32)s.a); OUT((i32)s.b); OUT((u64)s.c); OUT(s.d); out(t, sizeof t);\n");
        text
    }
}

/// What the functions use. Division and shifts are made total.
const PRELUDE: &str = r#"/* For: random programs. */
#include "cases.h"
struct part { unsigned a : 5; signed b : 7; u64 c : 41; i16 d; };
#define DIVIDE(a, b) ({ __typeof__((a) + (b)) x_ = (a), y_ = (b); y_ == 0 || y_ == -1 ? x_ : x_ / y_; })
#define REMAINDER(a, b) ({ __typeof__((a) + (b)) x_ = (a), y_ = (b); y_ == 0 || y_ == -1 ? x_ : x_ % y_; })
#define SHIFT_LEFT(a, b) ({ __typeof__(+(a)) x_ = (a); x_ << ((b) & (sizeof x_ * 8 - 1)); })
#define SHIFT_RIGHT(a, b) ({ __typeof__(+(a)) x_ = (a); x_ >> ((b) & (sizeof x_ * 8 - 1)); })
typedef unsigned __int128 u128;
typedef __int128 i128;
static __attribute__((noinline)) u32 mix(u16 a, i64 b) { return a * 3 + (u32)(b >> 7); }
"#;

fn program(seed: u64, kinds: [&'static str; 8]) -> String {
    let mut numbers = Numbers(seed);
    let mut text = PRELUDE.to_string();
    for n in 0..FUNCTIONS {
        let types = (0..VARIABLES).map(|_| kinds[numbers.below(8) as usize]).collect();
        let mut function = Function { kinds, numbers: &mut numbers, types, loops: 0, writes_anywhere: false };
        let body = function.body();
        // A division of two words may be made concrete.
        let word = if function.writes_anywhere || kinds == WIDE_TYPES { "right" } else { "kept" };
        writeln!(text, "CASE(random_{n}, \"{word}\") {{\n{body}}}").unwrap();
    }
    text
}

fn check_random(kinds: [&'static str; 8]) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(testdata().join("cases.h"), directory.path().join("cases.h")).unwrap();
    let seed = std::env::var("PARALLAX_TEST_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(2);
    std::fs::write(directory.path().join("random.c"), program(seed, kinds)).unwrap();
    let predicted = check_all(directory.path(), "random.c", EFFORT);
    // Every trace predicts its own input; many must predict others too, or nothing was compared.
    assert!(predicted > 2 * FUNCTIONS, "{predicted} predictions");
    println!("{predicted} outputs predicted from {FUNCTIONS} traces");
}

#[test]
fn random_programs_behave_and_predict_as_the_native_build_does() {
    check_random(TYPES);
}

#[test]
fn random_programs_with_integers_of_two_words_do_so_too() {
    check_random(WIDE_TYPES);
}
