//! Slices: the seeds' worked examples, dependence through calls, and properties that every slice has.

use crate::common::{line, program, source};
use crate::pointers::insts_at;
use crate::reaching::raw_program;
use parallax_model::memory::Memory;
use parallax_model::mod_ref::Edges;
use parallax_model::pdg::{Node, Pdg};
use parallax_model::points_to::PointsTo;
use parallax_model::reaching::{Limits, Reaching};
use parallax_model::slice::{Direction, Slice};
use parallax_model::*;
use std::collections::BTreeSet;
use Direction::{Backward, Forward};

fn graph_of(program: &Program) -> Pdg {
    graph_with(program, Limits::default())
}

fn graph_with(program: &Program, limits: Limits) -> Pdg {
    let points_to = PointsTo::new(program);
    let memory = Memory::new(program, &points_to);
    let edges = Edges::new(program, &points_to);
    Pdg::new(&memory, &edges, &mut Reaching::new(&memory, &edges, limits))
}

/// The marks (`/* … */` at the end) of the lines in a slice from the line with a mark.
fn slice(file: &str, program: &Program, graph: &Pdg, mark: &str, direction: Direction) -> BTreeSet<String> {
    let text = std::fs::read_to_string(source(file)).unwrap();
    let criterion = insts_at(program, line(file, &format!("/* {mark} */")));
    assert!(!criterion.is_empty(), "nothing on the line of {mark}");
    let lines = Slice::new(graph, criterion, direction).lines(program);
    let marks = lines.iter().filter_map(|(_, l)| {
        let line = text.lines().nth(*l as usize - 1)?;
        let mark = line.trim_end().strip_suffix("*/")?.rsplit_once("/*")?.1;
        Some(mark.trim().to_string())
    });
    marks.collect()
}

fn numbers(marks: &BTreeSet<String>) -> BTreeSet<u32> {
    marks.iter().filter_map(|m| m.parse().ok()).collect()
}

/// Figure 2.3 of seed 004: lines of forward and backward slices, the criterion included. (In the figure, the modified version's table is
/// cut by the page; its entries follow from its dependence graph, figure 2.2: line 10 newly depends on lines 4 and 7.)
#[test]
fn slices_of_the_running_example_are_those_of_the_seed() {
    let both: [(&str, Direction, &[u32]); 5] = [
        ("2", Forward, &[2, 5, 6, 7, 9, 10, 11]),
        ("2", Backward, &[1, 2]),
        ("6", Forward, &[6, 9, 10, 11]),
        ("6", Backward, &[1, 2, 5, 6]),
        ("10", Forward, &[10, 11]),
    ];
    let tenth: [(&str, &[u32]); 2] =
        [("running_old.c", &[1, 2, 3, 5, 6, 9, 10]), ("running_new.c", &[1, 2, 3, 4, 5, 6, 7, 9, 10])];
    for (file, backward) in tenth {
        let program = raw_program(file);
        let graph = graph_of(&program);
        let of = |mark, direction| numbers(&slice(file, &program, &graph, mark, direction));
        for (mark, direction, expected) in both {
            assert_eq!(
                of(mark, direction),
                expected.iter().copied().collect(),
                "{file} {mark} {direction:?}"
            );
        }
        assert_eq!(of("10", Backward), backward.iter().copied().collect(), "{file}");
    }
}

/// Section 2.2.2 of seed 004: line 7 depends on line 1 but on neither 3 nor 6.
#[test]
fn dependence_in_the_running_example_is_that_of_the_seed() {
    for file in ["running_old.c", "running_new.c"] {
        let program = raw_program(file);
        let seventh = numbers(&slice(file, &program, &graph_of(&program), "7", Backward));
        assert!(seventh.contains(&1) && !seventh.contains(&3) && !seventh.contains(&6), "{seventh:?}");
    }
}

/// Figure 2.5 of seed 004: where the changes in lines 2, 6 and 10 can interfere.
#[test]
fn forward_slices_of_the_changes_meet_where_the_seed_says() {
    let program = raw_program("running_new.c");
    let graph = graph_of(&program);
    let of = |mark| numbers(&slice("running_new.c", &program, &graph, mark, Forward));
    let (first, second, third) = (of("2"), of("6"), of("10"));
    assert_eq!(&first & &second, BTreeSet::from([6, 9, 10, 11]));
    assert_eq!(&first & &third, BTreeSet::from([10, 11]));
    assert_eq!(&second & &third, BTreeSet::from([10, 11]));
}

#[test]
fn slices_go_back_to_the_call_that_they_came_from() {
    let file = "through_calls.c";
    let program = program(file);
    let graph = graph_of(&program);
    let of = |mark, direction| slice(file, &program, &graph, mark, direction);
    let back = of("use u", Backward);
    assert!(back.contains("p") && back.contains("u"), "{back:?}");
    assert!(!back.contains("q") && !back.contains("v"), "{back:?}");
    let back = of("use w", Backward);
    assert!(back.contains("p") && back.contains("first") && !back.contains("q"), "{back:?}");
    let ahead = of("p", Forward);
    assert!(ahead.contains("use u") && ahead.contains("use w"), "{ahead:?}");
    assert!(!ahead.contains("use v") && !ahead.contains("use state"), "{ahead:?}");
}

