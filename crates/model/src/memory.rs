//! What instructions do to memory: loads and stores, intrinsics, and external functions by their summaries.
//!
//! In: a program and its points-to analysis. Out: for each instruction the accesses that it makes itself (not those of functions with a body
//! that it calls), and for each object the instructions that read and write it; those that touch the same cells are one group, because there are programs in
//! which thousands of pointers can point to thousands of places.
//!
//! Always holds: an access is a set of cells and a number of bytes from there on; [`TO_END`] means as far as the object goes.

use crate::ir::*;
use crate::points_to::{accessed, overlap, CellId, ObjectId, ObjectKind, PointsTo, SparseSet};
use crate::summaries::{summary, Touch};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// More bytes than any object has.
pub const TO_END: u32 = i32::MAX as u32;

/// Memory that an instruction touches.
#[derive(Clone, Debug)]
pub struct Access<'a> {
    pub cells: Cow<'a, SparseSet>,
    pub size: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Read,
    Write,
}

/// Instructions that touch the same memory in the same way.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    pub access: Access<'a>,
    /// Ascending.
    pub insts: Vec<InstId>,
}

/// All reads, or all writes.
#[derive(Default)]
struct Touches<'a> {
    groups: Vec<Group<'a>>,
    /// By the set of cells, which is stored once, and the size.
    index: FxHashMap<(*const SparseSet, u32), u32>,
    /// By object.
    objects: Vec<Vec<Touched>>,
}

/// A place that is touched, with as many bytes from there on.
#[derive(Clone, Debug)]
pub struct Touched {
    pub cell: CellId,
    pub size: u32,
    /// Who does; ascending.
    pub groups: Vec<u32>,
}

impl<'a> Touches<'a> {
    fn add(&mut self, inst: InstId, access: Access<'a>) {
        let fresh = self.groups.len() as u32;
        let group = match &access.cells {
            Cow::Borrowed(cells) => *self.index.entry((*cells as *const _, access.size)).or_insert(fresh),
            Cow::Owned(_) => fresh,
        };
        if group == fresh {
            self.groups.push(Group { access, insts: Vec::new() });
        }
        let insts = &mut self.groups[group as usize].insts;
        if insts.last() != Some(&inst) {
            insts.push(inst);
        }
    }

    fn sort_by_object(&mut self, points_to: &PointsTo) {
        self.objects = vec![Vec::new(); points_to.objects.len()];
        let mut places: FxHashMap<(CellId, u32), usize> = FxHashMap::default();
        for (group, number) in self.groups.iter().zip(0..) {
            let size = group.access.size;
            for cell in group.access.cells.iter().map(CellId) {
                let touched = &mut self.objects[points_to.cell(cell).object.0 as usize];
                let at = *places.entry((cell, size)).or_insert(touched.len());
                if at == touched.len() {
                    touched.push(Touched { cell, size, groups: Vec::new() });
                }
                touched[at].groups.push(number);
            }
        }
    }
}

/// Who touches what.
pub struct Memory<'a> {
    pub program: &'a Program,
    pub points_to: &'a PointsTo,
    reads: Touches<'a>,
    writes: Touches<'a>,
    /// By cell: most bytes that are read there at once.
    widest: Vec<u32>,
}

impl<'a> Memory<'a> {
    pub fn new(program: &'a Program, points_to: &'a PointsTo) -> Self {
        let (reads, writes) = (Touches::default(), Touches::default());
        let widest = vec![1; points_to.cells.len()];
        let mut memory = Memory { program, points_to, reads, writes, widest };
        for inst in program.inst_ids() {
            memory.reads(inst).into_iter().for_each(|access| memory.reads.add(inst, access));
            memory.writes(inst).into_iter().for_each(|access| memory.writes.add(inst, access));
        }
        memory.reads.sort_by_object(points_to);
        memory.writes.sort_by_object(points_to);
        for group in &memory.reads.groups {
            for cell in group.access.cells.iter() {
                let widest = &mut memory.widest[cell as usize];
                *widest = (*widest).max(group.access.size);
            }
        }
        memory
    }

