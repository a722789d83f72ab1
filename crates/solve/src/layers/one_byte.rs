//! Constraints over a single byte, by trying all 256 values; a few bytes with few values left, by trying all
//! combinations.
//!
//! In: a query. Out: a model or unsat where that decides; else the answer from below, which is told what is
//! left of each byte.

use crate::bytes::{ByteSet, Domains, Truths};
use crate::expr::VarId;
use crate::pool::Bytes;
use crate::query::{Answer, Budget, Model, Query};
use crate::stack::{Below, Layer};
use std::collections::BTreeSet;

/// See the module.
pub struct OneByte {
    truths: Truths,
    steps: u64,
}

impl OneByte {
    /// `steps`: evaluations of single nodes that trying all combinations may cost.
    pub fn new(steps: u64) -> OneByte {
        OneByte { truths: Truths::default(), steps }
    }

    /// All combinations of what is left of the bytes, the seed's values first; `None` if there are too many.
    fn enumerate(&self, query: &Query, domains: &Domains) -> Option<Answer> {
        let vars = query.support();
        let count = vars.iter().try_fold(1u64, |n, var| n.checked_mul(domains.get(*var).len().into()))?;
        let mut checker = query.checker();
        if count.saturating_mul(checker.cost() as u64) > self.steps {
            return None;
        }
        let values: Vec<Vec<u8>> = vars.iter().map(|var| nearest_first(query, domains, *var)).collect();
        // Which value each byte has; ascending variables, so that a search finds its place.
        let mut chosen = vec![0usize; vars.len()];
        let mut core = BTreeSet::new();
        for number in 0..count {
            let mut rest = number;
            for (at, choices) in chosen.iter_mut().zip(&values) {
                *at = (rest % choices.len() as u64) as usize;
                rest /= choices.len() as u64;
            }
            let byte = |var: VarId| vars.binary_search(&var).map_or(0, |at| values[at][chosen[at]]);
            if checker.holds(&byte) {
                return Some(Answer::Sat(vars.iter().map(|var| (*var, byte(*var))).collect()));
            }
            // Something has to rule this combination out; what rules out others already is best, and the
            // last constraint, the one that is new to a path, second best.
            if core.iter().all(|number| checker.held(*number)) {
                core.extend((0..query.constraints.len()).rev().find(|number| !checker.held(*number)));
            }
        }
        vars.iter().for_each(|var| core.extend(domains.reasons(*var)));
        Some(Answer::Unsat(core.into_iter().collect()))
    }
}

/// What is left of a byte, the values nearest to the seed's first.
fn nearest_first(query: &Query, domains: &Domains, var: VarId) -> Vec<u8> {
    let seed = query.seed_byte(var);
    let mut values: Vec<u8> = domains.get(var).iter().collect();
    values.sort_by_key(|value| value.abs_diff(seed));
    values
}

impl Layer for OneByte {
    fn name(&self) -> &'static str {
        "one byte"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        let domains = self.truths.domains(query);
        if let Some((var, _)) = domains.iter().find(|(_, set)| set.is_empty()) {
            return Answer::Unsat(domains.reasons(var).to_vec());
        }
        let single = |bytes| matches!(bytes, Bytes::One(_));
        if query.constraints.iter().all(|c| single(query.pool.bytes(c.expr))) {
            let nearest = |(var, set): (VarId, ByteSet)| {
                let seed = query.seed_byte(var);
                (var, set.nearest(seed).unwrap_or(seed))
            };
            return Answer::Sat(domains.iter().map(nearest).collect::<Model>());
        }
        if let Some(answer) = self.enumerate(query, &domains) {
            return answer;
        }
        below.check(&Query { domains: Some(&domains), ..*query }, budget)
    }

    fn forget(&mut self) {
        self.truths.forget();
    }
}
