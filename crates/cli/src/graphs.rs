//! Graphs of the new version as pictures: control flow, control and data dependence, calls, change sequences.
//!
//! In: the new program, what changed in it, its sources. Out: a [`Picture`].
//!
//! Always holds: changed nodes are marked; nodes hold the source text of their lines where the file can be read, and their numbers where not.

use crate::depends::Dependence;
use crate::inspect::Inspected;
use parallax_change::{Csg, NodeKind};
use parallax_model::cfg::Flow;
use parallax_model::{BlockId, FileId, FuncId, InstId, Program};
use parallax_report::picture::{Mark, Picture, PictureEdge, PictureNode};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// Most lines of source text in a node, and characters in a line.
const LINES: usize = 8;
const COLUMNS: usize = 64;

/// Source files, read when they are first asked for.
pub struct Sources {
    root: PathBuf,
    files: RefCell<HashMap<String, Vec<String>>>,
}

impl Sources {
    pub fn new(root: PathBuf) -> Sources {
        Sources { root, files: RefCell::new(HashMap::new()) }
    }

    /// A line of the source with its number.
    fn line(&self, file: &str, line: u32) -> String {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(self.root.join(file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).lines().map(|l| l.trim_end().to_owned()).collect()
        });
        let text = lines.get(line.saturating_sub(1) as usize).map_or("", |l| l.trim_start());
        let shown: String = text.chars().take(COLUMNS).collect();
        let more = if text.chars().count() > COLUMNS { "…" } else { "" };
        format!("{line:>4}  {shown}{more}")
    }
}

fn edge(from: usize, to: usize, label: impl Into<String>) -> PictureEdge {
    PictureEdge { from, to, label: label.into(), dashed: false }
}

/// What stands in a block.
fn block_node(of: &Inspected, block: BlockId) -> PictureNode {
    let program = of.new;
    let insts = program.block(block).insts.iter();
    let places: BTreeSet<(u32, &str)> = insts
        .filter_map(|i| program.loc(i))
        .filter(|loc| loc.line > 0)
        .map(|loc| (loc.line, program.file(loc.file)))
        .collect();
    let mut lines: Vec<String> =
        places.iter().take(LINES).map(|(line, file)| of.sources.line(file, *line)).collect();
    if places.len() > LINES {
        lines.push(format!("      … {} more lines", places.len() - LINES));
    }
    let changed = of.targets.iter().find(|t| t.block == block);
    if lines.is_empty() {
        // What is changed here has no line of its own, and is said to be at this one.
        let said = changed.filter(|t| t.line > 0).and_then(|t| Some((t.file.as_ref()?, t.line)));
        lines.push(
            said.map_or_else(|| format!("block {}", block.0), |(file, line)| of.sources.line(file, line)),
        );
    }
    PictureNode { lines, mark: if changed.is_some() { Mark::Changed } else { Mark::Plain } }
}

/// How a way out of a block is called.
fn way(program: &Program, block: BlockId, successor: usize) -> &'static str {
    match (program.successors(block).len(), successor) {
        (2, 0) => "yes",
        (2, _) => "no",
        _ => "",
    }
}

/// The control flow of a function.
pub fn cfg(of: &Inspected, f: FuncId) -> Picture {
    let blocks = of.new.func(f).blocks;
    let nodes = blocks.iter().map(|b| block_node(of, b)).collect();
    let mut edges = Vec::new();
    for (from, block) in blocks.iter().enumerate() {
        for (n, to) in of.new.successors(block).iter().enumerate() {
            edges.push(edge(from, (to.0 - blocks.start) as usize, way(of.new, block, n)));
        }
    }
    Picture { title: format!("control flow of {}", of.new.func(f).display_name()), nodes, edges }
}

/// Control dependence in a function; what is always executed hangs on the function itself.
pub fn cdg(of: &Inspected, f: FuncId) -> Picture {
    let flow = Flow::new(of.new, of.world.calls, of.world.returns, f);
    let blocks = of.new.func(f).blocks;
    let name = of.new.func(f).display_name();
    let mut nodes = vec![PictureNode { lines: vec![name.to_owned()], mark: Mark::End }];
    nodes.extend(blocks.iter().map(|b| block_node(of, b)));
    let mut edges = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        let controllers = flow.controllers(block);
        for (by, successor) in &controllers {
            let label = way(of.new, *by, *successor as usize);
            edges.push(edge((by.0 - blocks.start) as usize + 1, n + 1, label));
        }
        if controllers.is_empty() || flow.always_executed(block) {
            edges.push(edge(0, n + 1, ""));
        }
    }
    Picture { title: format!("control dependence in {name}"), nodes, edges }
}