    /// Groups of reads, by number.
    pub fn read_group(&self, number: u32) -> &Group<'a> {
        &self.reads.groups[number as usize]
    }

    pub fn write_group(&self, number: u32) -> &Group<'a> {
        &self.writes.groups[number as usize]
    }

    /// Where an object is read.
    pub fn readers(&self, object: ObjectId) -> &[Touched] {
        &self.reads.objects[object.0 as usize]
    }

    /// Where an object is written.
    pub fn writers(&self, object: ObjectId) -> &[Touched] {
        &self.writes.objects[object.0 as usize]
    }

    /// Where the object of a cell is written so that what is read at the cell can change.
    pub fn writers_of(&self, cell: CellId) -> impl Iterator<Item = &Touched> + '_ {
        let object = self.points_to.cell(cell).object;
        self.writers(object).iter().filter(move |t| self.affects(t.cell, t.size, cell))
    }

    /// Groups of writes, each with everything it touches.
    pub fn all_writes(&self) -> &[Group<'a>] {
        &self.writes.groups
    }

    pub fn all_reads(&self) -> &[Group<'a>] {
        &self.reads.groups
    }

    /// Most bytes that are read from a cell at once.
    pub fn widest(&self, cell: CellId) -> u32 {
        self.widest[cell.0 as usize]
    }

    /// Can a write of `size` bytes at `written` change what is read at `cell`, in the same object?
    pub fn affects(&self, written: CellId, size: u32, cell: CellId) -> bool {
        overlap(self.points_to.cell(written), size, self.points_to.cell(cell), self.widest(cell))
    }

    /// What an instruction itself reads.
    pub fn reads(&self, id: InstId) -> Vec<Access<'a>> {
        match self.program.inst(id).op {
            Op::Load { .. } | Op::CmpXchg { .. } | Op::AtomicRmw { .. } => self.plain(id),
            Op::VaArg => self.of_operand(self.program.operands(id)[0], 24).into_iter().collect(),
            op if op.call().is_some() => self.call(id, Way::Read),
            _ => Vec::new(),
        }
    }

    /// What an instruction itself writes.
    pub fn writes(&self, id: InstId) -> Vec<Access<'a>> {
        match self.program.inst(id).op {
            Op::Store { .. } | Op::CmpXchg { .. } | Op::AtomicRmw { .. } => self.plain(id),
            Op::VaArg => self.of_operand(self.program.operands(id)[0], 24).into_iter().collect(),
            op if op.call().is_some() => self.call(id, Way::Write),
            _ => Vec::new(),
        }
    }

    fn plain(&self, id: InstId) -> Vec<Access<'a>> {
        let found = accessed(self.program, id).and_then(|(address, size)| self.of_operand(address, size));
        found.into_iter().collect()
    }

    fn of_operand(&self, operand: Operand, size: u32) -> Option<Access<'a>> {
        let cells = self.points_to.points_to(operand);
        (!cells.is_empty()).then_some(Access { cells: Cow::Borrowed(cells), size })
    }

    fn call(&self, id: InstId, way: Way) -> Vec<Access<'a>> {
        let Some((callee, ..)) = self.program.inst(id).op.call() else { return Vec::new() };
        match callee {
            Callee::Intrinsic(func) => self.intrinsic(id, &self.program.func(func).name, way),
            Callee::Asm(_) => {
                let args = self.program.operands(id).iter();
                args.filter_map(|a| self.of_operand(*a, TO_END)).collect()
            }
            Callee::Direct(_) | Callee::Indirect => {
                let mut found = Vec::new();
                for (_, func, callback) in self.points_to.call_targets(id) {
                    if !callback && !self.program.func(*func).is_defined() {
                        self.external(id, *func, way, &mut found);
                    }
                }
                found
            }
        }
    }

    fn intrinsic(&self, id: InstId, name: &str, way: Way) -> Vec<Access<'a>> {
        let args = self.program.call_arguments(id);
        let copies = name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove");
        let sets = name.starts_with("llvm.memset");
        let size = match args.get(2) {
            Some(Operand::Int { value, .. }) if copies || sets => (*value).min(u64::from(TO_END)) as u32,
            _ if name.starts_with("llvm.va_") => 24,
            _ => TO_END,
        };
        let place = match (way, name) {
            (Way::Read, _) if copies => Some(1),
            (Way::Write, _) if copies || sets => Some(0),
            (Way::Write, n) if n.starts_with("llvm.va_start") || n.starts_with("llvm.va_copy") => Some(0),
            (Way::Read, n) if n.starts_with("llvm.va_copy") => Some(1),
            _ => None,
        };
        place.and_then(|p| self.of_operand(args[p], size)).into_iter().collect()
    }

    fn external(&self, id: InstId, func: FuncId, way: Way, found: &mut Vec<Access<'a>>) {
        let Some(known) = summary(&self.program.func(func).name) else {
            let cells = self.points_to.reach(func);
            return found.push(Access { cells: Cow::Borrowed(cells), size: TO_END });
        };
        let touches = if way == Way::Read { &known.reads } else { &known.writes };
        touches.iter().for_each(|t| self.touch(id, *t, found));
        if known.getopt && way == Way::Write {
            for name in ["optind", "optarg", "optopt"] {
                let global = self.program.global_named(name);
                found.extend(global.and_then(|g| self.of_operand(Operand::Global(g), 8)));
            }
        }
    }

    fn touch(&self, id: InstId, touch: Touch, found: &mut Vec<Access<'a>>) {
        let args = self.program.call_arguments(id);
        let last = if touch.rest { args.len() } else { touch.arg as usize + 1 };
        for arg in args.iter().take(last).skip(touch.arg as usize) {
            let Some(access) = self.of_operand(*arg, TO_END) else { continue };
            if touch.deep {
                let mut cells = access.cells.into_owned();
                self.add_found(&mut cells);
                found.push(Access { cells: Cow::Owned(cells), size: TO_END });
            } else {
                found.push(access);
            }
        }
    }

    /// Adds what pointers anywhere in the objects of these cells point to.
    fn add_found(&self, cells: &mut SparseSet) {
        for cell in cells.clone().iter() {
            let object = self.points_to.object(self.points_to.cell(CellId(cell)).object);
            for inside in &object.cells {
                cells.union(self.points_to.content(*inside));
            }
        }
    }

    /// Is there at most one object of this kind at any time?
    pub fn is_single(&self, cell: CellId, recursive: impl Fn(FuncId) -> bool) -> bool {
        match self.points_to.kind_of(cell) {
            ObjectKind::Global(_) => true,
            ObjectKind::Stack(alloca) => {
                let func = self.program.func_of(alloca);
                let first = self.program.func(func).entry();
                let fixed = matches!(self.program.operands(alloca).first(), Some(Operand::Int { .. }) | None);
                first == Some(self.program.inst(alloca).block) && fixed && !recursive(func)
            }
            _ => false,
        }
    }
}
