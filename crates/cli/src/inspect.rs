//! `parallax inspect`: what changed between two versions, and what follows from it.
//!
//! In: the command line. Out: the text to print.
//!
//! Always holds: no program is run; the user's files are only read.

use crate::answers::{Counts, Place};
use crate::changed::{self, plain, Changed};
use crate::config::Config;
use crate::depends::Dependence;
use crate::error::CliError;
use crate::graphs::{self, Sources};
use crate::inspect_args::{GraphKind, InspectArgs, InspectFormat};
use crate::models::Kept;
use crate::native::{self, Native};
use crate::versions;
use crate::ways::ways;
use parallax_build::{Cache, Version};
use parallax_change as change;
use parallax_change::{Comparison, Csg, Effects, NodeKind, Target, World};
use parallax_execute::Interrupt;
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::points_to::PointsTo;
use parallax_model::{FuncId, InstId, Program};
use parallax_report::inspect_view::*;
use parallax_report::picture::{dot, svg, Picture};
use parallax_report::Change;
use parallax_report::{inspect_human, inspect_json};
use std::collections::BTreeSet;

/// The comparison, and everything that is derived from it for showing.
pub struct Inspected<'p> {
    pub old: &'p Program,
    pub new: &'p Program,
    pub world: World<'p>,
    pub comparison: Comparison,
    pub targets: Vec<Target>,
    pub sources: Sources,
    /// None where the program is larger than was asked for.
    points_to: Option<PointsTo>,
    pub dependence: Option<Dependence>,
    /// Changes are looked at one by one only if there are not more.
    max_slices: usize,
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
    if let Some(graph) = args.graph {
        return looked(&built, &cache, args, |inspected| {
            let picture = picture(inspected, graph, args.function.as_deref())?.cut(args.max_nodes);
            Ok(if args.format == InspectFormat::Dot { dot(&picture) } else { svg(&picture) })
        });
    }
    let place = Place::new(&built, &cache, args)?;
    let mut answer = match place.read() {
        Some(known) => known,
        None => {
            let (answer, counts) =
                looked(&built, &cache, args, |inspected| Ok((view(inspected), counts(inspected))))?;
            place.keep(&answer, &counts);
            answer
        }
    };
    [answer.old, answer.new] = [wanted[0].name.clone(), wanted[1].name.clone()];
    answer.notes.push(compared(&built));
    Ok(match args.format {
        InspectFormat::Json => inspect_json(&answer)?,
        _ => inspect_human(&answer),
    })
}

fn counts(of: &Inspected) -> Counts {
    let changes = of.comparison.changes.iter().filter(|change| change.is_executable()).count();
    Counts { insts: of.new.insts.len(), targets: of.targets.len(), changes }
}

