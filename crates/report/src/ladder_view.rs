//! How far each change got: executed, infecting the state, carried on, seen from outside.
//!
//! In: nothing; `parallax diff` fills it in. Out: a part of the [`DiffView`](crate::DiffView), its lines for a terminal, and a section of the page. Every field is explained
//! in the book (`docs/book/json.md`).

use crate::changes::Change;
use crate::html::{escaped, table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Changes that are listed on a terminal.
const LISTED: usize = 12;

/// The furthest that a change got on any input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rung {
    /// No input executed it.
    #[default]
    Unreached,
    Reached,
    /// What the changed code left behind was not the same in both versions.
    Infected,
    /// Code that did not change had other values, or took another way.
    Propagated,
    /// The versions behaved differently because of it.
    Visible,
}

impl Rung {
    pub const ALL: [Rung; 5] =
        [Rung::Unreached, Rung::Reached, Rung::Infected, Rung::Propagated, Rung::Visible];

    pub fn name(self) -> &'static str {
        match self {
            Rung::Unreached => "unreached",
            Rung::Reached => "reached",
            Rung::Infected => "infected",
            Rung::Propagated => "propagated",
            Rung::Visible => "visible",
        }
    }
}

/// One change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeView {
    #[serde(flatten)]
    pub change: Change,
    pub rung: Rung,
    /// A test for this rung; nothing if it is a seed.
    pub test: Option<String>,
    pub why: String,
}

impl ChangeView {
    /// See [`Change::place`].
    pub fn place(&self) -> String {
        self.change.place()
    }
}

/// Lines for a terminal: the least far first, because these are what is left to do.
pub fn ladder_lines(changes: &[ChangeView]) -> String {
    let mut text = String::new();
    if changes.is_empty() {
        return text;
    }
    let counts =
        Rung::ALL.iter().rev().map(|rung| (rung, changes.iter().filter(|c| c.rung == *rung).count()));
    let counts: Vec<String> =
        counts.filter(|(_, n)| *n > 0).map(|(rung, n)| format!("{n} {}", rung.name())).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\nHow far each change got: {}.", counts.join(", "));
    let mut ordered: Vec<&ChangeView> = changes.iter().collect();
    ordered.sort_by_key(|change| change.rung);
    for change in ordered.iter().take(LISTED) {
        let _ = writeln!(text, "  {:10} {}: {}", change.rung.name(), change.place(), change.why);
    }
    match changes.len().saturating_sub(LISTED) {
        0 => {}
        more => drop(writeln!(text, "  and {more} more (all are in verdicts.json)")),
    }
    text
}

pub(crate) fn ladder_section(changes: &[ChangeView]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let rows = changes.iter().map(|change| {
        let test = change.test.clone().unwrap_or_default();
        [change.place(), change.change.kind.clone(), change.rung.name().to_owned(), change.why.clone(), test]
    });
    let heads = ["change", "kind", "got as far as", "why no further", "by"];
    let title = escaped("How far each change got");
    format!("<section><h2>{title}</h2>\n{}</section>\n", table(&heads, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_got_least_far_come_first_and_all_are_counted() {
        let change = |line: u32, rung: Rung| ChangeView {
            change: Change { file: Some("a.c".into()), new_lines: vec![line], ..Change::default() },
            rung,
            why: format!("because {line}"),
            ..ChangeView::default()
        };
        let text =
            ladder_lines(&[change(3, Rung::Visible), change(9, Rung::Unreached), change(5, Rung::Visible)]);
        assert!(text.contains("2 visible, 1 unreached."), "{text}");
        assert!(text.find("a.c:9").unwrap() < text.find("a.c:3").unwrap(), "{text}");
        assert_eq!(ladder_lines(&[]), "");
    }
}
