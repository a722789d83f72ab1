//! A directed graph in two compact arrays, and its depth-first order.

/// Lists of numbers, one list for each of 0..n, in one array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Csr {
    /// From pairs (list, item); the order of the items of one list is kept.
    pub fn new(lists: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; lists + 1];
        for (list, _) in pairs.clone() {
            starts[list as usize + 1] += 1;
        }
        for i in 0..lists {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[lists] as usize];
        for (list, item) in pairs {
            items[next[list as usize] as usize] = item;
            next[list as usize] += 1;
        }
        Csr { starts, items }
    }

    pub fn of(&self, list: usize) -> &[u32] {
        &self.items[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    pub fn lists(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// Nodes 0..n and edges; one edge may occur several times.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    successors: Csr,
    predecessors: Csr,
}

impl Graph {
    pub fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        Graph {
            successors: Csr::new(nodes, edges.iter().copied()),
            predecessors: Csr::new(nodes, edges.iter().map(|e| (e.1, e.0))),
        }
    }

    pub fn len(&self) -> usize {
        self.successors.lists()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn successors(&self, node: u32) -> &[u32] {
        self.successors.of(node as usize)
    }

    pub fn predecessors(&self, node: u32) -> &[u32] {
        self.predecessors.of(node as usize)
    }

    pub fn reversed(&self) -> Graph {
        Graph { successors: self.predecessors.clone(), predecessors: self.successors.clone() }
    }

    /// Which nodes can be reached from `roots`.
    pub fn reachable(&self, roots: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut pending: Vec<u32> = roots.into_iter().collect();
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                pending.extend_from_slice(self.successors(node));
            }
        }
        seen
    }
}

/// Depth-first search from one root.
#[derive(Clone, Debug)]
pub struct Dfs {
    /// Reached nodes in the order in which they were found.
    pub preorder: Vec<u32>,
    /// Place of a node in `preorder`; [`Dfs::UNREACHED`] for others.
    pub number: Vec<u32>,
    /// Number of the parent, by number (the root is its own).
    pub parent: Vec<u32>,
    /// Largest number in the subtree, by number.
    pub last: Vec<u32>,
    /// Reached nodes in the order in which they were left.
    pub postorder: Vec<u32>,
}

impl Dfs {
    pub const UNREACHED: u32 = u32::MAX;

    pub fn new(graph: &Graph, root: u32) -> Self {
        let mut dfs = Dfs {
            preorder: vec![root],
            number: vec![Self::UNREACHED; graph.len()],
            parent: vec![0],
            last: vec![0],
            postorder: Vec::new(),
        };
        dfs.number[root as usize] = 0;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let number = dfs.number[*node as usize];
            match graph.successors(*node).get(*next) {
                Some(&to) => {
                    *next += 1;
                    if dfs.number[to as usize] == Self::UNREACHED {
                        dfs.number[to as usize] = dfs.preorder.len() as u32;
                        dfs.preorder.push(to);
                        dfs.parent.push(number);
                        dfs.last.push(0);
                        stack.push((to, 0));
                    }
                }
                None => {
                    dfs.last[number as usize] = dfs.preorder.len() as u32 - 1;
                    dfs.postorder.push(*node);
                    stack.pop();
                }
            }
        }
        dfs
    }

    pub fn reached(&self, node: u32) -> bool {
        self.number[node as usize] != Self::UNREACHED
    }
}
