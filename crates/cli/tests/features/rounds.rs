//! What is counted of a run: how often edges are taken.

use crate::support::{testdata, Program};
use parallax_execute::{Symbolic, TestCase};
use std::collections::BTreeMap;

fn taken(program: &mut Program, rounds: u32) -> BTreeMap<u32, u8> {
    let traced = program.trace(&TestCase::with_args(["for", &rounds.to_string()]));
    traced.trace.edges_taken().collect()
}

#[test]
fn an_edge_that_is_taken_very_often_never_reads_as_one_that_is_never_taken() {
    let mut program = Program::build(&testdata(), "rounds.c", Symbolic::default());
    let few = taken(&mut program, 7);
    let loops: Vec<u32> = few.iter().filter(|(_, n)| **n == 7).map(|(edge, _)| *edge).collect();
    assert!(!loops.is_empty(), "{few:?}");
    for rounds in [254, 255, 256, 257, 512, 1000] {
        let many = taken(&mut program, rounds);
        for edge in &loops {
            assert_eq!(many.get(edge), Some(&(rounds.min(255) as u8)), "edge {edge} after {rounds} rounds");
        }
    }
}
