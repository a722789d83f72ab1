//! What the instrumenter knows about an instrumented program, written beside it as JSON and read
//! by everyone who wants to turn a site number of a trace back into source.
//!
//! Always holds: site, block and edge numbers are dense, start at 0, and depend only on the
//! cleaned-up bitcode, not on the mode; so numbers of a coverage build and a symbolic build of
//! the same bitcode agree.

use crate::format::Mode;
use serde::{Deserialize, Serialize};

/// Everything about one instrumented program.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct ProgramMap {
    /// Function names; index = function number.
    pub functions: Vec<FunctionInfo>,
    /// Source file names; index = file number.
    pub files: Vec<String>,
    /// Index = block number.
    pub blocks: Vec<BlockInfo>,
    /// Index = site number as used in events.
    pub sites: Vec<SiteInfo>,
    /// Index = offset in the coverage region.
    pub edges: Vec<EdgeInfo>,
    /// Functions left as they were, with the reason.
    pub opaque: Vec<(String, String)>,
    pub mode: Option<Mode>,
    /// Dependence mode only; the other tables but `functions` and `files` are empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependence: Option<crate::dependence::DependenceMap>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct FunctionInfo {
    pub name: String,
    pub file: Option<u32>,
    pub line: u32,
    /// True for the C implementations of libc functions that Parallax brings.
    pub model: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct BlockInfo {
    pub function: u32,
    pub line: u32,
}

/// What kind of instruction a site is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    Branch,
    Switch,
    Load,
    Store,
    Call,
    Arithmetic,
    Other,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct SiteInfo {
    pub kind: SiteKind,
    pub block: u32,
    /// Index of the instruction in its function, in the cleaned-up bitcode.
    pub instruction: u32,
    pub line: u32,
    pub column: u32,
    /// For a switch: the case values in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<u64>,
    /// For a call: the callee, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callee: Option<String>,
}

/// A control-flow edge; `from == to == entry block` for the entry of a function.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct EdgeInfo {
    pub from: u32,
    pub to: u32,
}
