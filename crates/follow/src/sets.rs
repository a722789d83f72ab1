//! Sets of changes, each kept once.
//!
//! In: single changes and unions. Out: small numbers that stand for sets.
//!
//! Always holds: 0 is the empty set; a set has at most [`LARGEST`] members (what comes from more changes than that comes from the first of them and `more`).

use rustc_hash::FxHashMap;

/// Members of a set.
const LARGEST: usize = 32;

pub type SetId = u32;

#[derive(Default)]
pub struct Sets {
    sets: Vec<Vec<u32>>,
    known: FxHashMap<Vec<u32>, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    /// Members that found no room.
    pub left_out: u64,
}

impl Sets {
    pub fn of(&self, set: SetId) -> &[u32] {
        match set {
            0 => &[],
            n => &self.sets[n as usize - 1],
        }
    }

    pub fn make(&mut self, mut members: Vec<u32>) -> SetId {
        members.sort_unstable();
        members.dedup();
        self.left_out += members.len().saturating_sub(LARGEST) as u64;
        members.truncate(LARGEST);
        if members.is_empty() {
            return 0;
        }
        let next = self.sets.len() as u32 + 1;
        let set = *self.known.entry(members.clone()).or_insert(next);
        if set == next {
            self.sets.push(members);
        }
        set
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let members = self.of(a).iter().chain(self.of(b)).copied().collect();
        let set = self.make(members);
        self.unions.insert(key, set);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_members_are_the_same_set_however_they_came_together() {
        let mut sets = Sets::default();
        let (a, b, c) = (sets.make(vec![1]), sets.make(vec![2]), sets.make(vec![3]));
        let ab = sets.union(a, b);
        let one = sets.union(ab, c);
        let bc = sets.union(c, b);
        assert_eq!(sets.union(a, bc), one);
        assert_eq!(sets.of(one), [1, 2, 3]);
        assert_eq!((sets.union(0, a), sets.union(a, 0), sets.of(0).len()), (a, a, 0));
    }

    #[test]
    fn a_set_that_grows_too_large_says_so() {
        let mut sets = Sets::default();
        let many = sets.make((0..100).collect());
        assert_eq!((sets.of(many).len(), sets.left_out), (LARGEST, 100 - LARGEST as u64));
    }
}
