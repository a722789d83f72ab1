//! Which part of a path a question about one constraint needs.
//!
//! In: the constraints of a path, one after the other, all of which hold on the seed. Out: those that share
//! bytes with a further constraint, directly or through others.
//!
//! Always holds: a model of the constraint and its part of the path, with the seed's values for all other bytes, is a
//! model of the constraint and the whole path. A path of n constraints costs one union for each byte of each
//! constraint, not n for each question.

use crate::expr::VarId;
use crate::pool::Pool;
use crate::query::Constraint;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A path that grows.
#[derive(Default)]
pub struct Path {
    constraints: Vec<Constraint>,
    /// The group of each byte; groups that were joined lead to the group they were joined to.
    group_of: FxHashMap<VarId, usize>,
    joined: Vec<usize>,
    /// Numbers of the constraints of each group that still stands for itself.
    members: Vec<Vec<usize>>,
}

impl Path {
    pub fn new() -> Path {
        Path::default()
    }

    /// All constraints so far.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    fn find(&mut self, mut group: usize) -> usize {
        while self.joined[group] != group {
            self.joined[group] = self.joined[self.joined[group]];
            group = self.joined[group];
        }
        group
    }

    /// The larger group takes in the smaller.
    fn join(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return a;
        }
        let (large, small) = if self.members[a].len() >= self.members[b].len() { (a, b) } else { (b, a) };
        let moved = std::mem::take(&mut self.members[small]);
        self.members[large].extend(moved);
        self.joined[small] = large;
        large
    }

    pub fn push(&mut self, pool: &Pool, constraint: Constraint) {
        let mut group = self.joined.len();
        self.joined.push(group);
        self.members.push(vec![self.constraints.len()]);
        self.constraints.push(constraint);
        for var in pool.support(constraint.expr).iter() {
            let other = *self.group_of.entry(*var).or_insert(group);
            group = self.join(group, other);
        }
    }

    /// The part of the path that shares bytes with a constraint, in the order of the path, then the constraint.
    pub fn question(&mut self, pool: &Pool, constraint: Constraint) -> Vec<Constraint> {
        let numbers = self.relevant(pool, constraint);
        numbers.into_iter().map(|i| self.constraints[i]).chain([constraint]).collect()
    }

    /// The numbers of the constraints of that part, ascending.
    pub fn relevant(&mut self, pool: &Pool, constraint: Constraint) -> Vec<usize> {
        let mut groups = BTreeSet::new();
        for var in pool.support(constraint.expr).iter() {
            if let Some(group) = self.group_of.get(var).copied() {
                groups.insert(self.find(group));
            }
        }
        let mut numbers: Vec<usize> = groups.into_iter().flat_map(|g| self.members[g].clone()).collect();
        numbers.sort_unstable();
        numbers
    }
}
