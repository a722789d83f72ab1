//! Where the change is, for the search: how far every block of each version is from changed code, and which block is which.
//!
//! In: what changed, and the maps of the instrumented programs. Out: a distance for each block of the maps, and for those of the old version
//! the block of the new one that is the same code.
//!
//! Always holds: what the model does not know (the functions of libc that Parallax brings) is [`Distance::Unknown`].

use crate::changed::Changed;
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::distance::{self, Hopeless};
use parallax_model::icfg::Icfg;
use parallax_model::{BlockId, Program};
use parallax_search::{Chart, Distance, Pair, Place};
use parallax_trace::sites::ProgramMap;
use std::collections::HashMap;

/// What the instrumenter makes of the name of `main`.
const MAIN: &str = "__plx_main";

/// What the search is told about the change.
pub fn chart(changed: &Changed, maps: [&ProgramMap; 2]) -> Chart {
    let [old, new] = changed.blocks();
    let distances =
        Pair::new(of_version(&changed.old, &old, maps[0]), of_version(&changed.new.program, &new, maps[1]));
    Chart { distances, twins: twins(changed, maps) }
}

/// By block of the old map: the block of the new map that is aligned with it.
fn twins(changed: &Changed, maps: [&ProgramMap; 2]) -> Vec<Option<u32>> {
    let numbers: HashMap<BlockId, u32> =
        (0..).zip(blocks(&changed.new.program, maps[1])).filter_map(|(n, block)| Some((block?, n))).collect();
    let aligned = &changed.comparison.alignment.blocks;
    let twin = |block: Option<BlockId>| numbers.get(&aligned[block?.index()]?).copied();
    blocks(&changed.old, maps[0]).into_iter().map(twin).collect()
}

fn of_version(program: &Program, targets: &[BlockId], map: &ProgramMap) -> Vec<Place> {
    if targets.is_empty() {
        return Vec::new();
    }
    let calls = CallGraph::coarse(program);
    let returns = Returns::new(program, &calls);
    let icfg = Icfg::new(program, &calls, &returns);
    let distances = distance::Distances::new(&icfg, program, targets, &Hopeless::default());
    let of = |block: Option<BlockId>| Place {
        distance: match block.map(|b| distances.block(b)) {
            None => Distance::Unknown,
            Some(None) => Distance::Never,
            Some(Some(n)) => Distance::Branches(n),
        },
        inside: block.and_then(|b| distances.block_inside(b)),
    };
    blocks(program, map).into_iter().map(of).collect()
}

/// The model's blocks, by number of the map. Blocks of a function have the same order in both.
pub fn blocks(program: &Program, map: &ProgramMap) -> Vec<Option<BlockId>> {
    let by_name: HashMap<&str, _> = program
        .defined_functions()
        .map(|f| (program.func(f).name.as_str(), program.func(f).blocks.iter().collect::<Vec<BlockId>>()))
        .collect();
    let mut seen: HashMap<u32, usize> = HashMap::new();
    let place = |block: &parallax_trace::sites::BlockInfo| {
        let at = seen.entry(block.function).or_default();
        let number = *at;
        *at += 1;
        let function = map.functions.get(block.function as usize)?;
        let name = if function.name == MAIN { "main" } else { function.name.as_str() };
        by_name.get(name)?.get(number).copied()
    };
    map.blocks.iter().map(place).collect()
}
