//! Abstract objects and the places inside them.
//!
//! In: what exists (variables, allocation sites, functions) and address computations. Out: [`CellId`]s: an object and
//! a set of byte offsets in it. A cell is one offset, or an offset repeated with one or two strides (an element of
//! an array, a field of an element, an element of an array inside an element). Arrays of declared types are
//! collapsed to their first element; objects without a type (heap) get strided cells as the program walks them.
//!
//! Always holds: address computation never leaves its object; every offset that a program without undefined behaviour
//! can reach by it is in the resulting cells; there are at most [`Limits::cells`] + 1 cells in an object.

use super::set::SparseSet;
use super::shape::{Array, Shape};
use super::Limits;
use crate::ir::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// An abstract object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

/// A set of places in one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellId(pub u32);

/// What an abstract object stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ObjectKind {
    Global(GlobalId),
    /// All objects of an `alloca`.
    Stack(InstId),
    /// What the call `site` allocated. Where `site` is in an allocation wrapper, `context` is the call of the outermost wrapper.
    Heap {
        site: InstId,
        context: Option<InstId>,
    },
    Function(FuncId),
    /// The variable arguments of a function.
    VarArgs(FuncId),
    /// The callee's copy of a structure passed by value.
    ByVal {
        func: FuncId,
        index: u32,
    },
    /// Memory that belongs to an external function (buffers, tables, streams).
    Static(FuncId),
    /// What an external variable (`stdout`, `environ`) points to.
    Pointee(GlobalId),
    /// The vector of command-line arguments, and the strings.
    Arguments,
    Environment,
    /// Anything: the analysis knows nothing about this pointer.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Object {
    pub kind: ObjectKind,
    /// In bytes, where it is known.
    pub size: Option<u64>,
    /// Outer ones first; inner ones lie in the first element of the outer.
    pub(super) arrays: Vec<Array>,
    /// One cell for everything: offsets do not matter.
    pub(super) flat: bool,
    /// As `flat`, from some time on: there may be other cells from before.
    pub(super) collapsed: bool,
    /// A constant or a function: nothing is ever stored there.
    pub(super) read_only: bool,
    pub cells: Vec<CellId>,
}

/// Repetition: from `start` in steps of `stride` up to `end` (exclusive). A stride of 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    pub stride: u32,
    pub start: i32,
    pub end: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cell {
    pub object: ObjectId,
    /// The lowest offset.
    pub offset: i32,
    pub outer: Span,
    /// Within the first element of `outer`.
    pub inner: Span,
    /// The strides come from how the program walks the object, not from its type.
    pub(super) inferred: bool,
}

/// No upper end is known.
pub const UNBOUNDED: i32 = i32::MAX;

/// A step of an address computation by a varying multiple of `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Walk {
    pub stride: u32,
    /// Bytes of the array that is indexed, if the type says so.
    pub extent: Option<u32>,
    /// The multiple is never negative.
    pub forward: bool,
}

impl Span {
    const NONE: Span = Span { stride: 0, start: 0, end: 0 };

    fn some(self) -> Option<Span> {
        (self.stride != 0).then_some(self)
    }

    pub(super) fn contains(self, offset: i64) -> bool {
        (i64::from(self.start)..i64::from(self.end)).contains(&offset)
    }
}

impl Cell {
    pub(super) fn plain(object: ObjectId, offset: i32) -> Cell {
        Cell { object, offset, outer: Span::NONE, inner: Span::NONE, inferred: false }
    }

    fn anywhere(object: ObjectId) -> Cell {
        let outer = Span { stride: 1, start: 0, end: UNBOUNDED };
        Cell { object, offset: 0, outer, inner: Span::NONE, inferred: true }
    }

    /// Exactly one offset.
    pub fn is_exact(&self) -> bool {
        self.outer.stride == 0
    }

    pub fn is_anywhere(&self) -> bool {
        *self == Cell::anywhere(self.object)
    }

    fn innermost(&self) -> Option<Span> {
        self.inner.some().or(self.outer.some())
    }

    fn without_innermost(mut self) -> Cell {
        if self.inner.stride != 0 {
            self.inner = Span::NONE;
        } else {
            self.outer = Span::NONE;
        }
        self
    }

