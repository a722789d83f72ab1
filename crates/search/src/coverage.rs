//! What runs have covered: edges with how often they were taken, and the ways that conditions went.
//!
//! In: the edges and conditions of runs. Out: what of them is new.

use crate::goal::{Branch, Site};
use crate::{Pair, Side};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// So many ways of a site in different calling contexts are news each.
const NEW_CONTEXTS: u32 = 12;

#[derive(Default)]
pub struct Coverage {
    edges: Pair<BTreeSet<(u32, u8)>>,
    /// The same, of runs of which nothing else is known.
    glimpsed: Pair<BTreeSet<(u32, u8)>>,
    ways: HashSet<Branch>,
    contexts: HashSet<(Branch, u32)>,
    /// How many of these belong to a site.
    contexts_of: HashMap<Site, u32>,
}

impl Coverage {
    pub fn has_way(&self, branch: Branch) -> bool {
        self.ways.contains(&branch)
    }

    pub fn has_context(&self, branch: Branch, context: u32) -> bool {
        self.contexts.contains(&(branch, context))
    }

    /// Was an edge taken by a run that was traced, however often?
    pub fn has_edge(&self, side: Side, edge: u32) -> bool {
        has_edge(&self.edges[side], edge)
    }

    /// The same, by any run.
    pub fn has_glimpsed(&self, side: Side, edge: u32) -> bool {
        self.has_edge(side, edge) || has_edge(&self.glimpsed[side], edge)
    }

    /// True if one of them was never taken so often, roughly.
    pub fn add_edges(&mut self, side: Side, taken: impl Iterator<Item = (u32, u8)>) -> bool {
        let before = self.edges[side].len();
        self.edges[side].extend(taken.map(roughly));
        self.edges[side].len() > before
    }

    /// The same for a run of which nothing else is known.
    pub fn glimpse_edges(&mut self, side: Side, taken: impl Iterator<Item = (u32, u8)>) -> bool {
        let mut new = false;
        for edge in taken.map(roughly) {
            new |= !self.edges[side].contains(&edge) && self.glimpsed[side].insert(edge);
        }
        new
    }

    /// A condition went a way. True if that is news.
    pub fn add_way(&mut self, branch: Branch, context: u32) -> bool {
        let mut new = self.ways.insert(branch);
        if self.contexts.insert((branch, context)) {
            // Recursion makes contexts without end, which are no news after a while.
            let contexts = self.contexts_of.entry(branch.site).or_default();
            *contexts += 1;
            new |= *contexts <= NEW_CONTEXTS;
        }
        new
    }

    /// How many edges of a version were taken.
    pub fn edges(&self, side: Side) -> u64 {
        self.edges[side].iter().map(|e| e.0).collect::<BTreeSet<_>>().len() as u64
    }

    /// By site: how many ways it was seen to go.
    pub fn ways(&self) -> BTreeMap<Site, u32> {
        let mut ways = BTreeMap::new();
        self.ways.iter().for_each(|branch| *ways.entry(branch.site).or_default() += 1);
        ways
    }
}

/// Is an edge in a set, however often it was taken?
fn has_edge(edges: &BTreeSet<(u32, u8)>, edge: u32) -> bool {
    edges.range((edge, 0)..(edge + 1, 0)).next().is_some()
}

/// An edge, and how often it was taken, roughly.
fn roughly((edge, count): (u32, u8)) -> (u32, u8) {
    (edge, bucket(count))
}

/// Counts of an edge as AFL sees them: 1, 2, 3, 4–7, 8–15, …
fn bucket(count: u8) -> u8 {
    match count {
        0..=3 => count,
        n => 8 - n.leading_zeros() as u8 + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_new_when_it_is_taken_first_and_when_it_is_taken_far_more_often() {
        let mut coverage = Coverage::default();
        let mut add = |count| coverage.add_edges(Side::Old, [(7, count)].into_iter());
        assert_eq!([1, 1, 2, 4, 5, 8].map(&mut add), [true, false, true, true, false, true]);
        assert!(coverage.has_edge(Side::Old, 7) && !coverage.has_edge(Side::New, 7));
    }

    #[test]
    fn contexts_are_news_until_there_are_many() {
        let mut coverage = Coverage::default();
        let branch = Branch { site: Site { side: Side::New, number: 3 }, way: 1 };
        let news = (0..20).filter(|context| coverage.add_way(branch, *context)).count();
        assert_eq!(news as u32, NEW_CONTEXTS);
    }
}
