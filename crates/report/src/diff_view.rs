//! The result of a comparison as data: the JSON document of `parallax diff`, and what its other forms are made of.
//!
//! In: nothing; `parallax diff` fills it in, `parallax report` reads it back. Every field is explained in the book (`docs/book/json.md`), and a test
//! keeps it so.

use crate::crash_view::CrashView;
use crate::kept::ending;
use crate::ladder_view::ChangeView;
use crate::layout;
use crate::text::Text;
use crate::SCHEMA;
use parallax_execute::{Content, FileChange, Run, TestCase};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiffView {
    pub schema: String,
    pub verdict: Verdict,
    pub differences: Vec<DifferenceView>,
    pub targets: Vec<TargetView>,
    /// How far each change got.
    #[serde(default)]
    pub changes: Vec<ChangeView>,
    /// Crashes of the new version, whether or not they are differences.
    #[serde(default)]
    pub crashes: Vec<CrashView>,
    pub stats: DiffStats,
    pub versions: VersionsView,
    pub ended: String,
    pub unstable: Vec<UnstableView>,
    pub symbolic: Vec<String>,
    pub unflipped: Vec<UnflippedView>,
    pub lost: Vec<LostView>,
    /// What the first seeds showed before the search.
    #[serde(default)]
    pub seeds: Vec<SeedView>,
    /// How many seeds there are in all.
    #[serde(default)]
    pub seed_count: u64,
    /// What the user should know before believing the result.
    pub warnings: Vec<String>,
    /// Why a verdict other than `different` says less than it seems to.
    pub weakened: Vec<String>,
    /// What differs between the versions outside the code that was compared: see [`Verdict::SameCode`].
    pub outside: Vec<String>,
    /// What differs and is no entry of its own.
    pub notes: Vec<String>,
}

impl DiffView {
    pub fn new(versions: VersionsView) -> DiffView {
        DiffView {
            schema: SCHEMA.to_owned(),
            verdict: Verdict::NoneFound,
            differences: Vec::new(),
            targets: Vec::new(),
            changes: Vec::new(),
            crashes: Vec::new(),
            stats: DiffStats::default(),
            versions,
            ended: "still running".to_owned(),
            unstable: Vec::new(),
            symbolic: Vec::new(),
            unflipped: Vec::new(),
            lost: Vec::new(),
            seeds: Vec::new(),
            seed_count: 0,
            warnings: Vec::new(),
            weakened: Vec::new(),
            outside: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The code is the same; this is what is not.
    pub fn found_same_code(&mut self, outside: Vec<String>) {
        self.verdict = Verdict::SameCode;
        self.outside = outside;
    }
}

/// What can be said. Never more than is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Different,
    /// Proven: the versions do the same on every input. `ended` says why.
    Equivalent,
    /// `parallax verify`: the versions do the same on every input of its scope; on some of it.
    EquivalentWithin,
    Partly,
    /// The code that was compared is the same; `outside` lists what else is not. The search found nothing.
    SameCode,
    NoneFound,
    /// None found, and no input executed any part of the change.
    NotExecuted,
    /// The versions did not do the same on a seed, and the search could not tell whether that repeats.
    Unconfirmed,
}

/// A seed, and what both versions did on it before the search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SeedView {
    /// Where it comes from: `command line`, or a path.
    pub name: String,
    pub arguments: Vec<Text>,
    pub old: SeedRunView,
    pub new: SeedRunView,
    /// Why it shows little of what the program does, in words.
    pub problem: Option<String>,
}

/// How a run ended, and the first lines that it printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedRunView {
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub limit: Option<String>,
    pub stdout: Text,
    pub stderr: Text,
}

