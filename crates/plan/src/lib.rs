//! What is worked out once about two versions and their change, before the search starts, for every strategy to read.
//!
//! In: the models of both versions, what changed between them, where their pointers lead, the maps of the instrumented programs. Out: a [`Plan`]:
//! for each version the blocks to be executed ([`Destination`]s), how far every block is from them, the decisions of the
//! program with the places where their operands get their values ([`Decision`]), branches that need not be taken; changed regions, the change sequence graph,
//! and which blocks of the versions are the same code.
//!
//! Distances are those of KATCH (Marinescu and Cadar 2013, section 3.2) over calls that are resolved by the points-to analysis, with edges removed that
//! weakest preconditions prove hopeless and the nodes that are orphaned then; to each target for itself, because reaching one says nothing about
//! the way to another. Control-dependence distances are those of Böhme, Oliveira and Roychoudhury 2013 (section 3.1). Irrelevant branches are those of
//! Taneja et al. 2011 (section 4.2).
//!
//! Always holds: plain data; blocks, edges and sites are numbers of the program maps, in which traces and coverage speak; what the model does not
//! know (the functions of libc that Parallax brings) is [`Distance::Unknown`]; nothing is run, read or written here.

mod decisions;
mod distances;
mod make;
mod numbers;
mod origins;
mod settings;
mod targets;
mod versions;

pub use decisions::{Decision, Definition, Way};
pub use distances::{Distance, Graph, Place};
pub use numbers::{of_map, Numbers};
pub use settings::Settings;
pub use targets::Destination;
pub use versions::{Pair, Side};

use parallax_change::{Comparison, Csg, Region, Target};
use parallax_model::points_to::PointsTo;
use parallax_model::Program;
use parallax_trace::sites::ProgramMap;
use std::collections::{BTreeMap, BTreeSet};

/// What a plan is made from.
pub struct Versions<'a> {
    pub programs: Pair<&'a Program>,
    pub comparison: &'a Comparison,
    /// Of the new version.
    pub targets: &'a [Target],
    /// Where pointers lead; `None` for a program that is too large for that.
    pub points_to: Pair<Option<&'a PointsTo>>,
    pub maps: Pair<&'a ProgramMap>,
}

/// See the module. [`Plan::default`]: nothing is known about the change.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub versions: Pair<VersionPlan>,
    /// By block of the old version: the block of the new one that is the same code.
    pub twins: Vec<Option<u32>>,
    /// By change: its code in both versions, with what goes in and out. Instructions are numbers of the models.
    pub regions: Vec<Region>,
    /// The change sequence graph of the new version, without interaction locations.
    pub sequences: Csg,
}

/// What is known about one version.
#[derive(Clone, Debug, Default)]
pub struct VersionPlan {
    /// By block: how far it is from the nearest destination. Empty: nothing is known.
    pub places: Vec<Place>,
    /// Blocks that are to be executed: changed, or where code of the other version is not.
    pub destinations: Vec<Destination>,
    /// By block: steps of control dependence to the nearest destination.
    pub control: Vec<Option<u32>>,
    pub irrelevant: Irrelevant,
    /// By block that ends in a jump: where to.
    pub jumps: BTreeMap<u32, u32>,
    /// By block that ends in a decision, or that calls through a pointer.
    pub decisions: BTreeMap<u32, Decision>,
    /// By destination: where the conditions by which it chooses between values get theirs.
    pub choices: BTreeMap<u32, Vec<Definition>>,
    /// For distances to other blocks, when they are wanted.
    pub graph: Graph,
}

/// Branches that need not be taken, as edges of the map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Irrelevant {
    /// Once taken, no change is executed any more.
    pub execute: BTreeSet<u32>,
    /// And none has been executed before, so that the versions do the same to the end.
    pub propagate: BTreeSet<u32>,
}

impl Plan {
    pub fn new(versions: &Versions, settings: &Settings) -> Plan {
        make::plan(versions, settings)
    }
}
