//! What changed, for people.
//!
//! In: an [`InspectView`]. Out: a readable summary: what changed, where, how complex it is, what has to be executed and how far it is from
//! `main`, who sees it.

use crate::changes::Change;
use crate::inspect_view::InspectView;
use crate::text::count;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Most items of any list.
const LISTED: usize = 40;
/// Most names in one line.
const NAMED: usize = 12;

/// One JSON document, with a newline at the end.
pub fn inspect_json(view: &InspectView) -> serde_json::Result<String> {
    serde_json::to_string_pretty(view).map(|text| text + "\n")
}

/// The summary, with a newline at the end.
pub fn inspect_human(view: &InspectView) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, view);
    text
}

fn write(text: &mut String, view: &InspectView) -> std::fmt::Result {
    if view.changes.is_empty() {
        writeln!(text, "No change between {} and {}: the code is the same.", view.old, view.new)?;
        return notes(text, view);
    }
    heading(text, view)?;
    list(text, "What changed", &view.changes, |change| line(change))?;
    list(text, "To execute it (branches from the start of the program)", &view.targets, |target| {
        let distance = target.distance.map_or("not reachable".to_owned(), |d| d.to_string());
        format!("{}  {}  {distance}", place(&target.file, target.line), target.function)
    })?;
    if !view.interference.is_empty() {
        list(text, "Changes whose effects can meet", &view.interference, |meeting| {
            let who: Vec<String> = meeting.between.iter().map(|n| format!("#{}", n + 1)).collect();
            let lines: Vec<String> = meeting.places.iter().take(NAMED).map(|p| p.line.to_string()).collect();
            let more = if meeting.places.len() > NAMED { ", …" } else { "" };
            format!("{}  at lines {}{more}", who.join(" and "), lines.join(", "))
        })?;
    }
    if !view.seen_by.is_empty() {
        let shown: Vec<&str> = view.seen_by.iter().take(NAMED).map(String::as_str).collect();
        let more = view.seen_by.len().saturating_sub(NAMED);
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        writeln!(text, "\nSeen by {}{rest}.", shown.join(", "))?;
    }
    let irrelevant = &view.irrelevant;
    if !irrelevant.execute.is_empty() {
        let (execute, propagate) = (irrelevant.execute.len() as u64, irrelevant.propagate.len());
        writeln!(
            text,
            "{} cannot lead to a change any more; of these, {propagate} cannot come after one either.",
            count(execute, "branch", "branches")
        )?;
    }
    notes(text, view)
}

fn heading(text: &mut String, view: &InspectView) -> std::fmt::Result {
    let functions: BTreeSet<_> =
        view.changes.iter().filter_map(|c| Some((c.file.clone(), c.function.clone()?))).collect();
    writeln!(
        text,
        "{} in {} between {} and {}.",
        count(view.changes.len() as u64, "change", "changes"),
        count(functions.len() as u64, "function", "functions"),
        view.old,
        view.new
    )?;
    writeln!(
        text,
        "{}, complexity {}, {} to execute.",
        count(view.complexity.cloc as u64, "changed executable line", "changed executable lines"),
        view.complexity.cycc,
        count(view.targets.len() as u64, "block", "blocks")
    )
}

fn list<T>(text: &mut String, title: &str, items: &[T], show: impl Fn(&T) -> String) -> std::fmt::Result {
    writeln!(text, "\n{title}")?;
    if items.is_empty() {
        writeln!(text, "  nothing: no executable code is changed")?;
    }
    for (n, item) in items.iter().take(LISTED).enumerate() {
        writeln!(text, "  {:>3}  {}", n + 1, show(item))?;
    }
    match items.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(text, "       … and {more} more (--format json has all)"),
    }
}

fn line(change: &Change) -> String {
    let name = match (&change.function, &change.variable) {
        (Some(function), _) => format!("{function}()"),
        (None, Some(variable)) => variable.clone(),
        (None, None) => String::new(),
    };
    let file = change.file.as_deref().unwrap_or("(no file)");
    let lines = match (ranges(&change.old_lines), ranges(&change.new_lines)) {
        (old, new) if old.is_empty() && new.is_empty() => String::new(),
        (old, new) if old.is_empty() => format!("new lines {new}"),
        (old, new) if new.is_empty() => format!("old lines {old}"),
        (old, new) => format!("lines {old} → {new}"),
    };
    format!("{:<12} {file}  {name}  {lines}", change.kind)
}

/// `3, 5–8`.
pub(crate) fn ranges(lines: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match parts.last_mut() {
            Some((_, end)) if *end + 1 == *line => *end = *line,
            _ => parts.push((*line, *line)),
        }
    }
    let show = |(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}–{b}") };
    parts.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn place(file: &Option<String>, line: u32) -> String {
    match file {
        Some(file) if line > 0 => format!("{file}:{line}"),
        Some(file) => file.clone(),
        None => "(no line)".to_owned(),
    }
}

fn notes(text: &mut String, view: &InspectView) -> std::fmt::Result {
    view.notes.iter().try_for_each(|note| writeln!(text, "Note: {note}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_follow_each_other_are_one_range() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[3, 5, 6, 7, 9]), "3, 5–7, 9");
    }

    #[test]
    fn no_change_is_said_in_words() {
        let text = inspect_human(&InspectView::new("a".into(), "b".into()));
        assert_eq!(text, "No change between a and b: the code is the same.\n");
    }
}
