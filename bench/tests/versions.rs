//! The subjects of `bench/subjects/diff`, `blind`, `fresh` and `heavy` are what their descriptions say.

use parallax_bench::versions::native::Natives;
use parallax_bench::versions::product::{Layout, Product};
use parallax_bench::versions::{all_of, Expect, Pair, SETS};
use parallax_execute::TestCase;
use std::path::PathBuf;
use std::process::Command;

const LINES: std::ops::RangeInclusive<usize> = 50..=500;

fn all() -> Vec<Pair> {
    SETS.iter().flat_map(|set| all_of(set).unwrap()).collect()
}

fn natives(pair: &Pair, directory: &tempfile::TempDir) -> Natives {
    let runner = PathBuf::from(env!("CARGO_BIN_EXE_exact"));
    Natives::build(&pair.old, &pair.new, directory.path(), Some(runner)).unwrap()
}

#[test]
fn versions_do_the_same_on_their_seed_and_differ_on_their_witness_only_if_they_should() {
    for pair in all() {
        let directory = tempfile::tempdir().unwrap();
        let mut natives = natives(&pair, &directory);
        assert_eq!(natives.difference(&pair.seed).unwrap(), None, "{}: seed", pair.name);
        let on_witness = natives.difference(&pair.witness).unwrap();
        match pair.expect {
            Expect::Different => assert_ne!(on_witness, None, "{}: witness", pair.name),
            Expect::Same => assert_eq!(on_witness, None, "{}: witness", pair.name),
        }
    }
}

#[test]
#[ignore = "needs afl++: scripts/setup.sh --bench"]
fn products_trap_where_the_versions_differ_and_only_there() {
    for pair in all() {
        let directory = tempfile::tempdir().unwrap();
        let product = Product::build(&pair.old, &pair.new, &pair.seed, directory.path()).unwrap();
        let traps = |test: &TestCase| {
            let input = directory.path().join("test");
            std::fs::write(&input, Layout::of(test).encode()).unwrap();
            let input = std::fs::File::open(input).unwrap();
            !Command::new(&product.target).stdin(input).status().unwrap().success()
        };
        assert!(!traps(&pair.seed), "{}: seed", pair.name);
        assert_eq!(traps(&pair.witness), pair.expect == Expect::Different, "{}: witness", pair.name);
    }
}

#[test]
fn there_are_many_small_subjects_of_many_kinds() {
    let pairs = all();
    let count = |expect| pairs.iter().filter(|p| p.expect == expect).count();
    assert!(count(Expect::Different) >= 14, "{}", count(Expect::Different));
    assert!(count(Expect::Same) >= 6, "{}", count(Expect::Same));
    let kinds: std::collections::BTreeSet<&str> = pairs.iter().map(|p| p.kind.as_str()).collect();
    assert!(kinds.len() >= 10, "{kinds:?}");
    for path in pairs.iter().flat_map(|p| [&p.old, &p.new]) {
        let lines = std::fs::read_to_string(path).unwrap().lines().count();
        assert!(LINES.contains(&lines), "{}: {lines} lines", path.display());
    }
}
