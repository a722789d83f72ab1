//! Recorded queries: what is written can be read back, and the `z3` program agrees with us about it.
//! Needs the `z3` program (`scripts/setup.sh` installs it).

mod common;

use common::*;
use parallax_solve::smtlib::script;
use parallax_solve::smtlib_reader::{read, ReadError};
use parallax_solve::*;
use std::process::Command;
use std::time::Duration;

fn limit() -> Limit {
    Limit { steps: u64::MAX, time: Duration::from_secs(60) }
}

fn is_sat(answer: &Answer) -> bool {
    assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
    matches!(answer, Answer::Sat(_))
}

#[test]
fn a_query_that_was_written_and_read_back_has_the_same_answer() {
    for seed in 0..150 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut pool = if seed % 2 == 0 { Pool::new() } else { Pool::without_rules() };
        let constraints = random_constraints(&mut pool, &mut rng, 4, 64);
        let bytes = |var: Var| Some(var.offset as u8 + 65);
        let query = Query::new(&pool, &constraints, &bytes);
        let text = script(&query);
        let mut again = Pool::new();
        let recorded = read(&mut again, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(recorded.seed.iter().all(|(var, byte)| bytes(*var) == Some(*byte)));
        assert_eq!(recorded.seed.len(), query.support().len());
        let copy = Query::new(&again, &recorded.constraints, &bytes);
        for _ in 0..20 {
            let values: [u8; 4] = std::array::from_fn(|_| rng.u8(..));
            let on = |query: &Query| {
                let byte = |v: VarId| (v, values[query.pool.var(v).offset as usize]);
                query.holds_on(&query.support().into_iter().map(byte).collect())
            };
            assert_eq!(on(&query), on(&copy), "seed {seed}\n{text}");
        }
    }
}

#[test]
fn the_z3_program_agrees_about_recorded_queries() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings { record: Some(directory.path().to_owned()), ..Settings::default() };
    let mut stack = standard_stack(&settings);
    let mut answers = Vec::new();
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut pool = Pool::new();
        let constraints = random_constraints(&mut pool, &mut rng, 4, 16);
        let answer = stack.check(&Query::new(&pool, &constraints, &|_| Some(0)), &limit());
        answers.push(if is_sat(&answer) { "sat" } else { "unsat" });
    }
    for (number, wanted) in answers.iter().enumerate() {
        let path = directory.path().join(format!("{number:08}.smt2"));
        let output = Command::new("z3").arg(&path).output();
        let output = output.expect("the program z3 is needed for this test: run scripts/setup.sh");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().next(), Some(*wanted), "{text}\n{}", std::fs::read_to_string(path).unwrap());
    }
}

#[test]
fn recording_ends_at_its_limit_and_where_it_cannot_write() {
    let directory = tempfile::tempdir().unwrap();
    let mut pool = Pool::new();
    let constraints = random_constraints(&mut pool, &mut fastrand::Rng::with_seed(1), 2, 16);
    let query = Query::new(&pool, &constraints, &|_| Some(0));
    for (record, files) in [(directory.path().to_owned(), 2), (directory.path().join("none"), 2)] {
        let settings = Settings { record: Some(record), record_at_most: 2, ..Settings::default() };
        let mut stack = standard_stack(&settings);
        let answers: Vec<bool> = (0..5).map(|_| is_sat(&stack.check(&query, &limit()))).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), files);
    }
}

#[test]
fn what_is_not_a_recorded_query_is_an_error() {
    let error = |text: &str| read(&mut Pool::new(), text).unwrap_err();
    assert_eq!(error("(assert (= a"), ReadError::Unbalanced);
    assert_eq!(error("(check-sat))"), ReadError::Unbalanced);
    assert_eq!(error(&"(".repeat(1000)), ReadError::Depth);
    assert_eq!(error("(assert e7)"), ReadError::Undefined("e7".to_owned()));
    assert!(matches!(error("(push 1)"), ReadError::Form(_)));
    assert!(matches!(error("(declare-const |stdin| (_ BitVec 8))"), ReadError::Form(_)));
    let mismatch = "(declare-const |0[0]| (_ BitVec 8))\n(assert (= |0[0]| (_ bv1 16)))";
    assert!(matches!(error(mismatch), ReadError::Form(_)));
}

#[test]
fn no_prefix_of_a_script_makes_the_reader_panic() {
    let mut pool = Pool::without_rules();
    let constraints = random_constraints(&mut pool, &mut fastrand::Rng::with_seed(3), 4, 64);
    let text = script(&Query::new(&pool, &constraints, &|_| Some(0)));
    for (at, _) in text.char_indices().step_by(7) {
        let _ = read(&mut Pool::new(), &text[..at]);
    }
}
