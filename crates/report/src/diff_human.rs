//! The result of a comparison for people.
//!
//! In: a [`DiffView`]. Out: a few lines: how many differences, what kinds, where the tests are, how to replay; or, if
//! there is none, what was tried and what was in the way.

use crate::crash_view::crash_lines;
use crate::diff_view::{DiffStats, DiffView, DifferenceView, LostView, TargetView, UnflippedView, Verdict};
use crate::evidence::{warning_lines, weakened_lines};
use crate::input_text::{behaviour_lines, both_lines, input_lines};
use crate::ladder_view::ladder_lines;
use crate::place::LIBC;
use crate::text::count;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Most items of any list.
const LISTED: usize = 12;

/// Other looks of one difference that are listed.
const VARIANTS: usize = 4;

/// The summary, with a newline at the end.
pub fn diff_human(view: &DiffView) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match view.verdict {
        Verdict::Different => different(&mut text, view),
        Verdict::Equivalent => equivalent(&mut text, view),
        Verdict::NoneFound
        | Verdict::EquivalentWithin
        | Verdict::Partly
        | Verdict::SameCode
        | Verdict::NotExecuted
        | Verdict::Unconfirmed => none_found(&mut text, view),
    };
    text.push_str(&crash_lines(&view.crashes));
    text.push_str(&ladder_lines(&view.changes));
    let _ = writeln!(text, "{}", view.versions.compared());
    let _ = outside(&mut text, view);
    for unstable in &view.unstable {
        let _ = writeln!(
            text,
            "\nThe {} version differs from itself in {} ({}): left out of the comparison.",
            unstable.version, unstable.aspect, unstable.what
        );
    }
    text.push_str(&warning_lines(view));
    text
}

fn different(text: &mut String, view: &DiffView) -> std::fmt::Result {
    let found = count(view.differences.len() as u64, "difference", "differences");
    let versions = &view.versions;
    writeln!(text, "{found} between {} and {} ({}).", versions.old, versions.new, effort(view))?;
    for difference in &view.differences {
        writeln!(text)?;
        one(text, difference)?;
    }
    let first = view.differences.first().map_or("", |difference| &difference.test);
    writeln!(text, "\nTo replay on both versions:  parallax replay {first}")?;
    writeln!(text, "With no Parallax installed:  sh {first}/run.sh BINARY")?;
    writeln!(text, "  old: {}\n  new: {}", versions.old_binary, versions.new_binary)?;
    for note in &view.notes {
        writeln!(text, "Note: {note}.")?;
    }
    writeln!(text, "The search ended: {}.", view.ended)
}

fn one(text: &mut String, difference: &DifferenceView) -> std::fmt::Result {
    let inputs = match difference.everywhere {
        true => "on every input tried".to_owned(),
        false => count(difference.count, "input", "inputs"),
    };
    writeln!(
        text,
        "{}  {} (after {:.1} s; {inputs})",
        difference.id, difference.signature, difference.found_after_s
    )?;
    writeln!(text, "  test       {}", difference.test)?;
    if difference.raw {
        writeln!(text, "  raw        found too late to be made small; may be one of the others")?;
    }
    if let Some(cause) = &difference.cause {
        writeln!(text, "  cause      {cause}")?;
    }
    for step in &difference.chain {
        writeln!(text, "  {:9}  {}", if step == &difference.chain[0] { "chain" } else { "" }, step.line())?;
    }
    if let Some(class) = &difference.class {
        writeln!(text, "  class      {class}")?;
    }
    for (name, content) in input_lines(difference) {
        writeln!(text, "  {name:9}  {content}")?;
    }
    let [old, new] = both_lines(difference);
    writeln!(text, "  old        {old}\n  new        {new}")?;
    if let Some(golden) = &difference.golden {
        writeln!(text, "  golden     {}", behaviour_lines(golden, None, &difference.new)[0])?;
    }
    variants(text, difference)
}

