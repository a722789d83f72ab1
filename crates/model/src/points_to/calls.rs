//! Calls: of functions with a body, of intrinsics, of external functions, through pointers.
//!
//! In: a call and what it calls. Out: constraints that bind arguments, results and memory. Always holds: a call and a function
//! are bound once; every pair that was bound is in `targets`.

use super::cells::{CellId, ObjectKind};
use super::generate::{CallSite, Generator, Val};
use super::shape::Shape;
use super::solver::{Binder, Solver, Step};
use super::wrappers::{Site, Size};
use crate::calls::compatible;
use crate::ir::*;
use crate::summaries::{summary, Effect, Summary, Target, Value};
use rustc_hash::FxHashMap;

impl Binder for Generator<'_> {
    fn bind(&mut self, solver: &mut Solver, call: u32, cell: CellId) {
        let ObjectKind::Function(func) = solver.cells.object_of(cell).kind else { return };
        let site = &self.calls[call as usize];
        // As the call graph has it; functions outside the program may call by any type.
        let fits = match self.program.inst(site.inst).op.call() {
            Some((Callee::Indirect, signature, _)) if !site.callback => {
                compatible(self.program, signature, self.program.func(func).ty)
            }
            _ => true,
        };
        if fits {
            self.bind_call(solver, call, func);
        }
    }
}

