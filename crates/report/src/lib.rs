//! What people and scripts see.
//!
//! In: plain results: a run, its trace, the program map; or the differences, or the changes, between two versions. Out: text for a
//! terminal, one JSON document, an SMT-LIB script, JUnit, SARIF, HTML, SQLite, runnable tests.
//!
//! Always holds: nothing here runs anything. Only [`kept`], [`outdir`], [`changes`] and [`stats_file`] touch files. Terminal text and
//! machine formats are renderings of one [`TraceView`], [`DiffView`], [`InspectView`] or [`VerifyView`], so that their counts cannot disagree.

pub mod changes;
pub mod collect;
pub mod crash_view;
pub mod dependence_view;
pub mod diff_human;
pub mod diff_machine;
pub mod diff_view;
pub mod evidence;
pub mod export;
mod html;
pub mod human;
pub mod hunks;
mod input_text;
pub mod inspect_human;
pub mod inspect_view;
pub mod kept;
pub mod ladder_view;
mod layout;
pub mod outdir;
pub mod picture;
pub mod place;
pub mod reach_human;
pub mod reach_view;
pub mod record_view;
pub mod sarif;
mod script;
mod side_by_side;
pub mod stats_file;
pub mod text;
pub mod verify_human;
pub mod verify_view;
pub mod view;

pub use changes::Change;
pub use collect::{view, Run};
pub use dependence_view::{DependenceView, HotFunction};
pub use diff_human::diff_human;
pub use diff_machine::{diff_json, junit};
pub use diff_view::DiffView;
pub use html::html;
pub use human::{human, HumanLimits};
pub use inspect_human::{inspect_human, inspect_json};
pub use inspect_view::InspectView;
pub use ladder_view::{ChangeView, Rung};
pub use outdir::OutDir;
pub use reach_human::reach_human;
pub use reach_view::{reach_json, ReachView};
pub use sarif::sarif;
pub use stats_file::StatsFile;
pub use text::Text;
pub use verify_human::verify_human;
pub use verify_view::{verify_json, VerifyView};
pub use view::TraceView;

use parallax_trace::sites::ProgramMap;
use parallax_trace::Trace;

/// The `schema` field of every JSON document.
pub const SCHEMA: &str = "parallax/1";

/// The view as one JSON document, with a newline at the end.
pub fn json(view: &TraceView) -> serde_json::Result<String> {
    serde_json::to_string_pretty(view).map(|text| text + "\n")
}

/// The path condition as an SMT-LIB script.
pub fn smtlib(trace: &Trace, map: &ProgramMap) -> String {
    let conditions = trace.conditions(&map.sites);
    parallax_trace::smtlib::script(trace, &conditions, &|site| place::Place::of(map, site).to_string())
}
