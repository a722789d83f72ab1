//! Where the change is, and how far from it a run has come (seed 003's greedy step, seed 001's pruning, as ranks).
//!
//! In: for each block of each version, how many branches it is away from changed code. Out: what a flip is worth on the way
//! there, and how close a run came.
//!
//! Departs from the seeds in never pruning: a flip that cannot lead to the change is asked last, because the
//! distances come from an analysis that may not know all calls.

use crate::path::Step;
use crate::queue::Flip;
use crate::Side;
use parallax_trace::sites::{ProgramMap, SiteKind};
use std::collections::HashMap;

/// How far a block is from changed code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// In branches; 0 is changed code.
    Branches(u32),
    /// No way leads from here to changed code.
    Never,
    /// Code that the analysis has not seen.
    Unknown,
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub distance: Distance,
    /// The distance in branches for ways that do not leave the block's function for a caller, if there are any.
    pub inside: Option<u32>,
}

/// Places for the old and the new version, by block number of the map. Empty: nothing is known.
pub type Distances = [Vec<Place>; 2];

pub struct Guide<'a> {
    maps: [&'a ProgramMap; 2],
    distances: &'a Distances,
    /// For each version and block that ends in a branch: where its ways lead, in the order of the edges.
    successors: [HashMap<u32, Vec<u32>>; 2],
}

/// How much a flip that leads nearer is better, and one that leads nowhere is worse.
pub const NEARER: u32 = 2;
pub const ASTRAY: u32 = 3;

impl<'a> Guide<'a> {
    pub fn new(maps: [&'a ProgramMap; 2], distances: &'a Distances) -> Guide<'a> {
        let successors = maps.map(|map| {
            let mut all: HashMap<u32, Vec<u32>> = HashMap::new();
            for edge in map.edges.iter().filter(|e| e.from != e.to) {
                all.entry(edge.from).or_default().push(edge.to);
            }
            all
        });
        Guide { maps, distances, successors }
    }

    fn distance(&self, side: Side, block: u32) -> Distance {
        self.place(side, block).map_or(Distance::Unknown, |place| place.distance)
    }

    fn place(&self, side: Side, block: u32) -> Option<&Place> {
        self.distances[side as usize].get(block as usize)
    }

    /// The least number of branches between what a run executed and changed code; the greatest number there is if that
    /// is not known or if there is no way. What a function's other callers do is no way: this run was not there.
    pub fn closest(&self, side: Side, taken: impl Iterator<Item = (u32, u8)>) -> u32 {
        let edges = &self.maps[side as usize].edges;
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

    /// Where a flip leads.
    pub fn leads_to(&self, flip: &Flip, step: &Step) -> Distance {
        let map = self.maps[flip.side as usize];
        let site = map.sites.get(step.site as usize);
        // A choice between two values leads nowhere.
        let ends_block = site.filter(|s| matches!(s.kind, SiteKind::Branch | SiteKind::Switch));
        let ways = ends_block.and_then(|s| self.successors[flip.side as usize].get(&s.block));
        let to = ways.zip(step.leads.get(flip.other)).and_then(|(ways, way)| ways.get(*way));
        to.map_or(Distance::Unknown, |block| self.distance(flip.side, *block))
    }

    /// Is it a condition of the libc functions that Parallax brings?
    pub fn is_libc(&self, side: Side, step: &Step) -> bool {
        self.block(side, step).is_some_and(|block| self.is_block_of_libc(side, block))
    }

    /// Is it a way between blocks of these functions?
    pub fn is_edge_of_libc(&self, side: Side, edge: u32) -> bool {
        let edge = self.maps[side as usize].edges.get(edge as usize);
        edge.is_some_and(|edge| self.is_block_of_libc(side, edge.to))
    }

    fn is_block_of_libc(&self, side: Side, block: u32) -> bool {
        let map = self.maps[side as usize];
        let function = map.blocks.get(block as usize).and_then(|b| map.functions.get(b.function as usize));
        function.is_some_and(|f| f.model)
    }

    /// The block that a condition ends.
    fn block(&self, side: Side, step: &Step) -> Option<u32> {
        self.maps[side as usize].sites.get(step.site as usize).map(|s| s.block)
    }
}
