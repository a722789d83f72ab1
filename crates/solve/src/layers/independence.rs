//! Constraints that share no byte, directly or through others, are asked separately.
//!
//! In: a query. Out: the models of its groups together; unsat if one group is; unknown if one group is and
//! none is unsat.

use super::translate;
use crate::expr::VarId;
use crate::query::{Answer, Budget, Constraint, Model, Query};
use crate::stack::{Below, Layer};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// See the module.
pub struct Independence;

/// Union-find over the positions of constraints.
struct Groups(Vec<usize>);

impl Groups {
    fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    /// The smaller number stands for both, so that the order of groups is that of their first members.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The numbers of the constraints of each group, groups in the order of their first constraints.
pub(crate) fn groups(query: &Query) -> Vec<Vec<usize>> {
    let mut groups = Groups((0..query.constraints.len()).collect());
    let mut first: FxHashMap<VarId, usize> = FxHashMap::default();
    for (number, constraint) in query.constraints.iter().enumerate() {
        for var in query.pool.support(constraint.expr).iter() {
            let other = *first.entry(*var).or_insert(number);
            groups.join(other, number);
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for number in 0..query.constraints.len() {
        members.entry(groups.find(number)).or_default().push(number);
    }
    members.into_values().collect()
}

impl Layer for Independence {
    fn name(&self) -> &'static str {
        "independence"
    }

    fn check(&mut self, query: &Query, budget: &Budget, below: &mut Below) -> Answer {
        let mut model = Model::default();
        let mut unknown = None;
        for group in groups(query) {
            let constraints: Vec<Constraint> = group.iter().map(|i| query.constraints[*i]).collect();
            match translate(below.check(&query.of(&constraints), budget), &group) {
                Answer::Sat(part) => model.extend(part),
                Answer::Unknown(why) => unknown = unknown.or(Some(why)),
                unsat => return unsat,
            }
        }
        unknown.map_or(Answer::Sat(model), Answer::Unknown)
    }
}
