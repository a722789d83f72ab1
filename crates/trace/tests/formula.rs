//! Formulas for people: what the notation looks like, and that it stays short and never fails.

mod common;

use fastrand::Rng;
use parallax_trace::format::*;
use parallax_trace::formula::{FormulaLimits, Printer};
use parallax_trace::path::Expect;
use parallax_trace::request::{Input, Source};
use parallax_trace::synth::Synth;

/// Two arguments, standard input, a file and an environment variable, eight bytes each.
fn synth() -> Synth {
    let sources =
        [Source::Argument(1), Source::Stdin, Source::File(b"in.txt".to_vec()), Source::Env(b"HOME".to_vec())];
    let input = |source| Input { source, bytes: b"a1b2c3d4".to_vec(), symbolic: true };
    Synth::new(sources.into_iter().map(input).collect())
}

/// The condition that `make` builds, printed as held and as not held.
fn check(make: impl FnOnce(&mut Synth) -> Label, held: &str, not_held: &str) {
    let mut synth = synth();
    let label = make(&mut synth);
    let trace = synth.trace();
    let mut printer = Printer::new(&trace, FormulaLimits::default());
    assert_eq!(printer.condition(label, true), held);
    assert_eq!(printer.condition(label, false), not_held);
}

/// `input` of `width` bits, compared by `op` with a constant.
fn compare(op: Op, extend: Op, width: u8, value: u64) -> impl FnOnce(&mut Synth) -> Label {
    move |s| {
        let byte = s.input(0, 0);
        let wide = s.node(extend, width, byte, 0, 0);
        let value = s.constant(width, value);
        s.node(op, 1, wide, value, 0)
    }
}

#[test]
fn a_widened_byte_is_compared_with_a_character() {
    check(compare(Op::Eq, Op::ZExt, 32, 45), "argv[1][0] == '-'", "argv[1][0] != '-'");
    check(compare(Op::Ne, Op::SExt, 32, 0), "argv[1][0] != '\\0'", "argv[1][0] == '\\0'");
    check(compare(Op::Ult, Op::ZExt, 32, 97), "argv[1][0] < 'a'", "argv[1][0] >= 'a'");
}

#[test]
fn a_comparison_with_a_number_that_no_byte_can_have_keeps_the_number() {
    check(compare(Op::Eq, Op::ZExt, 32, u64::MAX), "argv[1][0] == -1", "argv[1][0] != -1");
    check(compare(Op::Eq, Op::SExt, 32, 200), "i32(argv[1][0]) == 200", "i32(argv[1][0]) != 200");
}

#[test]
fn a_signed_comparison_is_marked_where_the_sign_matters() {
    check(compare(Op::Slt, Op::ZExt, 32, 97), "argv[1][0] < 'a'", "argv[1][0] >= 'a'");
    check(compare(Op::Slt, Op::SExt, 32, 0), "argv[1][0] <s '\\0'", "argv[1][0] >=s '\\0'");
}

#[test]
fn the_usual_test_for_a_digit_is_a_range() {
    let digit = |s: &mut Synth| {
        let byte = s.input(1, 3);
        let wide = s.node(Op::ZExt, 32, byte, 0, 0);
        let minus_zero = s.constant(32, (-48i64) as u64);
        let digit = s.node(Op::Add, 32, wide, minus_zero, 0);
        let ten = s.constant(32, 10);
        s.node(Op::Ult, 1, digit, ten, 0)
    };
    check(digit, "'0' <= stdin[3] <= '9'", "!('0' <= stdin[3] <= '9')");
}

#[test]
fn consecutive_bytes_are_one_number() {
    let word = |s: &mut Synth| {
        let bytes: Vec<_> = (0..4).map(|i| s.input(2, i)).collect();
        let low = s.node(Op::Concat, 16, bytes[1], bytes[0], 0);
        let mid = s.node(Op::Concat, 24, bytes[2], low, 0);
        let all = s.node(Op::Concat, 32, bytes[3], mid, 0);
        let magic = s.constant(32, 0x464c_457f);
        s.node(Op::Eq, 1, all, magic, 0)
    };
    check(word, "le32(in.txt[0..4]) == 0x464c457f", "le32(in.txt[0..4]) != 0x464c457f");
    let network = |s: &mut Synth| {
        let (first, second) = (s.input(3, 6), s.input(3, 7));
        let port = s.node(Op::Concat, 16, first, second, 0);
        let eighty = s.constant(16, 80);
        s.node(Op::Ule, 1, port, eighty, 0)
    };
    check(network, "be16($HOME[6..8]) <=u 80", "be16($HOME[6..8]) >u 80");
}

