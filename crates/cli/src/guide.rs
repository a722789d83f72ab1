//! Where the change is, for the search: how far every block of each version is from changed code.
//!
//! In: two built versions and the maps of their instrumented programs. Out: a distance for each block of the maps.
//!
//! Always holds: what the model does not know (the functions of libc that Parallax brings) is
//! [`Distance::Unknown`]. A version that cannot be modelled costs the search its guidance, not the user the result.

use crate::models;
use crate::versions;
use parallax_build::{Cache, Version};
use parallax_change::Settings;
use parallax_instrument::Instrumented;
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::distance::{self, Hopeless};
use parallax_model::icfg::Icfg;
use parallax_model::{BlockId, Program};
use parallax_search::{Distance, Distances};
use parallax_trace::sites::ProgramMap;
use std::collections::HashMap;

/// Distances to the change, for the blocks of both maps.
pub fn distances(built: &[Version; 2], instrumented: &[Instrumented; 2], cache: &Cache) -> Distances {
    let [old, new] = versions::in_parallel(|i| models::model(&built[i], cache));
    let (old, new) = match (old, new) {
        (Ok(old), Ok(new)) => (old.program, new.program),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("parallax: the search goes without knowing where the change is: {error}");
            return Distances::default();
        }
    };
    let settings = Settings::default();
    let targets = [
        parallax_change::targets(&old, &parallax_change::compare(&new, &old, &settings)),
        parallax_change::targets(&new, &parallax_change::compare(&old, &new, &settings)),
    ];
    let blocks = targets.map(|list| list.into_iter().map(|t| t.block).collect::<Vec<BlockId>>());
    [of_version(&old, &blocks[0], &instrumented[0].map), of_version(&new, &blocks[1], &instrumented[1].map)]
}

/// Distances for the blocks of a map. Blocks of a function have the same order in the model and in the map.
fn of_version(program: &Program, targets: &[BlockId], map: &ProgramMap) -> Vec<Distance> {
    if targets.is_empty() {
        return Vec::new();
    }
    let calls = CallGraph::coarse(program);
    let returns = Returns::new(program, &calls);
    let icfg = Icfg::new(program, &calls, &returns);
    let distances = distance::Distances::new(&icfg, program, targets, &Hopeless::default());
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
        by_name.get(function.name.as_str())?.get(number).copied()
    };
    map.blocks
        .iter()
        .map(place)
        .map(|block| match block.map(|b| distances.block(b)) {
            None => Distance::Unknown,
            Some(None) => Distance::Never,
            Some(Some(n)) => Distance::Branches(n),
        })
        .collect()
}