/// Dependence between the lines of a function: data solid, control dashed.
pub fn pdg(of: &Inspected, dependence: &Dependence, f: FuncId) -> Picture {
    let program = of.new;
    let function = program.func(f);
    let own = |inst: InstId| program.loc(inst).filter(|loc| loc.line > 0).map(|loc| (loc.line, loc.file));
    // What is changed and has no line of its own stands where it is said to be.
    let said: BTreeMap<InstId, (u32, FileId)> = of
        .targets
        .iter()
        .filter(|t| t.func == f && t.line > 0)
        .flat_map(|t| t.insts.iter().filter_map(|inst| Some((*inst, (t.line, function.file?)))))
        .collect();
    let line_of = |inst: InstId| own(inst).or_else(|| said.get(&inst).copied());
    let lines: BTreeSet<(u32, FileId)> = function.insts.iter().filter_map(line_of).collect();
    let number: BTreeMap<(u32, FileId), usize> =
        lines.iter().enumerate().map(|(n, line)| (*line, n)).collect();
    let changed: BTreeSet<(u32, FileId)> =
        of.targets.iter().flat_map(|t| &t.insts).filter_map(|inst| line_of(*inst)).collect();
    let node = |line: &(u32, FileId)| PictureNode {
        lines: vec![of.sources.line(program.file(line.1), line.0)],
        mark: if changed.contains(line) { Mark::Changed } else { Mark::Plain },
    };
    let mut pairs: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    for inst in function.insts.iter() {
        let Some(to) = line_of(inst) else { continue };
        let within = |on: InstId| function.insts.contains(on);
        for (from, control) in dependence.lines_before(inst, line_of, within) {
            if from != to {
                *pairs.entry((number[&from], number[&to])).or_insert(true) &= control;
            }
        }
    }
    let edges = pairs.into_iter().map(|((a, b), dashed)| PictureEdge { dashed, ..edge(a, b, "") }).collect();
    let title = format!("dependence in {} (dashed: control)", function.display_name());
    Picture { title, nodes: lines.iter().map(node).collect(), edges }
}

/// Functions with a body, and who calls whom.
pub fn calls(of: &Inspected) -> Picture {
    let program = of.new;
    let changed: BTreeSet<FuncId> = of.targets.iter().map(|t| t.func).collect();
    let node = |f: FuncId| {
        let function = program.func(f);
        let file = function.file.map(|file| format!("{}:{}", program.file(file), function.line));
        let mark = if changed.contains(&f) { Mark::Changed } else { Mark::Plain };
        PictureNode { lines: [function.display_name().to_owned()].into_iter().chain(file).collect(), mark }
    };
    let nodes = program.defined_functions().map(node).collect();
    let mut pairs = BTreeMap::new();
    for site in of.world.calls.sites() {
        for callee in of.world.calls.callees(*site).iter().filter(|f| program.func(**f).is_defined()) {
            let direct = parallax_model::calls::is_plain_call(program, *site, *callee)
                && program.called_pointer(*site).is_none();
            *pairs.entry((program.func_of(*site), *callee)).or_insert(false) |= direct;
        }
    }
    let edges = pairs
        .into_iter()
        .map(|((from, to), direct)| PictureEdge { dashed: !direct, ..edge(from.index(), to.index(), "") })
        .collect();
    Picture { title: "calls (dashed: through a pointer)".to_owned(), nodes, edges }
}

/// The change sequence graph.
pub fn csg(of: &Inspected, csg: &Csg) -> Picture {
    let node = |node: &parallax_change::Node| match (node.kind, node.block) {
        (NodeKind::Entry, _) => PictureNode { lines: vec!["entry".to_owned()], mark: Mark::End },
        (NodeKind::Exit, _) => PictureNode { lines: vec!["exit".to_owned()], mark: Mark::End },
        (kind, Some(block)) => {
            let function = of.new.func(of.new.block(block).func).display_name().to_owned();
            let mut shown = block_node(of, block);
            shown.lines.insert(0, function);
            shown.mark = if kind == NodeKind::Interaction { Mark::Interaction } else { Mark::Changed };
            shown
        }
        (_, None) => PictureNode { lines: Vec::new(), mark: Mark::Plain },
    };
    let nodes = csg.nodes.iter().map(node).collect();
    let edges = csg.edges.iter().map(|(from, to)| edge(*from, *to, "")).collect();
    Picture { title: "change sequences".to_owned(), nodes, edges }
}
