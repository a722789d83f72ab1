//! What a verdict rests on: seeds and what they showed, warnings, reasons to believe it less.
//!
//! In: a [`DiffView`]. Out: lines for a terminal, and sections of the HTML page.
//!
//! Always holds: nothing of the programs' output can become markup or a control character.

use crate::diff_view::{DiffView, SeedRunView, SeedView};
use crate::html::{escaped, table};
use crate::text::quoted;
use std::fmt::Write;

/// Most seeds that are shown as text; the JSON document has more.
pub const SHOWN_SEEDS: usize = 8;
/// Bytes shown of an argument, and of all lines of output.
const SHOWN_ARGUMENT: usize = 24;
const SHOWN_OUTPUT: usize = 56;

/// What the seeds showed: a line or two for each.
pub fn seed_lines(seeds: &[SeedView], count: u64) -> Vec<String> {
    let mut lines: Vec<String> = seeds.iter().take(SHOWN_SEEDS).flat_map(one_seed).collect();
    let hidden = count.saturating_sub(seeds.len().min(SHOWN_SEEDS) as u64);
    if hidden > 0 {
        let known = seeds.len().saturating_sub(SHOWN_SEEDS);
        let where_to = if known > 0 { format!(" ({known} of them in verdicts.json)") } else { String::new() };
        lines.push(format!("and {hidden} more seeds{where_to}"));
    }
    lines
}

fn one_seed(seed: &SeedView) -> Vec<String> {
    let words: Vec<String> = seed.arguments.iter().map(|a| quoted(&a.0, SHOWN_ARGUMENT)).collect();
    let arguments = if words.is_empty() { "no arguments".to_owned() } else { words.join(" ") };
    let name = format!("seed {} ({arguments})", seed.name);
    let problem = seed.problem.as_ref().map_or(String::new(), |problem| format!("; {problem}"));
    if seed.old == seed.new {
        return vec![format!("{name}: both: {}{problem}", run(&seed.old))];
    }
    vec![format!("{name}: old: {}", run(&seed.old)), format!("{name}: new: {}{problem}", run(&seed.new))]
}

/// How a run ended, in words.
fn ended(run: &SeedRunView) -> String {
    match (run.exit, run.signal, &run.limit) {
        (Some(status), _, _) => format!("exit status {status}"),
        (_, Some(signal), _) => format!("signal {signal}"),
        (_, _, Some(limit)) => format!("ended by its limit ({limit})"),
        _ => "unknown".to_owned(),
    }
}

fn run(run: &SeedRunView) -> String {
    let mut text = ended(run);
    for (name, bytes) in [("stdout", &run.stdout.0), ("stderr", &run.stderr.0)] {
        if !bytes.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {name} {}", quoted(bytes, SHOWN_OUTPUT));
        }
    }
    if run.stdout.0.is_empty() && run.stderr.0.is_empty() {
        text.push_str(", prints nothing");
    }
    text
}

/// Why the verdict says less than it seems to: a line each.
pub fn weakened_lines(view: &DiffView) -> String {
    view.weakened.iter().map(|reason| format!("  - {reason}\n")).collect()
}

/// What to know before the result is believed.
pub fn warning_lines(view: &DiffView) -> String {
    let mut text = String::new();
    for warning in &view.warnings {
        let _ = write!(text, "\nWarning: {warning}\n");
    }
    text
}

/// Warnings and doubts, for the top of the HTML page.
pub(crate) fn doubts_section(view: &DiffView) -> String {
    let list = |title: &str, items: &[String]| {
        if items.is_empty() {
            return String::new();
        }
        let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escaped(item))).collect();
        format!("<h3>{title}</h3>\n<ul>\n{items}</ul>\n")
    };
    list("The verdict says less than it seems to", &view.weakened) + &list("Warnings", &view.warnings)
}

/// What the seeds showed, for the HTML page.
pub(crate) fn seeds_section(view: &DiffView) -> String {
    if view.seeds.is_empty() {
        return String::new();
    }
    let rows = view.seeds.iter().map(|seed| {
        let words: Vec<String> = seed.arguments.iter().map(|a| quoted(&a.0, SHOWN_ARGUMENT)).collect();
        let problem = seed.problem.clone().unwrap_or_default();
        [seed.name.clone(), words.join(" "), run(&seed.old), run(&seed.new), problem]
    });
    let heads = ["seed", "arguments", "old", "new", "problem"];
    let all = view.seed_count;
    format!(
        "<section><h2>What the seeds showed ({} of {all})</h2>\n{}</section>\n",
        view.seeds.len(),
        table(&heads, rows)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff_view::VersionsView;
    use crate::text::Text;

    fn seed(name: &str, exit: i32, problem: Option<&str>) -> SeedView {
        let run = SeedRunView {
            exit: Some(exit),
            stderr: Text(b"usage: x\x1b\n".to_vec()),
            ..SeedRunView::default()
        };
        SeedView {
            name: name.into(),
            old: run.clone(),
            new: run,
            problem: problem.map(str::to_owned),
            ..SeedView::default()
        }
    }

    #[test]
    fn a_seed_is_one_line_if_both_versions_did_the_same_and_two_if_not() {
        let same = seed("command line", 2, Some("only prints how it is used"));
        let lines = seed_lines(std::slice::from_ref(&same), 1);
        assert_eq!(
            lines,
            ["seed command line (no arguments): both: exit status 2, stderr \"usage: x\\u{1b}\\n\"; only prints how it is used"]
        );
        let mut other = same;
        other.new.exit = Some(0);
        assert_eq!(seed_lines(&[other], 1).len(), 2);
    }

    #[test]
    fn of_many_seeds_some_are_shown_and_the_rest_is_counted() {
        let many: Vec<SeedView> = (0..20).map(|n| seed(&n.to_string(), 0, None)).collect();
        let lines = seed_lines(&many, 100);
        assert_eq!(lines.len(), SHOWN_SEEDS + 1);
        assert!(lines[SHOWN_SEEDS].contains("92 more seeds (12 of them"), "{lines:?}");
    }

    #[test]
    fn the_page_has_seeds_warnings_and_doubts_without_markup_of_theirs() {
        let mut view = DiffView::new(VersionsView::default());
        view.seeds = vec![seed("<b>", 0, None)];
        view.seed_count = 3;
        view.warnings = vec!["<i>".into()];
        view.weakened = vec!["<u>".into()];
        let page = crate::html(&view, &[]);
        for part in ["&lt;b&gt;", "&lt;i&gt;", "&lt;u&gt;", "(1 of 3)"] {
            assert!(page.contains(part), "{part} in {page}");
        }
    }
}
