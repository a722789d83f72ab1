//! A run for people.
//!
//! In: a [`TraceView`]. Out: text: the inputs, then what happened in order, then what was lost, then how it
//! ended. Long lists are cut at named limits, and the text says how much was left out.

use crate::place::Place;
use crate::text::{count, quoted};
use crate::view::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HumanLimits {
    /// Lines of what happened.
    pub events: usize,
    /// Bytes of an input or an output.
    pub bytes: usize,
    /// Lines of each list of losses.
    pub losses: usize,
    /// Lines in a row about one libc function; of more, the first and the last are shown.
    pub libc_lines: usize,
}

impl Default for HumanLimits {
    fn default() -> Self {
        HumanLimits { events: 200, bytes: 60, losses: 20, libc_lines: 3 }
    }
}

/// One thing that happened.
struct Line {
    event: u64,
    place: String,
    function: String,
    text: String,
    libc: bool,
}

/// The whole text.
pub fn human(view: &TraceView, limits: &HumanLimits) -> String {
    let mut out = String::new();
    inputs(&mut out, view, limits);
    happened(&mut out, view, limits);
    losses(&mut out, view, limits);
    ending(&mut out, view, limits);
    out
}

fn inputs(out: &mut String, view: &TraceView, limits: &HumanLimits) {
    let program = String::from_utf8_lossy(&view.program.0);
    let _ = writeln!(out, "{program}, {} build", view.mode);
    let width = view.inputs.iter().map(|i| i.name.len()).max().unwrap_or(0);
    for input in &view.inputs {
        let symbolic = if input.symbolic { "" } else { ", not symbolic" };
        let _ = writeln!(
            out,
            "  {:width$}  {}  ({}{symbolic})",
            input.name,
            quoted(&input.bytes.0, limits.bytes),
            count(input.length, "byte", "bytes"),
        );
    }
    if view.inputs.is_empty() {
        out.push_str("  no input\n");
    }
}

fn happened(out: &mut String, view: &TraceView, limits: &HumanLimits) {
    let lines = folded(lines(view, limits), limits.libc_lines);
    if lines.is_empty() {
        out.push_str(match view.mode {
            "coverage" => "\nA coverage build records edges only.\n",
            _ => "\nNothing that the program did depends on its input.\n",
        });
        return;
    }
    out.push_str("\nWhat happened (a formula says what held in this run)\n");
    let shown = &lines[..lines.len().min(limits.events)];
    let place_width = shown.iter().map(|l| l.place.chars().count()).max().unwrap_or(0);
    let function_width = shown.iter().map(|l| l.function.chars().count()).max().unwrap_or(0);
    let mut names = Names::new(view);
    for line in shown {
        let _ =
            writeln!(out, "  {:place_width$}  {:function_width$}  {}", line.place, line.function, line.text);
        for explained in names.explain(&line.text) {
            let _ = writeln!(out, "  {:place_width$}  {:function_width$}    where {explained}", "", "");
        }
    }
    if lines.len() > shown.len() {
        let more = lines.len() - shown.len();
        let _ = writeln!(out, "  … and {more} more (--show N shows N; --format json has all)");
    }
}

/// Long rows of lines about one libc function become their first and last.
fn folded(lines: Vec<Line>, longest: usize) -> Vec<Line> {
    let mut result: Vec<Line> = Vec::new();
    let mut lines = lines.into_iter().peekable();
    while let Some(first) = lines.next() {
        let mut row = vec![first];
        while let Some(next) = lines.next_if(|l| l.libc && row[0].libc && l.place == row[0].place) {
            row.push(next);
        }
        let between = row.len().saturating_sub(2);
        if row.len() > longest.max(2) {
            row[1].text = format!("… {between} more …");
            row.drain(2..=between);
        }
        result.append(&mut row);
    }
    result
}

/// Which names of formulas have been explained.
struct Names<'v> {
    view: &'v TraceView,
    known: BTreeMap<&'v str, &'v DefinitionView>,
    told: BTreeSet<String>,
}

