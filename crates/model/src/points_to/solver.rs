//! The solver: inclusion constraints over registers and memory, to their least solution.
//!
//! In: nodes, and constraints between them (copy, load, store, address computation, copy of memory, call through a
//! pointer). Out: for each node, the cells it can point to. Waves: cycles of copies are merged, sets flow along copies and address
//! computations in topological order, then loads, stores, copies of memory and calls turn what is new into edges, until
//! nothing is new.
//!
//! Always holds: at the end every constraint is satisfied; the result does not depend on the order of constraints, except
//! where a limit is hit (then it is coarser, never smaller).

use super::cells::{overlap, CellId, Cells, ObjectId, ObjectKind, Walk};
use super::copies::copied_to;
use super::graph::{Graph, NodeId, Uses};
use super::set::SparseSet;
use super::Limits;
use rustc_hash::{FxHashMap, FxHashSet};

/// A step of an address computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Shift(i64),
    Walk(Walk),
}

/// A copy of `len` bytes (none: not known how many) from what one node points to, to what another does.
#[derive(Clone, Copy, Debug)]
struct MemoryCopy {
    to: NodeId,
    from: NodeId,
    len: Option<u64>,
    /// Stands for both sides once there are too many pairs.
    hub: Option<NodeId>,
}

/// Copies between two cells: to which cell, and how many bytes.
type Transfer = (CellId, CellId, Option<u64>);

const NONE: NodeId = NodeId::MAX;
/// Loads, or stores, through one pointer that are looked at one by one.
const GATHERED: usize = 8;
/// Bytes of a pointer.
const POINTER: u64 = 8;

pub struct Solver {
    pub graph: Graph,
    pub cells: Cells,
    limits: Limits,
    steps: Vec<Vec<Step>>,
    step_index: FxHashMap<Vec<Step>, u32>,
    /// Where steps lead from a cell, where that is one cell.
    known_steps: FxHashMap<(u32, CellId), CellId>,
    copies: Vec<MemoryCopy>,
    transfers: FxHashSet<Transfer>,
    /// By source object.
    transfers_from: FxHashMap<ObjectId, Vec<Transfer>>,
    /// What is stored to, and what is loaded from, each cell.
    stored: Vec<NodeId>,
    loaded: Vec<NodeId>,
    /// Cells whose stored node is new: transfers must look at them.
    fresh_cells: Vec<CellId>,
    /// What is loaded through pointers that can point almost anywhere, and the cells it comes from.
    from_anywhere: Option<NodeId>,
    loaded_from_anywhere: SparseSet,
    pub waves: usize,
}

/// Turns a function that a call can reach into constraints.
pub trait Binder {
    fn bind(&mut self, solver: &mut Solver, call: u32, cell: CellId);
}

impl Solver {
    pub fn new(limits: Limits) -> Solver {
        Solver {
            graph: Graph::default(),
            cells: Cells::new(limits),
            limits,
            steps: Vec::new(),
            step_index: FxHashMap::default(),
            known_steps: FxHashMap::default(),
            copies: Vec::new(),
            transfers: FxHashSet::default(),
            transfers_from: FxHashMap::default(),
            stored: Vec::new(),
            loaded: Vec::new(),
            fresh_cells: Vec::new(),
            from_anywhere: None,
            loaded_from_anywhere: SparseSet::default(),
            waves: 0,
        }
    }

    pub fn node(&mut self) -> NodeId {
        self.graph.add_node()
    }

    pub fn load(&mut self, pointer: NodeId, to: NodeId) {
        self.graph.uses_mut(pointer).loads.push(to);
    }

    pub fn store(&mut self, pointer: NodeId, value: NodeId) {
        self.graph.uses_mut(pointer).stores.push(value);
    }

    pub fn gep(&mut self, base: NodeId, steps: &[Step], to: NodeId) {
        if steps.is_empty() {
            return self.graph.add_edge(base, to);
        }
        let id = self.steps_id(steps);
        self.graph.uses_mut(base).geps.push((id, to));
    }

    pub fn call(&mut self, pointer: NodeId, call: u32) {
        self.graph.uses_mut(pointer).calls.push(call);
    }

    pub fn copy_memory(&mut self, to: NodeId, from: NodeId, len: Option<u64>) {
        // Fewer bytes than a pointer has.
        if len.is_some_and(|l| l < POINTER) {
            return;
        }
        let id = self.copies.len() as u32;
        self.copies.push(MemoryCopy { to, from, len, hub: None });
        self.graph.uses_mut(to).copies_to.push(id);
        self.graph.uses_mut(from).copies_from.push(id);
    }