impl Generator<'_> {
    pub(super) fn call_inst(&mut self, solver: &mut Solver, id: InstId) {
        let program = self.program;
        let Some((callee, ..)) = program.inst(id).op.call() else { return };
        if let Callee::Intrinsic(func) = callee {
            return self.intrinsic(solver, id, &program.func(func).name);
        }
        let args = program.call_arguments(id).iter().map(|a| self.value(solver, *a)).collect();
        let site = CallSite { inst: id, args, result: self.result(id), callback: false };
        match callee {
            Callee::Direct(func) => {
                let call = self.add_call(site);
                self.bind_call(solver, call, func);
            }
            Callee::Indirect => {
                let pointer = program.called_pointer(id).map_or(Val::Nothing, |p| self.value(solver, p));
                self.call_through(solver, site, &pointer);
            }
            Callee::Asm(_) => self.assembly(solver, &site),
            Callee::Intrinsic(_) => {}
        }
    }

    fn add_call(&mut self, site: CallSite) -> u32 {
        self.calls.push(site);
        self.calls.len() as u32 - 1
    }

    fn call_through(&mut self, solver: &mut Solver, site: CallSite, pointer: &Val) {
        let call = self.add_call(site);
        match pointer {
            Val::Nothing => {}
            Val::Node(node) => solver.call(*node, call),
            Val::Cells(cells) => cells.iter().for_each(|c| self.bind(solver, call, *c)),
        }
    }

    pub(super) fn bind_call(&mut self, solver: &mut Solver, call: u32, func: FuncId) {
        if !self.bound.insert((call, func)) {
            return;
        }
        let site = self.calls[call as usize].clone();
        self.targets.push((site.inst, func, site.callback));
        if self.program.func(func).is_defined() {
            self.bind_defined(solver, &site, func);
        } else {
            self.external(solver, &site, func);
        }
    }

    fn bind_defined(&mut self, solver: &mut Solver, site: &CallSite, func: FuncId) {
        let program = self.program;
        let params = &program.func(func).params;
        for (index, arg) in site.args.iter().enumerate() {
            match params.get(index) {
                Some(param) => match (param.byval, self.param(func, index as u32)) {
                    (Some(ty), Some(to)) => {
                        if let Some(from) = self.node_of(solver, arg) {
                            solver.copy_memory(to, from, Some(program.ty(ty).size));
                        }
                    }
                    (None, Some(to)) => self.flow(solver, arg, to),
                    _ => {}
                },
                None => {
                    if let Some(&to) = self.variadic.get(&func) {
                        self.flow(solver, arg, to);
                    }
                }
            }
        }
        let Some(result) = site.result else { return };
        if !self.allocate(solver, site, func) {
            if let Some(from) = self.return_node(func) {
                solver.graph.add_edge(from, result);
            }
        }
    }

    /// A call of an allocation wrapper allocates objects of its own. Is it one?
    fn allocate(&mut self, solver: &mut Solver, site: &CallSite, func: FuncId) -> bool {
        let (Some(wrapper), Some(result)) = (self.wrappers.get(func).cloned(), site.result) else {
            return false;
        };
        let program = self.program;
        let args = if site.callback { &[] } else { program.call_arguments(site.inst) };
        for &Site { alloc, through, size } in &wrapper.sites {
            let inside = if let Size::Constant(size) = size { Some(size) } else { None };
            let here = if let Size::Constant(size) = size.seen_from(args) { Some(size) } else { None };
            let base = self.heap(solver, alloc, through, inside);
            // What an external function has allocated by a callback has no call site in the program.
            let fresh = if site.callback { base } else { self.heap(solver, alloc, Some(site.inst), here) };
            solver.graph.add(result, fresh);
            // What the wrapper itself writes there.
            solver.add_transfer((base, fresh, None));
            self.clones.push((base, fresh));
            for &index in wrapper.resized.iter().chain(&wrapper.copied) {
                let handed_on = matches!(args.get(index as usize), Some(Operand::Arg { .. }));
                if handed_on && self.wrappers.is_postponed(site.inst) {
                    continue;
                }
                if let Some(old) = site.args.get(index as usize).cloned() {
                    self.resize(solver, &old, fresh);
                }
            }
        }
        for &index in &wrapper.resized {
            if let Some(old) = site.args.get(index as usize).cloned() {
                self.flow(solver, &old, result);
            }
        }
        true
    }

    /// The content of `old` moves to fresh memory.
    fn resize(&mut self, solver: &mut Solver, old: &Val, fresh: CellId) {
        let to = self.node_of(solver, &Val::Cells(vec![fresh]));
        if let (Some(to), Some(from)) = (to, self.node_of(solver, old)) {
            solver.copy_memory(to, from, None);
        }
    }

    fn heap(
        &mut self,
        solver: &mut Solver,
        site: InstId,
        context: Option<InstId>,
        size: Option<u64>,
    ) -> CellId {
        let object = solver.cells.object(ObjectKind::Heap { site, context }, Shape::untyped(size));
        solver.cells.at(object, 0)
    }

    fn intrinsic(&mut self, solver: &mut Solver, id: InstId, name: &str) {
        let program = self.program;
        let args = program.call_arguments(id);
        let starts = |prefix: &str| name.starts_with(prefix);
        if starts("llvm.memcpy") || starts("llvm.memmove") {
            let (to, from) = (self.value(solver, args[0]), self.value(solver, args[1]));
            let len = match args.get(2) {
                Some(Operand::Int { value, .. }) => Some(*value),
                _ => None,
            };
            if !self.wrappers.is_postponed(id) {
                self.copy(solver, &to, &from, len);
            }
        } else if starts("llvm.va_start") {
            self.va_start(solver, id, args[0]);
        } else if starts("llvm.va_copy") {
            let (to, from) = (self.value(solver, args[0]), self.value(solver, args[1]));
            self.copy(solver, &to, &from, Some(24));
        } else if let (Some(result), Some(&first)) = (self.result(id), args.first()) {
            // The others that give a pointer back give back their first argument (`ptrmask`, `threadlocal.address`, `expect` …).
            let value = self.value(solver, first);
            let value = if starts("llvm.ptrmask") { self.anywhere(solver, &value) } else { value };
            self.flow(solver, &value, result);
        }
    }

    fn copy(&mut self, solver: &mut Solver, to: &Val, from: &Val, len: Option<u64>) {
        if let (Some(to), Some(from)) = (self.node_of(solver, to), self.node_of(solver, from)) {
            solver.copy_memory(to, from, len);
        }
    }

    /// Both areas that a list of arguments points to are one object per function.
    fn va_start(&mut self, solver: &mut Solver, id: InstId, list: Operand) {
        let func = self.program.func_of(id);
        let object = solver.cells.object(ObjectKind::VarArgs(func), Shape::flat());
        let area = solver.cells.anywhere(object);
        let content = solver.stored(area);
        if let Some(&node) = self.variadic.get(&func) {
            solver.graph.add_edge(node, content);
        }
        let list = self.value(solver, list);
        for offset in [8, 16] {
            let place = self.derived(solver, &list, &[Step::Shift(offset)]);
            self.store(solver, &place, &Val::Cells(vec![area]));
        }
    }

    fn assembly(&mut self, solver: &mut Solver, site: &CallSite) {
        let node = match self.asm_node {
            Some(node) => node,
            None => self.everything(solver, ObjectKind::Unknown),
        };
        self.asm_node = Some(node);
        self.through(solver, site, node);
    }

    fn external(&mut self, solver: &mut Solver, site: &CallSite, func: FuncId) {
        let program = self.program;
        if let Some(known) = summary(&program.func(func).name) {
            return Externals { generator: self, site, func, called: FxHashMap::default() }
                .apply(solver, known);
        }
        let node = match self.unknown.get(&func) {
            Some(&node) => node,
            None => self.everything(solver, ObjectKind::Static(func)),
        };
        self.unknown.insert(func, node);
        self.through(solver, site, node);
    }

    /// A node for code that does everything to what it can reach: it has its own memory, reads all, writes all it has everywhere,
    /// and calls every function.
    fn everything(&mut self, solver: &mut Solver, own: ObjectKind) -> super::graph::NodeId {
        let cell = self.outside(solver, own);
        let node = solver.node();
        solver.graph.add(node, cell);
        let Val::Node(anywhere) = self.anywhere(solver, &Val::Node(node)) else { return node };
        solver.load(anywhere, node);
        solver.store(anywhere, node);
        node
    }

    fn through(&mut self, solver: &mut Solver, site: &CallSite, node: super::graph::NodeId) {
        for arg in &site.args {
            self.flow(solver, arg, node);
        }
        if let Some(result) = site.result {
            solver.graph.add_edge(node, result);
        }
        let args = vec![Val::Node(node); 6];
        let callback = CallSite { inst: site.inst, args, result: Some(node), callback: true };
        self.call_through(solver, callback, &Val::Node(node));
    }
}

