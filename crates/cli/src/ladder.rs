//! How far each change got.
//!
//! In: what changed, which changed blocks were executed and by which test, the differences that were confirmed and what is behind each. Out: for every change
//! its rung, a test for it, and why it stopped there.
//!
//! Always holds: a rung is one that was seen. `visible` is said only if a confirmed difference comes from this change and no other.

use crate::changed::{self, Changed};
use crate::diff::followed::Found;
use parallax_oracle::OR;
use parallax_report::diff_view::{DiffView, DifferenceView, TargetView};
use parallax_report::ladder_view::{ChangeView, Rung};
use parallax_report::Change;

/// The changes of a comparison.
#[derive(Default)]
pub struct Ladder {
    rows: Vec<Row>,
}

/// A change as it is shown: several of the comparison may be one.
struct Row {
    change: Change,
    /// Of the comparison's.
    numbers: Vec<usize>,
    /// Blocks of the new version that execute it, as numbers of targets.
    targets: Vec<usize>,
}

impl Ladder {
    /// `pieces`: what changed, where the versions could not be compared as programs.
    pub fn new(changed: Option<&Changed>, pieces: &[Change]) -> Ladder {
        let Some(changed) = changed else {
            let row = |change: &Change| Row { change: change.clone(), numbers: vec![], targets: vec![] };
            return Ladder { rows: pieces.iter().map(row).collect() };
        };
        let mut rows: Vec<Row> = Vec::new();
        for (number, change) in changed.comparison.changes.iter().enumerate() {
            let view = changed::view(change);
            let targets = changed.targets.iter().enumerate();
            let targets = targets.filter(|(_, target)| target.changes.contains(&number)).map(|(t, _)| t);
            match rows.iter_mut().find(|row| row.change == view) {
                Some(row) => {
                    row.numbers.push(number);
                    row.targets.extend(targets);
                }
                None => rows.push(Row { change: view, numbers: vec![number], targets: targets.collect() }),
            }
        }
        Ladder { rows }
    }

    /// How far the changes are, by what the view holds.
    pub fn views(&self, view: &DiffView, followed: &Found) -> Vec<ChangeView> {
        self.rows.iter().map(|row| self.row(row, view, followed)).collect()
    }

    fn row(&self, row: &Row, view: &DiffView, followed: &Found) -> ChangeView {
        let change = row.change.clone();
        let shown = view.differences.iter().enumerate().find(|(number, difference)| {
            match followed.visible.get(*number).filter(|changes| !changes.is_empty()) {
                // What was followed to the end needs no guess.
                Some(changes) => row.is_alone(changes),
                None => self.shows(row, difference, view),
            }
        });
        if let Some((_, difference)) = shown {
            let why = format!("difference {}: {}", difference.id, difference.signature);
            let test = Some(difference.test.clone());
            return ChangeView { change, rung: Rung::Visible, test, why };
        }
        if let Some(trail) = followed.trails.of(&row.numbers) {
            return ChangeView { change, rung: trail.rung, test: trail.test.clone(), why: trail.why() };
        }
        let mut executed =
            row.targets.iter().filter_map(|target| view.targets.get(*target)).filter(|t| t.is_reached());
        let Some(by) = executed.next() else {
            let why = row.unreached();
            return ChangeView { change, rung: Rung::Unreached, test: None, why };
        };
        let seed = executed.chain([by]).find(|target| target.status == "seed");
        let test = seed.map_or(by.test.clone(), |_| None);
        ChangeView { change, rung: Rung::Reached, test, why: reached(seed, view) }
    }

    /// Does a difference come from this change, and from no other?
    fn shows(&self, row: &Row, difference: &DifferenceView, view: &DiffView) -> bool {
        match &difference.cause {
            Some(cause) if !cause.contains(OR) => row.change.is_at(cause),
            // One of these, or of all: only where a single one of them can have run.
            cause => {
                let candidate = |other: &&Row| {
                    let named =
                        cause.as_ref().is_none_or(|cause| cause.split(OR).any(|one| other.change.is_at(one)));
                    named && other.may_have_run(&view.targets)
                };
                let mut candidates = self.rows.iter().filter(candidate);
                candidates.next().is_some_and(|only| std::ptr::eq(only, row)) && candidates.next().is_none()
            }
        }
    }
}

