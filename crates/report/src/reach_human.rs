//! The result of `parallax reach` and `parallax augment` for people.
//!
//! In: a [`ReachView`]. Out: how much was covered before and after, every target with what became of it, where the tests are.

use crate::crash_view::crash_lines;
use crate::reach_view::{CountsView, ReachTargetView, ReachVerdict, ReachView};
use crate::text::count;
use std::fmt::Write;

/// The summary, with a newline at the end. `what`: the targets in one word and in several. `listed`: whether each is shown.
pub fn reach_human(view: &ReachView, what: (&str, &str), listed: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = headline(&mut text, view, what);
    for target in view.targets.iter().filter(|_| listed) {
        let _ = one(&mut text, target);
    }
    let _ = coverage(&mut text, view);
    let _ = found(&mut text, view);
    let _ = writeln!(text, "{}", view.versions.compared());
    for warning in &view.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

fn headline(text: &mut String, view: &ReachView, (one, many): (&str, &str)) -> std::fmt::Result {
    let CountsView { targets: all, .. } = view.coverage.total;
    if view.verdict == ReachVerdict::NoTargets {
        return writeln!(text, "There is no {one}: {}.", view.ended);
    }
    let (before, after) = (view.coverage.before.targets, view.coverage.after.targets);
    writeln!(
        text,
        "{}: {before} covered by the seeds, {} reached, {} unreached ({:.1} s, {}, {}).",
        count(all, one, many),
        after - before,
        all - after,
        view.stats.seconds,
        count(view.stats.runs, "input tried", "inputs tried"),
        count(view.stats.queries, "query", "queries")
    )
}

fn one(text: &mut String, target: &ReachTargetView) -> std::fmt::Result {
    let doubt = match (target.is_covered(), target.confirmed) {
        (true, Some(false)) => " (unconfirmed: the coverage build did not execute this line)",
        (true, None) => " (unconfirmed)",
        _ => "",
    };
    writeln!(text, "\n{:10} {}  {}{doubt}", target.status, target.place(), target.function)?;
    if let Some(test) = &target.test {
        writeln!(text, "  test       {test}")?;
    }
    if let (Some(after), Some(runs)) = (target.found_after_s, target.runs_before) {
        let by = match target.strategies.is_empty() {
            true => String::new(),
            false => format!(", by {}", target.strategies.join(" > ")),
        };
        let runs = count(runs, "input", "inputs");
        writeln!(text, "  after      {after:.1} s, {runs}{by}")?;
    }
    if let Some(reason) = &target.reason {
        writeln!(text, "  because    {reason}")?;
    }
    if let Some(closest) = &target.closest {
        let away = target
            .distance
            .map_or(String::new(), |n| format!(" ({} away)", count(n.into(), "branch", "branches")));
        writeln!(text, "  closest    {closest}{away}")?;
    }
    Ok(())
}

fn coverage(text: &mut String, view: &ReachView) -> std::fmt::Result {
    let coverage = &view.coverage;
    let mut row = |name: &str, of: fn(&CountsView) -> Option<u64>| match [
        of(&coverage.before),
        of(&coverage.after),
        of(&coverage.total),
    ] {
        [Some(before), Some(after), Some(total)] if total > 0 => {
            writeln!(text, "  {name:9}  {before} before, {after} after, of {total}")
        }
        _ => Ok(()),
    };
    row("\n  targets", |counts| Some(counts.targets))?;
    row("lines", |counts| counts.lines)?;
    row("branches", |counts| counts.branches)
}

fn found(text: &mut String, view: &ReachView) -> std::fmt::Result {
    if !view.differences.is_empty() {
        let differences = count(view.differences.len() as u64, "difference", "differences");
        writeln!(text, "\nOn the way, {differences} between the versions:")?;
        for difference in &view.differences {
            writeln!(text, "{}  {}\n  test       {}", difference.id, difference.signature, difference.test)?;
        }
    }
    text.push_str(&crash_lines(&view.crashes));
    if !view.tests.is_empty() {
        writeln!(text, "\n{} kept.", count(view.tests.len() as u64, "test", "tests"))?;
    }
    if view.verdict != ReachVerdict::NoTargets {
        writeln!(text, "The search ended: {}.", view.ended)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff_view::{DiffStats, VersionsView};
    use crate::reach_view::CoverageView;

    fn view(statuses: &[&str]) -> ReachView {
        let target = |status: &&str| ReachTargetView {
            file: Some("a.c".into()),
            line: 7,
            status: (*status).to_owned(),
            ..ReachTargetView::default()
        };
        let mut view = ReachView {
            schema: crate::SCHEMA.to_owned(),
            verdict: ReachVerdict::NoTargets,
            targets: statuses.iter().map(target).collect(),
            coverage: CoverageView::default(),
            tests: vec![],
            differences: vec![],
            crashes: vec![],
            stats: DiffStats::default(),
            versions: VersionsView::default(),
            ended: "why".into(),
            unstable: vec![],
            seeds: vec![],
            seed_count: 0,
            warnings: vec![],
        };
        view.conclude();
        view
    }

    #[test]
    fn the_verdict_and_the_headline_follow_from_the_targets() {
        let mixed = view(&["seed", "reached", "unreached"]);
        assert_eq!(mixed.verdict, ReachVerdict::SomeUnreached);
        let text = reach_human(&mixed, ("target", "targets"), true);
        assert!(text.starts_with("3 targets: 1 covered by the seeds, 1 reached, 1 unreached"), "{text}");
        assert_eq!(view(&["seed", "reached"]).verdict, ReachVerdict::AllReached);
        let none = view(&[]);
        assert_eq!(none.verdict, ReachVerdict::NoTargets);
        assert!(reach_human(&none, ("target", "targets"), true).starts_with("There is no target: why.\n"));
    }

    #[test]
    fn a_target_that_no_build_of_its_own_has_confirmed_is_shown_as_unconfirmed() {
        let mut confirmed = view(&["reached"]);
        confirmed.targets[0].confirmed = Some(true);
        assert!(!reach_human(&confirmed, ("target", "targets"), true).contains("unconfirmed"));
        for doubtful in [None, Some(false)] {
            confirmed.targets[0].confirmed = doubtful;
            assert!(reach_human(&confirmed, ("target", "targets"), true).contains("unconfirmed"));
        }
    }
}
