//! A picture as SVG.
//!
//! In: a [`Picture`]. Out: one SVG document that needs nothing else to be shown.

use super::layout::{layout, Layout, Point};
use super::{Mark, Picture, PictureEdge};
use std::fmt::Write;

/// Of a monospace font of this size.
const FONT: f64 = 11.0;
const CHARACTER: f64 = 6.7;
const LINE: f64 = 14.0;
const MARGIN: f64 = 20.0;
const PADDING: f64 = 6.0;

pub fn svg(picture: &Picture) -> String {
    let sizes: Vec<(f64, f64)> = picture.nodes.iter().map(|node| size(&node.lines)).collect();
    let edges: Vec<(usize, usize)> = picture.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = document(&mut text, picture, &sizes, &layout(&sizes, &edges));
    text
}

fn size(lines: &[String]) -> (f64, f64) {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).max(2);
    (longest as f64 * CHARACTER + 2.0 * PADDING, lines.len().max(1) as f64 * LINE + 2.0 * PADDING)
}

fn document(text: &mut String, picture: &Picture, sizes: &[(f64, f64)], layout: &Layout) -> std::fmt::Result {
    let title = picture.title.chars().count() as f64 * CHARACTER;
    let width = layout.width.max(title) + 3.0 * MARGIN;
    let height = layout.height + 2.0 * MARGIN + 2.0 * LINE;
    writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"{FONT}\">"
    )?;
    writeln!(
        text,
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#444\"/></marker></defs>"
    )?;
    writeln!(text, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
    writeln!(
        text,
        "<text x=\"{MARGIN}\" y=\"{:.0}\" font-weight=\"bold\">{}</text>",
        MARGIN,
        xml(&picture.title)
    )?;
    writeln!(text, "<g transform=\"translate({MARGIN},{:.0})\">", MARGIN + LINE)?;
    for (edge, line) in picture.edges.iter().zip(&layout.edges) {
        draw(text, edge, line)?;
    }
    for ((node, at), (w, h)) in picture.nodes.iter().zip(&layout.nodes).zip(sizes) {
        let stroke = if node.mark == Mark::Plain { "#777" } else { "#000" };
        writeln!(
            text,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"3\" fill=\"{}\" stroke=\"{stroke}\"/>",
            at.x,
            at.y,
            node.mark.fill()
        )?;
        for (n, line) in node.lines.iter().enumerate() {
            let (x, y) = (at.x + PADDING, at.y + PADDING + LINE * (n as f64 + 0.75));
            writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" xml:space=\"preserve\">{}</text>", xml(line))?;
        }
    }
    writeln!(text, "</g>\n</svg>")
}

fn draw(text: &mut String, edge: &PictureEdge, line: &[Point]) -> std::fmt::Result {
    let points: Vec<String> = line.iter().map(|p| format!("{:.1},{:.1}", p.x, p.y)).collect();
    let dash = if edge.dashed { " stroke-dasharray=\"4 3\"" } else { "" };
    writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#444\"{dash} marker-end=\"url(#arrow)\"/>",
        points.join(" ")
    )?;
    match (edge.label.is_empty(), line.first(), line.get(1)) {
        (false, Some(a), Some(b)) => {
            let (x, y) = (a.x + (b.x - a.x) * 0.3 + 3.0, a.y + (b.y - a.y) * 0.3 + 4.0);
            writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"#666\">{}</text>", xml(&edge.label))
        }
        _ => Ok(()),
    }
}

/// Text for XML.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' => out.push(' '),
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::PictureNode;
    use super::*;

    #[test]
    fn source_text_is_shown_as_text() {
        let nodes = vec![PictureNode { lines: vec!["if (a < b && c)".into()], mark: Mark::Changed }];
        let svg = svg(&Picture { title: "f".into(), nodes, edges: Vec::new() });
        assert!(svg.contains("if (a &lt; b &amp;&amp; c)") && svg.contains(Mark::Changed.fill()), "{svg}");
    }
}
