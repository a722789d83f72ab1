//! The result of a comparison as one page that a browser shows without anything else.
//!
//! In: a [`DiffView`] and what changed in the sources. Out: HTML.
//!
//! Always holds: the page refers to nothing outside itself, and nothing of the programs' output can become markup.

use crate::changes::Change;
use crate::diff_view::{BehaviourView, DiffView, DifferenceView, FileView, Verdict};
use crate::evidence::{doubts_section, seeds_section};
use crate::input_text::ended;
use crate::inspect_human::ranges;
use crate::ladder_view::ladder_section;
use crate::side_by_side::side_by_side;
use crate::text::{count, quoted, visible};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of an input that are shown.
const MOST_INPUT: usize = 4096;
/// Most rows of any list.
const LISTED: usize = 500;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem}h3{font-size:1.05rem;margin-bottom:.3rem}\
code,pre{font:13px/1.45 ui-monospace,monospace}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}\
table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.15rem .6rem}\
.sides{width:100%;table-layout:fixed;border:1px solid #8885}.sides td:nth-child(odd),.sides th:nth-child(odd){width:2.5rem;color:#888;text-align:right}\
.diff .old{background:#e5534b22}.diff .new{background:#2da44e22}.diff .old b{background:#e5534b66}.diff .new b{background:#2da44e66}\
.diff b{font-weight:inherit}.none{background:#8881}.fold td{color:#888;text-align:center}\
.tag{border:1px solid #8888;border-radius:.7rem;padding:0 .5rem;margin-right:.4rem;font-size:.85rem}\
.regression{background:#e5534b44}.progression{background:#2da44e44}\
section{border-top:1px solid #8885;margin-top:2rem}.note{color:#888}.input{border-left:3px solid #8885;padding-left:.6rem}";

/// The page.
pub fn html(view: &DiffView, changes: &[Change]) -> String {
    let title = headline(view);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style></head>\n\
         <body>\n<h1>{title}</h1>\n"
    );
    page.push_str(&summary(view));
    page.push_str(&doubts_section(view));
    for difference in &view.differences {
        page.push_str(&one(difference, view));
    }
    page.push_str(&seeds_section(view));
    page.push_str(&outside(view));
    page.push_str(&changed(changes));
    page.push_str(&ladder_section(&view.changes));
    page.push_str(&targets(view));
    page.push_str(&unstable(view));
    page.push_str(&reach(view));
    page.push_str(&statistics(view));
    page + "</body></html>\n"
}

/// Text for HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

fn headline(view: &DiffView) -> String {
    let (old, new) = (escaped(&view.versions.old), escaped(&view.versions.new));
    match view.verdict {
        Verdict::Different => {
            let found = count(view.differences.len() as u64, "difference", "differences");
            format!("{found} between {old} and {new}")
        }
        Verdict::Equivalent => format!("{old} and {new} are equivalent"),
        Verdict::EquivalentWithin => {
            format!("{old} and {new} are equivalent within the scope of the verification")
        }
        Verdict::Partly => format!("{old} and {new} do the same on a part of the inputs"),
        Verdict::SameCode => format!("{old} and {new} have the same code, but not the same surroundings"),
        Verdict::NoneFound if view.weakened.is_empty() => {
            format!("No difference found between {old} and {new}")
        }
        Verdict::NoneFound => format!("No difference found between {old} and {new}, but"),
        Verdict::Unconfirmed => format!("{old} and {new} differ on a seed, which was not confirmed"),
        Verdict::NotExecuted => format!("The change between {old} and {new} was never executed"),
    }
}

fn summary(view: &DiffView) -> String {
    let stats = &view.stats;
    let mut text = format!(
        "<p>{}, {}, {:.1} s. The search ended: {}.</p>\n",
        count(stats.runs, "input tried", "inputs tried"),
        count(stats.queries, "query", "queries"),
        stats.seconds,
        escaped(&view.ended)
    );
    text.push_str(&format!("<p>{}</p>\n", escaped(&view.versions.compared())));
    for note in &view.notes {
        text.push_str(&format!("<p class=\"note\">Note: {}.</p>\n", escaped(note)));
    }
    if view.differences.is_empty() {
        return text;
    }
    text.push_str("<table><thead><tr><th>difference</th><th>kind</th><th>cause</th><th>inputs</th><th>after</th></tr></thead><tbody>\n");
    for difference in &view.differences {
        let id = escaped(&difference.id);
        text.push_str(&format!(
            "<tr><td><a href=\"#{id}\">{id}</a></td><td>{}{}</td><td>{}</td><td>{}</td><td>{:.1} s</td></tr>\n",
            escaped(&difference.kind),
            difference.class.as_ref().map_or(String::new(), |class| format!(", {}", escaped(class))),
            escaped(difference.cause.as_deref().unwrap_or("")),
            difference.count,
            difference.found_after_s,
        ));
    }
    text + "</tbody></table>\n"
}

/// What is not the same although the code is.
fn outside(view: &DiffView) -> String {
    if view.outside.is_empty() {
        return String::new();
    }
    let items: String = view.outside.iter().map(|what| format!("<li>{}</li>\n", escaped(what))).collect();
    format!("<h2>What differs outside the code</h2>\n<ul>\n{items}</ul>\n")
}

fn one(difference: &DifferenceView, view: &DiffView) -> String {
    let id = escaped(&difference.id);
    let mut text = format!("<section id=\"{id}\"><h2>{id}</h2>\n<p>");
    for aspect in &difference.aspects {
        text.push_str(&format!("<span class=\"tag\">{}</span>", escaped(aspect)));
    }
    if let Some(class) = &difference.class {
        text.push_str(&format!("<span class=\"tag {0}\">{0}</span>", escaped(class)));
    }
    if difference.raw {
        text.push_str("<span class=\"tag\">raw</span>");
    }
    let inputs = count(difference.count, "input", "inputs");
    let all = if difference.everywhere { ", every one that was tried" } else { "" };
    text.push_str(&format!("{} · seen on {inputs}{all}</p>\n", escaped(&difference.signature)));
    let variants = difference.variants.iter().filter(|variant| variant.signature != difference.signature);
    for variant in variants {
        let inputs = count(variant.count, "input", "inputs");
        text.push_str(&format!("<p class=\"note\">also {} ({inputs})</p>\n", escaped(&variant.signature)));
    }
    if let Some(cause) = &difference.cause {
        text.push_str(&format!("<p>Cause: {}</p>\n", escaped(cause)));
    }
    if !difference.chain.is_empty() {
        let steps = difference.chain.iter().map(|step| format!("<li>{}</li>\n", escaped(&step.line())));
        text.push_str(&format!("<ol class=\"chain\">\n{}</ol>\n", steps.collect::<String>()));
    }
    text.push_str(&input(difference));
    text.push_str(&behaviours(difference));
    let test = escaped(&difference.test);
    text.push_str(&format!(
        "<h3>Replay</h3>\n<pre>parallax replay {test}\nsh {test}/run.sh {}\nsh {test}/run.sh {}</pre>\n</section>\n",
        escaped(&view.versions.old_binary),
        escaped(&view.versions.new_binary),
    ));
    text
}

fn input(difference: &DifferenceView) -> String {
    let mut words = vec!["PROGRAM".to_owned()];
    words.extend(difference.arguments.iter().map(|argument| shell_word(&argument.0)));
    let mut env: Vec<String> = difference.env.iter().map(|variable| shell_word(&variable.0)).collect();
    env.append(&mut words);
    let mut text = format!("<h3>Input</h3>\n<pre>{}</pre>\n", escaped(&env.join(" ")));
    if !difference.stdin.0.is_empty() {
        text.push_str(&piece("standard input", &difference.stdin.0));
    }
    for FileView { path, content, .. } in &difference.files {
        let content = content.as_ref().map_or(&[][..], |content| &content.0);
        text.push_str(&piece(&format!("file {}", visible(&path.0)), content));
    }
    let layout: Vec<String> = difference.layout.iter().map(|line| visible(&line.0)).collect();
    if !layout.is_empty() {
        text.push_str(&piece("directories, links and modes", layout.join("\n").as_bytes()));
    }
    text
}

fn piece(name: &str, content: &[u8]) -> String {
    let shown = visible(&content[..content.len().min(MOST_INPUT)]);
    let more = content.len().saturating_sub(MOST_INPUT);
    let more = if more > 0 { format!(" (the first of {} bytes)", content.len()) } else { String::new() };
    format!("<p class=\"note\">{}{more}</p><pre class=\"input\">{}</pre>\n", escaped(name), escaped(&shown))
}

/// A word as a shell would take it; only for reading.
fn shell_word(bytes: &[u8]) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_./,:=+@%".contains(b);
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && bytes.iter().all(plain) => text.to_owned(),
        Ok(text) if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', "'\\''")),
        _ => {
            let inside = quoted(bytes, MOST_INPUT);
            format!("$'{}'", inside.trim_matches('"').replace('\'', "\\'"))
        }
    }
}

fn behaviours(difference: &DifferenceView) -> String {
    let (old, new) = (&difference.old, &difference.new);
    let mut text = "<h3>What the versions did</h3>\n<table><tbody>\n".to_owned();
    let versions = [("old", Some(old)), ("new", Some(new)), ("golden", difference.golden.as_ref())];
    for (name, behaviour) in versions.iter().filter_map(|(name, b)| Some((name, (*b)?))) {
        text.push_str(&format!("<tr><th>{name}</th><td>{}</td></tr>\n", escaped(&ended(behaviour))));
    }
    text.push_str("</tbody></table>\n");
    for (name, a, b) in
        [("standard output", &old.stdout, &new.stdout), ("standard error", &old.stderr, &new.stderr)]
    {
        if a != b {
            text.push_str(&format!("<h3>{name}</h3>\n{}", side_by_side(&a.0, &b.0)));
        } else if !a.0.is_empty() {
            text.push_str(&format!("<h3>{name}, the same in both</h3>\n{}", piece("", &a.0)));
        }
    }
    text.push_str(&files(old, new));
    if let Some(golden) = &difference.golden {
        for (name, output) in [("standard output", &golden.stdout), ("standard error", &golden.stderr)] {
            if !output.0.is_empty() {
                text.push_str(&format!("<h3>{name} of the golden version</h3>\n{}", piece("", &output.0)));
            }
        }
    }
    text
}

fn files(old: &BehaviourView, new: &BehaviourView) -> String {
    let by_path = |behaviour: &BehaviourView| -> BTreeMap<Vec<u8>, FileView> {
        behaviour.files.iter().map(|file| (file.path.0.clone(), file.clone())).collect()
    };
    let (a, b) = (by_path(old), by_path(new));
    let mut text = String::new();
    for path in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
        let (x, y) = (a.get(path), b.get(path));
        if x == y {
            continue;
        }
        let what =
            |file: Option<&FileView>| file.and_then(|f| f.change.clone()).unwrap_or("untouched".to_owned());
        text.push_str(&format!(
            "<h3>file {}: {} by old, {} by new</h3>\n",
            escaped(&visible(path)),
            escaped(&what(x)),
            escaped(&what(y))
        ));
        let content = |file: Option<&FileView>| file.and_then(|f| f.content.clone()).unwrap_or_default().0;
        text.push_str(&side_by_side(&content(x), &content(y)));
    }
    text
}

fn changed(changes: &[Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let rows = changes.iter().map(|change| {
        let name = change.function.as_ref().or(change.variable.as_ref());
        let (old, new) = (ranges(&change.old_lines), ranges(&change.new_lines));
        [
            change.file.clone().unwrap_or_default(),
            name.cloned().unwrap_or_default(),
            change.kind.clone(),
            old,
            new,
        ]
    });
    let heads = ["file", "function or variable", "change", "old lines", "new lines"];
    format!("<section><h2>What changed</h2>\n{}</section>\n", table(&heads, rows))
}

fn targets(view: &DiffView) -> String {
    if view.targets.is_empty() {
        return String::new();
    }
    let rows = view.targets.iter().map(|target| {
        [
            target.place(),
            target.function.clone(),
            target.status.clone(),
            target.test.clone().unwrap_or_default(),
        ]
    });
    let heads = ["changed block", "function", "executed", "by"];
    format!("<section><h2>What was executed of the change</h2>\n{}</section>\n", table(&heads, rows))
}

pub(crate) fn table<const N: usize>(heads: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let row = |cells: Vec<String>, tag: &str| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let mut text = row(heads.iter().map(|head| (*head).to_owned()).collect(), "th");
    let mut left_out = 0;
    for (number, cells) in rows.enumerate() {
        match number < LISTED {
            true => text.push_str(&row(cells.into(), "td")),
            false => left_out += 1,
        }
    }
    let more =
        if left_out > 0 { format!("<p class=\"note\">and {left_out} more</p>\n") } else { String::new() };
    format!("<table><tbody>\n{text}</tbody></table>\n{more}")
}

fn unstable(view: &DiffView) -> String {
    if view.unstable.is_empty() {
        return String::new();
    }
    let rows = view.unstable.iter().map(|u| [u.version.clone(), u.aspect.clone(), u.what.clone()]);
    format!(
        "<section><h2>Left out: a version differs from itself</h2>\n{}</section>\n",
        table(&["version", "aspect", "what"], rows)
    )
}

/// What was symbolic, what was not seen, what was lost.
fn reach(view: &DiffView) -> String {
    let stats = &view.stats;
    let symbolic = if view.symbolic.is_empty() { "nothing".to_owned() } else { view.symbolic.join(", ") };
    let mut text = format!(
        "<section><h2>How far the search saw</h2>\n<p>Symbolic: {}. Branches that depended on it: {}; seen both ways: {}.</p>\n",
        escaped(&symbolic),
        stats.symbolic_branches,
        stats.flipped_branches
    );
    if !view.unflipped.is_empty() {
        let rows = view.unflipped.iter().map(|u| [u.version.clone(), u.place.clone(), u.reason.clone()]);
        text.push_str("<h3>Branches never seen the other way</h3>\n");
        text.push_str(&table(&["version", "place", "reason"], rows));
    }
    if !view.lost.is_empty() {
        let rows =
            view.lost.iter().map(|l| [l.version.clone(), l.place.clone(), l.what(), l.count.to_string()]);
        text.push_str("<h3>Where symbolic data was lost</h3>\n");
        text.push_str(&table(&["version", "place", "what", "times"], rows));
    }
    text + "</section>\n"
}

fn statistics(view: &DiffView) -> String {
    // The same numbers under the same names as in the JSON document.
    let stats = serde_json::to_value(&view.stats).unwrap_or_default();
    let rows = stats
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| [name.replace('_', " "), value.to_string()]);
    format!("<section><h2>Statistics</h2>\n{}</section>\n", table(&["", ""], rows))
}
