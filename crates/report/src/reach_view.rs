//! The result of `parallax reach` and `parallax augment` as data: their JSON document.
//!
//! In: nothing; the commands fill it in. Every field is explained in the book (`docs/book/json.md`), and a test keeps it so.

use crate::crash_view::CrashView;
use crate::diff_view::{DiffStats, DifferenceView, SeedView, UnstableView, VersionsView};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct ReachView {
    pub schema: String,
    pub verdict: ReachVerdict,
    pub targets: Vec<ReachTargetView>,
    pub coverage: CoverageView,
    pub tests: Vec<ReachTestView>,
    pub differences: Vec<DifferenceView>,
    pub crashes: Vec<CrashView>,
    pub stats: DiffStats,
    pub versions: VersionsView,
    pub ended: String,
    pub unstable: Vec<UnstableView>,
    pub seeds: Vec<SeedView>,
    pub seed_count: u64,
    pub warnings: Vec<String>,
}

/// What can be said of all targets together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReachVerdict {
    /// Every target is executed, by the seeds or by a test that was made.
    AllReached,
    SomeUnreached,
    /// The change has no code that could be executed.
    NoTargets,
}

/// A place that is to be executed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReachTargetView {
    pub file: Option<String>,
    pub line: u32,
    pub function: String,
    /// For a target that is a way out of a branch: which way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// `seed`, `reached` or `unreached`.
    pub status: String,
    pub test: Option<String>,
    /// Seconds and test cases until it was reached.
    pub found_after_s: Option<f64>,
    pub runs_before: Option<u64>,
    pub strategies: Vec<String>,
    /// Did the coverage build execute the line? `None`: that is not known.
    pub confirmed: Option<bool>,
    /// Why it was not reached, in words.
    pub reason: Option<String>,
    /// The closest place that an input came to, and how many branches that is away.
    pub closest: Option<String>,
    pub distance: Option<u32>,
}

impl ReachTargetView {
    /// Where it is, in words.
    pub fn place(&self) -> String {
        let way = self.way.as_ref().map_or(String::new(), |way| format!(" {way}"));
        match &self.file {
            Some(file) if self.line > 0 => format!("{file}:{}{way}", self.line),
            _ => format!("an unknown line{way}"),
        }
    }

    pub fn is_covered(&self) -> bool {
        self.status != "unreached"
    }
}

/// A test that was kept because it is the first to execute some targets.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReachTestView {
    pub test: String,
    /// Places in the list of targets, from 0.
    pub targets: Vec<usize>,
    pub found_after_s: f64,
    pub runs_before: u64,
    pub strategies: Vec<String>,
}

/// What the seeds cover, and what they cover together with the tests that were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CoverageView {
    pub before: CountsView,
    pub after: CountsView,
    pub total: CountsView,
}

/// Numbers of covered things; `None`: there is no coverage build to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CountsView {
    pub targets: u64,
    pub lines: Option<u64>,
    pub branches: Option<u64>,
}

impl ReachView {
    /// What follows from the targets: the verdict, and how many of them are covered.
    pub fn conclude(&mut self) {
        let count = |wanted: fn(&ReachTargetView) -> bool| {
            self.targets.iter().filter(|target| wanted(target)).count() as u64
        };
        self.coverage.before.targets = count(|target| target.status == "seed");
        self.coverage.after.targets = count(ReachTargetView::is_covered);
        self.coverage.total.targets = self.targets.len() as u64;
        self.verdict = match &self.coverage {
            coverage if coverage.total.targets == 0 => ReachVerdict::NoTargets,
            coverage if coverage.after.targets == coverage.total.targets => ReachVerdict::AllReached,
            _ => ReachVerdict::SomeUnreached,
        };
    }
}

/// The document, with a newline at the end.
pub fn reach_json(view: &ReachView) -> serde_json::Result<String> {
    serde_json::to_string_pretty(view).map(|text| text + "\n")
}