/// Compares two versions, works out what is needed, and shows it.
fn looked<T>(
    built: &[Version; 2],
    cache: &Cache,
    args: &InspectArgs,
    show: impl FnOnce(&Inspected) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let Changed { old: Kept { program: old, .. }, new: kept, comparison, targets } =
        changed::compare(built, cache)?;
    let new = &kept.program;
    let small = new.insts.len() <= args.max_dependence;
    let points_to = small.then(|| kept.points_to());
    let calls = match &points_to {
        Some(points_to) => CallGraph::new(new, |site| points_to.targets(site).collect()),
        None => CallGraph::coarse(new),
    };
    let returns = Returns::new(new, &calls);
    let world = World { program: new, calls: &calls, returns: &returns };
    let sources = Sources::new(built[1].source_root.clone());
    // Of the pictures only these two show dependence, and one change alone meets no other.
    let needed = match args.graph {
        None => !targets.is_empty(),
        Some(GraphKind::Csg) => targets.len() > 1,
        Some(graph) => graph == GraphKind::Pdg,
    };
    let dependence =
        points_to.as_ref().filter(|_| needed).map(|points_to| Dependence { pdg: kept.pdg(points_to) });
    let max_slices = args.max_slices;
    show(&Inspected {
        old: &old,
        new,
        world,
        comparison,
        targets,
        sources,
        points_to,
        dependence,
        max_slices,
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
    let few = of.targets.len() <= of.max_slices;
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
fn interference(of: &Inspected, changes: &[Change]) -> Vec<InterferenceView> {
    let Some(dependence) = &of.dependence else { return Vec::new() };
    let all = &of.comparison.changes;
    let executable: Vec<usize> = (0..all.len()).filter(|n| all[*n].is_executable()).collect();
    if executable.len() > of.max_slices {
        return Vec::new();
    }
    let insts: Vec<Vec<InstId>> =
        executable.iter().map(|n| [&all[*n].new_insts[..], &all[*n].places[..]].concat()).collect();
    let effects = Effects::new(insts.iter().map(Vec::as_slice), |insts| dependence.forward(insts));
    let number = |n: usize| changes.iter().position(|view| *view == changed::view(&all[executable[n]]));
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

fn view(of: &Inspected) -> InspectView {
    let csg = Csg::of_changes(&of.world, &of.targets);
    let cloc = change::changed_lines(&of.comparison.changes);
    // What the versions are called is no part of a kept answer.
    let mut view = InspectView::new(String::new(), String::new());
    view.changes = changed::views(&of.comparison);
    let ways = ways(&of.world, of.points_to.as_ref(), &of.targets, of.max_slices);
    view.targets = blocks(of.new, &of.targets, &ways.distances);
    view.complexity = ComplexityView { cycc: csg.cyclomatic(), cloc };
    view.csg = csg_view(of, &sequences(of));
    view.interference = interference(of, &view.changes);
    view.irrelevant = irrelevant(of.new, &ways.irrelevant);
    view.seen_by = seen_by(of);
    view.notes = notes(of);
    view
}

fn file_of(program: &Program, f: FuncId) -> Option<String> {
    program.func(f).file.map(|file| plain(program.file(file)))
}

fn blocks(program: &Program, targets: &[Target], distances: &[Option<u32>]) -> Vec<ChangedBlockView> {
    let view = |(t, distance): (&Target, &Option<u32>)| ChangedBlockView {
        file: t.file.as_ref().map(|f| plain(f)),
        line: t.line,
        function: program.func(t.func).display_name().to_owned(),
        distance: *distance,
    };
    targets.iter().zip(distances).map(view).collect()
}

fn csg_view(of: &Inspected, csg: &Csg) -> CsgView {
    let program = of.new;
    let node = |(id, node): (usize, &change::Node)| {
        let func = node.block.map(|b| program.block(b).func);
        let line = node.inst.and_then(|i| program.loc(i)).map(|loc| loc.line);
        let block_line = node.block.map(|b| program.block(b).line);
        let target_line = of.targets.iter().find(|t| Some(t.block) == node.block).map(|t| t.line);
        CsgNodeView {
            id,
            kind: match node.kind {
                NodeKind::Entry => "entry",
                NodeKind::Exit => "exit",
                NodeKind::Change => "change",
                NodeKind::Interaction => "interaction",
            }
            .to_owned(),
            file: func.and_then(|f| file_of(program, f)),
            line: [line, block_line, target_line].into_iter().flatten().find(|line| *line > 0),
            function: func.map(|f| program.func(f).display_name().to_owned()),
        }
    };
    CsgView { nodes: csg.nodes.iter().enumerate().map(node).collect(), edges: csg.edges.clone() }
}

fn irrelevant(program: &Program, found: &change::Irrelevant) -> IrrelevantView {
    let views = |branches: &[change::Branch]| branches.iter().map(|b| branch(program, *b)).collect();
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

/// Functions with code that depends on the change; where that is not known, those with changed code and all that call them, directly or not.
fn seen_by(of: &Inspected) -> Vec<String> {
    let program = of.new;
    let seen: BTreeSet<FuncId> = match &of.dependence {
        Some(dependence) => {
            let changed: Vec<InstId> = of.targets.iter().flat_map(|t| t.insts.iter().copied()).collect();
            dependence.forward(&changed).into_iter().map(|inst| program.func_of(inst)).collect()
        }
        None => callers(&of.world, &of.targets),
    };
    let names: BTreeSet<&str> = seen.iter().map(|f| program.func(*f).display_name()).collect();
    names.into_iter().map(str::to_owned).collect()
}

fn callers(world: &World, targets: &[Target]) -> BTreeSet<FuncId> {
    let mut seen: BTreeSet<FuncId> = BTreeSet::new();
    let mut pending: Vec<FuncId> = targets.iter().map(|t| t.func).collect();
    while let Some(f) = pending.pop() {
        if seen.insert(f) {
            pending.extend(world.calls.callers(f).map(|site| world.program.func_of(site)));
        }
    }
    seen
}

/// Which programs were compared.
fn compared(built: &[Version; 2]) -> String {
    let natives = [Native::of(&built[0]), Native::of(&built[1])];
    native::view(["", ""], &natives, None, &[]).compared()
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
    if !of.targets.is_empty() && of.dependence.is_none() {
        notes.push("where changes meet was not worked out, and every caller counts as seeing the change: the program is too large (--max-dependence)".to_owned());
    } else if of.targets.len() > of.max_slices {
        notes.push("where changes meet was not worked out, and distances follow control flow alone: there are too many changes (--max-slices)".to_owned());
    }
    notes
}
