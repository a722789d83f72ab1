//! Is anything observed that the program model excludes?
//!
//! In: a program model and the events of real runs in dependence mode. Out: for every claim of the model how often it
//! was put to the test, how often it failed, and the first failures in words.
//!
//! Always holds: a claim that was never tested is shown with 0, so that silence cannot be taken for success.

mod calls;
mod flow;
mod program;
mod suite;
mod tally;

pub use program::{own_programs, Checked, CheckedError};
pub use suite::suite;
pub use tally::{Claim, Tally};

use calls::Calls;
use flow::Flows;
use parallax_model::calls::CallGraph;
use parallax_model::Program;
use parallax_trace::dependence::{At, DependenceMap, Event};

/// All checks on the runs of one program.
pub struct Checker<'p> {
    flows: Flows<'p>,
    calls: Calls<'p>,
    pub tally: Tally,
}

impl<'p> Checker<'p> {
    pub fn new(program: &'p Program, map: &DependenceMap, graph: CallGraph) -> Checker<'p> {
        let calls = Calls::new(program, map, graph);
        Checker { flows: Flows::new(program, calls.graph.clone()), calls, tally: Tally::default() }
    }

    /// A new run begins.
    pub fn begin(&mut self) {
        self.flows.begin();
        self.calls.begin();
        self.tally.runs += 1;
    }

    pub fn event(&mut self, at: At, event: &Event) {
        self.tally.events += 1;
        self.calls.event(at, event, &mut self.tally);
        self.flows.event(at, event, &mut self.tally);
    }
}