    fn steps_id(&mut self, steps: &[Step]) -> u32 {
        if let Some(&id) = self.step_index.get(steps) {
            return id;
        }
        let id = self.steps.len() as u32;
        self.steps.push(steps.to_vec());
        self.step_index.insert(steps.to_vec(), id);
        id
    }

    /// Where steps lead from a cell.
    pub fn derive(&mut self, cell: CellId, steps: &[Step]) -> Vec<CellId> {
        derive(&mut self.cells, cell, steps)
    }

    /// The node of what is stored to a cell.
    pub fn stored(&mut self, cell: CellId) -> NodeId {
        self.grow_cells();
        if self.stored[cell.0 as usize] == NONE {
            let node = self.node();
            self.stored[cell.0 as usize] = node;
            for other in self.overlapping(cell) {
                let to = self.loaded[other.0 as usize];
                if to != NONE {
                    self.graph.add_edge(node, to);
                }
            }
            self.fresh_cells.push(cell);
        }
        self.stored[cell.0 as usize]
    }

    /// The node of what can be loaded from a cell: all that was stored to cells that overlap it.
    pub fn loaded(&mut self, cell: CellId) -> NodeId {
        self.grow_cells();
        if self.loaded[cell.0 as usize] == NONE {
            let node = self.node();
            self.loaded[cell.0 as usize] = node;
            for other in self.overlapping(cell) {
                let from = self.stored[other.0 as usize];
                if from != NONE {
                    self.graph.add_edge(from, node);
                }
            }
        }
        self.loaded[cell.0 as usize]
    }

    /// The pointers that can be found at a cell.
    pub fn content(&self, cell: CellId) -> SparseSet {
        let mut found = SparseSet::default();
        for other in self.overlapping(cell) {
            match self.stored.get(other.0 as usize) {
                Some(&node) if node != NONE => {
                    let node = self.graph.representative(node);
                    found.union(&self.graph.points_to[node as usize]);
                }
                _ => {}
            }
        }
        found
    }

    fn grow_cells(&mut self) {
        self.stored.resize(self.cells.cells.len(), NONE);
        self.loaded.resize(self.cells.cells.len(), NONE);
    }

    /// Cells in which a pointer at `cell` can be found.
    fn overlapping(&self, cell: CellId) -> Vec<CellId> {
        let this = self.cells.get(cell);
        let all = &self.cells.object_of(cell).cells;
        all.iter().copied().filter(|o| overlap(&this, 1, &self.cells.get(*o), 1)).collect()
    }

    pub fn solve(&mut self, binder: &mut dyn Binder) {
        loop {
            self.waves += 1;
            let mut walker = Walker {
                cells: &mut self.cells,
                steps: &self.steps,
                known: &mut self.known_steps,
                huge: self.limits.huge as usize,
            };
            let mut touched = Vec::new();
            let any = self.graph.propagate(|graph, node, new| {
                walker.apply_geps(graph, node, new);
                graph.waiting[node as usize].union(new);
                touched.push(node);
            });
            for node in touched {
                self.complex(node, binder);
            }
            let moved = self.transfer_fresh();
            if !any && !moved {
                break;
            }
        }
    }

    /// Loads, stores, copies and calls of a node, for the cells that are new there.
    fn complex(&mut self, node: NodeId, binder: &mut dyn Binder) {
        let node = self.graph.find(node);
        let new = std::mem::take(&mut self.graph.waiting[node as usize]);
        let Some(mut uses) = self.graph.uses[node as usize].take() else { return };
        if !new.is_empty() {
            self.gather(&mut uses);
            let places = self.graph.points_to[node as usize].len();
            let huge = !uses.loads.is_empty() && places > self.limits.huge as usize;
            if huge {
                self.load_from_anywhere(&new, &mut uses.loads);
            }
            if !uses.stores.is_empty() && places > self.limits.large as usize {
                self.collapse(node);
            }
            self.loads_and_stores(&new, if huge { &[] } else { &uses.loads }, &uses.stores);
            for &copy in &uses.copies_to {
                self.copy_side(copy, &new, true);
            }
            for &copy in &uses.copies_from {
                self.copy_side(copy, &new, false);
            }
            let callable = |c: &CellId| matches!(self.cells.object_of(*c).kind, ObjectKind::Function(_));
            let functions: Vec<CellId> = match uses.calls.is_empty() {
                true => Vec::new(),
                false => new.iter().map(CellId).filter(callable).collect(),
            };
            for &call in &uses.calls {
                functions.iter().for_each(|cell| binder.bind(self, call, *cell));
            }
        }
        // Binding a call may have given this very node a new use.
        let node = self.graph.find(node) as usize;
        match &mut self.graph.uses[node] {
            Some(added) => added.extend(*uses),
            none => *none = Some(uses),
        }
    }

