//! Ways to the change: how far targets are from the start, and which branches are irrelevant.
//!
//! In: the new version, its targets, where its pointers lead if that is known. Out: [`Ways`].
//!
//! Always holds: what weakest preconditions prove hopeless is no way. For a distance they are those of the one target; where there are too many targets for that,
//! distances follow control flow alone.

use parallax_change::{irrelevant, Irrelevant, Target, World};
use parallax_model::distance::Distances;
use parallax_model::icfg::Icfg;
use parallax_model::memory::Memory;
use parallax_model::mod_ref::{Edges, ModRef};
use parallax_model::points_to::PointsTo;
use parallax_model::wp::{self, Context, PlainMemory, PointedMemory, Preconditions};
use parallax_model::BlockId;

#[derive(Default)]
pub struct Ways {
    /// By target: the least number of branches from the start of the program; none if there is no way.
    pub distances: Vec<Option<u32>>,
    pub irrelevant: Irrelevant,
}

/// `most`: for so many targets at most the preconditions are worked out one by one.
pub fn ways(world: &World, points_to: Option<&PointsTo>, targets: &[Target], most: usize) -> Ways {
    // Without a change no branch is better than another.
    if targets.is_empty() {
        return Ways::default();
    }
    let plain = PlainMemory::new(world.program, world.calls);
    let Some(points_to) = points_to else { return with_memory(world, &plain, targets, most) };
    let accesses = Memory::new(world.program, points_to);
    let mod_ref = ModRef::new(&accesses, &Edges::new(world.program, points_to));
    let memory = PointedMemory { plain, accesses: &accesses, mod_ref: &mod_ref };
    with_memory(world, &memory, targets, most)
}

fn with_memory(world: &World, memory: &dyn wp::Memory, targets: &[Target], most: usize) -> Ways {
    let program = world.program;
    let icfg = Icfg::new(program, world.calls, world.returns);
    let context = Context::new(program, world.calls, world.returns, memory);
    let hopeless = |blocks: &[BlockId]| Preconditions::new(&context, blocks).hopeless(&context);
    let blocks: Vec<BlockId> = targets.iter().map(|t| t.block).collect();
    let for_all = hopeless(&blocks);
    let irrelevant = irrelevant(world, &icfg, &blocks, &for_all);
    let starts: Vec<BlockId> = world.starts().iter().filter_map(|f| program.func(*f).entry()).collect();
    let distance = |block: &BlockId| {
        let alone = (blocks.len() > 1).then(|| hopeless(&[*block]));
        let all = Distances::new(&icfg, program, &[*block], alone.as_ref().unwrap_or(&for_all));
        starts.iter().filter_map(|start| all.block(*start)).min()
    };
    let distances = match targets.len() <= most {
        true => blocks.iter().map(distance).collect(),
        false => {
            let all = world.from_start();
            blocks.iter().map(|block| all[block.index()]).collect()
        }
    };
    Ways { distances, irrelevant }
}