/// Other looks of the same difference.
fn variants(text: &mut String, difference: &DifferenceView) -> std::fmt::Result {
    let others = difference.variants.iter().filter(|variant| variant.signature != difference.signature);
    for variant in others.clone().take(VARIANTS) {
        let inputs = count(variant.count, "input", "inputs");
        writeln!(text, "  also       {} ({inputs})", variant.signature)?;
    }
    match others.count().saturating_sub(VARIANTS) {
        0 => Ok(()),
        more => writeln!(text, "  also       {more} more, in verdicts.json"),
    }
}

fn effort(view: &DiffView) -> String {
    let stats = &view.stats;
    format!(
        "{:.1} s, {}, {}",
        stats.seconds,
        count(stats.runs, "input tried", "inputs tried"),
        count(stats.queries, "query", "queries")
    )
}

fn equivalent(text: &mut String, view: &DiffView) -> std::fmt::Result {
    let versions = &view.versions;
    writeln!(text, "{} and {} are equivalent: {}.", versions.old, versions.new, view.ended)?;
    writeln!(text, "Nothing was searched.")
}

/// What is not the same although the code is.
fn outside(text: &mut String, view: &DiffView) -> std::fmt::Result {
    if view.outside.is_empty() {
        return Ok(());
    }
    writeln!(text, "The code is the same in both versions. What differs outside it:")?;
    for what in view.outside.iter().take(LISTED) {
        writeln!(text, "  {what}")?;
    }
    more(text, view.outside.len())
}

fn none_found(text: &mut String, view: &DiffView) -> std::fmt::Result {
    let stats = &view.stats;
    none_found_headline(text, view)?;
    writeln!(text, "The search ended: {}.", view.ended)?;
    writeln!(text, "Symbolic: {}.", symbolic(&view.symbolic))?;
    targets(text, &view.targets)?;
    writeln!(
        text,
        "Branches that depended on it: {}; seen both ways: {}. Queries: {} satisfiable, {} not, {} unknown. \
         Runs that went elsewhere than predicted: {}.",
        stats.symbolic_branches,
        stats.flipped_branches,
        stats.sat,
        stats.unsat,
        stats.unknown,
        stats.divergences
    )?;
    limits(text, stats)?;
    unflipped(text, &view.unflipped)?;
    if !view.lost.is_empty() {
        lost(text, &view.lost)?;
    }
    Ok(())
}

/// Where limits struck while the search ran.
fn limits(text: &mut String, stats: &DiffStats) -> std::fmt::Result {
    let clocked = stats.late_queries + stats.late_runs;
    if stats.cut_runs > 0 {
        writeln!(text, "Runs that were ended because they did far more than others: {}.", stats.cut_runs)?;
    }
    if clocked > 0 {
        writeln!(
            text,
            "Ended by the clock: {} queries, {} runs; another time the same command may find something else.",
            stats.late_queries, stats.late_runs
        )?;
    }
    if stats.forgotten_paths > 0 {
        writeln!(text, "Paths forgotten to keep within --search-memory: {}.", stats.forgotten_paths)?;
    }
    Ok(())
}

/// What was varied. A directory can hold hundreds of files.
fn symbolic(parts: &[String]) -> String {
    let shown = parts[..parts.len().min(LISTED)].join(", ");
    match parts.len() {
        0 => "nothing".to_owned(),
        all if all > LISTED => format!("{shown} and {} more (all are in verdicts.json)", all - LISTED),
        _ => shown,
    }
}

/// Where symbolic data was lost: what both versions lose in the same way is one line.
fn lost(text: &mut String, views: &[LostView]) -> std::fmt::Result {
    let mut places: Vec<(String, String, Versions, u64)> = Vec::new();
    for view in views {
        let what = view.what();
        match places.iter_mut().find(|known| (&known.0, &known.1) == (&view.place, &what)) {
            Some((_, _, versions, times)) => {
                versions.insert(&view.version);
                *times += view.count;
            }
            None => places.push((view.place.clone(), what, [&*view.version].into(), view.count)),
        }
    }
    writeln!(text, "Symbolic data was lost at:")?;
    for (place, what, versions, times) in places.iter().take(LISTED) {
        writeln!(text, "  {place} ({}): {what}, {}", which(versions), count(*times, "time", "times"))?;
    }
    more(text, places.len())
}

