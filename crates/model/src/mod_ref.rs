//! What functions, with all they call, read and write.
//!
//! In: memory accesses and call targets. Out: for each function the cells that a call of it may change, and may read. Sets of callees flow to
//! callers, along a depth-first order, until nothing changes.
//!
//! Always holds: a cell is in the set of writes if a write in the function, or below it, can change a byte that is read through this cell. The stack objects of a
//! function that does not recurse are not in the sets of its callers: they are gone when it returns.

use crate::ir::*;
use crate::memory::{Group, Memory};
use crate::points_to::{CellId, ObjectKind, PointsTo, SparseSet};
use rustc_hash::FxHashMap;

/// Calls between functions with a body.
#[derive(Clone, Debug)]
pub struct Edges {
    pub callees: Vec<Vec<FuncId>>,
    pub callers: Vec<Vec<FuncId>>,
    /// Callees before callers, where there is no recursion.
    pub order: Vec<FuncId>,
    recursive: Vec<bool>,
}

impl Edges {
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let count = program.defined as usize;
        let mut callees = vec![Vec::new(); count];
        let mut callers = vec![Vec::new(); count];
        for (call, func, _) in points_to.all_targets() {
            if program.func(*func).is_defined() {
                callees[program.func_of(*call).index()].push(*func);
                callers[func.index()].push(program.func_of(*call));
            }
        }
        for list in callees.iter_mut().chain(&mut callers) {
            list.sort_unstable();
            list.dedup();
        }
        let mut edges = Edges { callees, callers, order: Vec::new(), recursive: vec![false; count] };
        edges.order = edges.post_order();
        edges.find_recursion();
        edges
    }

    /// Can the function be active twice at one time?
    pub fn is_recursive(&self, func: FuncId) -> bool {
        self.recursive[func.index()]
    }

    fn post_order(&self) -> Vec<FuncId> {
        let mut seen = vec![false; self.callees.len()];
        let mut order = Vec::new();
        for root in 0..self.callees.len() {
            let mut path = vec![(root, 0)];
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            while let Some((func, at)) = path.last_mut() {
                match self.callees[*func].get(*at) {
                    Some(next) => {
                        *at += 1;
                        if !std::mem::replace(&mut seen[next.index()], true) {
                            path.push((next.index(), 0));
                        }
                    }
                    None => {
                        order.push(FuncId::from_index(*func));
                        path.pop();
                    }
                }
            }
        }
        order
    }

    /// Components of the reversed graph, roots in reverse order (Kosaraju).
    fn find_recursion(&mut self) {
        let mut component = vec![usize::MAX; self.callees.len()];
        let mut size = Vec::new();
        for root in self.order.iter().rev() {
            if component[root.index()] != usize::MAX {
                continue;
            }
            let number = size.len();
            size.push(0);
            component[root.index()] = number;
            let mut pending = vec![*root];
            while let Some(func) = pending.pop() {
                size[number] += 1;
                for caller in &self.callers[func.index()] {
                    if component[caller.index()] == usize::MAX {
                        component[caller.index()] = number;
                        pending.push(*caller);
                    }
                }
            }
        }
        for func in 0..self.callees.len() {
            let itself = self.callees[func].contains(&FuncId::from_index(func));
            self.recursive[func] = itself || size[component[func]] > 1;
        }
    }

    /// These functions and all that can lead to a call of them; not above functions for which `stop` says so.
    pub fn with_callers(
        &self,
        funcs: impl Iterator<Item = FuncId>,
        stop: impl Fn(FuncId) -> bool,
    ) -> Vec<FuncId> {
        let mut seen = SparseSet::default();
        let mut pending: Vec<FuncId> = funcs.collect();
        while let Some(func) = pending.pop() {
            if seen.insert(func.0) && !stop(func) {
                pending.extend(&self.callers[func.index()]);
            }
        }
        seen.iter().map(FuncId).collect()
    }
}

/// What functions read and write, with all they call.
#[derive(Clone, Debug)]
pub struct ModRef {
    writes: Vec<SparseSet>,
    reads: Vec<SparseSet>,
}

impl ModRef {
    pub fn new(memory: &Memory, edges: &Edges) -> Self {
        let program = memory.program;
        let count = program.defined as usize;
        let mut result =
            ModRef { writes: vec![SparseSet::default(); count], reads: vec![SparseSet::default(); count] };
        for group in memory.all_reads() {
            for func in functions(program, group) {
                result.reads[func.index()].union(&group.access.cells);
            }
        }
        let mut touched: FxHashMap<(CellId, u32), SparseSet> = FxHashMap::default();
        for group in memory.all_writes() {
            let (mut all, size) = (SparseSet::default(), group.access.size);
            for cell in group.access.cells.iter().map(CellId) {
                all.union(touched.entry((cell, size)).or_insert_with(|| touched_by(memory, cell, size)));
            }
            for func in functions(program, group) {
                result.writes[func.index()].union(&all);
            }
        }
        result.close(memory, edges);
        result
    }

    fn close(&mut self, memory: &Memory, edges: &Edges) {
        let own = own_cells(memory, edges);
        loop {
            let mut changed = false;
            for func in &edges.order {
                for callee in &edges.callees[func.index()] {
                    if callee == func {
                        continue;
                    }
                    for sets in [&mut self.writes, &mut self.reads] {
                        let below = sets[callee.index()].without(&own[callee.index()]);
                        changed |= sets[func.index()].union(&below);
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Cells whose content a call of the function may change.
    pub fn writes(&self, func: FuncId) -> &SparseSet {
        &self.writes[func.index()]
    }

    /// Cells that a call of the function may read.
    pub fn reads(&self, func: FuncId) -> &SparseSet {
        &self.reads[func.index()]
    }
}

/// The functions that the instructions of a group are in, each once.
fn functions(program: &Program, group: &Group) -> Vec<FuncId> {
    let mut found: Vec<FuncId> = group.insts.iter().map(|i| program.func_of(*i)).collect();
    found.dedup();
    found
}

/// All cells through which a write can be seen.
fn touched_by(memory: &Memory, cell: CellId, size: u32) -> SparseSet {
    let object = memory.points_to.object(memory.points_to.cell(cell).object);
    object.cells.iter().filter(|c| memory.affects(cell, size, **c)).map(|c| c.0).collect()
}

/// The stack cells of each function that does not recurse.
fn own_cells(memory: &Memory, edges: &Edges) -> Vec<SparseSet> {
    let mut own = vec![SparseSet::default(); edges.callees.len()];
    for object in &memory.points_to.objects {
        let func = match object.kind {
            ObjectKind::Stack(alloca) => memory.program.func_of(alloca),
            ObjectKind::ByVal { func, .. } => func,
            _ => continue,
        };
        if !edges.is_recursive(func) {
            object.cells.iter().for_each(|c| {
                own[func.index()].insert(c.0);
            });
        }
    }
    own
}
