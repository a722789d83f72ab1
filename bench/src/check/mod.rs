//! Is anything observed that the program model excludes?
//!
//! In: a program model and the events of real runs in dependence mode. Out: for every claim of the model how often it
//! was put to the test, how often it failed, and the first failures in words.
//!
//! Always holds: a claim that was never tested is shown with 0, so that silence cannot be taken for success.

mod calls;
mod definitions;
mod flow;
mod pointers;
mod program;
mod slices;
mod suite;
mod tally;

pub use program::{own_programs, Checked, CheckedError};
pub use suite::suite;
pub use tally::{Claim, Tally};

use calls::Calls;
use flow::Flows;
use parallax_model::calls::CallGraph;
use parallax_model::memory::Memory;
use parallax_model::mod_ref::Edges;
use parallax_model::pdg::Pdg;
use parallax_model::points_to::PointsTo;
use parallax_model::reaching::{Limits, Reaching};
use parallax_model::Program;
use parallax_trace::dependence::{At, DependenceMap, Event};
use pointers::Pointers;
use slices::Slices;

/// All checks on the runs of one program.
pub struct Checker<'p> {
    flows: Flows<'p>,
    calls: Calls<'p>,
    pointers: Pointers<'p>,
    slices: Slices<'p>,
    pub tally: Tally,
}

/// The analyses of a program, and what is done with a checker of them. `graph`: another call graph than the model's.
pub fn with_checker<R>(
    program: &Program,
    map: &DependenceMap,
    graph: Option<CallGraph>,
    work: impl FnOnce(&mut Checker) -> R,
) -> R {
    let points_to = PointsTo::new(program);
    let memory = Memory::new(program, &points_to);
    let edges = Edges::new(program, &points_to);
    let mut reaching = Reaching::new(&memory, &edges, Limits::default());
    let pdg = Pdg::new(&memory, &edges, &mut reaching);
    let resolved = || CallGraph::new(program, |site| points_to.targets(site).collect());
    let calls = Calls::new(program, map, graph.unwrap_or_else(resolved));
    let flows = Flows::new(program, calls.graph.clone());
    let pointers = Pointers::new(program, &points_to, reaching);
    let slices = Slices::new(program, calls.graph.clone(), &pdg);
    work(&mut Checker { flows, calls, pointers, slices, tally: Tally::default() })
}

impl Checker<'_> {
    /// A new run begins.
    pub fn begin(&mut self) {
        self.flows.begin();
        self.calls.begin();
        self.pointers.begin();
        self.slices.begin();
        self.tally.runs += 1;
    }

    pub fn event(&mut self, at: At, event: &Event) {
        self.tally.events += 1;
        self.calls.event(at, event, &mut self.tally);
        self.flows.event(at, event, &mut self.tally);
        self.pointers.event(at, event, &mut self.tally);
        self.slices.event(at, event);
    }

    /// The run is over.
    pub fn end(&mut self) {
        self.slices.end(&mut self.tally);
    }
}
