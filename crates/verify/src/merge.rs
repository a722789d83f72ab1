//! `--partitions slices`: partitions that are the same for what is asked become one.
//!
//! In: the partitions of the pairs of paths of a shape. Out: fewer and larger ones.
//!
//! Böhme 2014 (chapter 3, algorithms 2 and 3) describes a partition by the branches of the relevant slices of the output, so that branches which do not
//! matter to it do not divide the inputs. Here the pairs of paths are explored one by one, and merged afterwards: of those that are equal,
//! all that execute the same changes (the paper's `EQ`, whatever is printed); of those that differ, all that execute the same changes and meet the same
//! conditions of the programs themselves (what a libc function asks about a number in order to print it divides nothing). Departs from the paper in the way there: the slices themselves are not computed, so that merging makes partitions that can be read and
//! certified at once, and does not save the exploration of the paths.
//!
//! Always holds: a merged partition has the inputs of its members and no others, and each member was shown to be what the whole is called.

use crate::certificate;
use crate::explore::{Explorer, Placed};
use crate::partition::{Partition, Status};
use crate::trail::Trail;
use crate::verify::{News, Partitioning};
use parallax_execute::TestCase;
use parallax_search::{Pair, Side};
use parallax_solve::ExprId;
use parallax_trace::format::Op;
use std::collections::BTreeMap;

/// What members of one partition have in common.
type Key = (Status, Vec<String>, Vec<ExprId>);

impl Explorer<'_, '_> {
    /// The conditions that both programs themselves met.
    pub(crate) fn own_conditions(&self, trails: &Pair<&Trail>) -> Vec<ExprId> {
        let own = |side: Side, trail: &Trail| -> Vec<ExprId> {
            let map = self.tools.maps[side];
            let is_own = |site: u32| {
                let block = map.sites.get(site as usize).and_then(|site| map.blocks.get(site.block as usize));
                let function = block.and_then(|block| map.functions.get(block.function as usize));
                !function.is_some_and(|function| function.model)
            };
            trail.steps.iter().filter(|step| is_own(step.site)).map(|step| step.holds).collect()
        };
        let mut all = own(Side::Old, trails.old);
        all.extend(own(Side::New, trails.new));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Tells the merged partitions; nothing if partitions are paths.
    pub fn merge(&mut self, base: &TestCase) {
        if self.tools.settings.partitioning == Partitioning::Paths {
            return;
        }
        let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for (number, placed) in self.placed.iter().enumerate() {
            groups.entry(key(placed)).or_default().push(number);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort();
        let mut merged = Vec::new();
        for group in groups {
            merged.push(self.merged(&group, base));
        }
        for placed in &merged {
            (self.tools.tell)(News::Partition(Box::new(placed.partition.clone())));
        }
        self.placed = merged;
    }

    fn merged(&mut self, group: &[usize], base: &TestCase) -> Placed {
        let (mut any, mut wrong) = (self.pool.truth(false), self.pool.truth(false));
        for number in group {
            let mut member = self.pool.truth(true);
            for expr in &self.placed[*number].holds {
                member = self.pool.binary(Op::And, member, *expr);
            }
            any = self.pool.binary(Op::Or, any, member);
            let differs = self.pool.binary(Op::And, member, self.placed[*number].differs);
            wrong = self.pool.binary(Op::Or, wrong, differs);
        }
        let members = || group.iter().map(|number| &self.placed[*number]);
        let first = &self.placed[group[0]];
        let mut kept = first.partition.kept.clone();
        for other in members().skip(1) {
            kept.count = kept.count.plus(&other.partition.kept.count);
            kept.ran += other.partition.kept.ran;
            kept.weak.extend(other.partition.kept.weak.iter().cloned());
        }
        let script = |holds: &[ExprId], satisfiable, what: &str| {
            certificate::script(&self.pool, &self.names, base, holds, satisfiable, what)
        };
        let holds = [&self.domain[..], &[any]].concat();
        let formula = script(
            &holds,
            true,
            &format!("a partition of the inputs; on it the versions are {:?}", kept.status),
        );
        let is_equal = kept.status == Status::Equal && self.pool.as_const(wrong) != Some(0);
        let certificate = is_equal.then(|| {
            let holds = [&self.domain[..], &[wrong]].concat();
            script(&holds, false, "no input of the partition makes the outputs differ")
        });
        let conditions = match group.len() {
            1 => first.partition.conditions,
            _ => first.own.len(),
        };
        let partition = Partition { kept, formula, certificate, conditions, ..first.partition.clone() };
        Placed { leaf: first.leaf, differs: wrong, own: first.own.clone(), holds, partition }
    }
}

fn key(placed: &Placed) -> Key {
    let Partition { kept, lines, .. } = &placed.partition;
    let own = if kept.status == Status::Equal { Vec::new() } else { placed.own.clone() };
    let lines = match kept.status {
        Status::Weak => kept.weak.iter().cloned().chain(lines.iter().cloned()).collect(),
        _ => lines.clone(),
    };
    // The part of a pair of paths on which outputs are the same, and the one on which they differ, have the same conditions and another status.
    (kept.status, lines, own)
}
