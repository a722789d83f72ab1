//! `parallax inspect`: what changed between two versions, and what follows from it.
//!
//! In: the command line. Out: the text to print.
//!
//! Always holds: no program is run; the user's files are only read.

use crate::config::Config;
use crate::depends::Dependence;
use crate::error::CliError;
use crate::graphs::{self, Sources};
use crate::inspect_args::{GraphKind, InspectArgs, InspectFormat};
use crate::models;
use crate::versions;
use parallax_build::Cache;
use parallax_change as change;
use parallax_change::{Change, Comparison, Csg, Effects, NodeKind, Settings, Target, World};
use parallax_execute::Interrupt;
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::distance::Hopeless;
use parallax_model::icfg::Icfg;
use parallax_model::{BlockId, FuncId, InstId, Program};
use parallax_report::inspect_view::*;
use parallax_report::picture::{dot, svg, Picture};
use parallax_report::{inspect_human, inspect_json};
use std::collections::BTreeSet;

/// Forward slices are made for at most so many changes.
const MAX_SLICES: usize = 64;

/// The comparison, and everything that is derived from it for showing.
pub struct Inspected<'p> {
    pub old: &'p Program,
    pub new: &'p Program,
    pub world: World<'p>,
    pub comparison: Comparison,
    pub targets: Vec<Target>,
    pub sources: Sources,
    /// None where the program is larger than was asked for.
    pub dependence: Option<Dependence>,
}

pub fn inspect(args: &InspectArgs, config: Option<&Config>) -> Result<String, CliError> {
    if args.graph.is_none() && matches!(args.format, InspectFormat::Svg | InspectFormat::Dot) {
        return Err(CliError::usage("--format svg and dot are for --graph"));
    }
    if args.graph.is_some() && args.format == InspectFormat::Json {
        return Err(CliError::usage("--graph gives SVG, or DOT with --format dot"));
    }
    let interrupt = Interrupt::on_signals();
    let wanted = versions::named([args.old.as_ref(), args.new.as_ref()], &args.build, config)?;
    let cache = Cache::from_environment();
    eprintln!("parallax: building {} and {}", wanted[0].name, wanted[1].name);
    let built = versions::build(&wanted, &interrupt, &cache)?;
    let [old, new] = versions::in_parallel(|i| models::model(&built[i], &cache));
    let (old, kept) = (old?.program, new?);
    let new = &kept.program;
    let comparison = change::compare(&old, new, &Settings::default());
    let targets = change::targets(new, &comparison);
    let small = new.insts.len() <= args.max_dependence;
    let points_to = small.then(|| kept.points_to());
    let calls = match &points_to {
        Some(points_to) => CallGraph::new(new, |site| points_to.targets(site).collect()),
        None => CallGraph::coarse(new),
    };
    let returns = Returns::new(new, &calls);
    let world = World { program: new, calls: &calls, returns: &returns };
    let sources = Sources::new(built[1].source_root.clone());
    // One change alone meets no other.
    let needed = targets.len() > 1 || args.graph == Some(GraphKind::Pdg);
    let dependence = points_to.filter(|_| needed).map(|points_to| Dependence::new(new, &points_to));
    let inspected = Inspected { old: &old, new, world, comparison, targets, sources, dependence };
    if let Some(graph) = args.graph {
        let picture = picture(&inspected, graph, args.function.as_deref())?.cut(args.max_nodes);
        return Ok(if args.format == InspectFormat::Dot { dot(&picture) } else { svg(&picture) });
    }
    let view = view(&inspected, [&wanted[0].name, &wanted[1].name]);
    Ok(match args.format {
        InspectFormat::Json => inspect_json(&view)?,
        _ => inspect_human(&view),
    })
}

fn picture(of: &Inspected, graph: GraphKind, function: Option<&str>) -> Result<Picture, CliError> {
    Ok(match graph {
        GraphKind::Cfg => graphs::cfg(of, chosen(of, function)?),
        GraphKind::Cdg => graphs::cdg(of, chosen(of, function)?),
        GraphKind::Calls => graphs::calls(of),
        GraphKind::Csg => graphs::csg(of, &sequences(of)),
        GraphKind::Pdg => {
            let dependence = of.dependence.as_ref().ok_or_else(|| {
                CliError::usage("--graph pdg: the program is larger than --max-dependence allows")
            })?;
            graphs::pdg(of, dependence, chosen(of, function)?)
        }
    })
}