    /// One past the last byte that an access of `size` bytes can touch.
    pub fn end(&self, size: u32) -> i64 {
        let last = match (self.outer.some(), self.inner.some()) {
            (None, _) => i64::from(self.offset) + 1,
            (Some(o), _) if o.end == UNBOUNDED => return i64::MAX,
            (Some(o), _) => i64::from(o.end),
        };
        last + i64::from(size.max(1)) - 1
    }
}

/// Can accesses of these sizes to these cells (of one object) touch the same byte?
pub fn overlap(a: &Cell, a_size: u32, b: &Cell, b_size: u32) -> bool {
    if a.is_anywhere() || b.is_anywhere() {
        return true;
    }
    if a.end(a_size) <= i64::from(b.offset) || b.end(b_size) <= i64::from(a.offset) {
        return false;
    }
    let (so, bo) = (a.outer, b.outer);
    if so.stride != 0 && so.stride == bo.stride && (so.start - bo.start) % so.stride as i32 == 0 {
        return overlap_in_element(a, a_size, b, b_size);
    }
    let strides = [a.outer.stride, a.inner.stride, b.outer.stride, b.inner.stride];
    meet(strides.into_iter().fold(0, gcd), a.offset, a_size, b.offset, b_size)
}

/// As [`overlap`], for cells with the same outer array.
fn overlap_in_element(a: &Cell, a_size: u32, b: &Cell, b_size: u32) -> bool {
    let stride = a.outer.stride;
    let inner = gcd(a.inner.stride, b.inner.stride);
    if inner == 0 || a_size > stride || b_size > stride {
        return meet(gcd(stride, inner), a.offset, a_size, b.offset, b_size);
    }
    let position = |c: &Cell| c.offset - c.outer.start;
    let end = |c: &Cell, size: u32| match c.inner.some() {
        Some(span) => span.end - c.outer.start + size as i32 - 1,
        None => position(c) + size as i32,
    };
    if end(a, a_size) <= position(b) || end(b, b_size) <= position(a) {
        return false;
    }
    meet(inner, position(a), a_size, position(b), b_size)
}

/// Do two runs of bytes meet, offsets counted modulo `modulus` (0: as they are)?
fn meet(modulus: u32, a: i32, a_size: u32, b: i32, b_size: u32) -> bool {
    let (a_size, b_size) = (a_size.max(1), b_size.max(1));
    if modulus == 0 {
        let (a, b) = (i64::from(a), i64::from(b));
        return a < b + i64::from(b_size) && b < a + i64::from(a_size);
    }
    let ahead = (i64::from(a) - i64::from(b)).rem_euclid(i64::from(modulus)) as u32;
    ahead < b_size || modulus - ahead < a_size
}

pub(super) fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// All objects and cells so far.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    pub objects: Vec<Object>,
    pub cells: Vec<Cell>,
    index: FxHashMap<Cell, CellId>,
    by_kind: FxHashMap<ObjectKind, ObjectId>,
    /// Cells that address computation does not change.
    pub fixed: SparseSet,
    limits: Limits,
}

/// Where an address computation can lead: one cell, rarely two, none if it leaves the object.
pub type Targets = [Option<CellId>; 2];

impl Cells {
    pub fn new(limits: Limits) -> Cells {
        Cells { limits, ..Cells::default() }
    }

    pub fn object(&mut self, kind: ObjectKind, shape: Shape) -> ObjectId {
        if let Some(&id) = self.by_kind.get(&kind) {
            return id;
        }
        let id = ObjectId(self.objects.len() as u32);
        let Shape { size, arrays, flat } = shape;
        let read_only = matches!(kind, ObjectKind::Function(_));
        self.objects.push(Object {
            kind,
            size,
            arrays,
            flat,
            collapsed: false,
            read_only,
            cells: Vec::new(),
        });
        self.by_kind.insert(kind, id);
        id
    }

    pub fn get(&self, id: CellId) -> Cell {
        self.cells[id.0 as usize]
    }

    pub fn object_of(&self, id: CellId) -> &Object {
        &self.objects[self.get(id).object.0 as usize]
    }

    pub fn make_read_only(&mut self, object: ObjectId) {
        self.objects[object.0 as usize].read_only = true;
    }

    /// From now on, places in the object are not told apart.
    pub fn collapse(&mut self, object: ObjectId) -> CellId {
        self.objects[object.0 as usize].collapsed = true;
        self.anywhere(object)
    }

    pub fn anywhere(&mut self, object: ObjectId) -> CellId {
        let cell = Cell::anywhere(object);
        match self.index.get(&cell) {
            Some(&id) => id,
            None => self.add(cell),
        }
    }

