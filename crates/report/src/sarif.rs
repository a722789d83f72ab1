//! The differences as a SARIF 2.1.0 log, for code scanning services.
//!
//! In: a [`DiffView`]. Out: a document with one result for each difference, in the same order.
//!
//! Always holds: every result names a rule of the driver and has a location with a region. It is the changed line behind the difference,
//! relative to the source tree of the version that has it; where the cause is not known, the first changed line that ran; and if
//! there is none, the kept test.

use crate::diff_view::{DiffView, DifferenceView};
use serde_json::{json, Value};
use std::path::Path;

/// Names of the roots that paths are relative to.
const NEW_ROOT: &str = "SRCROOT";
const OLD_ROOT: &str = "OLDROOT";
const RESULTS: &str = "RESULTS";

/// A rule: its name (that of the kind of difference), a sentence, and how bad it is.
const RULES: [(&str, &str, &str); 8] = [
    ("signal", "The versions are not ended by the same signal.", "error"),
    ("timeout", "Only one of the versions ends in time.", "error"),
    ("limit", "The versions do not break the same limit.", "error"),
    ("exit", "The versions end with another exit status.", "warning"),
    ("stdout", "The versions print something else on standard output.", "warning"),
    ("stderr", "The versions print something else on standard error.", "warning"),
    ("files", "The versions leave other files behind.", "warning"),
    ("line-numbers", "The versions print other line numbers of their own source.", "note"),
];

/// The log, with a newline at the end.
pub fn sarif(view: &DiffView) -> serde_json::Result<String> {
    let results: Vec<Value> = view.differences.iter().map(|difference| result(view, difference)).collect();
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(kind, sentence, level)| {
            json!({
                "id": rule_id(kind),
                "name": format!("Difference{}", capitalised(kind)),
                "shortDescription": { "text": sentence },
                "fullDescription": { "text": format!("{sentence} Seen on an input that Parallax found, each time it was tried.") },
                "defaultConfiguration": { "level": level },
            })
        })
        .collect();
    let root = |what: &str| json!({ "description": { "text": what } });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "parallax",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "originalUriBaseIds": {
                NEW_ROOT: root("The source tree of the new version."),
                OLD_ROOT: root("The source tree of the old version."),
                RESULTS: root("The directory in which parallax was started."),
            },
            "columnKind": "utf16CodeUnits",
            "properties": {
                "oldProgram": view.versions.old_program,
                "newProgram": view.versions.new_program,
            },
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).map(|text| text + "\n")
}

fn rule_id(kind: &str) -> String {
    format!("difference/{kind}")
}

fn capitalised(kind: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    kind.split('-').map(word).collect()
}

fn result(view: &DiffView, difference: &DifferenceView) -> Value {
    let index = RULES.iter().position(|(kind, ..)| *kind == difference.kind).unwrap_or(0);
    let (kind, _, level) = RULES[index];
    let mut locations = causes(view, difference);
    if locations.is_empty() {
        locations.extend(first_target(view));
    }
    let test = physical(RESULTS, &format!("{}/cmd", difference.test), [1, 1]);
    if locations.is_empty() {
        locations.push(test.clone());
    }
    let related =
        json!([{ "id": 1, "physicalLocation": test, "message": { "text": "a test that shows it" } }]);
    let locations: Vec<Value> =
        locations.into_iter().map(|place| json!({ "physicalLocation": place })).collect();
    json!({
        "ruleId": rule_id(kind),
        "ruleIndex": index,
        "level": level,
        "message": { "text": format!("{} (seen on {} inputs)", difference.signature, difference.count) },
        "locations": locations,
        "relatedLocations": related,
        "partialFingerprints": {
            "signature": difference.signature,
            "cause": difference.cause.clone().unwrap_or_default(),
        },
    })
}

/// The places that the cause names: `FILE:LINE`, `FILE:FIRST-LAST`, with ` (old)` behind it for the old version, joined by ` or `.
fn causes(view: &DiffView, difference: &DifferenceView) -> Vec<Value> {
    let cause = difference.cause.as_deref().unwrap_or("");
    cause.split(" or ").filter_map(|name| place(view, name)).collect()
}

fn place(view: &DiffView, name: &str) -> Option<Value> {
    let (name, version, root) = match name.strip_suffix(" (old)") {
        Some(name) => (name, &view.versions.old, OLD_ROOT),
        None => (name, &view.versions.new, NEW_ROOT),
    };
    let (file, lines) = name.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    Some(physical(root, &path(version, file), [first.parse().ok()?, last.parse().ok()?]))
}

/// A single C file is named as the user named it; files of a tree are relative to it already.
fn path(version: &str, file: &str) -> String {
    let typed = Path::new(version);
    match typed.is_relative() && typed.file_name().is_some_and(|name| name == file) {
        true => version.strip_prefix("./").unwrap_or(version).to_owned(),
        false => file.to_owned(),
    }
}

fn first_target(view: &DiffView) -> Option<Value> {
    let target = view.targets.iter().find(|target| target.is_reached() && target.file.is_some())?;
    let line = target.line.max(1);
    Some(physical(NEW_ROOT, &path(&view.versions.new, target.file.as_deref()?), [line, line]))
}

fn physical(root: &str, path: &str, [first, last]: [u32; 2]) -> Value {
    json!({
        "artifactLocation": { "uri": uri(path), "uriBaseId": root },
        "region": { "startLine": first, "endLine": last },
    })
}

/// A path as a URI reference: what has a meaning in URIs is escaped.
fn uri(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"-._~/".contains(&b) => text.push(b as char),
            b => text.push_str(&format!("%{b:02X}")),
        }
    }
    text
}
