//! Where the change is, and how far from it a run has come (the greedy step of Marinescu and Cadar 2013, the pruning of Taneja et al. 2011, as ranks).
//!
//! In: for each block of each version, how many branches it is away from changed code. Out: what a flip is worth on the way
//! there, how close a run came, and where its two versions did unchanged code differently often: there the state is infected.
//!
//! Departs from both in never pruning: a flip that cannot lead to the change is asked last, because the
//! distances come from an analysis that may not know all calls.

use crate::goal::Flip;
use crate::path::Step;
use crate::{Pair, Side};
use parallax_plan::{Distance, Place, Plan};
use parallax_trace::sites::{ProgramMap, SiteKind};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

pub struct Guide<'a> {
    maps: Pair<&'a ProgramMap>,
    pub plan: &'a Plan,
    /// Whether the distances to the change may be used.
    distances: bool,
    /// For each version and block that ends in a branch: its ways out, in the order of the edges, with the numbers of these.
    ways: Pair<BTreeMap<u32, Vec<(u32, u32)>>>,
    /// By edge of the old map: the one of the new that is the same.
    twins: Vec<Option<u32>>,
}

impl<'a> Guide<'a> {
    /// `distances`: whether the distances to the change may be used.
    pub fn new(maps: Pair<&'a ProgramMap>, plan: &'a Plan, distances: bool) -> Guide<'a> {
        Guide { maps, plan, distances, ways: maps.map(ways), twins: twin_edges(maps, &plan.twins) }
    }

    /// The edges of the old map that the versions took differently often, and whether the old one took them more often.
    pub fn infected(&self, taken: &Pair<Vec<(u32, u8)>>) -> Vec<(u32, bool)> {
        let new: HashMap<u32, u8> = taken.new.iter().copied().collect();
        let mut twins_of_taken = HashSet::new();
        let mut found = Vec::new();
        for (edge, count) in &taken.old {
            let Some(twin) = self.twins.get(*edge as usize).copied().flatten() else { continue };
            twins_of_taken.insert(twin);
            let other = new.get(&twin).copied().unwrap_or(0);
            if *count != other {
                found.push((*edge, *count > other));
            }
        }
        let only_new = |(edge, twin): (u32, &Option<u32>)| {
            let twin = (*twin)?;
            (new.contains_key(&twin) && !twins_of_taken.contains(&twin)).then_some((edge, false))
        };
        found.extend((0..).zip(&self.twins).filter_map(only_new));
        found
    }

    fn distance(&self, side: Side, block: u32) -> Distance {
        self.place(side, block).map_or(Distance::Unknown, |place| place.distance)
    }

    fn place(&self, side: Side, block: u32) -> Option<&Place> {
        self.plan.versions[side].places.get(block as usize).filter(|_| self.distances)
    }

    /// The least number of branches between what a run executed and changed code; the greatest number there is if that
    /// is not known or if there is no way. What a function's other callers do is no way: this run was not there.
    pub fn closest(&self, side: Side, taken: impl Iterator<Item = (u32, u8)>) -> u32 {
        let edges = &self.maps[side].edges;
        let executed = taken.filter_map(|(edge, _)| edges.get(edge as usize));
        executed.filter_map(|edge| self.place(side, edge.to)?.inside).min().unwrap_or(u32::MAX)
    }

    /// How far a condition is from changed code; much if that is not known.
    pub fn at(&self, side: Side, step: &Step) -> u32 {
        match self.block(side, step).map(|b| self.distance(side, b)) {
            Some(Distance::Branches(n)) => n,
            _ => u32::MAX,
        }
    }

    /// Is it a condition of a block that holds changed code?
    pub fn is_changed(&self, side: Side, step: &Step) -> bool {
        let block = self.block(side, step);
        block.is_some() && self.plan.versions[side].destinations.iter().any(|to| to.block == block)
    }

    /// Where a flip leads.
    pub fn leads_to(&self, flip: &Flip, step: &Step) -> Distance {
        let map = self.maps[flip.side];
        let site = map.sites.get(step.site as usize);
        // A choice between two values leads nowhere.
        let ends_block = site.filter(|s| matches!(s.kind, SiteKind::Branch | SiteKind::Switch));
        let to = ends_block
            .zip(step.leads.get(flip.other))
            .and_then(|(s, way)| self.ways(flip.side, s.block).get(*way));
        to.map_or(Distance::Unknown, |(_, block)| self.distance(flip.side, *block))
    }

    /// The ways out of a block that ends in a branch: edges, and the blocks that they lead to.
    pub fn ways(&self, side: Side, block: u32) -> &[(u32, u32)] {
        self.ways[side].get(&block).map_or(&[], Vec::as_slice)
    }

    pub fn line(&self, block: u32) -> u32 {
        self.maps.new.blocks.get(block as usize).map_or(0, |b| b.line)
    }

    /// All blocks that end in a branch.
    pub fn branches(&self, side: Side) -> impl Iterator<Item = (u32, &[(u32, u32)])> {
        self.ways[side].iter().map(|(block, ways)| (*block, &ways[..]))
    }

    /// The block that a branch or switch ends.
    pub fn ended_by(&self, side: Side, site: u32) -> Option<u32> {
        let site = self.maps[side].sites.get(site as usize)?;
        matches!(site.kind, SiteKind::Branch | SiteKind::Switch).then_some(site.block)
    }

    /// By block: was it executed, as far as edges say that were taken?
    pub fn executed(&self, side: Side, taken: impl Fn(u32) -> bool) -> Vec<bool> {
        let map = self.maps[side];
        let mut executed = vec![false; map.blocks.len()];
        let edges = (0..).zip(&map.edges).filter(|(number, _)| taken(*number));
        let mut pending: Vec<u32> = edges.map(|(_, edge)| edge.to).collect();
        while let Some(block) = pending.pop() {
            let Some(seen) = executed.get_mut(block as usize) else { continue };
            if !std::mem::replace(seen, true) {
                pending.extend(self.plan.versions[side].jumps.get(&block));
            }
        }
        executed
    }

    /// Is it a condition of the libc functions that Parallax brings?
    pub fn is_libc(&self, side: Side, step: &Step) -> bool {
        self.block(side, step).is_some_and(|block| self.is_block_of_libc(side, block))
    }

    /// Is it a way between blocks of these functions?
    pub fn is_edge_of_libc(&self, side: Side, edge: u32) -> bool {
        let edge = self.maps[side].edges.get(edge as usize);
        edge.is_some_and(|edge| self.is_block_of_libc(side, edge.to))
    }

    fn is_block_of_libc(&self, side: Side, block: u32) -> bool {
        let map = self.maps[side];
        let function = map.blocks.get(block as usize).and_then(|b| map.functions.get(b.function as usize));
        function.is_some_and(|f| f.model)
    }

    /// The block that a site is in.
    pub fn block_of(&self, side: Side, site: u32) -> Option<u32> {
        self.maps[side].sites.get(site as usize).map(|site| site.block)
    }

    /// The function that a block is in.
    pub fn function(&self, side: Side, block: u32) -> Option<u32> {
        self.maps[side].blocks.get(block as usize).map(|block| block.function)
    }

    /// Where an edge comes from, and where it leads.
    pub fn edge(&self, side: Side, edge: u32) -> Option<(u32, u32)> {
        self.maps[side].edges.get(edge as usize).map(|edge| (edge.from, edge.to))
    }

    /// The block that a condition ends.
    fn block(&self, side: Side, step: &Step) -> Option<u32> {
        self.maps[side].sites.get(step.site as usize).map(|s| s.block)
    }
}