#[test]
fn a_boolean_that_was_stored_and_tested_is_the_condition_itself() {
    let stored = |s: &mut Synth| {
        let byte = s.input(0, 0);
        let x = s.constant(8, b'x'.into());
        let equal = s.node(Op::Eq, 1, byte, x, 0);
        let stored = s.node(Op::ZExt, 32, equal, 0, 0);
        let zero = s.constant(32, 0);
        s.node(Op::Ne, 1, stored, zero, 0)
    };
    check(stored, "argv[1][0] == 'x'", "argv[1][0] != 'x'");
}

#[test]
fn a_look_into_a_character_table_is_the_set_of_characters() {
    let in_table = |s: &mut Synth| {
        let mut flags = [0u8; 256];
        b"0123456789_".iter().for_each(|c| flags[*c as usize] = 4);
        let table = s.table(&flags, &[]);
        let byte = s.input(0, 1);
        let index = s.node(Op::ZExt, 64, byte, 0, 0);
        let flag = s.node(Op::Read, 8, index, table, 0);
        let zero = s.constant(8, 0);
        s.node(Op::Ne, 1, flag, zero, 0)
    };
    check(in_table, "argv[1][1] in {'0'..'9', '_'}", "argv[1][1] not in {'0'..'9', '_'}");
}

#[test]
fn a_default_of_a_switch_is_none_of_the_cases() {
    let mut synth = synth();
    let byte = synth.input(1, 0);
    let wide = synth.node(Op::SExt, 32, byte, 0, 0);
    let trace = synth.trace();
    let mut printer = Printer::new(&trace, FormulaLimits::default());
    let cases = Expect::NoneOf(vec![b'q'.into(), b'\n'.into()]);
    assert_eq!(printer.expectation(wide, &cases), "stdin[0] not in {'q', '\\n'}");
    assert_eq!(printer.expectation(wide, &Expect::Equals(b'q'.into())), "stdin[0] == 'q'");
}

/// `((0 * 10 + d) * 10 + d) …`: what strtol builds.
fn number(synth: &mut Synth, digits: u32) -> Vec<Label> {
    let mut value = synth.constant(64, 0);
    let ten = synth.constant(64, 10);
    (0..digits)
        .map(|i| {
            let byte = synth.input(1, i % 8);
            let digit = synth.node(Op::ZExt, 64, byte, 0, 0);
            let shifted = synth.node(Op::Mul, 64, value, ten, 0);
            value = synth.node(Op::Add, 64, shifted, digit, 0);
            value
        })
        .collect()
}

#[test]
fn text_is_linear_in_the_trace_although_expressions_share() {
    let lengths = [200, 400, 800].map(|digits| {
        let mut synth = synth();
        let values = number(&mut synth, digits);
        let trace = synth.trace();
        let mut printer = Printer::new(&trace, FormulaLimits::default());
        let mut length: usize = values.iter().map(|label| printer.value(*label).len()).sum();
        length += printer.new_definitions().iter().map(|d| d.formula.len()).sum::<usize>();
        assert!(printer.new_definitions().is_empty(), "definitions are told once");
        length
    });
    assert!(lengths[1] < lengths[0] * 5 / 2 && lengths[2] < lengths[1] * 5 / 2, "{lengths:?}");
}

#[test]
fn a_very_deep_expression_is_printed() {
    let mut synth = synth();
    let values = number(&mut synth, 100_000);
    let trace = synth.trace();
    let mut printer = Printer::new(&trace, FormulaLimits::default());
    assert!(printer.value(values[99_999]).len() < 4000);
}

#[test]
fn every_label_of_random_traces_is_printed_within_bounds() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..300 {
        let synth = common::random(&mut rng, 150);
        let trace = synth.trace();
        let limits = FormulaLimits { terms: rng.u32(1..50), ..FormulaLimits::default() };
        let mut printer = Printer::new(&trace, limits);
        for label in 0..trace.nodes().len() as u32 {
            for text in
                [printer.condition(label, true), printer.condition(label, false), printer.value(label)]
            {
                assert!(!text.is_empty());
                assert!(text.len() < 200 * limits.terms as usize + 400, "{text}");
                let text = text.replace("'('", "").replace("')'", "");
                assert_eq!(text.matches('(').count(), text.matches(')').count(), "{text}");
            }
        }
    }
}

