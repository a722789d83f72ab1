//! One run as data: the JSON document of `parallax trace`, and what its terminal text is made of.
//!
//! In: nothing; [`crate::collect`] fills it in. Every field is explained in the book
//! (`docs/book/json.md`), and a test keeps it so.

use crate::place::Place;
use crate::text::Text;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct TraceView {
    pub schema: &'static str,
    pub program: Text,
    pub mode: &'static str,
    pub inputs: Vec<InputView>,
    pub exit: Option<i32>,
    pub exit_formula: Option<String>,
    pub signal: Option<i32>,
    pub limit: Option<&'static str>,
    pub stdout: Text,
    pub stderr: Text,
    pub branches: Vec<BranchView>,
    pub switches: Vec<SwitchView>,
    pub guards: Vec<GuardView>,
    pub outputs: Vec<OutputView>,
    pub watches: Vec<WatchView>,
    pub escapes: Vec<EscapeView>,
    pub concretisations: Vec<ConcretisationView>,
    pub ends_of_input: Vec<EndView>,
    pub options: Vec<OptionsView>,
    pub compares: Vec<CompareView>,
    pub notes: Vec<String>,
    pub definitions: Vec<DefinitionView>,
    pub tables: Vec<TableView>,
    pub stats: Stats,
}

#[derive(Clone, Debug, Serialize)]
pub struct InputView {
    pub name: String,
    pub kind: &'static str,
    pub bytes: Text,
    pub length: u64,
    pub symbolic: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct BranchView {
    pub event: u64,
    #[serde(flatten)]
    pub place: Place,
    pub taken: bool,
    pub condition: String,
    pub context: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct SwitchView {
    pub event: u64,
    #[serde(flatten)]
    pub place: Place,
    pub value: u64,
    pub default: bool,
    pub condition: String,
    pub context: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct GuardView {
    pub event: u64,
    #[serde(flatten)]
    pub place: Place,
    pub kind: &'static str,
    pub held: bool,
    pub condition: String,
    pub context: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct OutputView {
    pub event: u64,
    #[serde(flatten)]
    pub place: Place,
    pub fd: u32,
    pub to_file: bool,
    pub bytes: Text,
    pub symbolic: Vec<SymbolicByte>,
}

#[derive(Clone, Debug, Serialize)]
pub struct SymbolicByte {
    pub offset: u64,
    pub formula: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct WatchView {
    pub event: u64,
    #[serde(flatten)]
    pub place: Place,
    pub value: u64,
    pub formula: Option<String>,
    pub context: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct EscapeView {
    pub callee: Text,
    #[serde(flatten)]
    pub place: Place,
    pub count: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct ConcretisationView {
    pub reason: &'static str,
    #[serde(flatten)]
    pub place: Place,
    pub count: u64,
    pub formula: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct EndView {
    pub event: u64,
    pub input: String,
    pub offset: u32,
    pub count: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct OptionsView {
    pub style: &'static str,
    pub short: Text,
    pub long: Vec<LongOption>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LongOption {
    pub name: Text,
    pub argument: &'static str,
    pub value: i64,
}

#[derive(Clone, Debug, Serialize)]
pub struct CompareView {
    pub token: Text,
    pub with: Option<String>,
    pub count: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct DefinitionView {
    pub event: u64,
    pub name: String,
    pub formula: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct TableView {
    pub name: String,
    pub length: u64,
    pub symbolic: bool,
    pub bytes: Text,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    pub symbolic_bytes: u64,
    pub symbolic_bytes_used: u64,
    pub branches: u64,
    pub branch_sites: u64,
    pub switches: u64,
    pub guards: u64,
    pub escapes: u64,
    pub concretisations: u64,
    pub nodes: u64,
    pub events: u64,
    pub edges_covered: u64,
    pub edges: u64,
    pub finished: bool,
    pub cut: bool,
    pub dropped_events: u64,
    pub inconsistent: u64,
    pub stale: u64,
    pub violations: u64,
    pub seconds: f64,
    pub cpu_seconds: f64,
}
