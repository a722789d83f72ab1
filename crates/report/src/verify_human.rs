//! The result of a verification for a person.
//!
//! In: a [`VerifyView`]. Out: text for a terminal.
//!
//! Always holds: the counts are those of the view; the verdict is never longer than what is known.

use crate::text::{count, quoted};
use crate::verify_view::*;
use std::fmt::Write;

/// Most partitions of each kind, and most lines of other lists.
const LISTED: usize = 12;
/// Characters of the bar.
const BAR: usize = 60;
/// Bytes of an input that are shown.
const BYTES: usize = 24;

/// The summary, with a newline at the end.
pub fn verify_human(view: &VerifyView) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, view);
    text
}

fn write(text: &mut String, view: &VerifyView) -> std::fmt::Result {
    writeln!(text, "{}", headline(view))?;
    writeln!(text, "{}", view.versions.compared())?;
    writeln!(text, "\n{}", bar(&view.shares))?;
    for (name, share) in named(&view.shares) {
        writeln!(text, "  {name:<11} {}", shown(share))?;
    }
    for status in ["different", "weak", "equal"] {
        partitions(text, view, status)?;
    }
    for undecided in &view.undecided {
        writeln!(text, "\nNot decided, {} times: {}", undecided.times, undecided.reason)?;
    }
    for unstable in &view.unstable {
        writeln!(
            text,
            "\nThe {} version differs from itself in {} ({}): left out of the comparison.",
            unstable.version, unstable.aspect, unstable.what
        )?;
    }
    for weakened in &view.weakened {
        writeln!(text, "\nThis says less than it seems to: {weakened}.")?;
    }
    for warning in &view.warnings {
        writeln!(text, "\nWarning: {warning}")?;
    }
    let stats = &view.stats;
    writeln!(
        text,
        "\n{}, {}, {} ({} confirmed by both solvers), {:.1} s. It ended: {}.",
        count(stats.traces, "trace", "traces"),
        count(stats.runs, "native comparison", "native comparisons"),
        count(stats.queries, "query", "queries"),
        count(stats.confirmed, "unsat answer", "unsat answers"),
        stats.seconds,
        view.ended
    )
}

fn headline(view: &VerifyView) -> String {
    let (old, new) = (&view.versions.old, &view.versions.new);
    match view.verdict {
        Proven::Different => {
            let found = count(view.differences.len() as u64, "difference", "differences");
            format!("{old} and {new} are different: {found}.")
        }
        Proven::Equivalent => format!("{old} and {new} are equivalent, on every input: {}.", view.ended),
        Proven::EquivalentWithin => {
            format!("{old} and {new} are equivalent within this scope: {}.", scope(&view.scope))
        }
        Proven::Partly => format!(
            "{old} and {new} do the same on what is called equal below; of the rest nothing is known. Scope: {}.",
            scope(&view.scope)
        ),
    }
}

fn scope(scope: &ScopeView) -> String {
    let mut parts: Vec<String> = Vec::new();
    let range =
        |[low, high]: [usize; 2]| if low == high { low.to_string() } else { format!("{low} to {high}") };
    if let Some(sizes) = scope.sizes {
        parts.push(format!("inputs of size {}", range(sizes)));
    }
    if let Some(arguments) = scope.arguments {
        parts.push(format!("{} arguments", range(arguments)));
    }
    if let Some(stdin) = scope.lengths.stdin {
        parts.push(format!("{} bytes of standard input", range(stdin)));
    }
    if let Some(file) = scope.lengths.file {
        parts.push(format!("{} bytes in {}", range(file), scope.files.join(", ")));
    }
    parts.extend(scope.unread.iter().map(|what| format!("any {what}, which is not read")));
    parts.extend(scope.fixed.iter().map(|what| format!("{what} as given")));
    parts.join(", ")
}

fn named(shares: &SharesView) -> [(&'static str, &ShareView); 4] {
    [
        ("equal", &shares.equal),
        ("different", &shares.different),
        ("weak", &shares.weak),
        ("unexplored", &shares.unexplored),
    ]
}

fn shown(share: &ShareView) -> String {
    let percent = |share: f64| {
        let percent = share * 100.0;
        match percent {
            p if p > 0.0 && p < 0.01 => "less than 0.01 %".to_owned(),
            p if p < 100.0 && p > 99.99 => "more than 99.99 %".to_owned(),
            p => format!("{p:.2} %"),
        }
    };
    match share {
        ShareView::Exact(share) => percent(*share),
        ShareView::Between(interval) => format!("{} to {}", percent(interval.low), percent(interval.high)),
    }
}

/// How the inputs divide: `=` equal, `!` different, `?` weak, `.` unexplored. What is there at all has a character.
fn bar(shares: &SharesView) -> String {
    let signs = ['=', '!', '?', '.'];
    let mut text = String::from("[");
    for ((_, share), sign) in named(shares).into_iter().zip(signs) {
        let (low, high) = share.bounds();
        let share = (low + high) / 2.0;
        let length = ((share * BAR as f64).round() as usize).max(usize::from(share > 0.0));
        text.extend(std::iter::repeat_n(sign, length));
    }
    text + "]  = equal  ! different  ? weak  . unexplored"
}

fn partitions(text: &mut String, view: &VerifyView, status: &str) -> std::fmt::Result {
    let all: Vec<&PartitionView> = view.partitions.iter().filter(|p| p.status == status).collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n{} ({status})", count(all.len() as u64, "partition", "partitions"))?;
    for partition in all.iter().take(LISTED) {
        writeln!(text, "  {:<5} {:<18} {}", partition.id, shown(&partition.share), input(partition))?;
        let outputs = [("old", &partition.outputs.old), ("new", &partition.outputs.new)];
        for (which, channels) in outputs.into_iter().filter(|_| status == "different") {
            let channels: Vec<String> =
                channels.iter().map(|c| format!("{} {}", c.channel, c.text)).collect();
            writeln!(text, "        {which}: {}", channels.join("; "))?;
        }
        for why in &partition.weakened {
            writeln!(text, "        {why}")?;
        }
    }
    if all.len() > LISTED {
        writeln!(text, "  and {} more", all.len() - LISTED)?;
    }
    Ok(())
}

fn input(partition: &PartitionView) -> String {
    let mut parts: Vec<String> = partition.arguments.iter().map(|a| quoted(&a.0, BYTES)).collect();
    if partition.shape.stdin.is_some_and(|length| length > 0) {
        parts.push(format!("stdin {}", quoted(&partition.stdin.0, BYTES)));
    }
    let files = partition.files.iter().filter_map(|file| {
        let content = file.content.as_ref()?;
        Some(format!("{} {}", String::from_utf8_lossy(&file.path.0), quoted(&content.0, BYTES)))
    });
    parts.extend(files);
    if parts.is_empty() {
        return "no input".to_owned();
    }
    format!("for example {}", parts.join(" "))
}
