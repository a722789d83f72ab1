//! How much a search that found nothing says.
//!
//! In: what was executed of the change, and what hid parts of the program. Out: the verdicts `not-executed` and `unconfirmed`, and reasons to believe
//! the verdict less.
//!
//! Always holds: a search that found differences keeps its verdict.

use crate::losses::Losses;
use crate::obstacles;
use parallax_report::diff_view::{DiffView, Verdict};
use parallax_report::Change;

/// Changes that one reason names.
const LISTED: usize = 3;

/// Seeds on which the versions did not do the same, and which the search did not confirm: no verdict without differences stands beside them.
pub fn doubt(view: &mut DiffView, unconfirmed: Vec<String>) {
    if view.verdict != Verdict::Different && !unconfirmed.is_empty() {
        view.verdict = Verdict::Unconfirmed;
        view.weakened.extend(unconfirmed);
    }
}

/// `changes`: what changed between the versions, from code or, if that is not known, from text.
/// `unseen`: code of which no trace shows anything.
pub fn conclude(view: &mut DiffView, changes: &[Change], losses: &Losses, unseen: Option<String>) {
    if view.verdict == Verdict::Different {
        view.weakened.clear();
    }
    if view.verdict != Verdict::NoneFound {
        return;
    }
    if view.targets.is_empty() {
        view.weakened.extend(no_target(changes));
    } else if !view.targets.iter().any(|target| target.is_reached()) {
        view.verdict = Verdict::NotExecuted;
    }
    view.weakened.extend(obstacles::of_runs(losses).into_iter().chain(unseen));
}

/// Why there is nothing in the new version that would have to be executed.
fn no_target(changes: &[Change]) -> Option<String> {
    if changes.is_empty() {
        return None;
    }
    let named: Vec<String> = changes.iter().take(LISTED).map(name).collect();
    let more = changes.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!(
        "whether the change was executed is not known: no code of the program that can run is changed by {}{more}",
        named.join(", ")
    ))
}

fn name(change: &Change) -> String {
    let what = change.function.as_ref().or(change.variable.as_ref());
    let file = change.file.as_deref().unwrap_or("an unknown file");
    match (what, change.new_lines.first().or(change.old_lines.first())) {
        (Some(what), _) => format!("{} of {what} ({file})", change.kind),
        (None, Some(line)) => format!("{file}:{line}"),
        (None, None) => file.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_report::diff_view::{TargetView, VersionsView};

    fn view(statuses: &[&str]) -> DiffView {
        let mut view = DiffView::new(VersionsView::default());
        view.targets = statuses
            .iter()
            .map(|status| TargetView {
                way: None,
                file: None,
                line: 0,
                function: "f".into(),
                status: (*status).into(),
                test: None,
            })
            .collect();
        view
    }

    fn concluded(mut view: DiffView, changes: &[Change]) -> DiffView {
        conclude(&mut view, changes, &Losses::default(), None);
        view
    }

    #[test]
    fn a_change_that_no_input_executed_is_a_verdict_of_its_own() {
        assert_eq!(concluded(view(&["unreached", "unreached"]), &[]).verdict, Verdict::NotExecuted);
        assert_eq!(concluded(view(&["unreached", "reached"]), &[]).verdict, Verdict::NoneFound);
        assert_eq!(concluded(view(&["seed"]), &[]).verdict, Verdict::NoneFound);
        let mut different = view(&["unreached"]);
        different.verdict = Verdict::Different;
        assert_eq!(concluded(different, &[]).verdict, Verdict::Different);
    }

    #[test]
    fn a_seed_that_differed_and_was_not_confirmed_is_no_green() {
        for (verdict, after) in [
            (Verdict::NoneFound, Verdict::Unconfirmed),
            (Verdict::SameCode, Verdict::Unconfirmed),
            (Verdict::NotExecuted, Verdict::Unconfirmed),
            (Verdict::Different, Verdict::Different),
        ] {
            let mut view = view(&["seed"]);
            view.verdict = verdict;
            doubt(&mut view, vec!["on seed x".into()]);
            assert_eq!(view.verdict, after);
        }
    }

    #[test]
    fn a_change_without_code_that_can_run_weakens_the_verdict() {
        let change = Change {
            file: Some("a.c".into()),
            function: None,
            variable: Some("table".into()),
            kind: "modified".into(),
            old_lines: vec![3],
            new_lines: vec![3],
        };
        let concluded = concluded(view(&[]), &[change]);
        assert_eq!(concluded.verdict, Verdict::NoneFound);
        assert!(concluded.weakened[0].contains("modified of table (a.c)"), "{:?}", concluded.weakened);
    }
}
