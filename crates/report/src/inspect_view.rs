//! What changed, as data: the JSON document of `parallax inspect`, and what its text is made of.
//!
//! In: nothing; `parallax inspect` fills it in. Every field is explained in the book (`docs/book/json.md`), and a test
//! keeps it so.

use crate::changes::Change;
use crate::SCHEMA;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InspectView {
    pub schema: String,
    pub old: String,
    pub new: String,
    pub changes: Vec<Change>,
    pub targets: Vec<ChangedBlockView>,
    pub complexity: ComplexityView,
    pub csg: CsgView,
    pub interference: Vec<InterferenceView>,
    pub irrelevant: IrrelevantView,
    pub seen_by: Vec<String>,
    pub notes: Vec<String>,
}

impl InspectView {
    pub fn new(old: String, new: String) -> InspectView {
        InspectView {
            schema: SCHEMA.to_owned(),
            old,
            new,
            changes: Vec::new(),
            targets: Vec::new(),
            complexity: ComplexityView::default(),
            csg: CsgView::default(),
            interference: Vec::new(),
            irrelevant: IrrelevantView::default(),
            seen_by: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// A block of the new version with changed code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedBlockView {
    pub file: Option<String>,
    pub line: u32,
    pub function: String,
    pub distance: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComplexityView {
    pub cycc: i64,
    pub cloc: usize,
}

/// The change sequence graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CsgView {
    pub nodes: Vec<CsgNodeView>,
    pub edges: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CsgNodeView {
    pub id: usize,
    pub kind: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub function: Option<String>,
}

/// Changes (by place in `changes`) whose effects can meet, and the lines at which they do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InterferenceView {
    pub between: Vec<usize>,
    pub places: Vec<LineView>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineView {
    pub file: Option<String>,
    pub line: u32,
}

/// Branches that need not be taken.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct IrrelevantView {
    pub execute: Vec<BranchView>,
    pub propagate: Vec<BranchView>,
}

/// One way out of a branch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BranchView {
    pub file: Option<String>,
    pub line: u32,
    pub function: String,
    pub successor: u32,
    pub to: u32,
}