    /// The cell of one offset: the element, if it lies in an array of the declared type.
    pub fn at(&mut self, object: ObjectId, offset: i64) -> CellId {
        let o = &self.objects[object.0 as usize];
        if o.flat || offset.unsigned_abs() > u64::from(self.limits.offset) {
            return self.anywhere(object);
        }
        // In range: the limit of offsets is far below 2^31.
        let mut cell = Cell::plain(object, offset as i32);
        for array in &o.arrays {
            enter(&mut cell, array);
        }
        self.intern(cell)
    }

    /// As [`Cells::at`]; nothing outside the object, one past its end excepted.
    fn at_in_bounds(&mut self, object: ObjectId, offset: i64) -> Option<CellId> {
        let size = self.objects[object.0 as usize].size.unwrap_or(u64::MAX);
        (offset >= 0 && offset as u64 <= size).then(|| self.at(object, offset))
    }

    fn intern(&mut self, mut cell: Cell) -> CellId {
        if let Some(&id) = self.index.get(&cell) {
            return id;
        }
        let object = &self.objects[cell.object.0 as usize];
        let limit = if object.size.is_none() { self.limits.unsized_cells } else { self.limits.cells };
        let full = object.cells.len() >= limit as usize;
        let far = cell.offset.unsigned_abs() > self.limits.offset;
        if full || far || object.flat || object.collapsed {
            cell = Cell::anywhere(cell.object);
            if let Some(&id) = self.index.get(&cell) {
                return id;
            }
        }
        self.add(cell)
    }

    fn add(&mut self, cell: Cell) -> CellId {
        let id = CellId(self.cells.len() as u32);
        self.cells.push(cell);
        self.index.insert(cell, id);
        let object = &mut self.objects[cell.object.0 as usize];
        object.cells.push(id);
        if object.flat || cell.is_anywhere() {
            self.fixed.insert(id.0);
        }
        id
    }

    /// The address plus a constant.
    pub fn shift(&mut self, id: CellId, by: i64) -> Targets {
        let cell = self.get(id);
        if by == 0 || cell.is_anywhere() || self.object_of(id).flat {
            return [Some(id), None];
        }
        if self.object_of(id).collapsed {
            return [Some(self.anywhere(cell.object)), None];
        }
        let Some(span) = cell.innermost() else {
            return [self.at_in_bounds(cell.object, i64::from(cell.offset) + by), None];
        };
        let to = i64::from(cell.offset) + by;
        if span.contains(to) {
            return [Some(self.wrapped(cell, span, to)), None];
        }
        // An array begins where the structure that holds it may begin: from there, the step leads to another field. Back from an array to
        // something before it is what `container_of` does.
        let field = self.shift_outside(cell.without_innermost(), to);
        // A step that is longer than the array does not stay in it.
        let too_far = by.unsigned_abs() >= u64::from(span.end.abs_diff(span.start));
        let element = (!too_far || field.is_none()).then(|| self.wrapped(cell, span, to));
        [element, field]
    }

    /// Another offset in the structure, or the array of structures, that holds an array.
    fn shift_outside(&mut self, container: Cell, to: i64) -> Option<CellId> {
        match container.innermost() {
            None => self.at_in_bounds(container.object, to),
            Some(span) if span.contains(to) => Some(self.wrapped(container, span, to)),
            Some(_) => self.shift_outside(container.without_innermost(), to),
        }
    }

    /// The same place in the first element of an array.
    fn wrapped(&mut self, mut cell: Cell, span: Span, to: i64) -> CellId {
        let start = i64::from(span.start);
        cell.offset = (start + (to - start).rem_euclid(i64::from(span.stride))) as i32;
        self.rederive(cell)
    }

    /// A cell with a new offset: the declared arrays at that offset, or the strides it had.
    fn rederive(&mut self, mut cell: Cell) -> CellId {
        if !cell.inferred {
            return self.at(cell.object, i64::from(cell.offset));
        }
        if cell.outer.stride == 0 {
            cell.inferred = false;
        }
        self.intern(cell)
    }

    /// The address plus a varying multiple.
    pub fn walk(&mut self, id: CellId, walk: Walk) -> CellId {
        let cell = self.get(id);
        if walk.stride == 0 || cell.is_anywhere() || self.object_of(id).flat {
            return id;
        }
        if self.object_of(id).collapsed {
            return self.anywhere(cell.object);
        }
        match (cell.innermost(), walk.extent) {
            (Some(span), None) => self.walk_array(id, cell, span, walk),
            (Some(span), Some(extent)) => self.walk_inside(id, cell, span, walk.stride, extent),
            (None, Some(extent)) => self.walk_new(id, cell, walk.stride, extent),
            (None, None) => self.walk_plain(id, cell, walk),
        }
    }

