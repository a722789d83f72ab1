//! Distances to targets: in branches over the interprocedural control flow (KATCH, section 3.2), and in steps of control dependence (seed 000, sections 3.1 and 4.2).
//!
//! In: graphs, target blocks, and what has been proven hopeless. Out: for every block, how far the nearest target is.
//!
//! Always holds: one pass, backwards from all targets at once. A way may first leave functions for their callers, then enter functions; after it has entered one it goes over
//! calls by short cuts. So no way enters a function by one call and leaves it by another.

use crate::calls::CallGraph;
use crate::cfg::Flow;
use crate::graph::ControlDependence;
use crate::icfg::{Edge, EdgeKind, Icfg, Node};
use crate::ir::*;
use std::collections::{BTreeSet, HashMap};

/// No target can be reached.
const FAR: u32 = u32::MAX;

/// What cannot lead to any target, with proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hopeless {
    /// By block: no target can be reached from its beginning. Empty: nothing is known.
    pub blocks: Vec<bool>,
    /// Edges to blocks that are not hopeless themselves: a block and the number of its successor.
    pub edges: BTreeSet<(BlockId, u32)>,
    /// Calls that cannot reach a target inside this callee, although others can; a target may still be reached behind the call.
    pub calls: BTreeSet<(InstId, FuncId)>,
}

impl Hopeless {
    pub fn block(&self, block: BlockId) -> bool {
        self.blocks.get(block.index()).copied().unwrap_or(false)
    }

    /// The edge from a block to its successor of this number.
    pub fn edge(&self, program: &Program, block: BlockId, successor: u32) -> bool {
        self.edges.contains(&(block, successor)) || self.block(program.successors(block)[successor as usize])
    }

    fn excludes(&self, kind: EdgeKind) -> bool {
        match kind {
            EdgeKind::Flow { block, successor } => self.edges.contains(&(block, successor)),
            EdgeKind::Call { site, callee } => self.calls.contains(&(site, callee)),
            _ => false,
        }
    }
}

/// Distances in branches.
#[derive(Clone, Debug)]
pub struct Distances {
    /// By node of the graph: ways that may leave functions.
    by_node: Vec<u32>,
    blocks: Vec<u32>,
    /// The same by block for ways that never leave the function they begin in but by going on into others.
    inside: Vec<u32>,
    hopeless: BTreeSet<(BlockId, u32)>,
}

impl Distances {
    /// `program`: the one that the graph is of.
    pub fn new(icfg: &Icfg, program: &Program, targets: &[BlockId], hopeless: &Hopeless) -> Self {
        debug_assert_eq!(icfg.blocks().len(), program.blocks.len());
        Self::of(icfg, targets, hopeless)
    }

    pub fn of(icfg: &Icfg, targets: &[BlockId], hopeless: &Hopeless) -> Self {
        let mut inside = vec![FAR; icfg.nodes()];
        let mut closed = vec![false; icfg.nodes()];
        for block in icfg.blocks().filter(|b| hopeless.block(*b)) {
            closed[icfg.segments(block).start as usize] = true;
        }
        let mut queue = Buckets::default();
        for target in targets {
            for segment in icfg.segments(*target) {
                inside[segment as usize] = 0;
                queue.push(0, segment);
            }
        }
        let open = |e: &Edge| !closed[e.from as usize] && !hopeless.excludes(e.kind);
        relax(icfg, &mut inside, queue, |e| e.kind != EdgeKind::Return && open(e));
        let blocks = |by_node: &[u32]| -> Vec<u32> {
            icfg.blocks().map(|b| by_node[icfg.segments(b).start as usize]).collect()
        };
        let only_inside = blocks(&inside);
        // On the way out: as far as it is from here going in, or further out.
        let mut queue = Buckets::default();
        for (node, distance) in inside.iter().enumerate().filter(|(_, d)| **d != FAR) {
            queue.push(*distance, node as Node);
        }
        let into = |kind| matches!(kind, EdgeKind::Call { .. } | EdgeKind::Hub);
        relax(icfg, &mut inside, queue, |e| !into(e.kind) && open(e));
        let blocks = blocks(&inside);
        Distances { by_node: inside, blocks, inside: only_inside, hopeless: hopeless.edges.clone() }
    }