impl<'v> Names<'v> {
    fn new(view: &'v TraceView) -> Names<'v> {
        let known = view.definitions.iter().map(|d| (d.name.as_str(), d)).collect();
        Names { view, known, told: BTreeSet::new() }
    }

    /// What the names in a text mean, and the names in their meaning, each once in all; the oldest first.
    fn explain(&mut self, text: &str) -> Vec<String> {
        let mut explained = Vec::new();
        let mut pending = names_in(text);
        while let Some(name) = pending.pop() {
            if let Some(definition) = self.known.get(name.as_str()) {
                if self.told.insert(name) {
                    pending.extend(names_in(&definition.formula));
                    explained.push(format!("{} = {}", definition.name, definition.formula));
                }
            } else if let Some(table) = self.view.tables.iter().find(|t| t.name == name) {
                if self.told.insert(name) {
                    let size = count(table.length, "byte", "bytes");
                    explained.push(format!("{} is a table of {size}", table.name));
                }
            }
        }
        explained.reverse();
        explained
    }
}

/// `$1` and `T1` in a formula.
fn names_in(text: &str) -> Vec<String> {
    let between = |c: char| !c.is_alphanumeric() && c != '$' && c != '_';
    let numbered = |w: &&str| w.len() > 1 && w[1..].bytes().all(|b| b.is_ascii_digit());
    text.split(between).filter(|w| w.starts_with(['$', 'T'])).filter(numbered).map(str::to_owned).collect()
}

/// Everything that happened, in order; adjoining outputs to the same place are one line.
fn lines(view: &TraceView, limits: &HumanLimits) -> Vec<Line> {
    let line = |event: u64, place: &Place, text: String| Line {
        event,
        place: place.to_string(),
        function: place.function.clone().filter(|_| !place.libc).unwrap_or_default(),
        text,
        libc: place.libc,
    };
    let mut lines: Vec<Line> = Vec::new();
    lines.extend(view.branches.iter().map(|b| {
        let direction = if b.taken { "taken" } else { "not taken" };
        line(b.event, &b.place, format!("{direction}: {}", b.condition))
    }));
    lines.extend(view.switches.iter().map(|s| {
        let case = if s.default { "default" } else { "case" };
        line(s.event, &s.place, format!("{case}: {}", s.condition))
    }));
    lines.extend(
        view.guards.iter().map(|g| line(g.event, &g.place, format!("guard ({}): {}", g.kind, g.condition))),
    );
    lines.extend(view.watches.iter().map(|w| {
        let formula = w.formula.as_deref().unwrap_or("concrete");
        line(w.event, &w.place, format!("watched: {} = {formula}", w.value))
    }));
    lines.extend(view.ends_of_input.iter().map(|e| Line {
        event: e.event,
        place: String::new(),
        function: String::new(),
        text: format!("end of {} at {}", e.input, e.offset),
        libc: false,
    }));
    lines.sort_by_key(|l| l.event);
    with_outputs(lines, view, limits)
}

/// Merges the outputs in.
fn with_outputs(others: Vec<Line>, view: &TraceView, limits: &HumanLimits) -> Vec<Line> {
    let mut result = Vec::with_capacity(others.len());
    let mut outputs = view.outputs.iter().peekable();
    for other in others.into_iter().map(Some).chain([None]) {
        let until = other.as_ref().map_or(u64::MAX, |line| line.event);
        while let Some(first) = outputs.next_if(|o| o.event < until) {
            let mut group = vec![first];
            while let Some(next) = outputs.next_if(|o| o.event < until && same_target(first, o)) {
                group.push(next);
            }
            result.push(output_line(&group, limits));
        }
        result.extend(other);
    }
    result
}

fn same_target(a: &OutputView, b: &OutputView) -> bool {
    (a.fd, a.to_file, &a.place) == (b.fd, b.to_file, &b.place)
}

fn output_line(group: &[&OutputView], limits: &HumanLimits) -> Line {
    let first = group[0];
    let target = match (first.fd, first.to_file) {
        (1, false) => "stdout".to_owned(),
        (2, false) => "stderr".to_owned(),
        (fd, _) => format!("descriptor {fd}"),
    };
    let bytes: Vec<u8> = group.iter().flat_map(|o| o.bytes.0.iter().copied()).collect();
    let mut symbolic = Vec::new();
    let mut start = 0;
    for output in group {
        symbolic.extend(output.symbolic.iter().map(|s| start + s.offset as usize));
        start += output.bytes.0.len();
    }
    let place = Some(&first.place).filter(|p| **p != Place::default());
    Line {
        event: first.event,
        place: place.map(Place::to_string).unwrap_or_default(),
        function: place.and_then(|p| p.function.clone().filter(|_| !p.libc)).unwrap_or_default(),
        text: format!("writes to {target}: {}", marked(&bytes, &symbolic, limits.bytes)),
        libc: false,
    }
}

/// The bytes in quotation marks, with `‹ ›` around runs that depend on the input.
fn marked(bytes: &[u8], symbolic: &[usize], max: usize) -> String {
    let shown = bytes.len().min(max);
    let is_symbolic: Vec<bool> = {
        let mut marks = vec![false; bytes.len()];
        symbolic.iter().filter(|i| **i < bytes.len()).for_each(|i| marks[*i] = true);
        marks
    };
    let mut text = String::from("\"");
    let mut at = 0;
    while at < shown {
        let end = (at..shown).find(|i| is_symbolic[*i] != is_symbolic[at]).unwrap_or(shown);
        let run = quoted(&bytes[at..end], end - at);
        let inner = &run[1..run.len() - 1];
        if is_symbolic[at] {
            let _ = write!(text, "‹{inner}›");
        } else {
            text.push_str(inner);
        }
        at = end;
    }
    text.push('"');
    if shown < bytes.len() {
        text.push('…');
    }
    text
}

fn losses(out: &mut String, view: &TraceView, limits: &HumanLimits) {
    let escapes = view.escapes.iter().map(|e| {
        let callee = String::from_utf8_lossy(&e.callee.0);
        format!("{}x  passed to {callee}, which is not covered, at {}", e.count, e.place)
    });
    let concretes = view.concretisations.iter().map(|c| {
        let formula = c.formula.as_ref().map(|f| format!(": {f}")).unwrap_or_default();
        format!("{}x  made concrete ({}) at {}{formula}", c.count, c.reason, c.place)
    });
    list(out, "Where symbolic data was lost", escapes.chain(concretes), limits.losses);
    let options = view.options.iter().map(|o| {
        let short = String::from_utf8_lossy(&o.short.0);
        let long: Vec<_> =
            o.long.iter().map(|l| format!("--{}", String::from_utf8_lossy(&l.name.0))).collect();
        format!("{}: \"{short}\" {}", o.style, long.join(" "))
    });
    list(out, "Options that the program knows", options, limits.losses);
    list(out, "Notes", view.notes.iter().cloned(), limits.losses);
}

fn list(out: &mut String, title: &str, items: impl Iterator<Item = String>, max: usize) {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    for item in items.iter().take(max) {
        let _ = writeln!(out, "  {}", item.trim_end());
    }
    if items.len() > max {
        let _ = writeln!(out, "  … and {} more (--format json has all)", items.len() - max);
    }
}

fn ending(out: &mut String, view: &TraceView, limits: &HumanLimits) {
    let stats = &view.stats;
    let how = match (view.limit, view.signal, view.exit) {
        (Some(limit), _, _) => format!("was stopped: {limit}"),
        (None, Some(signal), _) => format!("was killed by signal {signal}"),
        (None, None, Some(exit)) => format!("ended with exit status {exit}"),
        (None, None, None) => "ended".to_owned(),
    };
    let _ = writeln!(out, "\nThe program {how} after {:.3} s.", stats.seconds);
    if let Some(formula) = &view.exit_formula {
        let _ = writeln!(out, "The exit status depends on the input: {formula}");
    }
    for (name, bytes) in [("standard output", &view.stdout), ("standard error", &view.stderr)] {
        if !bytes.0.is_empty() {
            let size = count(bytes.0.len() as u64, "byte", "bytes");
            let _ = writeln!(out, "{name}, {size}: {}", quoted(&bytes.0, limits.bytes));
        }
    }
    let _ = writeln!(
        out,
        "{} at {}, {}, {}; {} of {} used; {}.",
        count(stats.branches, "branch", "branches"),
        count(stats.branch_sites, "place", "places"),
        count(stats.switches, "switch", "switches"),
        count(stats.guards, "guard", "guards"),
        stats.symbolic_bytes_used,
        count(stats.symbolic_bytes, "symbolic byte", "symbolic bytes"),
        count(stats.nodes, "expression", "expressions"),
    );
    if stats.edges > 0 {
        let _ = writeln!(out, "{} of {} taken.", stats.edges_covered, count(stats.edges, "edge", "edges"));
    }
    warnings(out, stats);
}

fn warnings(out: &mut String, stats: &Stats) {
    let bugs = stats.inconsistent + stats.violations;
    if bugs > 0 {
        let _ = writeln!(
            out,
            "WARNING: {} not agree with the run. This is a bug in Parallax: please report it.",
            count(bugs, "condition or value does", "conditions or values do")
        );
    }
    if stats.stale > 0 {
        let _ = writeln!(
            out,
            "{} dropped because code without instrumentation had changed memory.",
            count(stats.stale, "label was", "labels were")
        );
    }
}
