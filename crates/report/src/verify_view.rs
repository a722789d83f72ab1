//! The result of a verification as data: the JSON document of `parallax verify`, and what its terminal text is made of.
//!
//! In: nothing; `parallax verify` fills it in. Every field is explained in the book (`docs/book/json.md`), and a test keeps it so.

use crate::diff_view::{DifferenceView, FileView, UnstableView, VersionsView};
use crate::text::Text;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerifyView {
    pub schema: String,
    pub verdict: Proven,
    pub scope: ScopeView,
    pub partitioning: String,
    pub partitions: Vec<PartitionView>,
    pub shares: SharesView,
    pub shapes: Vec<ShapeView>,
    pub undecided: Vec<UndecidedView>,
    pub differences: Vec<DifferenceView>,
    pub versions: VersionsView,
    pub ended: String,
    pub unstable: Vec<UnstableView>,
    pub warnings: Vec<String>,
    pub weakened: Vec<String>,
    pub resumed: bool,
    pub stats: VerifyStats,
}

/// What can be said. Never more than is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proven {
    /// The versions differ on at least one input, natively.
    Different,
    /// On every input.
    Equivalent,
    /// On every input of the scope.
    EquivalentWithin,
    /// On the partitions that are called equal; of the rest nothing is said.
    Partly,
}

impl Proven {
    pub fn name(self) -> &'static str {
        match self {
            Proven::Different => "different",
            Proven::Equivalent => "equivalent",
            Proven::EquivalentWithin => "equivalent-within",
            Proven::Partly => "partly",
        }
    }
}

/// Which inputs the result is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeView {
    /// Smallest and largest number of bytes of each kind of input that varies.
    pub lengths: LengthsView,
    /// Smallest and largest number of arguments; `null` if they do not vary.
    pub arguments: Option<[usize; 2]>,
    pub files: Vec<String>,
    /// Sizes of the shapes: bytes that vary, and one for each argument.
    pub sizes: Option<[usize; 2]>,
    pub fixed: Vec<String>,
    pub unread: Vec<String>,
    pub compared: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LengthsView {
    pub argument: Option<[usize; 2]>,
    pub stdin: Option<[usize; 2]>,
    pub file: Option<[usize; 2]>,
}

/// A part of the input space.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartitionView {
    pub id: String,
    pub status: String,
    pub share: ShareView,
    /// The number of its inputs, if that is known and fits into 64 bits.
    pub count: Option<u64>,
    pub shape: LengthsOf,
    pub test: String,
    pub formula: String,
    pub certificate: Option<String>,
    pub arguments: Vec<Text>,
    pub stdin: Text,
    pub files: Vec<FileView>,
    pub outputs: OutputsView,
    pub lines: Vec<String>,
    pub conditions: usize,
    pub pins: usize,
    pub samples: usize,
    pub weakened: Vec<String>,
}

/// How long the inputs of a shape are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LengthsOf {
    pub arguments: Option<Vec<usize>>,
    pub stdin: Option<usize>,
    pub files: Vec<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputsView {
    pub old: Vec<ChannelView>,
    pub new: Vec<ChannelView>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChannelView {
    pub channel: String,
    pub text: String,
}

/// A share of inputs: a number, or an interval if it could not be counted exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ShareView {
    Exact(f64),
    Between(IntervalView),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalView {
    pub low: f64,
    pub high: f64,
    pub method: String,
}

impl ShareView {
    pub fn new(low: f64, high: f64) -> ShareView {
        const METHOD: &str = "at least the inputs that are known, at most the product of the values that single bytes can have";
        if low == high {
            return ShareView::Exact(low);
        }
        ShareView::Between(IntervalView { low, high, method: METHOD.to_owned() })
    }

    pub fn bounds(&self) -> (f64, f64) {
        match self {
            ShareView::Exact(share) => (*share, *share),
            ShareView::Between(interval) => (interval.low, interval.high),
        }
    }
}

/// How the inputs divide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharesView {
    pub equal: ShareView,
    pub different: ShareView,
    pub weak: ShareView,
    pub unexplored: ShareView,
}

/// One shape.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShapeView {
    pub lengths: LengthsOf,
    pub complete: bool,
    pub partitions: usize,
    pub shares: SharesView,
}

/// Why something was not decided, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UndecidedView {
    pub reason: String,
    pub times: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerifyStats {
    pub traces: u64,
    pub runs: u64,
    pub queries: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Unsat answers that both solvers gave, those that only one could give, and those on which they contradict one another.
    pub confirmed: u64,
    pub unconfirmed: u64,
    pub contradicted: u64,
    pub solver_steps: u64,
    pub divergences: u64,
    pub seconds: f64,
}

/// The document with a newline at the end.
pub fn verify_json(view: &VerifyView) -> serde_json::Result<String> {
    serde_json::to_string_pretty(view).map(|text| text + "\n")
}
