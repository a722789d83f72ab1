//! The exactness measurement of `bench/src/bin/exact.rs`, small enough for every run of the tests: the conditions
//! of a run agree with the run, an input that fulfils them takes the same path, and both builds do the same.

use parallax_bench::compare::difference;
use parallax_bench::lines::parse;
use parallax_bench::pairs::{explore, Tally};
use parallax_bench::seeds::{source, OWN};
use parallax_bench::twins::Subject;
use parallax_execute::{TestCase, RUNNER_SUBCOMMAND};

/// Pairs to which the promise applies, for every program, and pairs tried at most.
const WANTED: usize = 20;
const MOST: usize = 200;

fn subject(name: &str) -> Subject {
    let runner = vec![env!("CARGO_BIN_EXE_exact").into(), RUNNER_SUBCOMMAND.into()];
    Subject::file(&source(name), Some(runner)).unwrap()
}

#[test]
fn inputs_that_fulfil_a_path_condition_take_its_path() {
    let mut total = Tally::default();
    for (name, seeds) in OWN {
        let seeds: Vec<TestCase> = seeds.iter().map(|text| parse(text)).collect();
        let mut random = fastrand::Rng::with_seed(1);
        let tally = explore(&mut subject(name), &seeds, WANTED, MOST, &mut random).unwrap();
        assert!(tally.premise >= WANTED, "{name}: the promise applied to {} pairs only", tally.premise);
        total.add(tally);
    }
    assert_eq!(total.violations, 0, "{:#?}", total.counterexamples);
    assert_eq!(total.same, total.premise, "{:#?}", total.counterexamples);
    assert!(total.conditions > 1000, "{}", total.conditions);
}

#[test]
fn symbolic_builds_do_what_native_ones_do() {
    for (name, seeds) in OWN {
        let mut subject = subject(name);
        for text in *seeds {
            let test = parse(text);
            let native = subject.run_native(&test).unwrap();
            let (symbolic, _) = subject.run_symbolic(&test).unwrap();
            assert_eq!(difference(&native, &symbolic), None, "{name} {text}");
        }
    }
}
