//! How far blocks are from others, in branches.
//!
//! Always holds: a distance counts branches over the whole program, calls short-cut; [`Distance::Never`] is said where the analysis sees no way, and it may
//! not know all calls.

use crate::numbers::Numbers;
use parallax_model::distance::{Distances, Hopeless};
use parallax_model::icfg::Icfg;
use parallax_model::BlockId;
use std::sync::Arc;

/// How far a block is from a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// In branches; 0 is the destination.
    Branches(u32),
    /// Code that the analysis has not seen.
    Unknown,
    /// No way leads from here to the destination.
    Never,
}

impl Distance {
    pub fn branches(self) -> Option<u32> {
        match self {
            Distance::Branches(n) => Some(n),
            _ => None,
        }
    }
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub distance: Distance,
    /// The distance in branches for ways that do not leave the block's function for a caller, if there are any.
    pub inside: Option<u32>,
}

/// The control flow of a version, from which distances to any block follow.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    known: Option<Arc<(Icfg, Numbers)>>,
}

impl Graph {
    pub(crate) fn new(icfg: Icfg, numbers: Numbers) -> Graph {
        Graph { known: Some(Arc::new((icfg, numbers))) }
    }

    /// By block: how far it is from the nearest of some blocks, as far as control flow says. Empty: nothing is known.
    pub fn distances(&self, to: &[u32]) -> Vec<Distance> {
        let Some(known) = &self.known else { return Vec::new() };
        let (icfg, numbers) = &**known;
        let blocks: Vec<BlockId> = to.iter().filter_map(|number| numbers.block(*number)).collect();
        let all = Distances::of(icfg, &blocks, &Hopeless::default());
        numbers.blocks().map(|block| distance(&all, block)).collect()
    }
}

pub(crate) fn distance(all: &Distances, block: Option<BlockId>) -> Distance {
    match block.map(|b| all.block(b)) {
        None => Distance::Unknown,
        Some(None) => Distance::Never,
        Some(Some(n)) => Distance::Branches(n),
    }
}

/// By block of the map.
pub(crate) fn places(all: &Distances, numbers: &Numbers) -> Vec<Place> {
    let place = |block: Option<BlockId>| Place {
        distance: distance(all, block),
        inside: block.and_then(|b| all.block_inside(b)),
    };
    numbers.blocks().map(place).collect()
}
