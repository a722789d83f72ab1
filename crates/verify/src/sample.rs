//! Members of a partition to be run: boundary values of each byte, and random ones.
//!
//! In: the conditions of a partition, one member, a source of random numbers. Out: other members.
//!
//! Each group of conditions that share bytes gets new values from the values that its bytes can have, their smallest and largest first; a group
//! on which the conditions then do not hold gets one new byte at a time instead, or keeps what it has. Never a solver's model again.
//!
//! Always holds: the conditions hold on every member.

use crate::count;
use crate::names::Names;
use crate::shape::{self, Shape};
use fastrand::Rng;
use parallax_execute::TestCase;
use parallax_solve::{ExprId, Pool, Program, VarId};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Attempts for each member that is wanted.
const ATTEMPTS: usize = 8;

/// Up to `wanted` members other than `member`, all different.
pub fn members(
    pool: &Pool,
    names: &Names,
    holds: &[ExprId],
    (shape, member): (&Shape, &TestCase),
    wanted: usize,
    random: &mut Rng,
) -> Vec<TestCase> {
    let groups = count::groups(pool, holds);
    let mut parts: Vec<(Vec<VarId>, BTreeMap<VarId, Vec<u8>>, Program, usize)> = groups
        .into_iter()
        .map(|group| {
            let sets = count::domains(pool, names, &group.holds);
            let lists = sets.into_iter().map(|(var, set)| (var, set.iter().collect())).collect();
            (group.vars, lists, Program::new(pool, &group.holds), group.holds.len())
        })
        .collect();
    let bound: BTreeSet<(&_, u32)> = parts
        .iter()
        .flat_map(|part| part.0.iter())
        .filter_map(|var| Some((names.source(pool.var(*var).input)?, pool.var(*var).offset)))
        .collect();
    let free: Vec<(_, u32)> = shape.bytes().into_iter().filter(|(s, o)| !bound.contains(&(s, *o))).collect();
    let mut found: Vec<TestCase> = Vec::new();
    let mut known: HashSet<TestCase> = [member.clone()].into();
    for _ in 0..wanted.saturating_mul(ATTEMPTS) {
        if found.len() >= wanted {
            break;
        }
        let mut test = member.clone();
        for (source, offset) in &free {
            let least = u8::from(!shape::may_be_nul(source));
            let value = match random.u8(0..4) {
                0 => least,
                1 => u8::MAX,
                _ => random.u8(least..),
            };
            shape::set_byte(&mut test, source, *offset, value);
        }
        for (vars, lists, program, roots) in &mut parts {
            renew(pool, names, (vars, lists, program, *roots), &mut test, random);
        }
        if known.insert(test.clone()) {
            found.push(test);
        }
    }
    found
}

/// New values for one group.
fn renew(
    pool: &Pool,
    names: &Names,
    (vars, lists, program, roots): (&[VarId], &BTreeMap<VarId, Vec<u8>>, &mut Program, usize),
    test: &mut TestCase,
    random: &mut Rng,
) {
    let before = test.clone();
    let choose = |test: &mut TestCase, var: &VarId, random: &mut Rng| {
        let Some(list) = lists.get(var).filter(|list| !list.is_empty()) else { return };
        let value = match random.u8(0..4) {
            0 => list[0],
            1 => list[list.len() - 1],
            _ => list[random.usize(..list.len())],
        };
        if let Some(source) = names.source(pool.var(*var).input) {
            shape::set_byte(test, source, pool.var(*var).offset, value);
        }
    };
    let mut holds = |test: &TestCase| {
        program.run(&names.bytes(pool, test));
        (0..roots).all(|root| program.value(root) & 1 == 1)
    };
    vars.iter().for_each(|var| choose(test, var, random));
    if holds(test) {
        return;
    }
    test.clone_from(&before);
    if vars.is_empty() {
        return;
    }
    choose(test, &vars[random.usize(..vars.len())], random);
    if !holds(test) {
        *test = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_solve::Var;
    use parallax_trace::format::Op;
    use parallax_trace::request::Source;

    #[test]
    fn members_are_members_and_differ() {
        let (mut pool, mut names) = (Pool::new(), Names::default());
        let stdin = names.number(&Source::Stdin);
        let [a, b] = [0, 1].map(|offset| pool.byte(Var { input: stdin, offset }));
        let less = pool.binary(Op::Ult, a, b);
        let shape = Shape { stdin: Some(3), ..Shape::default() };
        let member = TestCase { stdin: vec![1, 2, 0], ..TestCase::default() };
        let mut random = Rng::with_seed(1);
        let found = members(&pool, &names, &[less], (&shape, &member), 50, &mut random);
        assert!(found.len() > 40, "{}", found.len());
        assert!(found.iter().all(|test| test.stdin[0] < test.stdin[1] && *test != member));
        let first: BTreeSet<u8> = found.iter().map(|test| test.stdin[0]).collect();
        assert!(first.len() > 5 && first.contains(&0), "{first:?}");
    }
}
