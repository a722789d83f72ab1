//! Static backward slices against dynamic ones: whatever influenced an executed instruction must be in its static slice.

use super::calls::place;
use super::tally::{Claim, Tally};
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::cfg::Flow;
use parallax_model::pdg::Pdg;
use parallax_model::slice::{Direction, Slice};
use parallax_model::{BlockId, Callee, FuncId, InstId, Op, Operand, Program, TypeKind};
use parallax_trace::dependence::slice::{History, Slicer, Source, Static};
use parallax_trace::dependence::{At, Event};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// Block runs of a history; a longer run is sliced up to there.
const MAX_RUNS: usize = 200_000;
/// Instructions of a run that are sliced for.
const CRITERIA: usize = 12;

pub struct Slices<'p> {
    view: View<'p>,
    pdg: &'p Pdg,
    history: Option<History>,
    /// Static slices so far.
    known: HashMap<u32, Slice>,
    /// Instructions that could be sliced for, in the order in which they ran first.
    seen: Vec<u32>,
}

impl<'p> Slices<'p> {
    pub fn new(program: &'p Program, graph: CallGraph, pdg: &'p Pdg) -> Slices<'p> {
        let returns = Returns::new(program, &graph);
        let view = View { program, graph, returns, flows: RefCell::new(HashMap::new()) };
        Slices { view, pdg, history: None, known: HashMap::new(), seen: Vec::new() }
    }

    pub fn begin(&mut self) {
        self.history = Some(History::new(MAX_RUNS));
        self.seen.clear();
    }

    pub fn event(&mut self, at: At, event: &Event) {
        if let Some(history) = &mut self.history {
            history.event(at, event);
        }
        if let Event::Load { at, .. } | Event::Store { at, .. } | Event::Call { at, .. } = *event {
            if self.seen.last() != Some(&at) && self.seen.len() < MAX_RUNS {
                self.seen.push(at);
            }
        }
    }

    /// The run is over: slices for instructions spread over what ran.
    pub fn end(&mut self, tally: &mut Tally) {
        let Some(slicer) = self.history.take().map(History::finish) else { return };
        let step = (self.seen.len() / CRITERIA).max(1);
        let criteria: BTreeSet<u32> = self.seen.iter().rev().step_by(step).copied().collect();
        for at in criteria {
            self.slice(&slicer, at, tally);
        }
    }

    fn slice(&mut self, slicer: &Slicer, at: u32, tally: &mut Tally) {
        let Some(criterion) = slicer.steps_of(&self.view, at).last() else { return };
        let dynamic: BTreeSet<u32> =
            slicer.backward(&self.view, criterion).into_iter().map(|step| step.at).collect();
        let (pdg, program) = (self.pdg, self.view.program);
        let known =
            self.known.entry(at).or_insert_with(|| Slice::new(pdg, [InstId(at)], Direction::Backward));
        for found in dynamic {
            tally.check(Claim::Slice, known.contains(InstId(found)), || {
                format!("{} influenced {}", place(program, InstId(found)), place(program, InstId(at)))
            });
        }
    }
}

/// What the model knows, for the slicer.
struct View<'p> {
    program: &'p Program,
    graph: CallGraph,
    returns: Returns,
    flows: RefCell<HashMap<FuncId, Flow>>,
}

fn sources(operands: &[Operand]) -> Vec<Source> {
    let source = |o: &Operand| match o {
        Operand::Inst(i) => Some(Source::Value(i.0)),
        Operand::Arg { index, .. } => Some(Source::Parameter(*index)),
        _ => None,
    };
    operands.iter().filter_map(source).collect()
}

impl Static for View<'_> {
    fn block_of(&self, at: u32) -> u32 {
        self.program.inst(InstId(at)).block.0
    }

    fn operands(&self, at: u32, from: Option<u32>) -> Vec<Source> {
        let (id, operands) = (InstId(at), self.program.operands(InstId(at)));
        if self.is_phi(at) {
            let blocks = self.program.phi_blocks(id).iter().zip(operands);
            let taken = blocks.filter(|(b, _)| Some(b.0) == from).map(|(_, o)| *o);
            return sources(&taken.take(1).collect::<Vec<_>>());
        }
        // Arguments of a function with a body come in through its parameters.
        let inside = |f: &FuncId| self.program.func(*f).is_defined();
        match self.program.inst(id).op.call() {
            Some((Callee::Direct(_) | Callee::Indirect, ..)) if self.graph.callees(id).iter().any(inside) => {
                self.callee(at)
            }
            _ => sources(operands),
        }
    }

    fn is_phi(&self, at: u32) -> bool {
        matches!(self.program.inst(InstId(at)).op, Op::Phi { .. })
    }

    fn has_result(&self, call: u32) -> bool {
        let ty = self.program.inst(InstId(call)).ty;
        self.program.ty(ty).kind != TypeKind::Void
    }

    fn callee(&self, call: u32) -> Vec<Source> {
        sources(&self.program.called_pointer(InstId(call)).into_iter().collect::<Vec<_>>())
    }

    fn argument(&self, call: u32, index: u32) -> Vec<Source> {
        let arguments = self.program.call_arguments(InstId(call));
        sources(&arguments.get(index as usize).copied().into_iter().collect::<Vec<_>>())
    }

    fn controllers(&self, block: u32) -> Vec<u32> {
        let block = BlockId(block);
        let function = self.program.block(block).func;
        let mut flows = self.flows.borrow_mut();
        let flow = flows
            .entry(function)
            .or_insert_with(|| Flow::new(self.program, &self.graph, &self.returns, function));
        flow.controllers(block).into_iter().map(|(b, _)| self.program.terminator(b).0).collect()
    }
}
