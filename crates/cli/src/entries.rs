//! The entries of a result: which differences are one, and which are still rough.
//!
//! In: what confirmed differences come from. Out: for each, the entry that it belongs to, or that it needs one of its own.
//!
//! Always holds: entry `n` is difference `n` of the view; no two entries that are done come from the same.

use parallax_oracle::Root;
use std::collections::BTreeSet;

/// So many differences of one kind are told apart by how they look where it is not known which change is behind them. Further ones
/// join the last of these: one change can show in any number of messages.
const MOST_UNCERTAIN: usize = 4;

/// An entry, whatever its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryId(usize);

#[derive(Debug)]
pub struct Entry {
    pub id: EntryId,
    pub roots: Vec<Root>,
    /// See [`parallax_oracle::Case::group`].
    pub groups: BTreeSet<String>,
    /// Tests of it that the keeper has not made small yet.
    pending: usize,
}

impl Entry {
    pub fn is_line_numbers(&self) -> bool {
        self.roots.contains(&Root::Lines)
    }

    fn joins(&self, root: &Root) -> bool {
        self.roots.iter().any(|known| known.joins(root))
    }
}

#[derive(Debug, Default)]
pub struct Entries {
    pub list: Vec<Entry>,
    made: usize,
}

impl Entries {
    /// The entry that a difference belongs to.
    pub fn of_root(&self, root: &Root) -> Option<usize> {
        let joined = self.list.iter().position(|entry| entry.joins(root));
        joined.or_else(|| {
            let uncertain = |entry: &Entry| entry.roots.iter().any(|known| known.is_as_uncertain(root));
            let mut alike = (0..self.list.len()).filter(|number| uncertain(&self.list[*number]));
            alike.nth(MOST_UNCERTAIN - 1)
        })
    }

    /// The entries that a group of inputs shows.
    pub fn of_group<'e>(&'e self, group: &'e str) -> impl Iterator<Item = usize> + 'e {
        (0..self.list.len()).filter(move |number| self.list[*number].groups.contains(group))
    }

    fn place(&self, id: EntryId) -> Option<usize> {
        self.list.iter().position(|entry| entry.id == id)
    }

    pub fn add(&mut self, root: Root, group: String) -> EntryId {
        let id = EntryId(self.made);
        self.made += 1;
        self.list.push(Entry { id, roots: vec![root], groups: [group].into(), pending: 1 });
        id
    }

    /// The keeper is done with a test of an entry. Gives its place, if it is still there and this was the last of its tests.
    pub fn close(&mut self, id: EntryId) -> Option<usize> {
        let number = self.place(id)?;
        let pending = &mut self.list[number].pending;
        *pending = pending.saturating_sub(1);
        (*pending == 0).then_some(number)
    }

    /// An entry has another test, which is to be made small.
    pub fn reopen(&mut self, number: usize) -> EntryId {
        self.list[number].pending += 1;
        self.list[number].id
    }

    /// A further difference of an entry.
    pub fn extend(&mut self, number: usize, root: &Root, group: &str) {
        let entry = &mut self.list[number];
        entry.groups.insert(group.to_owned());
        if !entry.roots.contains(root) {
            entry.roots.push(root.clone());
        }
    }

    /// An entry comes from something that was told more closely now.
    pub fn narrow(&mut self, number: usize, before: &Root, now: &Root) {
        let roots = &mut self.list[number].roots;
        roots.retain(|root| root != before && root != now);
        roots.insert(0, now.clone());
    }

    /// Would this difference show an entry better than the one it has?
    pub fn is_worse(&self, number: usize, root: &Root) -> bool {
        self.list[number].roots.iter().all(|known| root.is_more_severe(known))
    }

    /// The entry that this one turned out to be a copy of, now that it comes from `root`.
    pub fn copied(&self, number: usize, root: &Root) -> Option<usize> {
        (0..self.list.len()).find(|other| *other != number && self.list[*other].joins(root))
    }

    /// One entry goes into another.
    pub fn merge(&mut self, from: usize, into: usize) {
        let gone = self.list.remove(from);
        let into = if into > from { into - 1 } else { into };
        for root in &gone.roots {
            for group in &gone.groups {
                self.extend(into, root, group);
            }
        }
    }

    pub fn any_pending(&self) -> bool {
        self.list.iter().any(|entry| entry.pending > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_oracle::{Change, ChangeClass};

    fn change(cause: Option<&str>, signature: &str) -> Root {
        Root::Change(Change {
            class: ChangeClass::Prints,
            same_way: false,
            cause: cause.map(str::to_owned),
            signature: signature.to_owned(),
        })
    }

    #[test]
    fn a_copy_goes_into_its_original_with_all_its_groups() {
        let mut entries = Entries::default();
        let first = entries.add(change(Some("a.c:1"), "x -> y"), "one".into());
        let second = entries.add(change(Some("b.c:2 or a.c:1"), "p -> q"), "two".into());
        let narrowed = change(Some("a.c:1"), "p -> q");
        let number = entries.place(second).unwrap();
        let original = entries.copied(number, &narrowed).unwrap();
        entries.merge(number, original);
        assert_eq!(entries.place(first), Some(0));
        assert_eq!(entries.place(second), None);
        assert_eq!(entries.of_group("two").collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn looks_without_a_known_cause_are_a_few_entries_at_most() {
        let mut entries = Entries::default();
        for look in 0..30 {
            let root =
                change(Some("a.c:1 or b.c:2"), &format!("stdout: \"message {look}\" -> \"other {look}\""));
            match entries.of_root(&root) {
                Some(number) => entries.extend(number, &root, "group"),
                None => drop(entries.add(root, format!("group {look}"))),
            }
        }
        assert_eq!(entries.list.len(), MOST_UNCERTAIN);
    }

    #[test]
    fn another_cause_is_another_entry_however_it_looks() {
        let mut entries = Entries::default();
        entries.add(change(Some("a.c:1"), "x -> y"), "one".into());
        assert_eq!(entries.of_root(&change(Some("b.c:2"), "x -> y")), None);
        assert_eq!(entries.of_root(&change(Some("a.c:1"), "other -> look")), Some(0));
    }
}