/// One call of a known external function.
struct Externals<'a, 'p> {
    generator: &'a mut Generator<'p>,
    site: &'a CallSite,
    func: FuncId,
    /// Results of the callbacks so far.
    called: FxHashMap<Target, Val>,
}

impl Externals<'_, '_> {
    fn apply(&mut self, solver: &mut Solver, known: &Summary) {
        for effect in &known.effects {
            match effect {
                Effect::Return(value) => {
                    let value = self.value(solver, *value);
                    if let Some(result) = self.site.result {
                        self.generator.flow(solver, &value, result);
                    }
                }
                Effect::Store { to, value } => {
                    let (to, value) = (self.value(solver, *to), self.value(solver, *value));
                    // Into an object of a type that the table does not say: at any place.
                    let to = match value {
                        Val::Cells(_) => self.generator.anywhere_if_structure(solver, &to),
                        _ => to,
                    };
                    self.generator.store(solver, &to, &value);
                }
                // Where it is in a wrapper, its callers copy.
                Effect::Copy { .. } if self.generator.wrappers.is_postponed(self.site.inst) => {}
                Effect::Copy { to, from, len } => {
                    let len = len.and_then(|l| self.constant(l));
                    let (to, from) = (self.value(solver, *to), self.value(solver, *from));
                    self.generator.copy(solver, &to, &from, len);
                }
                Effect::Call { target, args } => self.call(solver, *target, args),
            }
        }
    }

