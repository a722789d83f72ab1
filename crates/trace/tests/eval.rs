//! Evaluation and path conditions.

mod common;

use fastrand::Rng;
use parallax_trace::eval::bytes_of;
use parallax_trace::format::*;
use parallax_trace::path::{Expect, Origin, Violation};
use parallax_trace::request::{Input, Source};
use parallax_trace::sites::{SiteInfo, SiteKind};
use parallax_trace::synth::Synth;

fn stdin(content: &[u8]) -> Vec<Input> {
    vec![Input { source: Source::Stdin, bytes: content.to_vec(), symbolic: true }]
}

fn switch_site(cases: &[u64]) -> SiteInfo {
    let cases = cases.to_vec();
    SiteInfo { kind: SiteKind::Switch, block: 0, instruction: 0, line: 1, column: 1, cases, callee: None }
}

fn switch(synth: &mut Synth, label: Label, case: u32) {
    synth.event(RawEvent { kind: KIND_SWITCH, y: label, ..RawEvent::default() }, &case.to_le_bytes());
}

#[test]
fn every_random_trace_agrees_with_itself() {
    let mut rng = Rng::with_seed(3);
    for _ in 0..500 {
        let trace = common::random(&mut rng, 120).trace();
        assert_eq!(trace.check_self(&[]), []);
        assert!(trace.holds_on(trace.inputs(), &[], true));
    }
}

#[test]
fn one_label_at_a_time_and_all_at_once_give_the_same_values() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..100 {
        let synth = common::random(&mut rng, 100);
        let trace = synth.trace();
        let others = common::inputs(&mut rng);
        let bytes = bytes_of(&others);
        let values = trace.eval_all(&bytes);
        for label in 1..trace.nodes().len() as u32 {
            assert_eq!(trace.eval(label, &bytes), values.get(label), "label {label}");
        }
    }
}

#[test]
fn a_value_that_needs_a_byte_beyond_the_end_is_missing() {
    let mut synth = Synth::new(stdin(b"abc"));
    let (first, last) = (synth.input(0, 0), synth.input(0, 2));
    let sum = synth.node(Op::Add, 8, first, last, 0);
    let trace = synth.trace();
    let shorter = stdin(b"xy");
    let values = trace.eval_all(&bytes_of(&shorter));
    assert_eq!(values.get(first), Some(u64::from(b'x')));
    assert_eq!(values.get(last), None);
    assert_eq!(values.get(sum), None);
}

#[test]
fn a_wrong_value_and_a_wrong_direction_are_violations() {
    let mut synth = Synth::new(stdin(b"ab"));
    let (a, b) = (synth.input(0, 0), synth.input(0, 1));
    let less = synth.node(Op::Ult, 1, a, b, 0);
    synth.event(RawEvent { kind: KIND_BRANCH, flag: 0, y: less, ..RawEvent::default() }, &[]);
    let violations = synth.trace().check_self(&[]);
    let [Violation::Condition { condition, value: Some(1) }] = &violations[..] else {
        panic!("{violations:?}")
    };
    assert_eq!((condition.label, condition.origin), (less, Origin::Branch));
}

#[test]
fn a_switch_asks_for_its_case_or_for_none_of_them() {
    // Case values may be wider than the value: -1 of 8 bits is 255.
    let sites = [switch_site(&[97, u64::MAX])];
    let mut synth = Synth::new(stdin(b"az"));
    let (a, z) = (synth.input(0, 0), synth.input(0, 1));
    switch(&mut synth, a, 0);
    switch(&mut synth, z, u32::MAX);
    let trace = synth.trace();
    let conditions = trace.conditions(&sites);
    assert_eq!(conditions[0].expect, Expect::Equals(97));
    assert_eq!(conditions[1].expect, Expect::NoneOf(vec![97, 255]));
    assert_eq!(trace.check_self(&sites), []);
    assert!(trace.holds_on(&stdin(b"ab"), &sites, false));
    assert!(!trace.holds_on(&stdin(b"a\xff"), &sites, false));
    assert!(!trace.holds_on(&stdin(b"bz"), &sites, false));
}

#[test]
fn a_switch_case_that_does_not_exist_is_a_violation() {
    let sites = [switch_site(&[97])];
    let mut synth = Synth::new(stdin(b"a"));
    let a = synth.input(0, 0);
    switch(&mut synth, a, 5);
    let violations = synth.trace().check_self(&sites);
    assert_eq!(violations, [Violation::Case { event: 0, site: 0, case: 5 }]);
}

#[test]
fn pins_count_only_when_asked_for() {
    let mut synth = Synth::new(stdin(b"a"));
    let a = synth.input(0, 0);
    let event = RawEvent { kind: KIND_CONCRETE, aux: CONCRETE_SIZE, y: a, ..RawEvent::default() };
    synth.event(event, &[]);
    let trace = synth.trace();
    assert_eq!(trace.conditions(&[])[0].origin, Origin::Pin(CONCRETE_SIZE));
    assert!(trace.holds_on(&stdin(b"b"), &[], false));
    assert!(!trace.holds_on(&stdin(b"b"), &[], true));
}