/// One way in which the versions differ.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DifferenceView {
    pub id: String,
    pub test: String,
    pub kind: String,
    pub aspects: Vec<String>,
    pub signature: String,
    pub cause: Option<String>,
    /// The way from the change to what is seen, source line by source line; empty where it was not followed.
    #[serde(default)]
    pub chain: Vec<StepView>,
    /// Changes in the order in which the runs met them, and those of them whose effect left the program.
    #[serde(default)]
    pub sequence: Vec<String>,
    #[serde(default)]
    pub matter: Vec<String>,
    pub class: Option<String>,
    pub count: u64,
    /// Seen on every input that was tried.
    pub everywhere: bool,
    /// Found so late that its test was not made small, or not to the end.
    pub raw: bool,
    /// How it looks on different inputs, the most frequent first.
    pub variants: Vec<VariantView>,
    pub arguments: Vec<Text>,
    pub stdin: Text,
    pub files: Vec<FileView>,
    pub env: Vec<Text>,
    /// Directories, links, modes and the working directory of the test case, as the file `layout` of a kept test has them.
    #[serde(default)]
    pub layout: Vec<Text>,
    /// The test case as a call of the function that is compared (`--function`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallView>,
    pub old: BehaviourView,
    pub new: BehaviourView,
    pub golden: Option<BehaviourView>,
    /// The old version's behaviour without what is another entry, or only another wording: tells which of several differing lines is this
    /// difference. Not in the document: everything in it is what a version did.
    #[serde(skip)]
    pub reworded: Option<BehaviourView>,
    pub found_after_s: f64,
    pub runs_before: u64,
    /// The strategies that led to it from a seed, step by step; empty for a seed.
    #[serde(default)]
    pub strategies: Vec<String>,
}

/// One step of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepView {
    pub file: String,
    pub line: u32,
    /// `old` where only the old version has the line, otherwise `new`.
    pub version: String,
    /// What is not the same there, with the values of both versions.
    pub what: String,
    /// Steps before it that are left out.
    pub left_out: u64,
}

/// A call of a function, and what each version left, as C values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallView {
    pub function: String,
    pub arguments: Vec<NamedView>,
    pub old: Vec<NamedView>,
    pub new: Vec<NamedView>,
}

/// A value with the name of what has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedView {
    pub name: String,
    pub value: String,
}

impl StepView {
    /// For people.
    pub fn line(&self) -> String {
        let before = match self.left_out {
            0 => String::new(),
            n => format!("({n} steps) "),
        };
        let old = if self.version == "old" { " (old)" } else { "" };
        format!("{before}{}:{}{old}  {}", self.file, self.line, self.what)
    }
}

/// One look of a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantView {
    pub signature: String,
    pub count: u64,
}

/// What one version did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BehaviourView {
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub limit: Option<String>,
    pub stdout: Text,
    pub stderr: Text,
    pub files: Vec<FileView>,
}

/// A file of a test case, or one that a version left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileView {
    pub path: Text,
    pub change: Option<String>,
    pub content: Option<Text>,
}

impl BehaviourView {
    pub fn of(run: &Run) -> BehaviourView {
        let (exit, signal, limit) = ending(&run.outcome);
        let (stdout, stderr) = (Text(run.stdout.bytes.clone()), Text(run.stderr.bytes.clone()));
        let files = run.files.iter().map(left_behind).collect();
        BehaviourView { exit, signal, limit: limit.map(str::to_owned), stdout, stderr, files }
    }
}

fn left_behind(change: &FileChange) -> FileView {
    let (what, content) = match change {
        FileChange::Created { content, .. } => ("created", Some(content)),
        FileChange::Modified { content, .. } => ("changed", Some(content)),
        FileChange::Deleted { .. } => ("deleted", None),
    };
    let content = match content {
        Some(Content::File(output)) => Some(Text(output.bytes.clone())),
        Some(Content::Symlink(to)) => Some(Text(to.as_os_str().as_bytes().to_vec())),
        Some(Content::Directory | Content::Other) | None => None,
    };
    let path = Text(change.path().as_os_str().as_bytes().to_vec());
    FileView { path, change: Some(what.to_owned()), content }
}

