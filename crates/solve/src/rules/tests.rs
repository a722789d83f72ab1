//! Every rule against evaluation, on random instances that match it.

use super::all;
use crate::eval::eval;
use crate::expr::{operate, read_table, ExprId, Node, TableId, Var, VarId};
use crate::pool::Pool;
use crate::random::{Random, OPERATORS};
use parallax_trace::format::Op;

const BYTES: u32 = 4;
const WANTED: u32 = 40;
const ATTEMPTS: u32 = 200_000;

fn vars() -> Vec<Var> {
    (0..BYTES).map(|offset| Var { input: 0, offset }).collect()
}

/// The value that a node would have if it were made as it is.
fn value(pool: &Pool, node: &Node, byte: &dyn Fn(VarId) -> u8) -> u64 {
    let (mut widths, mut values) = ([0; 3], [0; 3]);
    for (i, arg) in node.operands().iter().enumerate() {
        (widths[i], values[i]) = (pool.width(*arg), eval(pool, *arg, byte));
    }
    match node.op {
        Op::Read => read_table(pool.table(TableId(node.num as u32)), values[0], node.width),
        _ => operate(node, widths, values),
    }
}

fn assert_same(rule: &str, pool: &Pool, node: &Node, result: ExprId, bytes: &[u8]) {
    let byte = |var: VarId| bytes[var.0 as usize];
    let (wanted, found) = (value(pool, node, &byte), eval(pool, result, &byte));
    assert_eq!(pool.width(result), node.width, "{rule}: {node:?}");
    let operands: Vec<_> = node.operands().iter().map(|a| pool.node(*a)).collect();
    assert_eq!(wanted, found, "{rule}: {node:?} of {operands:?} became {:?}", pool.node(result));
}

#[test]
fn every_rule_keeps_the_meaning_of_random_expressions_that_match_it() {
    let mut missing = Vec::new();
    for (number, rule) in all().enumerate() {
        let mut rng = fastrand::Rng::with_seed(number as u64);
        let mut matched = 0;
        let ops: &[Op] = if rule.ops.is_empty() { &OPERATORS } else { rule.ops };
        let mut attempts = 0;
        'attempts: while attempts < ATTEMPTS {
            let mut pool = Pool::new();
            vars().into_iter().for_each(|var| {
                pool.var_id(var);
            });
            let mut below = |n: u64| rng.u64(..n);
            let mut random = Random::new(&mut below, vars()).with_reals();
            for _ in 0..50 {
                attempts += 1;
                let op = ops[random.below(ops.len() as u64) as usize];
                let node = random.any_node(&mut pool, op, 2);
                let Some(result) = (rule.apply)(&mut pool, &node) else { continue };
                for _ in 0..8 {
                    let bytes: Vec<u8> = (0..BYTES).map(|_| random.below(256) as u8).collect();
                    assert_same(rule.name, &pool, &node, result, &bytes);
                }
                matched += 1;
                if matched >= WANTED {
                    break 'attempts;
                }
            }
        }
        if matched < WANTED {
            missing.push((rule.name, matched));
        }
    }
    assert!(missing.is_empty(), "rules that hardly ever matched, and are not tested: {missing:?}");
}

#[test]
fn names_of_rules_are_unique() {
    let mut names: Vec<_> = all().map(|r| r.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

#[test]
fn whole_expressions_mean_the_same_with_and_without_rules() {
    for seed in 0..3000 {
        // The same numbers make the same expression in both pools only if the choices do not depend on
        // the pool: no expression is used again.
        let build = |pool: &mut Pool| {
            vars().into_iter().for_each(|var| {
                pool.var_id(var);
            });
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut below = |n: u64| rng.u64(..n);
            let mut random = Random::new(&mut below, vars()).without_reuse();
            let op = OPERATORS[random.below(OPERATORS.len() as u64) as usize];
            let node = random.any_node(pool, op, 3);
            pool.make(node)
        };
        let (mut plain, mut simple) = (Pool::without_rules(), Pool::new());
        let (a, b) = (build(&mut plain), build(&mut simple));
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..8 {
            let bytes: [u8; BYTES as usize] = std::array::from_fn(|_| rng.u8(..));
            let byte = |var: VarId| bytes[var.0 as usize];
            assert_eq!(eval(&plain, a, &byte), eval(&simple, b, &byte), "seed {seed}: {:?}", plain.node(a));
        }
    }
}