#[test]
fn a_condition_shown_as_a_set_holds_for_exactly_its_members() {
    let mut rng = Rng::with_seed(8);
    let mut sets = 0;
    for _ in 0..400 {
        let one = Input { source: Source::Stdin, bytes: vec![rng.u8(..)], symbolic: true };
        let mut synth = Synth::new(vec![one]);
        let mut label = synth.input(0, 0);
        let byte = label;
        for _ in 0..4 {
            let op = [Op::Add, Op::Xor, Op::And, Op::LShr, Op::Mul][rng.usize(..5)];
            let constant = synth.constant(8, rng.u64(..7));
            label = synth.node(op, 8, label, constant, 0);
        }
        let limit = synth.constant(8, rng.u64(..256));
        let condition = synth.node(Op::Ult, 1, label, limit, 0);
        let trace = synth.trace();
        let mut printer = Printer::new(&trace, FormulaLimits { set_ranges: 300, ..FormulaLimits::default() });
        let text = printer.condition(condition, true);
        let name = printer.value(byte);
        let Some(members) = members(&text, &name) else { continue };
        sets += 1;
        for value in 0..=255u8 {
            let holds = trace.eval(condition, &|_, _| Some(value)) == Some(1);
            assert_eq!(members.contains(&value), holds, "{value} in {text}");
        }
    }
    assert!(sets > 200, "only {sets} sets");
}

/// Reads the notation back: `x in {'a'..'c', 7}`, `x not in {…}`, `x == 'a'`, `x != 'a'`.
fn members(text: &str, name: &str) -> Option<Vec<u8>> {
    if text == format!("true for any {name}") {
        return Some((0..=255).collect());
    }
    let rest = text.strip_prefix(name)?.trim_start();
    let (positive, list) = if let Some(list) = rest.strip_prefix("in {") {
        (true, list.strip_suffix('}')?)
    } else if let Some(list) = rest.strip_prefix("not in {") {
        (false, list.strip_suffix('}')?)
    } else if let Some(one) = rest.strip_prefix("== ") {
        (true, one)
    } else {
        (false, rest.strip_prefix("!= ")?)
    };
    let mut values = Vec::new();
    let mut list = list;
    while !list.is_empty() {
        let from = take_value(&mut list)?;
        let to = match list.strip_prefix("..") {
            Some(rest) => {
                list = rest;
                take_value(&mut list)?
            }
            None => from,
        };
        values.extend(from..=to);
        list = list.strip_prefix(", ").unwrap_or(list);
    }
    Some((0..=255).filter(|v| values.contains(v) == positive).collect())
}

fn take_value(list: &mut &str) -> Option<u8> {
    if let Some(rest) = list.strip_prefix('\'') {
        let (value, len) = match rest.strip_prefix('\\') {
            Some(escape) => match escape.as_bytes()[0] {
                b'0' => (0, 2),
                b't' => (b'\t', 2),
                b'n' => (b'\n', 2),
                b'r' => (b'\r', 2),
                other => (other, 2),
            },
            None => (rest.as_bytes()[0], 1),
        };
        *list = rest[len..].strip_prefix('\'')?;
        return Some(value);
    }
    let digits = list.bytes().take_while(u8::is_ascii_digit).count();
    let value = list[..digits].parse().ok()?;
    *list = &list[digits..];
    Some(value)
}

#[test]
fn a_digit_that_is_cut_to_a_byte_shows_no_widening() {
    let mut synth = synth();
    let byte = synth.input(1, 3);
    let wide = synth.node(Op::SExt, 32, byte, 0, 0);
    let minus_zero = synth.constant(32, (-48i64) as u64);
    let sum = synth.node(Op::Add, 32, wide, minus_zero, 0);
    let digit = synth.node(Op::Extract, 8, sum, 0, 0);
    let value = synth.node(Op::ZExt, 64, digit, 0, 0);
    let trace = synth.trace();
    let mut printer = Printer::new(&trace, FormulaLimits::default());
    assert_eq!(printer.value(value), "u8(stdin[3] - '0')");
}