    /// Branches between the beginning of a block and the nearest target; none if there is no way.
    pub fn block(&self, block: BlockId) -> Option<u32> {
        reachable(self.blocks[block.index()])
    }

    /// The same for ways that do not leave the function for a caller of it. Which caller that is depends on the run, so only this
    /// tells how close a run that executed the block has come.
    pub fn block_inside(&self, block: BlockId) -> Option<u32> {
        reachable(self.inside[block.index()])
    }

    /// The same from behind a call of a function of the program.
    pub fn behind(&self, icfg: &Icfg, program: &Program, call: InstId) -> Option<u32> {
        reachable(self.by_node[icfg.behind(program, call)? as usize])
    }

    /// The same if the block ends and goes to its successor of this number.
    pub fn edge(&self, program: &Program, block: BlockId, successor: u32) -> Option<u32> {
        if self.hopeless.contains(&(block, successor)) {
            return None;
        }
        self.block(program.successors(block)[successor as usize])
    }
}

fn reachable(distance: u32) -> Option<u32> {
    (distance != FAR).then_some(distance)
}

/// Nodes by distance; distances are small.
#[derive(Default)]
struct Buckets {
    by_distance: Vec<Vec<Node>>,
    at: usize,
}

impl Buckets {
    fn push(&mut self, distance: u32, node: Node) {
        let distance = distance as usize;
        if self.by_distance.len() <= distance {
            self.by_distance.resize(distance + 1, Vec::new());
        }
        self.by_distance[distance].push(node);
    }

    fn pop(&mut self) -> Option<(u32, Node)> {
        while self.at < self.by_distance.len() {
            if let Some(node) = self.by_distance[self.at].pop() {
                return Some((self.at as u32, node));
            }
            self.at += 1;
        }
        None
    }
}

/// Dijkstra's algorithm backwards along the edges that may be used.
fn relax(icfg: &Icfg, distances: &mut [u32], mut queue: Buckets, usable: impl Fn(&Edge) -> bool) {
    while let Some((distance, node)) = queue.pop() {
        if distances[node as usize] != distance {
            continue;
        }
        for edge in icfg.incoming(node) {
            let longer = distance + edge.weight;
            if longer < distances[edge.from as usize] && usable(edge) {
                distances[edge.from as usize] = longer;
                queue.push(longer, edge.from);
            }
        }
    }
}

/// Distances over the interprocedural control-dependence graph: edges from a branch to what depends on it, and from a function's entry to what is always executed in
/// it, weigh 1, those from a call to the entry weigh 0.
pub fn control_distances(
    program: &Program,
    flows: &[Flow],
    calls: &CallGraph,
    targets: &[BlockId],
) -> Vec<Option<u32>> {
    let entries = program.blocks.len() as Node;
    let mut distances = vec![FAR; program.blocks.len() + program.defined as usize];
    let mut open: HashMap<FuncId, ControlDependence> = HashMap::new();
    let mut queue = Buckets::default();
    for target in targets {
        distances[target.index()] = 0;
        queue.push(0, target.0);
    }
    while let Some((distance, node)) = queue.pop() {
        if distances[node as usize] != distance {
            continue;
        }
        let mut found: Vec<(u32, Node)> = Vec::new();
        if node >= entries {
            found.extend(calls.callers(FuncId(node - entries)).map(|site| (0, program.inst(site).block.0)));
        } else {
            let (block, f) = (BlockId(node), program.block(BlockId(node)).func);
            let flow = &flows[f.index()];
            let control = open.entry(f).or_insert_with(|| flow.control.clone());
            if flow.cfg.endless.is_empty() {
                // Each controller once is enough: whoever comes first is nearest.
                let controllers = control.take_controllers(&flow.post, flow.cfg.node(block));
                found
                    .extend(controllers.into_iter().filter_map(|c| flow.cfg.block(c.node)).map(|b| (1, b.0)));
            } else {
                found.extend(flow.controllers(block).into_iter().map(|(b, _)| (1, b.0)));
            }
            if flow.always_executed(block) {
                found.push((1, entries + f.0));
            }
        }
        for (weight, to) in found {
            if distance + weight < distances[to as usize] {
                distances[to as usize] = distance + weight;
                queue.push(distance + weight, to);
            }
        }
    }
    distances.truncate(program.blocks.len());
    distances.into_iter().map(reachable).collect()
}
