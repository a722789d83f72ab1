//! The result of a comparison for machines: JSON, JUnit; SARIF is in [`crate::sarif`].
//!
//! In: a [`DiffView`]. Out: documents.
//!
//! Always holds: every document has one item for each difference of the view, in the same order.

use crate::diff_view::{DiffView, DifferenceView};
use crate::html::escaped;
use crate::text::quoted;

/// One JSON document, with a newline at the end.
pub fn diff_json(view: &DiffView) -> serde_json::Result<String> {
    serde_json::to_string_pretty(view).map(|text| text + "\n")
}

/// One test case for each difference, failed; one that passed if there is none.
pub fn junit(view: &DiffView) -> String {
    let failures = view.differences.len();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text.push_str(&format!(
        "<testsuite name=\"parallax\" tests=\"{}\" failures=\"{failures}\" time=\"{:.3}\">\n",
        failures.max(1),
        view.stats.seconds
    ));
    let (old, new) = (xml(&view.versions.old_program), xml(&view.versions.new_program));
    text.push_str(&format!(
        "  <properties><property name=\"old_program\" value=\"{old}\"/><property name=\"new_program\" value=\"{new}\"/></properties>\n"
    ));
    if failures == 0 {
        text.push_str("  <testcase classname=\"parallax.diff\" name=\"no difference found\"/>\n");
    }
    for difference in &view.differences {
        let (id, kind) = (xml(&difference.id), xml(&difference.kind));
        let (message, body) = (xml(&difference.signature), xml(&body(difference)));
        text.push_str(&format!(
            "  <testcase classname=\"parallax.diff\" name=\"{id}\" time=\"{:.3}\">\n    \
             <failure type=\"{kind}\" message=\"{message}\">{body}</failure>\n  </testcase>\n",
            difference.found_after_s
        ));
    }
    text + "</testsuite>\n"
}

fn body(difference: &DifferenceView) -> String {
    let shown = 400;
    format!(
        "test: {}\nold stdout: {}\nnew stdout: {}\nold stderr: {}\nnew stderr: {}\n",
        difference.test,
        quoted(&difference.old.stdout.0, shown),
        quoted(&difference.new.stdout.0, shown),
        quoted(&difference.old.stderr.0, shown),
        quoted(&difference.new.stderr.0, shown),
    )
}

/// Text for XML: markup escaped, characters that XML does not allow left out.
fn xml(text: &str) -> String {
    let allowed = |c: &char| *c >= ' ' && *c != '\u{fffe}' && *c != '\u{ffff}' || "\n\t".contains(*c);
    escaped(&text.chars().filter(allowed).collect::<String>())
}
