//! What people and scripts see.
//!
//! In: plain results (a run, its trace, the program map). Out: text for a terminal, one JSON document, or
//! an SMT-LIB script.
//!
//! Always holds: nothing here runs anything or reads files. Terminal text and JSON are two
//! renderings of one [`TraceView`], so that their counts cannot disagree.

pub mod collect;
pub mod human;
pub mod place;
pub mod text;
pub mod view;

pub use collect::{view, Run};
pub use human::{human, HumanLimits};
pub use text::Text;
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
