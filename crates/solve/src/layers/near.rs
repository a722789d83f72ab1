//! Tries inputs that differ from the seed in one byte, or in two, by evaluation.
//!
//! In: a query. Out: a model, if such an input is one and the limit on steps lets it be found; else the answer from
//! below. A path's own input satisfies everything but the condition that is to be turned, so a change of the bytes of that
//! condition is often enough, and evaluation costs nothing for what solvers find hardest: tables read through tables.

use crate::bytes::Domains;
use crate::eval::Part;
use crate::expr::VarId;
use crate::query::{Answer, Budget, Checker, Constraint, Model, Query};
use crate::stack::{Below, Layer};

/// See the module.
pub struct Near {
    steps: usize,
}

/// A byte of the conditions that the seed does not satisfy.
struct Choice {
    var: VarId,
    seed: u8,
    /// What else it can be.
    values: Vec<u8>,
    /// What has to be evaluated anew when it changes.
    part: Part,
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
        let failed = query.of(&failed).checker();
        let nothing = Domains::default();
        let domains = query.domains.unwrap_or(&nothing);
        let choices: Vec<Choice> =
            failed.vars().iter().map(|var| Choice::of(*var, query, domains, &failed)).collect();
        let mut attempt = Attempt { query, failed, all, steps: self.steps };
        attempt.failed.holds(&|var| query.seed_byte(var));
        attempt.changed(&choices, &mut vec![]).or_else(|| attempt.changed_twice(&choices))
    }
}

impl Choice {
    fn of(var: VarId, query: &Query, domains: &Domains, failed: &Checker) -> Choice {
        let values = other_values(query, domains, var);
        Choice { var, seed: query.seed_byte(var), values, part: failed.part(var) }
    }
}

impl Attempt<'_> {
    /// A model that has one of these bytes changed, besides `changes`. None, too, if the limit is reached.
    fn changed(&mut self, choices: &[Choice], changes: &mut Vec<(VarId, u8)>) -> Option<Model> {
        for choice in choices {
            for value in &choice.values {
                self.change(choice, *value)?;
                changes.push((choice.var, *value));
                if self.failed.all_held() {
                    if let Some(model) = self.model(changes)? {
                        return Some(model);
                    }
                }
                changes.pop();
            }
            self.change(choice, choice.seed)?;
        }
        None
    }

    fn changed_twice(&mut self, choices: &[Choice]) -> Option<Model> {
        for (i, first) in choices.iter().enumerate() {
            for value in &first.values {
                self.change(first, *value)?;
                let found = self.changed(&choices[i + 1..], &mut vec![(first.var, *value)]);
                if found.is_some() {
                    return found;
                }
            }
            self.change(first, first.seed)?;
        }
        None
    }

    /// Puts a value in the place of a byte. `None` if the limit is reached.
    fn change(&mut self, choice: &Choice, value: u8) -> Option<()> {
        self.steps = self.steps.checked_sub(choice.part.len())?;
        self.failed.change(&choice.part, value);
        Some(())
    }

    /// The model that these changes of the seed are, if they are one. `None` if the limit is reached.
    fn model(&mut self, changes: &[(VarId, u8)]) -> Option<Option<Model>> {
        let query = self.query;
        let byte = |var: VarId| {
            let change = changes.iter().find(|(changed, _)| *changed == var);
            change.map_or_else(|| query.seed_byte(var), |(_, value)| *value)
        };
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
