//! Which stores loads of small programs can see.

use crate::common::{compile, line, source};
use crate::pointers::{insts_at, name_of};
use parallax_model::memory::Memory;
use parallax_model::mod_ref::Edges;
use parallax_model::points_to::PointsTo;
use parallax_model::reaching::{Limits, Reaching};
use parallax_model::*;
use std::collections::BTreeSet;

/// Without the clean-up: every variable is in memory, and every statement is an instruction.
pub fn raw_program(name: &str) -> Program {
    let directory = tempfile::tempdir().unwrap();
    load(&std::fs::read(compile(&source(name), directory.path(), &["-g"])).unwrap()).unwrap()
}

struct Asked<'a> {
    file: &'static str,
    program: &'a Program,
    points_to: &'a PointsTo,
    reaching: Reaching<'a>,
}

impl Asked<'_> {
    /// The lines whose stores the load of `object` on the line with `text` can see; and whether it can see the initial content.
    #[track_caller]
    fn seen(&mut self, text: &str, object: &str) -> (BTreeSet<u32>, bool) {
        let mut loads = insts_at(self.program, line(self.file, text)).into_iter().filter(|i| {
            matches!(self.program.inst(*i).op, Op::Load { .. })
                && self
                    .points_to
                    .places(self.program, *i)
                    .iter()
                    .any(|p| name_of(self.program, p.object) == object)
        });
        let load = loads.next().unwrap_or_else(|| panic!("no load of {object} at {text}"));
        let found = self.reaching.definitions(load);
        let lines = found.writers.iter().map(|w| self.program.loc(*w).map_or(0, |l| l.line)).collect();
        (lines, found.initial)
    }
}

fn lines(file: &str, texts: &[&str]) -> BTreeSet<u32> {
    texts.iter().map(|t| line(file, t)).collect()
}

fn with_limits(limits: Limits, check: impl FnOnce(&mut Asked)) {
    let program = raw_program("reaching.c");
    let points_to = PointsTo::new(&program);
    let memory = Memory::new(&program, &points_to);
    let edges = Edges::new(&program, &points_to);
    let reaching = Reaching::new(&memory, &edges, limits);
    check(&mut Asked { file: "reaching.c", program: &program, points_to: &points_to, reaching });
}

#[test]
fn a_store_to_one_variable_hides_the_stores_before_it() {
    with_limits(Limits::default(), |asked| {
        let file = asked.file;
        assert_eq!(asked.seen("/* sees nothing */", "g"), (BTreeSet::new(), true));
        assert_eq!(asked.seen("/* sees two */", "g"), (lines(file, &["/* two */"]), false));
        assert_eq!(asked.seen("/* sees set */", "g"), (lines(file, &["/* in set */"]), false));
    });
}

#[test]
fn a_call_that_may_store_hides_nothing() {
    with_limits(Limits::default(), |asked| {
        let file = asked.file;
        let both = lines(file, &["/* in set */", "/* in maybe */"]);
        assert_eq!(asked.seen("/* sees set or maybe */", "g"), (both, false));
        let calls = lines(file, &["/* two */", "/* seven */"]);
        assert_eq!(asked.seen("/* sees both calls */", "g"), (calls, false));
    });
}

#[test]
fn elements_and_variables_behind_pointers_keep_older_stores() {
    for limits in [Limits::default(), Limits { blocks: 0, ..Limits::default() }] {
        with_limits(limits, |asked| {
            let file = asked.file;
            let elements = lines(file, &["/* element */", "/* first element */"]);
            assert_eq!(asked.seen("/* sees elements */", "elements"), (elements, true));
            let local = lines(file, &["/* local one */", "/* through p */"]);
            assert_eq!(asked.seen("/* sees local */", "local"), (local, false));
            assert_eq!(asked.seen("/* sees unset */", "unset"), (lines(file, &["/* through p */"]), true));
        });
    }
}

#[test]
fn a_second_return_of_setjmp_sees_stores_made_after_the_first() {
    with_limits(Limits::default(), |asked| {
        let both = lines(asked.file, &["/* kept one */", "/* kept two */"]);
        assert!(asked.seen("/* sees kept */", "kept").0.is_superset(&both));
    });
}

#[test]
fn a_handler_of_signals_may_have_stored_at_any_time() {
    let program = raw_program("callbacks.c");
    let points_to = PointsTo::new(&program);
    let memory = Memory::new(&program, &points_to);
    let edges = Edges::new(&program, &points_to);
    let reaching = Reaching::new(&memory, &edges, Limits::default());
    let mut asked = Asked { file: "callbacks.c", program: &program, points_to: &points_to, reaching };
    let seen = asked.seen("/* stopped */", "stopped").0;
    assert_eq!(seen, lines("callbacks.c", &["static void stop", "stopped = 0"]));
}

#[test]
fn what_an_allocation_function_fills_is_seen_by_whoever_gets_the_memory() {
    let program = crate::common::program("made.c");
    let points_to = PointsTo::new(&program);
    let memory = Memory::new(&program, &points_to);
    let edges = Edges::new(&program, &points_to);
    assert_eq!(points_to.wrappers, [program.function_named("make").unwrap()]);
    let mut reaching = Reaching::new(&memory, &edges, Limits::default());
    let at = |text| insts_at(&program, line("made.c", text));
    let load =
        at("/* read value */").into_iter().find(|i| matches!(program.inst(*i).op, Op::Load { .. })).unwrap();
    let store =
        at("/* fill value */").into_iter().find(|i| matches!(program.inst(*i).op, Op::Store { .. })).unwrap();
    assert!(reaching.definitions(load).writers.contains(&store));
    assert!(parallax_model::alias::may_alias(&memory, load, store));
}
