//! How many inputs a partition has.
//!
//! In: the conditions of a partition, and the bytes of its shape. Out: the number of inputs on which they hold, or an interval, as a share of
//! all inputs of the shape and, where it is exact and fits, as a number.
//!
//! Conditions that share no byte are counted apart and multiplied. Of a group, the values that single bytes can have are found by trying
//! them; then all combinations are tried, if there are not too many. Where there are, the count is an interval: at least the one that is known, at
//! most the product of the values of single bytes.
//!
//! Always holds: the true number lies in the interval.

use crate::names::Names;
use crate::shape;
use parallax_solve::bytes::{ByteSet, Truths};
use parallax_solve::{Constraint, ExprId, Pool, Program, Query, Var, VarId};
use parallax_trace::request::Source;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Evaluated nodes that one group may cost.
const MOST_STEPS: u128 = 30_000_000;

/// A share of the inputs of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Count {
    pub low: f64,
    pub high: f64,
    /// The number of inputs, where it is exact.
    pub inputs: Option<u128>,
}

impl Count {
    pub const NONE: Count = Count { low: 0.0, high: 0.0, inputs: Some(0) };

    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }

    pub fn plus(&self, other: &Count) -> Count {
        Count {
            low: self.low + other.low,
            high: (self.high + other.high).min(1.0),
            inputs: self.inputs.zip(other.inputs).and_then(|(a, b)| a.checked_add(b)),
        }
    }
}

/// All inputs of a shape; `None` if there are more than fit.
pub fn total(bytes: &[(Source, u32)]) -> Option<u128> {
    bytes.iter().try_fold(1u128, |product, (source, _)| product.checked_mul(shape::values_of(source).into()))
}

/// Conditions that share bytes, and these bytes.
#[derive(Default)]
pub struct Group {
    pub holds: Vec<ExprId>,
    pub vars: Vec<VarId>,
}

/// Conditions by the bytes that they share, directly or through others.
pub fn groups(pool: &Pool, holds: &[ExprId]) -> Vec<Group> {
    let mut groups: Vec<(BTreeSet<VarId>, Vec<ExprId>)> = Vec::new();
    for expr in holds {
        let mut vars: BTreeSet<VarId> = pool.support(*expr).iter().copied().collect();
        let mut members = vec![*expr];
        groups.retain_mut(|(known, list)| {
            if known.is_disjoint(&vars) {
                return true;
            }
            vars.append(known);
            members.append(list);
            false
        });
        groups.push((vars, members));
    }
    let group =
        |(vars, holds): (BTreeSet<VarId>, Vec<ExprId>)| Group { holds, vars: vars.into_iter().collect() };
    groups.into_iter().map(group).collect()
}

/// The values that each byte of some conditions can have as far as conditions on it alone say, NULs left out where there can be none.
pub fn domains(pool: &Pool, names: &Names, holds: &[ExprId]) -> BTreeMap<VarId, ByteSet> {
    let constraints: Vec<Constraint> = holds.iter().map(|e| Constraint::is(*e)).collect();
    let query = Query::new(pool, &constraints, &|_| None);
    let found = Truths::default().domains(&query);
    let set = |var: VarId| {
        let mut set = found.get(var);
        if !names.source(pool.var(var).input).is_none_or(shape::may_be_nul) {
            let mut nul = ByteSet::EMPTY;
            nul.insert(0);
            set = set.intersect(nul.complement());
        }
        set
    };
    query.support().into_iter().map(|var| (var, set(var))).collect()
}