    /// Many loads through one pointer become one, whose result goes to all of them; likewise stores. The result is the same, with as many edges as there
    /// are loads and cells, not pairs of them.
    fn gather(&mut self, uses: &mut Uses) {
        if uses.loads.len() > GATHERED {
            let all = self.node();
            for to in std::mem::replace(&mut uses.loads, vec![all]) {
                self.graph.add_edge(all, to);
            }
        }
        if uses.stores.len() > GATHERED {
            let all = self.node();
            for from in std::mem::replace(&mut uses.stores, vec![all]) {
                self.graph.add_edge(from, all);
            }
        }
    }

    /// Loads through a pointer that can point almost anywhere: they all give what any such load can give. Otherwise there would be an edge for every
    /// load and every place. What the pointer could point to before has its edges already.
    fn load_from_anywhere(&mut self, new: &SparseSet, loads: &mut Vec<NodeId>) {
        let hub = match self.from_anywhere {
            Some(hub) => hub,
            None => self.node(),
        };
        self.from_anywhere = Some(hub);
        let cells = new.without(&self.loaded_from_anywhere);
        self.loaded_from_anywhere.union(&cells);
        self.loads_and_stores(&cells, &[hub], &[]);
        for to in std::mem::replace(loads, vec![hub]) {
            self.graph.add_edge(hub, to);
        }
    }

    /// A store through a pointer that can point almost anywhere: what it can point to is not told apart any more, neither the objects' content nor
    /// places in them.
    fn collapse(&mut self, pointer: NodeId) {
        let all = self.graph.points_to[pointer as usize].clone();
        let mut objects: Vec<ObjectId> = all.iter().map(|c| self.cells.get(CellId(c)).object).collect();
        objects.sort_unstable();
        objects.dedup();
        objects.retain(|o| !self.cells.objects[o.0 as usize].read_only);
        let mut shared = None;
        for object in objects {
            let known = self.cells.objects[object.0 as usize].collapsed;
            let anywhere = self.cells.collapse(object);
            let content = self.stored(anywhere);
            let shared = *shared.get_or_insert(content);
            self.graph.merge(shared, content);
            if known {
                continue;
            }
            let loaded = self.loaded(anywhere);
            self.graph.merge(shared, loaded);
            for cell in self.cells.objects[object.0 as usize].cells.clone() {
                for node in [self.stored[cell.0 as usize], self.loaded[cell.0 as usize]] {
                    if node != NONE {
                        self.graph.merge(shared, node);
                    }
                }
            }
        }
    }

    fn loads_and_stores(&mut self, new: &SparseSet, loads: &[NodeId], stores: &[NodeId]) {
        for cell in new.iter().map(CellId) {
            if !loads.is_empty() {
                let from = self.loaded(cell);
                for &to in loads {
                    self.graph.add_edge(from, to);
                }
            }
            if !stores.is_empty() && !self.cells.object_of(cell).read_only {
                let to = self.stored(cell);
                for &from in stores {
                    self.graph.add_edge(from, to);
                }
            }
        }
    }

    /// New cells on one side of a copy of memory meet all cells of the other side.
    fn copy_side(&mut self, copy: u32, new: &SparseSet, to_side: bool) {
        let MemoryCopy { to, from, len, hub } = self.copies[copy as usize];
        if let Some(hub) = hub {
            return self.join_hub(hub, new, to_side);
        }
        let other = self.graph.find(if to_side { from } else { to });
        let others = self.graph.points_to[other as usize].clone();
        if new.len().saturating_mul(others.len()) > self.limits.copy_pairs as usize {
            let hub = self.node();
            self.copies[copy as usize].hub = Some(hub);
            let side = self.graph.find(if to_side { to } else { from });
            let all = self.graph.points_to[side as usize].clone();
            self.join_hub(hub, &all, to_side);
            return self.join_hub(hub, &others, !to_side);
        }
        for a in new.iter().map(CellId) {
            for b in others.iter().map(CellId) {
                let (to, from) = if to_side { (a, b) } else { (b, a) };
                self.add_transfer((from, to, len));
            }
        }
    }

