//! What is known of a part of the input space.

use crate::count::Count;
use crate::shape::Shape;
use parallax_execute::TestCase;
use parallax_search::Pair;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Whether the versions do the same on a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// On every input of it they do the same.
    Equal,
    /// On every input of it they differ; the native versions were seen to, on the witness.
    Different,
    /// Nothing is shown for all inputs of it; the reasons are listed.
    Weak,
}

/// Which inputs of a pair of paths a partition has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    All,
    /// Those on which the outputs are the same, or differ.
    Same,
    Differing,
}

/// A partition as it is remembered between runs of Parallax; the rest follows from its witness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub status: Status,
    pub part: Part,
    /// The bytes of the witness that vary, in the order of [`Shape::bytes`].
    pub bytes: Vec<u8>,
    pub weak: BTreeSet<String>,
    pub count: Count,
    /// Members that were run natively, the witness included.
    pub ran: usize,
}

/// A partition, ready to be shown.
#[derive(Clone, Debug)]
pub struct Partition {
    pub kept: Kept,
    pub shape: Shape,
    /// One of its inputs.
    pub witness: TestCase,
    /// Which inputs it has: SMT-LIB.
    pub formula: String,
    /// That no input of it makes the outputs differ, SMT-LIB, unsatisfiable. Only for equal partitions whose outputs are not the
    /// same expressions.
    pub certificate: Option<String>,
    /// What each channel prints, where that is short enough to read.
    pub outputs: Pair<Vec<(u32, String)>>,
    /// Conditions that it is made of, and those of them that fix a value which was made concrete.
    pub conditions: usize,
    pub pins: usize,
    /// Changed lines that its runs execute.
    pub lines: Vec<String>,
}

/// One line of the journal, from which an exploration goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// The partitions of one pair of paths, together.
    Leaf { shape: Shape, partitions: Vec<Kept> },
    /// Nothing but the known edges leads on from this node: two solvers said so.
    Closed { shape: Shape, way: Vec<usize>, edges: usize },
}

impl Entry {
    pub fn shape(&self) -> &Shape {
        match self {
            Entry::Leaf { shape, .. } | Entry::Closed { shape, .. } => shape,
        }
    }
}