    /// A pointer into an array goes on in it.
    fn walk_array(&mut self, id: CellId, cell: Cell, span: Span, walk: Walk) -> CellId {
        let stays = |s: Span| s.stride != 0 && walk.stride % s.stride == 0;
        if stays(span) || stays(cell.outer) {
            return id;
        }
        let stride = gcd(gcd(cell.outer.stride, cell.inner.stride), walk.stride);
        self.residue(cell.object, cell.offset, stride)
    }

    /// An array inside an element of an array.
    fn walk_inside(&mut self, id: CellId, mut cell: Cell, span: Span, stride: u32, extent: u32) -> CellId {
        let room = i64::from(span.stride) - i64::from(cell.offset - span.start);
        if stride % span.stride == 0 || extent <= stride {
            return id;
        }
        if cell.inner.stride == 0 && i64::from(extent) <= room {
            cell.inner = Span { stride, start: cell.offset, end: cell.offset.saturating_add(extent as i32) };
            cell.inferred = true;
            return self.intern(cell);
        }
        let stride = gcd(gcd(cell.outer.stride, cell.inner.stride), stride);
        self.residue(cell.object, cell.offset, stride)
    }

    fn walk_new(&mut self, id: CellId, mut cell: Cell, stride: u32, extent: u32) -> CellId {
        let size =
            self.objects[cell.object.0 as usize].size.map_or(i64::MAX, |s| s.min(i64::MAX as u64) as i64);
        let end = (i64::from(cell.offset) + i64::from(extent)).min(size).min(i64::from(UNBOUNDED));
        // A second element would not fit.
        if i64::from(cell.offset) + i64::from(stride) >= end {
            return id;
        }
        cell.outer = Span { stride, start: cell.offset, end: end as i32 };
        cell.inferred = true;
        self.intern(cell)
    }

    /// A pointer to something that is not known to be an array is used as one.
    fn walk_plain(&mut self, id: CellId, mut cell: Cell, walk: Walk) -> CellId {
        let size = self.objects[cell.object.0 as usize].size;
        let (offset, stride) = (i64::from(cell.offset), i64::from(walk.stride));
        let fits_ahead = size.is_none_or(|s| offset + stride < s as i64);
        let fits_behind = !walk.forward && offset >= stride;
        if offset >= 0 && !fits_ahead && !fits_behind {
            return id;
        }
        if !walk.forward || offset < 0 {
            return self.residue(cell.object, cell.offset, walk.stride);
        }
        let end = size.map_or(UNBOUNDED, |s| s.min(UNBOUNDED as u64) as i32);
        cell.outer = Span { stride: walk.stride, start: cell.offset, end };
        cell.inferred = true;
        self.intern(cell)
    }

    /// Every `stride`-th offset of the object, one of which is `offset`.
    fn residue(&mut self, object: ObjectId, offset: i32, stride: u32) -> CellId {
        let size = self.objects[object.0 as usize].size;
        if stride <= 1 {
            return self.anywhere(object);
        }
        let start = offset.rem_euclid(stride as i32);
        let end = size.map_or(UNBOUNDED, |s| s.min(UNBOUNDED as u64) as i32).max(start + 1);
        let outer = Span { stride, start, end };
        self.intern(Cell { object, offset: start, outer, inner: Span::NONE, inferred: true })
    }
}

/// Goes from an offset in a declared array to the same place in its first element.
fn enter(cell: &mut Cell, array: &Array) {
    if !(array.start..array.end).contains(&cell.offset) {
        return;
    }
    let span = Span { stride: array.stride, start: array.start, end: array.end };
    if cell.outer.stride == 0 {
        cell.outer = span;
    } else if cell.inner.stride == 0 {
        cell.inner = span;
    } else {
        // A third level is merged with the second.
        cell.inner.stride = gcd(cell.inner.stride, array.stride);
        let (start, stride) = (cell.inner.start, cell.inner.stride as i32);
        cell.offset = start + (cell.offset - start) % stride;
        return;
    }
    cell.offset = array.start + (cell.offset - array.start) % array.stride as i32;
}
