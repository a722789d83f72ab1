//! The way from two models to a [`Plan`].

use crate::decisions::{choices, decisions};
use crate::distances::{self, Graph};
use crate::numbers::Numbers;
use crate::origins::Origins;
use crate::targets::{Destination, Entries};
use crate::{Irrelevant, Pair, Plan, Settings, Side, VersionPlan, Versions};
use parallax_change::{irrelevant, regions, Csg, Selection, World};
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::cfg::Flow;
use parallax_model::distance::{control_distances, Distances};
use parallax_model::icfg::Icfg;
use parallax_model::memory::Memory;
use parallax_model::mod_ref::{Edges, ModRef};
use parallax_model::points_to::PointsTo;
use parallax_model::reaching::{Limits, Reaching};
use parallax_model::wp::{self, Context, PlainMemory, PointedMemory, Preconditions};
use parallax_model::{BlockId, Program};

/// A block to be executed, and the edges that show it.
type Aim = (BlockId, Vec<u32>);

pub fn plan(versions: &Versions, settings: &Settings) -> Plan {
    let Versions { programs, comparison, targets, points_to, maps } = versions;
    let numbers = Pair::from_fn(|side| Numbers::new(programs[side], maps[side]));
    let entries = Pair::from_fn(|side| Entries::new(programs[side], &numbers[side], maps[side]));
    let selection = Selection::new(programs.old, programs.new, comparison, targets);
    let old = selection.old.iter().map(|block| (*block, entries.old.of(*block))).collect();
    let new = targets.iter().map(|target| (target.block, entries.new.of_target(target))).collect();
    let aims: Pair<Vec<Aim>> = Pair::new(old, new);
    let twin = |block: Option<BlockId>| numbers.new.of(comparison.alignment.blocks[block?.index()]?);
    let twins = numbers.old.blocks().map(twin).collect();
    let regions = regions(programs.old, programs.new, comparison);
    let calls = call_graph(programs.new, points_to.new);
    let returns = Returns::new(programs.new, &calls);
    let world = World { program: programs.new, calls: &calls, returns: &returns };
    let sequences = Csg::of_changes(&world, targets);
    let versions = Pair::from_fn(|side| {
        let version = Version { program: programs[side], points_to: points_to[side], settings };
        version.plan(&aims[side], numbers[side].clone(), side)
    });
    Plan { versions, twins, regions, sequences }
}

fn call_graph(program: &Program, points_to: Option<&PointsTo>) -> CallGraph {
    match points_to {
        Some(points_to) => CallGraph::new(program, |site| points_to.targets(site).collect()),
        None => CallGraph::coarse(program),
    }
}

struct Version<'a> {
    program: &'a Program,
    points_to: Option<&'a PointsTo>,
    settings: &'a Settings,
}

impl Version<'_> {
    fn plan(&self, aims: &[Aim], numbers: Numbers, side: Side) -> VersionPlan {
        if aims.is_empty() {
            return VersionPlan::default();
        }
        let calls = call_graph(self.program, self.points_to);
        let returns = Returns::new(self.program, &calls);
        let world = World { program: self.program, calls: &calls, returns: &returns };
        let plain = PlainMemory::new(self.program, &calls);
        let Some(points_to) = self.points_to else { return self.ways(&world, &plain, aims, numbers) };
        let accesses = Memory::new(self.program, points_to);
        let edges = Edges::new(self.program, points_to);
        let mod_ref = ModRef::new(&accesses, &edges);
        let memory = PointedMemory { plain, accesses: &accesses, mod_ref: &mod_ref };
        let mut plan = self.ways(&world, &memory, aims, numbers.clone());
        // Targets are blocks of the new version: that is where definitions are switched.
        if side == Side::New {
            let reaching = Some(Reaching::new(&accesses, &edges, Limits::default()));
            let (program, settings) = (self.program, *self.settings);
            let mut origins = Origins { program, calls: &calls, numbers: &numbers, reaching, settings };
            plan.decisions = decisions(program, &numbers, &mut origins);
            let choices =
                aims.iter().map(|(block, _)| (numbers.of(*block), choices(program, &mut origins, *block)));
            plan.choices = choices.filter_map(|(number, all)| Some((number?, all))).collect();
        }
        plan
    }

    /// Distances, and what need not be taken.
    fn ways(&self, world: &World, memory: &dyn wp::Memory, aims: &[Aim], numbers: Numbers) -> VersionPlan {
        let program = self.program;
        let icfg = Icfg::new(program, world.calls, world.returns);
        let context = Context::new(program, world.calls, world.returns, memory);
        let hopeless = |blocks: &[BlockId]| Preconditions::new(&context, blocks).hopeless(&context);
        let blocks: Vec<BlockId> = aims.iter().map(|(block, _)| *block).collect();
        let for_all = hopeless(&blocks);
        let places = distances::places(&Distances::of(&icfg, &blocks, &for_all), &numbers);
        let flow = |f| Flow::new(program, world.calls, world.returns, f);
        let flows: Vec<Flow> = program.defined_functions().map(flow).collect();
        let control = |blocks: &[BlockId]| {
            let all = control_distances(program, &flows, world.calls, blocks);
            numbers.blocks().map(|block| all[block?.index()]).collect::<Vec<Option<u32>>>()
        };
        let alone = aims.len() * program.insts.len() <= self.settings.preconditions;
        let own = aims.len() <= self.settings.destinations;
        let destination = |(block, edges): &Aim| {
            let mut destination =
                Destination { block: numbers.of(*block), edges: edges.clone(), ..Destination::default() };
            if own {
                let alone = (alone && aims.len() > 1).then(|| hopeless(&[*block]));
                let all = Distances::of(&icfg, &[*block], alone.as_ref().unwrap_or(&for_all));
                destination.distances = numbers.blocks().map(|b| distances::distance(&all, b)).collect();
                destination.control = control(&[*block]);
            }
            destination
        };
        let destinations = aims.iter().map(destination).collect();
        let branches = irrelevant(world, &icfg, &blocks, &for_all);
        let edges = |list: &[(BlockId, u32)]| {
            list.iter().filter_map(|(block, successor)| numbers.edge(*block, *successor)).collect()
        };
        let irrelevant =
            Irrelevant { execute: edges(&branches.execute), propagate: edges(&branches.propagate) };
        let control = control(&blocks);
        let jump = |block: BlockId| match program.successors(block) {
            [to] => Some((numbers.of(block)?, numbers.of(*to)?)),
            _ => None,
        };
        let jumps = program.block_ids().filter_map(jump).collect();
        let graph = Graph::new(icfg, numbers);
        VersionPlan { places, destinations, control, irrelevant, jumps, graph, ..VersionPlan::default() }
    }
}