impl Row {
    /// Are some of these changes a part of it, and no others?
    fn is_alone(&self, changes: &[u32]) -> bool {
        changes.iter().all(|change| self.numbers.contains(&(*change as usize)))
    }

    /// Data has no code of its own: it has run, for all that is known.
    fn may_have_run(&self, targets: &[TargetView]) -> bool {
        self.targets.is_empty()
            || self.targets.iter().filter_map(|t| targets.get(*t)).any(TargetView::is_reached)
    }

    fn unreached(&self) -> String {
        match (self.numbers.is_empty(), self.targets.is_empty()) {
            (true, _) => {
                "whether it was executed is not known: the versions could not be compared as programs"
                    .to_owned()
            }
            (_, true) => {
                "it has no code of its own that could be executed, and no difference comes from it".to_owned()
            }
            _ => "no input executed it".to_owned(),
        }
    }
}

fn reached(seed: Option<&TargetView>, view: &DiffView) -> String {
    let by = if seed.is_some() { "a seed" } else { "this input" };
    let unclear =
        view.differences.iter().any(|difference| difference.cause.as_ref().is_none_or(|c| c.contains(OR)));
    let more = if unclear { "; some differences may come from it or from another change" } else { "" };
    format!("executed by {by}; no difference is known to come from it{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_report::diff_view::VersionsView;

    fn row(line: u32, target: usize) -> Row {
        let change = Change { file: Some("src/a.c".into()), new_lines: vec![line], ..Change::default() };
        Row { change, numbers: vec![target], targets: vec![target] }
    }

    fn view(causes: &[Option<&str>], statuses: &[&str]) -> DiffView {
        let mut view = DiffView::new(VersionsView::default());
        let difference = |cause: &Option<&str>| DifferenceView {
            id: "1-stdout".into(),
            cause: cause.map(str::to_owned),
            ..DifferenceView::default()
        };
        view.differences = causes.iter().map(difference).collect();
        let target = |status: &&str| TargetView {
            way: None,
            file: None,
            line: 0,
            function: "f".into(),
            status: (*status).to_owned(),
            test: (*status == "reached").then(|| "corpus/1".to_owned()),
        };
        view.targets = statuses.iter().map(target).collect();
        view
    }

    fn rungs(causes: &[Option<&str>], statuses: &[&str]) -> Vec<Rung> {
        let ladder = Ladder { rows: vec![row(5, 0), row(9, 1)] };
        ladder
            .views(&view(causes, statuses), &Found::default())
            .into_iter()
            .map(|change| change.rung)
            .collect()
    }

    #[test]
    fn a_difference_makes_the_change_visible_that_it_comes_from() {
        use Rung::*;
        assert_eq!(rungs(&[Some("a.c:4-6")], &["seed", "reached"]), [Visible, Reached]);
        assert_eq!(rungs(&[Some("src/a.c:9")], &["seed", "unreached"]), [Reached, Visible]);
        assert_eq!(rungs(&[], &["seed", "unreached"]), [Reached, Unreached]);
        assert_eq!(rungs(&[Some("b.c:5")], &["seed", "seed"]), [Reached, Reached]);
    }

    #[test]
    fn where_two_may_be_behind_it_neither_is_said_to_be() {
        use Rung::*;
        let either = Some("a.c:5 or a.c:9");
        assert_eq!(rungs(&[either], &["seed", "seed"]), [Reached, Reached]);
        assert_eq!(rungs(&[either], &["seed", "unreached"]), [Visible, Unreached]);
        assert_eq!(rungs(&[None], &["seed", "seed"]), [Reached, Reached]);
        assert_eq!(rungs(&[None], &["unreached", "reached"]), [Unreached, Visible]);
    }

    #[test]
    fn the_test_of_a_rung_is_the_input_that_reached_it() {
        let ladder = Ladder { rows: vec![row(5, 0)] };
        let views = ladder.views(&view(&[], &["reached"]), &Found::default());
        assert_eq!(views[0].test.as_deref(), Some("corpus/1"));
        let views = ladder.views(&view(&[], &["seed"]), &Found::default());
        assert_eq!(views[0].test, None);
    }
}
