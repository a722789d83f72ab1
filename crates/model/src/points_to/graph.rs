//! The constraint graph: nodes with sets of cells, copy edges, and cycles that become one node.
//!
//! In: nodes and edges, added at any time. Out: sets that flow along edges. Always holds: every element that a node
//! ever got is in its set, and either has been passed on or stands in `pending`; nodes on a cycle of copy edges that was seen
//! share one representative.

use super::cells::CellId;
use super::set::SparseSet;
use rustc_hash::FxHashSet;

pub type NodeId = u32;

/// What to do with the cells that a node gets, beyond passing them on.
#[derive(Debug, Default)]
pub struct Uses {
    /// Loads through this pointer: where the loaded value goes.
    pub loads: Vec<NodeId>,
    /// Stores through this pointer: where the value comes from.
    pub stores: Vec<NodeId>,
    /// Address computations: which, and where the address goes.
    pub geps: Vec<(u32, NodeId)>,
    /// Calls through this pointer.
    pub calls: Vec<u32>,
    /// Copies of memory to, and from, what this points to.
    pub copies_to: Vec<u32>,
    pub copies_from: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct Graph {
    parent: Vec<NodeId>,
    pub points_to: Vec<SparseSet>,
    pending: Vec<SparseSet>,
    pub waiting: Vec<SparseSet>,
    successors: Vec<Vec<NodeId>>,
    pub uses: Vec<Option<Box<Uses>>>,
    edges: FxHashSet<(NodeId, NodeId)>,
    /// Edges since cycles were last looked for.
    fresh_edges: usize,
    /// Representatives, sources first, as of the last look.
    order: Vec<NodeId>,
    pub merged: usize,
}

impl Graph {
    pub fn add_node(&mut self) -> NodeId {
        let id = self.parent.len() as NodeId;
        self.parent.push(id);
        self.points_to.push(SparseSet::default());
        self.pending.push(SparseSet::default());
        self.waiting.push(SparseSet::default());
        self.successors.push(Vec::new());
        self.uses.push(None);
        self.order.push(id);
        id
    }

    pub fn len(&self) -> usize {
        self.parent.len()
    }

    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub fn find(&mut self, mut node: NodeId) -> NodeId {
        while self.parent[node as usize] != node {
            let up = self.parent[node as usize];
            self.parent[node as usize] = self.parent[up as usize];
            node = up;
        }
        node
    }

    /// As `find`, without shortening paths.
    pub fn representative(&self, mut node: NodeId) -> NodeId {
        while self.parent[node as usize] != node {
            node = self.parent[node as usize];
        }
        node
    }

    pub fn uses_mut(&mut self, node: NodeId) -> &mut Uses {
        let node = self.find(node) as usize;
        // What the node already has must be looked at again for the new use.
        let all = self.points_to[node].clone();
        self.pending[node].union(&all);
        self.uses[node].get_or_insert_with(Box::default)
    }

    pub fn add(&mut self, node: NodeId, cell: CellId) {
        let node = self.find(node) as usize;
        if self.points_to[node].insert(cell.0) {
            self.pending[node].insert(cell.0);
        }
    }

    pub fn add_edge(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.successors[from as usize].push(to);
        self.fresh_edges += 1;
        let all = std::mem::take(&mut self.points_to[from as usize]);
        self.flow(&all, to);
        self.points_to[from as usize] = all;
    }

    fn flow(&mut self, cells: &SparseSet, to: NodeId) {
        let to = to as usize;
        self.points_to[to].union_noting(cells, &mut self.pending[to]);
    }

    pub fn flow_set(&mut self, cells: &SparseSet, to: NodeId) {
        let to = self.find(to);
        self.flow(cells, to);
    }

    /// Passes on what nodes got, sources first. `visit` sees each node with uses and what is new there.
    /// Was there anything?
    pub fn propagate(&mut self, mut visit: impl FnMut(&mut Graph, NodeId, &SparseSet)) -> bool {
        self.look_for_cycles();
        let order = std::mem::take(&mut self.order);
        let mut any = false;
        for &node in &order {
            if self.parent[node as usize] != node || self.pending[node as usize].is_empty() {
                continue;
            }
            any = true;
            let new = std::mem::take(&mut self.pending[node as usize]);
            let successors = std::mem::take(&mut self.successors[node as usize]);
            for &to in &successors {
                let to = self.find(to);
                if to != node {
                    self.flow(&new, to);
                }
            }
            self.successors[node as usize] = successors;
            if self.uses[node as usize].is_some() {
                visit(self, node, &new);
            }
        }
        let added = std::mem::replace(&mut self.order, order);
        self.order.extend(added);
        any
    }

