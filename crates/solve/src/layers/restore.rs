//! Brings the bytes of a model back to the seed's values where the constraints allow it.
//!
//! In: a query. Out: the answer from below; each byte of a model that differs from the seed was tried once with
//! the seed's value, others as they were at that moment (unless the limit on steps ended the attempts).

use crate::query::{Answer, Budget, Model, Query};
use crate::stack::{Below, Layer};

/// See the module.
pub struct Restore {
    steps: usize,
}

impl Restore {
    /// `steps`: evaluations of single nodes that one model may cost.
    pub fn new(steps: usize) -> Restore {
        Restore { steps }
    }

    fn restore(&self, query: &Query, mut model: Model) -> Model {
        let changed: Vec<_> = model
            .iter()
            .map(|(var, value)| (var, value, query.seed_byte(var)))
            .filter(|c| c.1 != c.2)
            .collect();
        if changed.len() < 2 {
            // Back to the seed altogether is what was asked not to be, or has been tried.
            return model;
        }
        let mut checker = query.checker();
        let attempts = self.steps / checker.cost().max(1);
        for (var, value, seed) in changed.into_iter().take(attempts) {
            model.set(var, seed);
            if !checker.holds(&|v| model.get(v).unwrap_or_else(|| query.seed_byte(v))) {
                model.set(var, value);
            }
        }
        model
    }
}

impl Layer for Restore {
    fn name(&self) -> &'static str {
        "restore"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        match below.check(query, budget) {
            Answer::Sat(model) => Answer::Sat(self.restore(query, model)),
            answer => answer,
        }
    }
}
