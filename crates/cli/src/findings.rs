//! Differences that have been seen, with the runs that show them.
//!
//! In: every difference that a laboratory confirmed. Out: the case of each that the search announces; how often each look of it was seen;
//! whether something shows on every input.
//!
//! Always holds: for every difference that the search is told of, the runs that show it are kept until it is taken in.

use parallax_execute::TestCase;
use parallax_oracle::{Case, Expected, Root};
use parallax_report::diff_view::VariantView;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Different looks of one group that are counted.
const MOST_VARIANTS: usize = 64;
/// From so many inputs on "every input" says something.
const EVERY: u64 = 8;

#[derive(Default)]
pub struct Findings {
    /// Groups that have been taken in.
    pub known: BTreeSet<String>,
    /// The others, by group and test case: which one the search will announce is its own affair.
    waiting: BTreeMap<String, HashMap<TestCase, Case>>,
    /// By group and signature: the signature for people, and on how many inputs it was seen.
    variants: BTreeMap<String, BTreeMap<String, (String, u64)>>,
    /// Inputs on which the versions differ: all, by group, and by what of the difference is expected.
    different: u64,
    by_group: BTreeMap<String, u64>,
    by_expected: BTreeMap<Expected, u64>,
    /// Inputs on which they do the same.
    alike: u64,
}

impl Findings {
    pub fn add(&mut self, case: Case) {
        let group = case.group();
        self.count(&group, &case);
        if !self.known.contains(&group) {
            self.waiting.entry(group).or_default().insert(case.test.clone(), case);
        }
    }

    /// An input on which the versions differ.
    pub fn count(&mut self, group: &str, case: &Case) {
        self.different += 1;
        *self.by_group.entry(group.to_owned()).or_default() += 1;
        for expected in &case.expected {
            *self.by_expected.entry(expected.clone()).or_default() += 1;
        }
        let variants = self.variants.entry(group.to_owned()).or_default();
        if variants.len() < MOST_VARIANTS || variants.contains_key(&case.signature) {
            variants.entry(case.signature.clone()).or_insert_with(|| (case.told.clone(), 0)).1 += 1;
        }
    }

    /// An input on which the versions do the same.
    pub fn note_alike(&mut self) {
        self.alike += 1;
    }

    /// Of each group that was confirmed and not announced before the time was up, the smallest case.
    pub fn unannounced(&mut self) -> Vec<Case> {
        let waiting = std::mem::take(&mut self.waiting);
        let smallest = |cases: HashMap<TestCase, Case>| {
            cases.into_values().min_by(|a, b| {
                let size = |case: &Case| case.test.argv.concat().len() + case.test.stdin.len();
                size(a).cmp(&size(b)).then_with(|| a.test.argv.cmp(&b.test.argv))
            })
        };
        self.known.extend(waiting.keys().cloned());
        waiting.into_values().filter_map(smallest).collect()
    }

    /// The case that belongs to an announced difference. From now on its kind is known.
    pub fn take(&mut self, group: &str, test: &TestCase) -> Option<Case> {
        self.known.insert(group.to_owned());
        self.waiting.remove(group)?.remove(test)
    }

    /// How the differences of some groups look, the most frequent first.
    pub fn variants<'g>(&self, groups: impl Iterator<Item = &'g String>) -> Vec<VariantView> {
        let mut all: BTreeMap<&str, u64> = BTreeMap::new();
        for (told, count) in groups.filter_map(|group| self.variants.get(group)).flat_map(BTreeMap::values) {
            *all.entry(told).or_default() += count;
        }
        let mut list: Vec<VariantView> =
            all.into_iter().map(|(told, count)| VariantView { signature: told.to_owned(), count }).collect();
        list.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.signature.cmp(&b.signature)));
        list
    }

    /// Does an entry show on every input that was tried?
    pub fn is_everywhere<'g>(&self, roots: &[Root], groups: impl Iterator<Item = &'g String>) -> bool {
        let expected = |root: &Root| match root {
            Root::Lines => self.by_expected.get(&Expected::Line).copied(),
            Root::Wording { text, .. } => self.by_expected.get(text).copied(),
            Root::Change(_) => None,
        };
        let by_group: u64 = groups.filter_map(|group| self.by_group.get(group)).sum();
        let seen = roots.iter().filter_map(expected).chain([by_group]).max();
        self.alike == 0 && self.different >= EVERY && seen == Some(self.different)
    }
}