    fn constant(&self, arg: u32) -> Option<u64> {
        // An external function that is called back has no arguments in the program's text.
        let args = (!self.site.callback).then(|| self.generator.program.call_arguments(self.site.inst))?;
        match args.get(arg as usize) {
            Some(Operand::Int { value, .. }) => Some(*value),
            _ => None,
        }
    }

    fn value(&mut self, solver: &mut Solver, value: Value) -> Val {
        let arg = |i: u32| self.site.args.get(i as usize).cloned().unwrap_or(Val::Nothing);
        match value {
            Value::Arg(i) => arg(i),
            Value::Into(i) => {
                let value = arg(i);
                self.generator.anywhere(solver, &value)
            }
            Value::Found { arg: i, depth } => {
                let mut value = arg(i);
                for _ in 0..depth {
                    value = self.found(solver, &value);
                }
                value
            }
            Value::Static => self.outside(solver, ObjectKind::Static(self.func)),
            Value::FoundInStatic => {
                let own = self.outside(solver, ObjectKind::Static(self.func));
                self.found(solver, &own)
            }
            Value::Environment => self.outside(solver, ObjectKind::Environment),
            Value::New { size } => self.fresh(solver, size),
            Value::Returned => self.site.result.map_or(Val::Nothing, Val::Node),
            Value::Called(target) => self.called.get(&target).cloned().unwrap_or(Val::Nothing),
            Value::OptArg => match self.generator.program.global_named("optarg") {
                Some(global) => self.generator.value(solver, Operand::Global(global)),
                None => Val::Nothing,
            },
            Value::Unknown => {
                let object = solver.cells.object(ObjectKind::Unknown, Shape::flat());
                Val::Cells(vec![solver.cells.anywhere(object)])
            }
        }
    }

    fn outside(&mut self, solver: &mut Solver, kind: ObjectKind) -> Val {
        Val::Cells(vec![self.generator.outside(solver, kind)])
    }

    fn fresh(&mut self, solver: &mut Solver, size: [Option<u32>; 2]) -> Val {
        let bytes = match size {
            [Some(a), None] => self.constant(a),
            [Some(a), Some(b)] => self.constant(a).zip(self.constant(b)).map(|(a, b)| a.saturating_mul(b)),
            _ => None,
        };
        Val::Cells(vec![self.generator.heap(solver, self.site.inst, None, bytes)])
    }

    /// Pointers found anywhere in memory that a pointer points to.
    fn found(&mut self, solver: &mut Solver, pointer: &Val) -> Val {
        let anywhere = self.generator.anywhere(solver, pointer);
        let node = solver.node();
        self.generator.load(solver, &anywhere, node);
        Val::Node(node)
    }

    fn call(&mut self, solver: &mut Solver, target: Target, args: &[Value]) {
        let pointer = match target {
            Target::Arg(i) => self.value(solver, Value::Arg(i)),
            Target::InMemory(i) => self.value(solver, Value::Found { arg: i, depth: 1 }),
        };
        let args = args.iter().map(|a| self.value(solver, *a)).collect();
        let result = solver.node();
        self.called.insert(target, Val::Node(result));
        let site = CallSite { inst: self.site.inst, args, result: Some(result), callback: true };
        self.generator.call_through(solver, site, &pointer);
    }
}

impl Generator<'_> {
    /// Places for a pointer that an external function stores into something of its own layout.
    fn anywhere_if_structure(&mut self, solver: &mut Solver, to: &Val) -> Val {
        match to {
            Val::Cells(cells) => {
                let one_pointer = |c: &CellId| solver.cells.object_of(*c).size == Some(8);
                if cells.iter().all(one_pointer) {
                    return to.clone();
                }
                self.anywhere(solver, to)
            }
            _ => self.anywhere(solver, to),
        }
    }
}
