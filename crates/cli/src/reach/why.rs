//! Why a target was not executed.
//!
//! In: the new version's model and map, which of its edges were ever taken, what became of its branches. Out: for a target the reason in words, and
//! the closest place that any input came to.
//!
//! The closest place is the executed block with the fewest branches to the target (the distance of Marinescu and Cadar 2013). What ends it and was never seen going on
//! towards the target is what stood in the way. Always holds: `hopeless` is said only if the interprocedural control flow, with every function
//! whose address is taken callable wherever the type fits, has no way there from the start of the program.

use parallax_model::calls::{CallGraph, Returns};
use parallax_model::distance::{Distances, Hopeless};
use parallax_model::icfg::Icfg;
use parallax_model::{BlockId, Program};
use parallax_plan::Numbers;
use parallax_report::place::{plain_function, Place};
use parallax_trace::sites::{EdgeInfo, ProgramMap, SiteKind};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the new version when the search is over.
pub struct Why<'w> {
    program: &'w Program,
    map: &'w ProgramMap,
    icfg: Icfg,
    numbers: Numbers,
    /// By edge and by block of the map.
    taken: Vec<bool>,
    executed: Vec<bool>,
    /// Branches that depend on the input and were seen going one way only, and why.
    one_way: BTreeMap<u32, &'static str>,
    /// By function of the map: calls in it that are not seen through.
    lost: BTreeMap<u32, String>,
    /// How the search ended.
    ended: String,
}

/// What became of a target that was not executed.
#[derive(Debug, Default)]
pub struct Unreached {
    pub reason: String,
    pub closest: Option<String>,
    pub distance: Option<u32>,
}

