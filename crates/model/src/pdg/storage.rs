//! How the dependence graph is kept: numbers of nodes, edges by node, and the form in which it is stored.
//!
//! In: edges, or what was stored. Out: the edges of a node, both ways. Only one direction is stored, as differences between neighbours; the other is
//! made from it.
//!
//! Always holds: what is read back equals what was stored; edges of a node ascend in the stored direction.

use super::{Kind, Node, Pdg};
use crate::ir::*;
use crate::stored;
use serde::{Deserialize, Serialize};

/// Edges of one direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Adjacency {
    first: Vec<u32>,
    pub edges: Vec<(u32, Kind)>,
}

impl Adjacency {
    pub fn new(nodes: usize, list: &[(u32, u32, Kind)], forward: bool) -> Self {
        let source = |e: &(u32, u32, Kind)| if forward { e.0 } else { e.1 };
        let mut first = vec![0u32; nodes + 1];
        list.iter().for_each(|e| first[source(e) as usize + 1] += 1);
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut edges = vec![(0, Kind::Register); list.len()];
        for e in list {
            let at = &mut next[source(e) as usize];
            edges[*at as usize] = (if forward { e.1 } else { e.0 }, e.2);
            *at += 1;
        }
        Adjacency { first, edges }
    }

    pub fn of(&self, node: u32) -> &[(u32, Kind)] {
        &self.edges[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}

/// Where each kind of node begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    insts: u32,
    blocks: u32,
    funcs: u32,
    pub objects: u32,
    first_param: Vec<u32>,
}

impl Layout {
    pub fn new(program: &Program, objects: u32) -> Layout {
        let mut first_param = Vec::new();
        let mut next = 0;
        for func in program.defined_functions() {
            first_param.push(next);
            next += program.func(func).params.len() as u32;
        }
        first_param.push(next);
        Layout {
            insts: program.insts.len() as u32,
            blocks: program.blocks.len() as u32,
            funcs: program.defined,
            objects,
            first_param,
        }
    }

    /// The first node behind the parameters.
    fn places(&self) -> u32 {
        2 * self.insts + self.blocks + self.funcs + self.first_param.last().copied().unwrap_or(0)
    }

    pub fn len(&self) -> usize {
        (self.places() + self.objects) as usize
    }

    pub fn number(&self, node: Node) -> u32 {
        let (blocks, funcs) = (2 * self.insts, 2 * self.insts + self.blocks);
        match node {
            Node::Inst(i) => i.0,
            Node::Site(i) => self.insts + i.0,
            Node::Block(b) => blocks + b.0,
            Node::Entry(f) => funcs + f.0,
            Node::Param(f, index) => funcs + self.funcs + self.first_param[f.index()] + index,
            Node::Place(object) => self.places() + object,
        }
    }

    pub fn node(&self, number: u32) -> Node {
        let (blocks, funcs) = (2 * self.insts, 2 * self.insts + self.blocks);
        let params = funcs + self.funcs;
        if number < self.insts {
            Node::Inst(InstId(number))
        } else if number < blocks {
            Node::Site(InstId(number - self.insts))
        } else if number < funcs {
            Node::Block(BlockId(number - blocks))
        } else if number < params {
            Node::Entry(FuncId(number - funcs))
        } else if number >= self.places() {
            Node::Place(number - self.places())
        } else {
            let at = number - params;
            let func = self.first_param.partition_point(|p| *p <= at) - 1;
            Node::Param(FuncId::from_index(func), at - self.first_param[func])
        }
    }
}

/// What is stored of a graph.
#[derive(Serialize, Deserialize)]
struct Stored {
    layout: Layout,
    /// By node: how many edges lead from it.
    count: Vec<u32>,
    /// How far the next edge's end is from the one before.
    edges: Vec<(u32, Kind)>,
}

impl Pdg {
    /// For a cache: [`Pdg::from_bytes`] reads it back.
    pub fn to_bytes(&self) -> Vec<u8> {
        let count = self.forward.first.windows(2).map(|w| w[1] - w[0]).collect();
        let mut edges = Vec::with_capacity(self.forward.edges.len());
        for node in 0..self.layout.len() as u32 {
            let mut last = 0;
            for &(to, kind) in self.forward.of(node) {
                edges.push((to - last, kind));
                last = to;
            }
        }
        stored::to_bytes(&Stored { layout: self.layout.clone(), count, edges })
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Pdg, StoredError> {
        let Stored { layout, count, edges } = stored::from_bytes(bytes)?;
        let nodes = layout.len();
        let all: u64 = count.iter().map(|c| u64::from(*c)).sum();
        if count.len() != nodes || all != edges.len() as u64 {
            return Err(StoredError::new("its edges are not those of its nodes"));
        }
        let mut rest = edges.into_iter();
        let mut list = Vec::with_capacity(all as usize);
        for (from, count) in count.into_iter().enumerate() {
            let mut last = 0u32;
            for (step, kind) in rest.by_ref().take(count as usize) {
                last = last
                    .checked_add(step)
                    .filter(|to| (*to as usize) < nodes)
                    .ok_or_else(|| StoredError::new("an edge leads to no node"))?;
                list.push((from as u32, last, kind));
            }
        }
        let (forward, backward) = (Adjacency::new(nodes, &list, true), Adjacency::new(nodes, &list, false));
        Ok(Pdg { layout, forward, backward })
    }
}
