//! Where changes can meet (seed 004, sections 2.3 and 4.4.1).
//!
//! In: the forward slice of each change (of each changed statement, for interaction locations). Out: where any of them intersect, and which
//! instructions are potential interaction locations.
//!
//! Always holds: changes whose slices do not intersect cannot interfere, and can be tested in isolation.

use parallax_model::InstId;
use std::collections::{BTreeMap, BTreeSet};

/// Forward slices, by number of the change.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    pub slices: Vec<BTreeSet<InstId>>,
}

impl Effects {
    /// `slice`: the forward slice of some instructions, these included.
    pub fn new<'i>(
        changed: impl Iterator<Item = &'i [InstId]>,
        mut slice: impl FnMut(&[InstId]) -> BTreeSet<InstId>,
    ) -> Effects {
        Effects { slices: changed.map(|insts| slice(insts)).collect() }
    }

    /// What all of these changes can have an effect on.
    pub fn meeting(&self, changes: &[usize]) -> BTreeSet<InstId> {
        let mut sets = changes.iter().map(|n| &self.slices[*n]);
        let Some(first) = sets.next() else { return BTreeSet::new() };
        sets.fold(first.clone(), |common, set| common.intersection(set).copied().collect())
    }

    /// Pairs of changes that can interfere, with where.
    pub fn pairs(&self) -> Vec<([usize; 2], BTreeSet<InstId>)> {
        let mut found = Vec::new();
        for b in 0..self.slices.len() {
            for a in 0..b {
                let common = self.meeting(&[a, b]);
                if !common.is_empty() {
                    found.push(([a, b], common));
                }
            }
        }
        found.sort_by_key(|(pair, _)| *pair);
        found
    }

    /// Instructions that depend on more than one change, where that comes about: none of what they depend on directly depends on the same
    /// changes, or only in a circle, and then one of the circle stands for it. (What only hands such a value on is no location of
    /// its own.) With the changes. Code of which `is_changed` holds is no location, and hands nothing on: it is a change itself, so what depends on it
    /// depends on one change more.
    pub fn locations(
        &self,
        mut depends_on: impl FnMut(InstId) -> Vec<InstId>,
        is_changed: impl Fn(InstId) -> bool,
    ) -> BTreeMap<InstId, BTreeSet<usize>> {
        let mut by: BTreeMap<InstId, BTreeSet<usize>> = BTreeMap::new();
        for (n, slice) in self.slices.iter().enumerate() {
            for inst in slice.iter().filter(|inst| !is_changed(**inst)) {
                by.entry(*inst).or_default().insert(n);
            }
        }
        by.retain(|_, changes| changes.len() > 1);
        let mut handed_on: BTreeMap<InstId, Vec<InstId>> = BTreeMap::new();
        let mut first: Vec<InstId> = Vec::new();
        for (inst, changes) in &by {
            let same: Vec<InstId> =
                depends_on(*inst).into_iter().filter(|d| d != inst && by.get(d) == Some(changes)).collect();
            if same.is_empty() {
                first.push(*inst);
            }
            same.into_iter().for_each(|d| handed_on.entry(d).or_default().push(*inst));
        }
        let mut known: BTreeSet<InstId> = BTreeSet::new();
        let mut found = BTreeSet::new();
        for inst in first.into_iter().chain(by.keys().copied()) {
            if known.contains(&inst) {
                continue;
            }
            found.insert(inst);
            let mut pending = vec![inst];
            while let Some(next) = pending.pop() {
                if known.insert(next) {
                    pending.extend(handed_on.get(&next).into_iter().flatten());
                }
            }
        }
        by.retain(|inst, _| found.contains(inst));
        by
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(insts: &[u32]) -> BTreeSet<InstId> {
        insts.iter().map(|n| InstId(*n)).collect()
    }

    #[test]
    fn slices_that_do_not_intersect_do_not_interfere() {
        let effects = Effects { slices: vec![set(&[1, 2]), set(&[3]), set(&[2, 3])] };
        let pairs: Vec<_> = effects.pairs().into_iter().map(|(pair, _)| pair).collect();
        assert_eq!(pairs, [[0, 2], [1, 2]]);
        assert_eq!(effects.meeting(&[0, 1, 2]), set(&[]));
    }

    #[test]
    fn a_location_is_where_effects_meet_first() {
        // 5 depends on 1 and 2; 6 only on 5.
        let effects = Effects { slices: vec![set(&[1, 5, 6]), set(&[2, 5, 6])] };
        let depends = |inst: InstId| match inst.0 {
            5 => vec![InstId(1), InstId(2)],
            6 => vec![InstId(5)],
            _ => Vec::new(),
        };
        assert_eq!(
            effects.locations(depends, |_| false),
            BTreeMap::from([(InstId(5), BTreeSet::from([0, 1]))])
        );
    }

    #[test]
    fn a_circle_of_dependences_has_one_location() {
        // 5 and 6 depend on each other, and both on the changes 1 and 2.
        let effects = Effects { slices: vec![set(&[1, 5, 6]), set(&[2, 5, 6])] };
        let depends = |inst: InstId| match inst.0 {
            5 => vec![InstId(1), InstId(6)],
            6 => vec![InstId(2), InstId(5)],
            _ => Vec::new(),
        };
        assert_eq!(
            effects.locations(depends, |_| false),
            BTreeMap::from([(InstId(5), BTreeSet::from([0, 1]))])
        );
    }
}
