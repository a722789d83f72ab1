//! The branches of the new version as targets: what `parallax augment` is to cover.
//!
//! In: the new version's model and map; what a change can affect, where only that is wanted. Out: every way out of every branch of the program itself, as a target, in
//! the order in which they are to be taken.
//!
//! Depth first is that of Xu, Kim, Kim, Cohen and Rothermel 2010 (section 3.1.3): the reverse of the order in which blocks are last visited when the interprocedural control flow
//! is traversed, calls entered where they are made; so that what comes earlier is taken earlier. Always holds: a way is there once; functions that Parallax brings are left out.

use crate::changed::Changed;
use crate::reached::Reached;
use parallax_execute::TestCase;
use parallax_model::calls::CallGraph;
use parallax_model::slice::{Direction, Slice};
use parallax_model::{BlockId, Program};
use parallax_plan::Numbers;
use parallax_report::diff_view::TargetView;
use parallax_report::place::Place;
use parallax_trace::sites::{ProgramMap, SiteKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Which branches, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Only those that the change can affect.
    pub changed: bool,
    /// Depth first, or as this seed of random numbers says.
    pub random: Option<u64>,
}

pub fn targets(changed: &Changed, map: &ProgramMap, seeds: &[TestCase], wanted: Wanted) -> Reached {
    let program = &changed.new.program;
    let numbers = Numbers::new(program, map);
    let affected = wanted.changed.then(|| affected(changed));
    let mut ways = ways(map);
    ways.retain(|way| {
        let block = numbers.block(map.edges[way.edge as usize].from);
        let of = |affected: &BTreeSet<BlockId>| block.is_some_and(|block| affected.contains(&block));
        block.is_some() && affected.as_ref().is_none_or(of)
    });
    match wanted.random {
        Some(seed) => fastrand::Rng::with_seed(seed).shuffle(&mut ways),
        None => {
            let order = depth_first(program);
            let rank = |way: &Way| {
                let block = numbers.block(map.edges[way.edge as usize].from);
                (block.and_then(|block| order.get(&block).copied()), way.edge)
            };
            ways.sort_by_key(rank);
        }
    }
    let (edges, views) = ways.into_iter().map(|way| (vec![way.edge], way.view)).unzip();
    Reached::of(edges, views, map, seeds)
}

struct Way {
    edge: u32,
    view: TargetView,
}

/// All ways out of branches of the program itself.
fn ways(map: &ProgramMap) -> Vec<Way> {
    let ends = |kind| matches!(kind, SiteKind::Branch | SiteKind::Switch);
    let sites: HashMap<u32, u32> =
        (0..).zip(&map.sites).filter(|(_, site)| ends(site.kind)).map(|(n, site)| (site.block, n)).collect();
    let mut out: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, edge) in (0..).zip(&map.edges).filter(|(_, edge)| sites.contains_key(&edge.from)) {
        let function = map.functions.get(map.blocks[edge.from as usize].function as usize);
        // The edge by which a function is entered leads from its first block to itself, and is the first.
        let is_entry = edge.from == edge.to && !out.contains_key(&edge.from);
        if !is_entry && function.is_some_and(|function| !function.model) {
            out.entry(edge.from).or_default().push(number);
        }
    }
    let way = |(block, edges): (&u32, &Vec<u32>)| {
        let site = sites[block];
        let several = edges.len() > 1;
        let views = edges.iter().enumerate().map(|(n, edge)| Way { edge: *edge, view: view(map, site, n) });
        views.filter(|_| several).collect::<Vec<_>>()
    };
    out.iter().flat_map(way).collect()
}

fn view(map: &ProgramMap, site: u32, number: usize) -> TargetView {
    let info = &map.sites[site as usize];
    let way = match (info.kind, number) {
        (SiteKind::Branch, 0) => "true".to_owned(),
        (SiteKind::Branch, _) => "false".to_owned(),
        (_, 0) => "default".to_owned(),
        (_, n) => info.cases.get(n - 1).map_or(format!("way {n}"), |case| format!("case {}", *case as i64)),
    };
    let place = Place::of(map, site);
    TargetView {
        file: place.file,
        line: place.line,
        function: place.function.unwrap_or_default(),
        way: Some(way),
        status: "unreached".to_owned(),
        test: None,
    }
}

/// Blocks that end in something that depends on the change.
fn affected(changed: &Changed) -> BTreeSet<BlockId> {
    let program = &changed.new.program;
    let pdg = changed.new.pdg(&changed.new.points_to());
    let insts = changed.targets.iter().flat_map(|target| target.insts.iter().copied());
    let slice = Slice::new(&pdg, insts, Direction::Forward);
    program.block_ids().filter(|block| slice.contains(program.terminator(*block))).collect()
}

/// By block: its place in depth-first order. Code that nothing leads to comes last.
fn depth_first(program: &Program) -> HashMap<BlockId, usize> {
    let calls = CallGraph::coarse(program);
    let entry = |f| program.func(f).entry();
    let main = program.defined_functions().find(|f| program.func(*f).name == "main").and_then(entry);
    let next = |block: BlockId| -> Vec<BlockId> {
        let callees = program.block(block).insts.iter().flat_map(|inst| calls.callees(inst).to_vec());
        let callees: Vec<BlockId> = callees.filter_map(entry).collect();
        callees.into_iter().chain(program.successors(block).iter().copied()).collect()
    };
    let mut seen = BTreeSet::new();
    let mut finished = Vec::new();
    for start in main.into_iter().chain(program.block_ids()) {
        // A block, and what is left of its successors.
        let mut stack = Vec::new();
        if seen.insert(start) {
            stack.push((start, next(start)));
        }
        while let Some((block, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(to) if seen.insert(to) => stack.push((to, next(to))),
                Some(_) => {}
                None => {
                    finished.push(*block);
                    stack.pop();
                }
            }
        }
        if Some(start) == main {
            // What main leads to is in front of the rest: ranks are reversed within each part.
            finished.reverse();
        }
    }
    finished.into_iter().enumerate().map(|(rank, block)| (block, rank)).collect()
}
