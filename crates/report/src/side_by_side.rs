//! Two texts beside each other, with what is different marked.
//!
//! In: two pieces of output. Out: an HTML table. Equal lines far from any change are folded; what is too long is cut, and says so.
//!
//! Always holds: every line of both texts is shown, or counted as equal or as cut.

use crate::html::escaped;
use crate::text::visible;
use similar::{ChangeTag, DiffOp, DiffTag, TextDiff};
use std::time::Duration;

/// Bytes of one text that are shown.
const MOST_BYTES: usize = 64 << 10;
/// Equal lines shown before and after a change.
const CONTEXT: usize = 3;
/// Lines that differ and are shown.
const MOST_ROWS: usize = 400;
/// After this the comparison is done less well.
const TIME: Duration = Duration::from_millis(500);

/// One line on one side: its number and its HTML.
type Cell = Option<(usize, String)>;

pub(crate) fn side_by_side(old: &[u8], new: &[u8]) -> String {
    let (a, b) = (shown(old), shown(new));
    let diff = TextDiff::configure().timeout(TIME).diff_lines(&a, &b);
    let mut rows = Rows::default();
    for op in diff.ops() {
        match op.tag() {
            DiffTag::Equal => rows.equal(&diff, op),
            _ => rows.changed(&diff, op),
        }
    }
    let mut note = String::new();
    for (name, text) in [("old", old), ("new", new)] {
        let more = text.len().saturating_sub(MOST_BYTES);
        if more > 0 {
            note.push_str(&format!("<p class=\"note\">{name}: {more} more bytes are in the kept test</p>\n"));
        }
    }
    if rows.left_out > 0 {
        note.push_str(&format!("<p class=\"note\">{} more rows that differ</p>\n", rows.left_out));
    }
    format!(
        "<table class=\"sides\"><thead><tr><th></th><th>old</th><th></th><th>new</th></tr></thead><tbody>\n{}</tbody></table>\n{note}",
        rows.html
    )
}

fn shown(text: &[u8]) -> String {
    visible(&text[..text.len().min(MOST_BYTES)])
}

#[derive(Default)]
struct Rows {
    html: String,
    changed: usize,
    left_out: usize,
}

impl Rows {
    fn equal<'t>(&mut self, diff: &'t TextDiff<'t, 't, 't, str>, op: &DiffOp) {
        let lines: Vec<_> = diff.iter_changes(op).collect();
        // At the very beginning and end only one side of the run borders on a change.
        let first = op.old_range().start == 0 && op.new_range().start == 0;
        let last =
            op.old_range().end == diff.old_slices().len() && op.new_range().end == diff.new_slices().len();
        let head = if first { 0 } else { CONTEXT };
        let tail = if last { 0 } else { CONTEXT };
        for (i, line) in lines.iter().enumerate() {
            if i >= head && i + tail < lines.len() {
                if i == head {
                    let folded = lines.len() - head - tail;
                    self.html.push_str(&format!(
                        "<tr class=\"fold\"><td colspan=\"4\">{folded} equal</td></tr>\n"
                    ));
                }
                continue;
            }
            let text = escaped(line.value().trim_end_matches('\n'));
            let cell = |index: Option<usize>| index.map(|i| (i + 1, text.clone()));
            self.row("", cell(line.old_index()), cell(line.new_index()));
        }
    }

    fn changed<'t>(&mut self, diff: &'t TextDiff<'t, 't, 't, str>, op: &DiffOp) {
        let (mut old, mut new): (Vec<Cell>, Vec<Cell>) = (Vec::new(), Vec::new());
        for line in diff.iter_inline_changes(op) {
            let mut html = String::new();
            for (emphasised, part) in line.iter_strings_lossy() {
                let text = escaped(part.trim_end_matches('\n'));
                html.push_str(&if emphasised && !text.is_empty() { format!("<b>{text}</b>") } else { text });
            }
            if line.missing_newline() {
                html.push_str("<i>no newline</i>");
            }
            match line.tag() {
                ChangeTag::Insert => new.push(line.new_index().map(|i| (i + 1, html))),
                _ => old.push(line.old_index().map(|i| (i + 1, html))),
            }
        }
        let rows = old.len().max(new.len());
        old.resize(rows, None);
        new.resize(rows, None);
        for (a, b) in old.into_iter().zip(new) {
            self.changed += 1;
            match self.changed > MOST_ROWS {
                true => self.left_out += 1,
                false => self.row(" class=\"diff\"", a, b),
            }
        }
    }

    fn row(&mut self, class: &str, old: Cell, new: Cell) {
        let cell = |cell: Cell, side: &str| match cell {
            Some((number, html)) => format!("<td>{number}</td><td class=\"{side}\"><pre>{html}</pre></td>"),
            None => "<td></td><td class=\"none\"></td>".to_owned(),
        };
        self.html.push_str(&format!("<tr{class}>{}{}</tr>\n", cell(old, "old"), cell(new, "new")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_of_a_line_that_differs_is_marked_and_markup_is_only_text() {
        let html = side_by_side(b"a\nvalue 5 <units>\n", b"a\nvalue 10 <units>\n");
        assert!(html.contains("<b>5</b>") && html.contains("<b>10</b>"), "{html}");
        assert!(html.contains("&lt;units&gt;") && !html.contains("<units>"), "{html}");
    }

    #[test]
    fn equal_lines_far_from_a_change_are_folded() {
        let lines = |last: &str| (1..=50).map(|i| format!("line {i}\n")).collect::<String>() + last;
        let html = side_by_side(lines("x\n").as_bytes(), lines("y\n").as_bytes());
        assert!(
            html.contains("47 equal") && html.contains("line 48") && !html.contains("line 47<"),
            "{html}"
        );
    }

    #[test]
    fn a_missing_newline_and_bytes_that_are_not_text_are_seen() {
        let html = side_by_side(b"a\n\xff\0", b"a\n");
        assert!(html.contains("\\xff\\0") && html.contains("no newline"), "{html}");
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        let long = "x\n".repeat(MOST_BYTES);
        let html = side_by_side(long.as_bytes(), b"");
        assert!(html.contains("more rows that differ") && html.contains("more bytes are in the kept test"));
        assert!(html.len() < 200_000, "{}", html.len());
    }
}
