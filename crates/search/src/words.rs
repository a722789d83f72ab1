//! Words of the program's language: texts that input was compared with, which of them belong together, and where they stood.
//!
//! A dispatcher compares a word with the names of its commands until one fits: all it was compared with at one place could stand there.
//! At another place (the next line) fewer comparisons may have been made before one fitted, but one common word says that it is
//! the same dispatcher: *families* of words are those that were compared at one place, joined where they have a word in common.
//!
//! In: the comparisons of runs. Out: for a run, the places where something was compared, and every word that could stand there.
//!
//! Always holds: a word is in one family only.

use parallax_trace::request::Source;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An input, and the first byte of it that was compared.
pub type Place = (Source, u32);
/// What was compared where on one run.
pub type Compared = BTreeMap<Place, BTreeSet<Vec<u8>>>;

/// Words of a family that are remembered.
const MAX_FAMILY: usize = 64;

#[derive(Default, Debug, Clone)]
pub struct Families {
    /// By number; those that were joined to another are empty.
    families: Vec<BTreeSet<Vec<u8>>>,
    of: HashMap<Vec<u8>, usize>,
}

impl Families {
    /// The words were compared at one place.
    pub fn join(&mut self, words: &BTreeSet<Vec<u8>>) {
        let known: BTreeSet<usize> = words.iter().filter_map(|word| self.of.get(word).copied()).collect();
        let mut all = words.clone();
        for family in &known {
            all.append(&mut self.families[*family]);
        }
        while all.len() > MAX_FAMILY {
            all.pop_last();
        }
        let number = known.first().copied().unwrap_or_else(|| {
            self.families.push(BTreeSet::new());
            self.families.len() - 1
        });
        self.of.retain(|_, family| !known.contains(family));
        self.of.extend(all.iter().map(|word| (word.clone(), number)));
        self.families[number] = all;
    }

    /// What could stand where these were compared.
    pub fn family(&self, words: &BTreeSet<Vec<u8>>) -> impl Iterator<Item = &Vec<u8>> {
        let number = words.iter().find_map(|word| self.of.get(word));
        number.into_iter().flat_map(|number| &self.families[*number])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> BTreeSet<Vec<u8>> {
        list.iter().map(|word| word.as_bytes().to_vec()).collect()
    }

    #[test]
    fn words_that_were_compared_at_one_place_or_share_one_that_was_belong_together() {
        let mut families = Families::default();
        families.join(&words(&["new", "add"]));
        families.join(&words(&["red", "green"]));
        families.join(&words(&["add", "take", "list"]));
        let family = |list: &[&str]| families.family(&words(list)).cloned().collect::<BTreeSet<_>>();
        assert_eq!(family(&["new"]), words(&["new", "add", "take", "list"]));
        assert_eq!(family(&["take"]), family(&["new"]));
        assert_eq!(family(&["green"]), words(&["red", "green"]));
        assert_eq!(family(&["blue"]), words(&[]));
    }
}
