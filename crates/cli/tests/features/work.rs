//! Work is counted in the program, and a run is cut after as much of it as it may do.

use crate::support::{testdata, Program};
use parallax_execute::{Limits, Options, Outcome, Symbolic, TestCase};

fn program(may_stay: bool) -> Program {
    let options = Options { may_stay, ..Options::default() };
    Program::build_with(&testdata(), "work.c", Symbolic::default(), options)
}

fn within(work: u64) -> Limits {
    Limits { work, ..Limits::default() }
}

#[test]
fn the_same_input_does_the_same_work_and_more_rounds_do_more() {
    let mut program = program(true);
    let mut work = |words: &[&str]| {
        let run = program.symbolic.run(&TestCase::with_args(words), &within(0)).unwrap();
        assert_eq!(run.outcome, Outcome::Exited(3));
        program.symbolic.arena().header().work()
    };
    let [few, again, many] = ["2000", "2000", "9000"].map(|n| work(&[n]));
    assert_eq!(few, again);
    assert!(few >= 2000 && many >= few + 7000, "{few} {many}");
    assert!(work(&["9000", "d"]) >= 9000);
    assert!(work(&["9000", "f"]) >= 9000);
}

#[test]
fn a_run_is_cut_at_the_same_place_each_time_and_the_next_is_whole() {
    for may_stay in [true, false] {
        let mut program = program(may_stay);
        for words in [&["999999999"][..], &["999999999", "d"], &["999999999", "f"]] {
            let test = TestCase::with_args(words);
            let mut seen = Vec::new();
            for _ in 0..2 {
                let cut = program.trace_within(&test, &within(100_000));
                assert_eq!(cut.run.outcome, Outcome::TooMuchWork, "{words:?}");
                let header = program.symbolic.arena().header();
                seen.push((header.work(), cut.trace.events().count(), header.nodes_len));
            }
            assert_eq!(seen[0], seen[1], "{words:?}");
            assert!((100_000..110_000).contains(&seen[0].0), "{seen:?}");
            let whole = program.trace_within(&TestCase::with_args(["5"]), &within(100_000));
            assert_eq!(whole.run.outcome, Outcome::Exited(3));
        }
        let unobserved = program.symbolic.run_unobserved(&TestCase::with_args(["999999999"]), &within(5000));
        assert_eq!(unobserved.unwrap().outcome, Outcome::TooMuchWork);
    }
}
