//! Random traces for property tests: every operator, any width, shared operands, tables with and
//! without symbolic entries.

use fastrand::Rng;
use parallax_trace::format::*;
use parallax_trace::request::{Input, Source};
use parallax_trace::synth::Synth;

pub fn inputs(rng: &mut Rng) -> Vec<Input> {
    let sources = [
        Source::Argument(1),
        Source::Stdin,
        Source::File(b"in put|.txt".to_vec()),
        Source::Env(b"HOME".to_vec()),
    ];
    sources
        .into_iter()
        .map(|source| Input {
            source,
            bytes: (0..rng.usize(1..6)).map(|_| rng.u8(..)).collect(),
            symbolic: true,
        })
        .collect()
}

/// A trace of about `size` nodes, with branches on its conditions.
pub fn random(rng: &mut Rng, size: usize) -> Synth {
    let mut synth = Synth::new(inputs(rng));
    for input in 0..synth.inputs().len() as u32 {
        for offset in 0..synth.inputs()[input as usize].bytes.len() as u32 {
            synth.input(input, offset);
        }
    }
    while synth.nodes().len() < size {
        add_node(&mut synth, rng);
    }
    for label in 1..synth.nodes().len() as u32 {
        if synth.nodes()[label as usize].width == 1 && rng.u8(..4) == 0 {
            synth.branch(rng.u32(..8), label);
        }
    }
    synth
}

fn add_node(synth: &mut Synth, rng: &mut Rng) {
    let any = |synth: &Synth, rng: &mut Rng| rng.u32(1..synth.nodes().len() as u32);
    let width_of = |synth: &Synth, label: u32| synth.nodes()[label as usize].width;
    let a = any(synth, rng);
    let width = width_of(synth, a);
    match Op::from_u8(rng.u8(1..=31)).unwrap() {
        Op::Const | Op::Input => {
            let value = if rng.bool() { rng.u64(..) } else { rng.u64(..300) };
            synth.constant(width, value);
        }
        op @ (Op::ZExt | Op::SExt) => {
            synth.node(op, rng.u8(width..=64), a, 0, 0);
        }
        Op::Extract => {
            let wanted = rng.u8(1..=width);
            let from = rng.u32(..=u32::from(width - wanted));
            synth.node(Op::Extract, wanted, a, from, 0);
        }
        Op::Concat => {
            let b = any(synth, rng);
            if width + width_of(synth, b) <= 64 {
                synth.node(Op::Concat, width + width_of(synth, b), a, b, 0);
            }
        }
        Op::Ite => {
            let (c, b) = (condition(synth, rng), same_width(synth, rng, a));
            synth.node(Op::Ite, width, c, a, b);
        }
        Op::Read => add_read(synth, rng, a),
        op => {
            let b = same_width(synth, rng, a);
            let comparison =
                (Op::Eq..=Op::Sle).contains(&op) || matches!(op, Op::UMulOverflow | Op::SMulOverflow);
            synth.node(op, if comparison { 1 } else { width }, a, b, 0);
        }
    }
}

fn same_width(synth: &mut Synth, rng: &mut Rng, a: u32) -> u32 {
    let width = synth.nodes()[a as usize].width;
    let fitting: Vec<u32> =
        (1..synth.nodes().len() as u32).filter(|l| synth.nodes()[*l as usize].width == width).collect();
    if rng.bool() {
        return fitting[rng.usize(..fitting.len())];
    }
    let value = if rng.bool() { rng.u64(..) } else { rng.u64(..80) };
    synth.constant(width, value)
}

fn condition(synth: &mut Synth, rng: &mut Rng) -> u32 {
    let conditions: Vec<u32> =
        (1..synth.nodes().len() as u32).filter(|l| synth.nodes()[*l as usize].width == 1).collect();
    match conditions.len() {
        0 => synth.constant(1, rng.u64(..2)),
        n => conditions[rng.usize(..n)],
    }
}

/// A read that is sometimes outside its table.
fn add_read(synth: &mut Synth, rng: &mut Rng, a: u32) {
    let len = rng.usize(1..20);
    let bytes: Vec<u8> = (0..len).map(|_| rng.u8(..)).collect();
    let byte_labels: Vec<u32> =
        (1..synth.nodes().len() as u32).filter(|l| synth.nodes()[*l as usize].width == 8).collect();
    let labels: Vec<u32> =
        (0..len).map(|_| if rng.bool() { 0 } else { byte_labels[rng.usize(..byte_labels.len())] }).collect();
    let labels = if rng.bool() { labels } else { Vec::new() };
    let wide = synth.node(Op::ZExt, 64, a, 0, 0);
    let limit = synth.constant(64, 31);
    let offset = if rng.u8(..8) == 0 { wide } else { synth.node(Op::And, 64, wide, limit, 0) };
    // A table must hold what its symbolic entries had as values.
    let bytes: Vec<u8> = bytes
        .iter()
        .enumerate()
        .map(|(i, b)| match labels.get(i) {
            Some(label) if *label != 0 => synth.nodes()[*label as usize].value as u8,
            _ => *b,
        })
        .collect();
    let table = synth.table(&bytes, &labels);
    let width = 8 * [1, 2, 4, 8][rng.usize(..4)];
    synth.node(Op::Read, width, offset, table, 0);
}
