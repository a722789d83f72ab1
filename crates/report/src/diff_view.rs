//! The result of a comparison as data: the JSON document of `parallax diff`, and what its other forms are made of.
//!
//! In: nothing; `parallax diff` fills it in. Every field is explained in the book (`docs/book/json.md`), and a test
//! keeps it so.

use crate::kept::ending;
use crate::text::Text;
use crate::SCHEMA;
use parallax_execute::Run;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct DiffView {
    pub schema: &'static str,
    pub verdict: Verdict,
    pub differences: Vec<DifferenceView>,
    pub targets: Vec<TargetView>,
    pub stats: DiffStats,
    pub versions: VersionsView,
    pub ended: String,
    pub unstable: Vec<UnstableView>,
    pub symbolic: Vec<String>,
    pub unflipped: Vec<UnflippedView>,
    pub lost: Vec<LostView>,
}

impl DiffView {
    pub fn new(versions: VersionsView) -> DiffView {
        DiffView {
            schema: SCHEMA,
            verdict: Verdict::NoneFound,
            differences: Vec::new(),
            targets: Vec::new(),
            stats: DiffStats::default(),
            versions,
            ended: "still running".to_owned(),
            unstable: Vec::new(),
            symbolic: Vec::new(),
            unflipped: Vec::new(),
            lost: Vec::new(),
        }
    }
}

/// What can be said. Never more than is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Different,
    NoneFound,
}

/// One way in which the versions differ.
#[derive(Clone, Debug, Serialize)]
pub struct DifferenceView {
    pub id: String,
    pub test: String,
    pub kind: &'static str,
    pub aspects: Vec<&'static str>,
    pub signature: String,
    pub count: u64,
    pub arguments: Vec<Text>,
    pub old: BehaviourView,
    pub new: BehaviourView,
    pub found_after_s: f64,
    pub runs_before: u64,
}

/// What one version did.
#[derive(Clone, Debug, Serialize)]
pub struct BehaviourView {
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub limit: Option<&'static str>,
    pub stdout: Text,
    pub stderr: Text,
}

impl BehaviourView {
    pub fn of(run: &Run) -> BehaviourView {
        let (exit, signal, limit) = ending(&run.outcome);
        let (stdout, stderr) = (Text(run.stdout.bytes.clone()), Text(run.stderr.bytes.clone()));
        BehaviourView { exit, signal, limit, stdout, stderr }
    }
}

/// A changed block.
#[derive(Clone, Debug, Serialize)]
pub struct TargetView {
    pub file: String,
    pub line: u32,
    pub function: String,
    pub status: &'static str,
    pub test: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct DiffStats {
    pub runs: u64,
    pub traces: u64,
    pub queries: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub divergences: u64,
    pub escapes: u64,
    pub concretisations: u64,
    pub symbolic_branches: u64,
    pub flipped_branches: u64,
    pub seconds: f64,
}

/// The two versions as the user named them, and their native binaries.
#[derive(Clone, Debug, Default, Serialize)]
pub struct VersionsView {
    pub old: String,
    pub new: String,
    pub old_binary: String,
    pub new_binary: String,
}

/// An aspect in which a version differs from itself.
#[derive(Clone, Debug, Serialize)]
pub struct UnstableView {
    pub version: &'static str,
    pub aspect: &'static str,
}

/// A branch that depends on the input and was only seen going one way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UnflippedView {
    pub version: &'static str,
    pub place: String,
    pub reason: &'static str,
}

/// A function in which symbolic data was lost.
#[derive(Clone, Debug, Serialize)]
pub struct LostView {
    pub callee: String,
    pub count: u64,
}
