//! The call graph against the calls that happened.

use super::tally::{Claim, Tally};
use parallax_model::calls::CallGraph;
use parallax_model::{FuncId, InstId, Program};
use parallax_trace::dependence::{At, DependenceMap, Event, EXTERNAL, NO_CALL};
use std::collections::HashMap;

pub struct Calls<'p> {
    program: &'p Program,
    pub graph: CallGraph,
    /// Model numbers of the functions without a body, by their number in the trace.
    external: Vec<Option<FuncId>>,
    /// What the newest call at each instruction called.
    newest: HashMap<u32, Option<FuncId>>,
}

impl<'p> Calls<'p> {
    pub fn new(program: &'p Program, map: &DependenceMap, graph: CallGraph) -> Calls<'p> {
        let external = map.external.iter().map(|name| program.function_named(name)).collect();
        Calls { program, graph, external, newest: HashMap::new() }
    }

    pub fn begin(&mut self) {
        self.newest.clear();
    }

    fn function(&self, number: u32) -> Option<FuncId> {
        match number & EXTERNAL {
            0 => Some(FuncId(number)),
            flag => self.external[(number & !flag) as usize],
        }
    }

    pub fn event(&mut self, at: At, event: &Event, tally: &mut Tally) {
        match *event {
            Event::Call { at: site, callee, address } => {
                let callee = callee.and_then(|c| self.function(c));
                self.newest.insert(site, callee);
                if let (Some(f), true) = (callee, address != 0) {
                    let known = self.graph.callees(InstId(site)).contains(&f);
                    tally.check(Claim::Callee, known, || {
                        format!("{} calls {}", self.place(site), self.program.func(f).name)
                    });
                }
            }
            Event::Enter { function } => self.enter(at, FuncId(function), tally),
            _ => {}
        }
    }

    /// A function begins: it was called, or code outside the program had its address.
    fn enter(&mut self, at: At, f: FuncId, tally: &mut Tally) {
        let caller = at.stack.len().checked_sub(2).map(|n| at.stack[n].call).filter(|c| *c != NO_CALL);
        let called = caller.and_then(|site| self.newest.get(&site).copied().flatten());
        let handed = || self.program.func(f).address_taken || self.program.func(f).name == "main";
        let holds = called == Some(f) || handed();
        tally.check(Claim::Entry, holds, || {
            let from = caller.map_or("outside".into(), |site| self.place(site));
            format!("{} is entered from {from}", self.program.func(f).name)
        });
    }

    fn place(&self, site: u32) -> String {
        place(self.program, InstId(site))
    }
}

/// Function, line and number of an instruction.
pub fn place(program: &Program, inst: InstId) -> String {
    let line = program.loc(inst).map_or(0, |l| l.line);
    format!("{} line {line} ({inst:?})", program.func(program.func_of(inst)).name)
}