/// Names of versions: `old`, `new`.
type Versions<'v> = BTreeSet<&'v str>;

fn which(versions: &Versions) -> String {
    match versions.len() {
        1 => versions.iter().copied().collect(),
        _ => "both".to_owned(),
    }
}

/// The verdict, and at once what makes it say less than it seems to.
fn none_found_headline(text: &mut String, view: &DiffView) -> std::fmt::Result {
    let versions = &view.versions;
    let what = if view.verdict == Verdict::Unconfirmed { "confirmed" } else { "found" };
    write!(text, "No difference {what} between {} and {} ({})", versions.old, versions.new, effort(view))?;
    if view.verdict == Verdict::NotExecuted {
        write!(text, ", but no input executed the change")?;
    } else if !view.weakened.is_empty() {
        write!(text, ", but")?;
    }
    writeln!(text, "{}", if view.weakened.is_empty() { "." } else { ":" })?;
    write!(text, "{}", weakened_lines(view))
}

/// How much of the change was executed, and what was not.
fn targets(text: &mut String, targets: &[TargetView]) -> std::fmt::Result {
    if targets.is_empty() {
        return Ok(());
    }
    let missed: Vec<&TargetView> = targets.iter().filter(|t| !t.is_reached()).collect();
    let all = targets.len();
    writeln!(text, "Changed blocks executed: {} of {all}.", all - missed.len())?;
    // Several blocks may be of one line.
    let mut places: Vec<String> =
        missed.iter().map(|target| format!("  not {} ({})", target.place(), target.function)).collect();
    places.dedup();
    for place in places.iter().take(LISTED) {
        writeln!(text, "{place}")?;
    }
    more(text, places.len())
}

fn unflipped(text: &mut String, branches: &[UnflippedView]) -> std::fmt::Result {
    if branches.is_empty() {
        return Ok(());
    }
    let mut reasons: BTreeMap<&str, Vec<&UnflippedView>> = BTreeMap::new();
    for branch in branches {
        reasons.entry(&branch.reason).or_default().push(branch);
    }
    writeln!(text, "Never seen the other way: {}.", count(branches.len() as u64, "branch", "branches"))?;
    for (reason, branches) in reasons {
        writeln!(text, "  {reason}: {}", branches.len())?;
        let places = places(&branches);
        for place in places.iter().take(LISTED) {
            writeln!(text, "    {place}")?;
        }
        more(text, places.len())?;
    }
    Ok(())
}

/// Places of branches in the order in which they come, each once. Those in Parallax's own versions of libc functions mean nothing to a
/// person one by one: they are counted, last.
fn places(branches: &[&UnflippedView]) -> Vec<String> {
    let mut places: Vec<(&str, Versions)> = Vec::new();
    let mut in_libc = 0;
    for branch in branches {
        if branch.place.starts_with(LIBC) {
            in_libc += 1;
            continue;
        }
        match places.iter_mut().find(|(place, _)| *place == branch.place) {
            Some((_, versions)) => drop(versions.insert(&branch.version)),
            None => places.push((&branch.place, [&*branch.version].into())),
        }
    }
    let mut lines: Vec<String> =
        places.iter().map(|(place, versions)| format!("{place} ({})", which(versions))).collect();
    if in_libc > 0 {
        lines.push(format!("in functions of libc: {in_libc}"));
    }
    lines
}

fn more(text: &mut String, all: usize) -> std::fmt::Result {
    match all.saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(text, "    and {more} more (all are in verdicts.json)"),
    }
}
