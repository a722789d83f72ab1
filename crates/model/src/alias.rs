//! Which loads and stores can touch the same memory.
//!
//! In: memory accesses. Out: a yes or no for two instructions, and classes: instructions of different classes never meet.
//!
//! Always holds: instructions that may alias are in the same class (the converse does not hold: classes are transitive).

use crate::ir::*;
use crate::memory::Memory;
use crate::points_to::{accessed, overlap, CellId};

pub struct AliasClasses {
    /// By instruction; loads and stores only.
    classes: Vec<Option<u32>>,
}

impl AliasClasses {
    pub fn new(memory: &Memory) -> Self {
        let (program, points_to) = (memory.program, memory.points_to);
        let mut parent: Vec<u32> = (0..points_to.cells.len() as u32).collect();
        let mut first = vec![None; program.insts.len()];
        let mut widest = vec![1u32; points_to.cells.len()];
        for inst in program.inst_ids() {
            let Some((address, size)) = accessed(program, inst) else { continue };
            for cell in points_to.points_to(address).iter() {
                widest[cell as usize] = widest[cell as usize].max(size);
            }
            let mut cells = points_to.points_to(address).iter();
            let Some(one) = cells.next() else { continue };
            first[inst.index()] = Some(one);
            cells.for_each(|c| join(&mut parent, one, c));
        }
        for object in &points_to.objects {
            for (i, a) in object.cells.iter().enumerate() {
                for b in &object.cells[..i] {
                    let (size_a, size_b) = (widest[a.0 as usize], widest[b.0 as usize]);
                    if overlap(points_to.cell(*a), size_a, points_to.cell(*b), size_b) {
                        join(&mut parent, a.0, b.0);
                    }
                }
            }
        }
        let classes = first.into_iter().map(|c| c.map(|c| find(&mut parent, c))).collect();
        AliasClasses { classes }
    }

    /// The class of a load or store through a pointer that points somewhere.
    pub fn class(&self, inst: InstId) -> Option<u32> {
        self.classes[inst.index()]
    }
}

/// Can two loads or stores touch a common byte?
pub fn may_alias(memory: &Memory, a: InstId, b: InstId) -> bool {
    let points_to = memory.points_to;
    let (Some((a, a_size)), Some((b, b_size))) = (accessed(memory.program, a), accessed(memory.program, b))
    else {
        return false;
    };
    points_to.points_to(a).iter().any(|x| {
        let x = points_to.cell(CellId(x));
        let mut others = points_to.points_to(b).iter().map(|y| points_to.cell(CellId(y)));
        others.any(|y| x.object == y.object && overlap(x, a_size, y, b_size))
    })
}

fn find(parent: &mut [u32], mut x: u32) -> u32 {
    while parent[x as usize] != x {
        parent[x as usize] = parent[parent[x as usize] as usize];
        x = parent[x as usize];
    }
    x
}

fn join(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}
