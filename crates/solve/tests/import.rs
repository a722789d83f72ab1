//! Expressions of a pool against the labels they were made from.

use parallax_solve::*;
use parallax_trace::format::*;
use parallax_trace::request::{Input, Source};
use parallax_trace::synth::Synth;

fn argument(n: u32, bytes: &[u8]) -> Input {
    Input { source: Source::Argument(n), bytes: bytes.to_vec(), symbolic: true }
}

fn stdin(bytes: &[u8]) -> Input {
    Input { source: Source::Stdin, bytes: bytes.to_vec(), symbolic: true }
}

/// Every label on random bytes, by the trace's evaluator and by the pool's.
fn assert_same_values(synth: &Synth, rng: &mut fastrand::Rng) {
    let trace = synth.trace();
    let mut pool = Pool::new();
    let mut importer = Importer::new(&trace);
    let exprs: Vec<_> = (0..trace.nodes().len() as u32).map(|l| importer.expr(&mut pool, l)).collect();
    assert_eq!(exprs[0], None);
    for _ in 0..20 {
        let bytes: [u8; 8] = std::array::from_fn(|_| rng.u8(..));
        let values = trace.eval_all(&|_, offset| bytes.get(offset as usize).copied());
        for (label, expr) in exprs.iter().enumerate().skip(1) {
            let value = eval(&pool, expr.unwrap(), &|var| bytes[pool.var(var).offset as usize]);
            assert_eq!(Some(value), values.get(label as u32), "{:?}", trace.node(label as u32));
        }
    }
}

#[test]
fn every_label_of_a_random_trace_keeps_its_value() {
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut synth = Synth::new(vec![stdin(b"somebyte")]);
        let mut labels: Vec<Label> = (0..4).map(|i| synth.input(0, i)).collect();
        for _ in 0..40 {
            let (a, b) = (labels[rng.usize(..labels.len())], labels[rng.usize(..labels.len())]);
            let (wa, wb) = (synth.nodes()[a as usize].width, synth.nodes()[b as usize].width);
            let op = Op::from_u8(rng.u8(3..=31)).unwrap();
            let constant = synth.constant(wa, rng.u64(..) >> rng.u32(..64));
            labels.push(constant);
            let label = match op {
                Op::ZExt | Op::SExt => synth.node(op, rng.u8(wa..=64), a, 0, 0),
                Op::Extract => {
                    let low = rng.u8(..wa);
                    synth.node(op, rng.u8(1..=wa - low), a, low.into(), 0)
                }
                Op::Concat if wa + wb <= 64 => synth.node(op, wa + wb, a, b, 0),
                Op::Concat | Op::Ite | Op::Read => continue,
                Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle => synth.node(op, 1, a, constant, 0),
                Op::UMulOverflow | Op::SMulOverflow => synth.node(op, 1, a, constant, 0),
                _ => synth.node(op, wa, a, constant, 0),
            };
            labels.push(label);
        }
        let bit = labels.iter().copied().find(|l| synth.nodes()[*l as usize].width == 1);
        if let Some(bit) = bit {
            let (a, b) = (labels[0], labels[1]);
            synth.node(Op::Ite, 8, bit, a, b);
        }
        assert_same_values(&synth, &mut rng);
    }
}

/// A read of two bytes from a table, some of whose entries are input bytes.
fn symbolic_table() -> (Synth, Label) {
    let mut synth = Synth::new(vec![stdin(b"\x01bcdefgh")]);
    let entries: Vec<Label> = (4..8).map(|i| synth.input(0, i)).collect();
    let table = synth.table(b"0123efgh", &[0, 0, 0, 0, entries[0], entries[1], entries[2], entries[3]]);
    let byte = synth.input(0, 0);
    let index = synth.node(Op::ZExt, 64, byte, 0, 0);
    let read = synth.node(Op::Read, 16, index, table, 0);
    (synth, read)
}

#[test]
fn tables_with_symbolic_entries_keep_their_meaning() {
    let (synth, _) = symbolic_table();
    assert_same_values(&synth, &mut fastrand::Rng::with_seed(1));
}

#[test]
fn a_table_with_more_symbolic_entries_than_the_limit_has_no_expression() {
    let (synth, read) = symbolic_table();
    let trace = synth.trace();
    let mut pool = Pool::new();
    let mut importer = Importer::new(&trace).with_symbolic_entries(3);
    assert_eq!(importer.expr(&mut pool, read), None);
    assert!(Importer::new(&trace).expr(&mut pool, read).is_some());
}

#[test]
fn both_versions_share_variables_by_the_source_of_their_inputs() {
    let old = vec![argument(1, b"a"), stdin(b"bc")];
    let new = vec![stdin(b"bc"), argument(1, b"a"), argument(2, b"d")];
    assert_eq!(renaming(&old, &new), [1, 0, 2]);
    let mut pool = Pool::new();
    let expr = |inputs: &[Input], input, names, pool: &mut Pool| {
        let mut synth = Synth::new(inputs.to_vec());
        let label = synth.input(input, 1);
        let trace = synth.trace();
        let id = Importer::renamed(&trace, names).expr(pool, label);
        id
    };
    let a = expr(&old, 1, vec![0, 1], &mut pool);
    let b = expr(&new, 0, renaming(&old, &new), &mut pool);
    assert!(a.is_some() && a == b);
}

#[test]
fn a_very_long_chain_of_operations_can_be_imported_and_evaluated() {
    let mut synth = Synth::new(vec![stdin(&[7; 4])]);
    let byte = synth.input(0, 0);
    let mut sum = synth.node(Op::ZExt, 32, byte, 0, 0);
    let factor = synth.constant(32, 31);
    for i in 0..60_000 {
        let byte = synth.input(0, i % 4);
        let wide = synth.node(Op::ZExt, 32, byte, 0, 0);
        let product = synth.node(Op::Mul, 32, sum, factor, 0);
        sum = synth.node(Op::Add, 32, product, wide, 0);
    }
    let low = synth.node(Op::Extract, 8, sum, 0, 0);
    let trace = synth.trace();
    let mut pool = Pool::new();
    let expr = Importer::new(&trace).expr(&mut pool, low).unwrap();
    let bytes = [1u8, 2, 3, 250];
    let wanted = trace.eval_all(&|_, offset| Some(bytes[offset as usize])).get(low);
    assert_eq!(Some(eval(&pool, expr, &|v| bytes[pool.var(v).offset as usize])), wanted);
}

#[test]
fn a_switch_that_took_its_default_excludes_every_case() {
    use parallax_trace::path::{Condition, Expect, Origin};
    let mut synth = Synth::new(vec![stdin(b"q")]);
    let label = synth.input(0, 0);
    let trace = synth.trace();
    let expect = Expect::NoneOf(vec![b'a'.into(), b'b'.into()]);
    let condition = Condition { label, expect, site: 0, context: 0, origin: Origin::Switch, event: 0 };
    let mut pool = Pool::new();
    let constraints = Importer::new(&trace).condition(&mut pool, &condition).unwrap();
    let seed = |_: Var| Some(b'a');
    let query = Query::new(&pool, &constraints, &seed);
    let Answer::Sat(model) = standard_stack(&Settings::default()).check(&query, &Limit::default()) else {
        panic!("there is a model");
    };
    let (_, value) = model.iter().next().unwrap();
    assert!(value != b'a' && value != b'b');
}
