//! Change sequence graphs (seed 004, chapters 4.4 and 5.3), and the complexity of a change.
//!
//! In: the new program, its targets. Out: [`Csg`]: the start and the end of the program, the changed blocks, and, in the graph with interaction
//! locations, the places at which changes meet; an edge where control can pass from one to the other without passing through a third.
//!
//! Always holds: node 0 is the entry, node 1 the exit; there is no edge from entry to exit; edges are in order, each once.

use crate::effects::Effects;
use crate::points::{self, Place};
use crate::reach::World;
use crate::targets::Target;
use parallax_model::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeKind {
    Entry,
    Exit,
    /// A changed block.
    Change,
    /// A statement that depends on more than one change.
    Interaction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub kind: NodeKind,
    pub block: Option<BlockId>,
    /// The instruction that stands for it: the first changed one, or the one that depends on several changes.
    pub inst: Option<InstId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Csg {
    pub nodes: Vec<Node>,
    pub edges: Vec<(usize, usize)>,
}

pub const ENTRY: usize = 0;
pub const EXIT: usize = 1;

impl Csg {
    /// Without interaction locations (algorithm 7), interprocedural.
    pub fn of_changes(world: &World, targets: &[Target]) -> Csg {
        Csg::between(world, targets, &BTreeMap::new())
    }

    /// With interaction locations (algorithm 5). `effects`: what each target can have an effect on; `depends_on`: what an instruction depends on
    /// directly. To a location there is also an edge from each change that it depends on. A statement with changed code is a change, and no location.
    pub fn with_interactions(
        world: &World,
        targets: &[Target],
        effects: &Effects,
        depends_on: impl FnMut(InstId) -> Vec<InstId>,
    ) -> Csg {
        let changed: BTreeSet<(BlockId, u32)> =
            targets.iter().flat_map(|t| &t.insts).map(|inst| statement(world.program, *inst)).collect();
        let locations =
            &effects.locations(depends_on, |inst| changed.contains(&statement(world.program, inst)));
        let mut csg = Csg::between(world, targets, locations);
        let numbers: BTreeMap<(BlockId, u32), usize> = (csg.nodes.iter().enumerate())
            .filter(|(_, node)| node.kind == NodeKind::Interaction)
            .filter_map(|(n, node)| Some((statement(world.program, node.inst?), n)))
            .collect();
        for (inst, changes) in locations {
            if let Some(to) = numbers.get(&statement(world.program, *inst)) {
                csg.edges.extend(changes.iter().map(|n| (n + 2, *to)));
            }
        }
        csg.edges.sort_unstable();
        csg.edges.dedup();
        csg
    }

    fn between(world: &World, targets: &[Target], locations: &BTreeMap<InstId, BTreeSet<usize>>) -> Csg {
        let mut places: Vec<Place> =
            targets.iter().map(|t| Place { block: t.block, insts: t.insts.clone() }).collect();
        let mut statements: BTreeMap<(BlockId, u32), Vec<InstId>> = BTreeMap::new();
        for inst in locations.keys() {
            statements.entry(statement(world.program, *inst)).or_default().push(*inst);
        }
        places.extend(statements.into_iter().map(|((block, _), insts)| Place { block, insts }));
        let next = points::next(world, &places);
        let special = |kind| Node { kind, block: None, inst: None };
        let mut csg =
            Csg { nodes: vec![special(NodeKind::Entry), special(NodeKind::Exit)], edges: Vec::new() };
        for (n, place) in places.iter().enumerate() {
            let kind = if n < targets.len() { NodeKind::Change } else { NodeKind::Interaction };
            csg.nodes.push(Node { kind, block: Some(place.block), inst: place.insts.first().copied() });
        }
        let number = |n: usize| if n == places.len() { EXIT } else { n + 2 };
        let starts = next.after_start.iter().map(|n| number(*n)).filter(|n| *n != EXIT);
        csg.edges.extend(starts.map(|n| (ENTRY, n)));
        for (from, to) in next.after.iter().enumerate() {
            csg.edges.extend(to.iter().map(|n| (from + 2, number(*n))));
        }
        csg.edges.sort_unstable();
        csg
    }

    /// E − N + 2P; 0 where nothing changed.
    pub fn cyclomatic(&self) -> i64 {
        if self.nodes.len() <= 2 {
            return 0;
        }
        self.edges.len() as i64 - self.nodes.len() as i64 + 2 * self.parts() as i64
    }

    /// Connected parts, edges taken both ways.
    fn parts(&self) -> usize {
        let mut parent: Vec<usize> = (0..self.nodes.len()).collect();
        fn root(parent: &mut [usize], mut n: usize) -> usize {
            while parent[n] != n {
                parent[n] = parent[parent[n]];
                n = parent[n];
            }
            n
        }
        for (a, b) in &self.edges {
            let (a, b) = (root(&mut parent, *a), root(&mut parent, *b));
            parent[a] = b;
        }
        (0..self.nodes.len()).filter(|n| root(&mut parent, *n) == *n).count()
    }
}

/// The statement that an instruction belongs to: its line within its block.
fn statement(program: &Program, inst: InstId) -> (BlockId, u32) {
    (program.inst(inst).block, program.loc(inst).map_or(0, |loc| loc.line))
}
