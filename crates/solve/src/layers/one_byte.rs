//! Constraints over a single byte, by trying all 256 values; a few bytes with few values left, by trying all
//! combinations.
//!
//! In: a query. Out: a model or unsat where that decides; else the answer from below, which is told what is
//! left of each byte.

use crate::bytes::{Domains, Truths};
use crate::expr::VarId;
use crate::pool::Bytes;
use crate::query::{Answer, Budget, Model, Query};
use crate::stack::{Below, Layer};

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
        let values: Vec<Vec<u8>> = vars
            .iter()
            .map(|var| {
                let seed = query.seed_byte(*var);
                let mut values: Vec<u8> = domains.get(*var).iter().collect();
                values.sort_by_key(|value| value.abs_diff(seed));
                values
            })
            .collect();
        // Which value each byte has; ascending variables, so that a search finds its place.
        let mut chosen = vec![0usize; vars.len()];
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
        }
        // Every constraint took part; the domains' own reasons are among them.
        Some(Answer::Unsat((0..query.constraints.len()).collect()))
    }
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
            let nearest = |(var, set): (VarId, crate::bytes::ByteSet)| {
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
