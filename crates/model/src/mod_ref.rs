//! What functions, with all they call, read and write.
//!
//! In: memory accesses and call targets. Out: for each function the cells that a call of it may change, and may read. Sets of callees flow to
//! callers; functions that call each other share one set.
//!
//! Always holds: a cell is in the set of writes if a write in the function, or below it, can change a byte that is read through this cell. The stack objects of a
//! function that does not recurse are not in the sets of its callers: they are gone when it returns.

use crate::ir::*;
use crate::memory::{Group, Memory};
use crate::points_to::{CellId, ObjectKind, PointsTo, SparseSet};
use crate::stored;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Calls between functions with a body.
#[derive(Clone, Debug)]
pub struct Edges {
    pub callees: Vec<Vec<FuncId>>,
    pub callers: Vec<Vec<FuncId>>,
    /// Callees before callers, where there is no recursion.
    pub order: Vec<FuncId>,
    recursive: Vec<bool>,
    /// Of functions that call each other; callers have smaller numbers.
    component: Vec<u32>,
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
        let (recursive, component) = (vec![false; count], vec![u32::MAX; count]);
        let mut edges = Edges { callees, callers, order: Vec::new(), recursive, component };
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
        const NEW: u32 = u32::MAX;
        let component = &mut self.component;
        let mut size = Vec::new();
        for root in self.order.iter().rev() {
            if component[root.index()] != NEW {
                continue;
            }
            let number = size.len();
            size.push(0);
            component[root.index()] = number as u32;
            let mut pending = vec![*root];
            while let Some(func) = pending.pop() {
                size[number] += 1;
                for caller in &self.callers[func.index()] {
                    if component[caller.index()] == NEW {
                        component[caller.index()] = number as u32;
                        pending.push(*caller);
                    }
                }
            }
        }
        for func in 0..self.callees.len() {
            let itself = self.callees[func].contains(&FuncId::from_index(func));
            self.recursive[func] = itself || size[component[func] as usize] > 1;
        }
    }

    /// Functions that call each other, together; callees before callers.
    fn components(&self) -> Vec<Vec<FuncId>> {
        let mut members: Vec<Vec<FuncId>> = Vec::new();
        for (number, func) in self.component.iter().zip(0..) {
            members.resize_with(members.len().max(*number as usize + 1), Vec::new);
            members[*number as usize].push(FuncId(func));
        }
        members.reverse();
        members
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModRef {
    /// By component of the call graph: functions that call each other read and write the same.
    writes: Vec<SparseSet>,
    reads: Vec<SparseSet>,
    component: Vec<u32>,
}

impl ModRef {
    pub fn new(memory: &Memory, edges: &Edges) -> Self {
        let component = edges.component.clone();
        let count = component.iter().max().map_or(0, |last| *last as usize + 1);
        let (writes, reads) = (vec![SparseSet::default(); count], vec![SparseSet::default(); count]);
        let mut result = ModRef { writes, reads, component };
        for group in memory.all_reads() {
            for at in result.components(memory.program, group) {
                result.reads[at].union(&group.access.cells);
            }
        }
        let mut touched: FxHashMap<(CellId, u32), Vec<CellId>> = FxHashMap::default();
        for group in memory.all_writes() {
            let (mut all, size): (Vec<CellId>, u32) = (Vec::new(), group.access.size);
            for cell in group.access.cells.iter().map(CellId) {
                all.extend(
                    touched.entry((cell, size)).or_insert_with(|| touched_by(memory, cell, size)).iter(),
                );
            }
            all.sort_unstable();
            let all: SparseSet = all.iter().map(|c| c.0).collect();
            for at in result.components(memory.program, group) {
                result.writes[at].union(&all);
            }
        }
        result.close(memory, edges);
        result
    }

    /// The components that the instructions of a group are in.
    fn components(&self, program: &Program, group: &Group) -> Vec<usize> {
        let component = |i: &InstId| self.component[program.func_of(*i).index()] as usize;
        let mut found: Vec<usize> = group.insts.iter().map(component).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn close(&mut self, memory: &Memory, edges: &Edges) {
        let own = own_cells(memory, edges);
        for members in edges.components() {
            let Some(first) = members.first() else { continue };
            let here = self.component[first.index()] as usize;
            let mut below: Vec<FuncId> =
                members.iter().flat_map(|f| &edges.callees[f.index()]).copied().collect();
            // One function stands for all that call each other: none of them has cells of its own.
            below.sort_unstable_by_key(|f| self.component[f.index()]);
            below.dedup_by_key(|f| self.component[f.index()]);
            for callee in below {
                let there = self.component[callee.index()] as usize;
                if there != here {
                    for sets in [&mut self.writes, &mut self.reads] {
                        let seen = sets[there].without(&own[callee.index()]);
                        sets[here].union(&seen);
                    }
                }
            }
        }
    }

    /// For a cache: [`ModRef::from_bytes`] reads it back.
    pub fn to_bytes(&self) -> Vec<u8> {
        stored::to_bytes(self)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<ModRef, StoredError> {
        stored::from_bytes(bytes)
    }

    /// Cells whose content a call of the function may change.
    pub fn writes(&self, func: FuncId) -> &SparseSet {
        &self.writes[self.component[func.index()] as usize]
    }

    /// Cells that a call of the function may read.
    pub fn reads(&self, func: FuncId) -> &SparseSet {
        &self.reads[self.component[func.index()] as usize]
    }
}

/// All cells through which a write can be seen.
fn touched_by(memory: &Memory, cell: CellId, size: u32) -> Vec<CellId> {
    let object = memory.points_to.object(memory.points_to.cell(cell).object);
    object.cells.iter().filter(|c| memory.affects(cell, size, **c)).copied().collect()
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