/// The function that was named, or the first that is changed, or `main`.
fn chosen(of: &Inspected, name: Option<&str>) -> Result<FuncId, CliError> {
    let named = |name: &str| of.new.defined_functions().find(|f| of.new.func(*f).display_name() == name);
    match name {
        Some(name) => {
            named(name).ok_or_else(|| CliError::usage(format!("the new version has no function {name}")))
        }
        None => of
            .targets
            .first()
            .map(|t| t.func)
            .or_else(|| named("main"))
            .ok_or_else(|| CliError::usage("nothing is changed; name a function with --function")),
    }
}

/// The change sequence graph, with the places where changes meet if they are known.
fn sequences(of: &Inspected) -> Csg {
    let few = of.targets.len() <= MAX_SLICES;
    match of.dependence.as_ref().filter(|_| few) {
        Some(dependence) => {
            let units = of.targets.iter().map(|t| t.insts.as_slice());
            let effects = Effects::new(units, |insts| dependence.forward(insts));
            let depends = |inst| dependence.depends_on(inst).into_iter().map(|(on, _)| on).collect();
            Csg::with_interactions(&of.world, &of.targets, &effects, depends)
        }
        None => Csg::of_changes(&of.world, &of.targets),
    }
}

/// Pairs of changes whose effects meet.
fn interference(of: &Inspected, changes: &[ChangeView]) -> Vec<InterferenceView> {
    let Some(dependence) = &of.dependence else { return Vec::new() };
    let all = &of.comparison.changes;
    let executable: Vec<usize> = (0..all.len()).filter(|n| all[*n].is_executable()).collect();
    if executable.len() > MAX_SLICES {
        return Vec::new();
    }
    let insts: Vec<Vec<InstId>> =
        executable.iter().map(|n| [&all[*n].new_insts[..], &all[*n].places[..]].concat()).collect();
    let effects = Effects::new(insts.iter().map(Vec::as_slice), |insts| dependence.forward(insts));
    let number = |n: usize| changes.iter().position(|view| *view == change_view(&all[executable[n]]));
    let view = |([a, b], common): ([usize; 2], BTreeSet<InstId>)| {
        let lines: BTreeSet<LineView> = common.iter().filter_map(|i| line_view(of.new, *i)).collect();
        InterferenceView {
            between: [a, b].into_iter().filter_map(number).collect(),
            places: lines.into_iter().collect(),
        }
    };
    effects.pairs().into_iter().map(view).collect()
}

fn line_view(program: &Program, inst: InstId) -> Option<LineView> {
    let loc = program.loc(inst).filter(|loc| loc.line > 0)?;
    Some(LineView { file: Some(plain(program.file(loc.file))), line: loc.line })
}

fn view(of: &Inspected, names: [&str; 2]) -> InspectView {
    let csg = Csg::of_changes(&of.world, &of.targets);
    let cloc = change::changed_lines(&of.comparison.changes);
    let mut view = InspectView::new(names[0].to_owned(), names[1].to_owned());
    view.changes = changes(&of.comparison);
    view.targets = blocks(&of.world, &of.targets);
    view.complexity = ComplexityView { cycc: csg.cyclomatic(), cloc };
    view.csg = csg_view(of.new, &sequences(of));
    view.interference = interference(of, &view.changes);
    view.irrelevant = irrelevant(&of.world, &of.targets);
    view.seen_by = seen_by(&of.world, &of.targets);
    view.notes = notes(of);
    view
}

fn changes(comparison: &Comparison) -> Vec<ChangeView> {
    let mut views: Vec<ChangeView> = Vec::new();
    for view in comparison.changes.iter().map(change_view) {
        // A function of a header is in the program once for each file that includes it.
        if !views.contains(&view) {
            views.push(view);
        }
    }
    views
}

fn change_view(change: &Change) -> ChangeView {
    let is_variable = change.old_global.is_some() || change.new_global.is_some();
    let file = change.new_lines.file.as_ref().or(change.old_lines.file.as_ref());
    ChangeView {
        file: file.map(|f| plain(f)),
        function: (!is_variable).then(|| change.name.clone()),
        variable: is_variable.then(|| change.name.clone()),
        kind: change.kind.name(),
        old_lines: change.old_lines.lines.clone(),
        new_lines: change.new_lines.lines.clone(),
    }
}