    /// Too many pairs: everything on one side goes anywhere on the other.
    fn join_hub(&mut self, hub: NodeId, cells: &SparseSet, to_side: bool) {
        let objects: FxHashSet<ObjectId> = cells.iter().map(|c| self.cells.get(CellId(c)).object).collect();
        let mut objects: Vec<ObjectId> = objects.into_iter().collect();
        objects.sort_unstable();
        for object in objects {
            if to_side && self.cells.objects[object.0 as usize].read_only {
                continue;
            }
            let anywhere = self.cells.anywhere(object);
            if to_side {
                let node = self.stored(anywhere);
                self.graph.add_edge(hub, node);
            } else {
                let node = self.loaded(anywhere);
                self.graph.add_edge(node, hub);
            }
        }
    }

    pub fn add_transfer(&mut self, transfer: Transfer) {
        let (from, to, _) = transfer;
        if from == to || !self.transfers.insert(transfer) {
            return;
        }
        let object = self.cells.get(from).object;
        self.transfers_from.entry(object).or_default().push(transfer);
        self.grow_cells();
        for cell in self.cells.objects[object.0 as usize].cells.clone() {
            if self.stored[cell.0 as usize] != NONE {
                self.transfer(transfer, cell);
            }
        }
    }

    /// Cells that have been stored to for the first time take part in the copies from their objects.
    /// Were there any?
    fn transfer_fresh(&mut self) -> bool {
        let any = !self.fresh_cells.is_empty();
        while let Some(cell) = self.fresh_cells.pop() {
            let object = self.cells.get(cell).object;
            for transfer in self.transfers_from.get(&object).cloned().unwrap_or_default() {
                self.transfer(transfer, cell);
            }
        }
        any
    }

    /// What was stored to `cell` is copied along with the bytes at `from`.
    fn transfer(&mut self, (from, to, len): Transfer, cell: CellId) {
        let (source, inside) = (self.cells.get(from), self.cells.get(cell));
        if self.cells.object_of(to).read_only {
            return;
        }
        for target in copied_to(&mut self.cells, &source, &inside, to, len) {
            let (from, to) = (self.stored(cell), self.stored(target));
            self.graph.add_edge(from, to);
        }
    }
}

/// Where steps lead from a cell.
pub fn derive(cells: &mut Cells, cell: CellId, steps: &[Step]) -> Vec<CellId> {
    let mut current = vec![cell];
    for step in steps {
        let mut next = Vec::with_capacity(current.len());
        for cell in current {
            match *step {
                Step::Shift(by) => next.extend(cells.shift(cell, by).into_iter().flatten()),
                Step::Walk(walk) => next.push(cells.walk(cell, walk)),
            }
        }
        current = next;
    }
    current
}

/// Address computations of nodes.
struct Walker<'s> {
    cells: &'s mut Cells,
    steps: &'s [Vec<Step>],
    known: &'s mut FxHashMap<(u32, CellId), CellId>,
    huge: usize,
}

impl Walker<'_> {
    fn apply_geps(&mut self, graph: &mut Graph, node: NodeId, new: &SparseSet) {
        let Some(mut uses) = graph.uses[node as usize].take() else { return };
        if !uses.geps.is_empty() {
            let fixed = new.common(&self.cells.fixed);
            let moving = new.without(&fixed);
            if graph.points_to[node as usize].len() > self.huge {
                let mut derived = fixed;
                moving.iter().for_each(|cell| {
                    derived.insert(self.cells.anywhere(self.cells.get(CellId(cell)).object).0);
                });
                uses.geps.iter().for_each(|(_, to)| graph.flow_set(&derived, *to));
            } else {
                // Nodes that have been merged have many address computations, few of them different.
                uses.geps.sort_unstable();
                for same in uses.geps.chunk_by(|a, b| a.0 == b.0) {
                    let mut derived = fixed.clone();
                    moving.iter().for_each(|cell| self.derive(CellId(cell), same[0].0, &mut derived));
                    same.iter().for_each(|(_, to)| graph.flow_set(&derived, *to));
                }
            }
        }
        graph.uses[node as usize] = Some(uses);
    }

    fn derive(&mut self, cell: CellId, steps: u32, derived: &mut SparseSet) {
        if let Some(known) = self.known.get(&(steps, cell)) {
            derived.insert(known.0);
            return;
        }
        let targets = derive(self.cells, cell, &self.steps[steps as usize]);
        if let [one] = targets[..] {
            self.known.insert((steps, cell), one);
        }
        targets.iter().for_each(|t| {
            derived.insert(t.0);
        });
    }
}
