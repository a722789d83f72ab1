//! Graphs that a person can read: DOT and SVG.
//!
//! In: a [`Picture`]: nodes with lines of text and a mark, edges with labels. Out: a DOT description, or an SVG with a layout of our own.
//!
//! Always holds: edges name nodes that are there; the same picture gives the same text.

mod layout;
mod svg;

pub use svg::svg;

use std::fmt::Write;

/// What a node is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Plain,
    Changed,
    /// Changes meet here.
    Interaction,
    /// Where the graph begins or ends, or is cut.
    End,
}

impl Mark {
    /// Colour of the inside.
    fn fill(self) -> &'static str {
        match self {
            Mark::Plain => "#ffffff",
            Mark::Changed => "#ffe08a",
            Mark::Interaction => "#b8d8f8",
            Mark::End => "#e8e8e8",
        }
    }
}

#[derive(Clone, Debug)]
pub struct PictureNode {
    pub lines: Vec<String>,
    pub mark: Mark,
}

#[derive(Clone, Debug)]
pub struct PictureEdge {
    pub from: usize,
    pub to: usize,
    pub label: String,
    pub dashed: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Picture {
    pub title: String,
    pub nodes: Vec<PictureNode>,
    pub edges: Vec<PictureEdge>,
}

impl Picture {
    /// Only what is nearest to marked nodes, if there is more than `most`; what was cut off is shown as one node.
    pub fn cut(self, most: usize) -> Picture {
        if self.nodes.len() <= most {
            return self;
        }
        let kept = self.nearest(most);
        let mut number = vec![usize::MAX; self.nodes.len()];
        kept.iter().enumerate().for_each(|(new, old)| number[*old] = new);
        let away = self.nodes.len() - kept.len();
        let mut nodes: Vec<PictureNode> = kept.iter().map(|n| self.nodes[*n].clone()).collect();
        nodes.push(PictureNode { lines: vec![format!("… {away} more nodes …")], mark: Mark::End });
        let outside = nodes.len() - 1;
        let mut edges: Vec<PictureEdge> = Vec::new();
        for edge in self.edges {
            let at = |n: usize| if number[n] == usize::MAX { outside } else { number[n] };
            let (from, to) = (at(edge.from), at(edge.to));
            let across = from == outside || to == outside;
            let known = across && edges.iter().any(|e| (e.from, e.to) == (from, to));
            if (from, to) != (outside, outside) && !known {
                edges.push(PictureEdge { from, to, dashed: edge.dashed || across, ..edge });
            }
        }
        Picture { title: self.title, nodes, edges }
    }

    /// Breadth first from the marked nodes, both ways along edges; then those with the next numbers. In order of their numbers.
    fn nearest(&self, most: usize) -> Vec<usize> {
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            near[edge.from].push(edge.to);
            near[edge.to].push(edge.from);
        }
        let marked = |n: &usize| matches!(self.nodes[*n].mark, Mark::Changed | Mark::Interaction);
        let mut order: Vec<usize> = (0..self.nodes.len()).filter(marked).collect();
        if order.is_empty() {
            order.push(0);
        }
        order.truncate(most);
        // At most 0 nodes: nothing is marked.
        let first = order.first().copied().unwrap_or(0);
        let mut seen = vec![false; self.nodes.len()];
        order.iter().for_each(|n| seen[*n] = true);
        let mut at = 0;
        while at < order.len() && order.len() < most {
            for n in &near[order[at]] {
                if order.len() < most && !std::mem::replace(&mut seen[*n], true) {
                    order.push(*n);
                }
            }
            at += 1;
        }
        let mut rest: Vec<usize> = (0..self.nodes.len()).filter(|n| !seen[*n]).collect();
        rest.sort_by_key(|n| n.abs_diff(first));
        order.extend(rest.into_iter().take(most.saturating_sub(order.len())));
        order.sort_unstable();
        order
    }
}

/// For Graphviz.
pub fn dot(picture: &Picture) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_dot(&mut text, picture);
    text
}

fn write_dot(text: &mut String, picture: &Picture) -> std::fmt::Result {
    writeln!(text, "digraph \"{}\" {{", escaped(&picture.title))?;
    writeln!(text, "  label=\"{}\"; labelloc=t;", escaped(&picture.title))?;
    writeln!(text, "  node [shape=box, style=filled, fontname=monospace, fontsize=10];")?;
    for (n, node) in picture.nodes.iter().enumerate() {
        let lines: String = node.lines.iter().map(|line| escaped(line) + "\\l").collect();
        writeln!(text, "  n{n} [label=\"{lines}\", fillcolor=\"{}\"];", node.mark.fill())?;
    }
    for edge in &picture.edges {
        let style = if edge.dashed { ", style=dashed" } else { "" };
        writeln!(text, "  n{} -> n{} [label=\"{}\"{style}];", edge.from, edge.to, escaped(&edge.label))?;
    }
    writeln!(text, "}}")
}

fn escaped(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .flat_map(|c| match c {
            '"' | '\\' => vec!['\\', c],
            c => vec![c],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(n: usize, changed: usize) -> Picture {
        let mark = |i| if i == changed { Mark::Changed } else { Mark::Plain };
        let nodes = (0..n).map(|i| PictureNode { lines: vec![format!("node {i}")], mark: mark(i) }).collect();
        let edge = |i| PictureEdge { from: i, to: i + 1, label: String::new(), dashed: false };
        Picture { title: "chain".into(), nodes, edges: (0..n - 1).map(edge).collect() }
    }

    #[test]
    fn a_large_graph_is_cut_around_the_change() {
        let cut = chain(100, 50).cut(5);
        let lines: Vec<&str> = cut.nodes.iter().map(|n| n.lines[0].as_str()).collect();
        assert_eq!(lines, ["node 48", "node 49", "node 50", "node 51", "node 52", "… 95 more nodes …"]);
        assert_eq!(cut.edges.len(), 6);
        assert_eq!(chain(5, 2).cut(5).nodes.len(), 5);
    }

    #[test]
    fn a_cut_graph_is_as_large_as_asked_for_even_if_nothing_leads_to_the_change() {
        let mut picture = chain(100, 50);
        picture.edges.retain(|edge| edge.from != 50 && edge.to != 50);
        let cut = picture.cut(5);
        let lines: Vec<&str> = cut.nodes.iter().map(|n| n.lines[0].as_str()).collect();
        assert_eq!(lines, ["node 48", "node 49", "node 50", "node 51", "node 52", "… 95 more nodes …"]);
    }

    #[test]
    fn text_in_dot_is_escaped() {
        let mut picture = chain(2, 0);
        picture.nodes[0].lines = vec!["puts(\"a\\n\");".into()];
        assert!(dot(&picture).contains(r#"puts(\"a\\n\");\l"#), "{}", dot(&picture));
    }
}