impl<'w> Why<'w> {
    /// `one_way` and `lost` by site.
    pub fn new(
        program: &'w Program,
        map: &'w ProgramMap,
        taken: Vec<bool>,
        one_way: BTreeMap<u32, &'static str>,
        lost: &[(u32, String)],
        ended: String,
    ) -> Why<'w> {
        let calls = CallGraph::coarse(program);
        let returns = Returns::new(program, &calls);
        let numbers = Numbers::new(program, map);
        let executed = executed(program, map, &numbers, &taken);
        let function =
            |site: u32| Some(map.blocks.get(map.sites.get(site as usize)?.block as usize)?.function);
        let lost = lost.iter().filter_map(|(site, name)| Some((function(*site)?, name.clone()))).collect();
        let icfg = Icfg::new(program, &calls, &returns);
        Why { program, map, icfg, numbers, taken, executed, one_way, lost, ended }
    }

    /// `target`: a block that was not executed, or not left over one of `edges`.
    pub fn of(&self, target: BlockId, edges: &[u32]) -> Unreached {
        let distances = Distances::new(&self.icfg, self.program, &[target], &Hopeless::default());
        if self.start().is_some_and(|start| distances.block(start).is_none()) {
            let reason = "hopeless: no way leads there from the start of the program".to_owned();
            return Unreached { reason, ..Unreached::default() };
        }
        // A block that was executed only in a function that no caller left towards the target still counts, after the others.
        let distance = |block: u32| {
            let block = self.numbers.block(block)?;
            let (inside, any) = (distances.block_inside(block), distances.block(block));
            inside.map(|n| (false, n)).or(any.map(|n| (true, n)))
        };
        let executed = (0..).zip(&self.executed).filter(|(_, executed)| **executed);
        let is_open = |(number, edge): (usize, &EdgeInfo)| edge.from != edge.to && !self.taken[number];
        let open: BTreeSet<u32> =
            self.map.edges.iter().enumerate().filter(|e| is_open(*e)).map(|(_, e)| e.from).collect();
        // Of several that are as close, the one that was not left every way.
        let known = executed.filter_map(|(block, _)| Some((distance(block)?, !open.contains(&block), block)));
        let Some(((_, away), _, block)) = known.min() else {
            let reason = format!("{}: no input came near", self.budget());
            return Unreached { reason, ..Unreached::default() };
        };
        let ways = (0..).zip(&self.map.edges).filter(|(_, edge)| edge.from == block && edge.from != edge.to);
        let open = ways.filter(|(number, _)| !self.taken[*number as usize]);
        let next = open.min_by_key(|(number, edge)| {
            (!edges.contains(number), distance(edge.to).is_none(), distance(edge.to))
        });
        let reason = self.obstacle(block, next.is_some());
        Unreached { reason, closest: Some(self.place(block)), distance: Some(away) }
    }

    /// For a way out of a branch. Where the branch itself was not executed, that of its block counts, which is another target.
    pub fn of_way(&self, edges: &[u32]) -> Unreached {
        let from = edges.first().and_then(|edge| self.map.edges.get(*edge as usize)).map(|edge| edge.from);
        match from {
            Some(block) if self.executed[block as usize] => {
                let (reason, closest) = (self.obstacle(block, true), Some(self.place(block)));
                Unreached { reason, closest, distance: Some(0) }
            }
            _ => {
                Unreached { reason: "the branch itself was not executed".to_owned(), ..Unreached::default() }
            }
        }
    }

    /// What ends the closest block, and what became of it.
    fn obstacle(&self, block: u32, has_open_way: bool) -> String {
        let place = self.place(block);
        let ends = |kind| matches!(kind, SiteKind::Branch | SiteKind::Switch);
        let site = (0u32..).zip(&self.map.sites).find(|(_, site)| site.block == block && ends(site.kind));
        let Some((site, info)) = site.filter(|_| has_open_way) else {
            return match self.lost_at(block) {
                Some(name) => format!("behind the unmodelled call {name}, near {place}"),
                None => format!("{}: what comes after {place} was never seen to lead there", self.budget()),
            };
        };
        let taken =
            (0..).zip(&self.map.edges).filter(|(number, edge)| edge.from == block && self.taken[*number]);
        match (self.one_way.get(&site), self.lost_at(block)) {
            (Some(reason), _) if reason.starts_with("the solver") => {
                format!("solver limit: the condition at {place} got no answer")
            }
            (Some(reason), _) if reason.starts_with("not tried") => {
                format!("{}: the condition at {place} was not asked to go the other way", self.budget())
            }
            (Some(reason), _) => format!("the condition at {place}: {reason}"),
            (None, _) if info.kind == SiteKind::Switch && taken.count() > 1 => {
                format!("{}: not every case at {place} was seen", self.budget())
            }
            (None, Some(name)) => format!("behind the unmodelled call {name}: the condition at {place} depends on no input that is known"),
            (None, None) => format!("the condition at {place} never depends on the input"),
        }
    }

    fn budget(&self) -> String {
        format!("budget ({})", self.ended)
    }

    fn lost_at(&self, block: u32) -> Option<&str> {
        self.lost.get(&self.map.blocks.get(block as usize)?.function).map(String::as_str)
    }

    /// The block in which the program begins.
    fn start(&self) -> Option<BlockId> {
        let main = self.program.defined_functions().find(|f| self.program.func(*f).name == "main")?;
        self.program.func(main).entry()
    }

    fn place(&self, block: u32) -> String {
        let last =
            (0u32..).zip(&self.map.sites).filter(|(_, site)| site.block == block && site.line > 0).last();
        if let Some((site, _)) = last {
            let place = Place::of(self.map, site);
            if let (Some(file), line) = (place.file, place.line) {
                return format!("{file}:{line}");
            }
        }
        let info = &self.map.blocks[block as usize];
        let function = self.map.functions.get(info.function as usize);
        let file = function.and_then(|f| self.map.files.get(f.file? as usize));
        match (file, function) {
            (Some(file), _) if info.line > 0 => format!("{}:{}", crate::changed::plain(file), info.line),
            (_, Some(function)) => plain_function(&function.name),
            _ => "an unknown place".to_owned(),
        }
    }
}

/// By block of the map: was it executed? Jumps have no edges: what a block that was executed jumps to was executed too.
fn executed(program: &Program, map: &ProgramMap, numbers: &Numbers, taken: &[bool]) -> Vec<bool> {
    let mut executed = vec![false; map.blocks.len()];
    let edges = map.edges.iter().zip(taken).filter(|(_, taken)| **taken);
    let mut pending: Vec<u32> = edges.flat_map(|(edge, _)| [edge.from, edge.to]).collect();
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut executed[block as usize], true) {
            continue;
        }
        if let Some([to]) = numbers.block(block).map(|block| program.successors(block)) {
            pending.extend(numbers.of(*to));
        }
    }
    executed
}