fn plain(file: &str) -> String {
    file.strip_prefix("./").unwrap_or(file).to_owned()
}

fn file_of(program: &Program, f: FuncId) -> Option<String> {
    program.func(f).file.map(|file| plain(program.file(file)))
}

fn blocks(world: &World, targets: &[Target]) -> Vec<ChangedBlockView> {
    let distances = world.from_start();
    let view = |t: &Target| ChangedBlockView {
        file: t.file.as_ref().map(|f| plain(f)),
        line: t.line,
        function: world.program.func(t.func).display_name().to_owned(),
        distance: distances[t.block.index()],
    };
    targets.iter().map(view).collect()
}

fn csg_view(program: &Program, csg: &Csg) -> CsgView {
    let node = |(id, node): (usize, &change::Node)| {
        let func = node.block.map(|b| program.block(b).func);
        let line = node.inst.and_then(|i| program.loc(i)).map(|loc| loc.line);
        let block_line = node.block.map(|b| program.block(b).line);
        CsgNodeView {
            id,
            kind: match node.kind {
                NodeKind::Entry => "entry",
                NodeKind::Exit => "exit",
                NodeKind::Change => "change",
                NodeKind::Interaction => "interaction",
            },
            file: func.and_then(|f| file_of(program, f)),
            line: line.filter(|l| *l > 0).or(block_line),
            function: func.map(|f| program.func(f).display_name().to_owned()),
        }
    };
    CsgView { nodes: csg.nodes.iter().enumerate().map(node).collect(), edges: csg.edges.clone() }
}

fn irrelevant(world: &World, targets: &[Target]) -> IrrelevantView {
    // Without a change no branch is better than another.
    if targets.is_empty() {
        return IrrelevantView::default();
    }
    let blocks: Vec<BlockId> = targets.iter().map(|t| t.block).collect();
    let icfg = Icfg::new(world.program, world.calls, world.returns);
    let found = change::irrelevant(world, &icfg, &blocks, &Hopeless::default());
    let views = |branches: &[change::Branch]| branches.iter().map(|b| branch(world.program, *b)).collect();
    IrrelevantView { execute: views(&found.execute), propagate: views(&found.propagate) }
}

fn branch(program: &Program, (block, successor): change::Branch) -> BranchView {
    let insts = program.block(block).insts;
    let last = insts.iter().rev().filter_map(|i| program.loc(i)).map(|loc| loc.line).find(|line| *line > 0);
    let func = program.block(block).func;
    BranchView {
        file: file_of(program, func),
        line: last.unwrap_or(0),
        function: program.func(func).display_name().to_owned(),
        successor,
        to: program.block(program.successors(block)[successor as usize]).line,
    }
}

/// Functions with changed code, and all that call them, directly or not.
fn seen_by(world: &World, targets: &[Target]) -> Vec<String> {
    let mut seen: BTreeSet<FuncId> = BTreeSet::new();
    let mut pending: Vec<FuncId> = targets.iter().map(|t| t.func).collect();
    while let Some(f) = pending.pop() {
        if seen.insert(f) {
            pending.extend(world.calls.callers(f).map(|site| world.program.func_of(site)));
        }
    }
    let names: BTreeSet<&str> = seen.iter().map(|f| world.program.func(*f).display_name()).collect();
    names.into_iter().map(str::to_owned).collect()
}

fn notes(of: &Inspected) -> Vec<String> {
    let (old, new) = (of.old, of.new);
    let mut notes = Vec::new();
    for (name, program) in [("old", old), ("new", new)] {
        if !program.has_debug_info {
            notes.push(format!(
                "the {name} version has no debug information: files and lines are not known (build it with -g)"
            ));
        }
    }
    let names = |program: &Program| -> BTreeSet<String> {
        program.defined_functions().map(|f| program.func(f).name.clone()).collect()
    };
    if names(old).is_disjoint(&names(new)) {
        notes.push(
            "the versions have no function of the same name: are they versions of one program?".to_owned(),
        );
    }
    if of.targets.len() > 1 && (of.dependence.is_none() || of.targets.len() > MAX_SLICES) {
        notes.push("where changes meet was not worked out: the program or the change is too large (--max-dependence)".to_owned());
    }
    notes
}