/// On how many inputs of a shape do all of these hold? On one at least.
pub fn count(pool: &Pool, names: &Names, holds: &[ExprId], bytes: &[(Source, u32)]) -> Count {
    let mut result = Count { low: 1.0, high: 1.0, inputs: Some(1) };
    let mut counted: BTreeSet<Var> = BTreeSet::new();
    for group in groups(pool, holds) {
        let domains = domains(pool, names, &group.holds);
        let all: f64 = domains.keys().map(|var| values(pool, names, *var) as f64).product();
        let (low, high) = models(pool, &group, &domains);
        result.low *= low as f64 / all;
        result.high *= high as f64 / all;
        let exact = (low == high).then_some(low);
        result.inputs = result.inputs.zip(exact).and_then(|(a, b)| a.checked_mul(b));
        counted.extend(group.vars.iter().map(|var| pool.var(*var)));
    }
    for (source, offset) in bytes {
        let is_counted = counted
            .iter()
            .any(|var| var.offset == *offset && names.source(var.input).is_some_and(|known| known == source));
        if !is_counted {
            let values = shape::values_of(source);
            result.inputs = result.inputs.and_then(|n| n.checked_mul(values.into()));
        }
    }
    result
}

fn values(pool: &Pool, names: &Names, var: VarId) -> u64 {
    names.source(pool.var(var).input).map_or(256, shape::values_of)
}

/// The number of models of a group, as an interval.
fn models(pool: &Pool, group: &Group, domains: &BTreeMap<VarId, ByteSet>) -> (u128, u128) {
    let mut product: u128 = 1;
    for set in domains.values() {
        product = product.saturating_mul(set.len().into());
    }
    if group.vars.len() <= 1 {
        return (product, product);
    }
    let mut program = Program::new(pool, &group.holds);
    if product.saturating_mul(program.len() as u128) > MOST_STEPS {
        return (1, product);
    }
    let vars: Vec<VarId> = domains.keys().copied().collect();
    let lists: Vec<Vec<u8>> = domains.values().map(|set| set.iter().collect()).collect();
    let mut places = vec![0usize; vars.len()];
    let mut found = 0u128;
    while lists.iter().all(|list| !list.is_empty()) {
        program.run(&|var| vars.binary_search(&var).map_or(0, |i| lists[i][places[i]]));
        found += u128::from((0..group.holds.len()).all(|root| program.value(root) & 1 == 1));
        let Some(next) = (0..places.len()).find(|i| places[*i] + 1 < lists[*i].len()) else { break };
        places[..next].fill(0);
        places[next] += 1;
    }
    (found, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_trace::format::Op;

    #[test]
    fn counts_are_those_of_trying_every_input() {
        let (mut pool, mut names) = (Pool::new(), Names::default());
        let (stdin, argument) = (names.number(&Source::Stdin), names.number(&Source::Argument(1)));
        let [a, b] = [0, 1].map(|offset| pool.byte(Var { input: stdin, offset }));
        let c = pool.byte(Var { input: argument, offset: 0 });
        let less = pool.binary(Op::Ult, a, b);
        let small = pool.constant(8, 10);
        let few = pool.binary(Op::Ult, c, small);
        let shape =
            [(Source::Stdin, 0), (Source::Stdin, 1), (Source::Argument(1), 0), (Source::Argument(1), 1)];
        // Pairs in order; values 1 to 9; anything but NUL.
        let expected = (256 * 255 / 2) * 9 * 255;
        let counted = count(&pool, &names, &[less, few], &shape);
        assert_eq!(counted.inputs, Some(expected));
        let share = expected as f64 / total(&shape).unwrap() as f64;
        assert!(counted.is_exact() && (counted.low - share).abs() < 1e-12);
    }

    #[test]
    fn what_is_too_much_to_try_is_an_interval() {
        let (mut pool, mut names) = (Pool::new(), Names::default());
        let stdin = names.number(&Source::Stdin);
        let mut sum = pool.constant(8, 0);
        for offset in 0..8 {
            let byte = pool.byte(Var { input: stdin, offset });
            sum = pool.binary(Op::Add, sum, byte);
        }
        let zero = pool.eq_const(sum, 0);
        let shape: Vec<(Source, u32)> = (0..8).map(|offset| (Source::Stdin, offset)).collect();
        let counted = count(&pool, &names, &[zero], &shape);
        assert!(!counted.is_exact() && counted.low <= 1.0 / 256.0 && counted.high >= 1.0 / 256.0);
        assert_eq!(counted.inputs, None);
    }
}