impl DifferenceView {
    /// The test case that shows the difference.
    pub fn set_test(&mut self, test: &TestCase) {
        let text = |bytes: &Vec<u8>| Text(bytes.clone());
        self.arguments = test.argv.iter().map(text).collect();
        self.stdin = Text(test.stdin.clone());
        self.env = test.env.iter().map(|(name, value)| Text([name, &value[..]].join(&b'='))).collect();
        let file = |(path, content): &(std::path::PathBuf, Vec<u8>)| FileView {
            path: Text(path.as_os_str().as_bytes().to_vec()),
            change: None,
            content: Some(text(content)),
        };
        self.files = test.files.iter().map(file).collect();
        self.layout = layout::lines(&test.layout);
    }
}

/// A changed block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TargetView {
    pub file: Option<String>,
    pub line: u32,
    pub function: String,
    /// For a target that is a way out of a branch: which way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    pub status: String,
    pub test: Option<String>,
}

impl TargetView {
    /// Where it is, in words.
    pub fn place(&self) -> String {
        match &self.file {
            Some(file) if self.line > 0 => format!("{file}:{}", self.line),
            _ => "an unknown line".to_owned(),
        }
    }

    pub fn is_reached(&self) -> bool {
        self.status != "unreached"
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DiffStats {
    pub runs: u64,
    pub traces: u64,
    pub queries: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Of these, those that the clock ended, the last resort.
    #[serde(default)]
    pub late_queries: u64,
    #[serde(default)]
    pub solver_steps: u64,
    /// Runs of symbolic builds that were ended because they did far more than others, and those that the clock ended.
    #[serde(default)]
    pub cut_runs: u64,
    #[serde(default)]
    pub late_runs: u64,
    /// Paths that the search forgot to keep within its memory.
    #[serde(default)]
    pub forgotten_paths: u64,
    pub divergences: u64,
    pub escapes: u64,
    pub concretisations: u64,
    pub symbolic_branches: u64,
    pub flipped_branches: u64,
    pub edges_old: u64,
    pub edges_new: u64,
    pub seconds: f64,
    /// Goals that the frontier had no room for.
    #[serde(default)]
    pub dropped_goals: u64,
    /// By name.
    #[serde(default)]
    pub strategies: BTreeMap<String, StrategyStatsView>,
}

/// What a strategy did, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyStatsView {
    pub proposals: u64,
    pub traced: u64,
    pub glimpsed: u64,
    pub queries: u64,
    /// In nodes of formulas that were solved; runs are counted as so many of them.
    pub effort: u64,
    /// Its traced inputs that executed code for the first time.
    pub new_edges: u64,
    pub differences: u64,
}

/// The versions as the user named them, the programs that were compared, as their builds name them, their native binaries, and the shared objects that these
/// loaded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct VersionsView {
    pub old: String,
    pub new: String,
    pub golden: Option<String>,
    pub old_program: String,
    pub new_program: String,
    pub golden_program: Option<String>,
    pub old_binary: String,
    pub new_binary: String,
    pub golden_binary: Option<String>,
    pub old_loaded: Vec<String>,
    pub new_loaded: Vec<String>,
}

impl VersionsView {
    /// Which programs were compared, in words.
    pub fn compared(&self) -> String {
        if self.old_program == self.new_program {
            return format!("Compared: the program {} of both versions.", self.old_program);
        }
        format!("Compared: the programs {} (old) and {} (new).", self.old_program, self.new_program)
    }
}

/// Something in which a version differs from itself; `what` says which part of the aspect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnstableView {
    pub version: String,
    pub aspect: String,
    pub what: String,
}

/// A branch that depends on the input and was only seen going one way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnflippedView {
    pub version: String,
    pub place: String,
    pub reason: String,
}

/// A place where symbolic data was lost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LostView {
    pub version: String,
    pub place: String,
    pub callee: Option<String>,
    pub reason: String,
    pub count: u64,
}

impl LostView {
    /// What was lost, without the place.
    pub fn what(&self) -> String {
        match &self.callee {
            Some(callee) => format!("call of {callee}"),
            None => self.reason.clone(),
        }
    }
}