    /// Merges the cycles of copy edges, if edges were added, and orders what is left.
    fn look_for_cycles(&mut self) {
        if self.fresh_edges == 0 {
            return;
        }
        self.fresh_edges = 0;
        let components = Components::of(self);
        for group in components.groups {
            for &node in &group[1..] {
                self.merge(group[0], node);
            }
        }
        self.order = components.order;
        self.order.reverse();
    }

    pub fn merge(&mut self, into: NodeId, from: NodeId) {
        let (into, from) = (self.find(into) as usize, self.find(from) as usize);
        if into == from {
            return;
        }
        self.merged += 1;
        self.parent[from] = into as NodeId;
        let cells = std::mem::take(&mut self.points_to[from]);
        // Each side lacks what the other has: all of it is new for the edges and uses of the other.
        let all = std::mem::take(&mut self.points_to[into]);
        let mut union = all.clone();
        union.union(&cells);
        self.pending[into].union(&cells.without(&all));
        self.pending[into].union(&all.without(&cells));
        let left = std::mem::take(&mut self.pending[from]);
        self.pending[into].union(&left);
        self.points_to[into] = union;
        let left = std::mem::take(&mut self.waiting[from]);
        self.waiting[into].union(&left);
        let successors = std::mem::take(&mut self.successors[from]);
        self.successors[into].extend(successors);
        if let Some(uses) = self.uses[from].take() {
            self.uses[into].get_or_insert_with(Box::default).extend(*uses);
        }
    }
}

impl Uses {
    pub fn extend(&mut self, other: Uses) {
        self.loads.extend(other.loads);
        self.stores.extend(other.stores);
        self.geps.extend(other.geps);
        self.calls.extend(other.calls);
        self.copies_to.extend(other.copies_to);
        self.copies_from.extend(other.copies_from);
    }
}

/// Strongly connected components of the copy edges (Tarjan), by representatives.
struct Components {
    /// Components of more than one node.
    groups: Vec<Vec<NodeId>>,
    /// One node of each component, successors before predecessors.
    order: Vec<NodeId>,
}

struct Search<'g> {
    graph: &'g mut Graph,
    number: Vec<u32>,
    low: Vec<u32>,
    open: Vec<NodeId>,
    is_open: Vec<bool>,
    next: u32,
    found: Components,
}

impl Components {
    fn of(graph: &mut Graph) -> Components {
        let nodes = graph.len();
        let found = Components { groups: Vec::new(), order: Vec::new() };
        let mut search = Search {
            graph,
            number: vec![0; nodes],
            low: vec![0; nodes],
            open: Vec::new(),
            is_open: vec![false; nodes],
            next: 0,
            found,
        };
        for node in 0..nodes as NodeId {
            if search.graph.parent[node as usize] == node && search.number[node as usize] == 0 {
                search.from(node);
            }
        }
        search.found
    }
}

impl Search<'_> {
    fn enter(&mut self, node: NodeId) {
        self.next += 1;
        self.number[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.open.push(node);
        self.is_open[node as usize] = true;
        self.tidy(node);
    }

    /// Edges to nodes that have been merged become edges to their representatives, each once.
    fn tidy(&mut self, node: NodeId) {
        let mut successors = std::mem::take(&mut self.graph.successors[node as usize]);
        for to in &mut successors {
            *to = self.graph.find(*to);
        }
        successors.sort_unstable();
        successors.dedup();
        successors.retain(|to| *to != node);
        self.graph.successors[node as usize] = successors;
    }

    fn from(&mut self, root: NodeId) {
        let mut path = vec![(root, 0usize)];
        self.enter(root);
        while let Some((node, at)) = path.last_mut() {
            let (node, i) = (*node as usize, *at);
            *at += 1;
            match self.graph.successors[node].get(i).copied() {
                Some(to) if self.number[to as usize] == 0 => {
                    self.enter(to);
                    path.push((to, 0));
                }
                Some(to) if self.is_open[to as usize] => {
                    self.low[node] = self.low[node].min(self.number[to as usize]);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((up, _)) = path.last() {
                        let up = *up as usize;
                        self.low[up] = self.low[up].min(self.low[node]);
                    }
                    self.leave(node as NodeId);
                }
            }
        }
    }

    /// If `node` is the root of a component, the component is complete.
    fn leave(&mut self, node: NodeId) {
        if self.low[node as usize] != self.number[node as usize] {
            return;
        }
        let at = self.open.iter().rposition(|n| *n == node).unwrap_or(0);
        let group = self.open.split_off(at);
        for &member in &group {
            self.is_open[member as usize] = false;
        }
        self.found.order.push(group[0]);
        if group.len() > 1 {
            self.found.groups.push(group);
        }
    }
}