#[test]
fn a_function_that_begins_with_a_loop_depends_on_being_called() {
    let file = "made.c";
    let program = program(file);
    let graph = graph_of(&program);
    let back = slice(file, &program, &graph, "count", Backward);
    assert!(back.contains("decides the call"), "{back:?}");
}

#[test]
fn a_handler_that_runs_at_exit_depends_on_the_program_being_ended() {
    let text = "#include <stdlib.h>
        static int state;
        static void finish(void) {
            state = 7;
        }
        int main(int argc, char **argv) {
            atexit(finish);
            if (argc > 3)
                exit(1);
            for (;;)
                state++;
        }";
    let program = crate::common::program_of(text);
    let at = |line| insts_at(&program, line);
    let slice = Slice::new(&graph_of(&program), at(4), Backward);
    let branch = at(8).into_iter().find(|i| matches!(program.inst(*i).op, Op::CondBr)).unwrap();
    assert!(slice.contains(branch));
}

#[test]
fn a_handler_that_runs_at_exit_depends_on_an_error_that_ends_the_program() {
    let text = "#include <stdlib.h>
        #include <error.h>
        static int state;
        static void finish(void) {
            state = 7;
        }
        int main(int argc, char **argv) {
            atexit(finish);
            if (argc > 4)
                error(0, 0, \"goes on\");
            if (argc > 3)
                error(1, 0, \"ends\");
            for (;;)
                state++;
        }";
    let program = crate::common::program_of(text);
    let at = |line| insts_at(&program, line);
    let call = |line| at(line).into_iter().find(|i| program.inst(*i).op.call().is_some()).unwrap();
    let slice = Slice::new(&graph_of(&program), at(5), Backward);
    assert!(slice.contains(call(12)));
    assert!(!slice.contains(call(10)));
}

#[test]
fn slices_follow_memory_and_summaries_of_libc() {
    let file = "through_calls.c";
    let program = program(file);
    let graph = graph_of(&program);
    let of = |mark, direction| slice(file, &program, &graph, mark, direction);
    let back = of("use state", Backward);
    for mark in ["recall", "remember", "remembered", "q"] {
        assert!(back.contains(mark), "{mark} in {back:?}");
    }
    assert!(!back.contains("p") && !back.contains("copy"), "{back:?}");
    let ahead = of("copy", Forward);
    assert!(ahead.contains("test") && ahead.contains("put") && !ahead.contains("use u"), "{ahead:?}");
}

/// A naive slice: everything reachable, calls and returns not matched.
fn reachable(program: &Program, graph: &Pdg, start: InstId, direction: Direction) -> BTreeSet<InstId> {
    let mut seen = BTreeSet::new();
    let mut pending = vec![Node::Inst(start), Node::Site(start)];
    while let Some(node) = pending.pop() {
        if seen.insert(node) {
            match direction {
                Backward => pending.extend(graph.dependencies(node).map(|d| d.0)),
                Forward => pending.extend(graph.dependents(node).map(|d| d.0)),
            }
        }
    }
    let all = program.inst_ids();
    all.filter(|i| seen.contains(&Node::Inst(*i)) || seen.contains(&Node::Site(*i))).collect()
}

#[test]
fn slices_are_within_what_is_reachable_and_forward_mirrors_backward() {
    for file in ["through_calls.c", "callbacks.c", "tables.c", "lists.c", "reaching.c"] {
        let program = program(file);
        let graph = graph_of(&program);
        let backward: Vec<Slice> = program.inst_ids().map(|i| Slice::new(&graph, [i], Backward)).collect();
        for inst in program.inst_ids() {
            let forward = Slice::new(&graph, [inst], Forward);
            assert!(forward.insts.is_subset(&reachable(&program, &graph, inst, Forward)));
            let back = &backward[inst.index()];
            assert!(back.insts.is_subset(&reachable(&program, &graph, inst, Backward)));
            for other in program.inst_ids() {
                let (there, here) = (forward.contains(other), backward[other.index()].contains(inst));
                assert_eq!(there, here, "{file}: {inst:?} and {other:?}");
            }
        }
    }
}

#[test]
fn a_graph_in_which_memory_stands_between_writers_and_readers_loses_nothing() {
    let coarsest = Limits { blocks: 0, touching: 0, effort: 0, places: 0, direct: 0 };
    let mut larger = 0;
    for file in ["through_calls.c", "made.c", "callbacks.c", "lists.c", "arrays.c"] {
        let program = program(file);
        let (fine, coarse) = (graph_of(&program), graph_with(&program, coarsest));
        for inst in program.inst_ids() {
            for direction in [Backward, Forward] {
                let (a, b) = (Slice::new(&fine, [inst], direction), Slice::new(&coarse, [inst], direction));
                assert!(a.insts.is_subset(&b.insts), "{file} {inst:?} {direction:?}");
                larger += usize::from(a != b);
            }
        }
    }
    assert!(larger > 0, "the limits have an effect");
}

#[test]
fn a_stored_graph_is_read_back_as_it_was() {
    for file in ["through_calls.c", "lists.c"] {
        let graph = graph_of(&program(file));
        assert!(graph.edge_count() > 0);
        let bytes = graph.to_bytes();
        assert!(Pdg::from_bytes(&bytes).unwrap() == graph, "{file}");
        assert!(Pdg::from_bytes(&bytes[..bytes.len() - 1]).is_err(), "{file}: cut short");
    }
}
