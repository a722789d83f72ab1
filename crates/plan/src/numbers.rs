//! Blocks and edges of a model, and their numbers in the map of the instrumented program.
//!
//! Always holds: blocks of a function have the same order in both, and so have the ways out of a block; a block that ends in a jump has no edge.

use parallax_model::{BlockId, Program};
use parallax_trace::sites::ProgramMap;
use std::collections::HashMap;

/// What the instrumenter makes of the name of `main`.
const MAIN: &str = "__plx_main";

/// Both ways between a model and a map.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// By number of the map; `None`: a function that the model has not.
    blocks: Vec<Option<BlockId>>,
    /// By block of the model.
    numbers: Vec<Option<u32>>,
    /// By number of a block: its first edge, if it ends in a branch.
    first_edge: Vec<Option<u32>>,
}

impl Numbers {
    pub fn new(program: &Program, map: &ProgramMap) -> Numbers {
        let blocks = of_map(program, map);
        let mut numbers = vec![None; program.blocks.len()];
        for (number, block) in (0..).zip(&blocks) {
            if let Some(block) = block {
                numbers[block.index()] = Some(number);
            }
        }
        let mut first_edge = vec![None; blocks.len()];
        let mut function = None;
        for (edge, number) in map.edges.iter().zip(0..) {
            // The first edge of a function is the one by which it is entered.
            let of = map.blocks.get(edge.from as usize).map(|block| block.function);
            if std::mem::replace(&mut function, of) != of {
                continue;
            }
            first_edge[edge.from as usize].get_or_insert(number);
        }
        Numbers { blocks, numbers, first_edge }
    }

    pub fn of(&self, block: BlockId) -> Option<u32> {
        self.numbers.get(block.index()).copied().flatten()
    }

    pub fn block(&self, number: u32) -> Option<BlockId> {
        self.blocks.get(number as usize).copied().flatten()
    }

    /// By number of the map.
    pub fn blocks(&self) -> impl Iterator<Item = Option<BlockId>> + '_ {
        self.blocks.iter().copied()
    }

    /// The edge from a block to its successor of this number, for a block with several.
    pub fn edge(&self, block: BlockId, successor: u32) -> Option<u32> {
        Some(self.first_edge.get(self.of(block)? as usize).copied().flatten()? + successor)
    }
}

/// The model's blocks, by number of the map.
pub fn of_map(program: &Program, map: &ProgramMap) -> Vec<Option<BlockId>> {
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
