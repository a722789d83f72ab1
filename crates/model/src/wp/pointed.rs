//! What may write where, with knowledge of pointers.
//!
//! In: what the code alone says ([`PlainMemory`]), the accesses and what functions write. Out: a sharper [`Memory`].
//!
//! Always holds: `No` is certain, as far as the points-to analysis is; what the code alone says for certain stays.

use super::cond::Cell;
use super::memory::{Memory, PlainMemory, Write};
use crate::ir::*;
use crate::memory::Memory as Accesses;
use crate::mod_ref::ModRef;
use crate::points_to::{overlap, Cell as Place, CellId, SparseSet};

pub struct PointedMemory<'a> {
    pub plain: PlainMemory,
    pub accesses: &'a Accesses<'a>,
    pub mod_ref: &'a ModRef,
}

impl Memory for PointedMemory<'_> {
    fn write(&self, program: &Program, inst: InstId, cell: Cell) -> Write {
        match self.plain.write(program, inst, cell) {
            Write::May if !self.may_write(program, inst, cell) => Write::No,
            other => other,
        }
    }
}

impl PointedMemory<'_> {
    fn may_write(&self, program: &Program, inst: InstId, cell: Cell) -> bool {
        let points_to = self.accesses.points_to;
        let based = points_to.points_to(cell.base);
        // Nothing is known of a base that points nowhere.
        let (false, Ok(offset)) = (based.is_empty(), i32::try_from(cell.offset)) else { return true };
        let size = cell.bits.div_ceil(8);
        let mut places = based.iter().map(|c| {
            let mut place = *points_to.cell(CellId(c));
            place.offset = place.offset.saturating_add(offset);
            place
        });
        places.any(|place| self.touches(program, inst, &place, size))
    }

    fn touches(&self, program: &Program, inst: InstId, place: &Place, size: u32) -> bool {
        let points_to = self.accesses.points_to;
        // An object has few cells; a set can have thousands.
        let meets = |cells: &SparseSet, width: &dyn Fn(CellId) -> u32| {
            let mut inside = points_to.object(place.object).cells.iter();
            inside.any(|c| cells.contains(c.0) && overlap(points_to.cell(*c), width(*c), place, size))
        };
        if self.accesses.writes(inst).iter().any(|a| meets(&a.cells, &|_| a.size)) {
            return true;
        }
        let mut below = points_to.targets(inst).filter(|f| program.func(*f).is_defined());
        below.any(|f| meets(self.mod_ref.writes(f), &|c| self.accesses.widest(c)))
    }
}
