//! Tries inputs that differ from the seed in one byte, or in two, by evaluation.
//!
//! In: a query. Out: a model, if such an input is one and the limit on steps lets it be found; else the answer from
//! below. A path's own input satisfies everything but the condition that is to be turned, so a change of the bytes of that
//! condition is often enough, and evaluation costs nothing for what solvers find hardest: tables read through tables.

use crate::bytes::Domains;
use crate::expr::VarId;
use crate::query::{Answer, Budget, Checker, Constraint, Model, Query};
use crate::stack::{Below, Layer};

/// See the module.
pub struct Near {
    steps: usize,
}

/// What is left to be spent, and how a candidate is looked at.
struct Attempt<'q> {
    query: &'q Query<'q>,
    /// The constraints that the seed does not satisfy, and all of them.
    failed: Checker,
    all: Checker,
    steps: usize,
}

impl Near {
    /// `steps`: evaluations of single nodes that one query may cost.
    pub fn new(steps: usize) -> Near {
        Near { steps }
    }

    fn find(&self, query: &Query) -> Option<Model> {
        let mut all = query.checker();
        all.holds(&|var| query.seed_byte(var));
        let failed: Vec<Constraint> =
            (0..query.constraints.len()).filter(|n| !all.held(*n)).map(|n| query.constraints[n]).collect();
        let mut attempt = Attempt { query, failed: query.of(&failed).checker(), all, steps: self.steps };
        let nothing = Domains::default();
        let domains = query.domains.unwrap_or(&nothing);
        let choices: Vec<(VarId, Vec<u8>)> =
            attempt.failed.vars().iter().map(|var| (*var, other_values(query, domains, *var))).collect();
        for (var, values) in &choices {
            for value in values {
                if let Some(model) = attempt.holds(&[(*var, *value)])? {
                    return Some(model);
                }
            }
        }
        for (i, (first, values)) in choices.iter().enumerate() {
            for (second, others) in &choices[i + 1..] {
                for (value, other) in values.iter().flat_map(|v| others.iter().map(move |o| (v, o))) {
                    if let Some(model) = attempt.holds(&[(*first, *value), (*second, *other)])? {
                        return Some(model);
                    }
                }
            }
        }
        None
    }
}

impl Attempt<'_> {
    /// The model that these changes of the seed are, if they are one. `None` if the limit is reached.
    fn holds(&mut self, changes: &[(VarId, u8)]) -> Option<Option<Model>> {
        let query = self.query;
        let byte = |var: VarId| {
            let change = changes.iter().find(|(changed, _)| *changed == var);
            change.map_or_else(|| query.seed_byte(var), |(_, value)| *value)
        };
        self.steps = self.steps.checked_sub(self.failed.cost())?;
        if !self.failed.holds(&byte) {
            return Some(None);
        }
        self.steps = self.steps.checked_sub(self.all.cost())?;
        if !self.all.holds(&byte) {
            return Some(None);
        }
        Some(Some(self.all.vars().iter().map(|var| (*var, byte(*var))).collect()))
    }
}

/// What a byte can be but is not, the values nearest to the seed's first.
fn other_values(query: &Query, domains: &Domains, var: VarId) -> Vec<u8> {
    let seed = query.seed_byte(var);
    let mut values: Vec<u8> = domains.get(var).iter().filter(|value| *value != seed).collect();
    values.sort_by_key(|value| value.abs_diff(seed));
    values
}

impl Layer for Near {
    fn name(&self) -> &'static str {
        "near"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        match self.find(query) {
            Some(model) => Answer::Sat(model),
            None => below.check(query, budget),
        }
    }
}
