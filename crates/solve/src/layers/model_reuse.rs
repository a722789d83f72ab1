//! Tries the seed, then recent models, by evaluation.
//!
//! In: a query. Out: a model that answered an earlier query, if it answers this one, too; else the answer
//! from below, whose model is remembered.

use crate::expr::VarId;
use crate::query::{Answer, Budget, Model, Query};
use crate::stack::{Below, Layer};
use std::collections::VecDeque;

/// See the module.
pub struct ModelReuse {
    recent: VecDeque<Model>,
    keep: usize,
    steps: usize,
}

impl ModelReuse {
    /// `keep`: models remembered. `steps`: evaluations of single nodes that one query may cost.
    pub fn new(keep: usize, steps: usize) -> ModelReuse {
        ModelReuse { recent: VecDeque::new(), keep, steps }
    }
}

impl Layer for ModelReuse {
    fn name(&self) -> &'static str {
        "model reuse"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        let mut checker = query.checker();
        let vars: Vec<VarId> = checker.vars().to_vec();
        let seed: Model = vars.iter().map(|var| (*var, query.seed_byte(*var))).collect();
        let touches =
            |model: &&Model| vars.iter().any(|v| model.get(*v).is_some_and(|b| seed.get(*v) != Some(b)));
        let others = self.recent.iter().filter(touches).map(|model| {
            let byte = |var: VarId| model.get(var).unwrap_or_else(|| query.seed_byte(var));
            vars.iter().map(|var| (*var, byte(*var))).collect()
        });
        let attempts = self.steps / checker.cost().max(1);
        let mut candidates = std::iter::once(seed.clone()).chain(others.take(attempts));
        // Every candidate has a value for every variable of the constraints.
        if let Some(model) = candidates.find(|m: &Model| checker.holds(&|var| m.get(var).unwrap_or(0))) {
            return Answer::Sat(model);
        }
        drop(candidates);
        let answer = below.check(query, budget);
        if let Answer::Sat(model) = &answer {
            self.recent.push_front(model.clone());
            self.recent.truncate(self.keep);
        }
        answer
    }

    fn forget(&mut self) {
        self.recent.clear();
    }
}