/// By block: its ways out. The first edge of a function is the one by which it is entered.
fn ways(map: &ProgramMap) -> BTreeMap<u32, Vec<(u32, u32)>> {
    let mut all: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let mut function = None;
    for (number, edge) in (0..).zip(&map.edges) {
        let of = map.blocks.get(edge.from as usize).map(|block| block.function);
        if std::mem::replace(&mut function, of) == of {
            all.entry(edge.from).or_default().push((number, edge.to));
        }
    }
    all
}

/// Edges between the same blocks, by number of the old map. Of several between two blocks, each has its own.
fn twin_edges(maps: Pair<&ProgramMap>, blocks: &[Option<u32>]) -> Vec<Option<u32>> {
    let mut of_new: HashMap<(u32, u32), VecDeque<u32>> = HashMap::new();
    for (number, edge) in (0..).zip(&maps.new.edges) {
        of_new.entry((edge.from, edge.to)).or_default().push_back(number);
    }
    let twin = |block: u32| blocks.get(block as usize).copied().flatten();
    let edges = maps.old.edges.iter();
    edges.map(|edge| of_new.get_mut(&(twin(edge.from)?, twin(edge.to)?))?.pop_front()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_trace::sites::EdgeInfo;

    fn map(edges: &[(u32, u32)]) -> ProgramMap {
        let edges = edges.iter().map(|(from, to)| EdgeInfo { from: *from, to: *to }).collect();
        ProgramMap { edges, ..ProgramMap::default() }
    }

    #[test]
    fn the_state_is_infected_where_the_same_code_is_executed_differently_often() {
        // The new version has another block 1; what was 1 and 2 is 2 and 3.
        let maps = Pair::new(map(&[(0, 1), (1, 2), (2, 1)]), map(&[(0, 1), (1, 2), (0, 2), (2, 3), (3, 2)]));
        let plan = Plan { twins: vec![Some(0), Some(2), Some(3)], ..Plan::default() };
        let guide = Guide::new(maps.as_ref(), &plan, true);
        let infected =
            |old: &[(u32, u8)], new: &[(u32, u8)]| guide.infected(&Pair::new(old.to_vec(), new.to_vec()));
        assert_eq!(infected(&[(0, 1), (1, 4), (2, 4)], &[(2, 1), (3, 4), (4, 4)]), []);
        assert_eq!(
            infected(&[(0, 1), (1, 4), (2, 4)], &[(0, 1), (1, 1), (3, 5)]),
            [(0, true), (1, false), (2, true)]
        );
        assert_eq!(infected(&[(0, 1)], &[(2, 1), (4, 1)]), [(2, false)]);
    }
}
